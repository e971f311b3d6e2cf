#include "swift/lowering.h"

#include <string.h>

enum { MOST_WORK = 4096 };

void loupe_swift_lowering_init(struct loupe_swift_lowering *lowering, struct loupe_target *target) {
    lowering->target = target;
    lowering->types.count = lowering->types.child_count = 0;
    lowering->slot_count = 0;
    lowering->paths[0] = '\0';
    lowering->paths_size = 1;
    lowering->work_left = MOST_WORK;
    lowering->varies = false;
}

/* ---- Slots ---- */

/* The same as the last one, or another behind it. */
static bool keep_path(struct loupe_swift_lowering *lowering, const char *path, uint16_t *ret) {
    size_t size = strlen(path) + 1;
    const struct loupe_swift_slot *last =
        lowering->slot_count ? &lowering->slots[lowering->slot_count - 1] : NULL;
    if (last && strcmp(lowering->paths + last->path, path) == 0) {
        *ret = last->path;
        return true;
    }
    if (size > LOUPE_SWIFT_PATHS - lowering->paths_size)
        return false;
    memcpy(lowering->paths + lowering->paths_size, path, size);
    *ret = (uint16_t)lowering->paths_size;
    lowering->paths_size += (uint32_t)size;
    return true;
}

bool loupe_swift_add_slot(const struct loupe_swift_part *part, uint32_t offset,
                          enum loupe_swift_ownership ownership) {
    struct loupe_swift_lowering *lowering = part->lowering;
    struct loupe_swift_slot slot = {.offset = part->offset + offset,
                                    .ownership = (uint8_t)ownership,
                                    .is_closure = part->is_function,
                                    .is_part = part->is_part};
    if (lowering->slot_count == LOUPE_MOST_SWIFT_SLOTS ||
        !keep_path(lowering, part->path, &slot.path))
        return false;
    lowering->slots[lowering->slot_count++] = slot;
    return true;
}

/* ---- Layouts of single words ---- */

void loupe_swift_layout_bytes(struct loupe_swift_layout *ret, uint64_t size, uint64_t align) {
    memset(ret, 0, sizeof(*ret));
    ret->size = size;
    ret->align = align ? align : 1;
}

/* Numbers below the first page are no addresses, and the bits of enums none of theirs. */
void loupe_swift_layout_pointer(const struct loupe_swift_part *part, bool has_spare,
                                struct loupe_swift_layout *ret) {
    loupe_swift_layout_bytes(ret, SWIFT_WORD, SWIFT_WORD);
    ret->extra_inhabitants = LOUPE_PAGE_SIZE;
    if (has_spare)
        ret->spare[0] = loupe_swift_spare_bits(&part->lowering->target->memory->machine);
}

bool loupe_swift_lay_reference(const struct loupe_swift_part *part,
                               enum loupe_swift_ownership ownership,
                               struct loupe_swift_layout *ret) {
    loupe_swift_layout_pointer(part, ownership != LOUPE_SWIFT_WEAK, ret);
    if (ownership == LOUPE_SWIFT_WEAK) {
        ret->extra_inhabitants = 0;
        ret->is_opaque = true;
    }
    return loupe_swift_add_slot(part, 0, ownership);
}

/* ---- Several in a row ---- */

void loupe_swift_row_begin(struct loupe_swift_layout *row) {
    loupe_swift_layout_bytes(row, 0, 1);
    memset(row->spare, 0xff, sizeof(row->spare)); /* what lies between them is spare */
}

uint64_t loupe_swift_row_place(const struct loupe_swift_layout *row, uint64_t align) {
    return loupe_swift_align(row->size, align);
}

static uint8_t spare_byte(const struct loupe_swift_layout *layout, uint64_t at) {
    return at / SWIFT_WORD < LOUPE_SWIFT_SPARE_WORDS
               ? (uint8_t)(layout->spare[at / SWIFT_WORD] >> at % SWIFT_WORD * 8)
               : 0;
}

