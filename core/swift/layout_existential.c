/* Values of any type that conforms to protocols: the value, or the box that it is in, its type, and
 * the tables of its conformances. */
#include "swift/lowering.h"

enum { BUFFER_WORDS = 3 };

/* The value itself where it fits, by the type that stands behind it. */
static bool lower_buffer(const struct loupe_swift_part *part) {
    struct loupe_target *target = part->lowering->target;
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_METADATA};
    struct loupe_swift_part inner = *part;
    struct loupe_swift_witnesses witnesses;
    struct loupe_swift_layout ignored;
    loupe_addr metadata;
    uint64_t kind;
    if (!loupe_swift_read_address(target, part->address + BUFFER_WORDS * SWIFT_WORD, &metadata) ||
        metadata % SWIFT_WORD || !loupe_swift_read_word(target, metadata, &kind))
        return false;
    if (kind != KIND_CLASS &&
        (!loupe_swift_witnesses(target, metadata, &witnesses) || witnesses.is_boxed))
        return loupe_swift_add_slot(part, 0, LOUPE_SWIFT_STRONG);
    type.place = metadata;
    inner.type = loupe_swift_add_type(&part->lowering->types, &type);
    inner.arguments = NULL;
    inner.is_bound = false;
    return loupe_swift_lower_part(&inner, &ignored);
}

static bool lay_opaque(const struct loupe_swift_part *value, uint32_t tables,
                       struct loupe_swift_layout *ret) {
    struct loupe_swift_part any = *value, *part = &any;
    struct loupe_swift_lowering *lowering = part->lowering;
    any.is_part = true;
    uint32_t before = lowering->slot_count;
    loupe_swift_layout_bytes(ret, (BUFFER_WORDS + 1 + (uint64_t)tables) * SWIFT_WORD, SWIFT_WORD);
    ret->extra_inhabitants = LOUPE_PAGE_SIZE;
    ret->is_opaque = true;
    if (part->address) {
        lowering->varies = true;
        if (lower_buffer(part))
            return true;
        lowering->slot_count = before;
    }
    for (uint32_t i = 0; i < BUFFER_WORDS; i++)
        if (!loupe_swift_add_slot(part, i * SWIFT_WORD, LOUPE_SWIFT_STRONG))
            return false;
    return true;
}

bool loupe_swift_lay_existential(const struct loupe_swift_part *part,
                                 const struct loupe_swift_existential *existential,
                                 struct loupe_swift_layout *ret) {
    enum { MOST_TABLES = 32 };
    struct loupe_swift_layout tables;
    if (existential->tables > MOST_TABLES)
        return false;
    if (existential->is_error)
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    if (!existential->is_object)
        return lay_opaque(part, existential->tables, ret);
    if (!loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret))
        return false;
    loupe_swift_layout_bytes(&tables, (uint64_t)existential->tables * SWIFT_WORD, SWIFT_WORD);
    if (existential->tables)
        loupe_swift_row_add(ret, SWIFT_WORD, &tables);
    return true;
}

bool loupe_swift_lower_existential(const struct loupe_swift_part *part,
                                   const struct loupe_swift_type *type,
                                   struct loupe_swift_layout *ret) {
    const struct loupe_swift_types *types = &part->lowering->types;
    struct loupe_swift_existential existential = {.is_object = type->letter};
    for (uint16_t i = 0; i < type->count; i++) {
        const struct loupe_swift_type *protocol = &types->types[types->children[type->first + i]];
        if (protocol->kind != LOUPE_SWIFT_TYPE_PROTOCOL)
            return false;
        existential.is_object |= protocol->letter == LOUPE_SWIFT_PROTOCOL_CLASS ||
                                 protocol->letter == LOUPE_SWIFT_PROTOCOL_OBJECT;
        existential.is_error |= protocol->letter == LOUPE_SWIFT_PROTOCOL_ERROR && type->count == 1;
        existential.tables += protocol->letter == LOUPE_SWIFT_PROTOCOL_ANY ||
                              protocol->letter == LOUPE_SWIFT_PROTOCOL_CLASS ||
                              protocol->letter == LOUPE_SWIFT_PROTOCOL_ERROR;
    }
    return loupe_swift_lay_existential(part, &existential, ret);
}
