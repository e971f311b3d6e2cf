/*
 * heap_classes.h - how much of a heap the objects of each class are, or of what classes belong to:
 * the question of `loupe heap`.
 */
#ifndef LOUPE_HEAP_CLASSES_H
#define LOUPE_HEAP_CLASSES_H

#include "analysis/dominators/histogram.h"
#include "base/json.h"
#include "snapshot/class_groups.h"

/* What is largest comes first. */
enum loupe_class_order { LOUPE_CLASSES_BY_SIZE, LOUPE_CLASSES_BY_COUNT, LOUPE_CLASSES_BY_RETAINED };

struct loupe_heap_classes_asked {
    bool in_groups;
    enum loupe_class_grouping grouping; /* by what */
    enum loupe_class_order order;
    const char *pattern; /* of a class or group: class_words.h; NULL: all */
    uint32_t most;       /* rows that are told; 0: all */
};

/* "package", "size", ...: as answers and options say it. False: there is no such one. */
bool loupe_class_grouping_named(const char *name, enum loupe_class_grouping *ret);
bool loupe_class_order_named(const char *name, enum loupe_class_order *ret);

/* A class or group of which there are instances. */
struct loupe_class_row {
    uint64_t key; /* what the order is by */
    struct loupe_span name;
    uint32_t number;   /* of the class or group */
    bool has_namesake; /* another class has that name, too */
};

/* Of one of several heaps in a dump, as Android's have. */
struct loupe_named_heap_total {
    uint64_t count, bytes;
};

struct loupe_heap_classes {
    const struct loupe_snapshot *snapshot;
    struct loupe_heap_classes_asked asked;
    struct loupe_arena arena;
    struct loupe_class_groups groups; /* where they are asked for */
    uint32_t division_count;          /* of classes or groups */
    const uint32_t *division_of;      /* by node */
    struct loupe_class_total *totals; /* by class or group */
    uint32_t *unreachable;            /* the same: instances that nothing alive leads to */
    uint32_t present;                 /* classes of all nodes: others are there, too */
    struct loupe_class_row *rows;     /* in order; of those that are told */
    uint32_t row_count, told;
    struct loupe_named_heap_total *heaps; /* by heap; the last one is of no known heap */
};

/* LOUPE_ENOMEM, LOUPE_ETIMEOUT: nothing to deinit. */
enum loupe_status loupe_heap_classes_find(struct loupe_heap_classes *classes,
                                          const struct loupe_snapshot *snapshot,
                                          const struct loupe_link_policy *policy,
                                          const struct loupe_heap_classes_asked *asked,
                                          const struct loupe_chunk_ops *chunks);
void loupe_heap_classes_deinit(struct loupe_heap_classes *classes);

/* The keys of the answer, into an object that is open. */
void loupe_report_heap_classes(struct loupe_json *json, const struct loupe_heap_classes *classes);

#endif
