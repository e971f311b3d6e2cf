/*
 * texts.h - the fixed texts about memory that more than one output says, each once: as literals, so
 * that formats are checked where they are used.
 */
#ifndef LOUPE_ANSWERS_TEXTS_H
#define LOUPE_ANSWERS_TEXTS_H

/* ---- Findings ---- */

#define ANSWER_RETAINS_ITSELF    "An object that retains itself"
#define ANSWER_MAY_RETAIN_ITSELF "An object that may retain itself"
#define ANSWER_NOT_OWNED         "pointed to but not owned"
#define ANSWER_UNTYPED_CYCLE     "Possible cycle through untyped memory"
#define ANSWER_UNTYPED_DOUBT                                                                       \
    "These pointers have no type, so they may own nothing; nothing else points here."
#define ANSWER_A_RELEASE           "a release is missing"
#define ANSWER_RELEASES            "releases are missing"
#define ANSWER_NO_DOMINATOR        "No object alone keeps it alive: roots or several objects do."
#define ANSWER_KNOWN_MISTAKE       "Known mistake: "
#define ANSWER_NOT_IN_CYCLE        "Not in a retain cycle"
#define ANSWER_RELEASE_IS_MISSING  ANSWER_NOT_IN_CYCLE ", not referenced: " ANSWER_A_RELEASE
#define ANSWER_CYCLES_NOT_SEARCHED " more cycle%s not searched"
#define ANSWER_MORE_EQUAL          " more equal to it"
#define ANSWER_OF_ALIVE            " %% of what is alive"

/* ---- Why ---- */

#define ANSWER_NOTHING_RETAINS   "leaked: nothing outside the cycle retains it"
#define ANSWER_NONE_RETAINS      "outside pointers remain, but none retains it"
#define ANSWER_OLD_VALUES        "only stack or register values point to it (possibly stale)"
#define ANSWER_HELD_BY_TIMER     "held only by its timer"
#define ANSWER_UNTIL_INVALIDATED ANSWER_HELD_BY_TIMER " until that is invalidated"
#define ANSWER_HELD_OUTSIDE      "held: something outside the cycle retains it"
#define ANSWER_SEE_LEAKS         "unreachable (see loupe leaks)"
#define ANSWER_OVER_LATE                                                                           \
    "only over unretained references, untyped pointers, soft references or known library leaks"
#define ANSWER_FROM_STACK "only from the stack of running code"
#define ANSWER_WAS_OF     ", it was of class "

/* ---- What to change ---- */

#define ANSWER_FIX               "Fix: "
#define ANSWER_ONE_FIX           "Fix:" /* above it */
#define ANSWER_ALL_FIXES         "Fix, all of these: "
#define ANSWER_FIXES             "Fixes, best first"
#define ANSWER_ADD_RELEASE       "add the missing release"
#define ANSWER_ADD_RELEASE_OF    ANSWER_ADD_RELEASE " of the %.*s"
#define ANSWER_DELETE_OF         "delete the %.*s, or have a std::unique_ptr own it"
#define ANSWER_ADD_RELEASES      ANSWER_ADD_RELEASE "s"
#define ANSWER_MAKE_WEAK_OR      "make it weak, or "
#define ANSWER_CLEAR_DANGLING    "set it to nil before the object is freed"
#define ANSWER_BREAKS_KNOT       "breaks every loop"
#define ANSWER_BREAKS_EVERYWHERE "breaks every loop if done in all objects of the class"
#define ANSWER_BREAKS_RING       "breaks this loop only"
#define ANSWER_BREAKS_ONE_RING   "breaks one loop only"

/* ---- Help of a report for CI ---- */

#define ANSWER_HELP_CYCLE                                                                          \
    "Make one of the references weak, capture it weakly, or clear it when the work is done. The "  \
    "message names the reference to change."
#define ANSWER_HELP_LEAK                                                                           \
    "The object is unreachable, or nothing owns it: a release is missing, or the last reference "  \
    "was overwritten."

#endif
