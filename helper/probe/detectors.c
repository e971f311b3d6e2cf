#include "probe/detectors.h"

#include "kernel/kernel.h"

#include <string.h>

/* Block flags that the low half of a forwarding pointer must have and must not have. */
#define NEEDS_FREE 0x01000000u
#define MANY       0x1000u /* owners, in whatever unit a runtime counts */

enum {
    PLACE_SIZE = 0x10000,
    FIRST_OFFSET = 0x400, /* in the place, so that the low 16 bits count many owners */
};

_Static_assert(sizeof(struct loupe_detector) == 64, "detectors are counted in address bits");
_Static_assert(FIRST_OFFSET + (size_t)LOUPE_DETECTOR_CELLS * sizeof(struct loupe_detector) <
                   PLACE_SIZE - 0x400,
               "the low 16 bits of a detector's address stay away from their limits");

static const struct loupe_detector_runtime *const runtimes[] = {
    &loupe_detectors_apple, &loupe_detectors_gnustep2, &loupe_detectors_gcc};

/* The pages of the detectors in use. */
static void *place;

/* 64 KB whose addresses end in 0x01000000 to 0x0100ffff: NEEDS_FREE, not IS_GLOBAL, some owners. */
static void *find_place(void) {
    static const uint32_t high_halves[] = {0x3,    0x5,    0x9,    0x11,   0x21,   0x41,   0x111,
                                           0x1511, 0x2511, 0x3511, 0x4511, 0x5111, 0x6511, 0x7511};
    for (unsigned i = 0; i < sizeof(high_halves) / sizeof(high_halves[0]); i++) {
        uintptr_t wanted = (uintptr_t)((uint64_t)high_halves[i] << 32 | NEEDS_FREE);
        void *got = loupe_kernel_map_at(wanted, PLACE_SIZE);
        if (got)
            return got;
    }
    return NULL;
}

void loupe_detectors_reclaim(void) {
    if (place)
        loupe_kernel_unmap(place, PLACE_SIZE);
    place = NULL;
}

/* Gives each word a cell of its own. */
static bool choose_cells(struct loupe_detectors *detectors) {
    const struct loupe_detector_runtime *runtime = detectors->runtime;
    unsigned word = 0;
    for (unsigned i = 0; i < LOUPE_DETECTOR_CELLS && word < detectors->count; i++)
        if (!runtime->is_usable || runtime->is_usable(detectors, &detectors->cells[i]))
            detectors->cell_of[word++] = (uint16_t)i;
    return word == detectors->count;
}

bool loupe_detectors_init(struct loupe_detectors *detectors, struct loupe_images *images,
                          const char *abi, unsigned count, const char **why_ret) {
    *detectors = (struct loupe_detectors){.images = images, .count = count, .tests_weak = true};
    for (unsigned i = 0; abi && i < sizeof(runtimes) / sizeof(runtimes[0]); i++)
        if (strcmp(runtimes[i]->abi, abi) == 0)
            detectors->runtime = runtimes[i];
    *why_ret = "the runtime is not one that detectors are made for";
    if (!detectors->runtime || sizeof(void *) != 8 || count > LOUPE_DETECTORS_MAX)
        return false;
    if (!detectors->runtime->prepare(detectors, why_ret))
        return false;
    *why_ret = "no place for detectors in the address space";
    place = find_place();
    if (!place)
        return false;
    detectors->cells = (struct loupe_detector *)(void *)((uint8_t *)place + FIRST_OFFSET);
    *why_ret = "the runtime's tables are locked";
    if (choose_cells(detectors))
        return true;
    loupe_detectors_reclaim();
    return false;
}

void loupe_detectors_deinit(struct loupe_detectors *detectors) {
    loupe_detectors_reclaim();
    detectors->cells = NULL;
}

/* ---- The first pass ---- */

static struct loupe_detector *cell_of(const struct loupe_detectors *detectors, unsigned word) {
    return &detectors->cells[detectors->cell_of[word]];
}

static void arm(struct loupe_detectors *detectors, unsigned word, uintptr_t *slot) {
    struct loupe_detector *detector = cell_of(detectors, word);
    uintptr_t header = (uintptr_t)&detector->byref;
    *detector = (struct loupe_detector){
        .before = detectors->before,
        .isa = detectors->isa,
        .forwarding = header,
        .byref = {.isa = 1, .forwarding = header, .flags = NEEDS_FREE | MANY, .size = 32}};
    *slot = (uintptr_t)&detector->isa;
}

static enum loupe_probed_release read_detector(const struct loupe_detectors *detectors,
                                               unsigned word) {
    const struct loupe_detector *detector = cell_of(detectors, word);
    if (detector->isa != detectors->isa || detector->before != detectors->before)
        return LOUPE_RELEASE_STRONG;
    if (detector->byref.flags != (NEEDS_FREE | MANY))
        return LOUPE_RELEASE_BYREF;
    if (detector->forwarding != (uintptr_t)&detector->byref)
        return LOUPE_RELEASE_BLOCK;
    return LOUPE_RELEASE_NONE;
}

/* ---- Further passes ---- */

enum { SILENT, ARMED, TOLD };

/* The words that are looked at, and what each told. */
struct words {
    uintptr_t *slots;
    uint8_t *releases;
    uint8_t states[LOUPE_DETECTORS_MAX];
};

/*
 * One run over some of the words that are still silent. Words that told already what they are hold
 * a usual detector again: code that releases them must find one. False: no word could be armed.
 */
static bool run_round(struct loupe_detectors *detectors, unsigned pass,
                      struct loupe_detector_call call, void *subject, struct words *words) {
    const struct loupe_detector_runtime *runtime = detectors->runtime;
    bool any = false;
    if (runtime->begin_round)
        runtime->begin_round(detectors, pass);
    for (unsigned i = 0; i < detectors->count; i++) {
        arm(detectors, i, &words->slots[i]);
        if (words->states[i] == SILENT && runtime->arm(detectors, pass, i, &words->slots[i])) {
            words->states[i] = ARMED;
            any = true;
        }
    }
    if (!any)
        return false;
    call.run(call.ctx, subject);
    for (unsigned i = 0; i < detectors->count; i++) {
        if (words->states[i] == ARMED) {
            words->releases[i] = (uint8_t)runtime->read(detectors, pass, i, &words->slots[i]);
            words->states[i] = TOLD;
        }
    }
    return true;
}

static void run_pass(struct loupe_detectors *detectors, unsigned pass,
                     struct loupe_detector_call call, void *subject, uintptr_t *slots,
                     uint8_t *releases) {
    struct words words = {.slots = slots, .releases = releases};
    for (unsigned i = 0; i < detectors->count; i++)
        words.states[i] = releases[i] == LOUPE_RELEASE_NONE ? SILENT : TOLD;
    while (memchr(words.states, SILENT, detectors->count))
        if (!run_round(detectors, pass, call, subject, &words)) {
            detectors->tests_weak = false;
            return;
        }
}

void loupe_detectors_run(struct loupe_detectors *detectors, struct loupe_detector_call call,
                         void *subject, uintptr_t *slots, uint8_t *releases) {
    for (unsigned i = 0; i < detectors->count; i++)
        arm(detectors, i, &slots[i]);
    call.run(call.ctx, subject);
    for (unsigned i = 0; i < detectors->count; i++)
        releases[i] = (uint8_t)read_detector(detectors, i);
    for (unsigned pass = 1; pass < detectors->runtime->passes; pass++)
        run_pass(detectors, pass, call, subject, slots, releases);
}
