/* Lines of text, and the names in them. */
#include "answers/lines.h"

#include "answers/amounts.h"
#include "report/class_words.h"

#include <string.h>

enum { LONGEST_NAME = 400 };

static const struct answer_glyphs unicode = {"╭─▶ ", "│   ", "╰── ", "⋮   ", "→", "•"};
static const struct answer_glyphs ascii = {".-> ", "|   ", "'-- ", ":   ", "->", "*"};

void answer_lines_init(struct answer_lines *lines, const struct answer *answer,
                       const struct answer_look *look, struct loupe_sink sink) {
    lines->answer = answer;
    lines->look = *look;
    lines->glyphs = look->unicode ? &unicode : &ascii;
    lines->sink = sink;
    lines->status = LOUPE_OK;
    lines->line.length = 0;
}

/* ---- Onto the line ---- */

void answer_say(struct answer_lines *lines, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    loupe_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    visible_add(&lines->line, text);
}

void answer_say_number(struct answer_lines *lines, uint64_t number) {
    char text[ANSWER_LONGEST_AMOUNT];
    if (lines->look.host == ANSWER_IN_TERMINAL)
        answer_number_text(number, text, sizeof(text));
    else
        loupe_format(text, sizeof(text), "%llu", (unsigned long long)number);
    answer_say(lines, "%s", text);
}

void answer_say_plural(struct answer_lines *lines, uint64_t count, const char *noun,
                       const char *nouns) {
    answer_say_number(lines, count);
    answer_say(lines, " %s", count == 1 ? noun : nouns);
}

void answer_say_times(struct answer_lines *lines, uint64_t count) {
    answer_say_number(lines, count);
    answer_say(lines, " × ");
}

void answer_say_count(struct answer_lines *lines, uint64_t count, const char *noun) {
    answer_say_number(lines, count);
    answer_say(lines, " %s%s", noun, count == 1 ? "" : "s");
}

void answer_say_bytes(struct answer_lines *lines, uint64_t bytes) {
    char text[ANSWER_LONGEST_AMOUNT];
    answer_bytes_text(bytes, text, sizeof(text));
    answer_say(lines, "%s", text);
}

void answer_say_spaces(struct answer_lines *lines, size_t count) {
    while (count--)
        visible_add(&lines->line, " ");
}

void answer_say_right(struct answer_lines *lines, const char *text, size_t width) {
    size_t length = loupe_span_of(text).length;
    answer_say(lines, "  ");
    answer_say_spaces(lines, length < width ? width - length : 0);
    answer_say(lines, "%s", text);
}

void answer_say_joint(struct answer_lines *lines, uint64_t i, uint64_t count) {
    answer_say(lines, "%s", !i ? "" : i + 1 == count ? " and " : ", ");
}

size_t answer_width(struct loupe_span text) {
    size_t width = 0;
    for (size_t i = 0; i < text.length; i++)
        width += ((unsigned char)text.bytes[i] & 0xc0) != 0x80;
    return width;
}

void answer_say_text(struct answer_lines *lines, struct loupe_span text) {
    visible_add_text(&lines->line, text, LONGEST_NAME);
}

void answer_end_line(struct answer_lines *lines) {
    struct loupe_span text = visible_text(&lines->line);
    while (text.length && text.bytes[text.length - 1] == ' ')
        text.length--;
    if (!lines->status && text.length)
        lines->status = lines->sink.write(lines->sink.ctx, text.bytes, text.length);
    if (!lines->status)
        lines->status = lines->sink.write(lines->sink.ctx, "\n", 1);
    lines->line.length = 0;
}

void answer_hand_on(struct answer_lines *lines) {
    struct loupe_span text = visible_text(&lines->line);
    if (!lines->status && text.length)
        lines->status = lines->sink.write(lines->sink.ctx, text.bytes, text.length);
    lines->line.length = 0;
}

static void paint(struct answer_lines *lines, const char *code) {
    if (lines->look.color)
        visible_add(&lines->line, code);
}

void answer_paint_name(struct answer_lines *lines) {
    paint(lines, "\x1b[1m");
}

void answer_paint_cut(struct answer_lines *lines) {
    paint(lines, "\x1b[1;31m");
}

void answer_paint_place(struct answer_lines *lines) {
    paint(lines, "\x1b[36m");
}

