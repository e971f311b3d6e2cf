/* Objects, references and roots of whole heaps in words. */
#include "answers/parts/heap_text.h"

#include "answers/parts/stack_text.h"
#include "report/class_words.h"

#include <string.h>

bool answer_is_native(const struct answer *answer) {
    struct loupe_span source = json_text(json_member(answer->root, "snapshot"), "source");
    return !loupe_span_equals(source, "hprof");
}

const char *answer_word_of_unreached(const struct answer_lines *lines) {
    return answer_is_native(lines->answer) ? "unreachable" : "garbage";
}

void answer_say_rest(struct answer_lines *lines, uint64_t found, uint64_t shown, const char *what) {
    if (found <= shown)
        return;
    answer_end_line(lines);
    answer_say_number(lines, found - shown);
    answer_say(lines, " %s (--limit 0 shows all)", what);
    answer_end_line(lines);
}

/* ---- Texts of any length ---- */

/* So many bytes, and not a part of a character. */
static struct loupe_span cut(struct loupe_span text, size_t most) {
    size_t length = text.length < most ? text.length : most;
    while (length < text.length && length && ((unsigned char)text.bytes[length] & 0xc0) == 0x80)
        length--;
    return (struct loupe_span){text.bytes, length};
}

/* A part without an end of a line or a tab; where it begins with one, that is said. */
static struct loupe_span take_part(struct answer_lines *lines, struct loupe_span text) {
    enum { MOST = 512 }; /* escaped, it has room on a line that was handed on */
    struct loupe_span part = {text.bytes, 0};
    if (text.bytes[0] == '\n' || text.bytes[0] == '\t') {
        answer_say(lines, "%s", text.bytes[0] == '\n' ? "\\n" : "\\t");
        return (struct loupe_span){text.bytes, 1};
    }
    while (part.length < text.length && text.bytes[part.length] != '\n' &&
           text.bytes[part.length] != '\t')
        part.length++;
    part = part.length > MOST ? cut(part, MOST) : part;
    part.length += !part.length; /* bytes that are no characters */
    visible_add_text(&lines->line, part, part.length);
    return part;
}

void answer_say_long_text(struct answer_lines *lines, struct loupe_span text) {
    while (text.length) {
        struct loupe_span said = take_part(lines, text);
        text.bytes += said.length;
        text.length -= said.length;
        if (lines->line.length > VISIBLE_ROOM / 4 && text.length)
            answer_hand_on(lines);
    }
}

/* A text in quotes stays in quotes. */
static void say_value(struct answer_lines *lines, struct loupe_span value, size_t most) {
    enum { TAIL = sizeof("...\"") };
    bool is_quoted = value.length && value.bytes[0] == '"';
    if (!most || value.length <= most - TAIL + is_quoted) {
        answer_say_long_text(lines, value);
        return;
    }
    answer_say_long_text(lines, cut(value, most - TAIL));
    answer_say(lines, "...%s", is_quoted ? "\"" : "");
}

/* ---- Objects ---- */

static const char raw_memory[] = "(raw memory)";

static struct loupe_span behind(struct loupe_span text, const char *start) {
    size_t length = strlen(start);
    return (struct loupe_span){text.bytes + length, text.length - length};
}

/* Of a block: where it was written, else what it runs. */
static void say_writing(struct answer_lines *lines, struct loupe_span class_name,
                        const struct json_value *invoke) {
    size_t before = lines->line.length;
    answer_say(lines, " ");
    answer_say_code(lines, invoke);
    if (lines->line.length > before + 1)
        return;
    lines->line.length = before;
    if (!loupe_span_starts_with(class_name, "block "))
        return;
    answer_say(lines, " that runs ");
    answer_say_long_text(lines, behind(class_name, "block "));
}

static bool is_block(const struct json_value *object) {
    return loupe_span_equals(json_text(object, "kind"), "block") ||
           loupe_span_starts_with(json_text(object, "class"), "block ");
}