void loupe_swift_row_add(struct loupe_swift_layout *row, uint64_t place,
                         const struct loupe_swift_layout *next) {
    enum { BYTES = LOUPE_SWIFT_SPARE_WORDS * SWIFT_WORD };
    /* Cap: what is behind those bytes has no spare bits. */
    for (uint64_t at = 0; at < next->size && place + at < BYTES; at++) {
        uint64_t shift = (place + at) % SWIFT_WORD * 8;
        uint64_t *word = &row->spare[(place + at) / SWIFT_WORD];
        *word &= ~(UINT64_C(0xff) << shift) | (uint64_t)spare_byte(next, at) << shift;
    }
    row->size = place + next->size;
    row->align = next->align > row->align ? next->align : row->align;
    if (next->extra_inhabitants > row->extra_inhabitants)
        row->extra_inhabitants = next->extra_inhabitants;
    row->is_opaque |= next->is_opaque;
}

/* What is behind its end belongs to nobody. */
void loupe_swift_row_end(struct loupe_swift_layout *row) {
    for (uint64_t at = row->size; at < LOUPE_SWIFT_SPARE_WORDS * SWIFT_WORD; at++)
        row->spare[at / SWIFT_WORD] &= ~(UINT64_C(0xff) << at % SWIFT_WORD * 8);
}

/* ---- Paths ---- */

bool loupe_swift_join(char dst[LOUPE_MAX_SWIFT_FIELD], const char *path, const char *name) {
    const char *between = path[0] && name[0] ? "." : "";
    return strlen(path) + strlen(name) + 2 <= LOUPE_MAX_SWIFT_FIELD &&
           loupe_format(dst, LOUPE_MAX_SWIFT_FIELD, "%s%s%s", path, between, name) > 0;
}

/* ---- Parameters ---- */

static bool lower_metadata(const struct loupe_swift_part *part, loupe_addr metadata,
                           struct loupe_swift_layout *ret);

/* Those of one depth: of types in others that are generic themselves nothing is known. */
static bool lower_parameter(const struct loupe_swift_part *part, uint64_t number,
                            struct loupe_swift_layout *ret) {
    const struct loupe_swift_arguments *arguments = part->arguments;
    uint64_t index = number & 0xffff;
    loupe_addr metadata;
    if (!arguments || number >> 16)
        return false;
    if (arguments->metadata)
        return index < 64 &&
               loupe_swift_read_address(part->lowering->target,
                                        arguments->metadata + index * SWIFT_WORD, &metadata) &&
               lower_metadata(part, metadata, ret);
    if (index >= arguments->count)
        return false;
    struct loupe_swift_part inner = *part;
    inner.type = part->lowering->types.children[arguments->first + index];
    inner.arguments = arguments->outer;
    return loupe_swift_lower_part(&inner, ret);
}

/* ---- By metadata ---- */

/* Size and alignment of all values of a type; *has_references is false where they have none. */
bool loupe_swift_witnesses(struct loupe_target *target, loupe_addr metadata,
                           struct loupe_swift_witnesses *ret) {
    enum { SIZE = 64, STRIDE = 72, FLAGS = 80, INHABITANTS = 84, MOST_SIZE = 1 << 20 };
    loupe_addr table;
    uint32_t flags, inhabitants;
    if (metadata % SWIFT_WORD || !loupe_swift_read_address(target, metadata - SWIFT_WORD, &table) ||
        table % SWIFT_WORD || !loupe_swift_read_word(target, table + SIZE, &ret->size) ||
        !loupe_swift_read_word(target, table + STRIDE, &ret->stride) ||
        !loupe_swift_read_u32(target, table + FLAGS, &flags) ||
        !loupe_swift_read_u32(target, table + INHABITANTS, &inhabitants) || ret->size > MOST_SIZE ||
        ret->stride > MOST_SIZE || ret->stride < ret->size)
        return false;
    ret->align = (flags & 0xff) + 1;
    ret->inhabitants = inhabitants;
    ret->has_references = flags & 0x10000;
    ret->is_boxed = flags & 0x20000;
    return (ret->align & (ret->align - 1)) == 0;
}