void answer_paint_faint(struct answer_lines *lines) {
    paint(lines, "\x1b[2m");
}

void answer_paint_good(struct answer_lines *lines) {
    paint(lines, "\x1b[32m");
}

void answer_paint_end(struct answer_lines *lines) {
    paint(lines, "\x1b[0m");
}

void answer_begin_whole(struct answer_lines *lines, void (*paint_it)(struct answer_lines *lines)) {
    paint_it(lines);
    lines->was_colored = lines->look.color;
    lines->look.color = false;
}

void answer_end_whole(struct answer_lines *lines) {
    lines->look.color = lines->was_colored;
    answer_paint_end(lines);
}

/* ---- Objects ---- */

static bool is_kind(const struct json_value *object, const char *kind) {
    return loupe_span_equals(json_text(object, "kind"), kind);
}

struct loupe_span answer_class(const struct answer *answer, struct loupe_span address) {
    return loupe_public_class_name(json_text(answer_object(answer, address), "class"));
}

/* "non-object (64 bytes)"; what a collection keeps for itself. */
static void say_memory(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span name = json_text(object, "class");
    if (name.length && name.bytes[0] != '(')
        answer_say_text(lines, name);
    else if (json_member(object, "size")->kind == JSON_NUMBER)
        answer_say(lines, "non-object (%llu bytes)", (unsigned long long)json_uint(object, "size"));
    else
        answer_say(lines, "non-object");
}

static void say_variable(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span variable = json_text(object, "variable");
    answer_say(lines, "__block variable%s", variable.length ? " " : "");
    answer_say_text(lines, variable);
}

static void say_class(struct answer_lines *lines, struct loupe_span address, const char *unknown) {
    struct loupe_span name = answer_class(lines->answer, address);
    answer_say_text(lines, name.length ? name : loupe_span_of(unknown));
}

void answer_say_thing(struct answer_lines *lines, struct loupe_span address) {
    const struct json_value *object = answer_object(lines->answer, address);
    if (!address.length) {
        answer_say(lines, "nothing");
        return;
    }
    if (is_kind(object, "block"))
        answer_say(lines, "block");
    else if (is_kind(object, "byref"))
        say_variable(lines, object);
    else if (is_kind(object, "raw"))
        say_memory(lines, object);
    else {
        answer_say(lines, "%s", is_kind(object, "class") ? "class " : "");
        say_class(lines, address, is_kind(object, "class") ? "?" : "object");
    }
    answer_say(lines, " ");
    paint(lines, "\x1b[0;2m");
    answer_say_text(lines, address);
    answer_paint_end(lines);
}

void answer_say_place(struct answer_lines *lines, const struct json_value *place) {
    struct loupe_span file = answer_file_name(place);
    uint64_t line = json_uint(place, "line");
    answer_say_text(lines, file);
    if (file.length && line)
        answer_say(lines, ":%llu", (unsigned long long)line);
}

/* "libfoo+0x1234, between -[A b] and -[A c]": of code that has no name. */
static void say_code_place(struct answer_lines *lines, const struct json_value *invoke) {
    const struct json_value *between = json_member(invoke, "between");
    answer_say_text(lines, json_text(invoke, "place"));
    const char *before = json_text(invoke, "place").length ? ", between " : "between ";
    JSON_EACH(name, between) {
        answer_say(lines, "%s", before);
        answer_say_text(lines, name->text);
        before = " and ";
    }
}

void answer_say_code(struct answer_lines *lines, const struct json_value *invoke) {
    struct loupe_span file = json_text(invoke, "file"), function = json_text(invoke, "function"),
                      symbol = json_text(invoke, "symbol");
    if (file.length || function.length) {
        answer_say(lines, "%s", file.length ? "at " : "");
        answer_say_place(lines, invoke);
        answer_say(lines, "%s%s", file.length && function.length ? " " : "",
                   function.length ? "in " : "");
        answer_say_text(lines, function);
    } else if (symbol.length) {
        answer_say(lines, "that runs ");
        answer_say_text(lines, symbol);
    } else if (json_text(invoke, "place").length || json_member(invoke, "between")->count) {
        answer_say(lines, "that runs ");
        say_code_place(lines, invoke);
    }
}