/* "GSMutableArray (NSMutableArray)": as it is in the heap, and as programs and reports of cycles
 * have it. */
static void say_both_names(struct answer_lines *lines, struct loupe_span name) {
    struct loupe_span public_name = loupe_public_class_name(name);
    answer_say_long_text(lines, name);
    if (json_texts_equal(name, public_name))
        return;
    answer_say(lines, " (");
    answer_say_long_text(lines, public_name);
    answer_say(lines, ")");
}

void answer_say_class_of_heap(struct answer_lines *lines, struct loupe_span name,
                              const struct json_value *invoke) {
    if (loupe_span_starts_with(name, "block ")) {
        answer_say(lines, "block");
        say_writing(lines, name, invoke);
    } else if (loupe_span_equals(name, raw_memory)) {
        answer_say(lines, "non-object");
    } else {
        say_both_names(lines, name);
    }
}

void answer_say_class_of(struct answer_lines *lines, const struct json_value *of) {
    answer_say_class_of_heap(lines, json_text(of, "class"), json_member(of, "invoke"));
}

static void say_address(struct answer_lines *lines, const struct json_value *object) {
    answer_say(lines, " ");
    answer_say_text(lines, json_text(object, "address"));
}

static void say_native_object(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span name = json_text(object, "class"), is_class = json_text(object, "is_class");
    if (is_block(object)) {
        answer_say(lines, "block");
        say_address(lines, object);
        say_writing(lines, name, json_member(object, "invoke"));
        return;
    }
    if (loupe_span_equals(name, raw_memory)) {
        answer_say_memory_name(lines, object);
        answer_say(lines, " (");
        answer_say_bytes(lines, json_uint(object, "size"));
        answer_say(lines, ")");
        say_address(lines, object);
        return;
    }
    answer_say(lines, "%s", is_class.length ? "class " : "");
    answer_say_long_text(lines, loupe_public_class_name(is_class.length ? is_class : name));
    say_address(lines, object);
    if (loupe_span_equals(json_text(object, "kind"), "raw")) {
        answer_say(lines, ", ");
        answer_say_bytes(lines, json_uint(object, "size"));
    }
}

static void say_java_object(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span is_class = json_text(object, "is_class");
    answer_say(lines, "%s", is_class.length ? "class " : "");
    answer_say_long_text(lines, is_class.length ? is_class : json_text(object, "class"));
    say_address(lines, object);
}

static void say_thread_name(struct answer_lines *lines, struct loupe_span name) {
    answer_say(lines, " \"");
    answer_say_long_text(lines, name);
    answer_say(lines, "\"");
}

/* A number, a date or a text whose word is no address, and addresses where no object is. */
static bool say_stranger(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span name = json_text(object, "class");
    if (json_has(object, "size") || json_text(object, "is_class").length)
        return false;
    answer_say_long_text(lines, name.length ? name : json_text(object, "address"));
    answer_say(lines, "%s", name.length ? " " : " (not an object of this heap)");
    answer_say_long_text(lines, json_text(object, "value"));
    return true;
}

void answer_say_heap_object(struct answer_lines *lines, const struct json_value *object,
                            size_t most) {
    struct loupe_span value = json_text(object, "value"), heap = json_text(object, "heap");
    bool is_native = answer_is_native(lines->answer);
    if (object->kind != JSON_OBJECT) {
        answer_say(lines, "%s", is_native ? "nil" : "null");
        return;
    }
    if (say_stranger(lines, object))
        return;
    if (is_native)
        say_native_object(lines, object);
    else
        say_java_object(lines, object);
    if (json_has(object, "thread")) {
        say_thread_name(lines, json_text(object, "thread"));
    } else if (value.length) {
        answer_say(lines, " ");
        say_value(lines, value, most);
    }
    answer_say(lines, "%s", heap.length ? " in " : "");
    answer_say_long_text(lines, heap);
}

