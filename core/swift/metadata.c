#include "swift/metadata.h"

#include <string.h>

/* First words of metadata; that of a class is 0 where there is no isa. */
enum {
    KIND_CLASS = 0,
    KIND_STRUCT = 0x200,
    KIND_ENUM = 0x201,
    KIND_OPTIONAL = 0x202,
    KIND_EXISTENTIAL = 0x303,
    KIND_LOCAL = 0x400,
    KIND_GENERIC_LOCAL = 0x500,
    KIND_ERROR = 0x501,
    KIND_TASK = 0x502
};

/* Of class metadata. */
enum {
    CLASS_SUPERCLASS = 8,
    CLASS_INSTANCE_SIZE = 24,
    CLASS_ALIGN_MASK = 28,
    CLASS_SIZE = 32,
    CLASS_ADDRESS_POINT = 36,
    CLASS_DESCRIPTOR = 40,
    CLASS_LEAST = 56,
    VALUE_DESCRIPTOR = 8,
    VALUE_ARGUMENTS = 16
};

/* Of descriptors: kinds of contexts are the low bits of their flags. */
enum {
    CONTEXT_MODULE = 0,
    CONTEXT_ANONYMOUS = 2,
    CONTEXT_CLASS = 16,
    CONTEXT_STRUCT = 17,
    CONTEXT_ENUM = 18,
    CONTEXT_KIND_MASK = 0x1f,
    CONTEXT_IS_GENERIC = 0x80,
    CONTEXT_RESILIENT_SUPERCLASS = 0x20000000,
    DESCRIPTOR_PARENT = 4,
    DESCRIPTOR_NAME = 8,
    DESCRIPTOR_FIELDS = 16,
    CLASS_DESCRIPTOR_WORDS = 28,
    CLASS_DESCRIPTOR_OWN_WORDS = 32,
    CLASS_DESCRIPTOR_FIELD_COUNT = 36,
    CLASS_DESCRIPTOR_OFFSETS = 40,
    CLASS_DESCRIPTOR_END = 44,
    VALUE_DESCRIPTOR_END = 28
};

enum { WORD = 8, DEEPEST = 16, MOST_NESTED = 4, MOST_PARAMETERS = 16, MOST_IDENTIFIER = 256 };

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return !loupe_memory_read_word(target->memory, address, ret);
}

static bool read_u32(struct loupe_target *target, loupe_addr address, uint32_t *ret) {
    return !loupe_memory_read_u32(target->memory, address, ret);
}

static bool read_address(struct loupe_target *target, loupe_addr address, loupe_addr *ret) {
    uint64_t word;
    if (!read_word(target, address, &word))
        return false;
    *ret = loupe_memory_strip(target->memory, word);
    return *ret >= LOUPE_PAGE_SIZE;
}

/* What a distance leads to that is counted from its own place; bit 0 says, where `may_lead_on`,
 * that the address stands there. */
static bool follow(struct loupe_target *target, loupe_addr place, bool may_lead_on,
                   loupe_addr *ret) {
    uint32_t distance;
    if (!read_u32(target, place, &distance) || distance == 0)
        return false;
    *ret = place + (loupe_addr)(int64_t)(int32_t)distance;
    if (!may_lead_on || !(*ret & 1))
        return true;
    return read_address(target, *ret & ~(loupe_addr)1, ret);
}

/* ---- Text ---- */

struct text {
    char *bytes;
    size_t length, cap;
};

/* False: it does not fit. */
static bool put(struct text *text, const char *more) {
    size_t length = strlen(more);
    if (length >= text->cap - text->length)
        return false;
    memcpy(text->bytes + text->length, more, length + 1);
    text->length += length;
    return true;
}

/* An identifier, which has no control characters. */
static bool put_identifier(struct loupe_target *target, loupe_addr address, struct text *text) {
    char name[MOST_IDENTIFIER];
    size_t length = 0;
    for (; length < sizeof(name); length++) {
        if (loupe_memory_read(target->memory, address + length, &name[length], 1))
            return false;
        if (!name[length])
            break;
        if ((uint8_t)name[length] < ' ' || name[length] == 0x7f)
            return false;
    }
    return length > 0 && length < sizeof(name) && put(text, name);
}

/* ---- Names of descriptors ---- */

static bool has_name(uint32_t kind) {
    return kind == CONTEXT_MODULE || (kind >= CONTEXT_CLASS && kind <= CONTEXT_ENUM);
}

