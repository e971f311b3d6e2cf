/* What objects say of themselves: strings, arrays of primitives, and the writer of such texts. */
#include "snapshot/values/value_text.h"

#include "base/decimal.h"
#include "snapshot/values/collections.h"
#include "snapshot/native.h"
#include "snapshot/values/values.h"

#include <string.h>

/* ---- The writer ---- */

void loupe_put_unit(struct loupe_value_text *text, uint32_t unit) {
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

void loupe_put_words(struct loupe_value_text *text, const char *words) {
    while (*words)
        loupe_put_unit(text, (unsigned char)*words++);
}

/* Where it is cut, not in the middle of a character. */
void loupe_put_span(struct loupe_value_text *text, struct loupe_span span) {
    size_t left = text->cut ? 0 : text->room - text->used;
    size_t count = span.length < left ? span.length : left;
    while (count < span.length && count && ((unsigned char)span.bytes[count] & 0xc0) == 0x80)
        count--;
    if (count)
        memcpy(text->dst + text->used, span.bytes, count);
    text->used += count;
    text->cut = text->cut || count < span.length;
}

void loupe_put_padded(struct loupe_value_text *text, uint64_t number, unsigned digits) {
    char decimal[24];
    size_t length = loupe_format(decimal, sizeof(decimal), "%llu", (unsigned long long)number);
    for (size_t i = length; i < digits; i++)
        loupe_put_words(text, "0");
    loupe_put_words(text, decimal);
}

void loupe_put_unsigned(struct loupe_value_text *text, uint64_t number) {
    loupe_put_padded(text, number, 1);
}

void loupe_put_scalar(struct loupe_value_text *text, struct loupe_value value) {
    char number[LOUPE_DECIMAL_SIZE];
    switch (value.type) {
    case LOUPE_VALUE_NONE:
    case LOUPE_VALUE_OBJECT:
        return;
    case LOUPE_VALUE_BOOLEAN:
        loupe_put_words(text, value.bits ? "true" : "false");
        return;
    case LOUPE_VALUE_CHAR:
        loupe_put_words(text, "'");
        loupe_put_unit(text,
                       value.bits >= 0xd800 && value.bits < 0xe000 ? 0xfffd : (uint32_t)value.bits);
        loupe_put_words(text, "'");
        return;
    case LOUPE_VALUE_FLOAT:
        loupe_decimal_of_float((uint32_t)value.bits, number);
        break;
    case LOUPE_VALUE_DOUBLE:
        loupe_decimal_of_double(value.bits, number);
        break;
    case LOUPE_VALUE_UNSIGNED:
        loupe_put_unsigned(text, value.bits);
        return;
    default:
        if ((int64_t)value.bits < 0)
            loupe_format(number, sizeof(number), "-%llu", 0 - (unsigned long long)value.bits);
        else
            loupe_format(number, sizeof(number), "%llu", (unsigned long long)value.bits);
    }
    loupe_put_words(text, number);
}

/* ---- Times ---- */

struct day {
    int64_t year;
    unsigned month, day;
};

/* Of the Gregorian calendar, by days since 1970-01-01: years begin in March, so that the day that
 * some have more comes last. */
static struct day day_of(int64_t days) {
    enum { DAYS_OF_400_YEARS = 146097, FROM_MARCH_0000 = 719468 };
    int64_t at = days + FROM_MARCH_0000;
    int64_t era = (at >= 0 ? at : at - (DAYS_OF_400_YEARS - 1)) / DAYS_OF_400_YEARS;
    unsigned in_era = (unsigned)(at - era * DAYS_OF_400_YEARS);
    unsigned year = (in_era - in_era / 1460 + in_era / 36524 - in_era / 146096) / 365;
    unsigned in_year = in_era - (365 * year + year / 4 - year / 100);
    unsigned month = (5 * in_year + 2) / 153;
    struct day ret = {.year = (int64_t)year + era * 400,
                      .month = month < 10 ? month + 3 : month - 9,
                      .day = in_year - (153 * month + 2) / 5 + 1};
    ret.year += ret.month <= 2;
    return ret;
}

static void put_fraction(struct loupe_value_text *text, uint32_t nanoseconds) {
    unsigned digits = 9;
    if (!nanoseconds)
        return;
    for (; nanoseconds % 10 == 0; nanoseconds /= 10)
        digits--;
    loupe_put_words(text, ".");
    loupe_put_padded(text, nanoseconds, digits);
}

void loupe_put_time(struct loupe_value_text *text, int64_t seconds, uint32_t nanoseconds) {
    enum { SECONDS_OF_DAY = 86400 };
    int64_t days = seconds / SECONDS_OF_DAY - (seconds % SECONDS_OF_DAY < 0);
    unsigned in_day = (unsigned)(seconds - days * SECONDS_OF_DAY);
    struct day day = day_of(days);
    if (day.year < 0)
        loupe_put_words(text, "-");
    loupe_put_padded(text, (uint64_t)(day.year < 0 ? -day.year : day.year), 4);
    loupe_put_words(text, "-");
    loupe_put_padded(text, day.month, 2);
    loupe_put_words(text, "-");
    loupe_put_padded(text, day.day, 2);
    loupe_put_words(text, "T");
    loupe_put_padded(text, in_day / 3600, 2);
    loupe_put_words(text, ":");
    loupe_put_padded(text, in_day / 60 % 60, 2);
    loupe_put_words(text, ":");
    loupe_put_padded(text, in_day % 60, 2);
    put_fraction(text, nanoseconds);
    loupe_put_words(text, "Z");
}

/* ---- Strings of Java ---- */

/* A half of a pair that stands alone becomes U+FFFD. */
static void put_utf16(struct loupe_value_text *text, const uint8_t *bytes, uint64_t units,
                      bool is_big_endian) {
    unsigned high = is_big_endian ? 0 : 1;
    for (uint64_t i = 0; i < units && !text->cut; i++) {
        uint32_t unit = (uint32_t)(bytes[2 * i + high] << 8 | bytes[2 * i + 1 - high]);
        if (unit >= 0xd800 && unit < 0xdc00 && i + 1 < units) {
            uint32_t low = (uint32_t)(bytes[2 * i + 2 + high] << 8 | bytes[2 * i + 3 - high]);
            if (low >= 0xdc00 && low < 0xe000) {
                loupe_put_unit(text, 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00));
                i++;
                continue;
            }
        }
        loupe_put_unit(text, unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit);
    }
}

