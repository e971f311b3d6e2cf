/* What roots lead to that are no words of running code. */
#include "snapshot/without_stacks.h"

bool loupe_root_may_be_stale(const struct loupe_snapshot_root *root) {
    return root->kind == LOUPE_ROOT_STACK || root->kind == LOUPE_ROOT_REGISTER;
}

/* The nodes of roots that last, and of others that are not marked. NULL: not even those. */
static uint32_t list_roots(const struct loupe_snapshot *snapshot, const struct loupe_marks *marks,
                           uint32_t *roots) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        uint32_t node = snapshot->columns.roots[i];
        if (!loupe_root_may_be_stale(&snapshot->roots[i]) ||
            (marks && !loupe_is_marked(marks, node)))
            roots[count++] = node;
    }
    return count;
}

enum loupe_status loupe_mark_reached_without_stacks(const struct loupe_snapshot *snapshot,
                                                    const struct loupe_columns *links,
                                                    loupe_link_kinds kinds,
                                                    const struct loupe_chunk_ops *chunks,
                                                    struct loupe_marks *ret) {
    struct loupe_columns columns = *links;
    struct loupe_amount reached;
    uint32_t *roots = loupe_numbers_get(chunks, columns.root_count);
    if (!roots)
        return LOUPE_ENOMEM;
    columns.root_count = list_roots(snapshot, NULL, roots);
    columns.roots = roots;
    enum loupe_status status = loupe_marks_init(ret, chunks, columns.nodes);
    if (!status) {
        status = loupe_reach(&columns, kinds, ret, &reached);
        if (status)
            loupe_marks_deinit(ret);
    }
    loupe_numbers_put(chunks, &roots, snapshot->columns.root_count);
    return status;
}

static bool has_stale_roots(const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        if (loupe_root_may_be_stale(&snapshot->roots[i]))
            return true;
    }
    return false;
}

/* With the roots that count. */
static enum loupe_status find_without_stale(const struct loupe_snapshot *snapshot,
                                            const struct loupe_link_policy *policy,
                                            const struct loupe_marks *reached,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_dominators *ret) {
    struct loupe_columns columns = snapshot->columns;
    uint32_t *roots = loupe_numbers_get(chunks, columns.root_count);
    if (!roots)
        return LOUPE_ENOMEM;
    columns.root_count = list_roots(snapshot, reached, roots);
    columns.roots = roots;
    enum loupe_status status = loupe_dominators_by_policy(&columns, policy, chunks, ret);
    loupe_numbers_put(chunks, &roots, snapshot->columns.root_count);
    return status;
}

enum loupe_status loupe_snapshot_dominators(const struct loupe_snapshot *snapshot,
                                            const struct loupe_link_policy *policy,
                                            const struct loupe_chunk_ops *chunks,
                                            struct loupe_dominators *ret) {
    struct loupe_marks reached;
    if (policy != loupe_link_policies || !has_stale_roots(snapshot))
        return loupe_dominators_by_policy(&snapshot->columns, policy, chunks, ret);
    enum loupe_status status = loupe_mark_reached_without_stacks(snapshot, &snapshot->columns,
                                                                 policy->alive, chunks, &reached);
    if (status)
        return status;
    status = find_without_stale(snapshot, policy, &reached, chunks, ret);
    loupe_marks_deinit(&reached);
    return status;
}
