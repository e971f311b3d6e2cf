#include "edges/facts.h"

const struct loupe_facts loupe_no_facts = {.references = {.count = 0}};

/* ---- Taking ---- */

static enum loupe_status add_fact(struct loupe_facts *facts, const struct loupe_fact *fact) {
    uint32_t number = facts->references.count, last;
    if (number >= LOUPE_MAX_ARGUMENTS)
        return LOUPE_ELIMIT;
    struct loupe_known_fact *place = loupe_vector_add(&facts->references);
    if (!place)
        return LOUPE_ENOMEM;
    *place = (struct loupe_known_fact){.fact = *fact, .next = LOUPE_NO_FACT};
    if (loupe_map_find(&facts->last, fact->source, &last)) {
        struct loupe_known_fact *before =
            loupe_vector_at(&facts->references, last, sizeof(*before));
        before->next = number;
    } else if (loupe_map_put(&facts->first, fact->source, number)) {
        return LOUPE_ENOMEM;
    }
    return loupe_map_put(&facts->last, fact->source, number);
}

static enum loupe_status add_read(struct loupe_facts *facts, loupe_addr address) {
    return facts->read.count < LOUPE_MAX_ARGUMENTS ? loupe_map_put(&facts->read, address, 0)
                                                   : LOUPE_ELIMIT;
}

void loupe_facts_init(struct loupe_facts *facts, const struct loupe_chunk_ops *arena_chunks) {
    loupe_vector_init(&facts->references, arena_chunks, sizeof(struct loupe_known_fact));
    loupe_map_init(&facts->first, arena_chunks);
    loupe_map_init(&facts->last, arena_chunks);
    loupe_map_init(&facts->read, arena_chunks);
}

enum loupe_status loupe_facts_add(struct loupe_facts *facts, const struct loupe_request *request) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < request->fact_count; i++)
        status = add_fact(facts, &request->facts[i]);
    for (uint32_t i = 0; !status && i < request->read_count; i++)
        status = add_read(facts, request->read[i]);
    return status;
}

/* ---- Looking ---- */

uint32_t loupe_facts_first(const struct loupe_facts *facts, loupe_addr source) {
    uint32_t number;
    return loupe_map_find(&facts->first, source, &number) ? number : LOUPE_NO_FACT;
}

const struct loupe_known_fact *loupe_facts_at(const struct loupe_facts *facts, uint32_t number) {
    return loupe_vector_at(&facts->references, number, sizeof(struct loupe_known_fact));
}

bool loupe_facts_have_read(const struct loupe_facts *facts, loupe_addr address) {
    uint32_t ignored;
    return loupe_map_find(&facts->read, address, &ignored);
}