/* The scopes of a type, itself first, up to its module. 0: they make no sense. */
static unsigned collect_scopes(struct loupe_target *target, loupe_addr descriptor,
                               loupe_addr ret[DEEPEST]) {
    /* Cap: metadata of a type that deep is none. */
    for (unsigned count = 0; count < DEEPEST;) {
        uint32_t flags;
        if (descriptor % 4 || !read_u32(target, descriptor, &flags))
            return 0;
        uint32_t kind = flags & CONTEXT_KIND_MASK;
        if (has_name(kind))
            ret[count++] = descriptor;
        if (kind == CONTEXT_MODULE)
            return count;
        if (kind > CONTEXT_ANONYMOUS && !has_name(kind))
            return 0;
        if (!follow(target, descriptor + DESCRIPTOR_PARENT, true, &descriptor))
            return 0;
    }
    return 0;
}

static bool put_descriptor(struct loupe_target *target, loupe_addr descriptor, struct text *text) {
    loupe_addr scopes[DEEPEST], name;
    unsigned count = collect_scopes(target, descriptor, scopes);
    for (unsigned i = count; i > 0; i--) {
        if (!follow(target, scopes[i - 1] + DESCRIPTOR_NAME, false, &name) ||
            !put_identifier(target, name, text) || (i > 1 && !put(text, ".")))
            return false;
    }
    return count > 0;
}

/* ---- Generic arguments ---- */

static bool put_type(struct loupe_target *target, loupe_addr metadata, unsigned level,
                     struct text *text);

/* Those that metadata keeps, in turn; others follow from them. */
static bool put_arguments(struct loupe_target *target, loupe_addr descriptor_end,
                          loupe_addr arguments, unsigned level, struct text *text) {
    enum { PARAMETER_COUNT = 8, HEADER = 16, IS_KEY = 0x80, KIND_MASK = 0x3f };
    uint32_t counts;
    uint8_t parameter;
    unsigned shown = 0;
    if (!read_u32(target, descriptor_end + PARAMETER_COUNT, &counts) ||
        (counts & 0xffff) > MOST_PARAMETERS)
        return false;
    for (unsigned i = 0; i < (counts & 0xffff); i++) {
        loupe_addr argument;
        if (loupe_memory_read(target->memory, descriptor_end + HEADER + i, &parameter, 1))
            return false;
        if (!(parameter & IS_KEY))
            continue;
        if ((parameter & KIND_MASK) != 0)
            return false; /* a pack, a value */
        if (!read_address(target, arguments + (loupe_addr)shown * WORD, &argument) ||
            !put(text, shown++ ? ", " : "<") || !put_type(target, argument, level + 1, text))
            return false;
    }
    return shown == 0 || put(text, ">");
}

/* Where the arguments of class metadata stand; 0: the superclass may grow, and nobody says. */
static loupe_addr class_arguments(struct loupe_target *target, loupe_addr metadata,
                                  loupe_addr descriptor, uint32_t flags) {
    uint32_t words, own;
    if (flags & CONTEXT_RESILIENT_SUPERCLASS ||
        !read_u32(target, descriptor + CLASS_DESCRIPTOR_WORDS, &words) ||
        !read_u32(target, descriptor + CLASS_DESCRIPTOR_OWN_WORDS, &own) || own > words)
        return 0;
    return metadata + (loupe_addr)(words - own) * WORD;
}

/* A name without its arguments is better than none. */
static bool put_with_arguments(struct loupe_target *target, loupe_addr metadata,
                               loupe_addr descriptor, unsigned level, struct text *text) {
    uint32_t flags;
    if (!read_u32(target, descriptor, &flags) || !put_descriptor(target, descriptor, text))
        return false;
    bool is_class = (flags & CONTEXT_KIND_MASK) == CONTEXT_CLASS;
    if (!(flags & CONTEXT_IS_GENERIC) || level == MOST_NESTED)
        return true;
    size_t bare = text->length;
    loupe_addr arguments = is_class ? class_arguments(target, metadata, descriptor, flags)
                                    : metadata + VALUE_ARGUMENTS;
    if (arguments &&
        put_arguments(target, descriptor + (is_class ? CLASS_DESCRIPTOR_END : VALUE_DESCRIPTOR_END),
                      arguments, level, text))
        return true;
    text->length = bare;
    text->bytes[bare] = '\0';
    return true;
}

static bool put_type(struct loupe_target *target, loupe_addr metadata, unsigned level,
                     struct text *text) {
    uint64_t kind;
    loupe_addr descriptor;
    if (metadata % WORD || !read_word(target, metadata, &kind))
        return false;
    if (kind == KIND_EXISTENTIAL)
        return put(text, "any");
    if (kind != KIND_CLASS && kind != KIND_STRUCT && kind != KIND_ENUM && kind != KIND_OPTIONAL)
        return false;
    loupe_addr place = metadata + (kind == KIND_CLASS ? CLASS_DESCRIPTOR : VALUE_DESCRIPTOR);
    return read_address(target, place, &descriptor) &&
           put_with_arguments(target, metadata, descriptor, level, text);
}

