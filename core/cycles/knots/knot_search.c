#include "cycles/knots/knot_search.h"

/*
 * The queue has room for every search with a limit of its own (rings.h), and is a 64th of the
 * nodes: little memory, and at most 64 knots are larger.
 */
enum { MIN_BUFFER = 4352, BUFFER_PART = 64 };

#define FIRST_MEMBER 0x80000000u

enum loupe_status loupe_search_init(struct loupe_search *search, struct loupe_knots *knots) {
    uint32_t part = knots->capacity / BUFFER_PART;
    uint32_t size = part > MIN_BUFFER ? part : MIN_BUFFER;
    uint32_t *buffer = loupe_chunk_get(knots->chunks, size * sizeof(uint32_t));
    if (!buffer)
        return LOUPE_ENOMEM;
    *search = (struct loupe_search){
        .knots = knots, .graph = knots->graph, .buffer = buffer, .buffer_size = size};
    return LOUPE_OK;
}

void loupe_search_deinit(struct loupe_search *search) {
    loupe_chunk_put(search->knots->chunks, search->buffer, search->buffer_size * sizeof(uint32_t));
    search->buffer = NULL;
}

void loupe_search_begin(struct loupe_search *search, const struct loupe_knot *knot,
                        uint32_t visits) {
    search->knot = *knot;
    search->lowest = loupe_knot_member(search->knots, knot, 0);
    search->highest = loupe_knot_member(search->knots, knot, knot->count - 1);
    bool fits = visits <= search->buffer_size || knot->count <= search->buffer_size;
    search->queue = fits ? search->buffer : search->knots->members + knot->first;
}

/* Finds the members by looking at all nodes between the first and the last. */
static void rewrite_members(struct loupe_search *search) {
    struct loupe_knots *knots = search->knots;
    uint32_t *place = knots->members + search->knot.first;
    for (uint32_t node = search->lowest; node <= search->highest; node++) {
        uint32_t *state = loupe_search_state(search, node);
        if (*state == search->knot.number || (*state & LOUPE_MARKED)) {
            *state = search->knot.number;
            *place++ = node;
        }
    }
    knots->members[search->knot.first] |= FIRST_MEMBER;
}

void loupe_search_end(struct loupe_search *search, uint32_t marked) {
    if (search->queue != search->buffer) {
        rewrite_members(search);
    } else if (marked == LOUPE_ALL_MEMBERS) {
        for (uint32_t i = 0; i < search->knot.count; i++)
            *loupe_search_state(search, loupe_knot_member(search->knots, &search->knot, i)) =
                search->knot.number;
    } else {
        for (uint32_t i = 0; i < marked; i++)
            *loupe_search_state(search, search->queue[i]) = search->knot.number;
    }
}
