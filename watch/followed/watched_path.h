/*
 * watched_path.h - what a PATH of a rule leads to (core/snapshot/rules/rules.h).
 */
#ifndef LOUPE_WATCH_WATCHED_PATH_H
#define LOUPE_WATCH_WATCHED_PATH_H

#include "objects/interception.h"
#include "snapshot/rules/rules.h"

enum { WATCH_MOST_STEPS = 8 };

struct watch_path {
    unsigned argument; /* from 1; 0: it begins with self */
    struct {
        watch_sel getter;
        bool is_repeated;
    } steps[WATCH_MOST_STEPS];
    unsigned step_count;
};

/* NULL, or what is wrong with it. There is a runtime. */
const char *watch_path_parse(struct loupe_span text, struct watch_path *ret);

/*
 * Visits all objects that it leads to, elements of collections one by one; nil is none. call may be
 * NULL where the path has no argument: self stands for all of it then. Not deeper than 256 for a
 * repeated step: *ret_is_cut tells.
 */
void watch_path_visit(const struct watch_path *path, watch_id self, const struct watch_call *call,
                      void (*visit)(watch_id object, void *context), void *context,
                      bool *ret_is_cut);

/* What it leads to without taking collections apart. False: something on the way does not answer.
 */
bool watch_path_value(const struct watch_path *path, watch_id self, const struct watch_call *call,
                      struct watch_value *ret);

#endif
