/* Which references own nothing, although nothing in the heap says so. */
#include "leaks/leaks.h"

static enum loupe_class_kind kind_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    return (enum loupe_class_kind)snapshot->class_table[snapshot->classes[node]].kind;
}

/* Storage is its collection's: a word of lost memory that leads there was left from what stood
 * there before. */
static void rule_out_words_to_storage(const struct loupe_leaks *leaks) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (loupe_is_marked(&leaks->alive, node) || kind_of(snapshot, node) != LOUPE_CLASS_RAW)
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (kind_of(snapshot, columns->to[link]) == LOUPE_CLASS_STORAGE)
                leaks->kinds[link] = LOUPE_LINK_UNOWNED;
        }
    }
}

/*
 * What a library left behind owns nothing but its like: it leads to what it had, and where that was
 * freed to whatever is there by now. What is not known hides behind none.
 */
static void rule_out_words_of_left_behind(const struct loupe_leaks *leaks) {
    const struct loupe_snapshot *snapshot = leaks->snapshot;
    const struct loupe_columns *columns = &snapshot->columns;
    const uint8_t *marks = snapshot->native->marks;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        if (!(marks[node] & LOUPE_NODE_LEFT_BEHIND))
            continue;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (!(marks[columns->to[link]] & LOUPE_NODE_LEFT_BEHIND) ||
                !loupe_left_behind_owns(snapshot, node, link))
                leaks->kinds[link] = LOUPE_LINK_UNOWNED;
        }
    }
}

enum loupe_status loupe_leaks_rule_out_owners(struct loupe_leaks *leaks) {
    enum loupe_status status =
        loupe_kinds_copy(leaks->snapshot, leaks->chunks, &leaks->columns, &leaks->kinds);
    if (status)
        return status;
    loupe_heap_graph_rule_out(&leaks->graph, leaks->kinds);
    rule_out_words_to_storage(leaks);
    rule_out_words_of_left_behind(leaks);
    return LOUPE_OK;
}
