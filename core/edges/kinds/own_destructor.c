#include "edges/kinds/own_destructor.h"

#include "code/following.h"
#include "code/reading.h"
#include "runtime/abi.h"
#include "types/encoding.h"

#include <string.h>

/* ---- The name of a destructor ---- */

enum { MOST_ELEMENTS = 1 << 12, LARGEST = 1 << 24 };
/* Code is read for each struct again: a class with more ivars, and what is behind so many bytes of
 * a struct, stay unknown. */
enum { MOST_IVARS = 256, LARGEST_STRUCT = 1 << 12 };
static const char prefix[] = "__destructor_";

/* Elements of an array: what is said of the first is true of all. */
struct elements {
    uint64_t size, count;
};

static bool take_number(const char **at, uint64_t *ret) {
    const char *begin = *at;
    /* Cap: a name that is none: members are assumed, and said to be. */
    for (*ret = 0; **at >= '0' && **at <= '9' && *ret < LARGEST; (*at)++)
        *ret = *ret * 10 + (uint64_t)(**at - '0');
    return *at != begin && *ret < LARGEST;
}

static bool take(const char **at, const char *word) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0)
        return false;
    *at += length;
    return true;
}

/* "_AB16s24n3": three elements of 24 bytes, the first at 16. */
static bool take_array(const char **at, struct elements *elements) {
    uint64_t first;
    return elements->count == 1 && take_number(at, &first) && take(at, "s") &&
           take_number(at, &elements->size) && take(at, "n") && take_number(at, &elements->count) &&
           elements->count <= MOST_ELEMENTS;
}

/* "_s8", "_sb8" of a block, "_sv8" if it is volatile, "_w8". */
static bool take_member(const char **at, bool is_weak, const struct elements *elements,
                        loupe_named_member_visit *visit, void *ctx) {
    struct loupe_named_member member = {.is_weak = is_weak};
    (void)take(at, "b");
    (void)take(at, "v");
    if (!take_number(at, &member.offset))
        return false;
    for (uint64_t i = 0; i < elements->count; i++, member.offset += elements->size)
        visit(ctx, &member);
    return true;
}

bool loupe_destructor_members(const char *name, loupe_named_member_visit *visit, void *ctx) {
    struct elements elements = {.count = 1};
    uint64_t alignment;
    const char *at = name;
    if (!take(&at, prefix) || !take_number(&at, &alignment))
        return false;
    while (*at) {
        bool is_understood;
        if (take(&at, "_AB"))
            is_understood = take_array(&at, &elements);
        else if ((is_understood = take(&at, "_AE")))
            elements = (struct elements){.count = 1};
        else if ((is_understood = take(&at, "_S")))
            continue; /* a struct in it: its members follow, at their offsets in the outermost */
        else if (take(&at, "_s"))
            is_understood = take_member(&at, false, &elements, visit, ctx);
        else
            is_understood = take(&at, "_w") && take_member(&at, true, &elements, visit, ctx);
        if (!is_understood)
            return false;
    }
    return true;
}

static void visit_nothing(void *ctx, const struct loupe_named_member *member) {
    (void)ctx;
    (void)member;
}

/* ---- Types ---- */

/* What is in an array, and how many of it; else the type itself. */
static const char *element_type(const char *type, uint64_t *count_ret) {
    for (*count_ret = 1; *type == '[';) {
        uint64_t count;
        type++;
        *count_ret *= take_number(&type, &count) && *count_ret < LARGEST ? count : 0;
    }
    return type;
}

/* How many references a type has; of an array, each element. */
static uint64_t references_in(const struct loupe_target *target, const char *type) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_type parsed;
    uint64_t count;
    type = element_type(type, &count);
    return loupe_type_parse(loupe_span_of(type), &rules, &parsed, NULL) ? 0 : parsed.object_count;
}

static bool is_record(const char *type) {
    uint64_t count;
    type = element_type(type, &count);
    return *type == '{' || *type == '(';
}

/* Whether it is the only ivar of its class for which a struct may have to be destroyed. */
static bool is_only_record(const struct loupe_target *target,
                           const struct loupe_class_layout *layout) {
    unsigned count = 0;
    for (uint32_t i = 0; i < layout->ivar_count; i++)
        count += is_record(layout->ivars[i].type) && references_in(target, layout->ivars[i].type);
    return count == 1;
}

/* ---- The code ---- */

static loupe_addr reference_at(const struct loupe_code_reading *reading, uint32_t number) {
    return *(const loupe_addr *)loupe_vector_at(&reading->references, number, sizeof(loupe_addr));
}

/* Whether it has the address, or a place where that stands. */
static bool refers_to(const struct loupe_code_reading *reading, loupe_addr wanted) {
    for (uint32_t i = 0; wanted && i < reading->references.count; i++) {
        loupe_addr place = reference_at(reading, i), behind;
        if (place == wanted ||
            (!loupe_memory_read_pointer(reading->memory, place, &behind) && behind == wanted))
            return true;
    }
    return false;
}

/* The name of the only destructor of a struct that is called. */
static bool find_name(const struct loupe_code_reading *reading, char ret[LOUPE_DESTRUCTOR_NAME]) {
    unsigned found = 0;
    for (uint32_t i = 0; i < reading->functions.count; i++) {
        char name[LOUPE_DESTRUCTOR_NAME];
        uint64_t offset;
        loupe_addr code =
            *(const loupe_addr *)loupe_vector_at(&reading->functions, i, sizeof(code));
        if (!loupe_memory_name_address(reading->memory, code, name, sizeof(name), &offset) ||
            offset || strlen(name) == sizeof(name) - 1 ||
            strncmp(name, prefix, sizeof(prefix) - 1) != 0)
            continue;
        found++;
        memcpy(ret, name, sizeof(name));
    }
    return found == 1 && loupe_destructor_members(ret, visit_nothing, NULL);
}

