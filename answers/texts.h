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
#define ANSWER_A_RELEASE          "a release is missing"
#define ANSWER_RELEASES           "releases are missing"
#define ANSWER_RELEASE_IS_MISSING "Not in a retain cycle, not referenced: " ANSWER_A_RELEASE
#define ANSWER_NO_DOMINATOR       "No object alone keeps it alive: roots or several objects do."
#define ANSWER_KNOWN_MISTAKE      "Known mistake: "

/* ---- What to change ---- */

#define ANSWER_FIX               "Fix: "
#define ANSWER_ONE_FIX           "Fix:" /* above it */
#define ANSWER_ALL_FIXES         "Fix, all of these: "
#define ANSWER_FIXES             "Fixes, best first"
#define ANSWER_ADD_RELEASE       "add the missing release"
#define ANSWER_ADD_RELEASE_OF    ANSWER_ADD_RELEASE " of the %.*s"
#define ANSWER_ADD_RELEASES      ANSWER_ADD_RELEASE "s"
#define ANSWER_MAKE_WEAK_OR      "make it weak, or "
#define ANSWER_CLEAR_DANGLING    "set it to nil before the object is freed"
#define ANSWER_BREAKS_KNOT       "breaks every loop"
#define ANSWER_BREAKS_EVERYWHERE "breaks every loop if weak in all objects of the class"
#define ANSWER_BREAKS_RING       "breaks this loop only"

/* ---- Help of a report for CI ---- */

#define ANSWER_HELP_CYCLE                                                                          \
    "Make one of the references weak, capture it weakly, or clear it when the work is done. The "  \
    "message names the reference to change."
#define ANSWER_HELP_LEAK                                                                           \
    "The object is unreachable, or nothing owns it: a release is missing, or the last reference "  \
    "was overwritten."

#endif