static void put_latin1(struct loupe_value_text *text, const uint8_t *bytes, uint64_t count) {
    for (uint64_t i = 0; i < count && !text->cut; i++)
        loupe_put_unit(text, bytes[i]);
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

/*
 * Units of a char[] stand in a dump as all values do. Those in the byte[] of a string since Java 9
 * are bytes to whoever wrote the dump, and stand as they did in the machine
 * (java.lang.StringUTF16.HI_BYTE_SHIFT says how).
 */
static void put_units(const struct loupe_snapshot *snapshot, bool is_char_array,
                      const uint8_t *bytes, uint64_t length, struct loupe_value_text *text) {
    put_utf16(text, bytes, length / 2, is_char_array || snapshot->is_big_endian);
}

/* A file keeps the beginning of an array: what is missing at the end is told as what did not fit.
 */
static void tell_of_rest(const struct loupe_snapshot *snapshot, uint32_t array, uint64_t length,
                         struct loupe_value_text *text) {
    enum { MOST_HEADER = 32 }; /* with what pads the end */
    if (length < loupe_columns_size(&snapshot->columns, array) &&
        loupe_columns_size(&snapshot->columns, array) - length > MOST_HEADER)
        text->cut = true;
}

bool loupe_put_characters(const struct loupe_snapshot *snapshot, uint32_t array, bool wide,
                          uint64_t count, struct loupe_value_text *text) {
    const uint8_t *bytes;
    uint64_t length;
    bool is_char_array = has_class(snapshot, array, "char[]");
    if ((!is_char_array && !has_class(snapshot, array, "byte[]")) ||
        !loupe_snapshot_contents(snapshot, array, &bytes, &length))
        return false;
    unsigned unit = is_char_array || wide ? 2 : 1;
    bool is_all = count <= length / unit;
    uint64_t taken = is_all ? count * unit : length;
    if (unit == 2)
        put_units(snapshot, is_char_array, bytes, taken, text);
    else
        put_latin1(text, bytes, taken);
    if (!is_all)
        tell_of_rest(snapshot, array, length, text);
    return true;
}

/* Bytes of Latin-1, or UTF-16 in an array of char or of bytes. */
bool loupe_put_java_string(const struct loupe_snapshot *snapshot, uint32_t node,
                           struct loupe_value_text *text) {
    struct loupe_value coder;
    uint32_t array;
    const uint8_t *bytes;
    uint64_t length;
    if (!loupe_snapshot_object_field(snapshot, node, "value", &array) ||
        !loupe_snapshot_contents(snapshot, array, &bytes, &length))
        return false;
    bool is_char_array = has_class(snapshot, array, "char[]");
    if (!is_char_array && !has_class(snapshot, array, "byte[]"))
        return false;
    uint64_t kept = length;
    if (is_char_array)
        narrow(snapshot, node, 2, &bytes, &length);
    bool is_wide =
        !is_char_array && loupe_snapshot_field_value(snapshot, node, "coder", &coder) && coder.bits;
    if (is_char_array || is_wide)
        put_units(snapshot, is_char_array, bytes, length, text);
    else
        put_latin1(text, bytes, length);
    if (length == kept)
        tell_of_rest(snapshot, array, length, text);
    return true;
}

size_t loupe_snapshot_text(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                           size_t cap) {
    struct loupe_value_text text = {.dst = dst, .room = cap - 1};
    if (has_class(snapshot, node, "java.lang.String"))
        loupe_put_java_string(snapshot, node, &text);
    dst[text.used] = '\0';
    return text.used;
}

/* ---- Arrays of primitives ---- */

enum { SHOWN_ELEMENTS = 8 };

static void put_elements(struct loupe_value_text *text, uint32_t type, const uint8_t *bytes,
                         uint64_t length) {
    uint32_t size = loupe_value_size(type, 0);
    uint64_t count = length / size;
    loupe_put_words(text, "{");
    /* Cap: three dots. */
    for (uint64_t i = 0; i < count && i < SHOWN_ELEMENTS; i++) {
        loupe_put_words(text, i ? ", " : "");
        loupe_put_scalar(text, loupe_value_decode(type, 0, bytes + i * size));
    }
    loupe_put_words(text, count > SHOWN_ELEMENTS ? ", ...}" : "}");
}

/* ---- Any object ---- */

static const struct loupe_node_value *native_value(const struct loupe_native_heap *native,
                                                   uint32_t node) {
    uint32_t low = 0, high = native->value_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (native->values[middle].node < node)
            low = middle + 1;
        else
            high = middle;
    }
    return low < native->value_count && native->values[low].node == node ? &native->values[low]
                                                                         : NULL;
}

