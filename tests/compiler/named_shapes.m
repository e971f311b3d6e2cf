/*
 * The shapes as ivars of a class: their encodings have the names of the members. Reads the class as
 * the compiler wrote it, without a runtime, and compares what the decoder makes of each ivar's type.
 */
#include "check.h"
#include "types/encoding.h"
#include "shapes.h"

@class Some;
typedef void (^shape_block_type)(id);
typedef float shape_vector __attribute__((vector_size(16)));
typedef float shape_small_vector __attribute__((vector_size(8)));

#define ALL_SHAPES(SHAPE) SHAPES(SHAPE) SHAPES_ONLY_WITH_SIZE(SHAPE) SHAPES_ONLY_WITH_NAMES(SHAPE)

ALL_SHAPES(SHAPE_STRUCT)

#define SHAPE_IVAR(name, ...) struct shape_##name _##name;

__attribute__((objc_root_class)) @interface ShapeHolder {
    Class isa;
    ALL_SHAPES(SHAPE_IVAR)
}
@end
@implementation ShapeHolder
@end

/* As linkers know a name of C. */
#define QUOTED(text)   #text
#define TEXT_OF(macro) QUOTED(macro)
#define SYMBOL(name)   TEXT_OF(__USER_LABEL_PREFIX__) name

/* What the class refers to in the runtime. */
void *empty_cache[2] __asm__(SYMBOL("_objc_empty_cache"));

/* ---- The class as memory (objc4 objc-runtime-new.h) ---- */

struct ivar {
    int32_t *offset;
    const char *name;
    const char *type;
    uint32_t alignment_log2;
    uint32_t size;
};

struct ivar_list {
    uint32_t entry_size;
    uint32_t count;
    struct ivar first[];
};

struct class_data {
    uint32_t flags, start, size, reserved;
    const uint8_t *strong_layout;
    const char *name;
    const void *methods, *protocols;
    const struct ivar_list *ivars;
    const uint8_t *weak_layout;
    const void *properties;
};

extern struct {
    void *isa, *superclass, *cache, *vtable;
    struct class_data *data;
} holder_class __asm__(SYMBOL("OBJC_CLASS_$_ShapeHolder"));

static const struct ivar *find_ivar(const char *name) {
    const struct ivar_list *list = holder_class.data->ivars;
    for (uint32_t i = 0; i < list->count; i++) {
        if (strcmp(list->first[i].name + 1, name) == 0)
            return &list->first[i];
    }
    return NULL;
}

/* ---- The check ---- */

struct member {
    const char *path;
    uint32_t offset;
};

static struct loupe_encoding_cursor cursor;

static void check_member(const struct loupe_encoding *encoding, const struct member *member) {
    struct loupe_leaf leaf;
    char path[128];
    bool found = false;
    loupe_encoding_begin(&cursor, encoding, loupe_span_of(""), 1000);
    while (!found && loupe_encoding_next(&cursor, &leaf))
        found = strcmp(leaf.path, member->path) == 0;
    if (!CHECK(found) || !CHECK_EQ(leaf.offset, member->offset)) {
        printf("    for %s in %.*s\n", member->path, (int)encoding->type.text.length,
               encoding->type.text.bytes);
        return;
    }
    /* The way back, where the offset alone tells which member it is. */
    bool is_object = leaf.kind == LOUPE_TYPE_OBJECT || leaf.kind == LOUPE_TYPE_BLOCK;
    CHECK(loupe_encoding_path_at(encoding, loupe_span_of(""), leaf.offset, path, sizeof(path),
                                 &leaf));
    if (is_object)
        CHECK_STR(path, member->path);
}

static void check_shape(const char *name, uint32_t size, const struct member *members,
                        unsigned count) {
    struct loupe_machine machine = {.pointer_size = 8, .arch = LOUPE_ARCH_X86_64};
#ifdef __aarch64__
    machine.arch = LOUPE_ARCH_ARM64;
#endif
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(machine);
    struct loupe_encoding encoding;
    const struct ivar *ivar = find_ivar(name);
    check_current = name;
    if (!CHECK(ivar != NULL) || !CHECK_EQ(ivar->size, size) ||
        !CHECK_EQ(loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, size), 0))
        return;
    if (!CHECK(encoding.fits))
        printf("    for %s\n", ivar->type);
    for (unsigned i = 0; i < count; i++)
        check_member(&encoding, &members[i]);
}

#define SHAPE_MEMBER(name, member) {#member, (uint32_t)offsetof(struct shape_##name, member)}
#define SHAPE_CHECK(name, definition, ...)                                                         \
    {                                                                                              \
        static const struct member members[] = {EACH(SHAPE_MEMBER, name, __VA_ARGS__)};            \
        check_shape(#name, sizeof(struct shape_##name), members, COUNT(__VA_ARGS__));              \
    }

int main(void) {
    ALL_SHAPES(SHAPE_CHECK)
    return check_report();
}
