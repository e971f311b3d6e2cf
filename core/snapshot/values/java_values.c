/*
 * What objects of well-known classes of Java and Android say of themselves: by the fields that
 * these classes have in JDK 8 to 21 and Android 5 to 14. A class that lacks them says nothing.
 */
#include "snapshot/values/value_text.h"
#include "snapshot/values/values.h"

#include <string.h>

struct rule;
typedef bool put_fn(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                    struct loupe_value_text *text);

struct rule {
    const char *class_name; /* of the object, or of one above it where `inherits` */
    const char *field;
    put_fn *put;
    bool inherits;
};

/* ---- One field is all there is to it ---- */

static bool put_object(const struct loupe_snapshot *snapshot, uint32_t node,
                       struct loupe_value_text *text) {
    if (!loupe_span_equals(loupe_snapshot_class_name(snapshot, snapshot->classes[node]),
                           "java.lang.String"))
        return loupe_put_characters(snapshot, node, false, UINT64_MAX, text);
    loupe_put_words(text, "\"");
    bool done = loupe_put_java_string(snapshot, node, text);
    loupe_put_words(text, "\"");
    return done;
}

/* A number, or a string in quotes. */
static bool put_field(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                      struct loupe_value_text *text) {
    struct loupe_value value;
    uint32_t object;
    if (!loupe_snapshot_field_value(snapshot, node, rule->field, &value))
        return false;
    if (value.type != LOUPE_VALUE_OBJECT) {
        loupe_put_scalar(text, value);
        return true;
    }
    return value.bits && loupe_snapshot_find(snapshot, value.bits, &object) &&
           put_object(snapshot, object, text);
}

/* java.util.concurrent.atomic.AtomicBoolean: an int. */
static bool put_truth(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                      struct loupe_value_text *text) {
    struct loupe_value value;
    if (!loupe_snapshot_field_value(snapshot, node, rule->field, &value))
        return false;
    loupe_put_words(text, value.bits ? "true" : "false");
    return true;
}

/* The name of an enum's constant, as source code has it. */
static bool put_constant(const struct loupe_snapshot *snapshot, uint32_t node,
                         const struct rule *rule, struct loupe_value_text *text) {
    uint32_t name;
    return loupe_snapshot_object_field(snapshot, node, rule->field, &name) &&
           loupe_put_java_string(snapshot, name, text);
}

/* ---- Times ---- */

static bool get(const struct loupe_snapshot *snapshot, uint32_t node, const char *name,
                int64_t *ret) {
    struct loupe_value value;
    if (!loupe_snapshot_field_value(snapshot, node, name, &value) ||
        value.type < LOUPE_VALUE_BOOLEAN)
        return false;
    *ret = (int64_t)value.bits;
    return true;
}

/* Milliseconds since 1970. */
static bool put_milliseconds(const struct loupe_snapshot *snapshot, uint32_t node,
                             const struct rule *rule, struct loupe_value_text *text) {
    int64_t time;
    if (!get(snapshot, node, rule->field, &time))
        return false;
    int64_t seconds = time / 1000 - (time % 1000 < 0);
    loupe_put_time(text, seconds, (uint32_t)(time - seconds * 1000) * 1000000);
    return true;
}

static bool put_instant(const struct loupe_snapshot *snapshot, uint32_t node,
                        const struct rule *rule, struct loupe_value_text *text) {
    int64_t seconds, nanoseconds;
    if (!get(snapshot, node, rule->field, &seconds) ||
        !get(snapshot, node, "nanos", &nanoseconds) || nanoseconds < 0 || nanoseconds > 999999999)
        return false;
    loupe_put_time(text, seconds, (uint32_t)nanoseconds);
    return true;
}

static bool put_date(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                     struct loupe_value_text *text) {
    int64_t year, month, day;
    if (!get(snapshot, node, rule->field, &year) || !get(snapshot, node, "month", &month) ||
        !get(snapshot, node, "day", &day))
        return false;
    if (year < 0)
        loupe_put_words(text, "-");
    loupe_put_padded(text, (uint64_t)(year < 0 ? -year : year), 4);
    loupe_put_words(text, "-");
    loupe_put_padded(text, (uint64_t)month & 0xff, 2);
    loupe_put_words(text, "-");
    loupe_put_padded(text, (uint64_t)day & 0xff, 2);
    return true;
}

