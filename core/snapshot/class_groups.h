/*
 * class_groups.h - the classes of a heap in groups: by package, by loader, by superclass.
 *
 * A class is in one group of each sort, and so are its instances.
 */
#ifndef LOUPE_CLASS_GROUPS_H
#define LOUPE_CLASS_GROUPS_H

#include "base/vector.h"
#include "snapshot/snapshot.h"

enum loupe_class_grouping { LOUPE_BY_PACKAGE, LOUPE_BY_LOADER, LOUPE_BY_SUPERCLASS };

struct loupe_class_group {
    struct loupe_span name; /* the package's, or of the class of the loader, or of the superclass;
                               empty for classes that have none */
    uint32_t number;        /* node of the loader, class that is inherited from; or LOUPE_NONE */
    uint32_t classes;       /* in it, with and without instances */
};

struct loupe_class_groups {
    const struct loupe_chunk_ops *chunks;
    uint32_t class_count;
    uint32_t *of;              /* by class */
    struct loupe_vector items; /* of struct loupe_class_group */
};

/*
 * What a class's name says before the last dot of Java and Swift, or the last :: of C++: of
 * demo.Cache$Entry[] `demo`, of std::vector<a::b> `std`. Empty: nothing.
 */
struct loupe_span loupe_package_of(struct loupe_span class_name);

/* The node of the loader of a Java class; LOUPE_NO_NODE: none, or not known. */
uint32_t loupe_class_loader(const struct loupe_snapshot *snapshot, uint32_t class_number);

/* 28 bytes a class while it runs. LOUPE_ENOMEM: nothing to deinit. */
enum loupe_status loupe_class_groups_find(const struct loupe_snapshot *snapshot,
                                          enum loupe_class_grouping grouping,
                                          const struct loupe_chunk_ops *chunks,
                                          struct loupe_class_groups *ret);
void loupe_class_groups_deinit(struct loupe_class_groups *groups);

static inline const struct loupe_class_group *
loupe_class_group_at(const struct loupe_class_groups *groups, uint32_t index) {
    return loupe_vector_at(&groups->items, index, sizeof(struct loupe_class_group));
}

#endif