/* ---- Metadata ---- */

static bool is_class_metadata(struct loupe_target *target, loupe_addr metadata,
                              struct loupe_swift_class *ret) {
    enum { HEADER = 16, OLD_ADDRESS_POINT = 16, ADDRESS_POINT = 24 };
    uint32_t align, size, address_point, flags;
    uint64_t superclass;
    loupe_addr descriptor;
    if (!read_u32(target, metadata + CLASS_ADDRESS_POINT, &address_point) ||
        (address_point != ADDRESS_POINT && address_point != OLD_ADDRESS_POINT) ||
        !read_u32(target, metadata + CLASS_SIZE, &size) || size < address_point + CLASS_LEAST ||
        !read_u32(target, metadata + CLASS_ALIGN_MASK, &align) ||
        !read_u32(target, metadata + CLASS_INSTANCE_SIZE, &ret->instance_size) ||
        ret->instance_size < HEADER ||
        !read_word(target, metadata + CLASS_SUPERCLASS, &superclass) ||
        !read_address(target, metadata + CLASS_DESCRIPTOR, &descriptor) || descriptor % 4 ||
        !read_u32(target, descriptor, &flags) || (flags & CONTEXT_KIND_MASK) != CONTEXT_CLASS)
        return false;
    align = (align & 0xffff) + 1;
    ret->superclass = loupe_memory_strip(target->memory, superclass);
    return (align & (align - 1)) == 0;
}

static bool take_plain(struct loupe_swift_class *ret, enum loupe_swift_kind kind,
                       const char *name) {
    ret->kind = kind;
    loupe_format(ret->name, sizeof(ret->name), "%s", name);
    return true;
}

bool loupe_swift_class_at(struct loupe_target *target, uint64_t word,
                          struct loupe_swift_class *ret) {
    loupe_addr metadata = loupe_memory_strip(target->memory, word);
    struct text name = {.bytes = ret->name, .cap = sizeof(ret->name)};
    uint64_t kind;
    if (target->memory->machine.pointer_size != WORD || metadata < LOUPE_PAGE_SIZE ||
        metadata % WORD || !read_word(target, metadata, &kind))
        return false;
    ret->superclass = 0;
    ret->instance_size = 0;
    ret->name[0] = '\0';
    switch (kind) {
    case KIND_CLASS:
        ret->kind = LOUPE_SWIFT_CLASS;
        return is_class_metadata(target, metadata, ret) && put_type(target, metadata, 0, &name);
    case KIND_LOCAL:
    case KIND_GENERIC_LOCAL:
        return take_plain(ret, LOUPE_SWIFT_CONTEXT, "closure context");
    case KIND_ERROR:
        return take_plain(ret, LOUPE_SWIFT_ERROR, "error box");
    case KIND_TASK:
        return take_plain(ret, LOUPE_SWIFT_TASK, "Task");
    default:
        return false;
    }
}

/* ---- Fields ---- */

/* Of field descriptors (Records.h) and of their records, one for each field. */
enum {
    FIELDS_SHAPE = 8, /* the kind of the type, and above it the size of a record */
    FIELDS_COUNT = 12,
    FIELDS_RECORDS = 16,
    FIELDS_OF_CLASS = 1,
    RECORD_SIZE = 12,
    RECORD_TYPE = 4,
    RECORD_NAME = 8
};

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
    if (descriptor % 4 || !read_u32(target, descriptor, &flags) ||
        (flags & CONTEXT_KIND_MASK) != CONTEXT_CLASS || flags & CONTEXT_RESILIENT_SUPERCLASS ||
        !read_u32(target, descriptor + CLASS_DESCRIPTOR_FIELD_COUNT, &ret->count) ||
        ret->count == 0 || ret->count > MOST_FIELDS ||
        !read_u32(target, descriptor + CLASS_DESCRIPTOR_OFFSETS, &offsets) || offsets == 0 ||
        offsets > MOST_METADATA_WORDS ||
        !follow(target, descriptor + DESCRIPTOR_FIELDS, false, &fields) ||
        !read_u32(target, fields + FIELDS_SHAPE, &shape) ||
        shape != (FIELDS_OF_CLASS | RECORD_SIZE << 16) ||
        !read_u32(target, fields + FIELDS_COUNT, &recorded) || recorded != ret->count)
        return false;
    ret->records = fields + FIELDS_RECORDS;
    ret->offsets = metadata + (loupe_addr)offsets * WORD;
    return true;
}

/* The record of the last field that begins at a place or before it: of those that begin together
 * all but the last are empty. 0: none does. */
