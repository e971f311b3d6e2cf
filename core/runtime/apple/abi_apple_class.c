/* Apple's classes: objc-runtime-new.h of objc4-750 to objc4-951. */
#include "runtime/apple/abi_apple.h"

#include "types/ivar_layout.h"

#include <string.h>

enum { RW_REALIZED = 1u << 31 };
enum {
    RO_META = 1 << 0,
    RO_ROOT = 1 << 1,
    RO_HAS_CXX_STRUCTORS = 1 << 2,
    RO_IS_ARC = 1 << 7,
    RO_CXX_DTOR_ONLY = 1 << 8,
    RO_HAS_WEAK_WITHOUT_ARC = 1 << 9
};

#define BITS_IS_RW ((uint64_t)1 << 63) /* since objc4-841 */
enum { BITS_IS_SWIFT_LEGACY = 1, SWIFT_USES_SWIFT_COUNTS = 2, LAST_STUB_ISA = 15 };

struct class_ro {
    uint32_t flags, instance_start, instance_size;
    uint64_t words[APPLE_RO_WORD_COUNT];
};

struct class_words {
    uint64_t isa, superclass, bits;
};

static bool read_class_words(struct loupe_target *target, loupe_addr address,
                             struct class_words *ret) {
    enum { WORDS = 5, ISA = 0, SUPERCLASS = 1, BITS = 4 };
    uint64_t words[WORDS];
    for (unsigned i = 0; i < WORDS; i++) {
        if (loupe_memory_read_word(target->memory, abi_word(target, address, i), &words[i]))
            return false;
    }
    *ret = (struct class_words){
        .isa = words[ISA], .superclass = words[SUPERCLASS], .bits = words[BITS]};
    return true;
}

/*
 * bits leads to class_ro until a class is realized, then to class_rw, which leads to class_ro
 * either directly or, with the low bit set, by way of class_rw_ext.
 */
static bool find_tables(struct loupe_target *target, uint64_t bits, struct apple_rw *ret,
                        loupe_addr *ro_ret) {
    struct loupe_memory *memory = target->memory;
    loupe_addr data =
        loupe_memory_strip(memory, bits & ~BITS_IS_RW) & apple_state_of(target)->data_mask;
    uint32_t flags;
    *ret = (struct apple_rw){.address = 0};
    if (!data || loupe_memory_read_u32(memory, data, &flags))
        return false;
    if ((bits & BITS_IS_RW) || (flags & RW_REALIZED)) {
        loupe_addr link;
        ret->address = data;
        if (loupe_memory_read_pointer(memory, data + 8, &link))
            return false;
        ret->ext = link & 1 ? link & ~(loupe_addr)1 : 0;
        if (ret->ext && loupe_memory_read_pointer(memory, ret->ext, &link))
            return false;
        data = link;
    }
    *ro_ret = data;
    return data != 0;
}

static bool find_ro(struct loupe_target *target, uint64_t bits, loupe_addr *ret) {
    struct apple_rw rw;
    return find_tables(target, bits, &rw, ret);
}

bool apple_find_rw(struct loupe_target *target, loupe_addr cls, struct apple_rw *ret) {
    struct class_words words;
    loupe_addr ro;
    return read_class_words(target, cls, &words) && find_tables(target, words.bits, ret, &ro) &&
           ret->address;
}

/* Where they stand depends on whether the lists are in class_rw_ext. */
void apple_relative_places(const struct loupe_target *target, loupe_addr rw,
                           loupe_addr ret[APPLE_RELATIVES]) {
    enum { OLD_LISTS = 3 };
    unsigned before = apple_state_of(target)->has_rw_ext ? 1 : 1 + OLD_LISTS;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < APPLE_RELATIVES; i++)
        ret[i] = abi_word(target, rw + 8, before + i);
}

unsigned apple_relatives(struct loupe_target *target, const struct loupe_class *cls,
                         loupe_addr ret[LOUPE_MAX_RELATIVES]) {
    struct apple_rw rw;
    loupe_addr places[APPLE_RELATIVES];
    unsigned count = 0;
    if (!apple_find_rw(target, cls->address, &rw))
        return 0;
    apple_relative_places(target, rw.address, places);
    /* Cap: all of a table. */
    for (unsigned i = 0; i < APPLE_RELATIVES; i++) {
        if (!loupe_memory_read_pointer(target->memory, places[i], &ret[count]) && ret[count])
            count++;
    }
    return count;
}

static bool read_ro(struct loupe_target *target, loupe_addr address, struct class_ro *ret) {
    uint32_t numbers[3];
    if (loupe_memory_read(target->memory, address, numbers, sizeof(numbers)))
        return false;
    for (unsigned i = 0; i < APPLE_RO_WORD_COUNT; i++) {
        loupe_addr word = apple_ro_word(target, address, (enum apple_ro_word)i);
        if (loupe_memory_read_pointer(target->memory, word, &ret->words[i]))
            return false;
    }
    ret->flags = numbers[0];
    ret->instance_start = numbers[1];
    ret->instance_size = numbers[2];
    return true;
}

