/* What fields and elements hold: for rules, and for showing strings and small arrays. */
#include "snapshot/values.h"

#include <string.h>

uint32_t loupe_value_size(uint32_t type, uint32_t address_size) {
    static const uint8_t sizes[] = {
        [LOUPE_VALUE_BOOLEAN] = 1, [LOUPE_VALUE_CHAR] = 2, [LOUPE_VALUE_FLOAT] = 4,
        [LOUPE_VALUE_DOUBLE] = 8,  [LOUPE_VALUE_BYTE] = 1, [LOUPE_VALUE_SHORT] = 2,
        [LOUPE_VALUE_INT] = 4,     [LOUPE_VALUE_LONG] = 8};
    if (type == LOUPE_VALUE_OBJECT)
        return address_size;
    return type < sizeof(sizes) ? sizes[type] : 0;
}

struct loupe_value loupe_value_decode(uint32_t type, uint32_t address_size, const uint8_t *bytes) {
    uint64_t bits = 0;
    uint32_t size = loupe_value_size(type, address_size);
    for (uint32_t i = 0; i < size; i++)
        bits = bits << 8 | bytes[i];
    bool is_signed = type >= LOUPE_VALUE_BYTE && type <= LOUPE_VALUE_INT;
    if (is_signed && bits >> (8 * size - 1))
        bits |= UINT64_MAX << (8 * size);
    return (struct loupe_value){.type = (enum loupe_value_type)type, .bits = bits};
}

/* ---- Fields ---- */

static bool contents_of(const struct loupe_snapshot *snapshot, uint32_t node, const uint8_t **ret,
                        uint64_t *len_ret) {
    return snapshot->ops->contents &&
           snapshot->ops->contents(snapshot->ctx, snapshot, node, ret, len_ret);
}

bool loupe_snapshot_field_value(const struct loupe_snapshot *snapshot, uint32_t node,
                                const char *name, struct loupe_value *ret) {
    const uint8_t *bytes;
    uint64_t length, offset = 0;
    uint32_t class_number = snapshot->classes[node];
    if (!contents_of(snapshot, node, &bytes, &length))
        return false;
    for (uint32_t steps = 0; class_number != LOUPE_NONE && steps < LOUPE_MOST_SUPERCLASSES;
         steps++) {
        const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
        for (uint32_t i = 0; i < entry->instance_fields; i++) {
            const struct loupe_snapshot_field *field = &snapshot->fields[entry->first_field + i];
            uint32_t size = loupe_value_size(field->type, snapshot->address_size);
            if (offset + size > length)
                return false;
            if (loupe_span_equals(loupe_snapshot_string(snapshot, field->name), name)) {
                *ret = loupe_value_decode(field->type, snapshot->address_size, bytes + offset);
                return true;
            }
            offset += size;
        }
        class_number = entry->superclass;
    }
    return false;
}

/* ---- Text ---- */

struct text {
    char *dst;
    size_t used, room; /* room for a NUL behind is kept */
    bool cut;
};

static void put_unit(struct text *text, uint32_t unit) {
    char bytes[4];
    size_t count;
    if (unit < 0x80) {
        bytes[0] = (char)unit;
        count = 1;
    } else if (unit < 0x800) {
        bytes[0] = (char)(0xc0 | unit >> 6);
        bytes[1] = (char)(0x80 | (unit & 0x3f));
        count = 2;
    } else if (unit < 0x10000) {
        bytes[0] = (char)(0xe0 | unit >> 12);
        bytes[1] = (char)(0x80 | (unit >> 6 & 0x3f));
        bytes[2] = (char)(0x80 | (unit & 0x3f));
        count = 3;
    } else {
        bytes[0] = (char)(0xf0 | unit >> 18);
        bytes[1] = (char)(0x80 | (unit >> 12 & 0x3f));
        bytes[2] = (char)(0x80 | (unit >> 6 & 0x3f));
        bytes[3] = (char)(0x80 | (unit & 0x3f));
        count = 4;
    }
    if (text->cut || text->used + count > text->room) {
        text->cut = true;
        return;
    }
    memcpy(text->dst + text->used, bytes, count);
    text->used += count;
}

static void put_words(struct text *text, const char *words) {
    while (*words)
        put_unit(text, (unsigned char)*words++);
}

/* UTF-16, big-endian; a half of a pair that stands alone becomes U+FFFD. */
static void put_utf16(struct text *text, const uint8_t *bytes, uint64_t units) {
    for (uint64_t i = 0; i < units && !text->cut; i++) {
        uint32_t unit = (uint32_t)(bytes[2 * i] << 8 | bytes[2 * i + 1]);
        if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < units) {
            uint32_t low = (uint32_t)(bytes[2 * i + 2] << 8 | bytes[2 * i + 3]);
            if (low >= 0xdc00 && low < 0xe000) {
                put_unit(text, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                i++;
                continue;
            }
        }
        put_unit(text, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
    }
}

static void put_latin1(struct text *text, const uint8_t *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count && !text->cut; i++)
        put_unit(text, bytes[i]);
}

static bool has_class(const struct loupe_snapshot *snapshot, uint32_t node, const char *name) {
    return loupe_span_equals(loupe_snapshot_class_name(snapshot, snapshot->classes[node]), name);
}

