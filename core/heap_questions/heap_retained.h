/*
 * heap_retained.h - what would go with an object, and which objects keep the most alive: the
 * question of `loupe retained`.
 */
#ifndef LOUPE_HEAP_RETAINED_H
#define LOUPE_HEAP_RETAINED_H

#include "analysis/dominators/histogram.h"
#include "base/json.h"
#include "heap_questions/heap_question.h"

struct loupe_heap_retained_asked {
    uint32_t object;     /* LOUPE_NO_NODE: the whole heap, and: */
    const char *pattern; /* objects of these classes; NULL: those that only roots dominate */
    uint32_t most;       /* objects and classes that are told; 0: all */
};

struct loupe_retaining {
    uint64_t retained;
    uint32_t node;
};

/* Of what an object keeps alive. */
struct loupe_retained_class {
    uint32_t class_number;
    uint64_t count, bytes;
};

struct loupe_heap_retained {
    struct loupe_heap_question *question;
    struct loupe_heap_retained_asked asked;
    const struct loupe_dominators *dominators;
    struct loupe_retaining *objects; /* dominated by the object, or by all roots, or by a class */
    uint32_t object_count;
    struct loupe_retained_class *classes; /* of the object */
    uint32_t class_count;
};

/* In the question's arena; those that are told are in order. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_retained_find(struct loupe_heap_retained *retained,
                                           struct loupe_heap_question *question,
                                           const struct loupe_heap_retained_asked *asked);

/* The keys of the answer, into an object that is open. */
void loupe_report_heap_retained(struct loupe_json *json,
                                const struct loupe_heap_retained *retained);

#endif
