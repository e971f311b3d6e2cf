/*
 * detectors.h - objects that notice being released: the instrument of the dispose probe.
 *
 * A dispose helper releases what its block owns, word by word, with the functions of the runtime.
 * Handed a block whose words are detectors it shows which words it releases, and how. A detector is
 * memory of ours that looks to each of those functions like something with many owners left, so
 * that a release only counts down a number inside it: no object of the program takes part, no
 * message is sent, nothing is freed. It is all of these at once:
 *  - an object, by an isa (or a count before it) in the form that counts inline,
 *  - a block, by the flags behind the isa: on the heap, many owners,
 *  - the storage of a __block variable: those flags are the low half of its forwarding pointer,
 *    which leads to a header that says the same. So detectors live at addresses whose low half
 *    reads as such flags.
 * What cannot be had at once is told by running the helper again, over the words that stayed
 * silent, with detectors of another sort: weak slots, blocks that only their isa tells.
 *
 * What the runtime's functions lock is looked at first: a probe may be made while other threads are
 * stopped, wherever they are.
 */
#ifndef LOUPE_HELPER_DETECTORS_H
#define LOUPE_HELPER_DETECTORS_H

#include "images/images.h"

enum loupe_probed_release {
    LOUPE_RELEASE_NONE,
    LOUPE_RELEASE_STRONG, /* released as an object */
    LOUPE_RELEASE_BLOCK,  /* released as a block; blocks that ARC owns are released as objects */
    LOUPE_RELEASE_BYREF,  /* released as the storage of a __block variable */
    LOUPE_RELEASE_WEAK    /* destroyed as a weak slot */
};

enum {
    LOUPE_DETECTORS_MAX = 480,   /* words of one subject */
    LOUPE_DETECTOR_CELLS = 960,  /* detectors to choose from */
    LOUPE_DETECTOR_STRIPES = 64, /* of the tables in which a runtime keeps weak references */
};

/* 64 bytes; what a slot holds is the address of isa. */
struct loupe_detector {
    uint64_t spare;
    uint64_t before; /* libobjc2 counts here */
    uint64_t isa;
    uint64_t forwarding; /* to byref; its low half is a block's flags */
    struct {
        uint64_t isa, forwarding;
        uint32_t flags, size;
    } byref;
    uint64_t spare_end;
};

struct loupe_detectors {
    struct loupe_images *images;
    const struct loupe_detector_runtime *runtime;
    struct loupe_detector *cells;
    unsigned count;
    uint16_t cell_of[LOUPE_DETECTORS_MAX];  /* by word */
    uint16_t other_of[LOUPE_DETECTORS_MAX]; /* by word: a second cell, for a runtime's own use */
    uint64_t isa;                           /* of a detector as an object */
    uint64_t before;
    bool tests_weak; /* false: weak slots may have stayed silent */

    /* The runtimes' own. */
    uint64_t block_isa, weak_isa;          /* 0: not known */
    uint64_t side_tables;                  /* 0: not known */
    uint16_t room[LOUPE_DETECTOR_STRIPES]; /* weak references that fit without allocating */
    unsigned next_cell;                    /* the first that no word of this round has taken */
    void *init_weak, *destruct;            /* functions of the runtime; NULL: not found */
};

/* How one runtime counts. One per abi, found by the abi's name. */
struct loupe_detector_runtime {
    const char *abi;
    unsigned passes;
    /* Looks up what is needed. False, and a reason for people, when detectors would not be safe. */
    bool (*prepare)(struct loupe_detectors *detectors, const char **why_ret);
    /* Whether the runtime can work on this cell without waiting for a lock. NULL: always. */
    bool (*is_usable)(const struct loupe_detectors *detectors, const struct loupe_detector *cell);
    /* Before each round of a pass after the first one. May be NULL. */
    void (*begin_round)(struct loupe_detectors *detectors, unsigned pass);
    /* Puts word i's detector for the pass into the slot, which holds its usual one. False: not in
     * this round. */
    bool (*arm)(struct loupe_detectors *detectors, unsigned pass, unsigned i, uintptr_t *slot);
    /* What happened to a word that was armed. */
    enum loupe_probed_release (*read)(struct loupe_detectors *detectors, unsigned pass, unsigned i,
                                      const uintptr_t *slot);
};

extern const struct loupe_detector_runtime loupe_detectors_apple;
extern const struct loupe_detector_runtime loupe_detectors_gnustep2;
extern const struct loupe_detector_runtime loupe_detectors_gcc;

/*
 * Gets count detectors (at most LOUPE_DETECTORS_MAX) for the abi of that name. False, and a reason
 * for people, when there can be none. Runs no code of the program.
 */
bool loupe_detectors_init(struct loupe_detectors *detectors, struct loupe_images *images,
                          const char *abi, unsigned count, const char **why_ret);
void loupe_detectors_deinit(struct loupe_detectors *detectors);

/* Code of the program that releases what it finds in `subject`. */
struct loupe_detector_call {
    void (*run)(void *ctx, void *subject);
    void *ctx;
};

/*
 * Lets the code release the detectors in the count words from slots on, which lie in `subject`, and
 * tells for each what happened to it. This is the one place where code of the program runs.
 */
void loupe_detectors_run(struct loupe_detectors *detectors, struct loupe_detector_call call,
                         void *subject, uintptr_t *slots, uint8_t *releases);

/* Gives back detectors of a call that never returned. */
void loupe_detectors_reclaim(void);

/* Why nothing can be detected. */
#define DETECTOR_NO_USUAL_CLASS "no class that counts references the usual way"

#endif
