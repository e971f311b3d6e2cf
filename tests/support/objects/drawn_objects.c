#include "drawn_objects.h"

#include "types/encoding.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    RO_META = 1,
    RO_ROOT = 2,
    RO_HAS_CXX = 4,
    RO_ARC = 0x80,
    RO_DTOR_ONLY = 0x100,
    RO_WEAK_MANUAL = 0x200
};
enum { MAX_WORDS = 1 << 16 /* of an instance */ };
#define RW_REALIZED 0x80000000u
#define SIGNATURE   0x00a5000000000000u /* some pointer signature of arm64e */

static void require(bool ok, const char *what) {
    if (!ok) {
        fprintf(stderr, "drawn objects: %s\n", what);
        abort();
    }
}

static unsigned word_size(const struct drawn_world *world) {
    return world->heap->machine.pointer_size;
}

static loupe_addr word_at(const struct drawn_world *world, loupe_addr base, unsigned number) {
    return base + number * word_size(world);
}

static void put_word(struct drawn_world *world, loupe_addr base, unsigned number, uint64_t value) {
    drawn_put_word(world->heap, word_at(world, base, number), value);
}

static uint64_t signed_pointer(const struct drawn_world *world, loupe_addr address) {
    return world->form == DRAWN_ARM64E && address ? address | SIGNATURE : address;
}

static uint64_t word_from(const struct drawn_world *world, loupe_addr address) {
    uint64_t word = 0;
    drawn_get(world->heap, address, &word, word_size(world));
    return word;
}

/* ---- The isa ---- */

struct isa_form {
    uint64_t class_mask, magic_mask, magic_value;
    unsigned side_table_bit, count_shift;
};

static const struct isa_form *isa_form(const struct drawn_world *world) {
    static const struct isa_form forms[] = {
        [DRAWN_X86_64] = {0x00007ffffffffff8, 0x001f800000000001, 0x001d800000000001, 55, 56},
        [DRAWN_ARM64] = {0x0000000ffffffff8, 0x000003f000000001, 0x000001a000000001, 44, 45},
        [DRAWN_ARM64E] = {0x00007ffffffffff8, 1, 1, 55, 56},
        [DRAWN_RAW_ISA] = {0xfffffffffffffff8, 7, 0, 64, 64},
        [DRAWN_32_BIT] = {0xfffffffc, 3, 0, 64, 64},
    };
    return &forms[world->form];
}

static bool has_packed_isa(const struct drawn_world *world) {
    return isa_form(world)->count_shift < 64;
}

static uint64_t packed_isa(const struct drawn_world *world, loupe_addr cls) {
    const struct isa_form *form = isa_form(world);
    if (!has_packed_isa(world))
        return cls;
    return cls | form->magic_value | (uint64_t)1 << form->count_shift |
           (world->form == DRAWN_ARM64E ? SIGNATURE & 0x007fffffffffffffu : 0);
}

/* ---- The runtime's own symbols ---- */

static void draw_constant(struct drawn_world *world, const char *name, uint64_t value) {
    loupe_addr place = drawn_alloc(world->heap, 16);
    drawn_put_word(world->heap, place, value);
    drawn_symbol_add(world->heap, name, place);
}

static void draw_runtime(struct drawn_world *world) {
    const struct isa_form *form = isa_form(world);
    bool wide = word_size(world) == 8;
    draw_constant(world, "objc_debug_isa_class_mask", form->class_mask);
    draw_constant(world, "objc_debug_isa_magic_mask", form->magic_mask);
    draw_constant(world, "objc_debug_isa_magic_value", form->magic_value);
    draw_constant(world, "objc_debug_class_rw_data_mask", wide ? 0x00007ffffffffff8 : 0xfffffffc);
    draw_constant(world, "objc_debug_swift_stable_abi_bit", 2);
    draw_constant(world, "objc_debug_taggedpointer_mask",
                  world->form == DRAWN_X86_64 ? 1
                  : wide                      ? (uint64_t)1 << 63
                                              : 0);
    draw_constant(world, "objc_debug_autoreleasepoolpage_ptr_mask", 0x0000ffffffffffff);
    world->side_tables = drawn_alloc(world->heap, (size_t)64 * 64);
    draw_constant(world, "objc_debug_side_tables_map", world->side_tables);
    world->association_table = drawn_alloc(world->heap, 32);
    drawn_symbol_add(world->heap, "_ZN4objc19AssociationsManager11_mapStorageE",
                     world->association_table);
}

