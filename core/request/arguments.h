/*
 * arguments.h - what a question says beside its address: filters, roots, wishes.
 *
 * One line of text that front ends write, the same for every engine: arguments are separated by
 * ';', a word and its fields by one space each. A byte that is not a plain letter of a name is
 * written %XX, so that neither a command line nor a C literal needs quotes or escapes:
 *
 *     filter UIView _subviewCache * UIView%20drops%20it;scan data 0x1000 0x2000
 *
 * Which words there are stands in docs/protocol.md. The text stays the caller's.
 */
#ifndef LOUPE_ARGUMENTS_H
#define LOUPE_ARGUMENTS_H

#include "base/arena.h"
#include "base/status.h"

enum { LOUPE_ARGUMENT_FIELDS = 8 };

struct loupe_argument {
    struct loupe_span text; /* all of it, as it was written */
    struct loupe_span word;
    struct loupe_span fields[LOUPE_ARGUMENT_FIELDS]; /* as they were written */
    unsigned field_count; /* more than LOUPE_ARGUMENT_FIELDS: the others are not kept */
};

/* Takes the argument at *cursor, which moves behind it; empty ones are passed over. False at the
 * end. */
bool loupe_argument_next(const char **cursor, struct loupe_argument *ret);

/* A field with its %XX as bytes, in the arena. LOUPE_EUSAGE for a broken %XX, LOUPE_ENOMEM. */
enum loupe_status loupe_argument_text(struct loupe_span field, struct loupe_arena *arena,
                                      const char **ret);

/* "0x1f00". False when it is anything else. */
bool loupe_argument_address(struct loupe_span field, loupe_addr *ret);

#endif
