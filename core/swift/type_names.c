/* Mangled names of types, read from front to back with a stack, as swift/Demangling/Demangler.h
 * does. */
#include "swift/type_names.h"

#include "base/fnv.h"
#include "swift/metadata.h"
#include "swift/records.h"

#include <string.h>

enum { MOST_NAME = 4096, MOST_STACK = 64, MOST_SUBSTITUTIONS = 64, MOST_REPEATED = 16 };

struct reader {
    struct loupe_target *target;
    struct loupe_swift_types *types;
    loupe_addr at, end; /* end: of what is read at most */
    uint16_t stack[MOST_STACK];
    unsigned depth;
    uint16_t substitutions[MOST_SUBSTITUTIONS];
    unsigned substitution_count;
    bool is_over; /* what stands there already is the whole type */
};

uint16_t loupe_swift_add_type(struct loupe_swift_types *types,
                              const struct loupe_swift_type *type) {
    if (types->count == LOUPE_MOST_SWIFT_TYPES)
        return LOUPE_NO_SWIFT_TYPE;
    types->types[types->count] = *type;
    return types->count++;
}

/* ---- Bytes ---- */

static bool next(struct reader *reader, char *ret) {
    return reader->at < reader->end &&
           !loupe_memory_read(reader->target->memory, reader->at++, ret, 1);
}

static char peek(const struct reader *reader) {
    char c;
    return reader->at < reader->end && !loupe_memory_read(reader->target->memory, reader->at, &c, 1)
               ? c
               : '\0';
}

