/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The BPF objects inside tools, opened and relocated: what could not be, a line each.
 *
 *	tools_objects TOOL...
 *
 * A tool built on libbpf carries its object as bytes of its read-only data. Each is given to
 * libbpf; maps of types that cannot be made become arrays, so that the programs are relocated.
 * Whether they then load is another matter. "OBJECT: " and libbpf's words go to stdout, a count
 * to stderr.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <elf.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *object;
static unsigned int lines, reached, loaded;

static int look(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	static const char *const wanted[] = {
		"substituting insn", "failed to create",	"invalid relo",
		"failed to resolve", "failed to perform CO-RE", "failed to relocate"};
	char text[4096];

	vsnprintf(text, sizeof(text), fmt, ap);
	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++)
		if (strstr(text, wanted[i])) {
			printf("%s: %s", object, text);
			lines++;
			break;
		}
	return 0;
}

/* Can maps of @type be made here? */
static bool have_map_type(enum bpf_map_type type)
{
	static int known[64]; /* 0: not asked yet, 1: yes, -1: no */
	bool is_ring = type == BPF_MAP_TYPE_RINGBUF;
	int fd;

	if (type >= 64 || known[type])
		return type < 64 && known[type] > 0;
	fd = bpf_map_create(type, NULL, is_ring ? 0 : 4,
			    is_ring			       ? 0
			    : type == BPF_MAP_TYPE_STACK_TRACE ? 8
							       : 4,
			    is_ring ? 4096 : 1, NULL);
	known[type] = fd >= 0 ? 1 : -1;
	if (fd >= 0)
		close(fd);
	return known[type] > 0;
}

static void relocate(const void *elf, size_t size)
{
	struct bpf_object *obj = bpf_object__open_mem(elf, size, NULL);
	struct bpf_map *map;

	if (!obj) {
		printf("%s: cannot be opened\n", object);
		lines++;
		return;
	}
	bpf_object__for_each_map(map, obj)
	{
		enum bpf_map_type type = bpf_map__type(map);

		/* What tools set before they load. */
		if (!bpf_map__value_size(map) && type != BPF_MAP_TYPE_RINGBUF)
			bpf_map__set_value_size(map, 8);
		if (!bpf_map__max_entries(map) && type != BPF_MAP_TYPE_PERF_EVENT_ARRAY)
			bpf_map__set_max_entries(map, type == BPF_MAP_TYPE_RINGBUF ? 4096 : 1);
		if (have_map_type(type))
			continue;
		bpf_map__set_type(map, BPF_MAP_TYPE_ARRAY);
		bpf_map__set_key_size(map, 4);
		if (!bpf_map__max_entries(map))
			bpf_map__set_max_entries(map, 1);
		bpf_map__set_map_flags(map, 0);
	}
	loaded += bpf_object__load(obj) == 0;
	reached++;
	bpf_object__close(obj);
}

/* Every 64-bit ELF file for BPF among the bytes of @path. */
static void search(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	const char *data;

	object = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return;
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (data == MAP_FAILED)
		return;
	for (size_t at = 8; at + sizeof(Elf64_Ehdr) <= (size_t)st.st_size; at++) {
		Elf64_Ehdr eh;
		size_t size;
		void *copy;

		if (data[at] != ELFMAG0 || memcmp(data + at, ELFMAG, SELFMAG))
			continue;
		memcpy(&eh, data + at, sizeof(eh));
		size = eh.e_shoff + (size_t)eh.e_shnum * eh.e_shentsize;
		if (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != EM_BPF ||
		    eh.e_shoff > (size_t)st.st_size || size > (size_t)st.st_size - at)
			continue;
		copy = malloc(size);
		memcpy(copy, data + at, size);
		relocate(copy, size);
		free(copy);
	}
	munmap((void *)data, (size_t)st.st_size);
}

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--probe"))
		return !have_map_type(BPF_MAP_TYPE_ARRAY);
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	libbpf_set_print(look);
	for (int i = 1; i < argc; i++)
		search(argv[i]);
	fprintf(stderr, "%u objects, %u loaded whole, %u complaints\n", reached, loaded, lines);
	return reached == 0;
}
