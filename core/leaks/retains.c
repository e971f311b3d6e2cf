#include "leaks/retains.h"

#include "snapshot/without_stacks.h"

#include <string.h>

/* ---- Counting: most nodes have few owners, so that a byte is enough for each number ---- */

/* As struct loupe_node_owners; words == MANY: they are in the table. */
struct loupe_few_owners {
    uint8_t certain, possible, words, ruled_out, stack_words, root_words;
};
enum { MANY = UINT8_MAX };

static struct loupe_node_owners *many_at(const struct loupe_retains *retains, uint32_t node) {
    uint32_t place = 0;
    loupe_map_find(&retains->places, node, &place);
    return loupe_vector_at(&retains->many, place, sizeof(struct loupe_node_owners));
}

struct loupe_node_owners loupe_retains_owners(const struct loupe_retains *retains, uint32_t node) {
    const struct loupe_few_owners *few = &retains->few[node];
    if (few->words == MANY)
        return *many_at(retains, node);
    return (struct loupe_node_owners){.certain = few->certain,
                                      .possible = few->possible,
                                      .words = few->words,
                                      .ruled_out = few->ruled_out,
                                      .stack_words = few->stack_words,
                                      .root_words = few->root_words};
}

static bool are_few(const struct loupe_node_owners *owners) {
    return owners->certain < MANY && owners->possible < MANY && owners->words < MANY &&
           owners->ruled_out < MANY;
}

static void add_number(uint32_t *number, uint32_t more) {
    *number = *number > UINT32_MAX - more ? UINT32_MAX : *number + more;
}

/* To a node that has many, or may get many by it. */
static enum loupe_status add_to_many(struct loupe_retains *retains, uint32_t node,
                                     const struct loupe_node_owners *more) {
    struct loupe_few_owners *few = &retains->few[node];
    struct loupe_node_owners sum = loupe_retains_owners(retains, node);
    add_number(&sum.certain, more->certain);
    add_number(&sum.possible, more->possible);
    add_number(&sum.words, more->words);
    add_number(&sum.ruled_out, more->ruled_out);
    add_number(&sum.stack_words, more->stack_words);
    add_number(&sum.root_words, more->root_words);
    if (few->words != MANY && are_few(&sum)) {
        *few = (struct loupe_few_owners){(uint8_t)sum.certain,     (uint8_t)sum.possible,
                                         (uint8_t)sum.words,       (uint8_t)sum.ruled_out,
                                         (uint8_t)sum.stack_words, (uint8_t)sum.root_words};
        return LOUPE_OK;
    }
    if (few->words != MANY) {
        if (!loupe_vector_add(&retains->many) ||
            loupe_map_put(&retains->places, node, retains->many.count - 1))
            return LOUPE_ENOMEM;
        few->words = MANY;
    }
    *many_at(retains, node) = sum;
    return LOUPE_OK;
}

/* Classes that are there to know an object without retaining it. To add one, add a line. */
static const char *const bystanders[] = {"GSNonretainedObjectValue"};

static bool is_of_bystander(const struct loupe_snapshot *snapshot,
                            const struct loupe_label *label) {
    struct loupe_span declared_by = loupe_snapshot_string(snapshot, label->declared_by);
    for (size_t i = 0; i < sizeof(bystanders) / sizeof(bystanders[0]); i++) {
        if (loupe_span_equals(declared_by, bystanders[i]))
            return true;
    }
    return false;
}

/* The runtime itself says so of its associations; what another ivar does not retain, code may. */
static bool owns_nothing(const struct loupe_snapshot *snapshot, uint32_t link, uint8_t kind) {
    const struct loupe_label *label =
        kind == LOUPE_LINK_UNOWNED ? loupe_native_label(snapshot, link) : NULL;
    return label && (label->kind == LOUPE_EDGE_ASSOCIATION || is_of_bystander(snapshot, label));
}

/* A word that was counted whatever it leads to: a shared_ptr, a reference of Swift. */
static bool is_counted(const struct loupe_snapshot *snapshot, uint32_t link, uint8_t kind) {
    return kind == LOUPE_LINK_CONSERVATIVE && loupe_native_label(snapshot, link) != NULL;
}

static enum loupe_status count_link(struct loupe_retains *retains, uint32_t from, uint32_t link) {
    const struct loupe_snapshot *snapshot = retains->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    uint8_t kind = retains->kinds[link];
    uint32_t to = columns->to[link];
    struct loupe_few_owners *few = &retains->few[to];
    bool owns = kind == LOUPE_LINK_STRONG || kind == LOUPE_LINK_ASSUMED;
    if (owns) {
        const struct loupe_label *label = loupe_native_label(snapshot, link);
        if (label && label->flags & LOUPE_LABEL_SHARED)
            return LOUPE_OK;
    } else if (kind == LOUPE_LINK_WEAK || kind == LOUPE_LINK_CLASS ||
               (to == from && !is_counted(snapshot, link, kind)) ||
               owns_nothing(snapshot, link, kind)) {
        return LOUPE_OK;
    } else if (kind == LOUPE_LINK_UNOWNED) {
        return add_to_many(retains, to, &(struct loupe_node_owners){.ruled_out = 1});
    }
    if (few->words >= MANY - 1 || few->possible >= MANY - 1)
        return add_to_many(retains, to,
                           &(struct loupe_node_owners){.certain = kind == LOUPE_LINK_STRONG,
                                                       .possible = owns,
                                                       .words = !owns});
    few->certain = (uint8_t)(few->certain + (kind == LOUPE_LINK_STRONG));
    few->possible = (uint8_t)(few->possible + owns);
    few->words = (uint8_t)(few->words + !owns);
    return LOUPE_OK;
}

