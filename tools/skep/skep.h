/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The command line: one file a command.
 */
#ifndef SKEP_TOOL_H
#define SKEP_TOOL_H

/* Exit codes common to the commands; each help text lists its own. */
enum { EXIT_OK = 0, EXIT_REJECTED = 1, EXIT_USAGE_ERROR = 2 };

int cmd_run(int argc, char **argv);
int cmd_verify(int argc, char **argv);
int cmd_dump(int argc, char **argv);
int cmd_bench(int argc, char **argv);

/* Directory of this executable, without a trailing slash; NULL when unknown. Static storage. */
const char *tool_dir(void);

#endif