static bool skip_if(struct reader *reader, char c) {
    if (peek(reader) != c)
        return false;
    reader->at++;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* False: none, or too large. */
static bool read_number(struct reader *reader, uint32_t *ret) {
    enum { MOST = 1 << 16 };
    bool is_any = false;
    *ret = 0;
    /* Cap: a larger one makes no sense. */
    while (is_digit(peek(reader)) && *ret < MOST) {
        char c = peek(reader);
        *ret = *ret * 10 + (uint32_t)(c - '0');
        reader->at++;
        is_any = true;
    }
    return is_any && *ret < MOST;
}

/* "_" is 0, "3_" is 4. */
static bool read_index(struct reader *reader, uint32_t *ret) {
    *ret = 0;
    if (skip_if(reader, '_'))
        return true;
    if (!read_number(reader, ret) || !skip_if(reader, '_'))
        return false;
    ++*ret;
    return true;
}

/* ---- Stack ---- */

static bool push(struct reader *reader, uint16_t type) {
    if (type == LOUPE_NO_SWIFT_TYPE || reader->depth == MOST_STACK)
        return false;
    reader->stack[reader->depth++] = type;
    return true;
}

static bool add(struct reader *reader, const struct loupe_swift_type *type) {
    return push(reader, loupe_swift_add_type(reader->types, type));
}

static bool add_kind(struct reader *reader, enum loupe_swift_type_kind kind, char letter) {
    return add(reader, &(struct loupe_swift_type){.kind = (uint8_t)kind, .letter = letter});
}

static const struct loupe_swift_type *top(const struct reader *reader) {
    return reader->depth ? &reader->types->types[reader->stack[reader->depth - 1]] : NULL;
}

static bool is_type(const struct loupe_swift_type *type) {
    return type && type->kind < LOUPE_SWIFT_TYPE_PROTOCOL;
}

static bool top_is(const struct reader *reader, enum loupe_swift_type_kind kind) {
    return top(reader) && top(reader)->kind == kind;
}

static bool pop_if(struct reader *reader, enum loupe_swift_type_kind kind) {
    if (!top_is(reader, kind))
        return false;
    reader->depth--;
    return true;
}

static bool pop_type(struct reader *reader, uint16_t *ret) {
    if (!is_type(top(reader)))
        return false;
    *ret = reader->stack[--reader->depth];
    return true;
}

/* What stands there as one, where a list of none is `()`. */
static bool pop_type_or_nothing(struct reader *reader) {
    uint16_t ignored;
    return pop_if(reader, LOUPE_SWIFT_TYPE_EMPTY) || pop_type(reader, &ignored);
}

/* May be meant again later, by its number. */
static bool remember_top(struct reader *reader) {
    if (reader->substitution_count < MOST_SUBSTITUTIONS)
        reader->substitutions[reader->substitution_count++] = reader->stack[reader->depth - 1];
    return true;
}

/* Makes one of those on the stack from `from` on, in place of them. */
static bool gather(struct reader *reader, unsigned from, struct loupe_swift_type *type) {
    struct loupe_swift_types *types = reader->types;
    type->first = types->child_count;
    for (unsigned i = from; i < reader->depth; i++) {
        const struct loupe_swift_type *child = &types->types[reader->stack[i]];
        if (child->kind > LOUPE_SWIFT_TYPE_PROTOCOL)
            continue; /* labels and marks */
        if (types->child_count == LOUPE_MOST_SWIFT_CHILDREN)
            return false;
        types->children[types->child_count++] = reader->stack[i];
    }
    type->count = (uint16_t)(types->child_count - type->first);
    reader->depth = from;
    return add(reader, type);
}

/* Where the list on top of the stack begins, which has one element or more. */
static bool find_first(const struct reader *reader, unsigned *ret) {
    for (unsigned i = reader->depth; i > 1; i--) {
        if (reader->types->types[reader->stack[i - 1]].kind == LOUPE_SWIFT_TYPE_FIRST) {
            unsigned at = i - 1;
            /* The first one has its label behind it. */
            if (at &&
                reader->types->types[reader->stack[at - 1]].kind == LOUPE_SWIFT_TYPE_IDENTIFIER)
                at--;
            *ret = at - 1;
            return at > 0;
        }
    }
    return false;
}

/* ---- References ---- */

static bool push_protocol(struct reader *reader, loupe_addr descriptor, uint32_t flags) {
    enum { ANY_TYPE = 1 << 16 };
    char name[LOUPE_MAX_SWIFT_NAME];
    struct loupe_swift_text text = {.bytes = name, .cap = sizeof(name)};
    char protocol = flags & ANY_TYPE ? LOUPE_SWIFT_PROTOCOL_ANY : LOUPE_SWIFT_PROTOCOL_CLASS;
    if (loupe_swift_put_descriptor(reader->target, descriptor, &text) &&
        strcmp(name, "Swift.Error") == 0)
        protocol = LOUPE_SWIFT_PROTOCOL_ERROR;
    return add_kind(reader, LOUPE_SWIFT_TYPE_PROTOCOL, protocol);
}

/* What a distance of 4 bytes leads to, or the word there. */
static bool read_reference(struct reader *reader, bool leads_on) {
    enum { DISTANCE = 4 };
    loupe_addr descriptor, place = reader->at;
    uint32_t flags;
    reader->at += DISTANCE;
    if (!loupe_swift_follow(reader->target, place, false, &descriptor) ||
        (leads_on && !loupe_swift_read_address(reader->target, descriptor, &descriptor)) ||
        descriptor % 4 || !loupe_swift_read_u32(reader->target, descriptor, &flags))
        return false;
    uint32_t kind = flags & CONTEXT_KIND_MASK;
    if (kind == CONTEXT_PROTOCOL)
        return push_protocol(reader, descriptor, flags) && remember_top(reader);
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_NOMINAL, .place = descriptor};
    return kind >= CONTEXT_CLASS && kind <= CONTEXT_ENUM && add(reader, &type) &&
           remember_top(reader);
}

/* ---- Names that are spelled out ---- */

/* So many letters; they are part of the hash. */
static bool read_letters(struct reader *reader, uint64_t *hash) {
    uint32_t length;
    if (!read_number(reader, &length) || length == 0)
        return false;
    for (uint32_t i = 0; i < length; i++) {
        char c;
        if (!next(reader, &c))
            return false;
        *hash = loupe_fnv_bytes(*hash, &c, 1);
    }
    return true;
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "06stderrB0" has words of names before it, by their numbers: the last of these is a large letter.
 * What it is called is not known then. */
static bool read_identifier(struct reader *reader) {
    uint64_t hash = LOUPE_FNV_BASIS;
    bool has_words = skip_if(reader, '0');
    do {
        while (has_words && is_letter(peek(reader))) {
            char c = '\0';
            next(reader, &c);
            has_words = c >= 'a';
            hash = loupe_fnv_bytes(hash, "\1", 1);
        }
        if (skip_if(reader, '0'))
            break;
        if (!read_letters(reader, &hash))
            return false;
    } while (has_words);
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_IDENTIFIER, .place = hash};
    return add(reader, &type) && remember_top(reader);
}

