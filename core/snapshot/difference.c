#include "snapshot/difference.h"

#include "base/fnv.h"
#include "base/map.h"
#include "snapshot/reuse.h"

#include <string.h>

struct rows {
    struct loupe_map by_hash;
    struct loupe_difference found;
    uint32_t *of_old, *of_new;         /* by class: its row */
    uint32_t *sorted_old, *sorted_new; /* nodes, by address */
    uint32_t *old_of;                  /* by node of the newer one: reuse.h; NULL: nobody asks */
};

static bool is_named(const struct loupe_class_difference *row, struct loupe_span name) {
    return row->name.length == name.length && !memcmp(row->name.bytes, name.bytes, name.length);
}

/* Rows whose names have the same hash stand under the hashes that follow. */
static enum loupe_status find_row(struct rows *rows, struct loupe_span name, uint32_t *ret) {
    for (uint64_t hash = loupe_fnv_span(LOUPE_FNV_BASIS, name);; hash++) {
        if (!loupe_map_find(&rows->by_hash, hash, ret)) {
            *ret = rows->found.count++;
            rows->found.classes[*ret] = (struct loupe_class_difference){.name = name};
            return loupe_map_put(&rows->by_hash, hash, *ret);
        }
        if (is_named(&rows->found.classes[*ret], name))
            return LOUPE_OK;
    }
}

static enum loupe_status find_rows(struct rows *rows, const struct loupe_snapshot *snapshot,
                                   uint32_t *of) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t number = 0; !status && number < snapshot->class_count; number++)
        status = find_row(rows, loupe_snapshot_class_name(snapshot, number), &of[number]);
    return status;
}

/* ---- Counting ---- */

static struct loupe_class_difference *row_of(struct rows *rows, const uint32_t *of,
                                             const struct loupe_snapshot *snapshot, uint32_t node) {
    return &rows->found.classes[of[snapshot->classes[node]]];
}

static void count_gone(struct rows *rows, const struct loupe_snapshot *older, uint32_t node) {
    row_of(rows, rows->of_old, older, node)->gone++;
}

static void count_added(struct rows *rows, const struct loupe_snapshot *newer, uint32_t node) {
    row_of(rows, rows->of_new, newer, node)->added++;
}

/* Both are there at one address: one object, or two of different classes. */
static void count_pair(struct rows *rows, const struct loupe_snapshot *older, uint32_t was,
                       const struct loupe_snapshot *newer, uint32_t is) {
    struct loupe_class_difference *row = row_of(rows, rows->of_new, newer, is);
    bool is_equal = row == row_of(rows, rows->of_old, older, was),
         is_reused = is_equal && rows->old_of && loupe_reuse_is_sure(older, was, newer, is);
    if (is_equal && !is_reused) {
        row->still++;
        if (rows->old_of)
            rows->old_of[is] = was;
        return;
    }
    row->reused += is_reused;
    count_gone(rows, older, was);
    count_added(rows, newer, is);
}

/* Along both in the order of addresses. */
static void count_all(struct rows *rows, const struct loupe_snapshot *older,
                      const struct loupe_snapshot *newer) {
    uint32_t i = 0, k = 0;
    while ((i < older->columns.nodes || k < newer->columns.nodes) &&
           !loupe_is_stopped(newer->columns.stop)) {
        bool has_old = i < older->columns.nodes, has_new = k < newer->columns.nodes;
        uint32_t was = has_old ? rows->sorted_old[i] : 0, is = has_new ? rows->sorted_new[k] : 0;
        uint64_t old_at = loupe_snapshot_address(older, was),
                 new_at = loupe_snapshot_address(newer, is);
        if (has_old && (!has_new || old_at < new_at)) {
            count_gone(rows, older, was);
            i++;
        } else if (has_new && (!has_old || new_at < old_at)) {
            count_added(rows, newer, is);
            k++;
        } else {
            count_pair(rows, older, was, newer, is);
            i++;
            k++;
        }
    }
}

/* ---- Places that were used again ---- */

static enum loupe_status get_old_of(struct rows *rows, const struct loupe_snapshot *older,
                                    const struct loupe_snapshot *newer,
                                    const struct loupe_chunk_ops *chunks) {
    rows->found.tells_reuse = loupe_reuse_can_be_told(older, newer);
    if (!rows->found.tells_reuse)
        return LOUPE_OK;
    rows->old_of = loupe_numbers_get(chunks, newer->columns.nodes);
    for (uint32_t i = 0; rows->old_of && i < newer->columns.nodes; i++)
        rows->old_of[i] = LOUPE_NO_NODE;
    return rows->old_of ? LOUPE_OK : LOUPE_ENOMEM;
}

