#include "edges/given.h"

const struct loupe_given loupe_nothing_given = {.references = {.count = 0}};

/* ---- Taking ---- */

static enum loupe_status add_fact(struct loupe_given *given, const struct loupe_fact *fact) {
    uint32_t number = given->references.count, last;
    if (number >= LOUPE_MAX_ARGUMENTS)
        return LOUPE_ELIMIT;
    struct loupe_given_reference *place = loupe_vector_add(&given->references);
    if (!place)
        return LOUPE_ENOMEM;
    *place = (struct loupe_given_reference){.fact = *fact, .next = LOUPE_NO_GIVEN};
    if (loupe_map_find(&given->last, fact->source, &last)) {
        struct loupe_given_reference *before =
            loupe_vector_at(&given->references, last, sizeof(*before));
        before->next = number;
    } else if (loupe_map_put(&given->first, fact->source, number)) {
        return LOUPE_ENOMEM;
    }
    return loupe_map_put(&given->last, fact->source, number);
}

static enum loupe_status add_read(struct loupe_given *given, loupe_addr address) {
    return given->read.count < LOUPE_MAX_ARGUMENTS ? loupe_map_put(&given->read, address, 0)
                                                   : LOUPE_ELIMIT;
}

void loupe_given_init(struct loupe_given *given, const struct loupe_chunk_ops *lasting) {
    *given = (struct loupe_given){.list = 0};
    loupe_vector_init(&given->references, lasting, sizeof(struct loupe_given_reference));
    loupe_map_init(&given->first, lasting);
    loupe_map_init(&given->last, lasting);
    loupe_map_init(&given->read, lasting);
}

enum loupe_status loupe_given_add(struct loupe_given *given, const struct loupe_request *request) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < request->fact_count; i++)
        status = add_fact(given, &request->facts[i]);
    for (uint32_t i = 0; !status && i < request->read_count; i++)
        status = add_read(given, request->read[i]);
    given->list = request->listed;
    return status;
}

/* ---- Looking ---- */

uint32_t loupe_given_first(const struct loupe_given *given, loupe_addr source) {
    uint32_t number;
    return loupe_map_find(&given->first, source, &number) ? number : LOUPE_NO_GIVEN;
}

const struct loupe_given_reference *loupe_given_at(const struct loupe_given *given,
                                                   uint32_t number) {
    return loupe_vector_at(&given->references, number, sizeof(struct loupe_given_reference));
}

bool loupe_given_was_read(const struct loupe_given *given, loupe_addr address) {
    uint32_t ignored;
    return loupe_map_find(&given->read, address, &ignored);
}
