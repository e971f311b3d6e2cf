#include "leaks/memory_owners.h"

#include "leaks/heap_graph.h"
#include "snapshot/native.h"
#include "snapshot/values/native_names.h"

#include <string.h>

/* What stands in `of`: a node or a root, and whether other memory is in between. */
#define IS_ROOT  0x80000000u
#define BETWEEN  0x40000000u
#define NUMBER   0x3fffffffu
#define NO_OWNER UINT32_MAX

struct search {
    const struct loupe_snapshot *snapshot;
    uint32_t *of, *queue;
    uint32_t head, tail;
};

void loupe_memory_owners_init(struct loupe_memory_owners *owners,
                              const struct loupe_snapshot *snapshot,
                              const struct loupe_chunk_ops *chunks) {
    *owners = (struct loupe_memory_owners){.snapshot = snapshot, .chunks = chunks};
}

void loupe_memory_owners_deinit(struct loupe_memory_owners *owners) {
    loupe_numbers_put(owners->chunks, &owners->of, owners->snapshot->columns.nodes);
}

static bool is_free(const struct search *search, uint32_t node) {
    return search->of[node] == NO_OWNER && loupe_native_is_memory(search->snapshot, node);
}

static void claim(struct search *search, uint32_t node, uint32_t by) {
    if (!is_free(search, node))
        return;
    search->of[node] = by;
    search->queue[search->tail++] = node;
}

/* ---- Who claims ---- */

static bool is_data(const struct loupe_snapshot *snapshot, uint32_t root) {
    return snapshot->roots[root].kind == LOUPE_ROOT_GLOBAL ||
           snapshot->roots[root].kind == LOUPE_ROOT_THREAD_LOCAL;
}

static void claim_from_roots(struct search *search, bool of_data) {
    const struct loupe_snapshot *snapshot = search->snapshot;
    uint32_t count = snapshot->columns.root_count;
    for (uint32_t root = 0; root < count && !loupe_is_stopped(snapshot->columns.stop); root++) {
        bool fits = root < NUMBER; /* memory of another has no name, as where there is no room */
        if (fits && is_data(snapshot, root) == of_data)
            claim(search, snapshot->roots[root].node, IS_ROOT | root);
    }
}

static bool may_own(const struct loupe_columns *columns, uint32_t link) {
    return loupe_link_counts(columns, link, LOUPE_ALL_LINKS & ~(1u << LOUPE_LINK_WEAK));
}

/* The runtime describes it, or it is an ivar that is a pointer of C. */
static bool is_named(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t link) {
    return loupe_native_label(snapshot, link) || loupe_native_pointer(snapshot, node, link);
}

static void claim_from_objects(struct search *search, bool is_described) {
    const struct loupe_columns *columns = &search->snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        if (loupe_native_is_memory(search->snapshot, node))
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            uint32_t to = loupe_link_target(columns, link);
            if (is_free(search, to) && may_own(columns, link) &&
                is_named(search->snapshot, node, link) == is_described)
                claim(search, to, node);
        }
    }
}

/* From memory that has an owner to memory that has none. */
static void spread(struct search *search) {
    const struct loupe_columns *columns = &search->snapshot->columns;
    while (search->head < search->tail && !loupe_is_stopped(columns->stop)) {
        uint32_t node = search->queue[search->head++];
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (may_own(columns, link))
                claim(search, loupe_link_target(columns, link), search->of[node] | BETWEEN);
        }
    }
}

static void search_all(struct search *search) {
    memset(search->of, 0xff, search->snapshot->columns.nodes * sizeof(*search->of));
    claim_from_objects(search, true);
    claim_from_roots(search, true);
    claim_from_objects(search, false);
    spread(search);
    claim_from_roots(search, false);
    spread(search);
}

/* ---- Asking ---- */

static void find_all(struct loupe_memory_owners *owners) {
    uint32_t nodes = owners->snapshot->columns.nodes;
    struct search search = {.snapshot = owners->snapshot,
                            .of = loupe_numbers_get(owners->chunks, nodes),
                            .queue = loupe_numbers_get(owners->chunks, nodes)};
    bool has_room = search.of && search.queue;
    owners->is_searched = true;
    if (has_room)
        search_all(&search);
    if (has_room && !loupe_is_stopped(owners->snapshot->columns.stop))
        owners->of = search.of;
    else
        loupe_numbers_put(owners->chunks, &search.of, nodes);
    loupe_numbers_put(owners->chunks, &search.queue, nodes);
}

static uint32_t link_between(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t to) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t other = LOUPE_NO_EDGE;
    for (uint32_t link = columns->first[from]; link < columns->first[from + 1]; link++) {
        if (loupe_link_target(columns, link) != to || !may_own(columns, link))
            continue;
        if (is_named(snapshot, from, link))
            return link;
        other = other == LOUPE_NO_EDGE ? link : other;
    }
    return other;
}

bool loupe_memory_owner_find(struct loupe_memory_owners *owners, uint32_t node,
                             struct loupe_memory_owner *ret) {
    if (!owners->snapshot->native || !loupe_native_is_memory(owners->snapshot, node))
        return false;
    if (!owners->is_searched)
        find_all(owners);
    uint32_t of = owners->of ? owners->of[node] : NO_OWNER;
    if (of == NO_OWNER)
        return false;
    *ret = (struct loupe_memory_owner){
        .root = LOUPE_NONE, .object = LOUPE_NO_NODE, .link = LOUPE_NO_EDGE};
    if (of & IS_ROOT) {
        ret->root = of & NUMBER;
        return true;
    }
    ret->object = of & NUMBER;
    if (!(of & BETWEEN))
        ret->link = link_between(owners->snapshot, ret->object, node);
    return true;
}
