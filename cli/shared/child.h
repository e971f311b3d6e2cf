/*
 * child.h - processes of ours that read one heap each, so that hostile bytes end no other: they
 * answer through a pipe.
 */
#ifndef LOUPE_CLI_CHILD_H
#define LOUPE_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>

/* In the child: what is read and printed by accident comes from nowhere, and goes nowhere. */
bool child_begin(void);
/* False: nobody listens. */
bool child_send(int to, const void *bytes, size_t length);

/* For a message with the text of errno. */
#define CHILD_NOT_STARTED "no process can be started: %s"

#endif
