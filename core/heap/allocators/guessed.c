/*
 * Blocks where no table tells of them: objects of the runtime that stand in memory of nobody's.
 * Whoever freed them left their class there in most allocators, so that they may be gone.
 */
#include "blocks/block.h"
#include "heap/allocators/allocation_scan.h"
#include "runtime/object.h"

#include <string.h>

enum { ALIGNMENT = 16 };

struct guesses {
    struct loupe_allocation_scan *scan;
    struct loupe_ranges left;
};

/* Classes are data of images; those that are made later are found where objects of others lead. */
static bool may_be_object(const struct guesses *guesses, loupe_addr address) {
    const struct loupe_target *target = guesses->scan->target;
    uint64_t isa;
    if (loupe_memory_read_word(target->memory, address, &isa) || !isa)
        return false;
    loupe_addr cls = target->abi->class_of_isa(target, isa);
    return cls >= LOUPE_PAGE_SIZE && cls % target->memory->machine.pointer_size == 0 &&
           !loupe_ranges_hold(&guesses->left, cls);
}

static uint64_t size_of(const struct loupe_target *target, const struct loupe_object *object) {
    struct loupe_block block;
    switch (loupe_object_kind(object)) {
    case LOUPE_NODE_OBJECT:
        return object->cls->instance_size;
    case LOUPE_NODE_BLOCK:
        return !loupe_block_read(target->memory, object->address, target->abi->block_traits(target),
                                 &block, NULL) &&
                       block.has_retain_count
                   ? block.size
                   : 0;
    default:
        return 0;
    }
}

/* A Foundation has words before what it makes; class_createInstance() of GCC's runtime has none. */
static bool is_of_foundation(struct loupe_target *target, const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level, *root = cls;
    while ((level = loupe_class_chain_next(target, &chain)))
        root = level;
    return strcmp(root->name, "NSObject") == 0 || strcmp(root->name, "NSProxy") == 0;
}

/* Where the allocation of an object begins: malloc() aligns it, and the runtime has words there. */
static bool find_start(struct loupe_target *target, const struct loupe_object *object,
                       loupe_addr *ret) {
    bool is_bare = loupe_object_kind(object) == LOUPE_NODE_BLOCK ||
                   (object->address % ALIGNMENT == 0 && !is_of_foundation(target, object->cls));
    uint32_t before = is_bare ? 1 : target->abi->words_before_object;
    for (unsigned words = 0; before >> words; words++) {
        *ret = object->address - (loupe_addr)words * target->memory->machine.pointer_size;
        if ((before >> words & 1) && *ret % ALIGNMENT == 0)
            return true;
    }
    return false;
}

/* AddressSanitizer has 16 bytes before each block; the first one is 2 while it is in use. */
static bool is_said_to_be_freed(const struct loupe_allocation_scan *scan, loupe_addr start) {
    enum { HEADER = 16, IN_USE = 2 };
    uint64_t header;
    return scan->says_states &&
           (loupe_memory_read_u64(scan->target->memory, start - HEADER, &header) ||
            (header & 0xff) != IN_USE);
}

static enum loupe_status guess_at(struct guesses *guesses, loupe_addr address, loupe_addr *end) {
    struct loupe_allocation_scan *scan = guesses->scan;
    struct loupe_object object;
    loupe_addr start;
    if (!may_be_object(guesses, address))
        return LOUPE_OK;
    enum loupe_status status = loupe_object_at(scan->target, address, &object, NULL);
    if (status)
        return status == LOUPE_ENOMEM ? status : LOUPE_OK;
    uint64_t size = size_of(scan->target, &object);
    if (!size || !find_start(scan->target, &object, &start) || start < *end)
        return LOUPE_OK;
    if (is_said_to_be_freed(scan, start)) {
        loupe_allocation_scan_at(scan, scan->unread)->free_blocks++;
        return LOUPE_OK;
    }
    *end = address + size;
    return loupe_allocation_scan_add(scan, start, *end - start, scan->unread);
}

static enum loupe_status guess_in(struct guesses *guesses, const struct loupe_range *memory) {
    struct loupe_memory *reader = guesses->scan->target->memory;
    uint8_t word = reader->machine.pointer_size;
    enum loupe_status status = LOUPE_OK;
    loupe_addr at = memory->start + (word - memory->start % word) % word, end = at;
    for (uint64_t step = 0; !status && at < memory->end && memory->end - at >= word; step++) {
        if (loupe_memory_ends_at(reader, step))
            return LOUPE_ETIMEOUT;
        status = guess_at(guesses, at, &end);
        at = end > at ? end + (word - end % word) % word : at + word;
    }
    return status;
}

enum loupe_status loupe_take_guessed(struct loupe_allocation_scan *scan) {
    struct guesses guesses = {.scan = scan};
    enum loupe_status status = LOUPE_OK;
    if (!scan->has_unread && !scan->blocks->allocators.count) {
        status = loupe_allocation_scan_allocator(
            scan,
            (struct loupe_allocator){
                .name = "an allocator that is not known",
                .guessed = true,
                .doubt =
                    "no tables were found: only objects are, and freed ones may be among them"},
            &scan->unread);
        scan->has_unread = !status;
    }
    if (status || !scan->has_unread || !scan->target->abi || !scan->target->abi->class_of_isa)
        return status;
    status = loupe_allocation_scan_unexplained(scan, &guesses.left);
    for (uint32_t i = 0; !status && i < loupe_ranges_count(&guesses.left); i++)
        status = guess_in(&guesses, loupe_ranges_at(&guesses.left, i));
    loupe_ranges_deinit(&guesses.left);
    return status;
}
