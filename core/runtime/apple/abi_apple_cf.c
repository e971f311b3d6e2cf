/*
 * Objects of CoreFoundation, behind whose isa stands a word of their own (CFRuntime.c of CF-1153
 * and of swift-corelibs-foundation): 32 bits of information, 32 of a retain count.
 */
#include "runtime/apple/abi_apple.h"

#include "base/text.h"

#include <string.h>

enum {
    INFO = 8, /* bytes from the start of the object */
    COUNT = 12,
    TYPE_SHIFT = 8,
    TYPE_MASK = (1 << 10) - 1, /* as many types as there can be */
    IS_DEALLOCATING = 1 << 22,
    COUNTS_ELSEWHERE = 1 << 23, /* its type has functions of its own that retain it */
    NAME_IN_CLASS = 8,          /* of CoreFoundation's table of types */
    MOST_NAME = 64
};

/*
 * Names that begin so are CoreFoundation's, and CFNetwork's too, whose classes are usual ones: they
 * have ivars behind the place of CoreFoundation's word. Only NSError declares what CFError has.
 */
uint32_t apple_cf_flags(const struct loupe_target *target, const char *name,
                        uint32_t instance_size) {
    uint32_t base = 2u * target->memory->machine.pointer_size;
    if (!loupe_span_starts_with(loupe_span_of(name), "__NSCF") ||
        (instance_size > base && strcmp(name, "__NSCFError") != 0))
        return 0;
    return LOUPE_CLASS_CF_COUNTS | (strcmp(name, "__NSCFType") == 0 ? LOUPE_CLASS_MANY_TYPES : 0);
}

static bool read_info(const struct loupe_target *target, loupe_addr object, uint32_t *ret) {
    return target->memory->machine.pointer_size == 8 &&
           !loupe_memory_read_u32(target->memory, object + INFO, ret);
}

/* A count of 0 is for ever. */
enum loupe_retain_count apple_cf_count(struct loupe_target *target, loupe_addr object,
                                       uint64_t *ret) {
    uint32_t info, count;
    if (!read_info(target, object, &info) ||
        loupe_memory_read_u32(target->memory, object + COUNT, &count) || (info & COUNTS_ELSEWHERE))
        return LOUPE_COUNT_UNKNOWN;
    if (!count)
        return LOUPE_COUNT_IMMORTAL;
    *ret = info & IS_DEALLOCATING ? 0 : count;
    return LOUPE_COUNT_KNOWN;
}

uint32_t apple_type_of_object(struct loupe_target *target, loupe_addr object) {
    uint32_t info;
    return read_info(target, object, &info) ? info >> TYPE_SHIFT & TYPE_MASK : 0;
}

/* ---- Names, by the table of all types, whose symbol is a local one ---- */

static bool is_name(const char *name) {
    for (const char *at = name; *at; at++) {
        bool is_letter = (*at >= 'A' && *at <= 'Z') || (*at >= 'a' && *at <= 'z') || *at == '_';
        if (!is_letter && (at == name || *at < '0' || *at > '9'))
            return false;
    }
    return name[0] != '\0';
}

static bool name_in(struct loupe_target *target, const char *symbol, uint32_t type,
                    const char **ret) {
    struct loupe_memory *memory = target->memory;
    loupe_addr table, entry, name;
    return !loupe_memory_find_symbol(memory, symbol, &table) &&
           !loupe_memory_read_pointer(memory, abi_word(target, table, type), &entry) && entry &&
           !loupe_memory_read_pointer(memory, entry + NAME_IN_CLASS, &name) &&
           !loupe_target_string(target, name, MOST_NAME, ret) && is_name(*ret);
}

void apple_name_type(struct loupe_target *target, const struct loupe_class *cls, uint32_t type,
                     char *dst, size_t cap) {
    const char *name;
    if (name_in(target, "__CFRuntimeClassTables", type, &name) ||
        name_in(target, "__CFRuntimeClassTable", type, &name))
        loupe_format(dst, cap, "%s", name);
    else
        loupe_format(dst, cap, "%s (CF type %u)", cls->name, type);
}