static bool is_called(uint64_t hash, const char *name) {
    return hash == loupe_fnv_bytes(LOUPE_FNV_BASIS, name, strlen(name));
}

/* Numbers of the library whose names are spelled out. To add one, add a line. */
static const struct number {
    const char *name;
    uint8_t size;
} numbers[] = {{"Int8", 1},   {"UInt8", 1}, {"Int16", 2},  {"UInt16", 2},  {"Int32", 4},
               {"UInt32", 4}, {"Int64", 8}, {"UInt64", 8}, {"Float80", 16}};

static const char *const markers[] = {"Sendable", "Copyable", "Escapable", "BitwiseCopyable"};

/* A module and an identifier, popped. */
static bool pop_named(struct reader *reader, bool *is_of_library, bool *is_of_c, uint64_t *ret) {
    const struct loupe_swift_type *type = top(reader);
    if (!type || type->kind != LOUPE_SWIFT_TYPE_IDENTIFIER)
        return false;
    *ret = type->place;
    reader->depth--;
    *is_of_library = top_is(reader, LOUPE_SWIFT_TYPE_MODULE) && top(reader)->letter == 's';
    *is_of_c = top_is(reader, LOUPE_SWIFT_TYPE_MODULE) && top(reader)->letter == 'o';
    if (!pop_if(reader, LOUPE_SWIFT_TYPE_MODULE) && !pop_if(reader, LOUPE_SWIFT_TYPE_IDENTIFIER) &&
        !pop_if(reader, LOUPE_SWIFT_TYPE_NOMINAL))
        return false;
    return true;
}

static bool make_protocol(struct reader *reader) {
    bool is_of_library, is_of_c;
    uint64_t name;
    if (!pop_named(reader, &is_of_library, &is_of_c, &name))
        return false;
    char letter = is_of_c ? LOUPE_SWIFT_PROTOCOL_OBJECT : LOUPE_SWIFT_PROTOCOL_ANY;
    if (is_of_library && is_called(name, "Error"))
        letter = LOUPE_SWIFT_PROTOCOL_ERROR;
    for (unsigned i = 0; is_of_library && i < sizeof(markers) / sizeof(markers[0]); i++)
        letter = is_called(name, markers[i]) ? LOUPE_SWIFT_PROTOCOL_MARKER : letter;
    return add_kind(reader, LOUPE_SWIFT_TYPE_PROTOCOL, letter);
}

static bool make_named(struct reader *reader, char kind) {
    bool is_of_library, is_of_c;
    uint64_t name;
    if (kind == 'P')
        return make_protocol(reader);
    if (!pop_named(reader, &is_of_library, &is_of_c, &name))
        return false;
    if (kind == 'C')
        return add_kind(reader, LOUPE_SWIFT_TYPE_CLASS, 0) && remember_top(reader);
    for (unsigned i = 0; is_of_library && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_NUMBER, .place = numbers[i].size};
        if (is_called(name, numbers[i].name))
            return add(reader, &type) && remember_top(reader);
    }
    bool is_never = is_of_library && is_called(name, "Never"); /* as large as () */
    return add_kind(reader, is_never ? LOUPE_SWIFT_TYPE_TUPLE : LOUPE_SWIFT_TYPE_UNKNOWN, 0) &&
           remember_top(reader);
}

/* ---- Standard types and substitutions ---- */

/* Sg makes an optional of what stands before it. */
static bool make_optional(struct reader *reader) {
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_STANDARD, .letter = 'q'};
    return reader->depth && is_type(top(reader)) && gather(reader, reader->depth - 1, &type) &&
           remember_top(reader);
}

static bool is_standard_protocol(char c) {
    return c && loupe_find_char("BEeFGHjKkLlMmQTtUXxYyZz", c);
}