void answer_say_allocated_by(struct answer_lines *lines, const struct json_value *object,
                             const char *margin) {
    const struct json_value *frames = answer_stack(lines->answer, json_member(object, "allocated"));
    /* The name of memory may have said it. */
    if (!json_has(object, "allocated") || json_has(json_member(object, "part_of"), "frame"))
        return;
    answer_say(lines, "%sallocated ", margin);
    if (frames->count)
        answer_say_frame(lines, answer_guilty_frame(frames));
    else
        answer_say(lines, "not recorded");
    answer_end_line(lines);
}

/* ---- References ---- */

static bool is_one(struct loupe_span text, const char *of) {
    return loupe_span_equals(text, of);
}

/* "+16" of "+0x10": people count bytes as debuggers' tables do. */
void answer_say_native_path(struct answer_lines *lines, const struct json_value *edge) {
    struct loupe_span path = json_text(edge, "path");
    uint64_t offset = loupe_span_starts_with(path, "+0x") ? answer_address(behind(path, "+")) : 0;
    if (!path.length && json_has(edge, "offset"))
        answer_say(lines, "+%llu", (unsigned long long)json_uint(edge, "offset"));
    else if (offset || is_one(path, "+0x0"))
        answer_say(lines, "+%llu", (unsigned long long)offset);
    else if (path.length)
        answer_say_long_text(lines, path);
    else
        answer_say(lines, "?");
}

static void say_native_link(struct answer_lines *lines, const struct json_value *edge) {
    struct loupe_span declared_by = json_text(edge, "declared_by"),
                      reference = json_text(edge, "reference");
    answer_say_long_text(lines, declared_by);
    answer_say(lines, "%s", declared_by.length ? "." : "");
    size_t start = lines->line.length;
    answer_say_native_path(lines, edge);
    struct loupe_span path = {lines->line.bytes + start, lines->line.length - start};
    size_t end = lines->line.length;
    if (!reference.length || is_one(reference, "ivar"))
        return;
    answer_say(lines, " (");
    size_t word = lines->line.length;
    answer_say_kind_word(lines, reference);
    struct loupe_span said = {lines->line.bytes + word, lines->line.length - word};
    answer_say(lines, ")");
    if (json_texts_equal(path, said))
        lines->line.length = end;
}

/* "[1,234]" */
static void say_element(struct answer_lines *lines, struct loupe_span path) {
    uint64_t index = 0;
    size_t at = path.length && path.bytes[0] == '[';
    for (; at < path.length && path.bytes[at] >= '0' && path.bytes[at] <= '9'; at++)
        index = 10 * index + (uint64_t)(path.bytes[at] - '0');
    answer_say(lines, "[");
    answer_say_number(lines, index);
    answer_say(lines, "]");
}

static void say_java_link(struct answer_lines *lines, const struct json_value *edge) {
    struct loupe_span kind = json_text(edge, "kind"), path = json_text(edge, "path");
    if (is_one(kind, "field") || is_one(kind, "static")) {
        answer_say_long_text(lines, json_text(edge, "declared_by"));
        answer_say(lines, ".");
        answer_say_long_text(lines, path);
        answer_say(lines, "%s", is_one(kind, "static") ? " (static)" : "");
    } else if (is_one(kind, "element")) {
        say_element(lines, path);
    } else if (is_one(kind, "constant")) {
        answer_say(lines, "constant ");
        answer_say_text(lines, path);
        answer_say(lines, " of the class");
    } else if (is_one(kind, "special")) {
        answer_say(lines, "its ");
        answer_say_text(lines, path);
    } else {
        answer_say(lines, "a reference whose name is not known");
    }
}

void answer_say_heap_link(struct answer_lines *lines, const struct json_value *edge) {
    if (answer_is_native(lines->answer))
        say_native_link(lines, edge);
    else
        say_java_link(lines, edge);
}

/* ---- Roots ---- */

