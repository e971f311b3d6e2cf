/*
 * report.h - stacks as crash reports have them, and as JSON (docs/protocol.md, "backtraces").
 */
#ifndef LOUPE_STACKS_REPORT_H
#define LOUPE_STACKS_REPORT_H

#include "backtraces/naming.h"
#include "report/report.h"

/* False when a thread or a part of a stack is missing. */
bool loupe_stacks_are_whole(const struct loupe_stacks *stacks);

/* Whether a stack leads through the image. */
bool loupe_stacks_touch(const struct loupe_stacks *stacks, const struct loupe_loaded_image *image);

/* Text for people, several lines: each thread, then the images that they were in. What the target
 * calls itself is escaped. LOUPE_OK, or the sink's failure. */
enum loupe_status loupe_stacks_write_text(const struct loupe_stacks *stacks,
                                          struct loupe_naming *naming, struct loupe_sink sink);

/* The answer as a whole. */
void loupe_stacks_write_json(const struct loupe_stacks *stacks, struct loupe_naming *naming,
                             const struct loupe_envelope *envelope, uint64_t started,
                             struct loupe_json *json);

#endif
