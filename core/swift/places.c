#include "swift/places.h"

#include "swift/elements.h"

#include <string.h>

/* ---- Fields ---- */

static bool lower_field(struct loupe_swift_lowering *lowering,
                        const struct loupe_swift_field_record *field, loupe_addr object,
                        const char *name) {
    struct loupe_target *target = lowering->target;
    struct loupe_swift_layout layout;
    loupe_addr type;
    uint32_t flags;
    if (!loupe_swift_follow(target, field->record + RECORD_TYPE, false, &type) ||
        !loupe_swift_read_u32(target, field->descriptor, &flags))
        return false;
    struct loupe_swift_arguments arguments = {
        .metadata =
            flags & CONTEXT_IS_GENERIC
                ? loupe_swift_class_arguments(target, field->metadata, field->descriptor, flags)
                : 0};
    struct loupe_swift_value value = {.type = loupe_swift_read_type(target, &lowering->types, type),
                                      .arguments = arguments.metadata ? &arguments : NULL,
                                      .offset = (uint32_t)field->offset,
                                      .address = object + field->offset,
                                      .path = name};
    return value.type != LOUPE_NO_SWIFT_TYPE && loupe_swift_lower(lowering, &value, &layout) &&
           layout.size <= field->end - field->offset && field->offset % layout.align == 0;
}

static void place_in_class(struct loupe_swift_lowering *lowering,
                           const struct loupe_swift_word_place *word,
                           struct loupe_swift_place *ret) {
    struct loupe_swift_field_record found;
    struct loupe_swift_field field;
    if (!loupe_swift_find_field(lowering->target, word->metadata, word->offset, &found) ||
        !loupe_swift_field_at(lowering->target, word->metadata, word->offset, &field))
        return;
    const char *name = loupe_swift_written_name(field.name);
    ret->kind = LOUPE_SWIFT_PLACE_FIELD;
    loupe_format(ret->name, sizeof(ret->name), "%s", name);
    if (lower_field(lowering, &found, word->object, name)) {
        loupe_swift_take_slot(lowering, word->offset, ret);
        return;
    }
    ret->is_refused = true;
    ret->ownership = field.ownership;
    ret->is_closure = field.is_closure;
}

/* ---- Captures ---- */

enum { MOST_CAPTURES = 256 };

struct captures {
    loupe_addr types; /* distances to the names of their types */
    uint32_t count, sources, bindings;
    uint32_t
        first; /* bytes from the start of the context to what is captured first; 0: not known */
};

static bool read_captures(struct loupe_target *target, loupe_addr metadata, struct captures *ret) {
    enum { FIRST = 8, DESCRIPTOR = 16, SOURCES = 4, BINDINGS = 8, TYPES = 12 };
    loupe_addr descriptor;
    if (!loupe_swift_read_u32(target, metadata + FIRST, &ret->first) ||
        !loupe_swift_read_address(target, metadata + DESCRIPTOR, &descriptor) || descriptor % 4 ||
        !loupe_swift_read_u32(target, descriptor, &ret->count) || ret->count > MOST_CAPTURES ||
        !loupe_swift_read_u32(target, descriptor + SOURCES, &ret->sources) ||
        ret->sources > MOST_CAPTURES ||
        !loupe_swift_read_u32(target, descriptor + BINDINGS, &ret->bindings) ||
        ret->bindings > MOST_CAPTURES)
        return false;
    ret->types = descriptor + TYPES;
    return ret->first % SWIFT_WORD == 0;
}

/* One behind the other, behind the words that say what parameters stand for. */
static bool lower_captures(struct loupe_swift_lowering *lowering, const struct captures *captures,
                           loupe_addr object, struct loupe_swift_capture *places,
                           struct loupe_swift_layout *row) {
    enum { HEADER = 16, DISTANCE = 4 };
    uint32_t first = captures->first ? captures->first : HEADER;
    struct loupe_swift_arguments arguments = {.metadata = object + first};
    struct loupe_swift_part part = {
        .lowering = lowering, .arguments = captures->bindings ? &arguments : NULL, .path = ""};
    loupe_swift_row_begin(row);
    row->size = first + (uint64_t)captures->bindings * SWIFT_WORD;
    for (uint32_t i = 0; i < captures->count; i++) {
        struct loupe_swift_part capture = part;
        loupe_addr name;
        capture.address = object;
        if (!loupe_swift_follow(lowering->target, captures->types + (loupe_addr)i * DISTANCE, false,
                                &name))
            return false;
        capture.type = loupe_swift_read_type(lowering->target, &lowering->types, name);
        if (capture.type == LOUPE_NO_SWIFT_TYPE || !loupe_swift_lower_next(&capture, row))
            return false;
        if (places)
            places[i] = (struct loupe_swift_capture){capture.offset,
                                                     (uint32_t)(row->size - capture.offset)};
    }
    return true;
}

