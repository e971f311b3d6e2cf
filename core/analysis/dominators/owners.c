#include "analysis/dominators/owners.h"

#include "base/sort.h"

enum { MOST_PERCENT = 70 /* of what a node keeps: an object below that keeps so much is meant */ };

struct total {
    uint64_t count, bytes;
};

struct search {
    const struct loupe_columns *columns;
    const struct loupe_dominators *dominators;
    const struct loupe_owner_options *options;
    const struct loupe_chunk_ops *chunks;
    struct loupe_dominated below;
    struct total *totals;           /* by class: zero between two uses */
    struct loupe_vector stack, met; /* of uint32_t: nodes that are left; classes with totals */
    struct loupe_vector *owners;
};

static uint32_t number_at(const struct loupe_vector *numbers, uint32_t place) {
    return *(const uint32_t *)loupe_vector_at(numbers, place, sizeof(uint32_t));
}

static bool push(struct loupe_vector *numbers, uint32_t number) {
    uint32_t *added = loupe_vector_add(numbers);
    if (added)
        *added = number;
    return added;
}

static uint32_t class_of(const struct search *search, uint32_t node) {
    uint32_t cls = search->options->classes[node];
    return search->options->namesakes ? search->options->namesakes[cls] : cls;
}

/* ---- Totals of classes ---- */

static bool count_node(struct search *search, uint32_t node) {
    uint32_t cls = class_of(search, node);
    struct total *total = &search->totals[cls];
    if (!total->count && !push(&search->met, cls))
        return false;
    total->count++;
    total->bytes += search->dominators->retained[node];
    return true;
}

/* The class with the most bytes, and forgets all of them. LOUPE_NO_NODE: none was counted. */
static uint32_t take_largest(struct search *search, struct total *ret) {
    uint32_t largest = LOUPE_NO_NODE;
    *ret = (struct total){0};
    for (uint32_t i = 0; i < search->met.count; i++) {
        uint32_t cls = number_at(&search->met, i);
        struct total *total = &search->totals[cls];
        if (largest == LOUPE_NO_NODE || total->bytes > ret->bytes ||
            (total->bytes == ret->bytes && cls < largest)) {
            *ret = *total;
            largest = cls;
        }
        *total = (struct total){0};
    }
    search->met.count = 0;
    return largest;
}

/* ---- What is accumulated ---- */

static bool push_below(struct search *search, uint32_t node) {
    for (uint32_t i = search->below.first[node]; i < search->below.first[node + 1]; i++) {
        if (!push(&search->stack, search->below.of[i]))
            return false;
    }
    return true;
}

/* Behind what collections put between. */
static bool count_held(struct search *search, uint32_t top, bool looks_behind) {
    search->stack.count = 0;
    if (!push_below(search, top))
        return false;
    while (search->stack.count) {
        uint32_t node = number_at(&search->stack, --search->stack.count);
        bool is_between = looks_behind &&
                          loupe_is_marked(search->options->between, search->options->classes[node]);
        if (!(is_between ? push_below(search, node) : count_node(search, node)))
            return false;
    }
    return true;
}

/* The link of a list after another, which it keeps; LOUPE_NO_NODE: there is none. */
static uint32_t next_in_list(const struct search *search, uint32_t node) {
    for (uint32_t i = search->below.first[node]; i < search->below.first[node + 1]; i++) {
        if (class_of(search, search->below.of[i]) == class_of(search, node))
            return search->below.of[i];
    }
    return LOUPE_NO_NODE;
}

/* Of a list whose links are objects of the program. */
static bool find_list(const struct search *search, struct loupe_owner *owner) {
    const uint64_t *retained = search->dominators->retained;
    uint32_t first = owner->accumulation, next = next_in_list(search, first);
    if (next == LOUPE_NO_NODE || retained[next] < retained[first] / 100 * MOST_PERCENT ||
        loupe_is_marked(search->options->between, search->options->classes[first]))
        return false;
    owner->held_class = class_of(search, first);
    owner->held_bytes = retained[first];
    for (uint32_t node = first; node != LOUPE_NO_NODE; node = next_in_list(search, node))
        owner->held_count++;
    return true;
}

static enum loupe_status find_held(struct search *search, struct loupe_owner *owner) {
    struct total total;
    if (find_list(search, owner))
        return LOUPE_OK;
    for (int looks_behind = 1; looks_behind >= 0; looks_behind--) {
        if (!count_held(search, owner->accumulation, looks_behind))
            return LOUPE_ENOMEM;
        owner->held_class = take_largest(search, &total);
        if (owner->held_class != LOUPE_NO_NODE)
            break;
    }
    owner->held_count = total.count;
    owner->held_bytes = total.bytes;
    return LOUPE_OK;
}

/* The one below that keeps most of it; LOUPE_NO_NODE: it spreads here. A list, whose links each
 * keep the rest of it, spreads at its beginning. */
