/* Values of structures, and of the types of the library that names have letters for. */
#include "swift/lowering.h"

#include <string.h>

enum { MOST_FIELDS = 1024 };

/* ---- Names ---- */

/* Whether a type is of the library itself, by its module. */
static bool is_of_library(struct loupe_target *target, loupe_addr descriptor) {
    enum { MOST_LEVELS = 16 };
    char name[LOUPE_MAX_SWIFT_FIELD];
    uint32_t flags;
    /* Cap: metadata of a type that deep is none. */
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
        loupe_addr place;
        if (descriptor % 4 || !loupe_swift_read_u32(target, descriptor, &flags))
            return false;
        if ((flags & CONTEXT_KIND_MASK) == CONTEXT_MODULE)
            return loupe_swift_follow(target, descriptor + DESCRIPTOR_NAME, false, &place) &&
                   loupe_swift_put_identifier(target, place, &text) && strcmp(name, "Swift") == 0;
        if (!loupe_swift_follow(target, descriptor + DESCRIPTOR_PARENT, true, &descriptor))
            return false;
    }
    return false;
}

/* What a lazy variable is kept in has its name behind this. */
const char *loupe_swift_written_name(const char *name) {
    static const char lazy[] = "$__lazy_storage_$_";
    size_t length = strlen(lazy);
    return strncmp(name, lazy, length) == 0 && name[length] ? name + length : name;
}

/* The name of a record; empty where the compiler was told to leave it out. */
static void read_name(struct loupe_target *target, loupe_addr record,
                      char ret[LOUPE_MAX_SWIFT_FIELD]) {
    struct loupe_swift_text text = {.bytes = ret, .cap = LOUPE_MAX_SWIFT_FIELD};
    loupe_addr place;
    ret[0] = '\0';
    if (!loupe_swift_follow(target, record + RECORD_NAME, false, &place) ||
        !loupe_swift_put_identifier(target, place, &text))
        ret[0] = '\0';
}

bool loupe_swift_part_of(const struct loupe_swift_part *part, loupe_addr record,
                         char path[LOUPE_MAX_SWIFT_FIELD], struct loupe_swift_part *ret) {
    char name[LOUPE_MAX_SWIFT_FIELD];
    loupe_addr place;
    *ret = *part;
    read_name(part->lowering->target, record, name);
    if (!loupe_swift_join(path, part->path,
                          part->is_in_library ? "" : loupe_swift_written_name(name)) ||
        !loupe_swift_follow(part->lowering->target, record + RECORD_TYPE, false, &place))
        return false;
    ret->path = path;
    ret->type = loupe_swift_read_type(part->lowering->target, &part->lowering->types, place);
    return ret->type != LOUPE_NO_SWIFT_TYPE;
}

/* ---- Structures ---- */

static bool lower_struct(const struct loupe_swift_part *part, loupe_addr fields, uint32_t count,
                         struct loupe_swift_layout *ret) {
    loupe_swift_row_begin(ret);
    for (uint32_t i = 0; i < count; i++) {
        char path[LOUPE_MAX_SWIFT_FIELD];
        struct loupe_swift_part field;
        if (!loupe_swift_part_of(part, fields + FIELDS_RECORDS + (loupe_addr)i * RECORD_SIZE, path,
                                 &field))
            return false;
        field.is_part = part->is_in_library && part->is_part;
        if (!loupe_swift_lower_next(&field, ret))
            return false;
    }
    loupe_swift_row_end(ret);
    return true;
}

bool loupe_swift_lower_nominal(const struct loupe_swift_part *part,
                               const struct loupe_swift_type *type,
                               struct loupe_swift_layout *ret) {
    enum {
        COUNT = 20,
        EMPTY_CASES = 24,
        CASES_MASK = 0xffffff,
        OF_STRUCT = 0,
        CLASSES = 1,
        ENUM = 2,
        MULTI_ENUM = 3
    };
    struct loupe_target *target = part->lowering->target;
    uint32_t flags, shape, count, empty;
    loupe_addr fields;
    if (!loupe_swift_read_u32(target, type->place, &flags))
        return false;
    if ((flags & CONTEXT_KIND_MASK) == CONTEXT_CLASS)
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    if (!loupe_swift_follow(target, type->place + DESCRIPTOR_FIELDS, false, &fields) ||
        !loupe_swift_read_u32(target, fields + FIELDS_SHAPE, &shape) ||
        shape >> 16 != RECORD_SIZE ||
        !loupe_swift_read_u32(target, fields + FIELDS_COUNT, &count) || count > MOST_FIELDS ||
        !loupe_swift_read_u32(target, type->place + COUNT, &flags) ||
        !loupe_swift_read_u32(target, type->place + EMPTY_CASES, &empty))
        return false;
    struct loupe_swift_arguments arguments = {
        .outer = part->arguments, .first = type->first, .count = type->count};
    struct loupe_swift_part inner = *part;
    /* Where metadata has them already, the type has none of its own. */
    if (type->count || !part->arguments || !part->arguments->metadata || part->is_bound)
        inner.arguments = &arguments;
    inner.is_bound = true;
    inner.is_in_library = is_of_library(target, type->place);
    if ((shape & 0xffff) == OF_STRUCT)
        return flags == count && lower_struct(&inner, fields, count, ret);
    struct loupe_swift_cases cases = {
        .records = fields + FIELDS_RECORDS, .payloads = flags & CASES_MASK, .empty = empty};
    return ((shape & 0xffff) == ENUM || (shape & 0xffff) == MULTI_ENUM) &&
           cases.payloads <= count && count - cases.payloads == empty &&
           loupe_swift_lower_enum(&inner, &cases, ret);
}