/* The part of the array that the string is, for those that say where they begin in it. */
static void narrow(const struct loupe_snapshot *snapshot, uint32_t node, uint32_t unit,
                   const uint8_t **bytes, uint64_t *length) {
    struct loupe_value offset, count;
    if (!loupe_snapshot_field_value(snapshot, node, "count", &count) ||
        count.type != LOUPE_VALUE_INT || count.bits > *length / unit)
        return;
    if (!loupe_snapshot_field_value(snapshot, node, "offset", &offset))
        offset.bits = 0;
    if (offset.bits > *length / unit - count.bits)
        return;
    *bytes += offset.bits * unit;
    *length = count.bits * unit;
}

/* The characters of a string: bytes of Latin-1, or UTF-16 in an array of char or of bytes. */
static bool put_string(const struct loupe_snapshot *snapshot, uint32_t node, struct text *text) {
    struct loupe_value value, coder;
    uint32_t array;
    const uint8_t *bytes;
    uint64_t length;
    if (!loupe_snapshot_field_value(snapshot, node, "value", &value) ||
        value.type != LOUPE_VALUE_OBJECT || !loupe_snapshot_find(snapshot, value.bits, &array) ||
        !contents_of(snapshot, array, &bytes, &length))
        return false;
    bool wide = has_class(snapshot, array, "char[]");
    if (!wide && !has_class(snapshot, array, "byte[]"))
        return false;
    if (wide)
        narrow(snapshot, node, 2, &bytes, &length);
    else if (loupe_snapshot_field_value(snapshot, node, "coder", &coder))
        wide = coder.bits != 0;
    if (wide)
        put_utf16(text, bytes, length / 2);
    else
        put_latin1(text, bytes, length);
    return true;
}

size_t loupe_snapshot_text(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                           size_t cap) {
    struct text text = {.dst = dst, .room = cap - 1};
    if (has_class(snapshot, node, "java.lang.String"))
        put_string(snapshot, node, &text);
    dst[text.used] = '\0';
    return text.used;
}

/* ---- Arrays of primitives ---- */

static uint32_t element_type(struct loupe_span name) {
    static const struct {
        const char *name;
        uint32_t type;
    } arrays[] = {{"boolean[]", LOUPE_VALUE_BOOLEAN}, {"char[]", LOUPE_VALUE_CHAR},
                  {"float[]", LOUPE_VALUE_FLOAT},     {"double[]", LOUPE_VALUE_DOUBLE},
                  {"byte[]", LOUPE_VALUE_BYTE},       {"short[]", LOUPE_VALUE_SHORT},
                  {"int[]", LOUPE_VALUE_INT},         {"long[]", LOUPE_VALUE_LONG}};
    for (size_t i = 0; i < sizeof(arrays) / sizeof(arrays[0]); i++) {
        if (loupe_span_equals(name, arrays[i].name))
            return arrays[i].type;
    }
    return LOUPE_VALUE_NONE;
}

static void put_number(struct text *text, struct loupe_value value) {
    char number[32];
    switch (value.type) {
    case LOUPE_VALUE_BOOLEAN:
        put_words(text, value.bits ? "true" : "false");
        return;
    case LOUPE_VALUE_FLOAT:
    case LOUPE_VALUE_DOUBLE: /* the core prints no fractions: their bits */
        loupe_format(number, sizeof(number), "0x%llx", (unsigned long long)value.bits);
        break;
    default:
        if ((int64_t)value.bits < 0)
            loupe_format(number, sizeof(number), "-%llu", 0 - (unsigned long long)value.bits);
        else
            loupe_format(number, sizeof(number), "%llu", (unsigned long long)value.bits);
    }
    put_words(text, number);
}

enum { SHOWN_ELEMENTS = 8 };

static void put_elements(struct text *text, uint32_t type, const uint8_t *bytes, uint64_t length) {
    uint32_t size = loupe_value_size(type, 0);
    uint64_t count = length / size;
    put_words(text, "{");
    for (uint64_t i = 0; i < count && i < SHOWN_ELEMENTS; i++) {
        put_words(text, i ? ", " : "");
        put_number(text, loupe_value_decode(type, 0, bytes + i * size));
    }
    put_words(text, count > SHOWN_ELEMENTS ? ", ...}" : "}");
}

size_t loupe_snapshot_show_value(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                                 size_t cap) {
    enum { TAIL = sizeof("...\"") }; /* with the NUL */
    const uint8_t *bytes;
    uint64_t length;
    dst[0] = '\0';
    if (cap <= TAIL)
        return 0;
    struct text text = {.dst = dst, .room = cap - TAIL};
    bool is_string = has_class(snapshot, node, "java.lang.String");
    uint32_t type = element_type(loupe_snapshot_class_name(snapshot, snapshot->classes[node]));
    if (is_string) {
        put_words(&text, "\"");
        if (!put_string(snapshot, node, &text))
            return 0;
    } else if (type != LOUPE_VALUE_NONE && contents_of(snapshot, node, &bytes, &length)) {
        put_elements(&text, type, bytes, length);
    }
    bool cut = text.cut;
    text.cut = false;
    text.room = cap - 1;
    put_words(&text, cut ? "..." : "");
    put_words(&text, is_string ? "\"" : "");
    dst[text.used] = '\0';
    return text.used;
}