void drawn_world_init(struct drawn_world *world, struct drawn_heap *heap, enum drawn_form form) {
    memset(world, 0, sizeof(*world));
    world->heap = heap;
    world->form = form;
    drawn_heap_init(heap, form == DRAWN_32_BIT ? 4 : 8);
    if (form == DRAWN_ARM64 || form == DRAWN_ARM64E)
        heap->machine.arch = LOUPE_ARCH_ARM64;
    heap->address_mask = form == DRAWN_ARM64E ? 0x00007fffffffffff : 0;
    draw_runtime(world);
    drawn_class(world, "NSObject", NULL, "none isa #");
    drawn_class(world, "NSBlock", "NSObject", "");
    static const char *const blocks[][2] = {{"__NSMallocBlock__", "_NSConcreteMallocBlock"},
                                            {"__NSStackBlock__", "_NSConcreteStackBlock"},
                                            {"__NSGlobalBlock__", "_NSConcreteGlobalBlock"}};
    for (unsigned i = 0; i < 3; i++)
        drawn_symbol_add(heap, blocks[i][1],
                         drawn_class(world, blocks[i][0], "NSBlock", "")->address);
}

void drawn_world_deinit(struct drawn_world *world) {
    drawn_heap_deinit(world->heap);
}

/* ---- Classes ---- */

struct drawn_class *drawn_class_named(struct drawn_world *world, const char *name) {
    for (unsigned i = 0; i < world->class_count; i++) {
        if (strcmp(world->classes[i].name, name) == 0)
            return &world->classes[i];
    }
    fprintf(stderr, "drawn objects: no class %s\n", name);
    abort();
}

/* What the layouts say of each word of an instance: 's', 'w' or '.'. */
struct word_kinds {
    char kinds[MAX_WORDS];
};

/* A layout string of the words of one kind from the class's own first word on; 0 without any. */
static loupe_addr draw_layout(struct drawn_world *world, const struct word_kinds *words,
                              unsigned first, unsigned end, char kind) {
    uint8_t bytes[MAX_WORDS + 1];
    size_t length = 0;
    bool any = false;
    for (unsigned word = first; word < end;) {
        unsigned skip = 0, scan = 0;
        while (word < end && words->kinds[word] != kind && skip < 15)
            skip++, word++;
        while (word < end && words->kinds[word] == kind && scan < 15)
            scan++, word++;
        any |= scan > 0;
        bytes[length++] = (uint8_t)(skip << 4 | scan);
    }
    while (length && (bytes[length - 1] & 15) == 0)
        length--;
    bytes[length++] = 0;
    return any ? drawn_bytes(world->heap, bytes, length) : 0;
}

struct parsed_ivar {
    char ownership[32], name[32], type[1024];
};

/* The next "ownership name type" of a list. */
static bool next_ivar(const char **cursor, struct parsed_ivar *ret) {
    int used = 0;
    while (**cursor == ' ' || **cursor == ';')
        (*cursor)++;
    if (!**cursor)
        return false;
    require(sscanf(*cursor, "%31s %31s %1023[^;]%n", ret->ownership, ret->name, ret->type, &used) ==
                3,
            "an ivar is \"ownership name type\"");
    *cursor += used;
    return true;
}

