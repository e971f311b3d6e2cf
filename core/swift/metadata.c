#include "swift/metadata.h"

#include "swift/records.h"

enum { MOST_NESTED = 4, MOST_PARAMETERS = 16 };

/* ---- Generic arguments ---- */

static bool put_type(struct loupe_target *target, loupe_addr metadata, unsigned level,
                     struct loupe_swift_text *text);

/* Those that metadata keeps, in turn; others follow from them. */
static bool put_arguments(struct loupe_target *target, loupe_addr descriptor_end,
                          loupe_addr arguments, unsigned level, struct loupe_swift_text *text) {
    enum { PARAMETER_COUNT = 8, HEADER = 16, IS_KEY = 0x80, KIND_MASK = 0x3f };
    uint32_t counts;
    uint8_t parameter;
    unsigned shown = 0;
    if (!loupe_swift_read_u32(target, descriptor_end + PARAMETER_COUNT, &counts) ||
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
        if (!loupe_swift_read_address(target, arguments + (loupe_addr)shown * SWIFT_WORD,
                                      &argument) ||
            !loupe_swift_put(text, shown++ ? ", " : "<") ||
            !put_type(target, argument, level + 1, text))
            return false;
    }
    return shown == 0 || loupe_swift_put(text, ">");
}

loupe_addr loupe_swift_class_arguments(struct loupe_target *target, loupe_addr metadata,
                                       loupe_addr descriptor, uint32_t flags) {
    uint32_t words, own;
    if (flags & CONTEXT_RESILIENT_SUPERCLASS ||
        !loupe_swift_read_u32(target, descriptor + CLASS_DESCRIPTOR_WORDS, &words) ||
        !loupe_swift_read_u32(target, descriptor + CLASS_DESCRIPTOR_OWN_WORDS, &own) || own > words)
        return 0;
    return metadata + (loupe_addr)(words - own) * SWIFT_WORD;
}

/* A name without its arguments is better than none. */
static bool put_with_arguments(struct loupe_target *target, loupe_addr metadata,
                               loupe_addr descriptor, unsigned level,
                               struct loupe_swift_text *text) {
    uint32_t flags;
    if (!loupe_swift_read_u32(target, descriptor, &flags) ||
        !loupe_swift_put_descriptor(target, descriptor, text))
        return false;
    bool is_class = (flags & CONTEXT_KIND_MASK) == CONTEXT_CLASS;
    if (!(flags & CONTEXT_IS_GENERIC) || level == MOST_NESTED)
        return true;
    size_t bare = text->length;
    loupe_addr arguments = is_class
                               ? loupe_swift_class_arguments(target, metadata, descriptor, flags)
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
                     struct loupe_swift_text *text) {
    uint64_t kind;
    loupe_addr descriptor;
    if (metadata % SWIFT_WORD || !loupe_swift_read_word(target, metadata, &kind))
        return false;
    if (kind == KIND_EXISTENTIAL)
        return loupe_swift_put(text, "any");
    if (kind != KIND_CLASS && kind != KIND_STRUCT && kind != KIND_ENUM && kind != KIND_OPTIONAL)
        return false;
    loupe_addr place = metadata + (kind == KIND_CLASS ? CLASS_DESCRIPTOR : VALUE_DESCRIPTOR);
    return loupe_swift_read_address(target, place, &descriptor) &&
           put_with_arguments(target, metadata, descriptor, level, text);
}

/* ---- Metadata ---- */

static bool is_class_metadata(struct loupe_target *target, loupe_addr metadata,
                              struct loupe_swift_class *ret) {
    enum { HEADER = 16, OLD_ADDRESS_POINT = 16, ADDRESS_POINT = 24 };
    uint32_t align, size, address_point, flags;
    uint64_t superclass;
    loupe_addr descriptor;
    if (!loupe_swift_read_u32(target, metadata + CLASS_ADDRESS_POINT, &address_point) ||
        (address_point != ADDRESS_POINT && address_point != OLD_ADDRESS_POINT) ||
        !loupe_swift_read_u32(target, metadata + CLASS_SIZE, &size) ||
        size < address_point + CLASS_LEAST ||
        !loupe_swift_read_u32(target, metadata + CLASS_ALIGN_MASK, &align) ||
        !loupe_swift_read_u32(target, metadata + CLASS_INSTANCE_SIZE, &ret->instance_size) ||
        ret->instance_size < HEADER ||
        !loupe_swift_read_word(target, metadata + CLASS_SUPERCLASS, &superclass) ||
        !loupe_swift_read_address(target, metadata + CLASS_DESCRIPTOR, &descriptor) ||
        descriptor % 4 || !loupe_swift_read_u32(target, descriptor, &flags) ||
        (flags & CONTEXT_KIND_MASK) != CONTEXT_CLASS)
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
    struct loupe_swift_text name = {.bytes = ret->name, .cap = sizeof(ret->name)};
    uint64_t kind;
    if (target->memory->machine.pointer_size != SWIFT_WORD || metadata < LOUPE_PAGE_SIZE ||
        metadata % SWIFT_WORD || !loupe_swift_read_word(target, metadata, &kind))
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
        return take_plain(ret, LOUPE_SWIFT_ERROR, LOUPE_SWIFT_ERROR_BOX);
    case KIND_TASK:
        return take_plain(ret, LOUPE_SWIFT_TASK, LOUPE_SWIFT_TASK_CLASS);
    default:
        return false;
    }
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
    if (!loupe_swift_read_word(target, object + COUNTS, &bits))
        return counts;
    if ((bits & (IS_ELSEWHERE | IS_SIDE_TABLE)) == (IS_ELSEWHERE | IS_SIDE_TABLE)) {
        loupe_addr table = (bits & (IS_SIDE_TABLE - 1)) << SIDE_TABLE_SHIFT;
        if (!loupe_swift_read_word(target, table, &owner) || owner != object ||
            !loupe_swift_read_word(target, table + TABLE_COUNTS, &bits))
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
