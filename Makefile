# SPDX-License-Identifier: BSD-2-Clause
# A thin front of meson: every target ends in ninja or meson test.
BUILD ?= build
JOBS ?= $(shell nproc)
MESON_TEST = meson test -C $(BUILD) --no-rebuild --print-errorlogs

.PHONY: all deps demo check diff full bench asan ubsan tsan fuzz lint format install clean

all: deps $(BUILD)/build.ninja
	@ninja -C $(BUILD) -j$(JOBS)

deps:
	@scripts/install-deps

$(BUILD)/build.ninja:
	@meson setup $(BUILD) $(MESON_ARGS)

# The example under skep, then the benchmarks of one object on skep, the kernel and native C.
demo: all
	@scripts/demo $(BUILD)

# Every quick suite, the layer table, the instruction coverage; ends with "N passed, N failed".
check: all
	@scripts/check $(BUILD)

# Verdicts beside the running kernel's, with the sums (needs bpf(2)).
diff: all
	@scripts/diff $(BUILD)

# The slow ones too: long fuzzing, torture, the whole benchmark tables.
full: check
	@scripts/full $(BUILD)

bench: all
	@$(BUILD)/skep bench all

asan ubsan tsan:
	@scripts/sanitize $@ 

fuzz: all
	@scripts/fuzz $(BUILD) $(FUZZ_SECONDS)

lint: all
	@scripts/lint $(BUILD)

format:
	@git ls-files '*.c' '*.h' | grep -v '\.bpf\.c$$' | xargs clang-format -i

install: all
	@meson install -C $(BUILD) --no-rebuild

clean:
	rm -rf $(BUILD) build-asan build-ubsan build-tsan
