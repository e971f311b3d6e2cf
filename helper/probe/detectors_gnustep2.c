/*
 * GNUstep's libobjc2 (1.9 to 2.3: arc.mm, blocks_runtime.m).
 *
 * Instances of most classes are counted in the word before them. A heap block is told by its isa
 * alone and counted behind its flags, so it needs a pass of its own. A weak slot holds a pointer to
 * a record that counts its slots; the record's isa is a variable that only a symbol table names.
 */
#include "probe/detectors.h"

#define FAST_COUNTING (UINT64_C(1) << 11) /* objc_class_flag_fast_arc of a class's info word */
#define MANY          UINT64_C(0x1000)

enum { CLASS_INFO = 32, BLOCK_PASS = 1, WEAK_PASS = 2 };

static loupe_addr find(struct loupe_images *images, const char *name) {
    loupe_addr addr;
    return loupe_images_find(images, name, &addr) ? 0 : addr;
}

/* The mutex around all weak references; its first word is 0 while nobody holds it. */
static bool weak_references_are_locked(struct loupe_images *images) {
    loupe_addr mutex = find(images, "_ZN12_GLOBAL__N_111weakRefLockE");
    const uint32_t *word =
        mutex ? loupe_images_bytes(images, mutex, sizeof(*word), sizeof(*word)) : NULL;
    return word && *word;
}

static bool prepare(struct loupe_detectors *detectors, const char **why_ret) {
    struct loupe_images *images = detectors->images;
    loupe_addr cls = find(images, "._OBJC_CLASS_NSObject");
    const uint64_t *info =
        cls ? loupe_images_bytes(images, cls + CLASS_INFO, sizeof(*info), sizeof(*info)) : NULL;
    *why_ret = "the runtime's weak references are locked";
    if (weak_references_are_locked(images))
        return false;
    *why_ret = DETECTOR_NO_USUAL_CLASS;
    if (!info || !(*info & FAST_COUNTING))
        return false;
    detectors->isa = cls;
    detectors->before = MANY;
    detectors->block_isa = find(images, "_NSConcreteMallocBlock");
    detectors->weak_isa = find(images, "_ZL13weakref_class");
    return true;
}

/* Flags 0, and the count behind them. */
static const uint64_t block_word = MANY << 32;

static bool arm(struct loupe_detectors *detectors, unsigned pass, unsigned i, uintptr_t *slot) {
    struct loupe_detector *detector = &detectors->cells[detectors->cell_of[i]];
    (void)slot;
    if (pass == BLOCK_PASS) {
        detector->isa = detectors->block_isa;
        detector->forwarding = block_word;
        return detectors->block_isa != 0;
    }
    detector->isa = detectors->weak_isa;
    detector->forwarding = 0; /* the object: it is gone */
    detector->byref.isa = MANY;
    return detectors->weak_isa != 0;
}

static enum loupe_probed_release read(struct loupe_detectors *detectors, unsigned pass, unsigned i,
                                      const uintptr_t *slot) {
    const struct loupe_detector *detector = &detectors->cells[detectors->cell_of[i]];
    (void)slot;
    if (pass == BLOCK_PASS)
        return detector->forwarding == block_word ? LOUPE_RELEASE_NONE : LOUPE_RELEASE_BLOCK;
    return detector->byref.isa == MANY ? LOUPE_RELEASE_NONE : LOUPE_RELEASE_WEAK;
}

const struct loupe_detector_runtime loupe_detectors_gnustep2 = {
    .abi = "gnustep2", .passes = WEAK_PASS + 1, .prepare = prepare, .arm = arm, .read = read};
