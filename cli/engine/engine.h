/*
 * engine.h - `loupe engine`: a process beside a debugger, which answers questions about what the
 * debugger has stopped, where it loads no plugin. Started by lldb_commands/engines/pipe.py, with
 * one end of a connection as its standard input; both ends speak as readers/piped/wire.h says.
 *
 * It opens no file but that of a snapshot which it is told to write, and ends with its input.
 */
#ifndef LOUPE_CLI_ENGINE_H
#define LOUPE_CLI_ENGINE_H

#include "piped/wire.h"

/* Answers whatever is asked until nobody is there, or until what they say makes no sense. The exit
 * status. */
int engine_converse(struct loupe_wire *wire);

/* The words behind the command. The exit status: CLI_OK when the debugger has hung up. */
int cli_engine(const char **words, unsigned count);

#endif
