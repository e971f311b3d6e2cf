/*
 * instances.h - the objects of classes that have a name, those that keep most alive first: the
 * question of `loupe find`.
 */
#ifndef LOUPE_INSTANCES_H
#define LOUPE_INSTANCES_H

#include "base/json.h"
#include "heap_questions/heap_question.h"
#include "leaks/dangling.h"

struct loupe_instances_asked {
    const char *pattern; /* of a class: class_words.h */
    bool subclasses;     /* objects of these, too */
    uint32_t most;       /* that are told; 0: all */
};

struct loupe_instance {
    uint64_t retained, address;
    uint32_t node;
};

struct loupe_instances {
    struct loupe_heap_question *question;
    struct loupe_instances_asked asked;
    const struct loupe_dominators *dominators;
    struct loupe_instance *items; /* those that are told are in order */
    uint32_t count, told;
    uint32_t others;                       /* so many of all are non-objects */
    struct loupe_dangling_groups dangling; /* from them, and to what was of these classes */
};

/* A class by a pattern; blocks are called "block", too, and memory without a class "non-object". */
bool loupe_class_is_asked_for(const struct loupe_snapshot *snapshot, uint32_t class_number,
                              const char *pattern);

/* In the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_instances_find(struct loupe_instances *instances,
                                       struct loupe_heap_question *question,
                                       const struct loupe_instances_asked *asked);

/* The keys of the answer, into an object that is open. LOUPE_ENOMEM. */
enum loupe_status loupe_report_instances(struct loupe_json *json,
                                         const struct loupe_instances *instances);

#endif
