# SPDX-License-Identifier: BSD-2-Clause
"""What scripts/messages and scripts/mutate share: reading src/verifier/*.c, building a changed copy.

The copy is built in a temporary directory with marks: skep_mark(N) sets byte N of the file that the
environment variable SKEP_MARKS names.
"""
import glob
import os
import re
import shutil
import subprocess
import sys

HEADER = """/* SPDX-License-Identifier: BSD-2-Clause */
#pragma once
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Byte @n of the file SKEP_MARKS; straight from the kernel, for libskep interposes libc. */
static inline bool skep_mark(int n)
{
	static char *marks;
	const char *path;
	long fd;

	if (!marks) {
		path = getenv("SKEP_MARKS");
		fd = path ? syscall(SYS_openat, AT_FDCWD, path, O_RDWR) : -1;
		marks = fd < 0 ? (char *)-1l
			       : (char *)syscall(SYS_mmap, NULL, 65536, PROT_READ | PROT_WRITE,
						 MAP_SHARED, fd, 0);
	}
	if (marks != (char *)-1l)
		marks[n] = 1;
	return true;
}

/* False for the check that SKEP_MUTANT names: it is left out. */
static inline bool skep_mutant(int n)
{
	static int mutant = -2;

	if (mutant == -2)
		mutant = getenv("SKEP_MUTANT") ? atoi(getenv("SKEP_MUTANT")) : -1;
	return n != mutant;
}
"""


def mask(text):
    """The text with comments, strings, characters and directives blanked, in the same places."""
    def blank(m):
        return re.sub(r"[^\n]", " ", m.group())
    return re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\''
                  r'|^[ \t]*#(?:\\\n|[^\n])*', blank, text, flags=re.S | re.M)


def closing(code, at):
    """Where the bracket at `at` closes."""
    depth = 0
    for m in re.compile(r"[(){}\[\]]").finditer(code, at):
        depth += 1 if m.group() in "({[" else -1
        if not depth:
            return m.start()
    sys.exit("unbalanced at %d: %s" % (at, code[at:at + 60]))


def skip_space(code, at):
    return re.compile(r"\s*").match(code, at).end()


def statement_end(code, at):
    """One past the statement that starts at `at`."""
    at = skip_space(code, at)
    if code[at] == "{":
        return closing(code, at) + 1
    word = re.compile(r"\w*").match(code, at).group()
    if word in ("if", "for", "while", "switch"):
        end = statement_end(code, closing(code, code.index("(", at)) + 1)
        other = re.compile(r"\s*else\b").match(code, end)
        return statement_end(code, other.end()) if word == "if" and other else end
    while code[at] != ";":
        at = closing(code, at) + 1 if code[at] in "({[" else at + 1
    return at + 1


def ifs(code):
    """(start and end of the condition with its brackets, start and end of the body) of each if"""
    for m in re.finditer(r"\bif\s*\(", code):
        end = closing(code, m.end() - 1)
        yield m.end() - 1, end + 1, end + 1, statement_end(code, end + 1)


def direct(code, start, end):
    """The text of a body without the statements that are ifs of their own."""
    out, at = "", start
    for m in re.finditer(r"\bif\s*\(", code[start:end]):
        if start + m.start() < at:
            continue
        out += code[at:start + m.start()]
        at = statement_end(code, start + m.start())
    return out + code[at:end]


def line_of(text, at):
    return text.count("\n", 0, at) + 1


def sources(root):
    """{path relative to root: text}"""
    return {os.path.relpath(p, root): open(p).read()
            for p in sorted(glob.glob(os.path.join(root, "src/verifier/*.c")))}


def build_copy(root, to, changed):
    """A tree like root's with the files {path: text} changed, built in to/build; its path."""
    listed = subprocess.run(["git", "-C", root, "ls-files", "-co", "--exclude-standard"],
                            stdout=subprocess.PIPE, text=True, check=True).stdout.splitlines()
    for name in listed:
        if not os.path.exists(os.path.join(root, name)):
            continue
        os.makedirs(os.path.dirname(os.path.join(to, "tree", name)), exist_ok=True)
        shutil.copy2(os.path.join(root, name), os.path.join(to, "tree", name))
    for name, text in changed.items():
        with open(os.path.join(to, "tree", name), "w") as f:
            f.write(text)
    with open(os.path.join(to, "tree/src/verifier/marks.h"), "w") as f:
        f.write(HEADER)
    build = os.path.join(to, "build")
    for cmd in (["meson", "setup", build, os.path.join(to, "tree"), "-Dwarning_level=0"],
                ["nice", "ninja", "-C", build, "-j2", "skep", "tests/unit/verifier_oracle",
                 "tests/verdict/judge", "tests/verdict/ctx_sweep", "tests/verdict/raw_loads"]):
        out = subprocess.run(cmd, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if out.returncode:
            sys.exit(out.stdout[-4000:])
    return build


def marks_of(cmd, path, timeout, **env):
    """The numbers that one run marks, and its status; None for a run out of time."""
    with open(path, "wb") as f:
        f.truncate(65536)
    status = run(cmd, timeout, SKEP_MARKS=path, **env)
    return {n for n, byte in enumerate(open(path, "rb").read()) if byte}, status


def run(cmd, timeout, **env):
    """The status of a command; None when it did not end in time. Its children end with it."""
    p = subprocess.Popen(cmd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                         stderr=subprocess.DEVNULL, env=dict(os.environ, **env),
                         start_new_session=True)
    try:
        return p.wait(timeout)
    except subprocess.TimeoutExpired:
        return None
    finally:
        try:
            os.killpg(p.pid, 9)
        except ProcessLookupError:
            pass
        p.wait()


def listed(path, fields):
    """The lines of a file of exceptions: {tuple of the first fields: reason}, separated by tabs."""
    out = {}
    for line in open(path) if os.path.exists(path) else ():
        line = line.rstrip("\n")
        if line and not line.startswith("#"):
            parts = line.split("\t")
            if len(parts) != fields + 1 or not parts[-1].strip():
                sys.exit("%s: not %d columns: %s" % (path, fields + 1, line))
            out[tuple(parts[:fields])] = parts[-1]
    return out
