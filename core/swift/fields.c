/* The fields of objects, by the records of their classes. */
#include "swift/metadata.h"
#include "swift/records.h"

#include <string.h>

enum { MOST_FIELDS = 1024, MOST_METADATA_WORDS = 1 << 16, MOST_LEVELS = 64, MOST_TYPE = 4096 };

/* Those that one class adds. */
struct fields {
    loupe_addr records, offsets;
    uint32_t count;
};

/* False: it has none, or nobody wrote down what they are, or where. */
static bool read_fields(struct loupe_target *target, loupe_addr metadata, loupe_addr descriptor,
                        struct fields *ret) {
    uint32_t flags, offsets, shape, recorded;
    loupe_addr fields;
    if (descriptor % 4 || !loupe_swift_read_u32(target, descriptor, &flags) ||
        (flags & CONTEXT_KIND_MASK) != CONTEXT_CLASS || flags & CONTEXT_RESILIENT_SUPERCLASS ||
        !loupe_swift_read_u32(target, descriptor + CLASS_DESCRIPTOR_FIELD_COUNT, &ret->count) ||
        ret->count == 0 || ret->count > MOST_FIELDS ||
        !loupe_swift_read_u32(target, descriptor + CLASS_DESCRIPTOR_OFFSETS, &offsets) ||
        offsets == 0 || offsets > MOST_METADATA_WORDS ||
        !loupe_swift_follow(target, descriptor + DESCRIPTOR_FIELDS, false, &fields) ||
        !loupe_swift_read_u32(target, fields + FIELDS_SHAPE, &shape) ||
        shape != (FIELDS_OF_CLASS | RECORD_SIZE << 16) ||
        !loupe_swift_read_u32(target, fields + FIELDS_COUNT, &recorded) || recorded != ret->count)
        return false;
    ret->records = fields + FIELDS_RECORDS;
    ret->offsets = metadata + (loupe_addr)offsets * SWIFT_WORD;
    return true;
}

/* The last field that begins at a place or before it: of those that begin together all but the last
 * are empty. False: none does. */
static bool record_of(struct loupe_target *target, const struct fields *fields, uint64_t place,
                      struct loupe_swift_field_record *ret) {
    uint64_t offset;
    ret->record = 0;
    ret->offset = 0;
    for (uint32_t i = 0; i < fields->count; i++) {
        if (!loupe_swift_read_word(target, fields->offsets + (loupe_addr)i * SWIFT_WORD, &offset))
            return false;
        if (offset > place && offset < ret->end)
            ret->end = offset;
        if (offset > place || offset < ret->offset)
            continue;
        ret->offset = offset;
        ret->record = fields->records + (loupe_addr)i * RECORD_SIZE;
    }
    return ret->record;
}

/* The last characters of the mangled name of a type, without what references stand for. */
struct type_end {
    char last[4];
};

static bool read_type_end(struct loupe_target *target, loupe_addr at, struct type_end *ret) {
    enum { FIRST_WORD = 0x18, LAST_WORD = 0x1f }; /* less is a distance of 4 bytes */
    memset(ret, 0, sizeof(*ret));
    /* Cap: a field whose type is longer goes by its offset. */
    for (unsigned i = 0; i < MOST_TYPE; i++) {
        uint8_t c;
        if (loupe_memory_read(target->memory, at, &c, 1))
            return false;
        if (!c)
            return true;
        at += c > LAST_WORD ? 1 : c < FIRST_WORD ? 1 + 4 : 1 + SWIFT_WORD;
        memmove(ret->last, ret->last + 1, sizeof(ret->last) - 1);
        ret->last[sizeof(ret->last) - 1] = (char)c;
    }
    return false;
}

static bool ends_with(const struct type_end *type, const char *end) {
    size_t length = strlen(end);
    return memcmp(type->last + sizeof(type->last) - length, end, length) == 0;
}

static enum loupe_swift_ownership ownership_of(const struct type_end *type) {
    if (ends_with(type, "Xw"))
        return LOUPE_SWIFT_WEAK;
    if (ends_with(type, "Xo"))
        return LOUPE_SWIFT_UNOWNED;
    return ends_with(type, "Xu") ? LOUPE_SWIFT_UNMANAGED : LOUPE_SWIFT_STRONG;
}

static bool read_record(struct loupe_target *target, loupe_addr record,
                        struct loupe_swift_field *ret) {
    struct loupe_swift_text name = {.bytes = ret->name, .cap = sizeof(ret->name)};
    struct type_end type;
    loupe_addr place;
    if (!loupe_swift_follow(target, record + RECORD_NAME, false, &place) ||
        !loupe_swift_put_identifier(target, place, &name) ||
        !loupe_swift_follow(target, record + RECORD_TYPE, false, &place) ||
        !read_type_end(target, place, &type))
        return false;
    ret->ownership = ownership_of(&type);
    ret->is_closure = ends_with(&type, "c") || ends_with(&type, "cSg");
    return true;
}

bool loupe_swift_find_field(struct loupe_target *target, uint64_t word, uint64_t offset,
                            struct loupe_swift_field_record *ret) {
    loupe_addr metadata = loupe_memory_strip(target->memory, word), descriptor;
    struct fields fields;
    /* Cap: superclasses further up, which no program has. */
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        uint64_t kind;
        uint32_t size;
        if (metadata % SWIFT_WORD || !loupe_swift_read_word(target, metadata, &kind) ||
            kind != KIND_CLASS ||
            !loupe_swift_read_u32(target, metadata + CLASS_INSTANCE_SIZE, &size) ||
            offset >= size ||
            !loupe_swift_read_address(target, metadata + CLASS_DESCRIPTOR, &descriptor))
            return false;
        *ret = (struct loupe_swift_field_record){
            .metadata = metadata, .descriptor = descriptor, .end = size};
        if (read_fields(target, metadata, descriptor, &fields) &&
            record_of(target, &fields, offset, ret))
            return true;
        if (!loupe_swift_read_address(target, metadata + CLASS_SUPERCLASS, &metadata))
            return false;
    }
    return false;
}

bool loupe_swift_field_at(struct loupe_target *target, uint64_t word, uint64_t offset,
                          struct loupe_swift_field *ret) {
    struct loupe_swift_field_record found;
    return loupe_swift_find_field(target, word, offset, &found) &&
           read_record(target, found.record, ret);
}
