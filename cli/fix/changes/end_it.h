/*
 * end_it.h - a timer, an observer's token, a source of events or a block that an ivar has, ended
 * and set to nil, or an observer removed, where the work of its owner ends: in the one method that
 * is called so (-stop, -viewDidDisappear:), which does nothing to it so far.
 */
#ifndef LOUPE_CLI_FIX_END_IT_H
#define LOUPE_CLI_FIX_END_IT_H

#include "fix/changes/patch.h"
#include "report/advice.h"

/* Names as an answer has them; they can be anything. */
struct fix_ended {
    struct loupe_span class_name, ivar;
    struct loupe_span held;    /* the class of what the ivar has */
    struct loupe_span remover; /* of LOUPE_REMOVE_OBSERVER: fix_find_remover() */
    enum loupe_change change;  /* one of those that end something; LOUPE_SET_TO_NIL */
    bool is_manual;            /* the class is built without ARC */
};

/* False: what speaks against it. */
bool fix_end_it(const char *folder, const struct fix_ended *ended, struct loupe_arena *arena,
                struct fix_change *ret, struct fix_reason *reason);

#endif