static bool read_concurrency(struct reader *reader) {
    char c;
    if (!next(reader, &c))
        return false;
    if (c == 'A')
        return add_kind(reader, LOUPE_SWIFT_TYPE_PROTOCOL, LOUPE_SWIFT_PROTOCOL_CLASS);
    if (loupe_find_char("FfIi", c))
        return add_kind(reader, LOUPE_SWIFT_TYPE_PROTOCOL, LOUPE_SWIFT_PROTOCOL_ANY);
    if (c == 'M')
        return add_kind(reader, LOUPE_SWIFT_TYPE_CLASS, 0);
    /* Apart from the others' letters. */
    return loupe_find_char("CcGgJeSsTtP", c) &&
           add_kind(reader, LOUPE_SWIFT_TYPE_STANDARD, (char)(c | 0x80));
}

static bool read_standard(struct reader *reader) {
    uint32_t repeated = 1;
    char c;
    if (is_digit(peek(reader)) &&
        (!read_number(reader, &repeated) || !repeated || repeated > MOST_REPEATED))
        return false;
    if (!next(reader, &c))
        return false;
    switch (c) {
    case 'g':
        return make_optional(reader);
    case 'o':
    case 'C':
        return add_kind(reader, LOUPE_SWIFT_TYPE_MODULE, 'o');
    case 'c':
        return read_concurrency(reader);
    default:
        break;
    }
    for (; repeated; repeated--) {
        bool is_protocol = is_standard_protocol(c);
        if (!is_protocol && !loupe_find_char("abDdfhiJNnOPpRrSsuVvWwq", c))
            return false;
        if (!add_kind(reader, is_protocol ? LOUPE_SWIFT_TYPE_PROTOCOL : LOUPE_SWIFT_TYPE_STANDARD,
                      is_protocol ? LOUPE_SWIFT_PROTOCOL_ANY : c))
            return false;
    }
    return true;
}

/* Some that came before, by their numbers: small letters go on, a large one is the last. */
static bool read_substitutions(struct reader *reader) {
    for (uint32_t repeated = 1;; repeated = 1) {
        uint32_t number;
        char c = peek(reader);
        if (is_digit(c) && !read_number(reader, &repeated))
            return false;
        if (!next(reader, &c) || !repeated || repeated > MOST_REPEATED)
            return false;
        if (c == '_')
            number = 26 + (repeated == 1 ? 0 : repeated + 1), repeated = 1;
        else if (c >= 'a' && c <= 'z')
            number = (uint32_t)(c - 'a');
        else if (c >= 'A' && c <= 'Z')
            number = (uint32_t)(c - 'A');
        else
            return false;
        if (number >= reader->substitution_count)
            return false;
        while (repeated--)
            if (!push(reader, reader->substitutions[number]))
                return false;
        if (c < 'a' || c > 'z')
            return true;
    }
}

/* ---- Types of others ---- */

static bool wrap_top(struct reader *reader, enum loupe_swift_type_kind kind) {
    struct loupe_swift_type type = {.kind = (uint8_t)kind};
    return is_type(top(reader)) && gather(reader, reader->depth - 1, &type);
}

/* Of what stands before it up to an empty list. */
static bool make_bound(struct reader *reader) {
    unsigned from = reader->depth;
    while (from && reader->types->types[reader->stack[from - 1]].kind != LOUPE_SWIFT_TYPE_EMPTY)
        from--;
    if (from < 2)
        return false;
    struct loupe_swift_type type = reader->types->types[reader->stack[from - 2]];
    if ((type.kind != LOUPE_SWIFT_TYPE_NOMINAL && type.kind != LOUPE_SWIFT_TYPE_STANDARD &&
         type.kind != LOUPE_SWIFT_TYPE_CLASS) ||
        !gather(reader, from, &type))
        return false;
    uint16_t made = reader->stack[reader->depth - 1];
    reader->depth = from - 2;
    return push(reader, made) && remember_top(reader);
}

static bool make_tuple(struct reader *reader) {
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_TUPLE};
    unsigned from;
    if (pop_if(reader, LOUPE_SWIFT_TYPE_EMPTY))
        return add(reader, &type);
    return find_first(reader, &from) && gather(reader, from, &type);
}

/* Behind the result and the parameters. */
static bool make_function(struct reader *reader, enum loupe_swift_type_kind kind) {
    return pop_type_or_nothing(reader) && pop_type_or_nothing(reader) && add_kind(reader, kind, 0);
}

