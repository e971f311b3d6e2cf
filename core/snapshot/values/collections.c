#include "snapshot/values/collections.h"

#include "snapshot/native.h"

/* ---- Native heaps: described references that are elements, keys or values ---- */

static const struct loupe_label *element_label(const struct loupe_native_heap *native,
                                               uint32_t link) {
    if (native->labels[link] == LOUPE_NONE)
        return NULL;
    const struct loupe_label *label = &native->label_table[native->labels[link]];
    return label->kind == LOUPE_EDGE_ELEMENT || label->kind == LOUPE_EDGE_VALUE ? label : NULL;
}

static bool native_collection_of(const struct loupe_snapshot *snapshot, uint32_t node,
                                 struct loupe_collection *ret) {
    const struct loupe_columns *columns = &snapshot->columns;
    *ret = (struct loupe_collection){.has_count = true};
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        const struct loupe_label *label = element_label(snapshot->native, link);
        if (!label)
            continue;
        ret->count++;
        if (label->kind == LOUPE_EDGE_VALUE)
            ret->kind = LOUPE_MAP;
        else if (ret->kind == LOUPE_NO_COLLECTION)
            ret->kind = label->flags & LOUPE_LABEL_INDEXED ? LOUPE_LIST : LOUPE_SET;
    }
    return ret->kind != LOUPE_NO_COLLECTION;
}

static void native_each(const struct loupe_snapshot *snapshot, uint32_t node,
                        loupe_item_visit *visit, void *ctx) {
    const struct loupe_columns *columns = &snapshot->columns;
    const struct loupe_native_heap *native = snapshot->native;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        const struct loupe_label *label = element_label(native, link);
        struct loupe_item item = {
            .value = {.type = LOUPE_VALUE_OBJECT,
                      .bits = loupe_snapshot_address(snapshot, columns->to[link])}};
        if (!label)
            continue;
        if (label->flags & LOUPE_LABEL_INDEXED)
            item.index = native->slots[link];
        else
            item.name = loupe_snapshot_string(snapshot, label->path);
        if (!visit(ctx, &item))
            return;
    }
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
