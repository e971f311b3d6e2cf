#include "snapshot/reuse.h"

#include "analysis/transposed.h"
#include "base/numbers.h"
#include "snapshot/recorded_stacks.h"

#include <string.h>

bool loupe_reuse_can_be_told(const struct loupe_snapshot *older,
                             const struct loupe_snapshot *newer) {
    return older->native && newer->native && older->native->process &&
           older->native->process == newer->native->process;
}

static bool is_object(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t kind = snapshot->class_table[snapshot->classes[node]].kind;
    bool has_identity =
        kind == LOUPE_CLASS_INSTANCES || kind == LOUPE_CLASS_BLOCKS || kind == LOUPE_CLASS_BYREFS;
    return has_identity && !(snapshot->native->marks[node] & LOUPE_NODE_OUTSIDE);
}

static bool is_guessed(const struct loupe_snapshot *snapshot, uint32_t node) {
    return snapshot->native->marks[node] & LOUPE_NODE_GUESSED;
}

/* ---- What is sure ---- */

static bool class_moved(const struct loupe_snapshot *older, uint32_t was,
                        const struct loupe_snapshot *newer, uint32_t is) {
    uint64_t before = older->native->class_places[older->classes[was]],
             now = newer->native->class_places[newer->classes[is]];
    return before && now && before != now;
}

/* Return addresses of one process, so they are compared as such. Cut stacks may go on differently.
 */
static bool stacks_differ(const struct loupe_snapshot *older, uint32_t was,
                          const struct loupe_snapshot *newer, uint32_t is) {
    uint32_t before = loupe_snapshot_stack(older, was), now = loupe_snapshot_stack(newer, is);
    struct loupe_recorded_stack first, second;
    if (before == LOUPE_NONE || now == LOUPE_NONE)
        return false;
    loupe_snapshot_read_stack(older, before, &first);
    loupe_snapshot_read_stack(newer, now, &second);
    uint32_t shared = first.count < second.count ? first.count : second.count;
    for (uint32_t i = 0; i < shared; i++) {
        if (first.frames[i]->address != second.frames[i]->address)
            return true;
    }
    return first.whole && second.whole && first.count != second.count;
}

bool loupe_reuse_is_sure(const struct loupe_snapshot *older, uint32_t was,
                         const struct loupe_snapshot *newer, uint32_t is) {
    if (!is_object(older, was) || !is_object(newer, is))
        return false;
    bool has_sizes = !is_guessed(older, was) && !is_guessed(newer, is);
    bool resized = has_sizes && loupe_columns_size(&older->columns, was) !=
                                    loupe_columns_size(&newer->columns, is);
    bool was_dying = older->native->marks[was] & LOUPE_NODE_DYING &&
                     !(newer->native->marks[is] & LOUPE_NODE_DYING);
    return resized || was_dying || class_moved(older, was, newer, is) ||
           stacks_differ(older, was, newer, is);
}

/* ---- What is likely ---- */

struct likely {
    const struct loupe_snapshot *older, *newer;
    const uint32_t *old_of;
    uint32_t *seen_by; /* by node of the older one: the pair that last had it as a neighbour */
};

struct neighbours {
    uint32_t before, now; /* objects of the heap among them */
    bool some_stay;
};

/* Constants, classes and memory are no neighbours: equal objects have the same ones. */
static struct neighbours compare(struct likely *likely, const struct loupe_columns *old_links,
                                 uint32_t was, const struct loupe_columns *new_links, uint32_t is) {
    struct neighbours found = {0};
    for (uint32_t link = old_links->first[was]; link < old_links->first[was + 1]; link++) {
        uint32_t other = old_links->to[link];
        if (other == was || !is_object(likely->older, other))
            continue;
        likely->seen_by[other] = is;
        found.before++;
    }
    for (uint32_t link = new_links->first[is]; link < new_links->first[is + 1]; link++) {
        uint32_t other = new_links->to[link];
        if (other == is || !is_object(likely->newer, other))
            continue;
        uint32_t old = likely->old_of[other];
        found.some_stay |= old != LOUPE_NO_NODE && likely->seen_by[old] == is;
        found.now++;
    }
    return found;
}

