/*
 * class_growth.h - which classes of a heap have more or less objects than before, over two or more
 * snapshots, and which mistake lets them grow.
 */
#ifndef LOUPE_CLASS_GROWTH_H
#define LOUPE_CLASS_GROWTH_H

#include "base/json.h"
#include "heap_questions/culprit.h"
#include "heap_questions/heap_question.h"
#include "mistakes/patterns.h"
#include "snapshot/difference.h"

enum { LOUPE_CLASSES_EXPLAINED = 20 };

/* What holds most of the objects of a class that are new, of those that were looked at. */
struct loupe_growth_holder {
    char culprit[LOUPE_CULPRIT_SIZE]; /* "Registry.sessions"; empty: nothing that has a name */
    uint32_t count, looked_at;
};

struct loupe_class_growth_asked {
    const struct loupe_snapshot *const *snapshots; /* in their order: two or more */
    uint32_t count;
    bool of_runs;        /* of several processes: which object is which nobody can tell */
    const char *pattern; /* of names of classes, or NULL */
    uint32_t most;       /* rows that are shown; 0: all */
};

struct loupe_class_growth {
    struct loupe_difference difference; /* of the first and the last; rows that changed in front */
    uint32_t changed, shown;            /* rows */
    struct loupe_difference *steps;     /* where there are more than two: from each to the next */
    uint32_t step_count;
    const struct loupe_pattern *why[LOUPE_CLASSES_EXPLAINED]; /* of the first rows, or NULL */
    struct loupe_growth_holder holders[LOUPE_CLASSES_EXPLAINED];
};

/* Rows that grew most come first. All in the arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_class_growth_find(struct loupe_class_growth *growth,
                                          const struct loupe_class_growth_asked *asked,
                                          struct loupe_arena *arena);
struct loupe_growth_explained {
    struct loupe_heap_question *newer; /* of the last snapshot */
    const struct loupe_snapshot *older;
    const struct loupe_patterns *patterns;
    const struct loupe_heap_names *names;
    bool of_runs; /* as in struct loupe_class_growth_asked */
};

/* Why the rows grow that are shown, and where. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_class_growth_explain(struct loupe_class_growth *growth,
                                             const struct loupe_growth_explained *asked);

/* By how many bytes a class grew, and by how many objects in a step. */
int64_t loupe_class_delta(const struct loupe_class_difference *row);
int64_t loupe_class_step(const struct loupe_class_growth *growth, uint32_t step,
                         struct loupe_span name);
/* What lets a row grow, or NULL. */
const struct loupe_pattern *loupe_why_class_grows(const struct loupe_class_growth *growth,
                                                  uint32_t row);

/* The keys "changed", "classes" and "total", with "reused", "maybe_reused" and "reused_by_class"
 * where reuse can be told. */
void loupe_report_class_growth(struct loupe_json *json, const struct loupe_class_growth *growth);

#endif
