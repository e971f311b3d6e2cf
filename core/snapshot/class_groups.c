#include "snapshot/class_groups.h"

#include "base/numbers.h"
#include "base/sort.h"

#include <string.h>

/* ---- What a class belongs to ---- */

static size_t first_of(struct loupe_span name, char byte) {
    const char *at = name.length ? memchr(name.bytes, byte, name.length) : NULL;
    return at ? (size_t)(at - name.bytes) : name.length;
}

struct loupe_span loupe_package_of(struct loupe_span class_name) {
    /* What follows is of arguments of templates, and of classes that the machine made up. */
    size_t length = first_of(class_name, '<'), hidden = first_of(class_name, '/');
    length = hidden < length ? hidden : length;
    while (length > 0) {
        const char *last = &class_name.bytes[length - 1];
        if (*last == '.')
            return (struct loupe_span){class_name.bytes, length - 1};
        if (length > 1 && *last == ':' && last[-1] == ':')
            return (struct loupe_span){class_name.bytes, length - 2};
        length--;
    }
    return (struct loupe_span){class_name.bytes, 0};
}

uint32_t loupe_class_loader(const struct loupe_snapshot *snapshot, uint32_t class_number) {
    const struct loupe_columns *columns = &snapshot->columns;
    uint32_t node = snapshot->class_table[class_number].node;
    if (snapshot->native || !columns->kinds || node >= columns->nodes)
        return LOUPE_NO_NODE;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (columns->kinds[link] == LOUPE_LINK_LOADER)
            return columns->to[link];
    }
    return LOUPE_NO_NODE;
}

static struct loupe_class_group group_of(const struct loupe_snapshot *snapshot,
                                         enum loupe_class_grouping grouping,
                                         uint32_t class_number) {
    struct loupe_class_group none = {.name = {"", 0}, .number = LOUPE_NONE};
    if (grouping == LOUPE_BY_PACKAGE) {
        none.name = loupe_package_of(loupe_snapshot_class_name(snapshot, class_number));
        return none;
    }
    if (grouping == LOUPE_BY_LOADER) {
        uint32_t loader = loupe_class_loader(snapshot, class_number);
        return loader == LOUPE_NO_NODE
                   ? none
                   : (struct loupe_class_group){
                         .name = loupe_snapshot_class_name(snapshot, snapshot->classes[loader]),
                         .number = loader};
    }
    uint32_t superclass = snapshot->class_table[class_number].superclass;
    return superclass == LOUPE_NONE
               ? none
               : (struct loupe_class_group){.name = loupe_snapshot_class_name(snapshot, superclass),
                                            .number = superclass};
}

/* ---- Groups ---- */

struct member {
    struct loupe_class_group group;
    uint32_t class_number;
};

static int compare(const struct loupe_class_group *a, const struct loupe_class_group *b) {
    size_t shorter = a->name.length < b->name.length ? a->name.length : b->name.length;
    int order = shorter ? memcmp(a->name.bytes, b->name.bytes, shorter) : 0;
    if (!order)
        order = (a->name.length > b->name.length) - (a->name.length < b->name.length);
    return order ? order : (a->number > b->number) - (a->number < b->number);
}

static bool is_before(const void *ctx, const void *left, const void *right) {
    const struct member *a = left, *b = right;
    (void)ctx;
    return compare(&a->group, &b->group) < 0;
}

static enum loupe_status number_groups(const struct member *members,
                                       struct loupe_class_groups *groups) {
    struct loupe_class_group *group = NULL;
    for (uint32_t i = 0; i < groups->class_count; i++) {
        if (!group || compare(group, &members[i].group)) {
            group = loupe_vector_add(&groups->items);
            if (!group)
                return LOUPE_ENOMEM;
            *group = members[i].group;
        }
        group->classes++;
        groups->of[members[i].class_number] = groups->items.count - 1;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_class_groups_find(const struct loupe_snapshot *snapshot,
                                          enum loupe_class_grouping grouping,
                                          const struct loupe_chunk_ops *chunks,
                                          struct loupe_class_groups *ret) {
    struct loupe_class_groups groups = {.chunks = chunks, .class_count = snapshot->class_count};
    size_t size = ((size_t)groups.class_count + 1) * sizeof(struct member);
    struct member *members = loupe_chunk_get(chunks, size);
    enum loupe_status status = LOUPE_ENOMEM;
    groups.of = loupe_numbers_get(chunks, groups.class_count);
    loupe_vector_init(&groups.items, chunks, sizeof(struct loupe_class_group));
    if (members && groups.of) {
        for (uint32_t i = 0; i < groups.class_count; i++)
            members[i] = (struct member){group_of(snapshot, grouping, i), i};
        loupe_sort(members, groups.class_count, sizeof(*members), is_before, NULL);
        status = number_groups(members, &groups);
    }
    loupe_chunk_put(chunks, members, size);
    if (status)
        loupe_class_groups_deinit(&groups);
    else
        *ret = groups;
    return status;
}

void loupe_class_groups_deinit(struct loupe_class_groups *groups) {
    loupe_numbers_put(groups->chunks, &groups->of, groups->class_count);
    loupe_vector_deinit(&groups->items);
}
