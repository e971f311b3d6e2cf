/* Types in words. */
#include "types/type_text.h"

#include <string.h>

enum { DEEPEST = 32 };

/* What is left of an encoding, and what was said of it. */
struct typed {
    struct loupe_span left;
    char *dst;
    size_t cap, length;
    const char *block; /* what one is called */
};

static void add_bytes(struct typed *typed, const char *bytes, size_t length) {
    size_t room = typed->cap - 1 - typed->length;
    length = length < room ? length : room;
    if (!length)
        return;
    memcpy(typed->dst + typed->length, bytes, length);
    typed->length += length;
    typed->dst[typed->length] = '\0';
}

static void add(struct typed *typed, const char *text) {
    add_bytes(typed, text, loupe_span_of(text).length);
}

static void pass(struct typed *typed, size_t count) {
    typed->left.bytes += count;
    typed->left.length -= count;
}

static char next(const struct typed *typed) {
    return typed->left.length ? typed->left.bytes[0] : '\0';
}

/* How many bytes there are up to a byte and with it; 0: it does not come. */
static size_t length_to(struct loupe_span text, char last) {
    for (size_t i = 0; i < text.length; i++) {
        if (text.bytes[i] == last)
            return i + 1;
    }
    return 0;
}

/* The same up to the bracket that closes the first byte. */
static size_t length_of_brackets(struct loupe_span text, char closing) {
    size_t depth = 0;
    for (size_t i = 0; i < text.length; i++) {
        depth += text.bytes[i] == text.bytes[0];
        depth -= text.bytes[i] == closing;
        if (!depth)
            return i + 1;
    }
    return 0;
}

static size_t count_digits(const struct typed *typed) {
    size_t count = 0;
    while (count < typed->left.length && typed->left.bytes[count] >= '0' &&
           typed->left.bytes[count] <= '9')
        count++;
    return count;
}

static const char *scalar_of(char letter) {
    static const char letters[] = "cislqCISLQfdDBv*#:?tT%";
    static const char *const names[] = {"char",
                                        "int",
                                        "short",
                                        "long",
                                        "long long",
                                        "unsigned char",
                                        "unsigned int",
                                        "unsigned short",
                                        "unsigned long",
                                        "unsigned long long",
                                        "float",
                                        "double",
                                        "long double",
                                        "bool",
                                        "void",
                                        "char *",
                                        "Class",
                                        "SEL",
                                        "?",
                                        "__int128",
                                        "unsigned __int128",
                                        "atom"};
    const char *found = letter ? memchr(letters, letter, sizeof(letters) - 1) : NULL;
    return found ? names[found - letters] : NULL;
}

/* "@", "@?", "@?<v@?>", "@\"View\"", "@\"<Delegate>\"": what follows the @. */
static bool take_object(struct typed *typed) {
    pass(typed, 1);
    if (next(typed) == '?') {
        pass(typed, 1);
        size_t length = next(typed) == '<' ? length_of_brackets(typed->left, '>') : 0;
        if (next(typed) == '<' && !length)
            return false;
        pass(typed, length);
        add(typed, typed->block);
        return true;
    }
    if (next(typed) != '"') {
        add(typed, "id");
        return true;
    }
    pass(typed, 1);
    size_t length = length_to(typed->left, '"');
    if (!length)
        return false;
    bool is_protocol = next(typed) == '<';
    add(typed, is_protocol ? "id" : "");
    add_bytes(typed, typed->left.bytes, length - 1);
    add(typed, is_protocol ? "" : " *");
    pass(typed, length);
    return true;
}

static bool take_aggregate(struct typed *typed) {
    bool is_struct = next(typed) == '{';
    size_t length = length_of_brackets(typed->left, is_struct ? '}' : ')');
    if (!length)
        return false;
    struct loupe_span name = {typed->left.bytes + 1, length - 2};
    size_t end = length_to(name, '=');
    name.length = end ? end - 1 : name.length;
    add(typed, is_struct ? "struct " : "union ");
    if (!name.length || loupe_span_equals(name, "?"))
        add(typed, "{…}");
    else
        add_bytes(typed, name.bytes, name.length);
    pass(typed, length);
    return true;
}

/* Puts text where it stands; what does not fit behind it is cut. */
static void insert(struct typed *typed, size_t at, struct loupe_span text) {
    size_t behind = typed->length - at, room = typed->cap - 1 - at;
    size_t added = text.length < room ? text.length : room;
    size_t kept = behind < room - added ? behind : room - added;
    memmove(typed->dst + at + added, typed->dst + at, kept);
    memcpy(typed->dst + at, text.bytes, added);
    typed->length = at + added + kept;
    typed->dst[typed->length] = '\0';
}

