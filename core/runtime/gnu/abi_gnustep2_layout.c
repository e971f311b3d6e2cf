/* Ivars, ownership and properties of libobjc2: ivar.h, properties.h. */
#include "runtime/gnu/abi_gnustep2.h"

#include <string.h>

enum { OWNERSHIP_MASK = 3, IVAR_NAME = 0, IVAR_TYPE = 1, IVAR_OFFSET = 2, IVAR_SIZE = 3 };

bool gnustep2_find_ivars(struct loupe_target *target, loupe_addr list, struct gnustep2_ivars *ret) {
    unsigned word = target->memory->machine.pointer_size;
    uint64_t entry_size;
    if (loupe_memory_read_u32(target->memory, list, &ret->count) ||
        loupe_memory_read_word(target->memory, list + word, &entry_size) ||
        ret->count > LOUPE_MAX_IVARS || entry_size < 3 * word + 8 || entry_size > 256)
        return false;
    ret->entry_size = (uint32_t)entry_size;
    ret->first = list + 2 * word;
    return true;
}

static loupe_addr ivar_at(const struct gnustep2_ivars *ivars, uint32_t i) {
    return ivars->first + (loupe_addr)i * ivars->entry_size;
}

/* The size and the flags stand behind three words. */
static bool read_numbers(struct loupe_target *target, loupe_addr entry, uint32_t *size_ret,
                         uint32_t *flags_ret) {
    loupe_addr place = abi_word(target, entry, IVAR_SIZE);
    return !loupe_memory_read_u32(target->memory, place, size_ret) &&
           !loupe_memory_read_u32(target->memory, place + 4, flags_ret);
}

/* Whether the ivar is an object or an array of some, by its encoding. */
static bool is_of_objects(struct loupe_target *target, loupe_addr entry) {
    enum { LONGEST_START = 16 };
    loupe_addr type;
    char letter = '\0';
    if (loupe_memory_read_pointer(target->memory, abi_word(target, entry, IVAR_TYPE), &type))
        return false;
    /* Cap: unknown whether it is ARC's. */
    for (unsigned i = 0; i < LONGEST_START; i++) {
        if (loupe_memory_read(target->memory, type + i, &letter, 1) || letter == '@')
            break;
        if (letter != '[' && (letter < '0' || letter > '9'))
            return false;
    }
    return letter == '@';
}

enum loupe_memory_mode gnustep2_mode(struct loupe_target *target, loupe_addr list) {
    struct gnustep2_ivars ivars;
    uint32_t size, flags;
    bool has_objects = false;
    if (!list || !gnustep2_find_ivars(target, list, &ivars))
        return LOUPE_MODE_UNKNOWN;
    for (uint32_t i = 0; i < ivars.count; i++) {
        if (!read_numbers(target, ivar_at(&ivars, i), &size, &flags))
            continue;
        if (flags & OWNERSHIP_MASK)
            return LOUPE_MODE_ARC;
        has_objects = has_objects || is_of_objects(target, ivar_at(&ivars, i));
    }
    return has_objects ? LOUPE_MODE_MANUAL : LOUPE_MODE_UNKNOWN;
}

/* ---- Ivars ---- */

struct layout_builder {
    struct loupe_target *target;
    const struct loupe_class *cls;
    struct loupe_class_layout *layout;
    struct loupe_ivar *ivars;
    uint32_t *strong, *weak; /* room for every word of an instance */
    uint32_t words_left;
};

static enum loupe_status read_ivar(struct layout_builder *builder, loupe_addr entry,
                                   struct loupe_ivar *ret, uint32_t *flags_ret) {
    struct loupe_memory *memory = builder->target->memory;
    enum loupe_status status = loupe_memory_read_pointer(
        memory, abi_word(builder->target, entry, IVAR_OFFSET), &ret->variable);
    if (status ||
        (status = abi_read_text(builder->target, abi_word(builder->target, entry, IVAR_NAME),
                                &ret->name)) ||
        (status = abi_read_text(builder->target, abi_word(builder->target, entry, IVAR_TYPE),
                                &ret->type)) ||
        (status = loupe_memory_read_u32(memory, ret->variable, &ret->offset)))
        return status;
    if (!read_numbers(builder->target, entry, &ret->size, flags_ret) ||
        ret->offset > builder->cls->instance_size)
        return LOUPE_EFAULT;
    /* class_addIvar() leaves the size at 0. */
    if (!ret->size && ret->type[0] && memchr("@#:^*", ret->type[0], 5))
        ret->size = memory->machine.pointer_size;
    /* A bit-field has the size of its declared type, which may reach beyond the instance. */
    uint32_t room = builder->cls->instance_size - ret->offset;
    if (ret->type[0] == 'b' && ret->size > room)
        ret->size = room;
    return ret->size > room ? LOUPE_EFAULT : LOUPE_OK;
}

