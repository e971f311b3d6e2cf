/* Which class it is, then which type, then the number as that type has it. */
#include "runtime/values/apple_numbers.h"

#include "runtime/values/typed_values.h"

#include <string.h>

static loupe_addr word_at(const struct loupe_target *target, const struct loupe_object *object,
                          unsigned number) {
    return object->address + (loupe_addr)number * target->memory->machine.pointer_size;
}

/* ---- What stands in CoreFoundation ---- */

struct loupe_apple_constants {
    loupe_addr yes, no;   /* 0: there is none */
    uint32_t type_of_nan; /* the same */
};

enum { TYPE_BITS = 31, NAN_OLDER = 6, NAN_NEWER = 5 };

static loupe_addr constant(struct loupe_target *target, const char *name) {
    loupe_addr place, object = 0;
    if (loupe_memory_find_symbol(target->memory, name, &place) ||
        loupe_memory_read_pointer(target->memory, place, &object))
        return 0;
    return object;
}

/* 0: it cannot be read. */
static uint32_t type_at(struct loupe_target *target, loupe_addr number) {
    uint32_t information;
    return number && !loupe_memory_read_u32(target->memory,
                                            number + target->memory->machine.pointer_size,
                                            &information)
               ? information & TYPE_BITS
               : 0;
}

/* NULL: no memory. */
static const struct loupe_apple_constants *constants_of(struct loupe_target *target) {
    struct loupe_apple_constants *constants = target->apple_constants;
    if (constants)
        return constants;
    constants = loupe_arena_alloc(&target->arena, sizeof(*constants));
    if (constants)
        *constants = (struct loupe_apple_constants){
            .yes = constant(target, "kCFBooleanTrue"),
            .no = constant(target, "kCFBooleanFalse"),
            .type_of_nan = type_at(target, constant(target, "kCFNumberNaN"))};
    target->apple_constants = constants;
    return constants;
}

/* ---- CFNumber ---- */

enum { WIDE = 'T' /* 128 bits */ };

/* The character of its encoding; 0: it is not known. */
static char type_of_number(struct loupe_target *target, loupe_addr number) {
    enum { WIDE_OLDER = 17 };
    static const char types[] = {'c', 's', 'i', 'q', 'f', 'd', WIDE};
    const struct loupe_apple_constants *constants = constants_of(target);
    uint32_t type = type_at(target, number);
    if (!constants)
        return 0;
    if (constants->type_of_nan == NAN_NEWER)
        return type < sizeof(types) ? types[type] : 0;
    if (constants->type_of_nan != NAN_OLDER || type == 0)
        return 0;
    return type == WIDE_OLDER ? (char)WIDE : type <= NAN_OLDER ? types[type - 1] : 0;
}

/* What an unsigned long long may need: two words of 64 bits, the high one first. */
static bool put_wide(struct loupe_target *target, loupe_addr place, struct loupe_value_text *text) {
    uint64_t high_and_low[2];
    if (loupe_memory_read(target->memory, place, high_and_low, sizeof(high_and_low)) ||
        high_and_low[0])
        return false;
    loupe_put_unsigned(text, high_and_low[1]);
    return true;
}

static bool put_number(struct loupe_target *target, const struct loupe_object *object,
                       struct loupe_value_text *text) {
    char type = type_of_number(target, object->address);
    loupe_addr place = word_at(target, object, 2);
    return type == WIDE ? put_wide(target, place, text)
                        : type && loupe_put_number(target, type, place, text);
}

/* ---- The others ---- */

static bool put_boolean(struct loupe_target *target, const struct loupe_object *object,
                        struct loupe_value_text *text) {
    const struct loupe_apple_constants *constants = constants_of(target);
    if (!constants || (object->address != constants->yes && object->address != constants->no))
        return false;
    loupe_put_words(text, object->address == constants->yes ? "true" : "false");
    return true;
}

/* Its type stands before it, as an encoding. */
static bool put_constant_integer(struct loupe_target *target, const struct loupe_object *object,
                                 struct loupe_value_text *text) {
    loupe_addr encoding;
    char type;
    return !loupe_memory_read_pointer(target->memory, word_at(target, object, 1), &encoding) &&
           !loupe_memory_read(target->memory, encoding, &type, 1) &&
           loupe_put_number(target, type, word_at(target, object, 2), text);
}

static bool put_constant_float(struct loupe_target *target, const struct loupe_object *object,
                               struct loupe_value_text *text) {
    return loupe_put_number(target, 'f', word_at(target, object, 1), text);
}

static bool put_constant_double(struct loupe_target *target, const struct loupe_object *object,
                                struct loupe_value_text *text) {
    return loupe_put_number(target, 'd', word_at(target, object, 1), text);
}

bool loupe_put_apple_number(struct loupe_target *target, const struct loupe_object *object,
                            struct loupe_value_text *text) {
    static const struct {
        const char *class_name;
        bool (*put)(struct loupe_target *, const struct loupe_object *, struct loupe_value_text *);
    } classes[] = {{"__NSCFNumber", put_number},
                   {"__NSCFBoolean", put_boolean},
                   {"NSConstantIntegerNumber", put_constant_integer},
                   {"NSConstantFloatNumber", put_constant_float},
                   {"NSConstantDoubleNumber", put_constant_double}};
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (strcmp(object->cls->name, classes[i].class_name) == 0)
            return classes[i].put(target, object, text);
    }
    return false;
}
