#include "cxx/vtable.h"

#include <string.h>

/* Of a name that need not be the only one of its type: bit 63 on arm64 Darwin. */
#define NAME_IS_NOT_UNIQUE (UINT64_C(1) << 63)

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return !loupe_memory_read_word(target->memory, address, ret);
}

/* A word with a place in a program: aligned, and beyond the first page. */
static bool read_address(struct loupe_target *target, loupe_addr address, loupe_addr *ret) {
    uint64_t word;
    if (!read_word(target, address, &word))
        return false;
    *ret = loupe_memory_strip(target->memory, word);
    return *ret >= LOUPE_PAGE_SIZE && *ret % target->memory->machine.pointer_size == 0;
}

/* ---- Names ---- */

static bool may_be_mangled(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '$';
}

/* Of a type that one file alone knows the name begins with a star. */
static bool read_name(struct loupe_target *target, loupe_addr address, char *dst) {
    size_t length = 0;
    char c = '\0';
    /* Cap: the name is none, and its class not told. */
    for (; length <= LOUPE_MAX_TYPE_NAME; length++) {
        if (loupe_memory_read(target->memory, address + length, &c, 1))
            return false;
        if (c == '*' && length == 0) {
            address++;
            length--;
            continue;
        }
        if (!may_be_mangled(c))
            break;
        dst[length] = c;
    }
    if (c != '\0' || length == 0 || length > LOUPE_MAX_TYPE_NAME)
        return false;
    dst[length] = '\0';
    return true;
}

/* ---- Typeinfo ---- */

static enum loupe_typeinfo_kind kind_of_name(const char *name) {
    static const struct {
        const char *name;
        enum loupe_typeinfo_kind kind;
    } kinds[] = {{"N10__cxxabiv117__class_type_infoE", LOUPE_TYPEINFO_ROOT},
                 {"N10__cxxabiv120__si_class_type_infoE", LOUPE_TYPEINFO_SINGLE},
                 {"N10__cxxabiv121__vmi_class_type_infoE", LOUPE_TYPEINFO_SEVERAL}};
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(name, kinds[i].name) == 0)
            return kinds[i].kind;
    }
    return LOUPE_TYPEINFO_NONE;
}

/* By the name that the vtable of a typeinfo leads to: two steps, never more. */
static enum loupe_typeinfo_kind look_at_kind(struct loupe_target *target, loupe_addr vtable) {
    unsigned word = target->memory->machine.pointer_size;
    char text[LOUPE_MAX_TYPE_NAME + 1];
    loupe_addr typeinfo;
    uint64_t name;
    if (!read_address(target, vtable - word, &typeinfo) ||
        !read_word(target, typeinfo + word, &name) ||
        !read_name(target, loupe_memory_strip(target->memory, name & ~NAME_IS_NOT_UNIQUE), text))
        return LOUPE_TYPEINFO_NONE;
    return kind_of_name(text);
}

/* Only what is a kind is kept: other words come in any number. */
static enum loupe_typeinfo_kind
kind_of_vtable(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds, loupe_addr vtable) {
    uint32_t most = sizeof(kinds->known) / sizeof(kinds->known[0]);
    for (uint32_t i = 0; i < kinds->count; i++) {
        if (kinds->known[i].vtable == vtable)
            return kinds->known[i].kind;
    }
    enum loupe_typeinfo_kind kind = look_at_kind(target, vtable);
    if (kind != LOUPE_TYPEINFO_NONE && kinds->count < most) {
        kinds->known[kinds->count].vtable = vtable;
        kinds->known[kinds->count++].kind = kind;
    }
    return kind;
}

bool loupe_typeinfo_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                       loupe_addr address, struct loupe_typeinfo *ret) {
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr vtable;
    uint64_t name;
    if (!read_address(target, address, &vtable) || !read_word(target, address + word, &name))
        return false;
    ret->address = address;
    ret->kind = kind_of_vtable(target, kinds, vtable);
    return ret->kind != LOUPE_TYPEINFO_NONE &&
           read_name(target, loupe_memory_strip(target->memory, name & ~NAME_IS_NOT_UNIQUE),
                     ret->name);
}

/* Where there are several, each is two words: its typeinfo, and where it stands in the object. */
static loupe_addr first_of_several(struct loupe_target *target, loupe_addr typeinfo) {
    enum { OFFSET_SHIFT = 8, IS_VIRTUAL = 1 };
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr list = typeinfo + 2 * word + 8, named_first = 0, base;
    uint32_t count;
    uint64_t where;
    if (loupe_memory_read_u32(target->memory, typeinfo + 2 * word + 4, &count) ||
        count > LOUPE_MOST_BASES)
        return 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!read_address(target, list + (loupe_addr)(2 * i) * word, &base) ||
            !read_word(target, list + (loupe_addr)(2 * i + 1) * word, &where))
            break;
        if (!(where & IS_VIRTUAL) && where >> OFFSET_SHIFT == 0)
            return base;
        named_first = named_first ? named_first : base;
    }
    return named_first;
}

loupe_addr loupe_typeinfo_base(struct loupe_target *target, const struct loupe_typeinfo *typeinfo) {
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr base;
    switch (typeinfo->kind) {
    case LOUPE_TYPEINFO_SINGLE:
        return read_address(target, typeinfo->address + 2 * word, &base) ? base : 0;
    case LOUPE_TYPEINFO_SEVERAL:
        return first_of_several(target, typeinfo->address);
    default:
        return 0;
    }
}

/* ---- Vtables ---- */

/* Of a program without typeinfo: its symbol, "_ZTV7Session", says it. */
static bool name_by_symbol(struct loupe_target *target, loupe_addr vtable,
                           struct loupe_typeinfo *ret) {
    static const char prefix[] = "_ZTV";
    char symbol[sizeof(prefix) + LOUPE_MAX_TYPE_NAME];
    uint64_t offset;
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr start = vtable - 2 * word;
    uint64_t first;
    /* Most of what has two words of zero before it has no function to call, and needs no search. */
    if (!read_word(target, vtable, &first) || first < LOUPE_PAGE_SIZE ||
        !loupe_memory_name_address(target->memory, start, symbol, sizeof(symbol), &offset) ||
        offset != 0 || strncmp(symbol, prefix, strlen(prefix)) != 0)
        return false;
    *ret = (struct loupe_typeinfo){.kind = LOUPE_TYPEINFO_ROOT};
    loupe_format(ret->name, sizeof(ret->name), "%s", symbol + strlen(prefix));
    return true;
}

bool loupe_vtable_at(struct loupe_target *target, struct loupe_typeinfo_kinds *kinds,
                     uint64_t vtable, struct loupe_typeinfo *ret) {
    unsigned word = target->memory->machine.pointer_size;
    loupe_addr start = loupe_memory_strip(target->memory, vtable);
    uint64_t to_top, typeinfo;
    if (start < LOUPE_PAGE_SIZE || start % word || !read_word(target, start - 2 * word, &to_top) ||
        to_top != 0 || !read_word(target, start - word, &typeinfo))
        return false;
    if (typeinfo == 0)
        return name_by_symbol(target, start, ret);
    return loupe_typeinfo_at(target, kinds, loupe_memory_strip(target->memory, typeinfo), ret);
}