/* All words of an array have the ownership of the ivar. */
static void add_words(struct layout_builder *builder, const struct loupe_ivar *ivar,
                      enum gnustep2_ownership ownership) {
    uint8_t pointer_size = builder->target->memory->machine.pointer_size;
    struct loupe_class_layout *layout = builder->layout;
    for (uint32_t at = 0; at + pointer_size <= ivar->size && builder->words_left;
         at += pointer_size) {
        if (ownership == GNUSTEP2_OWNS_STRONG)
            builder->strong[layout->strong_count++] = ivar->offset + at;
        else if (ownership == GNUSTEP2_OWNS_WEAK)
            builder->weak[layout->weak_count++] = ivar->offset + at;
        else
            return;
        builder->words_left--;
    }
}

static bool make_room(struct layout_builder *builder, uint32_t ivar_count) {
    struct loupe_arena *arena = &builder->target->arena;
    builder->words_left =
        builder->cls->instance_size / builder->target->memory->machine.pointer_size;
    builder->ivars = loupe_arena_alloc_array(arena, ivar_count, sizeof(*builder->ivars));
    builder->strong = loupe_arena_alloc_array(arena, builder->words_left, sizeof(*builder->strong));
    builder->weak = loupe_arena_alloc_array(arena, builder->words_left, sizeof(*builder->weak));
    builder->layout->ivars = builder->ivars;
    builder->layout->strong = builder->strong;
    builder->layout->weak = builder->weak;
    return builder->ivars && builder->strong && builder->weak;
}

static enum loupe_status read_ivars(struct layout_builder *builder) {
    struct loupe_class_layout *layout = builder->layout;
    struct gnustep2_ivars list;
    loupe_addr address;
    if (loupe_memory_read_pointer(builder->target->memory,
                                  abi_word(builder->target, builder->cls->data, GNU_CLASS_IVARS),
                                  &address) ||
        (address && !gnustep2_find_ivars(builder->target, address, &list))) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    if (!address)
        return LOUPE_OK;
    if (!make_room(builder, list.count))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < list.count; i++) {
        struct loupe_ivar *ivar = &builder->ivars[layout->ivar_count];
        uint32_t flags = 0;
        enum loupe_status status = read_ivar(builder, ivar_at(&list, i), ivar, &flags);
        if (status == LOUPE_ENOMEM)
            return status;
        if (status) {
            layout->damaged = true;
            continue;
        }
        add_words(builder, ivar, (enum gnustep2_ownership)(flags & OWNERSHIP_MASK));
        layout->ivar_count++;
    }
    return LOUPE_OK;
}

/* ---- Properties ---- */

enum { PROPERTY_NAME = 0, PROPERTY_ATTRIBUTES = 1, PROPERTY_MIN_WORDS = 2 };

static enum loupe_status read_properties(struct loupe_target *target, const struct loupe_class *cls,
                                         struct loupe_class_layout *layout) {
    loupe_addr list;
    uint32_t numbers[2]; /* entries, bytes of an entry */
    if (loupe_memory_read_pointer(target->memory,
                                  abi_word(target, cls->data, GNUSTEP2_CLASS_PROPERTIES), &list) ||
        !list)
        return LOUPE_OK;
    if (loupe_memory_read(target->memory, list, numbers, sizeof(numbers)) ||
        numbers[0] > LOUPE_MAX_PROPERTIES || numbers[1] > 256 ||
        numbers[1] < PROPERTY_MIN_WORDS * target->memory->machine.pointer_size) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    struct loupe_property *properties =
        loupe_arena_alloc_array(&target->arena, numbers[0], sizeof(*properties));
    if (!properties)
        return LOUPE_ENOMEM;
    layout->properties = properties;
    loupe_addr first = abi_word(target, list + sizeof(numbers), 1); /* behind the next list */
    for (uint32_t i = 0; i < numbers[0]; i++) {
        struct loupe_property *property = &properties[layout->property_count];
        loupe_addr entry = first + (loupe_addr)i * numbers[1];
        enum loupe_status status =
            abi_read_text(target, abi_word(target, entry, PROPERTY_NAME), &property->name);
        if (!status)
            status = abi_read_text(target, abi_word(target, entry, PROPERTY_ATTRIBUTES),
                                   &property->attributes);
        if (status == LOUPE_ENOMEM)
            return status;
        if (status)
            layout->damaged = true;
        else
            layout->property_count++;
    }
    return LOUPE_OK;
}

enum loupe_status gnustep2_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                       struct loupe_class_layout *ret) {
    struct layout_builder builder = {.target = target, .cls = cls, .layout = ret};
    *ret = (struct loupe_class_layout){0};
    /* A class object has no ivars, and the class of a block may be nothing at all. */
    if (cls->kind == LOUPE_INSTANCE_CLASS || !cls->data)
        return LOUPE_OK;
    enum loupe_status status = read_ivars(&builder);
    return status ? status : read_properties(target, cls, ret);
}
