#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""One function definition a system call, for the built-in BTF: gen-syscall-types.py CC OUT.h PREFIX

Names come from the system's <asm/unistd.h>, as the preprocessor sees it.
"""
import re
import subprocess
import sys

cc, out, prefix = sys.argv[1:]
macros = subprocess.run([cc, "-E", "-dM", "-include", "asm/unistd.h", "-x", "c", "/dev/null"],
                        check=True, capture_output=True, text=True).stdout
names = sorted(set(re.findall(r"^#define __NR_(\w+) \d+$", macros, re.M)))
with open(out, "w") as f:
    for n in names:
        f.write(f"long {prefix}sys_{n}(const struct pt_regs *regs)\n{{\n\treturn regs->ax;\n}}\n")