static void say_where_block_is(struct answer_lines *lines, struct loupe_span address) {
    size_t before = lines->line.length;
    char code[LONGEST_NAME];
    answer_say_code(lines, json_member(answer_object(lines->answer, address), "invoke"));
    if (lines->line.length == before && answer_code_of(lines->answer, address, code, sizeof(code)))
        answer_say_text(lines, loupe_span_of(code));
}

void answer_say_thing_in_full(struct answer_lines *lines, struct loupe_span address) {
    answer_paint_name(lines);
    answer_say_thing(lines, address);
    answer_paint_end(lines);
    size_t before = lines->line.length;
    struct loupe_span value = json_text(answer_object(lines->answer, address), "value");
    if (value.length) {
        answer_say(lines, " ");
        answer_say_text(lines, value);
    }
    if (!is_kind(answer_object(lines->answer, address), "block"))
        return;
    answer_say(lines, " ");
    answer_paint_place(lines);
    size_t painted = lines->line.length;
    say_where_block_is(lines, address);
    if (lines->line.length == painted)
        lines->line.length = before;
    else
        answer_paint_end(lines);
}

/* ---- References ---- */

void answer_say_path(struct answer_lines *lines, const struct json_value *edge) {
    struct loupe_span path = answer_path(edge);
    bool has_place = json_member(edge, "offset")->kind == JSON_NUMBER;
    if ((!path.length || path.bytes[0] == '+') && has_place)
        answer_say(lines, "+%llu", (unsigned long long)json_uint(edge, "offset"));
    else
        answer_say_text(lines, path.length ? path : loupe_span_of("?"));
}

void answer_say_kind_word(struct answer_lines *lines, struct loupe_span kind) {
    static const char *const words[][2] = {{"capture", "captured"},
                                           {"byref", "__block"},
                                           {"association", "associated"},
                                           {"user-info", "user info"},
                                           {"word", "pointer"}};
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (loupe_span_equals(kind, words[i][0]))
            kind = loupe_span_of(words[i][1]);
    }
    size_t from = lines->line.length;
    answer_say_text(lines, kind);
    for (; from < lines->line.length; from++) {
        if (lines->line.bytes[from] == '-')
            lines->line.bytes[from] = ' ';
    }
}

void answer_say_kind(struct answer_lines *lines, const struct json_value *edge) {
    static const char *const notable[] = {"assumed", "weak", "unretained"};
    const struct json_value *lambda = json_member(edge, "lambda");
    struct loupe_span kind = json_text(edge, "kind"), ownership = json_text(edge, "ownership");
    bool is_notable = false;
    for (size_t i = 0; i < sizeof(notable) / sizeof(*notable); i++)
        is_notable |= loupe_span_equals(ownership, notable[i]);
    if (lambda->kind == JSON_OBJECT) {
        answer_say(lines, "lambda at ");
        answer_say_place(lines, lambda);
    } else {
        answer_say_kind_word(lines, kind);
    }
    if (loupe_span_equals(kind, "word") || !is_notable)
        return;
    answer_say(lines, ", ");
    answer_say_text(lines, ownership);
    if (answer_is_set(json_member(edge, "doubt")))
        answer_say(lines, ", untouched by -dealloc");
}

/* ---- Lists of names ---- */

static int compare(struct loupe_span a, struct loupe_span b) {
    size_t length = a.length < b.length ? a.length : b.length;
    int order = length ? memcmp(a.bytes, b.bytes, length) : 0;
    return order ? order : a.length < b.length ? -1 : a.length > b.length;
}

void answer_add_name(struct answer_names *names, struct loupe_span name) {
    uint32_t at = 0;
    while (at < names->count && compare(names->items[at], name) < 0)
        at++;
    if (at < names->count && compare(names->items[at], name) == 0)
        return;
    names->has_more |= names->count == ANSWER_MOST_NAMES;
    if (names->count == ANSWER_MOST_NAMES)
        return;
    memmove(&names->items[at + 1], &names->items[at],
            (names->count - at) * sizeof(names->items[0]));
    names->items[at] = name;
    names->count++;
}

void answer_say_step(struct answer_lines *lines, const struct json_value *edge) {
    answer_say(lines, "      ");
    answer_say_path(lines, edge);
    answer_say(lines, " %s ", lines->glyphs->arrow);
    answer_say_thing_in_full(lines, json_text(edge, "to"));
    answer_end_line(lines);
}
