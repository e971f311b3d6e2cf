#include "snapshot/values/collections.h"

#include "snapshot/native.h"

/* ---- Native heaps: described references that are elements, keys or values, and items whose words
 * are values ---- */

static const struct loupe_label *element_label(const struct loupe_native_heap *native,
                                               uint32_t link) {
    if (native->labels[link] == LOUPE_NONE)
        return NULL;
    const struct loupe_label *label = &native->label_table[native->labels[link]];
    return label->kind == LOUPE_EDGE_ELEMENT || label->kind == LOUPE_EDGE_VALUE ? label : NULL;
}

/* The first of a node, or of the next one that has some. */
static uint32_t first_item_of(const struct loupe_native_heap *native, uint32_t node) {
    uint32_t low = 0, high = native->item_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (native->items[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static bool is_item_of(const struct loupe_native_heap *native, uint32_t number, uint32_t node) {
    return number < native->item_count && native->items[number].node == node;
}

static void count_item(const struct loupe_label *label, struct loupe_collection *ret) {
    ret->count++;
    if (label->kind == LOUPE_EDGE_VALUE)
        ret->kind = LOUPE_MAP;
    else if (ret->kind == LOUPE_NO_COLLECTION)
        ret->kind = label->flags & LOUPE_LABEL_INDEXED ? LOUPE_LIST : LOUPE_SET;
}

static bool native_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                                 struct loupe_collection *ret) {
    const struct loupe_columns *columns = &snapshot->columns;
    const struct loupe_native_heap *native = snapshot->native;
    *ret = (struct loupe_collection){.has_count = true};
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        const struct loupe_label *label = element_label(native, link);
        if (label)
            count_item(label, ret);
    }
    for (uint32_t i = first_item_of(native, node); is_item_of(native, i, node); i++)
        count_item(&native->label_table[native->items[i].label], ret);
    return ret->kind != LOUPE_NO_COLLECTION;
}

static bool visit_native(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                         uint32_t slot, uint64_t word, loupe_item_visit *visit, void *ctx) {
    struct loupe_item item = {.value = {.type = LOUPE_VALUE_OBJECT, .bits = word}};
    if (label->flags & LOUPE_LABEL_INDEXED)
        item.index = slot;
    else
        item.name = loupe_snapshot_string(snapshot, label->path);
    return visit(ctx, &item);
}

/* Items that are values, up to one with such a number. False: nobody wants more. */
static bool visit_values(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t below,
                         uint32_t *next, loupe_item_visit *visit, void *ctx) {
    const struct loupe_native_heap *native = snapshot->native;
    for (; is_item_of(native, *next, node) && native->items[*next].slot <= below; ++*next) {
        const struct loupe_value_item *item = &native->items[*next];
        if (!visit_native(snapshot, &native->label_table[item->label], item->slot, item->word,
                          visit, ctx))
            return false;
    }
    return true;
}

/* A list in its order. */
static void native_each(const struct loupe_snapshot *snapshot, uint32_t node,
                        loupe_item_visit *visit, void *ctx) {
    const struct loupe_columns *columns = &snapshot->columns;
    const struct loupe_native_heap *native = snapshot->native;
    uint32_t next = first_item_of(native, node);
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        const struct loupe_label *label = element_label(native, link);
        if (!label)
            continue;
        if (!visit_values(snapshot, node, native->slots[link], &next, visit, ctx) ||
            !visit_native(snapshot, label, native->slots[link],
                          loupe_snapshot_address(snapshot, columns->to[link]), visit, ctx))
            return;
    }
    visit_values(snapshot, node, UINT32_MAX, &next, visit, ctx);
}

/* ---- Any ---- */

bool loupe_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                         struct loupe_collection *ret) {
    return snapshot->native ? native_collection_of(snapshot, node, ret)
                            : loupe_java_collection_of(snapshot, node, ret);
}

enum loupe_status loupe_collection_each(const struct loupe_snapshot *snapshot,
                                        const struct loupe_chunk_ops *chunks, uint32_t node,
                                        loupe_item_visit *visit, void *ctx) {
    if (!snapshot->native)
        return loupe_java_collection_each(snapshot, chunks, node, visit, ctx);
    native_each(snapshot, node, visit, ctx);
    return LOUPE_OK;
}