static bool make_existential(struct reader *reader, bool is_object, bool has_superclass) {
    struct loupe_swift_type type = {.kind = LOUPE_SWIFT_TYPE_EXISTENTIAL,
                                    .letter = is_object || has_superclass};
    uint16_t ignored;
    unsigned from;
    if (has_superclass && !pop_type(reader, &ignored))
        return false;
    if (pop_if(reader, LOUPE_SWIFT_TYPE_EMPTY))
        return add(reader, &type);
    /* One whose name is spelled out is made here. */
    /* Cap: all that the stack can have. */
    for (unsigned i = 0; i < MOST_STACK && top_is(reader, LOUPE_SWIFT_TYPE_IDENTIFIER); i++)
        if (!make_protocol(reader))
            return false;
    if (!find_first(reader, &from))
        return false;
    if (reader->types->types[reader->stack[from]].kind == LOUPE_SWIFT_TYPE_MODULE)
        return false;
    return gather(reader, from, &type);
}

/* "Error" and its module stand before the mark: a protocol is made of them. */
static bool mark_first(struct reader *reader) {
    if (top_is(reader, LOUPE_SWIFT_TYPE_IDENTIFIER) && reader->depth >= 2 &&
        !is_type(&reader->types->types[reader->stack[reader->depth - 2]]) && !make_protocol(reader))
        return false;
    return add_kind(reader, LOUPE_SWIFT_TYPE_FIRST, 0);
}

static bool make_box(struct reader *reader) {
    unsigned from;
    if (!find_first(reader, &from))
        return false;
    reader->depth = from;
    return add_kind(reader, LOUPE_SWIFT_TYPE_BOX, 0);
}

/* A type that ends with the name, whatever stands before it. */
static bool end_with(struct reader *reader, enum loupe_swift_type_kind kind) {
    if (peek(reader) != '\0')
        return false;
    reader->depth = 0;
    return add_kind(reader, kind, 0);
}

static bool read_special(struct reader *reader) {
    char c;
    if (!next(reader, &c))
        return false;
    switch (c) {
    case 'w':
        return wrap_top(reader, LOUPE_SWIFT_TYPE_WEAK);
    case 'o':
        return wrap_top(reader, LOUPE_SWIFT_TYPE_UNOWNED);
    case 'u':
        return wrap_top(reader, LOUPE_SWIFT_TYPE_UNMANAGED);
    case 'p':
        return wrap_top(reader, LOUPE_SWIFT_TYPE_METATYPE);
    case 'D':
        return is_type(top(reader)); /* Self */
    case 'B':
        return make_function(reader, LOUPE_SWIFT_TYPE_BLOCK);
    case 'C':
    case 'f':
        return make_function(reader, LOUPE_SWIFT_TYPE_CODE);
    case 'E':
    case 'A':
        return make_function(reader, LOUPE_SWIFT_TYPE_FUNCTION);
    case 'l':
        return make_existential(reader, true, false);
    case 'c':
        return make_existential(reader, false, true);
    case 'x':
        return make_box(reader);
    case 'X':
        return end_with(reader, LOUPE_SWIFT_TYPE_BOX);
    default:
        return false;
    }
}

/* What functions are beside that says nothing of where things are. */
static bool read_attribute(struct reader *reader) {
    uint16_t ignored;
    char c;
    if (!next(reader, &c))
        return false;
    if (c == 'c' || c == 'K')
        return pop_type(reader, &ignored);
    return loupe_find_char("abAiukdTC", c) != NULL;
}

static bool read_builtin(struct reader *reader) {
    uint32_t bits;
    char c;
    if (!next(reader, &c))
        return false;
    if (c == 'i' || c == 'f') {
        if (!read_number(reader, &bits) || !skip_if(reader, '_'))
            return false;
        return add(reader, &(struct loupe_swift_type){.kind = LOUPE_SWIFT_TYPE_NUMBER,
                                                      .place = bits == 1 ? 0 : (bits + 7) / 8});
    }
    return loupe_find_char("bBoOpwcejD", c) && add_kind(reader, LOUPE_SWIFT_TYPE_BUILTIN, c);
}

