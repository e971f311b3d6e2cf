#include "runtime/freed.h"

#include "blocks/block.h"
#include "runtime/abi.h"
#include "runtime/free_chunks.h"
#include "runtime/object.h"

#include <string.h>

const char *loupe_freed_text(enum loupe_freed_mark mark) {
    static const char *const texts[] = {
        [LOUPE_FREED_NO_MARK] = "nothing tells of it",
        [LOUPE_FREED_COUNT] = "its retain count is not one that an object could have",
        [LOUPE_FREED_DYING] = "its retain count is 0, as it is from the call of -dealloc on",
        [LOUPE_FREED_FILLED] = ("its first word is one byte repeated, as debugging allocators "
                                "leave freed memory"),
        [LOUPE_FREED_POISONED] = "its isa is 0xdeadface, which gnustep-base writes there last",
        [LOUPE_FREED_CHUNK] = "malloc has its memory among the free chunks",
        [LOUPE_FREED_ZOMBIE] = "a zombie stands in its place",
    };
    return texts[mark];
}

/* ---- Zombies ---- */

/* Apple's are of a class of their own for each class; GNUstep's are all of one, with a table. */
static const char apples[] = "_NSZombie_", gnusteps[] = "NSZombie";

bool loupe_freed_is_zombie(const char *class_name) {
    return strncmp(class_name, apples, sizeof(apples) - 1) == 0 ||
           strcmp(class_name, gnusteps) == 0;
}

static bool is_zombie(struct loupe_target *target, const struct loupe_object *object,
                      struct loupe_freed *ret) {
    const char *name = object->cls->name;
    if (!loupe_freed_is_zombie(name))
        return false;
    if (name[0] == '_')
        ret->was = name[sizeof(apples) - 1] ? name + sizeof(apples) - 1 : NULL;
    else if (target->abi->class_of_zombie)
        ret->was = target->abi->class_of_zombie(target, object->address);
    return true;
}

/* ---- Words that say it by themselves ---- */

enum { POISON = 0xdeadface };

/* Those that memory is filled with when it is handed out are left alone. */
static bool is_filled(const struct loupe_target *target, uint64_t word) {
    static const uint8_t fresh[] = {0x00, 0xaa, 0xa5, 0xbe, 0xff};
    uint64_t ones = target->memory->machine.pointer_size == 8 ? 0x0101010101010101 : 0x01010101;
    return word == (word & 0xff) * ones && !memchr(fresh, (int)(word & 0xff), sizeof(fresh));
}

static enum loupe_freed_mark mark_of_isa(const struct loupe_target *target, uint64_t isa) {
    if (isa == POISON)
        return LOUPE_FREED_POISONED;
    return is_filled(target, isa) ? LOUPE_FREED_FILLED : LOUPE_FREED_NO_MARK;
}

static enum loupe_freed_mark mark_of_count(struct loupe_target *target,
                                           const struct loupe_object *object) {
    uint64_t count;
    switch (target->abi->retain_count(target, object, &count)) {
    case LOUPE_COUNT_IMPOSSIBLE:
        return LOUPE_FREED_COUNT;
    case LOUPE_COUNT_KNOWN:
        return count ? LOUPE_FREED_NO_MARK : LOUPE_FREED_DYING;
    case LOUPE_COUNT_UNKNOWN:
    case LOUPE_COUNT_IMMORTAL:
        break;
    }
    return LOUPE_FREED_NO_MARK;
}

/* ---- What was malloc()ed ---- */

/* How many words of its allocation may stand before it: a set of 1 << number. */
static uint32_t words_before(const struct loupe_target *target, const struct loupe_object *object) {
    uint32_t of_objects = target->abi->words_before_object, of_blocks = 1u << 0;
    if (!object)
        return of_objects | of_blocks;
    return object->cls->kind == LOUPE_INSTANCE_BLOCK ? of_blocks : of_objects;
}

/* object NULL: it is none any more. */
static bool is_in_free_chunk(struct loupe_target *target, loupe_addr address,
                             const struct loupe_object *object) {
    uint32_t size = object ? object->cls->instance_size : 0, before = words_before(target, object);
    for (unsigned words = 0; before >> words; words++) {
        if (before >> words & 1 && loupe_is_in_free_chunk(target->memory, address, words, size))
            return true;
    }
    return false;
}

/* ---- All of them ---- */

static enum loupe_freed_mark mark_of_none(struct loupe_target *target, loupe_addr address) {
    uint64_t isa;
    if (address % target->memory->machine.pointer_size ||
        loupe_memory_read_word(target->memory, address, &isa))
        return LOUPE_FREED_NO_MARK;
    if (isa != POISON && is_in_free_chunk(target, address, NULL))
        return LOUPE_FREED_CHUNK;
    return mark_of_isa(target, isa);
}

static enum loupe_freed_mark mark_of_block(struct loupe_target *target,
                                           const struct loupe_object *object) {
    struct loupe_block block;
    if (loupe_block_read(target->memory, object->address, target->abi->block_traits(target), &block,
                         NULL) == LOUPE_OK) {
        if (!block.has_retain_count)
            return LOUPE_FREED_NO_MARK; /* it was not malloc()ed */
        if (!block.retain_count)
            return LOUPE_FREED_DYING;
    }
    return is_in_free_chunk(target, object->address, object) ? LOUPE_FREED_CHUNK
                                                             : LOUPE_FREED_NO_MARK;
}

static enum loupe_freed_mark mark_of_object(struct loupe_target *target,
                                            const struct loupe_object *object,
                                            struct loupe_freed *ret) {
    if (is_zombie(target, object, ret))
        return LOUPE_FREED_ZOMBIE;
    return is_in_free_chunk(target, object->address, object) ? LOUPE_FREED_CHUNK
                                                             : mark_of_count(target, object);
}

static enum loupe_freed_mark find_mark(struct loupe_target *target, loupe_addr address,
                                       struct loupe_freed *ret) {
    struct loupe_object object;
    if (!target->abi || !address || loupe_is_tagged(target, address))
        return LOUPE_FREED_NO_MARK;
    if (loupe_object_at(target, address, &object, NULL))
        return mark_of_none(target, address);
    switch (loupe_object_kind(&object)) {
    case LOUPE_NODE_OBJECT:
        return mark_of_object(target, &object, ret);
    case LOUPE_NODE_BLOCK:
        return mark_of_block(target, &object);
    default:
        return LOUPE_FREED_NO_MARK;
    }
}

bool loupe_freed_at(struct loupe_target *target, loupe_addr address, struct loupe_freed *ret) {
    *ret = (struct loupe_freed){.mark = LOUPE_FREED_NO_MARK};
    ret->mark = find_mark(target, address, ret);
    ret->certain = ret->mark >= LOUPE_FREED_POISONED;
    return ret->mark != LOUPE_FREED_NO_MARK;
}

enum loupe_status loupe_freed_refuse(const struct loupe_freed *freed, loupe_addr address,
                                     struct loupe_error *err) {
    enum loupe_status status =
        loupe_fail(err, LOUPE_ENOTOBJECT, address, "0x%llx is not an object: it %s freed: %s",
                   (unsigned long long)address, freed->certain ? "was" : "may have been",
                   loupe_freed_text(freed->mark));
    return loupe_detail(err, freed->certain ? LOUPE_DETAIL_FREED : LOUPE_DETAIL_MAYBE_FREED,
                        status);
}
