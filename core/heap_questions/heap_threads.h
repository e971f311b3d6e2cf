/*
 * heap_threads.h - the threads of a heap: stacks with the objects that their frames have, and what
 * these keep alive: the question of `loupe threads`.
 */
#ifndef LOUPE_HEAP_THREADS_H
#define LOUPE_HEAP_THREADS_H

#include "base/json.h"
#include "heap_questions/heap_question.h"

/* A root that belongs to a thread. */
struct loupe_heap_local {
    uint32_t thread, frame, node, root; /* frame LOUPE_NONE: in none that is known */
};

struct loupe_heap_thread {
    uint32_t number;
    uint64_t retained; /* by its object and its locals, each counted for itself */
    bool ran_out_of_memory;
    uint32_t first_local, local_count;
};

struct loupe_heap_threads {
    struct loupe_heap_question *question;
    const struct loupe_dominators *dominators;
    struct loupe_heap_local *locals; /* by thread, frame and object */
    uint32_t local_count;
    struct loupe_heap_thread *threads; /* the snapshot's, those that keep most alive first; before
                                          them those that ran out of memory */
};

/* In the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_heap_threads_find(struct loupe_heap_threads *threads,
                                          struct loupe_heap_question *question);

/* The keys of the answer, into an object that is open. most: threads that are told; 0: all. */
void loupe_report_heap_threads(struct loupe_json *json, const struct loupe_heap_threads *threads,
                               uint32_t most);

#endif
