/* What Apple's classes say about their ivars: objc-runtime-new.h of objc4-750 to objc4-951. */
#include "runtime/apple/abi_apple.h"

#include "types/ivar_layout.h"

static loupe_addr ro_pointer(struct loupe_target *target, const struct loupe_class *cls,
                             enum apple_ro_word word, bool *damaged) {
    loupe_addr value = 0;
    if (loupe_memory_read_pointer(target->memory, apple_ro_word(target, cls->data, word), &value))
        *damaged = true;
    return value;
}

/* ---- Lists: the size of an entry, the number of entries, the entries ---- */

struct list {
    loupe_addr first;
    uint32_t entry_size, count;
};

static bool read_list(struct loupe_target *target, loupe_addr address, uint32_t min_entry_size,
                      uint32_t max_count, struct list *ret) {
    uint32_t header[2];
    if (loupe_memory_read(target->memory, address, header, sizeof(header)))
        return false;
    *ret = (struct list){.first = address + sizeof(header),
                         .entry_size = header[0] & 0xfffc, /* flags of the runtime around it */
                         .count = header[1]};
    return ret->entry_size >= min_entry_size && ret->count <= max_count;
}

/* ---- Ivars ---- */

/* LOUPE_ENOTOBJECT: an entry without a place, as of anonymous bit-fields. */
static enum loupe_status read_ivar(struct loupe_target *target, const struct loupe_class *cls,
                                   loupe_addr entry, struct loupe_ivar *ret) {
    struct loupe_memory *memory = target->memory;
    loupe_addr offset_address;
    enum loupe_status status = loupe_memory_read_pointer(memory, entry, &offset_address);
    if (status)
        return status;
    if (!offset_address)
        return LOUPE_ENOTOBJECT;
    /* The variable has 64 bits on x86_64; all runtimes use the low 32. */
    ret->variable = offset_address;
    if ((status = loupe_memory_read_u32(memory, offset_address, &ret->offset)) ||
        (status = loupe_memory_read_u32(memory, abi_word(target, entry, 3) + 4, &ret->size)) ||
        (status = abi_read_text(target, abi_word(target, entry, 1), &ret->name)) ||
        (status = abi_read_text(target, abi_word(target, entry, 2), &ret->type)))
        return status;
    if (ret->offset > cls->instance_size)
        return LOUPE_EFAULT;
    /* A bit-field has the size of its declared type, which may reach beyond the last instance. */
    uint32_t room = cls->instance_size - ret->offset;
    if (ret->type[0] == 'b' && ret->size > room)
        ret->size = room;
    return ret->size > room ? LOUPE_EFAULT : LOUPE_OK;
}

static enum loupe_status read_ivars(struct loupe_target *target, const struct loupe_class *cls,
                                    struct loupe_class_layout *layout) {
    unsigned min_size = target->memory->machine.pointer_size == 8 ? 32 : 20;
    loupe_addr address = ro_pointer(target, cls, APPLE_RO_IVARS, &layout->damaged);
    struct list list;
    if (!address)
        return LOUPE_OK;
    if (!read_list(target, address, min_size, LOUPE_MAX_IVARS, &list)) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    struct loupe_ivar *ivars = loupe_arena_alloc_array(&target->arena, list.count, sizeof(*ivars));
    if (!ivars)
        return LOUPE_ENOMEM;
    layout->ivars = ivars;
    for (uint32_t i = 0; i < list.count; i++) {
        enum loupe_status status = read_ivar(
            target, cls, list.first + (loupe_addr)i * list.entry_size, &ivars[layout->ivar_count]);
        if (status == LOUPE_ENOMEM)
            return status;
        if (status == LOUPE_OK)
            layout->ivar_count++;
        else if (status == LOUPE_ENOTOBJECT)
            layout->has_unnamed_bits = true;
        else
            layout->damaged = true;
    }
    return LOUPE_OK;
}

/* ---- Properties ---- */