static void mark_words(struct drawn_world *world, struct word_kinds *words,
                       const struct drawn_ivar *ivar, const char *ownership) {
    unsigned first = ivar->offset / word_size(world);
    unsigned count = ivar->size / word_size(world);
    bool all = strcmp(ownership, "strong") == 0 || strcmp(ownership, "weak") == 0;
    if (strcmp(ownership, "none") == 0)
        return;
    require(first + count <= MAX_WORDS, "too large an instance");
    for (unsigned i = 0; i < count && (all || ownership[i]); i++)
        words->kinds[first + i] = all ? ownership[0] : ownership[i];
}

static void place_ivar(struct drawn_world *world, struct drawn_class *cls,
                       const struct parsed_ivar *parsed, struct drawn_ivar *ivar,
                       uint64_t *alignment) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(world->heap->machine);
    struct loupe_type type;
    require(!loupe_type_parse(loupe_span_of(parsed->type), &rules, &type, NULL), "bad type");
    *alignment = type.alignment;
    ivar->offset =
        (uint32_t)((cls->instance_size + type.alignment - 1) / type.alignment * type.alignment);
    ivar->size = (uint32_t)type.size;
    snprintf(ivar->name, sizeof(ivar->name), "%s", parsed->name);
    cls->instance_size = ivar->offset + ivar->size;
}

static void draw_ivar(struct drawn_world *world, loupe_addr entry, const struct drawn_ivar *ivar,
                      const char *type, uint64_t alignment) {
    loupe_addr offset = drawn_alloc(world->heap, 8);
    drawn_put_u32(world->heap, offset, ivar->offset);
    put_word(world, entry, 0, offset);
    put_word(world, entry, 1, drawn_string(world->heap, ivar->name));
    put_word(world, entry, 2, drawn_string(world->heap, type));
    loupe_addr numbers = word_at(world, entry, 3);
    drawn_put_u32(world->heap, numbers, (uint32_t)__builtin_ctzll(alignment));
    drawn_put_u32(world->heap, numbers + 4, ivar->size);
}

static loupe_addr draw_ivars(struct drawn_world *world, struct drawn_class *cls, const char *ivars,
                             struct word_kinds *words) {
    unsigned entry_size = 3 * word_size(world) + 8;
    loupe_addr list = drawn_alloc(world->heap, 8 + DRAWN_MAX_IVARS * entry_size);
    struct parsed_ivar parsed;
    const char *cursor = ivars;
    while (next_ivar(&cursor, &parsed)) {
        require(cls->ivar_count < DRAWN_MAX_IVARS, "too many ivars");
        struct drawn_ivar *ivar = &cls->ivars[cls->ivar_count];
        uint64_t alignment;
        place_ivar(world, cls, &parsed, ivar, &alignment);
        mark_words(world, words, ivar, parsed.ownership);
        draw_ivar(world, list + 8 + cls->ivar_count++ * entry_size, ivar, parsed.type, alignment);
    }
    drawn_put_u32(world->heap, list, entry_size);
    drawn_put_u32(world->heap, list + 4, cls->ivar_count);
    return cls->ivar_count ? list : 0;
}

static loupe_addr ro_word(const struct drawn_world *world, loupe_addr ro, unsigned word) {
    return word_at(world, ro + (word_size(world) == 8 ? 16 : 12), word);
}

static loupe_addr draw_ro(struct drawn_world *world, uint32_t flags, uint32_t start, uint32_t size,
                          loupe_addr name) {
    loupe_addr ro = drawn_alloc(world->heap, 80);
    drawn_put_u32(world->heap, ro, flags);
    drawn_put_u32(world->heap, ro + 4, start);
    drawn_put_u32(world->heap, ro + 8, size);
    drawn_put_word(world->heap, ro_word(world, ro, 1), name);
    return ro;
}