static uint32_t step_down(const struct search *search, uint32_t node) {
    uint64_t least = search->dominators->retained[node] / 100 * MOST_PERCENT;
    for (uint32_t i = search->below.first[node]; i < search->below.first[node + 1]; i++) {
        uint32_t below = search->below.of[i];
        if (search->dominators->retained[below] >= least)
            return class_of(search, below) == class_of(search, node) ? LOUPE_NO_NODE : below;
    }
    return LOUPE_NO_NODE;
}

/* Not below the last object that is the program's own: a table is part of its collection. */
static uint32_t find_accumulation(const struct search *search, uint32_t node) {
    for (uint32_t next; (next = step_down(search, node)) != LOUPE_NO_NODE &&
                        search->below.first[next] != search->below.first[next + 1];)
        node = next;
    return node;
}

/* ---- Owners ---- */

static bool is_top(const struct search *search, uint32_t node) {
    return search->dominators->immediate[node] == search->dominators->nodes;
}

static enum loupe_status add_owner(struct search *search, struct loupe_owner owner, bool is_group) {
    owner.accumulation = is_group ? owner.node : find_accumulation(search, owner.node);
    enum loupe_status status = is_group ? LOUPE_OK : find_held(search, &owner);
    struct loupe_owner *added = status ? NULL : loupe_vector_add(search->owners);
    if (!status && !added)
        return LOUPE_ENOMEM;
    if (added)
        *added = owner;
    return status;
}

static enum loupe_status add_single(struct search *search) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; !status && node < search->dominators->nodes; node++) {
        uint64_t retained = search->dominators->retained[node];
        if (is_top(search, node) && retained >= search->options->least)
            status = add_owner(search,
                               (struct loupe_owner){.node = node, .count = 1, .retained = retained},
                               false);
    }
    return status;
}

/* All that are at the top and no owners themselves, by class. */
static enum loupe_status add_groups(struct search *search) {
    const struct loupe_dominators *dominators = search->dominators;
    struct loupe_owner *groups = loupe_chunk_get(
        search->chunks, ((size_t)search->options->class_count + 1) * sizeof(*groups));
    enum loupe_status status = groups ? LOUPE_OK : LOUPE_ENOMEM;
    for (uint32_t i = 0; groups && i < search->options->class_count; i++)
        groups[i] = (struct loupe_owner){.node = LOUPE_NO_NODE, .held_class = i};
    for (uint32_t node = 0; groups && node < dominators->nodes; node++) {
        struct loupe_owner *group = &groups[class_of(search, node)];
        if (!is_top(search, node) || dominators->retained[node] >= search->options->least)
            continue;
        if (group->node == LOUPE_NO_NODE ||
            dominators->retained[node] > dominators->retained[group->node])
            group->node = node;
        group->count++;
        group->retained += dominators->retained[node];
    }
    for (uint32_t i = 0; !status && i < search->options->class_count; i++) {
        groups[i].held_count = groups[i].count;
        groups[i].held_bytes = groups[i].retained;
        if (groups[i].count > 1 && groups[i].retained >= search->options->least &&
            !loupe_is_marked(search->options->between, i))
            status = add_owner(search, groups[i], true);
    }
    loupe_chunk_put(search->chunks, groups,
                    ((size_t)search->options->class_count + 1) * sizeof(*groups));
    return status;
}

static bool keeps_more(const void *ctx, const void *a, const void *b) {
    const struct loupe_owner *one = a, *other = b;
    (void)ctx;
    return one->retained != other->retained ? one->retained > other->retained
                                            : one->node < other->node;
}

static enum loupe_status find(struct search *search) {
    enum loupe_status status = add_single(search);
    if (!status)
        status = add_groups(search);
    if (!status)
        loupe_vector_sort(search->owners, keeps_more, NULL);
    return status;
}

enum loupe_status loupe_owners_find(const struct loupe_columns *columns,
                                    const struct loupe_dominators *dominators,
                                    const struct loupe_owner_options *options,
                                    const struct loupe_chunk_ops *chunks,
                                    struct loupe_vector *owners) {
    struct search search = {.columns = columns,
                            .dominators = dominators,
                            .options = options,
                            .chunks = chunks,
                            .owners = owners};
    size_t room = ((size_t)options->class_count + 1) * sizeof(*search.totals);
    enum loupe_status status = loupe_dominated_find(dominators, chunks, &search.below);
    if (status)
        return status;
    loupe_vector_init(&search.stack, chunks, sizeof(uint32_t));
    loupe_vector_init(&search.met, chunks, sizeof(uint32_t));
    search.totals = loupe_chunk_get(chunks, room);
    status = search.totals ? LOUPE_OK : LOUPE_ENOMEM;
    for (uint32_t i = 0; !status && i < options->class_count; i++)
        search.totals[i] = (struct total){0};
    if (!status)
        status = find(&search);
    loupe_chunk_put(chunks, search.totals, room);
    loupe_vector_deinit(&search.stack);
    loupe_vector_deinit(&search.met);
    loupe_dominated_deinit(&search.below);
    return status;
}
