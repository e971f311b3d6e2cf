/*
 * parts.h - what the debugger knows of its process beside bytes (base/target/process.h), over the
 * pipe.
 */
#ifndef LOUPE_PIPED_PARTS_H
#define LOUPE_PIPED_PARTS_H

#include "base/target/process.h"
#include "base/text.h"

/* With a struct loupe_piped_reader as their ctx. */
extern const struct loupe_process_ops loupe_piped_parts;

/* A copy that ends in a NUL, or NULL; free() takes it. */
char *loupe_wire_copy_text(struct loupe_span text);

#endif