/* The bits word of a class: what leads to ro in the form of the world. */
static uint64_t draw_data(struct drawn_world *world, loupe_addr ro) {
    if (world->class_form == DRAWN_UNREALIZED)
        return signed_pointer(world, ro);
    loupe_addr rw = drawn_alloc(world->heap, 64), link = signed_pointer(world, ro);
    drawn_put_u32(world->heap, rw, RW_REALIZED);
    if (world->class_form == DRAWN_EXTENDED) {
        loupe_addr ext = drawn_alloc(world->heap, 64);
        drawn_put_word(world->heap, ext, link);
        link = signed_pointer(world, ext) | 1;
    }
    drawn_put_word(world->heap, rw + 8, link);
    bool marked = word_size(world) == 8 && world->class_form != DRAWN_REALIZED_OLD;
    return signed_pointer(world, rw) | (marked ? (uint64_t)1 << 63 : 0);
}

static void draw_class_object(struct drawn_world *world, loupe_addr cls, loupe_addr isa,
                              loupe_addr superclass, loupe_addr ro) {
    put_word(world, cls, 0, signed_pointer(world, isa));
    put_word(world, cls, 1, signed_pointer(world, superclass));
    put_word(world, cls, 4, draw_data(world, ro));
}

static uint32_t class_flags(const struct drawn_world *world, const struct word_kinds *words) {
    bool weak = memchr(words->kinds, 'w', sizeof(words->kinds)) != NULL;
    bool strong = memchr(words->kinds, 's', sizeof(words->kinds)) != NULL;
    if (world->manual)
        return weak ? RO_WEAK_MANUAL | RO_DTOR_ONLY | RO_HAS_CXX : 0;
    return RO_ARC | (strong || weak ? RO_DTOR_ONLY | RO_HAS_CXX : 0);
}

struct drawn_class *drawn_class(struct drawn_world *world, const char *name, const char *superclass,
                                const char *ivars) {
    require(world->class_count < DRAWN_MAX_CLASSES, "too many classes");
    struct drawn_class *cls = &world->classes[world->class_count];
    struct drawn_class *super = superclass ? drawn_class_named(world, superclass) : NULL;
    struct word_kinds words;
    memset(words.kinds, '.', sizeof(words.kinds));
    snprintf(cls->name, sizeof(cls->name), "%s", name);
    cls->superclass = super;
    cls->address = drawn_alloc(world->heap, 80);
    cls->metaclass = drawn_alloc(world->heap, 80);
    cls->instance_size = super ? super->instance_size : 0;
    uint32_t start = cls->instance_size, root = super ? 0 : RO_ROOT;
    loupe_addr list = draw_ivars(world, cls, ivars, &words);
    loupe_addr name_address = drawn_string(world->heap, name);
    cls->ro =
        draw_ro(world, class_flags(world, &words) | root, start, cls->instance_size, name_address);
    unsigned size = word_size(world), first = (start + size - 1) / size,
             end = cls->instance_size / size;
    if (!world->manual)
        drawn_put_word(world->heap, ro_word(world, cls->ro, 0),
                       draw_layout(world, &words, first, end, 's'));
    drawn_put_word(world->heap, ro_word(world, cls->ro, 4), list);
    drawn_put_word(world->heap, ro_word(world, cls->ro, 5),
                   draw_layout(world, &words, first, end, 'w'));
    loupe_addr meta_ro = draw_ro(world, RO_META | root, 5 * size, 5 * size, name_address);
    world->class_count++;
    loupe_addr root_meta = super ? drawn_class_named(world, "NSObject")->metaclass : cls->metaclass;
    draw_class_object(world, cls->address, cls->metaclass, super ? super->address : 0, cls->ro);
    draw_class_object(world, cls->metaclass, root_meta, super ? super->metaclass : cls->address,
                      meta_ro);
    return cls;
}

