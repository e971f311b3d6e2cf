/* The ivars of GCC's libobjc, and the properties that only clang describes for it. */
#include "runtime/gnu/abi_gcc.h"

#include "types/encoding.h"

#include <string.h>

/* ---- Ivars: a count, then name, type and offset of each ---- */

enum { IVAR_WORDS = 3, IVAR_LIST_HEADER = 8 };

static loupe_addr first_ivar(const struct loupe_target *target, loupe_addr list) {
    return list + (target->memory->machine.pointer_size == 8 ? IVAR_LIST_HEADER : 4);
}

static enum loupe_status read_ivar(struct loupe_target *target, loupe_addr entry,
                                   struct loupe_ivar *ret) {
    enum loupe_status status = abi_read_text(target, entry, &ret->name);
    if (!status)
        status = abi_read_text(target, abi_word(target, entry, 1), &ret->type);
    if (!status)
        status = loupe_memory_read_u32(target->memory, abi_word(target, entry, 2), &ret->offset);
    return status;
}

/*
 * The runtime keeps no sizes: that of the type, where its encoding tells, at most what is there up
 * to the next ivar.
 */
static uint32_t size_of(const struct loupe_target *target, const struct loupe_ivar *ivar,
                        uint32_t end) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_type type;
    uint32_t room = end - ivar->offset;
    if (loupe_type_parse(loupe_span_of(ivar->type), &rules, &type, NULL) || type.size == 0 ||
        type.trust == LOUPE_TRUST_UNKNOWN || type.size > room)
        return room;
    return (uint32_t)type.size;
}

static void set_sizes(const struct loupe_target *target, const struct loupe_class *cls,
                      struct loupe_ivar *ivars, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        /* Several bit-fields begin in one unit, so the next ivar may be at the same offset. */
        uint32_t next = i + 1;
        while (next < count && ivars[next].offset == ivars[i].offset)
            next++;
        ivars[i].size =
            size_of(target, &ivars[i], next < count ? ivars[next].offset : cls->instance_size);
    }
}

static enum loupe_status read_ivars(struct loupe_target *target, const struct loupe_class *cls,
                                    struct loupe_class_layout *layout) {
    loupe_addr list;
    uint32_t count;
    if (loupe_memory_read_pointer(target->memory, abi_word(target, cls->data, GNU_CLASS_IVARS),
                                  &list) ||
        (list && loupe_memory_read_u32(target->memory, list, &count)) ||
        (list && count > LOUPE_MAX_IVARS)) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    if (!list)
        return LOUPE_OK;
    struct loupe_ivar *ivars = loupe_arena_alloc_array(&target->arena, count, sizeof(*ivars));
    if (!ivars)
        return LOUPE_ENOMEM;
    uint32_t kept = 0, lowest = 0;
    for (uint32_t i = 0; i < count; i++) {
        enum loupe_status status = read_ivar(
            target, abi_word(target, first_ivar(target, list), i * IVAR_WORDS), &ivars[kept]);
        if (status == LOUPE_ENOMEM)
            return status;
        if (status || ivars[kept].offset < lowest || ivars[kept].offset >= cls->instance_size)
            layout->damaged = true; /* the compilers write them by offset */
        else
            lowest = ivars[kept++].offset;
    }
    set_sizes(target, cls, ivars, kept);
    layout->ivars = ivars;
    layout->ivar_count = kept;
    return LOUPE_OK;
}

/* ---- Properties: behind the class as GCC knows it, where clang compiled it ---- */

/* Words of a class as clang writes it for this runtime (CGObjCGNU.cpp). */
enum { CLANG_ABI_VERSION = 13, CLANG_IVAR_OFFSETS = 14, CLANG_PROPERTIES = 15 };

/*
 * Nothing tells who compiled a class but what stands behind it: the offsets of all its ivars once
 * more, each behind an address.
 */
static bool is_of_clang(struct loupe_target *target, const struct loupe_class *cls,
                        const struct loupe_class_layout *layout) {
    uint64_t version;
    loupe_addr offsets, place;
    if (layout->damaged || layout->ivar_count == 0 ||
        loupe_memory_read_word(target->memory, abi_word(target, cls->data, CLANG_ABI_VERSION),
                               &version) ||
        version != 1 ||
        loupe_memory_read_pointer(target->memory, abi_word(target, cls->data, CLANG_IVAR_OFFSETS),
                                  &offsets))
        return false;
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        uint32_t offset;
        if (loupe_memory_read_pointer(target->memory, abi_word(target, offsets, i), &place) ||
            loupe_memory_read_u32(target->memory, place, &offset) ||
            offset != layout->ivars[i].offset)
            return false;
    }
    return true;
}

