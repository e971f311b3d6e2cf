/*
 * Apple's runtime (objc4-818 to 951: NSObject.mm, objc-object.h, objc-weak.mm; libclosure-63 to 96:
 * runtime.cpp).
 *
 * An object with a packed isa, of a class that counts the usual way, is released by counting down
 * the high bits of the isa. Weak slots: objc_destroyWeak() leaves no mark on the slot, but it takes
 * the slot off the runtime's list of weak references. So each silent word is put on that list as a
 * weak reference to a detector; after the helper ran, ending the detectors' weak references clears
 * the slots that are still on it. Those that keep their value were destroyed.
 *
 * The lists are in the side tables, one of which is chosen by an object's address. Detectors are
 * chosen so that the table is not locked, and for weak references so that it has room: then the
 * runtime waits for nobody and allocates nothing.
 */
#include "probe/detectors.h"

#if defined(__APPLE__)
#include <TargetConditionals.h>
#endif

#define DEFAULT_COUNTING (UINT64_C(1) << 2) /* FAST_HAS_DEFAULT_RR of a class's bits word */

#if defined(__APPLE__) && TARGET_OS_IPHONE && !TARGET_OS_SIMULATOR
enum { STRIPES = 8 };
#else
enum { STRIPES = 64 };
#endif

enum { CLASS_BITS = 32, WEAK_PASS = 1, FIRST_SIZE_TO_SHRINK = 1024 };

_Static_assert((int)STRIPES <= (int)LOUPE_DETECTOR_STRIPES, "detectors keep room for all stripes");

/* One of the runtime's side tables. */
struct side_table {
    uint32_t lock;
    uint64_t counts[3];
    uint64_t weak_entries, weak_count, weak_mask, longest_search;
};

_Static_assert(sizeof(struct side_table) == 64, "the stride of the side tables");

static bool read_u64(struct loupe_images *images, loupe_addr addr, uint64_t *ret) {
    const uint64_t *word = loupe_images_bytes(images, addr, sizeof(*word), sizeof(*word));
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
    *why_ret = DETECTOR_NO_USUAL_CLASS;
    if (loupe_images_find(images, "OBJC_CLASS_$_NSObject", &cls) ||
        !read_u64(images, cls + CLASS_BITS, &bits) || !(bits & DEFAULT_COUNTING) ||
        (cls & ~class_mask))
        return false;
    detectors->isa = magic_value | cls | many_owners(magic_mask);
    detectors->init_weak = find_function(images, "objc_initWeak");
    detectors->destruct = find_function(images, "objc_destructInstance");
    read_variable(images, "objc_debug_side_tables_map", &detectors->side_tables);
    return true;
}

/* ---- Side tables ---- */

static unsigned stripe_of(const struct loupe_detector *cell) {
    uintptr_t address = (uintptr_t)&cell->isa;
    return (unsigned)((address >> 4 ^ address >> 9) % STRIPES);
}

static const struct side_table *side_table(const struct loupe_detectors *detectors,
                                           unsigned stripe) {
    return detectors->side_tables
               ? loupe_images_bytes(detectors->images,
                                    detectors->side_tables + stripe * sizeof(struct side_table),
                                    sizeof(struct side_table), _Alignof(struct side_table))
               : NULL;
}

/* Where the tables are not known, that no thread works on them has to be hoped. */
static bool is_usable(const struct loupe_detectors *detectors, const struct loupe_detector *cell) {
    const struct side_table *table = side_table(detectors, stripe_of(cell));
    return !table || !table->lock;
}

/* How many objects can get their first weak reference, and lose it, without a change of size. */
static unsigned room_in(const struct side_table *table) {
    uint64_t size = table && table->weak_entries && !table->lock ? table->weak_mask + 1 : 0;
    uint64_t full = size / 4 * 3;
    bool would_shrink = size >= FIRST_SIZE_TO_SHRINK && table->weak_count <= size / 16;
    if (would_shrink || !size || table->weak_count >= full)
        return 0;
    return full - table->weak_count > UINT16_MAX ? UINT16_MAX
                                                 : (unsigned)(full - table->weak_count);
}

/* ---- Weak slots ---- */

static void begin_round(struct loupe_detectors *detectors, unsigned pass) {
    (void)pass;
    detectors->next_cell = LOUPE_DETECTORS_MAX; /* the ones before may stand in other slots */
    for (unsigned i = 0; i < STRIPES; i++)
        detectors->room[i] = (uint16_t)room_in(side_table(detectors, i));
}

static struct loupe_detector *take_cell_with_room(struct loupe_detectors *detectors, unsigned i) {
    while (detectors->next_cell < LOUPE_DETECTOR_CELLS) {
        unsigned number = detectors->next_cell++;
        struct loupe_detector *cell = &detectors->cells[number];
        uint16_t *room = &detectors->room[stripe_of(cell)];
        if (*room) {
            --*room;
            detectors->other_of[i] = (uint16_t)number;
            return cell;
        }
    }
    return NULL;
}

static bool arm(struct loupe_detectors *detectors, unsigned pass, unsigned i, uintptr_t *slot) {
    (void)pass;
    struct loupe_detector *cell =
        detectors->init_weak && detectors->destruct ? take_cell_with_room(detectors, i) : NULL;
    if (!cell)
        return false;
    void *(*init_weak)(void *, void *) = (void *(*)(void *, void *))detectors->init_weak;
    *cell = (struct loupe_detector){.isa = detectors->isa};
    init_weak(slot, &cell->isa);
    return true;
}

static enum loupe_probed_release read(struct loupe_detectors *detectors, unsigned pass, unsigned i,
                                      const uintptr_t *slot) {
    (void)pass;
    void *(*destruct)(void *) = (void *(*)(void *))detectors->destruct;
    destruct(&detectors->cells[detectors->other_of[i]].isa);
    return *slot ? LOUPE_RELEASE_WEAK : LOUPE_RELEASE_NONE;
}

const struct loupe_detector_runtime loupe_detectors_apple = {.abi = "apple",
                                                             .passes = WEAK_PASS + 1,
                                                             .prepare = prepare,
                                                             .is_usable = is_usable,
                                                             .begin_round = begin_round,
                                                             .arm = arm,
                                                             .read = read};