static enum loupe_status count_likely(struct rows *rows, const struct loupe_snapshot *older,
                                      const struct loupe_snapshot *newer,
                                      const struct loupe_chunk_ops *chunks) {
    size_t size = newer->columns.nodes / 8 + 1;
    uint8_t *bits = rows->old_of ? loupe_chunk_get(chunks, size) : NULL;
    if (!bits)
        return rows->old_of ? LOUPE_ENOMEM : LOUPE_OK;
    memset(bits, 0, size);
    enum loupe_status status = loupe_reuse_find_likely(older, newer, rows->old_of, chunks, bits);
    for (uint32_t node = 0; !status && node < newer->columns.nodes; node++)
        row_of(rows, rows->of_new, newer, node)->maybe_reused += bits[node / 8] >> node % 8 & 1;
    loupe_chunk_put(chunks, bits, size);
    return status;
}

/* ---- Sizes and sums ---- */

static void add_sizes(struct rows *rows, const struct loupe_snapshot *older,
                      const struct loupe_snapshot *newer) {
    for (uint32_t node = 0; node < older->columns.nodes; node++)
        row_of(rows, rows->of_old, older, node)->old_bytes +=
            loupe_columns_size(&older->columns, node);
    for (uint32_t node = 0; node < newer->columns.nodes; node++)
        row_of(rows, rows->of_new, newer, node)->new_bytes +=
            loupe_columns_size(&newer->columns, node);
}

static void add_totals(struct loupe_difference *found) {
    for (uint32_t i = 0; i < found->count; i++) {
        const struct loupe_class_difference *row = &found->classes[i];
        found->total.added += row->added;
        found->total.gone += row->gone;
        found->total.still += row->still;
        found->total.reused += row->reused;
        found->total.maybe_reused += row->maybe_reused;
        found->total.old_bytes += row->old_bytes;
        found->total.new_bytes += row->new_bytes;
    }
}

static enum loupe_status get_room(struct rows *rows, const struct loupe_snapshot *older,
                                  const struct loupe_snapshot *newer, struct loupe_arena *arena) {
    size_t count = (size_t)older->class_count + newer->class_count;
    rows->found.classes = loupe_arena_alloc_array(arena, count, sizeof(*rows->found.classes));
    rows->of_old = loupe_arena_alloc_array(arena, older->class_count, sizeof(uint32_t));
    rows->of_new = loupe_arena_alloc_array(arena, newer->class_count, sizeof(uint32_t));
    rows->sorted_old = loupe_numbers_get(arena->chunks, older->columns.nodes);
    rows->sorted_new = loupe_numbers_get(arena->chunks, newer->columns.nodes);
    return rows->found.classes && rows->of_old && rows->of_new && rows->sorted_old &&
                   rows->sorted_new
               ? LOUPE_OK
               : LOUPE_ENOMEM;
}

static void put_nodes(struct rows *rows, const struct loupe_snapshot *older,
                      const struct loupe_snapshot *newer, const struct loupe_chunk_ops *chunks) {
    if (rows->sorted_old)
        loupe_numbers_put(chunks, &rows->sorted_old, older->columns.nodes);
    if (rows->sorted_new)
        loupe_numbers_put(chunks, &rows->sorted_new, newer->columns.nodes);
    if (rows->old_of)
        loupe_numbers_put(chunks, &rows->old_of, newer->columns.nodes);
}

enum loupe_status loupe_difference_find(const struct loupe_snapshot *older,
                                        const struct loupe_snapshot *newer,
                                        struct loupe_arena *arena, struct loupe_difference *ret) {
    struct rows rows = {.found = {0}};
    loupe_map_init(&rows.by_hash, arena->chunks);
    enum loupe_status status = get_room(&rows, older, newer, arena);
    if (!status)
        status = find_rows(&rows, older, rows.of_old);
    if (!status)
        status = find_rows(&rows, newer, rows.of_new);
    loupe_map_deinit(&rows.by_hash);
    if (!status)
        status = get_old_of(&rows, older, newer, arena->chunks);
    if (!status) {
        loupe_snapshot_sort(older, rows.sorted_old);
        loupe_snapshot_sort(newer, rows.sorted_new);
        count_all(&rows, older, newer);
        status = count_likely(&rows, older, newer, arena->chunks);
    }
    put_nodes(&rows, older, newer, arena->chunks);
    if (!status)
        status = loupe_columns_status(&newer->columns, true);
    if (status)
        return status;
    add_sizes(&rows, older, newer);
    add_totals(&rows.found);
    *ret = rows.found;
    return LOUPE_OK;
}