static loupe_addr record_of(struct loupe_target *target, const struct fields *fields,
                            uint64_t place) {
    loupe_addr record = 0;
    uint64_t nearest = 0, offset;
    for (uint32_t i = 0; i < fields->count; i++) {
        if (!read_word(target, fields->offsets + (loupe_addr)i * WORD, &offset))
            return 0;
        if (offset > place || offset < nearest)
            continue;
        nearest = offset;
        record = fields->records + (loupe_addr)i * RECORD_SIZE;
    }
    return record;
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
        at += c > LAST_WORD ? 1 : c < FIRST_WORD ? 1 + 4 : 1 + WORD;
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
    struct text name = {.bytes = ret->name, .cap = sizeof(ret->name)};
    struct type_end type;
    loupe_addr place;
    if (!follow(target, record + RECORD_NAME, false, &place) ||
        !put_identifier(target, place, &name) ||
        !follow(target, record + RECORD_TYPE, false, &place) ||
        !read_type_end(target, place, &type))
        return false;
    ret->ownership = ownership_of(&type);
    ret->is_closure = ends_with(&type, "c") || ends_with(&type, "cSg");
    return true;
}

bool loupe_swift_field_at(struct loupe_target *target, uint64_t word, uint64_t offset,
                          struct loupe_swift_field *ret) {
    loupe_addr metadata = loupe_memory_strip(target->memory, word), descriptor, record;
    struct fields fields;
    /* Cap: superclasses further up, which no program has. */
    for (unsigned level = 0; level < MOST_LEVELS; level++) {
        uint64_t kind;
        uint32_t size;
        if (metadata % WORD || !read_word(target, metadata, &kind) || kind != KIND_CLASS ||
            !read_u32(target, metadata + CLASS_INSTANCE_SIZE, &size) || offset >= size ||
            !read_address(target, metadata + CLASS_DESCRIPTOR, &descriptor))
            return false;
        record = read_fields(target, metadata, descriptor, &fields)
                     ? record_of(target, &fields, offset)
                     : 0;
        if (record)
            return read_record(target, record, ret);
        if (!read_address(target, metadata + CLASS_SUPERCLASS, &metadata))
            return false;
    }
    return false;
}

/* ---- Counts ---- */

#define IS_ELSEWHERE     (UINT64_C(1) << 63) /* or immortal */
#define IS_SIDE_TABLE    (UINT64_C(1) << 62)
#define IS_DEINITING     (UINT64_C(1) << 32)
#define STRONG_SHIFT     33
#define STRONG_MASK      ((UINT64_C(1) << 30) - 1)
#define UNOWNED_MASK     UINT64_C(0xfffffffe)
#define UNOWNED_SHIFT    1
#define SIDE_TABLE_SHIFT 3

/* Bits as they stand in an object or in its side table. */
static void read_bits(uint64_t bits, struct loupe_swift_counts *ret) {
    if (!(bits & UNOWNED_MASK))
        ret->life = LOUPE_SWIFT_NO_OBJECT; /* references keep at least one unowned */
    else if (bits & IS_ELSEWHERE || (uint32_t)bits == UINT32_MAX)
        ret->life = LOUPE_SWIFT_IMMORTAL;
    else
        ret->life = bits & IS_DEINITING ? LOUPE_SWIFT_DEAD : LOUPE_SWIFT_ALIVE;
    if (ret->life != LOUPE_SWIFT_ALIVE)
        return;
    ret->strong = (bits >> STRONG_SHIFT & STRONG_MASK) + 1;
    ret->unowned = ((bits & UNOWNED_MASK) >> UNOWNED_SHIFT) - 1; /* one is that of all strong */
}

struct loupe_swift_counts loupe_swift_counts_at(struct loupe_target *target, loupe_addr object) {
    enum { COUNTS = 8, TABLE_COUNTS = 16 };
    struct loupe_swift_counts counts = {.life = LOUPE_SWIFT_NO_OBJECT};
    uint64_t bits, owner;
    if (!read_word(target, object + COUNTS, &bits))
        return counts;
    if ((bits & (IS_ELSEWHERE | IS_SIDE_TABLE)) == (IS_ELSEWHERE | IS_SIDE_TABLE)) {
        loupe_addr table = (bits & (IS_SIDE_TABLE - 1)) << SIDE_TABLE_SHIFT;
        if (!read_word(target, table, &owner) || owner != object ||
            !read_word(target, table + TABLE_COUNTS, &bits))
            return counts;
        counts.side_table = table;
    }
    read_bits(bits, &counts);
    return counts;
}

uint64_t loupe_swift_spare_bits(const struct loupe_machine *machine) {
    switch (machine->arch) {
    case LOUPE_ARCH_X86_64:
        return UINT64_C(0xff00000000000007);
    case LOUPE_ARCH_ARM64:
        return UINT64_C(0xf000000000000007);
    default:
        return 0;
    }
}
