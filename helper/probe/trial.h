/*
 * trial.h - one run of code of the program over detectors (detectors.h): whether it may be made,
 * and what it told. What the dispose probes of blocks and of objects have in common.
 *
 * A probe fills in a trial's first part, looks whether the run would be safe, and makes it. Where
 * it would not be safe, loupe_trial_skip() says why, and nothing runs.
 */
#ifndef LOUPE_HELPER_TRIAL_H
#define LOUPE_HELPER_TRIAL_H

#include "base/json.h"
#include "base/target/target.h"
#include "probe/detectors.h"
#include "self_reader.h"

enum { LOUPE_TRIAL_WORD = sizeof(uintptr_t), LOUPE_TRIAL_NAME = 256 };

struct loupe_trial {
    struct loupe_self *self;
    struct loupe_target *target;
    loupe_addr code;        /* what is run; 0: there is none */
    const uint64_t *header; /* what the subject begins with: header_words words */
    unsigned header_words;  /* at least 1 */
    unsigned first_word;    /* the first that holds a detector; the others hold 0 */
    unsigned word_count;    /* that hold one */

    /* What came of it. */
    char code_name[LOUPE_TRIAL_NAME];      /* "": not known */
    char skipped[LOUPE_TRIAL_NAME + 64];   /* why it was not made; "": it was */
    bool tests_weak;                       /* false: weak slots may have stayed silent */
    bool cached;                           /* the same code was run before */
    uint8_t releases[LOUPE_DETECTORS_MAX]; /* enum loupe_probed_release, from first_word on */
};

/* Always false. format has one %s for detail, if there is one. */
bool loupe_trial_skip(struct loupe_trial *trial, const char *format, const char *detail);

/*
 * Whether clang made the code: by its name, where it has one, and else by its place in an image
 * without Swift. clang's code releases what it finds in the subject, and nothing else; others may
 * count objects in ways of their own (Swift's does), or look at more. neighbours lie in the image
 * whose code it has to be.
 */
bool loupe_trial_is_clangs(struct loupe_trial *trial, bool (*is_clangs_name)(const char *name),
                           const loupe_addr *neighbours, unsigned neighbour_count);

/* Whether detectors can be had for so many words, and code be called here at all. */
bool loupe_trial_is_possible(struct loupe_trial *trial);

/*
 * Runs the code on a subject of header_words and word_count detectors, or remembers what it did.
 * run calls the code at *ctx, a loupe_addr.
 */
void loupe_trial_make(struct loupe_trial *trial, void (*run)(void *ctx, void *subject));

/* Keys of an answer: "skipped", "weak_tested", "cached". */
void loupe_trial_write_outcome(struct loupe_json *json, const struct loupe_trial *trial);
/* "evidence":["probe"]. */
void loupe_trial_write_evidence(struct loupe_json *json);
/* A key with {"address","symbol"} of the code, or null. */
void loupe_trial_write_code(struct loupe_json *json, const char *key,
                            const struct loupe_trial *trial);

#endif
