/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The same programs through skep's verifier and through the running kernel's bpf(2): verdict,
 * errno and message must agree. Skips where bpf(2) is not permitted.
 *
 *   verifier_oracle                the table (verifier_cases.h)
 *   verifier_oracle -v N           case N with both logs
 *   verifier_oracle -r SEED COUNT  random programs; -m w: walks of kernel objects,
 *                                 -m s: loops, references, packets, callbacks,
 *                                 -m b: random encodings
 *   verifier_oracle -c [TYPE]      every access of every program type's context (-C: print
 *                                 what the kernel allows)
 *   verifier_oracle -a [TYPE]      every helper in every context
 *   verifier_oracle -k [TYPE]      every kernel function in every context
 *   verifier_oracle -l             compare the logs of level 2 as well, line by line
 *
 * With any of the sets of programs above, but for -v, -l and -C:
 *
 *   -w FILE  write the kernel's answers: name TAB result TAB the log's last line
 *   -g FILE  compare with those answers instead of the kernel's: needs no bpf(2)
 *   -M       print the last message of skep for each program it rejects: needs no bpf(2)
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "spec/kfunc.h"
#include "verifier/verifier.h"
#include "verifier_asm.h"

struct test {
	const char *name;
	u32 type, attach;
	const char *text;
	u32 flags;
	const char *attach_name; /* tracepoint, "fn:" function, "st:" struct */
	const char *license;
};

#include "verifier_cases.h"

enum { NR_MAPS = 12, LOG_SIZE = 8 << 20 };

static int fds[NR_MAPS];
static struct skep_map_facts facts[NR_MAPS], nameless;
static u8 frozen_value[64];
static struct skep_btf *kbtf, *mbtf;
static struct skep_btf_record lock_record;
static char klog[LOG_SIZE], slog[LOG_SIZE];
static struct vasm as;
static u8 btf_raw[65536];
static u32 btf_raw_size;
static FILE *answers;	     /* -w, -g */
static bool record, offline; /* -w; -g or -M: no bpf(2) */

static int sys_bpf(int cmd, void *attr, u32 size)
{
	int r;

	if (!offline)
		r = (int)syscall(__NR_bpf, cmd, attr, size);
	else if (cmd == BPF_MAP_CREATE || cmd == BPF_BTF_LOAD)
		r = open("/dev/null", O_RDONLY); /* a number that means nothing else */
	else
		r = 0;
	return r < 0 ? -errno : r;
}

/* --- BTF by hand --- */

static u32 types[8192], nr_words;
static char strs[8192];
static u32 strs_len;
static u32 next_id;

static u32 str(const char *s)
{
	u32 at = strs_len;

	strcpy(strs + at, s);
	strs_len += (u32)strlen(s) + 1;
	return at;
}

static void w32(u32 v)
{
	types[nr_words++] = v;
}

static u32 type(const char *name, u32 kind, u32 vlen, u32 size)
{
	w32(*name ? str(name) : 0);
	w32(kind << 24 | vlen);
	w32(size);
	return next_id++;
}

static void btf_begin(void)
{
	nr_words = 0;
	strs[0] = 0;
	strs_len = 1;
	next_id = 1;
}

static void btf_end(void)
{
	struct btf_header h = {.magic = BTF_MAGIC, .version = 1, .hdr_len = sizeof(h)};

	h.type_len = nr_words * 4;
	h.str_off = h.type_len;
	h.str_len = strs_len;
	memcpy(btf_raw, &h, sizeof(h));
	memcpy(btf_raw + sizeof(h), types, h.type_len);
	memcpy(btf_raw + sizeof(h) + h.type_len, strs, strs_len);
	btf_raw_size = (u32)sizeof(h) + h.type_len + strs_len;
}

static int btf_load(void)
{
	struct skep_attr_btf_load a = {.btf = (uintptr_t)btf_raw, .btf_size = btf_raw_size};

	return sys_bpf(BPF_BTF_LOAD, &a, sizeof(a));
}

/* --- maps in both worlds --- */