static bool is_metaclass(struct loupe_target *target, loupe_addr address) {
    struct class_words words;
    loupe_addr ro;
    uint32_t flags;
    return read_class_words(target, address, &words) && find_ro(target, words.bits, &ro) &&
           loupe_memory_read_u32(target->memory, ro, &flags) == LOUPE_OK && (flags & RO_META);
}

static enum loupe_status read_name(struct loupe_target *target, const struct class_ro *ro,
                                   bool is_swift, const char **ret, const char **why_ret) {
    if (!ro->words[APPLE_RO_NAME] && is_swift) {
        *ret = "(unnamed Swift class)"; /* named on first use */
        return LOUPE_OK;
    }
    return abi_read_class_name(target, ro->words[APPLE_RO_NAME], ret, why_ret);
}

static uint32_t class_flags(struct loupe_target *target, loupe_addr address,
                            const struct class_ro *ro, bool is_swift) {
    uint32_t flags = 0, swift_flags = 0;
    if (ro->flags & RO_META)
        flags |= LOUPE_CLASS_META;
    if (ro->flags & RO_ROOT)
        flags |= LOUPE_CLASS_ROOT;
    if (ro->flags & RO_IS_ARC)
        flags |= LOUPE_CLASS_OWNERSHIP;
    if (ro->flags & RO_HAS_WEAK_WITHOUT_ARC)
        flags |= LOUPE_CLASS_KNOWS_WEAK;
    if ((ro->flags & RO_HAS_CXX_STRUCTORS) && !(ro->flags & RO_CXX_DTOR_ONLY))
        flags |= LOUPE_CLASS_CXX_IVARS;
    if (is_swift) {
        flags |= LOUPE_CLASS_SWIFT;
        if (!loupe_memory_read_u32(target->memory, abi_word(target, address, 5), &swift_flags) &&
            (swift_flags & SWIFT_USES_SWIFT_COUNTS))
            flags |= LOUPE_CLASS_SWIFT_COUNTS;
    }
    return flags;
}

/* ---- Blocks: their classes go by name, and by symbol where the name cannot be read ---- */

static bool is_block_symbol(const struct loupe_target *target, loupe_addr address) {
    return abi_is_block_class(&apple_state_of(target)->block_classes, address);
}

static bool is_block_name(const char *name) {
    static const char *const names[] = {"__NSMallocBlock__",     "__NSStackBlock__",
                                        "__NSGlobalBlock__",     "__NSAutoBlock__",
                                        "__NSFinalizingBlock__", "NSBlock"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (strcmp(name, names[i]) == 0)
            return true;
    }
    return false;
}

/* ---- Reading a class ---- */

static const char *refuse_numbers(const struct loupe_target *target, const struct class_ro *ro) {
    if (!abi_is_instance_size(target, ro->instance_size))
        return ABI_CLASS_IMPOSSIBLE_SIZE;
    if (ro->instance_start > ro->instance_size)
        return "its ivars begin after the end of its instances";
    return NULL;
}

static enum loupe_status read_valid_class(struct loupe_target *target, loupe_addr address,
                                          struct loupe_class *ret, const char **why_ret) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    struct class_words words;
    struct class_ro ro;
    loupe_addr ro_address;
    if (address % pointer_size)
        return abi_refuse(ABI_CLASS_UNALIGNED, why_ret);
    if (!read_class_words(target, address, &words))
        return abi_refuse_unreadable(ABI_CLASS_UNREADABLE, why_ret);
    if (words.isa <= LAST_STUB_ISA)
        return abi_refuse("it has no metaclass", why_ret);
    if (!find_ro(target, words.bits, &ro_address) || !read_ro(target, ro_address, &ro))
        return abi_refuse_unreadable("its data cannot be read", why_ret);
    if ((*why_ret = refuse_numbers(target, &ro)))
        return LOUPE_ENOTOBJECT;
    loupe_addr meta = target->abi->class_of_isa(target, words.isa);
    if (!is_metaclass(target, meta))
        return abi_refuse(ABI_CLASS_NO_METACLASS, why_ret);
    bool is_swift = (words.bits & (apple_state_of(target)->swift_bit | BITS_IS_SWIFT_LEGACY)) != 0;
    *ret = (struct loupe_class){.address = address,
                                .superclass = loupe_memory_strip(target->memory, words.superclass),
                                .isa = meta,
                                .data = ro_address,
                                .flags = class_flags(target, address, &ro, is_swift),
                                .instance_start = ro.instance_start,
                                .instance_size = ro.instance_size};
    enum loupe_status status = read_name(target, &ro, is_swift, &ret->name, why_ret);
    if (status)
        return status;
    ret->flags |= apple_cf_flags(target, ret->name, ro.instance_size);
    if (ro.flags & RO_META)
        ret->kind = LOUPE_INSTANCE_CLASS;
    else if (is_block_symbol(target, address) || is_block_name(ret->name))
        ret->kind = LOUPE_INSTANCE_BLOCK;
    return LOUPE_OK;
}

enum loupe_status apple_read_class(struct loupe_target *target, loupe_addr address,
                                   struct loupe_class *ret, const char **why_ret) {
    enum loupe_status status = read_valid_class(target, address, ret, why_ret);
    if (status == LOUPE_ENOTOBJECT && is_block_symbol(target, address)) {
        *ret = abi_bare_block_class(target, address);
        return LOUPE_OK;
    }
    return status;
}