static bool put_time_of_day(const struct loupe_snapshot *snapshot, uint32_t node,
                            const struct rule *rule, struct loupe_value_text *text) {
    int64_t hour, minute, second;
    if (!get(snapshot, node, rule->field, &hour) || !get(snapshot, node, "minute", &minute) ||
        !get(snapshot, node, "second", &second))
        return false;
    loupe_put_padded(text, (uint64_t)hour & 0xff, 2);
    loupe_put_words(text, ":");
    loupe_put_padded(text, (uint64_t)minute & 0xff, 2);
    loupe_put_words(text, ":");
    loupe_put_padded(text, (uint64_t)second & 0xff, 2);
    return true;
}

static bool put_date_and_time(const struct loupe_snapshot *snapshot, uint32_t node,
                              const struct rule *rule, struct loupe_value_text *text) {
    static const struct rule date = {.field = "year"}, time = {.field = "hour"};
    uint32_t date_node, time_node;
    if (!loupe_snapshot_object_field(snapshot, node, rule->field, &date_node) ||
        !loupe_snapshot_object_field(snapshot, node, "time", &time_node) ||
        !put_date(snapshot, date_node, &date, text))
        return false;
    loupe_put_words(text, "T");
    return put_time_of_day(snapshot, time_node, &time, text);
}

/* ---- More than one field ---- */

static void put_hex(struct loupe_value_text *text, uint64_t bits, unsigned digits) {
    while (digits--) {
        const char digit[] = {"0123456789abcdef"[bits >> (4 * digits) & 15], '\0'};
        loupe_put_words(text, digit);
    }
}

static bool put_uuid(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                     struct loupe_value_text *text) {
    struct loupe_value high, low;
    if (!loupe_snapshot_field_value(snapshot, node, rule->field, &high) ||
        !loupe_snapshot_field_value(snapshot, node, "leastSigBits", &low))
        return false;
    const struct {
        uint64_t bits;
        unsigned digits;
    } parts[] = {{high.bits >> 32, 8},
                 {high.bits >> 16 & 0xffff, 4},
                 {high.bits & 0xffff, 4},
                 {low.bits >> 48, 4},
                 {low.bits, 12}};
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        loupe_put_words(text, i ? "-" : "");
        put_hex(text, parts[i].bits, parts[i].digits);
    }
    return true;
}

static bool put_part(const struct loupe_snapshot *snapshot, uint32_t node, const char *field,
                     struct loupe_value_text *text) {
    uint32_t part;
    return loupe_snapshot_object_field(snapshot, node, field, &part) &&
           loupe_put_java_string(snapshot, part, text);
}

static bool put_url(const struct loupe_snapshot *snapshot, uint32_t node, const struct rule *rule,
                    struct loupe_value_text *text) {
    int64_t port;
    if (!put_part(snapshot, node, rule->field, text))
        return false;
    loupe_put_words(text, "://");
    put_part(snapshot, node, "host", text);
    if (get(snapshot, node, "port", &port) && port >= 0) {
        loupe_put_words(text, ":");
        loupe_put_unsigned(text, (uint64_t)port);
    }
    put_part(snapshot, node, "file", text);
    return true;
}

/* java.lang.StringBuilder: as many characters as it says. */
static bool put_builder(const struct loupe_snapshot *snapshot, uint32_t node,
                        const struct rule *rule, struct loupe_value_text *text) {
    int64_t count, coder = 0;
    uint32_t array;
    if (!get(snapshot, node, "count", &count) || count < 0 ||
        !loupe_snapshot_object_field(snapshot, node, rule->field, &array))
        return false;
    get(snapshot, node, "coder", &coder);
    loupe_put_words(text, "\"");
    bool done = loupe_put_characters(snapshot, array, coder != 0, (uint64_t)count, text);
    loupe_put_words(text, "\"");
    return done;
}