void answer_say_java_frame(struct answer_lines *lines, const struct json_value *frame) {
    struct loupe_span source = json_text(frame, "source");
    answer_say_long_text(lines, json_text(frame, "class"));
    answer_say(lines, ".");
    answer_say_long_text(lines, json_text(frame, "method"));
    answer_say(lines, "(");
    answer_say_long_text(lines, source.length ? source : loupe_span_of("unknown source"));
    if (json_uint(frame, "line"))
        answer_say(lines, ":%llu", (unsigned long long)json_uint(frame, "line"));
    answer_say(lines, ")");
}

static struct loupe_span file_name(struct loupe_span path) {
    size_t start = path.length;
    while (start && path.bytes[start - 1] != '/')
        start--;
    return (struct loupe_span){path.bytes + start, path.length - start};
}

void answer_say_native_frame(struct answer_lines *lines, const struct json_value *frame) {
    struct loupe_span method = json_text(frame, "method"), source = json_text(frame, "source");
    answer_say_long_text(lines, method.length ? method : loupe_span_of("unknown code"));
    if (!source.length)
        return;
    answer_say(lines, " (");
    answer_say_long_text(lines, file_name(source));
    answer_say(lines, ":%llu)", (unsigned long long)json_uint(frame, "line"));
}

/* The key of the number of a root's thread: a debugger's, or the system's, which has another name
 * where an answer is about one object (ROOT of docs/protocol.md). */
static const char *thread_key(const struct json_value *root) {
    return json_has(root, "thread_number")                    ? "thread_number"
           : json_member(root, "thread")->kind == JSON_NUMBER ? "thread"
                                                              : "thread_id";
}

/* " of thread 2 "importer" in -[Importer run]". */
static void say_of_thread(struct answer_lines *lines, const struct json_value *root) {
    const char *key = thread_key(root);
    struct loupe_span thread = json_text(root, "thread"),
                      method = json_text(json_member(root, "frame"), "method");
    if (json_has(root, key))
        answer_say(lines, " of thread %llu", (unsigned long long)json_uint(root, key));
    if (thread.length)
        say_thread_name(lines, thread);
    answer_say(lines, "%s", method.length ? " in " : "");
    answer_say_long_text(lines, method);
}

/* A question about one object has names of its own for some kinds. */
static void say_kind_of_root(struct answer_lines *lines, struct loupe_span kind) {
    static const char *const words[][2] = {{"data", "global"},
                                           {"thread-local", "thread-local data"},
                                           {"autorelease-pool", "autorelease pool"},
                                           {"class", "system class"},
                                           {"memory", "other memory"}};
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
        if (is_one(kind, words[i][0])) {
            answer_say(lines, "%s", words[i][1]);
            return;
        }
    }
    answer_say_text(lines, kind);
}

/* "global in libfoo.so", "register rbx of thread 1", "stack of thread 1", "value of timer 0 (kept
 * by the kernel)". */
static void say_root_place(struct answer_lines *lines, const struct json_value *root) {
    struct loupe_span kind = json_text(root, "kind"), where = json_text(root, "where"),
                      image = json_text(root, "image");
    if (where.length) {
        answer_say_text(lines, where);
    } else if (json_has(root, "register")) {
        answer_say(lines, "register ");
        answer_say_text(lines, json_text(root, "register"));
        say_of_thread(lines, root);
    } else if (json_has(root, "holder")) {
        answer_say_text(lines, json_text(root, "holder"));
        answer_say(lines, " (kept by the kernel)");
    } else if (image.length) {
        say_kind_of_root(lines, kind);
        answer_say(lines, " in ");
        answer_say_text(lines, file_name(image));
    } else {
        say_kind_of_root(lines, kind);
        say_of_thread(lines, root);
    }
}