/* Where each element is, metadata says. */
static bool lower_tuple_metadata(const struct loupe_swift_part *part, loupe_addr metadata,
                                 struct loupe_swift_layout *ret) {
    enum { COUNT = 8, ELEMENTS = 24, ELEMENT_SIZE = 16, MOST_ELEMENTS = 64 };
    struct loupe_target *target = part->lowering->target;
    uint64_t count;
    if (!loupe_swift_read_word(target, metadata + COUNT, &count) || count > MOST_ELEMENTS)
        return false;
    loupe_swift_row_begin(ret);
    for (uint64_t i = 0; i < count; i++) {
        char path[LOUPE_MAX_SWIFT_FIELD], name[16];
        struct loupe_swift_part element = *part;
        struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_METADATA};
        loupe_addr place = metadata + ELEMENTS + i * ELEMENT_SIZE;
        loupe_format(name, sizeof(name), "%u", (unsigned)i);
        if (!loupe_swift_read_address(target, place, &type.place) ||
            !loupe_swift_join(path, part->path, name))
            return false;
        element.path = path;
        element.is_part = true;
        element.type = loupe_swift_add_type(&part->lowering->types, &type);
        if (element.type == LOUPE_NO_SWIFT_TYPE || !loupe_swift_lower_next(&element, ret))
            return false;
    }
    loupe_swift_row_end(ret);
    return true;
}

static bool lower_of_library(const struct loupe_swift_part *part, uint64_t kind,
                             loupe_addr metadata, struct loupe_swift_layout *ret) {
    enum { FLAGS = 8, TABLES = 0xffffff };
    uint32_t flags;
    struct loupe_swift_existential existential = {0};
    switch (kind) {
    case KIND_FUNCTION:
        return loupe_swift_lay_function(part, ret);
    case KIND_EXISTENTIAL:
        if (!loupe_swift_read_u32(part->lowering->target, metadata + FLAGS, &flags))
            return false;
        existential.tables = flags & TABLES;
        existential.is_object = !(flags >> 31);
        existential.is_error = (flags >> 24 & 0x3f) == 1;
        return loupe_swift_lay_existential(part, &existential, ret);
    case KIND_TUPLE:
        return lower_tuple_metadata(part, metadata, ret);
    default:
        return false;
    }
}

static bool lower_nominal_metadata(const struct loupe_swift_part *part, loupe_addr metadata,
                                   struct loupe_swift_layout *ret) {
    struct loupe_swift_arguments arguments = {.metadata = metadata + VALUE_ARGUMENTS};
    struct loupe_swift_part inner = *part;
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_NOMINAL};
    loupe_addr descriptor;
    if (!loupe_swift_read_address(part->lowering->target, metadata + VALUE_DESCRIPTOR, &descriptor))
        return false;
    type.place = descriptor;
    inner.type = loupe_swift_add_type(&part->lowering->types, &type);
    inner.arguments = &arguments;
    inner.is_bound = false;
    return inner.type != LOUPE_NO_SWIFT_TYPE && loupe_swift_lower_part(&inner, ret);
}

/* What the witnesses say of its size is so; where the computed one is another, nothing is known. */
static bool lower_metadata(const struct loupe_swift_part *part, loupe_addr metadata,
                           struct loupe_swift_layout *ret) {
    struct loupe_target *target = part->lowering->target;
    struct loupe_swift_witnesses witnesses;
    uint32_t before = part->lowering->slot_count;
    uint64_t kind;
    if (metadata % SWIFT_WORD || !loupe_swift_read_word(target, metadata, &kind))
        return false;
    if (kind == KIND_CLASS)
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    if (!loupe_swift_witnesses(target, metadata, &witnesses))
        return false;
    if (!witnesses.has_references) {
        loupe_swift_layout_bytes(ret, witnesses.size, witnesses.align);
        ret->extra_inhabitants = witnesses.inhabitants;
        return true;
    }
    bool is_known = kind == KIND_STRUCT || kind == KIND_ENUM || kind == KIND_OPTIONAL
                        ? lower_nominal_metadata(part, metadata, ret)
                        : lower_of_library(part, kind, metadata, ret);
    if (is_known && ret->size == witnesses.size)
        return true;
    part->lowering->slot_count = before;
    return false;
}

/* ---- All kinds ---- */

