/*
 * facts.h - what the debugger said that stays true until the process moves: where symbols, images,
 * sections and threads are. It is asked for once at a stop, by whichever question comes first.
 * Memory and registers are no such facts: somebody may write to them between two questions.
 */
#ifndef LOUPE_READERS_FACTS_H
#define LOUPE_READERS_FACTS_H

#include "base/text.h"

struct loupe_wire_fact {
    uint32_t kind;  /* enum loupe_wire_kind */
    uint8_t *bytes; /* of the request, and behind them of the reply; NULL: an empty slot */
    size_t request, reply;
};

struct loupe_wire_facts {
    struct loupe_wire_fact *slots;
    size_t capacity, count, bytes; /* capacity: 0 or a power of two */
};

/* Keeps a copy of both, if there is room; a second reply to the same request is not kept. */
void loupe_wire_facts_keep(struct loupe_wire_facts *facts, uint32_t kind, struct loupe_span request,
                           struct loupe_span reply);

/* False: nobody said. The reply lasts until all are forgotten. */
bool loupe_wire_facts_find(const struct loupe_wire_facts *facts, uint32_t kind,
                           struct loupe_span request, struct loupe_span *reply_ret);

void loupe_wire_facts_forget(struct loupe_wire_facts *facts);

#endif