/* Without a name its place is all that is known. */
static void say_root_at(struct answer_lines *lines, const struct json_value *root,
                        struct loupe_span name, struct loupe_span slot) {
    if (name.length) {
        answer_say_text(lines, name);
        answer_say(lines, " (");
    }
    say_root_place(lines, root);
    if (!name.length && slot.length) {
        answer_say(lines, " (");
        answer_say_text(lines, slot);
    }
    answer_say(lines, "%s", name.length || slot.length ? ")" : "");
}

void answer_say_native_root(struct answer_lines *lines, const struct json_value *root) {
    say_root_at(lines, root, json_text(root, "name"), json_text(root, "slot"));
}

void answer_say_named_root(struct answer_lines *lines, const struct json_value *root,
                           struct loupe_span name) {
    say_root_at(lines, root, name, json_text(root, "slot"));
}

void answer_say_heap_root(struct answer_lines *lines, const struct json_value *root) {
    struct loupe_span thread = json_text(root, "thread");
    if (answer_is_native(lines->answer)) {
        answer_say_native_root(lines, root);
        return;
    }
    answer_say_text(lines, json_text(root, "kind"));
    if (thread.length) {
        answer_say(lines, " of thread");
        say_thread_name(lines, thread);
    }
    if (json_member(root, "frame")->kind == JSON_OBJECT) {
        answer_say(lines, " in ");
        answer_say_java_frame(lines, json_member(root, "frame"));
    }
}

/* ---- Memory without a class, by who points to it ---- */

static bool has_name(const struct json_value *edge) {
    struct loupe_span path = json_text(edge, "path");
    return path.length && path.bytes[0] != '+';
}

static void say_owner(struct answer_lines *lines, const struct json_value *object) {
    struct loupe_span is_class = json_text(object, "is_class");
    if (is_block(object))
        answer_say(lines, "block");
    else
        answer_say_long_text(lines, loupe_public_class_name(
                                        is_class.length ? is_class : json_text(object, "class")));
}

void answer_say_part_of(struct answer_lines *lines, const struct json_value *part_of) {
    const struct json_value *root = json_member(part_of, "root"),
                            *edge = json_member(part_of, "edge"),
                            *object = json_member(part_of, "object"),
                            *frame = json_member(part_of, "frame");
    if (frame->kind == JSON_OBJECT) {
        answer_say(lines, "memory allocated ");
        answer_say_frame(lines, frame);
    } else if (root->kind == JSON_OBJECT) {
        struct loupe_span kind = json_text(root, "kind");
        bool is_unnamed = !json_text(root, "name").length;
        answer_say(lines, "memory of %s",
                   is_unnamed && is_one(kind, "global")  ? "a "
                   : is_unnamed && is_one(kind, "stack") ? "the "
                                                         : "");
        say_root_at(lines, root, json_text(root, "name"), (struct loupe_span){"", 0});
    } else if (has_name(edge)) {
        answer_say(lines, "buffer of ");
        answer_say_native_path(lines, edge);
        answer_say(lines, " in ");
        say_owner(lines, object);
    } else {
        answer_say(lines, "memory of ");
        say_owner(lines, object);
        say_address(lines, object);
    }
}

void answer_say_memory_name(struct answer_lines *lines, const struct json_value *object) {
    const struct json_value *part_of = json_member(object, "part_of");
    if (part_of->kind == JSON_OBJECT)
        answer_say_part_of(lines, part_of);
    else
        answer_say(lines, "non-object");
}

/* "buffer of _bytes in Frame (48 bytes)". */
static void say_sized_memory(struct answer_lines *lines, const struct json_value *object) {
    answer_say_memory_name(lines, object);
    answer_say(lines, " (");
    answer_say_bytes(lines, json_uint(object, "size"));
    answer_say(lines, ")");
}

void answer_say_thing_or_memory(struct answer_lines *lines, struct loupe_span address) {
    const struct json_value *object = answer_object(lines->answer, address);
    if (!json_has(object, "part_of")) {
        answer_say_thing_in_full(lines, address);
        return;
    }
    answer_paint_name(lines);
    say_sized_memory(lines, object);
    answer_say(lines, " ");
    answer_say_text(lines, address);
    answer_paint_end(lines);
}