static void add_map(u32 i, u32 t, u32 ks, u32 vs, u32 n, u32 flags, const char *name)
{
	struct skep_attr_map_create a = {.map_type = t,
					 .key_size = ks,
					 .value_size = vs,
					 .max_entries = n,
					 .map_flags = flags};
	u64 zero[32] = {0};

	(void)zero;
	snprintf(a.map_name, sizeof(a.map_name), "%s", name);
	if (i == 8)
		a.inner_map_fd = (u32)fds[1];
	if (i == 7) {
		u32 lock, val;
		int bfd;

		btf_begin();
		type("int", BTF_KIND_INT, 0, 4);
		w32(1 << 24 | 32);
		lock = type("bpf_spin_lock", BTF_KIND_STRUCT, 1, 4);
		w32(str("val"));
		w32(1);
		w32(0);
		val = type("val", BTF_KIND_STRUCT, 2, 8);
		w32(str("lock"));
		w32(lock);
		w32(0);
		w32(str("cnt"));
		w32(1);
		w32(32);
		btf_end();
		bfd = btf_load();
		if (bfd < 0 || skep_btf_parse(btf_raw, btf_raw_size, NULL, NULL, &mbtf) ||
		    skep_btf_parse_fields(mbtf, val, 8, SKEP_FIELDS_OF_VALUE, &lock_record)) {
			fprintf(stderr, "cannot make the lock's BTF (%d)\n", bfd);
			exit(1);
		}
		a.btf_fd = (u32)bfd;
		a.btf_key_type_id = 1;
		a.btf_value_type_id = val;
	}
	fds[i] = sys_bpf(BPF_MAP_CREATE, &a, sizeof(a));
	if (fds[i] < 0) {
		fprintf(stderr, "map %s: %s\n", name, strerror(-fds[i]));
		exit(fds[i] == -EPERM ? 77 : 1);
	}
	facts[i] = (struct skep_map_facts){
		.type = t, .key_size = ks, .value_size = vs, .max_entries = n, .flags = flags};
	snprintf(facts[i].name, 16, "%s", name);
	facts[i].has_direct = t == BPF_MAP_TYPE_ARRAY;
	if (i == 7) {
		facts[i].btf = mbtf;
		facts[i].btf_value_id = a.btf_value_type_id;
		facts[i].record = &lock_record;
	}
	if (i == 8) {
		nameless = facts[1];
		nameless.name[0] = 0;
		facts[i].inner = &nameless;
	}
	if (i == 6) {
		struct {
			u32 fd, pad;
			u64 key, value, f;
		} e = {.fd = (u32)fds[i], .key = (uintptr_t)zero, .value = (uintptr_t)frozen_value};

		strcpy((char *)frozen_value, "a %d b %s");
		memcpy(frozen_value + 16, "\x08\x00\x00\x00\xff\xff\xff\xff", 8);
		memset(frozen_value + 24, 'x', 8);
		sys_bpf(2, &e, sizeof(e));
		sys_bpf(22, &e, 4);
		facts[i].frozen = true;
	}
}

static void make_maps(void)
{
	add_map(0, BPF_MAP_TYPE_HASH, 4, 8, 4, 0, "hash");
	add_map(1, BPF_MAP_TYPE_ARRAY, 4, 8, 4, 0, "arr");
	add_map(2, BPF_MAP_TYPE_ARRAY, 4, 64, 1, 0, "one");
	add_map(3, BPF_MAP_TYPE_RINGBUF, 0, 0, 4096, 0, "rb");
	add_map(4, BPF_MAP_TYPE_PROG_ARRAY, 4, 4, 4, 0, "progs");
	add_map(5, BPF_MAP_TYPE_PERCPU_ARRAY, 4, 8, 2, 0, "pcpu");
	add_map(6, BPF_MAP_TYPE_ARRAY, 4, 32, 1, BPF_F_RDONLY_PROG, "ro");
	add_map(7, BPF_MAP_TYPE_ARRAY, 4, 8, 1, 0, "lock");
	add_map(8, BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 4, 4, 0, "outer");
	add_map(9, BPF_MAP_TYPE_ARRAY, 4, 8, 1, BPF_F_WRONLY_PROG, "wo");
	add_map(10, BPF_MAP_TYPE_HASH, 8, 48, 4, 0, "big");
	add_map(11, BPF_MAP_TYPE_QUEUE, 0, 8, 4, 0, "queue");
}

