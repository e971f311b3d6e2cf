/*
 * report.h - stacks as crash reports have them, and as JSON (docs/protocol.md, "backtraces").
 */
#ifndef LOUPE_STACKS_REPORT_H
#define LOUPE_STACKS_REPORT_H

#include "backtraces/naming.h"
#include "report/report.h"

/* False when a thread or a part of a stack is missing. */
bool loupe_stacks_are_whole(const struct loupe_stacks *stacks);

/* Text for people, several lines: what answers/reports/backtraces.c says of the answer.
 * LOUPE_ENOMEM, or the sink's failure. */
enum loupe_status loupe_stacks_write_text(const struct loupe_stacks *stacks,
                                          struct loupe_naming *naming,
                                          const struct loupe_envelope *envelope, uint64_t started,
                                          struct loupe_sink sink);

/* The answer as a whole. */
void loupe_stacks_write_json(const struct loupe_stacks *stacks, struct loupe_naming *naming,
                             const struct loupe_envelope *envelope, uint64_t started,
                             struct loupe_json *json);

#endif
