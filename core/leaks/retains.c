#include "leaks/retains.h"

#include <string.h>

bool loupe_root_may_be_stale(const struct loupe_snapshot_root *root) {
    return root->kind == LOUPE_HEAP_ROOT_STACK || root->kind == LOUPE_HEAP_ROOT_REGISTER;
}

/* ---- Counting ---- */

static void add(uint32_t *number, uint32_t more) {
    *number = *number > UINT32_MAX - more ? UINT32_MAX : *number + more;
}

static void count_link(const struct loupe_snapshot *snapshot, const uint8_t *kinds, uint32_t from,
                       uint32_t link, struct loupe_node_owners *owners) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint8_t kind = kinds[link];
    uint8_t of_snapshot = columns->kinds ? columns->kinds[link] : LOUPE_LINK_STRONG;
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    uint8_t flags = label ? label->flags : 0;
    struct loupe_node_owners *to = &owners[columns->to[link]];
    if (kind == LOUPE_LINK_STRONG || kind == LOUPE_LINK_ASSUMED) {
        if (flags & LOUPE_LABEL_SHARED)
            return;
        add(&to->possible, 1);
        if (kind == LOUPE_LINK_STRONG)
            add(&to->certain, 1);
    } else if (kind == LOUPE_LINK_UNOWNED && of_snapshot != LOUPE_LINK_UNOWNED) {
        add(&to->disowned, 1);
    } else if (kind != LOUPE_LINK_WEAK && kind != LOUPE_LINK_CLASS && columns->to[link] != from) {
        add(&to->words, 1);
    }
}

static void count_root(const struct loupe_snapshot *snapshot, uint32_t root,
                       struct loupe_node_owners *owners) {
    const struct loupe_snapshot_root *place = &snapshot->roots[root];
    struct loupe_node_owners *to = &owners[place->node];
    uint32_t retains = snapshot->native->root_places[root].retains;
    if (retains) {
        add(&to->certain, retains);
        add(&to->possible, retains);
        return;
    }
    add(&to->words, 1);
    if (loupe_root_may_be_stale(place))
        add(&to->stack_words, 1);
    else
        add(&to->root_words, 1);
}

static size_t owners_bytes(const struct loupe_snapshot *snapshot) {
    return ((size_t)snapshot->columns.nodes + 1) * sizeof(struct loupe_node_owners);
}

enum loupe_status loupe_retains_find(const struct loupe_snapshot *snapshot, const uint8_t *kinds,
                                     const struct loupe_chunk_ops *chunks,
                                     struct loupe_retains *ret) {
    const struct loupe_columns *columns = &snapshot->columns;
    struct loupe_node_owners *owners = loupe_chunk_get(chunks, owners_bytes(snapshot));
    if (!owners)
        return LOUPE_ENOMEM;
    memset(owners, 0, owners_bytes(snapshot));
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++)
            count_link(snapshot, kinds, node, link, owners);
    }
    for (uint32_t root = 0; root < columns->root_count; root++)
        count_root(snapshot, root, owners);
    *ret = (struct loupe_retains){.snapshot = snapshot, .chunks = chunks, .owners = owners};
    enum loupe_status status = loupe_columns_status(columns, true);
    if (status)
        loupe_retains_deinit(ret);
    return status;
}

void loupe_retains_deinit(struct loupe_retains *retains) {
    loupe_chunk_put(retains->chunks, retains->owners, owners_bytes(retains->snapshot));
    retains->owners = NULL;
}

/* ---- Weighing ---- */

/* The retains of a node whose count can be trusted: it lives, and where is certain. */
static bool counts_retains(const struct loupe_retains *retains, uint32_t node, uint64_t *ret) {
    uint8_t marks = retains->snapshot->native->marks[node];
    return !(marks & (LOUPE_NODE_GUESSED | LOUPE_NODE_DYING | LOUPE_NODE_OUTSIDE)) &&
           loupe_native_retain_count(retains->snapshot, node, ret) == LOUPE_COUNT_KNOWN;
}

static uint64_t missing(const struct loupe_retains *retains, uint32_t node, uint64_t explained) {
    uint64_t count;
    return counts_retains(retains, node, &count) && count > explained ? count - explained : 0;
}

uint64_t loupe_retains_missing(const struct loupe_retains *retains, uint32_t node) {
    const struct loupe_node_owners *owners = &retains->owners[node];
    return missing(retains, node, (uint64_t)owners->possible + owners->words + owners->disowned);
}

uint64_t loupe_retains_missing_of_lost(const struct loupe_retains *retains, uint32_t node) {
    const struct loupe_node_owners *owners = &retains->owners[node];
    return missing(retains, node, (uint64_t)owners->possible + owners->words);
}

uint64_t loupe_retains_excess(const struct loupe_retains *retains, uint32_t node) {
    uint64_t count, owners = retains->owners[node].certain;
    return counts_retains(retains, node, &count) && owners > count ? owners - count : 0;
}

void loupe_retains_verdict(const struct loupe_retains *retains, uint32_t node,
                           struct loupe_object_verdict *ret) {
    const struct loupe_node_owners *owners = &retains->owners[node];
    struct loupe_object_evidence evidence = {
        .searched = !loupe_snapshot_is_incomplete(retains->snapshot),
        .other_words = owners->words + owners->disowned - owners->stack_words - owners->root_words,
        .searched_bytes = retains->snapshot->bytes};
    struct loupe_incoming incoming = {.edges_found = owners->possible,
                                      .assumed = owners->possible - owners->certain};
    incoming.words[LOUPE_ROOT_STACK] = owners->stack_words;
    incoming.words[LOUPE_ROOT_DATA] = owners->root_words;
    evidence.known = loupe_native_retain_count(retains->snapshot, node, &evidence.retains);
    loupe_object_verdict_find(NULL, &incoming, &evidence, ret);
}
