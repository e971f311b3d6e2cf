/*
 * GNUstep's libobjc2 (1.9 to 2.3: arc.mm, blocks_runtime.m).
 *
 * Instances of most classes are counted in the word before them. A heap block is told by its isa
 * alone and counted behind its flags, so it needs a pass of its own. A weak slot holds a pointer to
 * a record that counts its slots; the record's isa is a variable that only a symbol table names.
 */
#include "detectors.h"

#define FAST_COUNTING (UINT64_C(1) << 11) /* objc_class_flag_fast_arc of a class's info word */
#define MANY          UINT64_C(0x1000)

enum { CLASS_INFO = 32, BLOCK_PASS = 1, WEAK_PASS = 2 };

static bool prepare(struct loupe_detectors *detectors, const char **why_ret) {
    struct loupe_images *images = detectors->images;
    loupe_addr cls;
    const uint64_t *info;
    *why_ret = "no class that counts references the usual way";
    if (loupe_images_find(images, "._OBJC_CLASS_NSObject", &cls) ||
        !(info = loupe_images_bytes(images, cls + CLASS_INFO, sizeof(*info))) ||
        !(*info & FAST_COUNTING))
        return false;
    detectors->isa = cls;
    detectors->before = MANY;
    loupe_images_find(images, "_NSConcreteMallocBlock", &detectors->block_isa);
    if (loupe_images_find(images, "_ZL13weakref_class", &detectors->weak_isa))
        loupe_images_find(images, "_ZN12_GLOBAL__N_113weakref_classE", &detectors->weak_isa);
    detectors->tests_weak = detectors->weak_isa != 0;
    return true;
}

/* Flags 0, and the count behind them. */
static const uint64_t block_word = MANY << 32;

static void arm(struct loupe_detectors *detectors, unsigned pass, unsigned i, uintptr_t *slot) {
    struct loupe_detector *detector = &detectors->items[i];
    (void)slot;
    if (pass == BLOCK_PASS && detectors->block_isa) {
        detector->isa = detectors->block_isa;
        detector->forwarding = block_word;
    } else if (pass == WEAK_PASS && detectors->weak_isa) {
        detector->isa = detectors->weak_isa;
        detector->forwarding = 0; /* the object: it is gone */
        detector->byref.isa = MANY;
    }
}

static enum loupe_release read(struct loupe_detectors *detectors, unsigned pass, unsigned i,
                               uintptr_t *slot) {
    const struct loupe_detector *detector = &detectors->items[i];
    (void)slot;
    if (pass == BLOCK_PASS && detectors->block_isa && detector->forwarding != block_word)
        return LOUPE_RELEASE_BLOCK;
    if (pass == WEAK_PASS && detectors->weak_isa && detector->byref.isa != MANY)
        return LOUPE_RELEASE_WEAK;
    return LOUPE_RELEASE_NONE;
}

const struct loupe_detector_runtime loupe_detectors_gnustep2 = {
    .abi = "gnustep2", .passes = WEAK_PASS + 1, .prepare = prepare, .arm = arm, .read = read};