/* Words of a property; the second holds its attributes and whether it is synthesized. */
enum { PROPERTY_NAME, PROPERTY_BITS, PROPERTY_WORDS = 6, PROPERTY_LIST_WORDS = 2 };
enum { IS_READ_ONLY = 0x01, RETAINS = 0x10, COPIES = 0x20, IS_SYNTHESIZED = 0x100 };

static bool has_ivar(const struct loupe_class_layout *layout, const char *name) {
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        if (strcmp(layout->ivars[i].name, name) == 0)
            return true;
    }
    return false;
}

/* The ivar is not recorded: the one that @synthesize makes, or one of the property's own name. */
static bool find_ivar(const struct loupe_class_layout *layout, const char *name,
                      char ivar[LOUPE_MAX_CLASS_NAME]) {
    loupe_format(ivar, LOUPE_MAX_CLASS_NAME, "_%s", name);
    bool usual = has_ivar(layout, ivar), same = has_ivar(layout, name);
    if (same)
        loupe_format(ivar, LOUPE_MAX_CLASS_NAME, "%s", name);
    return usual != same;
}

/* LOUPE_ENOTOBJECT: a property that says nothing about an ivar. */
static enum loupe_status read_property(struct loupe_target *target, loupe_addr entry,
                                       const struct loupe_class_layout *layout,
                                       struct loupe_property *ret) {
    char ivar[LOUPE_MAX_CLASS_NAME];
    uint32_t bits;
    enum loupe_status status = abi_read_text(target, entry, &ret->name);
    if (!status)
        status =
            loupe_memory_read_u32(target->memory, abi_word(target, entry, PROPERTY_BITS), &bits);
    if (status)
        return status;
    if (!(bits & IS_SYNTHESIZED) || !find_ivar(layout, ret->name, ivar))
        return LOUPE_ENOTOBJECT;
    size_t size = strlen(ivar) + sizeof("T@,R,&,C,V");
    char *attributes = loupe_arena_alloc(&target->arena, size);
    if (!attributes)
        return LOUPE_ENOMEM;
    loupe_format(attributes, size, "T@%s%s%s,V%s", bits & IS_READ_ONLY ? ",R" : "",
                 bits & RETAINS ? ",&" : "", bits & COPIES ? ",C" : "", ivar);
    ret->attributes = attributes;
    return LOUPE_OK;
}

static enum loupe_status read_properties(struct loupe_target *target, const struct loupe_class *cls,
                                         struct loupe_class_layout *layout) {
    loupe_addr list;
    uint32_t count;
    if (!is_of_clang(target, cls, layout) ||
        loupe_memory_read_pointer(target->memory, abi_word(target, cls->data, CLANG_PROPERTIES),
                                  &list) ||
        !list)
        return LOUPE_OK;
    if (loupe_memory_read_u32(target->memory, list, &count) || count > LOUPE_MAX_PROPERTIES) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    struct loupe_property *properties =
        loupe_arena_alloc_array(&target->arena, count, sizeof(*properties));
    if (!properties)
        return LOUPE_ENOMEM;
    layout->properties = properties;
    for (uint32_t i = 0; i < count; i++) {
        loupe_addr entry = abi_word(target, list, PROPERTY_LIST_WORDS + i * PROPERTY_WORDS);
        enum loupe_status status =
            read_property(target, entry, layout, &properties[layout->property_count]);
        if (status == LOUPE_ENOMEM)
            return status;
        if (!status)
            layout->property_count++;
        else if (status != LOUPE_ENOTOBJECT)
            layout->damaged = true;
    }
    return LOUPE_OK;
}

enum loupe_status gcc_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                  struct loupe_class_layout *ret) {
    *ret = (struct loupe_class_layout){0};
    /* A class object has no ivars, and the class of a block may be nothing at all. */
    if (cls->kind == LOUPE_INSTANCE_CLASS || !cls->data)
        return LOUPE_OK;
    enum loupe_status status = read_ivars(target, cls, ret);
    return status ? status : read_properties(target, cls, ret);
}
