/* The end of a report: what could not be followed or named, and what the search cost. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"

#include <string.h>

/* ---- Members of C++ and pointers that were not followed ---- */

enum { POINTERS_SHOWN = 4 };

static bool is_of_code(const struct json_value *member, struct loupe_span code) {
    return json_texts_equal(json_text(member, "code"), code);
}

static bool is_about_pointers(struct loupe_span code) {
    return loupe_span_equals(code, "pointer-to-memory") ||
           loupe_span_equals(code, "pointer-to-object");
}

/* "_items of Shelf"; "box captured by a block". */
static void say_pointer(struct answer_lines *lines, const struct json_value *member) {
    if (json_text(member, "name").length)
        answer_say_text(lines, json_text(member, "name"));
    else
        answer_say(lines, "+%llu", (unsigned long long)json_uint(member, "offset"));
    answer_say(lines, json_text(member, "class").length ? " of " : " captured by a block");
    answer_say_text(lines, json_text(member, "class"));
}

static uint32_t pointers_of(const struct json_value *unread, struct loupe_span code) {
    uint32_t count = 0;
    JSON_EACH(member, unread)
    count += is_of_code(member, code) && is_about_pointers(code);
    return count;
}

static void say_pointers(struct answer_lines *lines, const struct json_value *unread,
                         struct loupe_span code, uint32_t count) {
    uint32_t shown = count < POINTERS_SHOWN ? count : POINTERS_SHOWN, i = 0;
    uint32_t parts = shown + (count > shown);
    answer_say(lines, ": ");
    JSON_EACH(member, unread) {
        if (!is_of_code(member, code) || i == shown)
            continue;
        answer_say_joint(lines, i++, parts);
        say_pointer(lines, member);
    }
    if (count > shown) {
        answer_say_joint(lines, i, parts);
        answer_say_count(lines, count - shown, "more name");
    }
}

static bool is_word(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
           (letter >= '0' && letter <= '9');
}

static struct loupe_span behind(struct loupe_span text, size_t count) {
    return (struct loupe_span){text.bytes + count, text.length - count};
}

/* ", std::__1::allocator<": what a container of C++ is told beside what is in it. */
static bool is_plumbing(struct loupe_span text) {
    static const char *const names[] = {"allocator<", "default_delete<", "less<", "hash<",
                                        "equal_to<"};
    if (!loupe_span_starts_with(text, ", std::"))
        return false;
    for (text = behind(text, sizeof(", std::") - 1);;) {
        size_t length = 0;
        for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
            if (loupe_span_starts_with(text, names[i]))
                return true;
        }
        while (length < text.length && is_word(text.bytes[length]))
            length++;
        if (!length || !loupe_span_starts_with(behind(text, length), "::"))
            return false;
        text = behind(text, length + 2);
    }
}

/* "_peers of Owner, a vector<id>". */
static void say_type(struct answer_lines *lines, const struct json_value *member) {
    struct loupe_span type = json_text(member, "type");
    if (loupe_span_starts_with(type, "_Z")) {
        answer_say(lines, "a captured C++ object");
        return;
    }
    size_t end = 0;
    while (end < type.length && !is_plumbing(behind(type, end)))
        end++;
    if (json_text(member, "name").length) {
        answer_say_text(lines, json_text(member, "name"));
        answer_say(lines, " of ");
        answer_say_text(lines, json_text(member, "class"));
        answer_say(lines, ", ");
    }
    answer_say(lines, "a ");
    answer_say_text(lines, (struct loupe_span){type.bytes, end});
    answer_say(lines, "%s", end < type.length ? ">" : "");
}

static bool starts_with(struct loupe_span text, struct loupe_span start) {
    return start.length && start.length <= text.length &&
           memcmp(text.bytes, start.bytes, start.length) == 0;
}

/* Which member of the example it is, and what is in the way: ": _peers of Owner, a vector<id>" or
 * ": Owner's _all: Set<id>: what its pointers lead to is not known". Of pointers, the names. */
static void say_member(struct answer_lines *lines, struct loupe_span code) {
    const struct json_value *unread = json_member(lines->answer->root, "unread");
    uint32_t pointers = pointers_of(unread, code);
    if (pointers) {
        say_pointers(lines, unread, code, pointers);
        return;
    }
    JSON_EACH(member, unread) {
        struct loupe_span why = json_text(member, "why"), type = json_text(member, "type"),
                          owner = json_text(member, "class");
        if (!is_of_code(member, code) || answer_is_set(json_member(member, "guessed")))
            continue;
        if (starts_with(why, json_text(member, "name"))) {
            answer_say(lines, ": ");
            answer_say_text(lines, owner);
            answer_say(lines, "%s", owner.length ? "'s " : "");
            answer_say_text(lines, why);
            return;
        }
        if (!type.length && !why.length)
            continue;
        answer_say(lines, ": ");
        if (type.length)
            say_type(lines, member);
        answer_say(lines, "%s", type.length && why.length ? "; " : "");
        answer_say_text(lines, why);
        return;
    }
}