static bool lower_tuple(const struct loupe_swift_part *part, const struct loupe_swift_type *type,
                        struct loupe_swift_layout *ret) {
    char path[LOUPE_MAX_SWIFT_FIELD], name[16];
    loupe_swift_row_begin(ret);
    for (uint16_t i = 0; i < type->count; i++) {
        struct loupe_swift_part element = *part;
        loupe_format(name, sizeof(name), "%u", i);
        if (!loupe_swift_join(path, part->path, name))
            return false;
        element.path = path;
        element.is_part = true;
        element.type = part->lowering->types.children[type->first + i];
        if (!loupe_swift_lower_next(&element, ret))
            return false;
    }
    loupe_swift_row_end(ret);
    return true;
}

bool loupe_swift_lay_function(const struct loupe_swift_part *part, struct loupe_swift_layout *ret) {
    struct loupe_swift_part function = *part;
    struct loupe_swift_layout context;
    function.is_function = true;
    function.offset += SWIFT_WORD;
    loupe_swift_layout_pointer(part, false, ret);
    return loupe_swift_lay_reference(&function, LOUPE_SWIFT_STRONG, &context) &&
           (loupe_swift_row_add(ret, SWIFT_WORD, &context), true);
}

static bool lower_counted(const struct loupe_swift_part *part, uint16_t of,
                          enum loupe_swift_ownership ownership, struct loupe_swift_layout *ret) {
    struct loupe_swift_part inner = *part;
    uint32_t before = part->lowering->slot_count;
    inner.type = of;
    inner.address = 0;
    if (!loupe_swift_lower_part(&inner, ret) || ret->size % SWIFT_WORD ||
        part->lowering->slot_count == before)
        return false;
    part->lowering->slot_count = before; /* of an optional, of an object with its tables */
    if (ownership == LOUPE_SWIFT_WEAK) {
        ret->is_opaque = true;
        ret->extra_inhabitants = 0;
        memset(ret->spare, 0, sizeof(ret->spare));
    }
    return loupe_swift_add_slot(part, 0, ownership);
}

static bool lower_builtin(const struct loupe_swift_part *part, char letter,
                          struct loupe_swift_layout *ret) {
    enum { ACTOR_SIZE = 96, ACTOR_ALIGN = 16 };
    switch (letter) {
    case 'b':
    case 'B':
    case 'o':
    case 'O':
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    case 'p':
    case 'c':
    case 'j':
    case 'w':
        loupe_swift_layout_bytes(ret, SWIFT_WORD, SWIFT_WORD);
        ret->extra_inhabitants = letter == 'p';
        return true;
    case 'e':
        loupe_swift_layout_bytes(ret, 2 * SWIFT_WORD, SWIFT_WORD);
        return true;
    case 'D':
        loupe_swift_layout_bytes(ret, ACTOR_SIZE, ACTOR_ALIGN);
        return true;
    default:
        return false;
    }
}

static bool lower_metatype(const struct loupe_swift_part *part, const struct loupe_swift_type *type,
                           struct loupe_swift_layout *ret) {
    const struct loupe_swift_types *types = &part->lowering->types;
    const struct loupe_swift_type *of = &types->types[types->children[type->first]];
    uint32_t flags = 0;
    bool is_thin = of->kind == LOUPE_SWIFT_TYPE_STANDARD || of->kind == LOUPE_SWIFT_TYPE_NUMBER ||
                   of->kind == LOUPE_SWIFT_TYPE_TUPLE;
    if (of->kind == LOUPE_SWIFT_TYPE_NOMINAL &&
        loupe_swift_read_u32(part->lowering->target, of->place, &flags))
        is_thin = (flags & CONTEXT_KIND_MASK) != CONTEXT_CLASS;
    loupe_swift_layout_pointer(part, false, ret);
    if (of->kind == LOUPE_SWIFT_TYPE_EXISTENTIAL) {
        struct loupe_swift_layout tables;
        loupe_swift_layout_bytes(&tables, (uint64_t)of->count * SWIFT_WORD, SWIFT_WORD);
        if (of->count)
            loupe_swift_row_add(ret, SWIFT_WORD, &tables);
        return true;
    }
    if (is_thin)
        loupe_swift_layout_bytes(ret, 0, 1);
    return true;
}