static bool take_type(struct typed *typed, unsigned depth);

/* int[4][5] is four arrays of five: the outer dimension stands first. */
static bool take_array(struct typed *typed, unsigned depth) {
    char count[32];
    size_t start = typed->length, at = start;
    pass(typed, 1);
    size_t digits = count_digits(typed);
    size_t length = loupe_format(count, sizeof(count), "[%.*s]", digits < 24 ? (int)digits : 24,
                                 typed->left.bytes);
    pass(typed, digits);
    if (!take_type(typed, depth) || next(typed) != ']')
        return false;
    pass(typed, 1);
    while (at < typed->length && typed->dst[at] != '[')
        at++;
    insert(typed, at, (struct loupe_span){count, length});
    return true;
}

static bool take_pointer(struct typed *typed, unsigned depth) {
    pass(typed, 1);
    if (next(typed) == '?') {
        pass(typed, 1);
        add(typed, "function pointer");
        return true;
    }
    if (!take_type(typed, depth))
        return false;
    bool is_pointer = typed->length && typed->dst[typed->length - 1] == '*';
    add(typed, is_pointer ? "*" : " *");
    return true;
}

static bool take_bits(struct typed *typed) {
    pass(typed, 1);
    size_t digits = count_digits(typed);
    add(typed, "int : ");
    add_bytes(typed, typed->left.bytes, digits);
    pass(typed, digits);
    return true;
}

/* What stands before a type; NULL: the letter begins one. */
static const char *qualifier_of(char letter) {
    static const char letters[] = "nNoORV!rAj";
    static const char *const words[] = {"in ",     "inout ", "out ",   "bycopy ",  "byref ",
                                        "oneway ", "",       "const ", "_Atomic ", "_Complex "};
    const char *found = letter ? memchr(letters, letter, sizeof(letters) - 1) : NULL;
    return found ? words[found - letters] : NULL;
}

static bool take_scalar(struct typed *typed) {
    const char *name = scalar_of(next(typed));
    if (!name)
        return false;
    pass(typed, 1);
    add(typed, name);
    return true;
}

static bool take_type(struct typed *typed, unsigned depth) {
    const char *qualifier;
    while (depth && (qualifier = qualifier_of(next(typed)))) {
        pass(typed, 1);
        add(typed, qualifier);
        depth--;
    }
    if (!depth)
        return false;
    switch (next(typed)) {
    case '@':
        return take_object(typed);
    case '^':
        return take_pointer(typed, depth - 1);
    case '{':
    case '(':
        return take_aggregate(typed);
    case '[':
        return take_array(typed, depth - 1);
    case 'b':
        return take_bits(typed);
    default:
        return take_scalar(typed);
    }
}

size_t loupe_type_text(struct loupe_span encoding, char *dst, size_t cap) {
    struct typed typed = {.left = encoding, .dst = dst, .cap = cap, .block = "block"};
    dst[0] = '\0';
    if (take_type(&typed, DEEPEST) && !typed.left.length)
        return typed.length;
    typed.length = 0;
    add_bytes(&typed, encoding.bytes, encoding.length);
    return typed.length;
}

/* ---- Prototypes ---- */

/* Where in the frame of the call it is: a number, behind each type. */
static void pass_offset(struct typed *typed) {
    if (next(typed) == '+' || next(typed) == '-')
        pass(typed, 1);
    pass(typed, count_digits(typed));
}

static bool take_part(struct typed *typed) {
    bool taken = take_type(typed, DEEPEST);
    pass_offset(typed);
    return taken;
}

/* The first argument of a block is itself, which nobody writes. */
static bool pass_block(struct typed *typed) {
    size_t start = typed->length;
    bool is_block = next(typed) == '@' && typed->left.length > 1 && typed->left.bytes[1] == '?' &&
                    take_part(typed);
    typed->length = start;
    typed->dst[start] = '\0';
    return is_block;
}

size_t loupe_prototype_text(struct loupe_span signature, char *dst, size_t cap) {
    struct typed typed = {.left = signature, .dst = dst, .cap = cap, .block = "void (^)"};
    dst[0] = '\0';
    bool is_taken = take_part(&typed) && pass_block(&typed);
    add(&typed, typed.left.length ? " (^)(" : " (^)(void");
    for (bool is_first = true; is_taken && typed.left.length; is_first = false) {
        add(&typed, is_first ? "" : ", ");
        is_taken = take_part(&typed);
    }
    add(&typed, ")");
    return is_taken && typed.length < cap - 1 ? typed.length : 0;
}
