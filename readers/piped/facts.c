/* facts.c - requests and their replies, in a table with open addressing. */
#include "piped/facts.h"

#include "base/fnv.h"
#include "base/map.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST = 256, MOST = 1 << 16, MOST_BYTES = 32 << 20 }; /* beyond it is asked for again */

/* Where the request stands, or where it would. The table has room. */
static struct loupe_wire_fact *place_of(const struct loupe_wire_facts *facts, uint32_t kind,
                                        struct loupe_span request) {
    uint64_t hash = loupe_fnv_bytes(LOUPE_FNV_BASIS ^ kind, request.bytes, request.length);
    for (uint64_t at = loupe_hash(hash);; at++) {
        struct loupe_wire_fact *fact = &facts->slots[at & (facts->capacity - 1)];
        if (!fact->bytes ||
            (fact->kind == kind && fact->request == request.length &&
             (!request.length || memcmp(fact->bytes, request.bytes, request.length) == 0)))
            return fact;
    }
}

static struct loupe_span request_of(const struct loupe_wire_fact *fact) {
    return (struct loupe_span){(const char *)fact->bytes, fact->request};
}

static struct loupe_span reply_of(const struct loupe_wire_fact *fact) {
    return (struct loupe_span){(const char *)fact->bytes + fact->request, fact->reply};
}

/* A third of the table stays empty. */
static bool make_room(struct loupe_wire_facts *facts) {
    if (facts->count + facts->count / 2 < facts->capacity)
        return true;
    struct loupe_wire_facts grown = *facts;
    grown.capacity = facts->capacity ? 2 * facts->capacity : LEAST;
    grown.slots = grown.capacity <= MOST ? calloc(grown.capacity, sizeof(*grown.slots)) : NULL;
    if (!grown.slots)
        return false;
    for (size_t i = 0; i < facts->capacity; i++) {
        const struct loupe_wire_fact *fact = &facts->slots[i];
        if (fact->bytes)
            *place_of(&grown, fact->kind, request_of(fact)) = *fact;
    }
    free(facts->slots);
    *facts = grown;
    return true;
}

void loupe_wire_facts_keep(struct loupe_wire_facts *facts, uint32_t kind, struct loupe_span request,
                           struct loupe_span reply) {
    size_t size = request.length + reply.length;
    if (size > MOST_BYTES - facts->bytes || !make_room(facts))
        return;
    struct loupe_wire_fact *fact = place_of(facts, kind, request);
    uint8_t *bytes = fact->bytes ? NULL : malloc(size + 1);
    if (!bytes)
        return;
    *fact = (struct loupe_wire_fact){kind, bytes, request.length, reply.length};
    if (request.length)
        memcpy(bytes, request.bytes, request.length);
    if (reply.length)
        memcpy(bytes + request.length, reply.bytes, reply.length);
    facts->count++;
    facts->bytes += size;
}

bool loupe_wire_facts_find(const struct loupe_wire_facts *facts, uint32_t kind,
                           struct loupe_span request, struct loupe_span *reply_ret) {
    const struct loupe_wire_fact *fact =
        facts->count ? place_of(facts, kind, request) : &(struct loupe_wire_fact){.bytes = NULL};
    if (!fact->bytes)
        return false;
    *reply_ret = reply_of(fact);
    return true;
}

void loupe_wire_facts_forget(struct loupe_wire_facts *facts) {
    for (size_t i = 0; i < facts->capacity; i++)
        free(facts->slots[i].bytes);
    free(facts->slots);
    *facts = (struct loupe_wire_facts){.slots = NULL};
}