static bool changed_wholly(struct neighbours found) {
    return found.before && found.now && !found.some_stay;
}

static void forget(uint32_t *seen_by, uint32_t nodes) {
    for (uint32_t i = 0; i < nodes; i++)
        seen_by[i] = LOUPE_NO_NODE;
}

static bool is_pair_of_objects(const struct likely *likely, uint32_t is) {
    uint32_t was = likely->old_of[is];
    return was != LOUPE_NO_NODE && is_object(likely->older, was) && is_object(likely->newer, is);
}

static void set_bit(uint8_t *bits, uint32_t node) {
    bits[node / 8] |= (uint8_t)(1u << node % 8);
}

/* By what objects refer to; those that refer to nothing get a bit in `leaves`. */
static void compare_forward(struct likely *likely, uint8_t *bits, uint8_t *leaves) {
    const struct loupe_columns *old = &likely->older->columns, *new = &likely->newer->columns;
    forget(likely->seen_by, old->nodes);
    for (uint32_t is = 0; is < new->nodes && !loupe_is_stopped(new->stop); is++) {
        if (!is_pair_of_objects(likely, is))
            continue;
        struct neighbours found = compare(likely, old, likely->old_of[is], new, is);
        if (changed_wholly(found))
            set_bit(bits, is);
        else if (!found.before && !found.now)
            set_bit(leaves, is);
    }
}

static void compare_backward(struct likely *likely, const struct loupe_columns *old,
                             const struct loupe_columns *new, const uint8_t *leaves,
                             uint8_t *bits) {
    forget(likely->seen_by, old->nodes);
    for (uint32_t is = 0; is < new->nodes && !loupe_is_stopped(new->stop); is++) {
        if (leaves[is / 8] >> is % 8 & 1 &&
            changed_wholly(compare(likely, old, likely->old_of[is], new, is)))
            set_bit(bits, is);
    }
}

static enum loupe_status turn_and_compare(struct likely *likely,
                                          const struct loupe_chunk_ops *chunks,
                                          const uint8_t *leaves, uint8_t *bits) {
    struct loupe_transposed old, new;
    enum loupe_status status =
        loupe_transposed_make(&likely->older->columns, LOUPE_ALL_LINKS, chunks, &old);
    if (status)
        return status;
    status = loupe_transposed_make(&likely->newer->columns, LOUPE_ALL_LINKS, chunks, &new);
    if (!status) {
        compare_backward(likely, &old.columns, &new.columns, leaves, bits);
        loupe_transposed_deinit(&new);
    }
    loupe_transposed_deinit(&old);
    return status;
}

enum loupe_status loupe_reuse_find_likely(const struct loupe_snapshot *older,
                                          const struct loupe_snapshot *newer,
                                          const uint32_t *old_of,
                                          const struct loupe_chunk_ops *chunks, uint8_t *bits) {
    struct likely likely = {.older = older, .newer = newer, .old_of = old_of};
    size_t size = newer->columns.nodes / 8 + 1;
    uint8_t *leaves = loupe_chunk_get(chunks, size);
    likely.seen_by = loupe_numbers_get(chunks, older->columns.nodes);
    bool has_room = leaves && likely.seen_by;
    enum loupe_status status = has_room ? LOUPE_OK : LOUPE_ENOMEM;
    if (has_room) {
        memset(leaves, 0, size);
        compare_forward(&likely, bits, leaves);
        status = turn_and_compare(&likely, chunks, leaves, bits);
    }
    if (!status)
        status = loupe_columns_status(&newer->columns, true);
    if (leaves)
        loupe_chunk_put(chunks, leaves, size);
    if (likely.seen_by)
        loupe_numbers_put(chunks, &likely.seen_by, older->columns.nodes);
    return status;
}