void drawn_properties(struct drawn_world *world, const char *class_name, const char *properties) {
    enum { MAX = 8 };
    unsigned entry_size = 2 * word_size(world), count = 0;
    loupe_addr list = drawn_alloc(world->heap, 8 + MAX * entry_size);
    char name[64], attributes[256];
    int used = 0;
    for (const char *cursor = properties;
         sscanf(cursor, " %63s %255[^;]%n", name, attributes, &used) == 2;) {
        require(count < MAX, "too many properties");
        loupe_addr entry = list + 8 + count++ * entry_size;
        put_word(world, entry, 0, drawn_string(world->heap, name));
        put_word(world, entry, 1, drawn_string(world->heap, attributes));
        cursor += used;
        cursor += *cursor == ';';
    }
    drawn_put_u32(world->heap, list, entry_size);
    drawn_put_u32(world->heap, list + 4, count);
    drawn_put_ro_word(world, class_name, 6, list);
}

void drawn_put_ro_word(struct drawn_world *world, const char *class_name, unsigned word,
                       uint64_t value) {
    loupe_addr ro = drawn_class_named(world, class_name)->ro;
    drawn_put_word(world->heap, ro_word(world, ro, word), value);
}

void drawn_put_ro_number(struct drawn_world *world, const char *class_name, unsigned number,
                         uint32_t value) {
    drawn_put_u32(world->heap, drawn_class_named(world, class_name)->ro + 4 * number, value);
}

/* ---- Objects ---- */

loupe_addr drawn_object(struct drawn_world *world, const char *class_name) {
    const struct drawn_class *cls = drawn_class_named(world, class_name);
    loupe_addr object = drawn_alloc(world->heap, cls->instance_size);
    drawn_put_word(world->heap, object, packed_isa(world, cls->address));
    return object;
}

static const struct drawn_class *class_of(struct drawn_world *world, loupe_addr object) {
    uint64_t cls = word_from(world, object) & isa_form(world)->class_mask;
    for (unsigned i = 0; i < world->class_count; i++) {
        if (world->classes[i].address == cls)
            return &world->classes[i];
    }
    fprintf(stderr, "drawn objects: no object at 0x%llx\n", (unsigned long long)object);
    abort();
}

loupe_addr drawn_slot(struct drawn_world *world, loupe_addr object, const char *name) {
    for (const struct drawn_class *cls = class_of(world, object); cls; cls = cls->superclass) {
        for (unsigned i = 0; i < cls->ivar_count; i++) {
            if (strcmp(cls->ivars[i].name, name) == 0)
                return object + cls->ivars[i].offset;
        }
    }
    fprintf(stderr, "drawn objects: no ivar %s\n", name);
    abort();
}

void drawn_set(struct drawn_world *world, loupe_addr object, const char *ivar, uint64_t value) {
    drawn_set_word(world, object, ivar, 0, value);
}

void drawn_set_word(struct drawn_world *world, loupe_addr object, const char *ivar, unsigned word,
                    uint64_t value) {
    put_word(world, drawn_slot(world, object, ivar), word, value);
}

void drawn_make_raw(struct drawn_world *world, loupe_addr object) {
    drawn_put_word(world->heap, object, signed_pointer(world, class_of(world, object)->address));
}

static void set_isa_bits(struct drawn_world *world, loupe_addr object, uint64_t bits) {
    if (has_packed_isa(world))
        drawn_put_word(world->heap, object, word_from(world, object) | bits);
}

static void put_dense_map(struct drawn_world *world, loupe_addr place, loupe_addr buckets,
                          uint32_t entries, uint32_t bucket_count) {
    loupe_addr numbers = word_at(world, place, 1);
    drawn_put_word(world->heap, place, buckets);
    drawn_put_u32(world->heap, numbers, entries);
    drawn_put_u32(world->heap, numbers + 8, bucket_count);
}

static uint64_t disguised(const struct drawn_world *world, loupe_addr object) {
    return word_size(world) == 8 ? -object : (uint32_t)-object;
}

