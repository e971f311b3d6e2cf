/*
 * heap_paths.h - the ways on which roots keep an object alive, or the objects of a class: the
 * question of `loupe path`.
 */
#ifndef LOUPE_HEAP_PATHS_H
#define LOUPE_HEAP_PATHS_H

#include "heap_questions/heap_question.h"
#include "report/heaps/report_trace.h"

struct loupe_heap_paths_asked {
    uint32_t node;
    const char *to_class; /* a pattern, in place of the node; or NULL */
    bool merges;          /* those of a class that are alike are one */
    uint32_t most;
};

struct loupe_heap_paths {
    bool of_class;
    struct loupe_trace *items;
    uint32_t
        *alike; /* by item: how many objects have a path like it; NULL: each stands for itself */
    uint32_t count;
    uint64_t found;       /* all there are */
    uint64_t objects;     /* that were asked about */
    uint32_t unreachable; /* of these */
    uint32_t ways;        /* that differ, where those alike are one */
    uint32_t looked_at;   /* objects, of those that are alive */
};

/* In the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_paths_find(struct loupe_heap_paths *paths,
                                        struct loupe_heap_question *question,
                                        const struct loupe_heap_paths_asked *asked);

/* Whether each object that was asked about was looked at. */
bool loupe_heap_paths_are_all(const struct loupe_heap_paths *paths);

/* The keys of the answer, into an object that is open. facts: with stacks. */
void loupe_report_heap_paths(struct loupe_json *json, const struct loupe_heap_question *question,
                             const struct loupe_heap_paths *paths,
                             const struct loupe_trace_facts *facts);

#endif