/* ---- What was not followed ---- */

const char *answer_way_out(const struct answer_lines *lines, struct loupe_span code) {
    if (lines->look.host != ANSWER_IN_DEBUGGER)
        return NULL;
    if (loupe_span_equals(code, "limit"))
        return "raise --limit";
    if (loupe_span_equals(code, "interrupted") || loupe_span_equals(code, "search-interrupted"))
        return "raise --timeout";
    return NULL;
}

void answer_say_not_followed(struct answer_lines *lines) {
    const struct json_value *items = json_member(lines->answer->root, "not_followed");
    const char *before = "Not followed: ";
    if (items->first && json_has(items->first, "lost")) { /* of a whole heap */
        answer_say_heap_notes(lines, false);
        return;
    }
    JSON_EACH(item, items) {
        struct loupe_span example = json_text(item, "example"), code = json_text(item, "code");
        const char *out = answer_way_out(lines, code);
        answer_say(lines, "%s", before);
        answer_say_text(lines, json_text(item, "reason"));
        answer_say(lines, " (");
        answer_say_number(lines, json_uint(item, "count"));
        if (example.length && !loupe_span_equals(example, "0x0")) {
            answer_say(lines, ", such as ");
            answer_say_text(lines, example);
        }
        say_member(lines, code);
        answer_say(lines, "%s%s)", out ? "; " : "", out ? out : "");
        answer_hand_on(lines);
        before = ", ";
    }
    if (*before == ',')
        answer_end_line(lines);
}

void answer_say_unnamed(struct answer_lines *lines) {
    JSON_EACH(item, json_member(lines->answer->root, "unnamed")) {
        answer_say(lines, "Without names: ");
        answer_say_text(lines, json_text(item, "what"));
        answer_end_line(lines);
    }
}

/* ---- What the search cost ---- */

/* A number of JSON that is not negative, in thousandths. */
static uint64_t thousandths_of(struct loupe_span number) {
    uint64_t value = 0;
    unsigned digits = 0;
    bool is_fraction = false;
    /* Cap: a time of more than a century. */
    for (size_t i = 0; i < number.length && value < UINT64_MAX / 100; i++) {
        char letter = number.bytes[i];
        if (letter == '.') {
            is_fraction = true;
            continue;
        }
        if (letter < '0' || letter > '9')
            return 0; /* a power of ten: nothing is so long that it needs one */
        if (is_fraction && digits++ == 3)
            break;
        value = 10 * value + (uint64_t)(letter - '0');
    }
    for (; digits < 3; digits++)
        value *= 10;
    return value;
}

/* What the person waited, or what the engine took; nothing if it has no clock. */
static void say_duration(struct answer_lines *lines, const struct json_value *stats) {
    const struct json_value *spent = json_member(stats, "waited_ms");
    if (spent->kind != JSON_NUMBER)
        spent = json_member(stats, "ms");
    if (spent->kind != JSON_NUMBER)
        return;
    uint64_t microseconds = thousandths_of(spent->text), tenths = (microseconds + 50000) / 100000;
    if (microseconds < 1000)
        answer_say(lines, " in less than 1 ms");
    else if (microseconds >= 1000000)
        answer_say(lines, " in %llu.%llu s", (unsigned long long)(tenths / 10),
                   (unsigned long long)(tenths % 10));
    else
        answer_say(lines, " in %llu ms", (unsigned long long)((microseconds + 500) / 1000));
}

/* Who read the program, where a debugger has several that do. */
static void say_engine(struct answer_lines *lines) {
    struct loupe_span engine = json_text(lines->answer->root, "engine");
    if (lines->look.host != ANSWER_IN_DEBUGGER)
        return;
    answer_say(lines, ", ");
    if (loupe_span_equals(engine, "memory"))
        answer_say(lines, "from LLDB");
    else if (loupe_span_equals(engine, "helper"))
        answer_say(lines, "in-process");
    else
        answer_say_text(lines, engine);
}

void answer_say_cost(struct answer_lines *lines) {
    const struct json_value *stats = json_member(lines->answer->root, "stats");
    if (stats->kind != JSON_OBJECT)
        return;
    answer_paint_faint(lines);
    answer_say(lines, "searched ");
    answer_say_things(lines, json_uint(stats, "objects"), json_uint(stats, "others"));
    answer_say(lines, ", ");
    answer_say_count(lines, json_uint(stats, "edges"), "reference");
    say_duration(lines, stats);
    say_engine(lines);
    answer_paint_end(lines);
    answer_end_line(lines);
}