/* One table of four buckets per stripe, so at most four objects of a stripe have a count there. */
static void put_side_count(struct drawn_world *world, loupe_addr object, uint64_t count) {
    enum { BUCKETS = 4 };
    loupe_addr header =
        word_at(world, world->side_tables + (((object >> 4) ^ (object >> 9)) % 64) * 64, 1);
    loupe_addr buckets = word_from(world, header);
    if (!buckets) {
        buckets = drawn_alloc(world->heap, BUCKETS * 2 * word_size(world));
        for (unsigned i = 0; i < BUCKETS; i++)
            put_word(world, buckets, 2 * i, 1);
    }
    unsigned i = 0;
    while (word_from(world, word_at(world, buckets, 2 * i)) != 1)
        require(++i < BUCKETS, "a stripe is full");
    put_word(world, buckets, 2 * i, disguised(world, object));
    put_word(world, buckets, 2 * i + 1, count << 2);
    put_dense_map(world, header, buckets, i + 1, BUCKETS);
}

void drawn_set_count(struct drawn_world *world, loupe_addr object, uint64_t inline_count,
                     uint64_t side_count) {
    const struct isa_form *form = isa_form(world);
    uint64_t isa = word_from(world, object);
    bool packed = has_packed_isa(world) && (isa & form->magic_mask) == form->magic_value;
    if (packed) {
        isa &= ((uint64_t)1 << form->count_shift) - 1;
        isa |= inline_count << form->count_shift;
        if (side_count)
            isa |= (uint64_t)1 << form->side_table_bit;
        drawn_put_word(world->heap, object, isa);
    }
    if (side_count)
        put_side_count(world, object, side_count);
}

/* ---- Blocks ---- */

enum { BLOCK_HEAP = (int)0xc3000002 /* counted once, with helpers, signature and layout */ };

static uint8_t layout_op(char capture) {
    switch (capture) {
    case 's':
    case 'b':
        return 0x30;
    case 'r':
        return 0x40;
    case 'w':
        return 0x50;
    case 'u':
        return 0x60;
    default:
        require(capture == 'd', "a capture is one of s b r w u d");
        return 0x20;
    }
}

static loupe_addr draw_descriptor(struct drawn_world *world, uint32_t flags, const char *captures,
                                  unsigned size) {
    loupe_addr descriptor = drawn_alloc(world->heap, 6 * word_size(world));
    uint8_t layout[64];
    unsigned word = 0, count = (unsigned)strlen(captures);
    require(count < sizeof(layout), "too many captures");
    for (unsigned i = 0; i < count; i++)
        layout[i] = layout_op(captures[i]);
    layout[count] = 0;
    put_word(world, descriptor, word++, 0);
    put_word(world, descriptor, word++, size);
    if (flags & 1u << 25) {
        put_word(world, descriptor, word++, 0x500);
        put_word(world, descriptor, word++, 0x600);
    }
    put_word(world, descriptor, word++, drawn_string(world->heap, "v8@?0"));
    put_word(world, descriptor, word++, drawn_bytes(world->heap, layout, count + 1));
    return descriptor;
}

static loupe_addr draw_block(struct drawn_world *world, uint32_t flags, const char *captures,
                             va_list values) {
    unsigned header = word_size(world) == 8 ? 32 : 20, count = (unsigned)strlen(captures);
    unsigned size = header + count * word_size(world);
    const char *cls = flags & 1u << 28   ? "__NSGlobalBlock__"
                      : flags & 1u << 24 ? "__NSMallocBlock__"
                                         : "__NSStackBlock__";
    loupe_addr block = drawn_alloc(world->heap, size);
    put_word(world, block, 0, signed_pointer(world, drawn_class_named(world, cls)->address));
    drawn_put_u32(world->heap, word_at(world, block, 1), flags);
    loupe_addr invoke = word_at(world, block, 1) + 8;
    put_word(world, invoke, 0, 0x400);
    put_word(world, invoke, 1, draw_descriptor(world, flags, captures, size));
    for (unsigned i = 0; i < count; i++)
        put_word(world, block + header, i, va_arg(values, loupe_addr));
    return block;
}

