/*
 * report_stacks.h - who allocated what an answer about a whole heap names (docs/protocol.md:
 * "allocated", "recorded", "stacks").
 *
 *     loupe_shown_stacks_init(&shown, snapshot, chunks);
 *     for each node: loupe_report_node_stack(json, &shown, node);
 *     in the end: loupe_report_shown_stacks(json, &shown);
 */
#ifndef LOUPE_REPORT_STACKS_H
#define LOUPE_REPORT_STACKS_H

#include "analysis/reach.h"
#include "base/json.h"
#include "snapshot/recorded_stacks.h"

struct loupe_shown_stacks {
    const struct loupe_snapshot *snapshot;
    struct loupe_marks calls; /* the innermost ones of stacks that were named */
};

/* LOUPE_ENOMEM: there is nothing to deinit. */
enum loupe_status loupe_shown_stacks_init(struct loupe_shown_stacks *shown,
                                          const struct loupe_snapshot *snapshot,
                                          const struct loupe_chunk_ops *chunks);
void loupe_shown_stacks_deinit(struct loupe_shown_stacks *shown);

/* FRAME of docs/protocol.md. */
void loupe_report_recorded_frame(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                                 const struct loupe_recorded_frame *frame);

/* "allocated": the number of a stack, null for LOUPE_NONE. */
void loupe_report_stack(struct loupe_json *json, struct loupe_shown_stacks *shown, uint32_t stack);
/* The same of a node; nothing where there is no recorder. */
void loupe_report_node_stack(struct loupe_json *json, struct loupe_shown_stacks *shown,
                             uint32_t node);
/* "recorded", and "stacks": each that was named, once; nothing where there is no recorder. */
void loupe_report_shown_stacks(struct loupe_json *json, const struct loupe_shown_stacks *shown);

#endif
