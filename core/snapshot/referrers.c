#include "snapshot/referrers.h"

#include "base/map.h"
#include "base/sort.h"
#include "snapshot/native.h"

struct search {
    const struct loupe_snapshot *snapshot;
    struct loupe_vector *referrers;
    struct loupe_map sorts; /* hashes of what makes a sort -> the last one of it */
    uint64_t *others;
};

/* Arrays of a million elements are not asked which one it was. */
static struct loupe_link_name name_of(const struct loupe_snapshot *snapshot, uint32_t node,
                                      uint32_t link) {
    struct loupe_link_name name = {.kind = LOUPE_LINK_NAME_ELEMENT, .declared_by = LOUPE_NONE};
    if (snapshot->class_table[snapshot->classes[node]].kind != LOUPE_CLASS_OBJECT_ARRAYS)
        loupe_snapshot_name_link(snapshot, node, link, &name);
    if (name.kind == LOUPE_LINK_NAME_ELEMENT)
        name.index = 0;
    return name;
}

static struct loupe_referrer look_at(const struct loupe_snapshot *snapshot, uint32_t node,
                                     uint32_t link) {
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    return (struct loupe_referrer){
        .name = name_of(snapshot, node, link),
        .class_number = is_class == LOUPE_NONE ? snapshot->classes[node] : is_class,
        .node = node,
        .link = link,
        .count = 1,
        .kind = snapshot->columns.kinds ? snapshot->columns.kinds[link] : LOUPE_LINK_STRONG};
}

/* Each name stands once in the snapshot's text, or is one of ours. */
static bool is_same(const struct loupe_referrer *a, const struct loupe_referrer *b) {
    return a->class_number == b->class_number && a->kind == b->kind &&
           a->name.kind == b->name.kind && a->name.declared_by == b->name.declared_by &&
           a->name.index == b->name.index && a->name.name.bytes == b->name.name.bytes &&
           a->name.name.length == b->name.name.length;
}

static uint64_t hash_of(const struct loupe_referrer *one) {
    uint64_t hash = loupe_hash((uint64_t)one->class_number << 32 | one->name.declared_by);
    hash = loupe_hash(hash ^ (uintptr_t)one->name.name.bytes);
    return loupe_hash(
        hash ^ ((uint64_t)one->name.index << 16 | (uint64_t)one->name.kind << 8 | one->kind));
}

static enum loupe_status add(struct search *search, const struct loupe_referrer *one) {
    uint64_t hash = hash_of(one);
    uint32_t number;
    if (loupe_map_find(&search->sorts, hash, &number)) {
        struct loupe_referrer *known =
            loupe_vector_at(search->referrers, number, sizeof(struct loupe_referrer));
        if (is_same(known, one))
            known->count++;
        else
            ++*search->others;
        return LOUPE_OK;
    }
    if (search->referrers->count == LOUPE_MOST_REFERRERS) {
        ++*search->others;
        return LOUPE_OK;
    }
    struct loupe_referrer *added = loupe_vector_add(search->referrers);
    if (!added)
        return LOUPE_ENOMEM;
    *added = *one;
    return loupe_map_put(&search->sorts, hash, search->referrers->count - 1);
}

static enum loupe_status add_all(struct search *search, uint32_t wanted) {
    const struct loupe_columns *columns = &search->snapshot->columns;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t node = 0; node < columns->nodes && !status; node++) {
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1] && !status;
             link++) {
            if (columns->to[link] != wanted)
                continue;
            struct loupe_referrer one = look_at(search->snapshot, node, link);
            status = add(search, &one);
        }
        if (node % 4096 == 0 && !status)
            status = loupe_columns_status(columns, true);
    }
    return status;
}

static bool is_more(const void *ctx, const void *a, const void *b) {
    const struct loupe_referrer *x = a, *y = b;
    (void)ctx;
    return x->count != y->count ? x->count > y->count : x->link < y->link;
}

enum loupe_status loupe_referrers_find(const struct loupe_snapshot *snapshot, uint32_t node,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_vector *referrers, uint64_t *others) {
    struct search search = {.snapshot = snapshot, .referrers = referrers, .others = others};
    *others = 0;
    loupe_map_init(&search.sorts, chunks);
    enum loupe_status status = add_all(&search, node);
    loupe_map_deinit(&search.sorts);
    if (!status)
        loupe_vector_sort(referrers, is_more, NULL);
    return status;
}