static int map_by_fd(void *p, int fd, struct skep_map_facts **ret)
{
	(void)p;
	for (u32 i = 0; i < NR_MAPS; i++) {
		if (fds[i] == fd) {
			*ret = &facts[i];
			return 0;
		}
	}
	return fcntl(fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
}

static int btf_by_fd(void *p, int fd, const struct skep_btf **ret)
{
	(void)p;
	(void)fd;
	(void)ret;
	return -EBADF;
}

static const struct skep_btf *kernel_btf(void *p)
{
	(void)p;
	return kbtf;
}

static int map_const(void *p, const struct skep_map_facts *m, u32 off, u32 size, u64 *ret)
{
	(void)p;
	(void)m;
	*ret = 0;
	memcpy(ret, frozen_value + off, size);
	return 0;
}

static const char *map_const_str(void *p, const struct skep_map_facts *m, u32 off, u32 *max)
{
	(void)p;
	*max = m->value_size - off;
	return (const char *)frozen_value + off;
}

static bool all_helpers(void *p, u32 id, u32 type_)
{
	(void)p;
	(void)id;
	(void)type_;
	return true;
}

static struct skep_verify_host host = {
	.map_by_fd = map_by_fd,
	.btf_by_fd = btf_by_fd,
	.kernel_btf = kernel_btf,
	.map_const = map_const,
	.map_const_str = map_const_str,
	.helper_implemented = all_helpers,
	.verdict_only = true,
};

/* --- func_info from labels --- */

static struct bpf_func_info finfo[256];
static u32 nr_finfo;
static struct skep_btf *pbtf;
static int pbtf_fd;

static void make_prog_btf(const struct test *t)
{
	u32 tint, tlong, tint_p, tctx, tctx_p, tpair, tpair_p, main_proto, ids[32][2], n = 0;
	const char *ctx = t->type == BPF_PROG_TYPE_XDP ? "xdp_md" : "__sk_buff";
	bool any = false;

	nr_finfo = 0;
	pbtf_fd = 0;
	skep_btf_put(pbtf);
	pbtf = NULL;
	for (u32 i = 0; i < as.nr_labels; i++)
		any |= !strncmp(as.labels[i].name, "g_", 2) || !strncmp(as.labels[i].name, "s_", 2);
	if (!any)
		return;
	btf_begin();
	tint = type("int", BTF_KIND_INT, 0, 4);
	w32(1 << 24 | 32);
	tlong = type("long", BTF_KIND_INT, 0, 8);
	w32(1 << 24 | 64);
	tint_p = type("", BTF_KIND_PTR, 0, tint);
	tctx = type(ctx, BTF_KIND_STRUCT, 0, 0);
	tctx_p = type("", BTF_KIND_PTR, 0, tctx);
	tpair = type("pair", BTF_KIND_STRUCT, 2, 8);
	w32(str("a"));
	w32(tint);
	w32(0);
	w32(str("b"));
	w32(tint);
	w32(32);
	tpair_p = type("", BTF_KIND_PTR, 0, tpair);
	main_proto = type("", BTF_KIND_FUNC_PROTO, 1, tint);
	w32(str("ctx"));
	w32(tctx_p);
	ids[n][0] = 0;
	ids[n++][1] = type("main", BTF_KIND_FUNC, 1, main_proto);
	for (u32 i = 0; i < as.nr_labels; i++) {
		const char *l = as.labels[i].name, *p = strrchr(l, '_') + 1;
		u32 proto;

		if (strncmp(l, "g_", 2) && strncmp(l, "s_", 2))
			continue;
		if (!strcmp(p, "v"))
			p++;
		proto = type("", BTF_KIND_FUNC_PROTO, (u32)strlen(p), tint);
		for (; *p; p++) {
			w32(str("arg"));
			w32(*p == 'i'	? tint
			    : *p == 'l' ? tlong
			    : *p == 'c' ? tctx_p
			    : *p == 'p' ? tint_p
					: tpair_p);
		}
		ids[n][0] = as.labels[i].at;
		ids[n++][1] = type(l, BTF_KIND_FUNC, l[0] == 'g', proto);
	}
	btf_end();
	pbtf_fd = btf_load();
	if (pbtf_fd < 0 || skep_btf_parse(btf_raw, btf_raw_size, NULL, NULL, &pbtf)) {
		fprintf(stderr, "%s: prog BTF: %d\n", t->name, pbtf_fd);
		exit(1);
	}
	for (u32 i = 0; i < n; i++)
		finfo[i] = (struct bpf_func_info){.insn_off = ids[i][0], .type_id = ids[i][1]};
	nr_finfo = n;
}

/* --- both verifiers --- */

struct answer {
	int err;
	char reason[256];
};

static u32 tp_id(const char *name)
{
	char buf[128];

	if (!name)
		return 0;
	if (!strncmp(name, "fn:", 3))
		return skep_btf_find(kbtf, name + 3, BTF_KIND_FUNC);
	if (!strncmp(name, "st:", 3))
		return skep_btf_find(kbtf, name + 3, BTF_KIND_STRUCT);
	snprintf(buf, sizeof(buf), "btf_trace_%s", name);
	return skep_btf_find(kbtf, buf, BTF_KIND_TYPEDEF);
}

static void ask_kernel(const struct test *t, u32 level, struct answer *a)
{
	struct skep_attr_prog_load p = {.prog_type = t->type,
					.expected_attach_type = t->attach,
					.insns = (uintptr_t)as.insns,
					.insn_cnt = as.n};
	int fd;

	klog[0] = 0;
	p.license = (uintptr_t)(t->license ? t->license : "GPL");
	p.log_level = level;
	p.log_buf = level ? (uintptr_t)klog : 0;
	p.log_size = level ? LOG_SIZE : 0;
	p.prog_flags = t->flags;
	p.attach_btf_id = tp_id(t->attach_name);
	if (pbtf) {
		p.prog_btf_fd = (u32)pbtf_fd;
		p.func_info = (uintptr_t)finfo;
		p.func_info_cnt = nr_finfo;
		p.func_info_rec_size = 8;
	}
	fd = sys_bpf(5, &p, sizeof(p));
	a->err = fd < 0 ? fd : 0;
	if (fd >= 0)
		close(fd);
}

/* The log's last line before the statistics, and before the two states of an infinite loop. */
static char *last_line(char *log)
{
	char *end = strstr(log, "\ncur state:"), *from;

	if (!end)
		end = strstr(log, "\nprocessed");
	if (end)
		*end = 0;
	else if (!strncmp(log, "processed", 9))
		*log = 0;
	from = strrchr(log, '\n');
	if (from && !from[1]) {
		*from = 0;
		from = strrchr(log, '\n');
	}
	return from ? from + 1 : log;
}

static void write_answer(const struct test *t, const struct answer *k)
{
	char *bug = strstr(klog, "verifier bug: ");

	for (const char *s = t->name; *s; s++)
		putc(*s == '\n' || *s == '\t' ? ' ' : *s, answers);
	if (bug)
		bug[strcspn(bug, "\n")] = 0;
	fprintf(answers, "\t%d\t%s\n", k->err, !k->err ? "" : bug ? bug : last_line(klog));
}

/* The answer to @t from the file that -w wrote, in its order. */
static void read_answer(const struct test *t, struct answer *k)
{
	char line[1024], *err = NULL, *message = NULL;
	const char *s = t->name;
	u32 i = 0;

	if (fgets(line, sizeof(line), answers)) {
		while (*s && line[i] == (*s == '\n' || *s == '\t' ? ' ' : *s))
			i++, s++;
		if (!*s && line[i] == '\t') {
			err = line + i + 1;
			message = strchr(err, '\t');
		}
	}
	if (!message) {
		fprintf(stderr, "no answer of the kernel to \"%s\": -w writes them anew\n",
			t->name);
		exit(1);
	}
	k->err = atoi(err);
	message[strcspn(message, "\n")] = 0;
	snprintf(klog, LOG_SIZE, "%s", message + 1);
}

static void ask_skep(const struct test *t, u32 level, struct answer *a)
{
	struct skep_verify_req r = {.host = &host,
				    .insns = as.insns,
				    .nr_insns = as.n,
				    .prog_type = t->type,
				    .attach_type = t->attach,
				    .flags = t->flags};
	struct skep_vprog p;
	struct skep_verify_res res;
	const char *lic = t->license ? t->license : "GPL";

	slog[0] = 0;
	r.gpl = !strcmp(lic, "GPL");
	r.name = t->name;
	r.attach_btf_id = tp_id(t->attach_name);
	r.attach_btf = r.attach_btf_id ? kbtf : NULL;
	r.prog_btf = pbtf;
	r.func_info = finfo;
	r.nr_func_info = nr_finfo;
	r.log_level = level;
	r.log_buf = level ? slog : NULL;
	r.log_size = level ? LOG_SIZE : 0;
	a->err = skep_verify(&r, &p, &res);
	snprintf(a->reason, sizeof(a->reason), "%s", res.reason);
	skep_vprog_fini(&p);
}

static bool log_lines; /* -l */

static const char *next_line(const char *s, char *buf, size_t n)
{
	size_t len = strcspn(s, "\n");

	snprintf(buf, n, "%.*s", (int)(len < n - 1 ? len : n - 1), s);
	return s[len] ? s + len + 1 : s + len;
}

/* A state on a line of its own, as where something was told since the instruction. */
static bool is_state(const char *l)
{
	const char *p = l;

	while (*p >= '0' && *p <= '9')
		p++;
	return p > l && (!strncmp(p, ": R", 3) || !strncmp(p, ": frame", 7) ||
			 !strncmp(p, ": fp", 4) || !strcmp(p, ":") || !strcmp(p, ": cb"));
}

/* What the kernel tells of liveness and loops, and what says addresses and times. */
static bool skip_line(const char *l)
{
	return !*l || strstr(l, "(18)") || !strncmp(l, "SCC", 3) || *l == '(';
}

static const char *next_kept(const char *s, char *line)
{
	do
		*line = 0, s = next_line(s, line, 1024);
	while (*s && skip_line(line));
	if (skip_line(line))
		*line = 0;
	return s;
}

static void cut_state(char *l)
{
	char *st = strstr(l, " ;");

	if (!st)
		return;
	while (st > l && st[-1] == ' ')
		st--;
	*st = 0;
}

/* First differing line of the two logs of level 2. */
static bool logs_differ(char *kl, char *sl)
{
	const char *k = klog, *s = slog;

	/* What did not fit lost its beginning; what the kernel did not mean says nothing. */
	if (strlen(klog) > LOG_SIZE - 4096 || strstr(klog, "verifier bug: "))
		return false;
	for (;;) {
		k = next_kept(k, kl);
		s = next_kept(s, sl);
		/* Where only the kernel told of liveness, only it has the state elsewhere. */
		while (is_state(kl) && !is_state(sl))
			k = next_kept(k, kl);
		while (is_state(sl) && !is_state(kl))
			s = next_kept(s, sl);
		if (!strstr(kl, " ;") != !strstr(sl, " ;")) {
			cut_state(kl);
			cut_state(sl);
		}
		for (char *e = kl + strlen(kl); e > kl && e[-1] == ' ';)
			*--e = 0;
		for (char *e = sl + strlen(sl); e > sl && e[-1] == ' ';)
			*--e = 0;
		if (strcmp(kl, sl))
			return true;
		if (!*k || !*s)
			return false;
	}
}

static int compare(const struct test *t, bool verbose)
{
	struct answer k, s;
	char kl[1024], sl[1024];
	int bad = 0;

	if (answers && !record)
		read_answer(t, &k);
	else if (!offline)
		ask_kernel(t, log_lines || verbose ? 2 : 1, &k);
	if (record) {
		write_answer(t, &k);
		return 0;
	}
	ask_skep(t, log_lines || verbose ? 2u | (getenv("LOG_HEAD") ? 8u : 0) : 1, &s);
	if (!answers && offline) {
		if (s.err)
			puts(s.reason);
		return 0;
	}
	/* A fault of the kernel's own says nothing about the program. */
	if (k.err == -EFAULT && strstr(klog, "verifier bug: "))
		bad = 0;
	else if (k.err != s.err)
		bad = !s.err ? 2 : 1;
	else if (k.err && *s.reason && !strstr(klog, s.reason))
		bad = 1;
	else if (k.err && !*s.reason && *klog && !strstr(klog, "processed 0"))
		bad = 0;
	if (getenv("SHOW_KLOG"))
		puts(klog);
	if (getenv("SHOW_SLOG"))
		puts(slog);
	/* What skep does not know yet it refuses in its own words: no disagreement. */
	if (bad == 1 && !strncmp(s.reason, "skep:", 5))
		bad = 3;
	else if (bad || verbose) {
		char *end = strstr(klog, "\nprocessed"), *from;

		if (end && !verbose) {
			*end = 0;
			from = strrchr(klog, '\n');
			from = from ? from + 1 : klog;
		} else {
			from = klog;
		}
		printf("%s%s: kernel %d, skep %d\n  kernel: %s\n  skep:   %s\n",
		       bad == 2 ? "UNSOUND "
		       : bad	? "differs "
				: "",
		       t->name, k.err, s.err, from, verbose ? slog : s.reason);
	} else if (log_lines && logs_differ(kl, sl)) {
		printf("log %s\n  kernel: %s\n  skep:   %s\n", t->name, kl, sl);
		bad = 3;
	}
	return bad;
}

static int resolve(const char *name)
{
	const char *dot = strchr(name, '.');
	char base[64];
	u32 off, size, id;

	if (dot) {
		snprintf(base, sizeof(base), "%.*s", (int)(dot - name), name);
		return skep_btf_field(kbtf, base, dot + 1, &off, &size) ? -1 : (int)off;
	}
	id = skep_btf_find(kbtf, name, BTF_KIND_FUNC);
	if (!id)
		id = skep_btf_find(kbtf, name, BTF_KIND_STRUCT);
	return id ? (int)id : -1;
}

static int run(const struct test *t, bool verbose)
{
	int bad;

	as.resolve = resolve;

	if (vasm(&as, t->text, fds)) {
		printf("%s: cannot assemble \"%s\"\n", t->name, as.error ? as.error : "?");
		return 1;
	}
	make_prog_btf(t);
	bad = compare(t, verbose);
	if (pbtf_fd > 0)
		close(pbtf_fd);
	return bad;
}

#include "verifier_random.h"
#include "verifier_sweep.h"

static void open_kernel_btf(void)
{
	int fd = open("/sys/kernel/btf/vmlinux", O_RDONLY);
	struct stat st;
	void *p;

	if (fd < 0 || fstat(fd, &st))
		return;
	p = malloc((size_t)st.st_size);
	for (off_t at = 0; at < st.st_size;) {
		ssize_t n = read(fd, (char *)p + at, (size_t)(st.st_size - at));

		if (n <= 0)
			break;
		at += n;
	}
	close(fd);
	if (skep_btf_open_kernel(p, (u32)st.st_size, NULL, "vmlinux", &kbtf))
		kbtf = NULL;
}

int main(int argc, char **argv)
{
	u32 bad[4] = {0}, n = 0;
	bool verbose = false;
	int only = -1, opt, contexts = 0;
	const char *path = NULL;
	long seed = -1;

	setvbuf(stdout, NULL, _IOLBF, 0);
	while ((opt = getopt(argc, argv, "v:r:lm:cCakw:g:M")) != -1) {
		if (opt == 'v') {
			verbose = true;
			only = atoi(optarg);
		} else if (opt == 'r') {
			seed = atol(optarg);
		} else if (opt == 'm') {
			random_mode = *optarg;
		} else if (opt == 'l') {
			log_lines = true;
		} else if (opt == 'c' || opt == 'C' || opt == 'a' || opt == 'k') {
			contexts = opt;
		} else if (opt == 'w') {
			path = optarg;
			record = true;
		} else if (opt == 'g') {
			path = optarg;
			offline = true;
		} else if (opt == 'M') {
			offline = true;
		}
	}
	open_kernel_btf();
	if (offline && !kbtf) {
		printf("skipped: no kernel BTF to verify against\n");
		return 77;
	}
	make_maps();
	if (path && !(answers = fopen(path, record ? "w" : "r"))) {
		perror(path);
		return 1;
	}
	host.nr_cpus = (u32)sysconf(_SC_NPROCESSORS_CONF);
	if (contexts == 'k')
		return sweep_kfuncs(optind < argc ? atoi(argv[optind]) : -1);
	if (contexts == 'a')
		return sweep_helpers(optind < argc ? atoi(argv[optind]) : -1);
	if (contexts)
		return sweep(contexts == 'C', optind < argc ? atoi(argv[optind]) : -1);
	if (seed >= 0)
		return random_programs((u64)seed, optind < argc ? (u32)atoi(argv[optind]) : 1000,
				       verbose);
	for (u32 i = 0; i < ARRAY_SIZE(cases); i++) {
		int r;

		if (only >= 0 && (int)i != only)
			continue;
		r = run(&cases[i], verbose);
		if (r && !verbose)
			printf("  (case %u)\n", i);
		bad[r]++;
		n++;
	}
	printf("%u programs: %u agree, %u differ, %u accepted wrongly, %u logs differ or "
	       "unsupported\n",
	       n, bad[0], bad[1], bad[2], bad[3]);
	return bad[1] + bad[2] + (log_lines ? bad[3] : 0) ? 1 : 0;
}
