/*
 * verify.h - whether a change does what it is for: the sources are copied, changed, built and run
 * as somebody says, and the same question is asked of what ran.
 *
 * Programs of the command say at their end what they leak (libloupe_leaks, on Linux); what else
 * runs may add an answer of `loupe leaks --json` to $LOUPE_LEAKS_FILE, a line each.
 */
#ifndef LOUPE_CLI_FIX_VERIFY_H
#define LOUPE_CLI_FIX_VERIFY_H

#include "fix/changes/choice.h"
#include "fix/changes/patch.h"

enum fix_outcome {
    FIX_GONE,
    FIX_STILL_THERE,
    FIX_COMMAND_FAILED, /* it did not build, or a test of it failed */
    FIX_NOT_ASKED,      /* no program said what it leaks, or not all of it */
    FIX_OUTCOME_COUNT
};

/* "gone", "still-there", "command-failed", "not-asked" */
const char *fix_outcome_name(enum fix_outcome outcome);

struct fix_trial {
    const char *folder; /* of the sources */
    const struct fix_change *change;
    const struct fix_choice *choice;
    const char *command; /* for sh -c, as it was typed */
    uint64_t timeout;    /* in microseconds */
};

struct fix_verified {
    enum fix_outcome outcome;
    int status;        /* that the command ended with; 128 + a signal's number */
    bool is_timed_out; /* then it was killed */
    unsigned programs; /* that said what they leak */
    unsigned left;     /* leaks of all of them */
};

/* False: it could not be tried. */
bool fix_verify(const struct fix_trial *trial, struct loupe_arena *arena, struct fix_verified *ret,
                struct fix_reason *reason);

#endif
