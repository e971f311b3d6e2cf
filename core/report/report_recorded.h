/*
 * report_recorded.h - who allocated what an answer names, where libloupe_record recorded it
 * (docs/protocol.md: "allocated", "recorded", "stacks").
 *
 *     for each block: loupe_report_allocated(json, recorded, loupe_recorded_stack(recorded,
 * block)); in the end:     loupe_report_stacks(json, recorded);
 */
#ifndef LOUPE_REPORT_RECORDED_H
#define LOUPE_REPORT_RECORDED_H

#include "base/json.h"
#include "recorded/recorded.h"

/* "allocated": the number of a stack, null for 0. recorded: NULL where others list the stacks. */
void loupe_report_allocated(struct loupe_json *json, struct loupe_recorded *recorded,
                            uint32_t stack);

/* The same under another name. */
void loupe_report_stack_number(struct loupe_json *json, const char *key,
                               struct loupe_recorded *recorded, uint32_t stack);

/* "recorded", and "stacks": each that was named, once, with its frames. */
void loupe_report_stacks(struct loupe_json *json, struct loupe_recorded *recorded);

#endif