static bool read_parameter(struct reader *reader) {
    uint32_t depth = 0, index;
    if (skip_if(reader, 'd')) {
        if (!read_index(reader, &depth) || !read_index(reader, &index))
            return false;
        depth++;
    } else if (!read_index(reader, &index)) {
        return false;
    } else {
        index++; /* the first is x */
    }
    return add(reader, &(struct loupe_swift_type){.kind = LOUPE_SWIFT_TYPE_PARAMETER,
                                                  .place = (uint64_t)depth << 16 | index});
}

/* What is said of a function itself before its parameters and results: how it is held, called and
 * what it may do. */
static bool is_of_function(char c) {
    return loupe_find_char("spPeABCMJKWIGhHT", c) != NULL;
}

/* Of functions as captures have them: "Iegg_", whose letters say how they are called, and then how
 * each parameter and result is passed, whose types stand before it. */
static bool read_lowered_function(struct reader *reader) {
    bool is_thin = false, is_block = false, has_callee = false;
    unsigned types = 0;
    uint16_t ignored;
    char c = '\0';
    while (next(reader, &c) && c != '_') {
        is_block |= c == 'B';
        is_thin |= loupe_find_char("CMJW", c) != NULL || (c == 't' && !has_callee);
        if (is_of_function(c))
            continue;
        types += has_callee && c >= 'a' && c != 'z' && c != 'w';
        has_callee = true;
    }
    enum loupe_swift_type_kind kind = is_block  ? LOUPE_SWIFT_TYPE_BLOCK
                                      : is_thin ? LOUPE_SWIFT_TYPE_CODE
                                                : LOUPE_SWIFT_TYPE_FUNCTION;
    if (c != '_')
        return false;
    bool is_last = peek(reader) == '\0';
    if (is_last)
        reader->depth = 0; /* whatever signature stands before it */
    for (; !is_last && types; types--)
        if (!pop_type(reader, &ignored))
            return false;
    reader->is_over = is_last;
    return add_kind(reader, kind, 0);
}

/* ---- The whole ---- */

static bool read_operator(struct reader *reader, char c) {
    switch (c) {
    case '\x01':
        return read_reference(reader, false);
    case '\x02':
        return read_reference(reader, true);
    case 'S':
        return read_standard(reader);
    case 's':
        return add_kind(reader, LOUPE_SWIFT_TYPE_MODULE, 's');
    case 'A':
        return read_substitutions(reader);
    case 'y':
        return add_kind(reader, LOUPE_SWIFT_TYPE_EMPTY, 0);
    case '_':
        return mark_first(reader);
    case 'G':
        return make_bound(reader);
    case 't':
        return make_tuple(reader);
    case 'c':
        return make_function(reader, LOUPE_SWIFT_TYPE_FUNCTION);
    case 'p':
        return make_existential(reader, false, false);
    case 'm':
        return wrap_top(reader, LOUPE_SWIFT_TYPE_METATYPE);
    case 'x':
        return add_kind(reader, LOUPE_SWIFT_TYPE_PARAMETER, 0);
    case 'q':
        return read_parameter(reader);
    case 'X':
        return read_special(reader);
    case 'Y':
        return read_attribute(reader);
    case 'B':
        return read_builtin(reader);
    case 'I':
        return read_lowered_function(reader);
    case 'C':
    case 'V':
    case 'O':
    case 'P':
        return make_named(reader, c);
    case 'K': /* throws, and how parameters are passed */
    case 'z':
    case 'n':
    case 'h':
    case 'd':
        return true;
    default:
        return false;
    }
}

uint16_t loupe_swift_read_type(struct loupe_target *target, struct loupe_swift_types *types,
                               loupe_addr name) {
    struct reader reader = {.target = target, .types = types, .at = name, .end = name + MOST_NAME};
    char c;
    while (!reader.is_over && next(&reader, &c)) {
        if (c == '\0')
            break;
        if (c == '\xff')
            continue;
        if (is_digit(c))
            reader.at--;
        if (!(is_digit(c) ? read_identifier(&reader) : read_operator(&reader, c)))
            return LOUPE_NO_SWIFT_TYPE;
    }
    return reader.depth == 1 && is_type(top(&reader)) ? reader.stack[0] : LOUPE_NO_SWIFT_TYPE;
}