/* No other ivar of the class has references in several places: what is loaded is the struct's. */
static bool has_no_arrays(const struct loupe_target *target,
                          const struct loupe_class_layout *layout) {
    for (uint32_t i = 0; i < layout->ivar_count; i++)
        if (*layout->ivars[i].type == '[' && references_in(target, layout->ivars[i].type))
            return false;
    return true;
}

/* What owns is loaded to be released; of what is weak the address alone is handed on. The first
 * member is loaded as any ivar is, so that it does not show. */
static bool find_loads(const struct loupe_code_reading *reading, const struct loupe_ivar *ivar,
                       char ret[LOUPE_DESTRUCTOR_NAME]) {
    uint8_t size = reading->memory->machine.pointer_size;
    if (ivar->size < size)
        return false;
    size_t length = loupe_format(ret, LOUPE_DESTRUCTOR_NAME, "%s%u", prefix, size);
    bool found = false;
    /* Cap: members are assumed, and said to be. */
    for (uint32_t offset = size; offset < LARGEST_STRUCT && ivar->size - size >= offset;
         offset += size) {
        enum { LONGEST_MEMBER = 16 };
        if (!loupe_code_reading_has_access(reading, offset, size) ||
            length + LONGEST_MEMBER > LOUPE_DESTRUCTOR_NAME)
            continue;
        length += loupe_format(ret + length, LOUPE_DESTRUCTOR_NAME - length, "_s%u", offset);
        found = true;
    }
    return found;
}

static enum loupe_members_destroyed says_of(const struct loupe_code_reading *reading,
                                            const struct loupe_target *target,
                                            const struct loupe_class_layout *layout,
                                            const struct loupe_ivar *ivar,
                                            struct loupe_destroyed_members *ret) {
    loupe_addr destroy_weak = 0;
    if (!refers_to(reading, ivar->variable))
        return ivar->variable && !reading->is_uncertain &&
                       !loupe_code_reading_may_touch(reading, ivar->offset, ivar->size, true)
                   ? LOUPE_MEMBERS_NONE
                   : LOUPE_MEMBERS_NOT_KNOWN;
    (void)element_type(ivar->type, &ret->elements);
    if (ret->elements && is_only_record(target, layout) && find_name(reading, ret->name))
        return LOUPE_MEMBERS_BY_NAMES;
    if (references_in(target, ivar->type) != 1)
        return ret->elements == 1 && is_only_record(target, layout) &&
                       has_no_arrays(target, layout) && find_loads(reading, ivar, ret->name)
                   ? LOUPE_MEMBERS_BY_LOADS
                   : LOUPE_MEMBERS_NOT_KNOWN;
    if (reading->is_uncertain ||
        loupe_memory_find_symbol(reading->memory, "objc_destroyWeak", &destroy_weak) ||
        refers_to(reading, destroy_weak))
        return LOUPE_MEMBERS_NOT_KNOWN;
    return LOUPE_MEMBERS_STRONG;
}

/* ---- The code, followed ---- */

struct given_up {
    const struct loupe_ivar *ivar;
    char *name;
    size_t length;
    bool is_known, has_members;
};

/* As a destructor's name would have it. */
static void list_member(void *ctx, uint64_t offset, bool is_weak) {
    enum { LONGEST_MEMBER = 16 };
    struct given_up *given_up = ctx;
    const struct loupe_ivar *ivar = given_up->ivar;
    if (offset < ivar->offset || offset - ivar->offset >= ivar->size)
        return;
    given_up->has_members = true;
    given_up->is_known &= given_up->length + LONGEST_MEMBER < LOUPE_DESTRUCTOR_NAME;
    if (given_up->is_known)
        given_up->length += loupe_format(given_up->name + given_up->length,
                                         LOUPE_DESTRUCTOR_NAME - given_up->length, "_%c%u",
                                         is_weak ? 'w' : 's', (unsigned)(offset - ivar->offset));
}

/* Whether all that it gives up is known. */
static bool find_given_up(struct loupe_target *target, loupe_addr code,
                          const struct loupe_ivar *ivar, struct loupe_destroyed_members *ret) {
    struct given_up given_up = {.ivar = ivar, .name = ret->name, .is_known = true};
    given_up.length = loupe_format(ret->name, LOUPE_DESTRUCTOR_NAME, "%s%u", prefix,
                                   target->memory->machine.pointer_size);
    if (!ivar->size || !loupe_code_gives_up(target->memory, code, list_member, &given_up) ||
        !given_up.is_known)
        return false;
    ret->how = given_up.has_members ? LOUPE_MEMBERS_BY_NAMES : LOUPE_MEMBERS_NONE;
    ret->elements = 1;
    return true;
}

enum loupe_status loupe_own_destructor_says(struct loupe_target *target,
                                            const struct loupe_class *cls,
                                            const struct loupe_class_layout *layout,
                                            const struct loupe_ivar *ivar,
                                            struct loupe_destroyed_members *ret) {
    struct loupe_code_reading reading;
    loupe_addr code = target->abi->ivar_destructor ? target->abi->ivar_destructor(target, cls) : 0;
    *ret = (struct loupe_destroyed_members){.how = LOUPE_MEMBERS_NOT_KNOWN};
    if (!code || layout->ivar_count > MOST_IVARS)
        return LOUPE_OK;
    if (find_given_up(target, code, ivar, ret))
        return LOUPE_OK;
    loupe_code_reading_init(&reading, target->memory, target->chunks);
    enum loupe_status status = loupe_code_reading_follow(&reading, code);
    if (!status)
        ret->how = says_of(&reading, target, layout, ivar, ret);
    loupe_code_reading_deinit(&reading);
    return status;
}