/* What its source read of the object. */
static bool put_native_value(const struct loupe_snapshot *snapshot, uint32_t node,
                             struct loupe_value_text *text, const char **end_ret) {
    const struct loupe_node_value *value = native_value(snapshot->native, node);
    struct loupe_span span = {"", 0};
    if (value)
        span = loupe_snapshot_string(snapshot, value->text);
    if (span.length && span.bytes[0] == '"' && span.length > text->room)
        *end_ret = "\"";
    loupe_put_span(text, span);
    return span.length;
}

/* What ends a text that was begun with a quote. */
static bool put_value(const struct loupe_snapshot *snapshot, uint32_t node,
                      struct loupe_value_text *text, const char **end_ret) {
    struct loupe_span name = loupe_snapshot_class_name(snapshot, snapshot->classes[node]);
    uint32_t type = loupe_element_type(name);
    const uint8_t *bytes;
    uint64_t length;
    *end_ret = "";
    if (snapshot->native)
        return put_native_value(snapshot, node, text, end_ret);
    if (loupe_span_equals(name, "java.lang.String")) {
        *end_ret = "\"";
        loupe_put_words(text, "\"");
        return loupe_put_java_string(snapshot, node, text);
    }
    if (type != LOUPE_VALUE_NONE) {
        if (!loupe_snapshot_contents(snapshot, node, &bytes, &length))
            return false;
        put_elements(text, type, bytes, length);
        return true;
    }
    return loupe_put_java_value(snapshot, node, text);
}

size_t loupe_snapshot_show_value(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                                 size_t cap) {
    enum { TAIL = sizeof("...\"") }; /* with the NUL */
    const char *end;
    dst[0] = '\0';
    if (cap <= TAIL)
        return 0;
    struct loupe_value_text text = {.dst = dst, .room = cap - TAIL};
    if (!put_value(snapshot, node, &text, &end)) {
        dst[0] = '\0';
        return 0;
    }
    bool cut = text.cut;
    text.cut = false;
    text.room = cap - 1;
    loupe_put_words(&text, cut ? "..." : "");
    loupe_put_words(&text, end);
    dst[text.used] = '\0';
    return text.used;
}

size_t loupe_snapshot_say_value(const struct loupe_snapshot *snapshot, uint32_t node, char *dst,
                                size_t cap) {
    struct loupe_collection collection;
    size_t length = loupe_snapshot_show_value(snapshot, node, dst, cap);
    if (length || !loupe_collection_of(snapshot, node, &collection) || !collection.has_count)
        return length;
    return loupe_format(dst, cap, "%llu item%s", (unsigned long long)collection.count,
                        collection.count == 1 ? "" : "s");
}