loupe_addr drawn_block_of(struct drawn_world *world, const char *captures, ...) {
    va_list values;
    va_start(values, captures);
    loupe_addr block = draw_block(world, (uint32_t)BLOCK_HEAP, captures, values);
    va_end(values);
    return block;
}

loupe_addr drawn_block_flagged(struct drawn_world *world, uint32_t flags, const char *captures,
                               ...) {
    va_list values;
    va_start(values, captures);
    loupe_addr block = draw_block(world, flags, captures, values);
    va_end(values);
    return block;
}

loupe_addr drawn_byref_of(struct drawn_world *world, unsigned kind, uint64_t value) {
    bool has_helpers = kind == 3 || kind == 4;
    unsigned header = 2 * word_size(world) + 8;
    unsigned size = header + (has_helpers ? 3 : 1) * word_size(world);
    loupe_addr byref = drawn_alloc(world->heap, size);
    put_word(world, byref, 1, byref);
    loupe_addr numbers = word_at(world, byref, 2);
    drawn_put_u32(world->heap, numbers, kind << 28 | 1u << 24 | (has_helpers ? 1u << 25 : 0) | 2);
    drawn_put_u32(world->heap, numbers + 4, size);
    drawn_put_word(world->heap, byref + size - word_size(world), value);
    return byref;
}

/* ---- Associated objects ---- */

static unsigned bucket_count(unsigned entries) {
    unsigned count = 4;
    while (count * 3 < entries * 4 + 4)
        count *= 2;
    return count;
}

static unsigned map_words(const struct drawn_world *world) {
    return word_size(world) == 8 ? 3 : 4;
}

/* The inner table of one object, written to `place`. */
static void draw_own_associations(struct drawn_world *world, loupe_addr place, loupe_addr object) {
    unsigned entries = 0, total = bucket_count(world->association_count);
    loupe_addr buckets = drawn_alloc(world->heap, (size_t)total * 3 * word_size(world));
    for (unsigned i = 0; i < world->association_count; i++) {
        if (world->associations[i].object != object)
            continue;
        put_word(world, buckets, 3 * entries, world->associations[i].key);
        put_word(world, buckets, 3 * entries + 1, world->associations[i].policy);
        put_word(world, buckets, 3 * entries + 2, world->associations[i].value);
        entries++;
    }
    for (unsigned i = entries; i < total; i++)
        put_word(world, buckets, 3 * i, UINT64_MAX);
    put_dense_map(world, place, buckets, entries, total);
}

static bool is_first_of_object(const struct drawn_world *world, unsigned index) {
    for (unsigned i = 0; i < index; i++) {
        if (world->associations[i].object == world->associations[index].object)
            return false;
    }
    return true;
}

static void draw_all_associations(struct drawn_world *world) {
    unsigned words = 1 + map_words(world), entries = 0;
    unsigned total = bucket_count(world->association_count);
    loupe_addr buckets = drawn_alloc(world->heap, (size_t)total * words * word_size(world));
    for (unsigned i = 0; i < world->association_count; i++) {
        if (!is_first_of_object(world, i))
            continue;
        loupe_addr bucket = word_at(world, buckets, words * entries++);
        loupe_addr object = world->associations[i].object;
        put_word(world, bucket, 0, disguised(world, object));
        draw_own_associations(world, word_at(world, bucket, 1), object);
    }
    for (unsigned i = entries; i < total; i++)
        put_word(world, buckets, words * i, i % 2 ? 1 : 2);
    put_dense_map(world, world->association_table, buckets, entries, total);
}

void drawn_associate(struct drawn_world *world, loupe_addr object, loupe_addr key, uint64_t policy,
                     loupe_addr value) {
    unsigned number = world->association_count++;
    require(number < DRAWN_MAX_ASSOCIATIONS, "too many associations");
    world->associations[number].object = object;
    world->associations[number].key = key;
    world->associations[number].policy = policy;
    world->associations[number].value = value;
    set_isa_bits(world, object, 2);
    draw_all_associations(world);
}