uint32_t loupe_swift_captures_at(struct loupe_swift_lowering *lowering, loupe_addr context,
                                 uint64_t size, struct loupe_swift_capture *ret, uint32_t cap) {
    struct loupe_target *target = lowering->target;
    struct loupe_swift_layout row;
    struct captures captures;
    loupe_addr metadata;
    uint64_t kind;
    loupe_swift_lowering_init(lowering, target);
    if (!loupe_swift_read_address(target, context, &metadata) || metadata % SWIFT_WORD ||
        !loupe_swift_read_word(target, metadata, &kind) || kind != KIND_LOCAL ||
        !read_captures(target, metadata, &captures) || captures.count > cap ||
        !lower_captures(lowering, &captures, context, ret, &row) || row.size > size)
        return 0;
    return captures.count;
}

static void place_in_context(struct loupe_swift_lowering *lowering,
                             const struct loupe_swift_word_place *word,
                             struct loupe_swift_place *ret) {
    loupe_addr metadata = loupe_memory_strip(lowering->target->memory, word->metadata);
    struct loupe_swift_layout row;
    struct captures captures;
    ret->kind = LOUPE_SWIFT_PLACE_CAPTURE;
    if (!read_captures(lowering->target, metadata, &captures)) {
        ret->is_refused = true;
        return;
    }
    if (lower_captures(lowering, &captures, word->object, NULL, &row) && row.size <= word->size)
        loupe_swift_take_slot(lowering, word->offset, ret);
    else
        ret->is_refused = true;
}

/* ---- Boxes of errors ---- */

/* Behind the type and its conformance stands a value of it. */
static void place_in_error(struct loupe_swift_lowering *lowering,
                           const struct loupe_swift_word_place *word,
                           struct loupe_swift_place *ret) {
    enum { TYPE = 16, VALUE = 32 };
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_METADATA};
    struct loupe_swift_witnesses witnesses;
    struct loupe_swift_layout layout;
    loupe_addr metadata;
    ret->kind = LOUPE_SWIFT_PLACE_FIELD;
    ret->is_part = true;
    if (!loupe_swift_read_address(lowering->target, word->object + TYPE, &metadata) ||
        !loupe_swift_witnesses(lowering->target, metadata, &witnesses)) {
        ret->is_refused = true;
        return;
    }
    type.place = metadata;
    uint64_t start = loupe_swift_align(VALUE, witnesses.align);
    struct loupe_swift_value value = {.type = loupe_swift_add_type(&lowering->types, &type),
                                      .offset = (uint32_t)start,
                                      .address = word->object + start,
                                      .path = ""};
    if (value.type != LOUPE_NO_SWIFT_TYPE && loupe_swift_lower(lowering, &value, &layout) &&
        start + layout.size <= word->size)
        loupe_swift_take_slot(lowering, word->offset, ret);
    else
        ret->is_refused = true;
    ret->varies = true;
}

/* ---- All ---- */

void loupe_swift_place_at(struct loupe_swift_lowering *lowering,
                          const struct loupe_swift_word_place *word,
                          struct loupe_swift_place *ret) {
    uint64_t kind;
    memset(ret, 0, sizeof(*ret));
    ret->ownership = LOUPE_SWIFT_STRONG;
    loupe_swift_lowering_init(lowering, lowering->target);
    if (word->metadata % SWIFT_WORD ||
        !loupe_swift_read_word(lowering->target,
                               loupe_memory_strip(lowering->target->memory, word->metadata), &kind))
        return;
    if (kind == KIND_CLASS && !loupe_swift_place_in_storage(lowering, word, ret))
        place_in_class(lowering, word, ret);
    else if (kind == KIND_LOCAL)
        place_in_context(lowering, word, ret);
    else if (kind == KIND_ERROR)
        place_in_error(lowering, word, ret);
}