static enum loupe_status read_properties(struct loupe_target *target, const struct loupe_class *cls,
                                         struct loupe_class_layout *layout) {
    loupe_addr address = ro_pointer(target, cls, APPLE_RO_PROPERTIES, &layout->damaged);
    struct list list;
    /* Low bit: a list of lists, in the shared cache. It says nothing about ivars that counts. */
    if (!address || (address & 1))
        return LOUPE_OK;
    if (!read_list(target, address, 2u * target->memory->machine.pointer_size, LOUPE_MAX_PROPERTIES,
                   &list)) {
        layout->damaged = true;
        return LOUPE_OK;
    }
    struct loupe_property *properties =
        loupe_arena_alloc_array(&target->arena, list.count, sizeof(*properties));
    if (!properties)
        return LOUPE_ENOMEM;
    layout->properties = properties;
    for (uint32_t i = 0; i < list.count; i++) {
        struct loupe_property *property = &properties[layout->property_count];
        loupe_addr entry = list.first + (loupe_addr)i * list.entry_size;
        enum loupe_status status = abi_read_text(target, entry, &property->name);
        if (!status)
            status = abi_read_text(target, abi_word(target, entry, 1), &property->attributes);
        if (status == LOUPE_ENOMEM)
            return status;
        if (status)
            layout->damaged = true;
        else
            layout->property_count++;
    }
    return LOUPE_OK;
}

/* ---- Layouts ---- */

struct words {
    uint32_t *offsets;
    uint32_t count;
};

/* Words inside the instance; the first is its isa, which nobody owns. */
static bool is_owned_word(const struct loupe_target *target, const struct loupe_class *cls,
                          uint64_t offset) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    return offset != 0 && offset + pointer_size <= cls->instance_size;
}

/* The words of a layout; with ret->offsets NULL they are only counted. False: cut or unreadable. */
static bool collect_words(struct loupe_target *target, const struct loupe_class *cls,
                          loupe_addr layout, struct words *ret, uint32_t *length_ret) {
    uint8_t pointer_size = target->memory->machine.pointer_size;
    uint32_t base = loupe_ivar_layout_base(cls->instance_start, pointer_size);
    bool inside = true;
    struct loupe_ivar_layout_cursor cursor;
    struct loupe_word_run run;
    loupe_ivar_layout_begin_at(&cursor, target->memory, layout);
    ret->count = 0;
    while (loupe_ivar_layout_next(&cursor, &run)) {
        for (uint32_t i = 0; i < run.count && inside; i++) {
            uint64_t offset = base + ((uint64_t)run.first + i) * pointer_size;
            inside = offset + pointer_size <= cls->instance_size;
            if (!is_owned_word(target, cls, offset))
                continue;
            if (ret->offsets)
                ret->offsets[ret->count] = (uint32_t)offset;
            ret->count++;
        }
    }
    *length_ret = cursor.at;
    return inside && cursor.status == LOUPE_OK;
}

static enum loupe_status read_words(struct loupe_target *target, const struct loupe_class *cls,
                                    unsigned ro_word, struct loupe_class_layout *layout,
                                    struct words *words_ret, struct loupe_span *text_ret) {
    loupe_addr address = ro_pointer(target, cls, ro_word, &layout->damaged);
    uint32_t length;
    if (!address)
        return LOUPE_OK;
    if (!collect_words(target, cls, address, words_ret, &length))
        layout->damaged = true;
    words_ret->offsets =
        loupe_arena_alloc_array(&target->arena, words_ret->count, sizeof(*words_ret->offsets));
    char *text = loupe_arena_alloc(&target->arena, (size_t)length + 1);
    if (!words_ret->offsets || !text)
        return LOUPE_ENOMEM;
    collect_words(target, cls, address, words_ret, &length);
    if (!loupe_memory_read(target->memory, address, text, length))
        *text_ret = (struct loupe_span){.bytes = text, .length = length};
    return LOUPE_OK;
}

enum loupe_status apple_read_layout(struct loupe_target *target, const struct loupe_class *cls,
                                    struct loupe_class_layout *ret) {
    enum loupe_status status = LOUPE_OK;
    *ret = (struct loupe_class_layout){0};
    /* A metaclass keeps something else in the place of the layout, and a class has no ivars. */
    if (cls->kind == LOUPE_INSTANCE_CLASS || !cls->data)
        return LOUPE_OK;
    struct words strong = {0}, weak = {0};
    if ((status = read_ivars(target, cls, ret)) || (status = read_properties(target, cls, ret)) ||
        (status =
             read_words(target, cls, APPLE_RO_STRONG_LAYOUT, ret, &strong, &ret->strong_layout)) ||
        (status = read_words(target, cls, APPLE_RO_WEAK_LAYOUT, ret, &weak, &ret->weak_layout)))
        return status;
    ret->strong = strong.offsets;
    ret->strong_count = strong.count;
    ret->weak = weak.offsets;
    ret->weak_count = weak.count;
    return LOUPE_OK;
}