/* What is said of a part of an answer, without a line's end. */
static size_t text_of(const struct answer *answer, const struct json_value *part,
                      void (*say)(struct answer_lines *, const struct json_value *), char *dst,
                      size_t cap) {
    struct answer_look look = {.host = ANSWER_IN_TERMINAL, .unicode = true};
    struct answer_lines lines;
    answer_lines_init(&lines, answer, &look, (struct loupe_sink){.write = NULL});
    say(&lines, part);
    return loupe_format(dst, cap, "%.*s", (int)lines.line.length, lines.line.bytes);
}

size_t answer_memory_name(const struct answer *answer, const struct json_value *object, char *dst,
                          size_t cap) {
    return text_of(answer, object, answer_say_memory_name, dst, cap);
}

size_t answer_root_name(const struct answer *answer, const struct json_value *root, char *dst,
                        size_t cap) {
    return text_of(answer, root, answer_say_native_root, dst, cap);
}

void answer_say_things(struct answer_lines *lines, uint64_t things, uint64_t others) {
    uint64_t objects = things > others ? things - others : 0;
    if (objects || !others)
        answer_say_count(lines, objects, "object");
    if (!others)
        return;
    answer_say(lines, "%s", objects ? ", " : "");
    answer_say_count(lines, others, objects ? "other allocation" : "allocation");
}

size_t answer_things(uint64_t things, uint64_t others, char *dst, size_t cap) {
    struct answer_look look = {.host = ANSWER_IN_TERMINAL, .unicode = true};
    struct answer_lines lines;
    answer_lines_init(&lines, NULL, &look, (struct loupe_sink){.write = NULL});
    answer_say_things(&lines, things, others);
    return loupe_format(dst, cap, "%.*s", (int)lines.line.length, lines.line.bytes);
}

/* ---- Notes ---- */

/* Onto the line: " (3, the first is 0x1f00)". */
static void say_how_many(struct answer_lines *lines, const struct json_value *item) {
    struct loupe_span example = json_text(item, "example");
    uint64_t count = json_uint(item, "count");
    bool is_offset = json_is_true(item, "is_offset");
    if (is_one(example, "0x0"))
        example.length = 0;
    if (count < 2 && !example.length)
        return;
    answer_say(lines, " (");
    if (count > 1)
        answer_say_number(lines, count);
    if (example.length)
        answer_say(lines, "%s%s ", count > 1 ? ", the first " : "",
                   is_offset   ? "at byte"
                   : count > 1 ? "is"
                               : "at");
    answer_say_text(lines, example);
    answer_say(lines, ")");
}

static void say_pause(struct answer_lines *lines) {
    const struct json_value *snapshot = json_member(lines->answer->root, "snapshot");
    uint64_t hundredths = (json_uint(snapshot, "paused_ms") + 5) / 10;
    if (!json_has(snapshot, "paused_ms"))
        return;
    answer_say(lines, "note: the process stood still for %llu.%u%u s",
               (unsigned long long)(hundredths / 100), (unsigned)(hundredths / 10 % 10),
               (unsigned)(hundredths % 10));
    answer_end_line(lines);
}

void answer_say_heap_notes(struct answer_lines *lines, bool says_lost) {
    say_pause(lines);
    JSON_EACH(item, json_member(lines->answer->root, "not_followed")) {
        bool is_lost = json_is_true(item, "lost");
        struct loupe_span code = json_text(item, "code");
        if (!says_lost && !is_lost && is_one(code, "kernel"))
            continue;
        answer_say(lines, is_lost ? "incomplete: " : "note: ");
        answer_say_text(lines, json_text(item, "reason"));
        if (is_one(code, "ended"))
            answer_say(lines, ", before it had an answer");
        else
            say_how_many(lines, item);
        answer_end_line(lines);
    }
}