static enum loupe_status count_root(struct loupe_retains *retains, uint32_t root) {
    const struct loupe_snapshot_root *place = &retains->snapshot->roots[root];
    uint32_t owned = retains->snapshot->native->root_places[root].retains;
    bool stale = loupe_root_may_be_stale(place);
    struct loupe_node_owners more = {.certain = owned, .possible = owned};
    if (!owned)
        more = (struct loupe_node_owners){.words = 1, .stack_words = stale, .root_words = !stale};
    return add_to_many(retains, place->node, &more);
}

static enum loupe_status count_all(struct loupe_retains *retains) {
    const struct loupe_columns *columns = &retains->snapshot->columns;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; !status && node < columns->nodes; node++) {
        if (loupe_is_stopped(columns->stop))
            break;
        for (uint32_t link = columns->first[node]; !status && link < columns->first[node + 1];
             link++)
            status = count_link(retains, node, link);
    }
    for (uint32_t root = 0; !status && root < columns->root_count; root++)
        status = count_root(retains, root);
    return status ? status : loupe_columns_status(columns, true);
}

static size_t few_bytes(const struct loupe_snapshot *snapshot) {
    return ((size_t)snapshot->columns.nodes + 1) * sizeof(struct loupe_few_owners);
}

enum loupe_status loupe_retains_find(const struct loupe_snapshot *snapshot, const uint8_t *kinds,
                                     const struct loupe_chunk_ops *chunks,
                                     struct loupe_retains *ret) {
    struct loupe_retains retains = {.snapshot = snapshot, .chunks = chunks, .kinds = kinds};
    retains.few = loupe_chunk_get(chunks, few_bytes(snapshot));
    if (!retains.few)
        return LOUPE_ENOMEM;
    memset(retains.few, 0, few_bytes(snapshot));
    loupe_map_init(&retains.places, chunks);
    loupe_vector_init(&retains.many, chunks, sizeof(struct loupe_node_owners));
    enum loupe_status status = count_all(&retains);
    if (status)
        loupe_retains_deinit(&retains);
    else
        *ret = retains;
    return status;
}

void loupe_retains_deinit(struct loupe_retains *retains) {
    loupe_chunk_put(retains->chunks, retains->few, few_bytes(retains->snapshot));
    loupe_map_deinit(&retains->places);
    loupe_vector_deinit(&retains->many);
    retains->few = NULL;
}

/* ---- Weighing ---- */

/* The retains of a node whose count can be trusted: it lives, and where is certain. */
static bool counts_retains(const struct loupe_retains *retains, uint32_t node, uint64_t *ret) {
    uint8_t marks = retains->snapshot->native->marks[node];
    return !(marks & (LOUPE_NODE_GUESSED | LOUPE_NODE_DYING | LOUPE_NODE_OUTSIDE)) &&
           loupe_native_retain_count(retains->snapshot, node, ret) == LOUPE_COUNT_KNOWN;
}

static uint64_t missing(const struct loupe_retains *retains, uint32_t node, bool is_lost) {
    uint64_t count;
    if (!counts_retains(retains, node, &count))
        return 0;
    struct loupe_node_owners owners = loupe_retains_owners(retains, node);
    uint64_t explained =
        (uint64_t)owners.possible + owners.words + (is_lost ? 0 : owners.ruled_out);
    return count > explained ? count - explained : 0;
}

uint64_t loupe_retains_missing(const struct loupe_retains *retains, uint32_t node) {
    return missing(retains, node, false);
}

uint64_t loupe_retains_missing_of_lost(const struct loupe_retains *retains, uint32_t node) {
    return missing(retains, node, true);
}

uint64_t loupe_retains_excess(const struct loupe_retains *retains, uint32_t node) {
    uint64_t count;
    if (!counts_retains(retains, node, &count))
        return 0;
    uint64_t certain = loupe_retains_owners(retains, node).certain;
    return certain > count ? certain - count : 0;
}

void loupe_retains_verdict(const struct loupe_retains *retains, uint32_t node,
                           struct loupe_object_verdict *ret) {
    const struct loupe_node_owners owners = loupe_retains_owners(retains, node);
    struct loupe_object_evidence evidence = {
        .searched = !loupe_snapshot_is_incomplete(retains->snapshot),
        .other_words = owners.words + owners.ruled_out - owners.stack_words - owners.root_words,
        .searched_bytes = retains->snapshot->bytes};
    struct loupe_incoming incoming = {.edges_found = owners.possible,
                                      .assumed = owners.possible - owners.certain};
    incoming.words[LOUPE_ROOT_STACK] = owners.stack_words;
    incoming.words[LOUPE_ROOT_GLOBAL] = owners.root_words;
    evidence.known = loupe_native_retain_count(retains->snapshot, node, &evidence.retains);
    loupe_object_verdict_find(NULL, &incoming, &evidence, ret);
}