/* ---- Of the library ---- */

static bool lower_argument(const struct loupe_swift_part *part, const struct loupe_swift_type *type,
                           uint16_t index, struct loupe_swift_part *ret) {
    if (index >= type->count)
        return false;
    *ret = *part;
    ret->type = part->lowering->types.children[type->first + index];
    return true;
}

static bool lower_range(const struct loupe_swift_part *part, const struct loupe_swift_type *type,
                        struct loupe_swift_layout *ret) {
    loupe_swift_row_begin(ret);
    for (unsigned i = 0; i < 2; i++) {
        struct loupe_swift_part bound;
        if (!lower_argument(part, type, 0, &bound) || !loupe_swift_lower_next(&bound, ret))
            return false;
    }
    loupe_swift_row_end(ret);
    return true;
}

/* A text: how long it is, and the object that has it. */
static bool lay_text(const struct loupe_swift_part *part, uint64_t before,
                     struct loupe_swift_layout *ret) {
    struct loupe_swift_part object = *part;
    struct loupe_swift_layout reference;
    object.offset += (uint32_t)before;
    loupe_swift_layout_bytes(ret, before, SWIFT_WORD);
    if (!loupe_swift_lay_reference(&object, LOUPE_SWIFT_STRONG, &reference))
        return false;
    memset(reference.spare, 0, sizeof(reference.spare));
    loupe_swift_row_add(ret, before, &reference);
    return true;
}

/* Bytes of what has no references; 0: none of those. */
static uint64_t size_of_plain(char letter) {
    switch (letter) {
    case 'b':
        return 1;
    case 'f':
        return 4;
    case 'd':
    case 'i':
    case 'u':
    case 'O':
    case 'P':
    case 'p':
    case 'A':
    case 'V':
    case 'v':
        return 8;
    case 'R':
    case 'r':
    case 'W':
    case 'w':
        return 16;
    default:
        return 0;
    }
}

static bool lay_plain(char letter, uint64_t size, struct loupe_swift_layout *ret) {
    loupe_swift_layout_bytes(ret, size, size < SWIFT_WORD ? size : SWIFT_WORD);
    if (loupe_find_char("OPpAVv", letter))
        ret->extra_inhabitants = 1;
    if (letter == 'b') {
        ret->extra_inhabitants = 254;
        ret->spare[0] = 0xfe;
    }
    return true;
}

static bool lower_of_concurrency(const struct loupe_swift_part *part, char letter,
                                 struct loupe_swift_layout *ret) {
    switch (letter) {
    case 'T':
    case 'C':
    case 'S':
    case 's':
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    case 'c':
    case 't':
    case 'J':
    case 'G':
    case 'g':
        loupe_swift_layout_bytes(ret, SWIFT_WORD, SWIFT_WORD);
        return true;
    case 'e':
        loupe_swift_layout_bytes(ret, 2 * SWIFT_WORD, SWIFT_WORD);
        return true;
    case 'P':
        loupe_swift_layout_bytes(ret, 1, 1);
        return true;
    default:
        return false;
    }
}

bool loupe_swift_lower_standard(const struct loupe_swift_part *part,
                                const struct loupe_swift_type *type,
                                struct loupe_swift_layout *ret) {
    struct loupe_swift_part payload;
    uint64_t size = size_of_plain(type->letter);
    if (size)
        return lay_plain(type->letter, size, ret);
    if (type->letter & 0x80)
        return lower_of_concurrency(part, (char)(type->letter & 0x7f), ret);
    switch (type->letter) {
    case 'q':
        return lower_argument(part, type, 0, &payload) &&
               loupe_swift_lower_payload(&payload, 1, ret);
    case 'a':
    case 'D':
    case 'h':
        return loupe_swift_lay_reference(part, LOUPE_SWIFT_STRONG, ret);
    case 'J':
    case 'S':
        return lay_text(part, SWIFT_WORD, ret);
    case 's':
        return lay_text(part, 3 * SWIFT_WORD, ret);
    case 'N':
    case 'n':
        return lower_range(part, type, ret);
    default:
        return false;
    }
}