static bool lower_kind(const struct loupe_swift_part *part, const struct loupe_swift_type *type,
                       struct loupe_swift_layout *ret) {
    const uint16_t *children = &part->lowering->types.children[type->first];
    switch ((enum loupe_swift_type_kind)type->kind) {
    case LOUPE_SWIFT_TYPE_NOMINAL:
        return loupe_swift_lower_nominal(part, type, ret);
    case LOUPE_SWIFT_TYPE_STANDARD:
        return loupe_swift_lower_standard(part, type, ret);
    case LOUPE_SWIFT_TYPE_CLASS:
    case LOUPE_SWIFT_TYPE_BLOCK:
    case LOUPE_SWIFT_TYPE_BOX:
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    case LOUPE_SWIFT_TYPE_NUMBER:
        loupe_swift_layout_bytes(ret, type->place ? type->place : 1, type->place ? type->place : 1);
        ret->extra_inhabitants = type->place ? 0 : 254;
        ret->spare[0] = type->place ? 0 : 0xfe;
        return (type->place & (type->place - 1)) == 0;
    case LOUPE_SWIFT_TYPE_TUPLE:
        return lower_tuple(part, type, ret);
    case LOUPE_SWIFT_TYPE_FUNCTION:
        return loupe_swift_lay_function(part, ret);
    case LOUPE_SWIFT_TYPE_CODE:
        loupe_swift_layout_pointer(part, false, ret);
        return true;
    case LOUPE_SWIFT_TYPE_METATYPE:
        return lower_metatype(part, type, ret);
    case LOUPE_SWIFT_TYPE_EXISTENTIAL:
        return loupe_swift_lower_existential(part, type, ret);
    case LOUPE_SWIFT_TYPE_PARAMETER:
        return lower_parameter(part, type->place, ret);
    case LOUPE_SWIFT_TYPE_WEAK:
        return lower_counted(part, children[0], LOUPE_SWIFT_WEAK, ret);
    case LOUPE_SWIFT_TYPE_UNOWNED:
        return lower_counted(part, children[0], LOUPE_SWIFT_UNOWNED, ret);
    case LOUPE_SWIFT_TYPE_UNMANAGED:
        return lower_counted(part, children[0], LOUPE_SWIFT_UNMANAGED, ret);
    case LOUPE_SWIFT_TYPE_BUILTIN:
        return lower_builtin(part, type->letter, ret);
    case LOUPE_SWIFT_TYPE_METADATA:
        return lower_metadata(part, type->place, ret);
    default:
        return false;
    }
}

bool loupe_swift_lower_part(const struct loupe_swift_part *part, struct loupe_swift_layout *ret) {
    enum { DEEPEST = 24 };
    struct loupe_swift_lowering *lowering = part->lowering;
    if (part->depth == DEEPEST || !lowering->work_left || part->type >= lowering->types.count)
        return false;
    lowering->work_left--;
    struct loupe_swift_part inner = *part;
    struct loupe_swift_type type = lowering->types.types[part->type];
    inner.depth++;
    return lower_kind(&inner, &type, ret);
}

/* Its place is known only once its alignment is: computed twice where it is not the first. */
bool loupe_swift_lower_next(struct loupe_swift_part *part, struct loupe_swift_layout *row) {
    struct loupe_swift_lowering *lowering = part->lowering;
    struct loupe_swift_layout layout;
    uint32_t before = lowering->slot_count, start = part->offset;
    loupe_addr address = part->address;
    uint64_t place = row->size;
    /* Once to learn the alignment, and once more at the place. */
    for (unsigned round = 0; round < 2; round++) {
        part->offset = start + (uint32_t)place;
        part->address = address ? address + place : 0;
        if (!loupe_swift_lower_part(part, &layout))
            return false;
        uint64_t aligned = loupe_swift_row_place(row, layout.align);
        if (aligned == place)
            break;
        place = aligned;
        lowering->slot_count = before;
    }
    loupe_swift_row_add(row, place, &layout);
    return row->size <= UINT32_MAX / 2;
}

bool loupe_swift_lower(struct loupe_swift_lowering *lowering, const struct loupe_swift_value *value,
                       struct loupe_swift_layout *ret) {
    struct loupe_swift_part part = {.lowering = lowering,
                                    .type = value->type,
                                    .arguments = value->arguments,
                                    .offset = value->offset,
                                    .address = value->address,
                                    .path = value->path};
    uint32_t before = lowering->slot_count;
    if (loupe_swift_lower_part(&part, ret))
        return true;
    lowering->slot_count = before;
    return false;
}
