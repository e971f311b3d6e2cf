#include "explain/type_words.h"

#include <stdio.h>
#include <string.h>

static const struct {
    char letter;
    const char *words;
} letters[] = {
    {'c', "char or BOOL"},
    {'C', "unsigned char"},
    {'B', "bool"},
    {'s', "short"},
    {'S', "unsigned short"},
    {'i', "int"},
    {'I', "unsigned int"},
    {'l', "long"},
    {'L', "unsigned long"},
    {'q', "long long or NSInteger"},
    {'Q', "unsigned long long or NSUInteger"},
    {'t', "__int128"},
    {'T', "unsigned __int128"},
    {'f', "float"},
    {'d', "double"},
    {'D', "long double"},
    {'v', "void"},
    {'#', "Class"},
    {':', "SEL"},
    {'*', "char *"},
    {'%', "atom"},
};

static const struct {
    char letter;
    const char *words;
} qualifiers[] = {
    {'r', "const "}, {'n', "in "},     {'N', "inout "},   {'o', "out "},      {'O', "bycopy "},
    {'R', "byref "}, {'V', "oneway "}, {'A', "_Atomic "}, {'j', "_Complex "},
};

static const char *qualifier_words(char letter) {
    for (size_t i = 0; i < sizeof(qualifiers) / sizeof(qualifiers[0]); i++) {
        if (qualifiers[i].letter == letter)
            return qualifiers[i].words;
    }
    return NULL;
}

static const char *letter_words(char letter) {
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++) {
        if (letters[i].letter == letter)
            return letters[i].words;
    }
    return "?";
}

/* Text that grows behind dst, cut to cap. */
struct words {
    char *dst;
    size_t cap, used;
};

static void add(struct words *words, const char *text, size_t length) {
    size_t room = words->cap - 1 - words->used;
    length = length < room ? length : room;
    memcpy(words->dst + words->used, text, length);
    words->used += length;
    words->dst[words->used] = '\0';
}

static void add_text(struct words *words, const char *text) {
    add(words, text, strlen(text));
}

/* @"NSString" is NSString *, @"<P>" is id<P>. */
static void add_object(struct words *words, struct loupe_span type) {
    if (type.length < 4 || type.bytes[1] != '"') {
        add_text(words, "id");
        return;
    }
    bool only_protocols = type.bytes[2] == '<';
    if (only_protocols)
        add_text(words, "id");
    add(words, type.bytes + 2, type.length - 3);
    if (!only_protocols)
        add_text(words, " *");
}

/* The tag of {Name=...} or (Name=...). */
static void add_tag(struct words *words, const char *what, struct loupe_span type) {
    size_t length = 0;
    while (length + 1 < type.length && !strchr("=})", type.bytes[1 + length]))
        length++;
    add_text(words, what);
    if (length && type.bytes[1] != '?') {
        add_text(words, " ");
        add(words, type.bytes + 1, length);
    }
}

static void add_pointer(struct words *words, struct loupe_span type) {
    struct loupe_span pointee = {.bytes = type.bytes + 1, .length = type.length - 1};
    if (type.bytes[0] != '^')
        add_text(words, letter_words(type.bytes[0]));
    else if (loupe_span_starts_with(pointee, "v"))
        add_text(words, "void *");
    else if (loupe_span_starts_with(pointee, "?"))
        add_text(words, "function pointer");
    else if (loupe_span_starts_with(pointee, "@"))
        add_text(words, "pointer to an object");
    else if (loupe_span_starts_with(pointee, "{")) {
        add_text(words, "pointer to ");
        add_tag(words, "struct", pointee);
    } else
        add_text(words, "pointer");
}

void type_words(enum loupe_type_kind kind, struct loupe_span type, char *dst, size_t cap) {
    struct words words = {.dst = dst, .cap = cap};
    const char *qualifier;
    dst[0] = '\0';
    while (type.length && (qualifier = qualifier_words(type.bytes[0])) != NULL) {
        add_text(&words, qualifier);
        type.bytes++;
        type.length--;
    }
    if (kind == LOUPE_TYPE_OBJECT)
        add_object(&words, type);
    else if (kind == LOUPE_TYPE_BLOCK)
        add_text(&words, "block");
    else if (kind == LOUPE_TYPE_BITS)
        add_text(&words, "bit-field");
    else if (kind == LOUPE_TYPE_VECTOR)
        add_text(&words, "vector");
    else if (kind == LOUPE_TYPE_ARRAY)
        add_text(&words, "array");
    else if (kind == LOUPE_TYPE_STRUCT)
        add_tag(&words, "struct", type);
    else if (kind == LOUPE_TYPE_UNION)
        add_tag(&words, "union", type);
    else if (kind == LOUPE_TYPE_UNKNOWN)
        add_text(&words, "no encoding");
    else if (kind == LOUPE_TYPE_POINTER && type.length)
        add_pointer(&words, type);
    else if (type.length)
        add_text(&words, letter_words(type.bytes[0]));
}
