/*
 * Apple's runtime (objc4-818 to 951: NSObject.mm, objc-object.h; libclosure-63 to 96: runtime.cpp).
 *
 * An object with a packed isa, of a class that counts the usual way, is released by counting down
 * the high bits of the isa. Weak slots: objc_destroyWeak() leaves no mark on the slot, but it takes
 * the slot off the runtime's list of weak references. So each silent word is put on that list as a
 * weak reference to its own detector; after the helper ran, ending the detectors' weak references
 * clears the slots that are still on it. Those that keep their value were destroyed.
 */
#include "detectors.h"

#define DEFAULT_COUNTING (UINT64_C(1) << 2) /* FAST_HAS_DEFAULT_RR of a class's bits word */

enum { CLASS_BITS = 32, WEAK_PASS = 1 };

static bool read_u64(struct loupe_images *images, loupe_addr addr, uint64_t *ret) {
    const uint64_t *word = loupe_images_bytes(images, addr, sizeof(*word));
    if (word)
        *ret = *word;
    return word != NULL;
}

static bool read_variable(struct loupe_images *images, const char *name, uint64_t *ret) {
    loupe_addr addr;
    return loupe_images_find(images, name, &addr) == LOUPE_OK && read_u64(images, addr, ret);
}

/* One owner in the isa: below the count's field begins where the forms of the isa differ. */
static uint64_t many_owners(uint64_t magic_mask) {
    const uint64_t classic_arm64 = UINT64_C(0x000003f000000001);
    return UINT64_C(64) << (magic_mask == classic_arm64 ? 45 : 56);
}

static void *find_function(struct loupe_images *images, const char *name) {
    loupe_addr addr;
    return loupe_images_find(images, name, &addr) ? NULL : (void *)(uintptr_t)addr;
}

static bool prepare(struct loupe_detectors *detectors, const char **why_ret) {
    struct loupe_images *images = detectors->images;
    uint64_t magic_mask, magic_value, class_mask, bits;
    loupe_addr cls;
    *why_ret = "the runtime does not keep retain counts in the isa";
    if (!read_variable(images, "objc_debug_isa_magic_mask", &magic_mask) ||
        !read_variable(images, "objc_debug_isa_magic_value", &magic_value) ||
        !read_variable(images, "objc_debug_isa_class_mask", &class_mask) || !(magic_value & 1))
        return false;
    *why_ret = "no class that counts references the usual way";
    if (loupe_images_find(images, "OBJC_CLASS_$_NSObject", &cls) ||
        !read_u64(images, cls + CLASS_BITS, &bits) || !(bits & DEFAULT_COUNTING) ||
        (cls & ~class_mask))
        return false;
    detectors->isa = magic_value | cls | many_owners(magic_mask);
    detectors->init_weak = find_function(images, "objc_initWeak");
    detectors->destruct = find_function(images, "objc_destructInstance");
    detectors->tests_weak = detectors->init_weak && detectors->destruct;
    return true;
}

static void arm(struct loupe_detectors *detectors, unsigned pass, unsigned i, uintptr_t *slot) {
    (void)pass;
    if (!detectors->tests_weak)
        return;
    void *(*init_weak)(void *, void *) = (void *(*)(void *, void *))detectors->init_weak;
    init_weak(slot, &detectors->items[i].isa);
}

static enum loupe_release read(struct loupe_detectors *detectors, unsigned pass, unsigned i,
                               uintptr_t *slot) {
    (void)pass;
    if (!detectors->tests_weak)
        return LOUPE_RELEASE_NONE;
    void *(*destruct)(void *) = (void *(*)(void *))detectors->destruct;
    destruct(&detectors->items[i].isa);
    return *slot ? LOUPE_RELEASE_WEAK : LOUPE_RELEASE_NONE;
}

const struct loupe_detector_runtime loupe_detectors_apple = {
    .abi = "apple", .passes = WEAK_PASS + 1, .prepare = prepare, .arm = arm, .read = read};
