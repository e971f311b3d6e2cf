/*
 * events.h - the log of what happened to the retain counts of chosen objects, in the order in which
 * it happened (recorded/layout.h). Without a lock, as block_table.h.
 */
#ifndef LOUPE_RECORD_EVENTS_H
#define LOUPE_RECORD_EVENTS_H

#include "recorded/layout.h"

#include <stdbool.h>

/* Room for the list of segments. False: there is no memory, and nothing can be added. */
bool loupe_events_init(struct loupe_record_header *header);

/* What does not fit is left out, for which the header's count goes up. stack is not 0. */
void loupe_events_add(struct loupe_record_header *header, uint64_t object,
                      enum loupe_record_event_kind kind, uint32_t stack);

#endif