/* java.math.BigDecimal where it fits into a long, and is not kept as a BigInteger. */
static bool put_decimal(const struct loupe_snapshot *snapshot, uint32_t node,
                        const struct rule *rule, struct loupe_value_text *text) {
    enum { MOST_PLACES = 40 };
    int64_t number, scale;
    char digits[MOST_PLACES];
    if (!get(snapshot, node, rule->field, &number) || number == INT64_MIN ||
        !get(snapshot, node, "scale", &scale) || scale < 0 || scale >= MOST_PLACES)
        return false;
    size_t count = loupe_format(digits, sizeof(digits), "%llu",
                                (unsigned long long)(number < 0 ? -number : number));
    size_t whole = count > (size_t)scale ? count - (size_t)scale : 0;
    loupe_put_words(text, number < 0 ? "-" : "");
    loupe_put_words(text, whole ? "" : "0");
    loupe_put_span(text, (struct loupe_span){digits, whole});
    loupe_put_words(text, scale ? "." : "");
    for (size_t i = count; i < (size_t)scale; i++)
        loupe_put_words(text, "0");
    loupe_put_span(text, (struct loupe_span){digits + whole, count - whole});
    return true;
}

/* ---- All ---- */

static const struct rule rules[] = {
    {"java.lang.Integer", "value", put_field, false},
    {"java.lang.Long", "value", put_field, false},
    {"java.lang.Short", "value", put_field, false},
    {"java.lang.Byte", "value", put_field, false},
    {"java.lang.Character", "value", put_field, false},
    {"java.lang.Boolean", "value", put_field, false},
    {"java.lang.Float", "value", put_field, false},
    {"java.lang.Double", "value", put_field, false},
    {"java.util.concurrent.atomic.AtomicInteger", "value", put_field, false},
    {"java.util.concurrent.atomic.AtomicLong", "value", put_field, false},
    {"java.util.concurrent.atomic.AtomicBoolean", "value", put_truth, false},
    {"java.lang.Enum", "name", put_constant, true},
    {"java.util.Date", "fastTime", put_milliseconds, true},
    {"java.util.Date", "milliseconds", put_milliseconds, true}, /* Android up to 6 */
    {"java.util.Calendar", "time", put_milliseconds, true},
    {"java.time.Instant", "seconds", put_instant, false},
    {"java.time.LocalDate", "year", put_date, false},
    {"java.time.LocalTime", "hour", put_time_of_day, false},
    {"java.time.LocalDateTime", "date", put_date_and_time, false},
    {"java.util.UUID", "mostSigBits", put_uuid, false},
    {"java.net.URL", "protocol", put_url, false},
    {"java.net.URI", "string", put_field, false},
    {"android.net.Uri$StringUri", "uriString", put_field, false},
    {"java.io.File", "path", put_field, false},
    {"sun.nio.fs.UnixPath", "path", put_field, false},
    {"java.lang.StringBuilder", "value", put_builder, false},
    {"java.lang.StringBuffer", "value", put_builder, false},
    {"java.math.BigDecimal", "intCompact", put_decimal, false},
    {"java.lang.Thread", "name", put_field, true},
    {"java.lang.Throwable", "detailMessage", put_field, true},
    {"java.util.regex.Pattern", "pattern", put_field, false},
    {"java.util.Locale", "languageTag", put_field, false},
};

static bool applies(const struct loupe_snapshot *snapshot, uint32_t class_number,
                    const struct rule *rule) {
    uint32_t at = class_number;
    /* Cap: a class that inherits from itself says nothing. */
    for (unsigned i = 0; at != LOUPE_NONE && i < LOUPE_MOST_SUPERCLASSES; i++) {
        if (loupe_span_equals(loupe_snapshot_class_name(snapshot, at), rule->class_name))
            return true;
        if (!rule->inherits)
            return false;
        at = snapshot->class_table[at].superclass;
    }
    return false;
}

bool loupe_put_java_value(const struct loupe_snapshot *snapshot, uint32_t node,
                          struct loupe_value_text *text) {
    uint32_t class_number = snapshot->classes[node];
    if (snapshot->class_table[class_number].kind != LOUPE_CLASS_INSTANCES)
        return false;
    for (size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++) {
        size_t before = text->used;
        if (applies(snapshot, class_number, &rules[i]) &&
            rules[i].put(snapshot, node, &rules[i], text))
            return true;
        text->used = before;
    }
    return false;
}
