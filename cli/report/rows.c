#define _DEFAULT_SOURCE /* gmtime_r */

#include "report/rows.h"

#include "answers/answer.h"

#include <string.h>
#include <time.h>

enum { SCHEMA = 1, LONGEST_PATH = 2000 };

/* ---- What all rows have ---- */

bool row_is_tag(const char *text) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strspn(text, allowed);
    return length && text[length] == '=';
}

/* The value of a tag; without one what the heap itself says. */
static struct loupe_span tag_named(const struct row_source *source, const char *name,
                                   struct loupe_span otherwise) {
    size_t length = strlen(name);
    for (unsigned i = 0; i < source->tag_count; i++) {
        if (strncmp(source->tags[i], name, length) == 0 && source->tags[i][length] == '=')
            return loupe_span_of(source->tags[i] + length + 1);
    }
    return otherwise;
}

static void put_tags(struct loupe_json *json, const struct row_source *source) {
    loupe_json_key(json, "tags");
    loupe_json_begin_object(json);
    for (unsigned i = 0; i < source->tag_count; i++) {
        char key[120];
        size_t length = strcspn(source->tags[i], "=");
        loupe_format(key, sizeof(key), "%.*s", (int)length, source->tags[i]);
        loupe_json_put_string(json, key, source->tags[i] + length + 1);
    }
    loupe_json_end_object(json);
}

static void put_time(struct loupe_json *json, const char *key, int64_t milliseconds) {
    char text[40];
    struct tm parts;
    time_t seconds = (time_t)(milliseconds / 1000);
    bool is_known = milliseconds >= 0 && gmtime_r(&seconds, &parts);
    size_t length = is_known ? strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts) : 0;
    loupe_json_put_text(json, key, (struct loupe_span){text, length});
}

static void begin_row(struct row_source *source, struct loupe_json *json, const char *row) {
    static const struct heap_identity unknown;
    const struct heap_identity *identity = source->identity ? source->identity : &unknown;
    char heap[24];
    loupe_json_init(json, source->sink);
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "schema", SCHEMA);
    loupe_json_put_string(json, "row", row);
    loupe_format(heap, sizeof(heap), "%llx", (unsigned long long)source->heap);
    loupe_json_put_string(json, "heap", source->heap ? heap : NULL);
    loupe_json_put_uint(json, "input", source->input);
    put_time(json, "time", source->time);
    loupe_json_put_text(json, "app", tag_named(source, "app", identity->app));
    loupe_json_put_text(json, "version", tag_named(source, "version", identity->version));
    loupe_json_put_text(json, "build", tag_named(source, "build", (struct loupe_span){NULL, 0}));
    put_tags(json, source);
    loupe_json_put_string(json, "loupe", LOUPE_VERSION);
    if (source->with_values)
        loupe_json_put_string(json, "file", source->file);
}

static void end_row(struct row_source *source, struct loupe_json *json) {
    loupe_json_end_object(json);
    enum loupe_status status = loupe_json_finish(json);
    if (!status)
        status = source->sink.write(source->sink.ctx, "\n", 1);
    source->status = source->status ? source->status : status;
}

/* A number of the answer, or null where it has none. */
static void put_number(struct loupe_json *json, const char *key, const struct json_value *value,
                       const char *name) {
    loupe_json_key(json, key);
    if (json_member(value, name)->kind == JSON_NUMBER)
        loupe_json_uint(json, json_uint(value, name));
    else
        loupe_json_null(json);
}

/* ---- Paths ---- */

struct path {
    char bytes[LONGEST_PATH];
    size_t length;
    bool is_cut;
};

static void add(struct path *path, struct loupe_span text) {
    size_t room = sizeof(path->bytes) - path->length;
    size_t length = text.length < room ? text.length : room;
    memcpy(path->bytes + path->length, text.bytes, length);
    path->length += length;
    path->is_cut |= length < text.length;
}

static void add_string(struct path *path, const char *text) {
    add(path, loupe_span_of(text));
}

/* Text without what is a value of the program or differs from run to run: what stands in brackets
 * or quotes, and addresses. */
static void add_plain(struct path *path, struct loupe_span text, bool with_values) {
    static const char address[] = "0x";
    size_t from = 0, at = 0;
    for (; at < text.length && !with_values; at++) {
        struct loupe_span left = {text.bytes + at, text.length - at};
        char c = text.bytes[at], end = c == '[' ? ']' : c == '"' ? '"' : '\0';
        bool is_address = loupe_span_starts_with(left, address);
        if (!end && !is_address)
            continue;
        add(path, (struct loupe_span){text.bytes + from, at - from});
        add_string(path, is_address ? "0x*" : c == '[' ? "[*]" : "*");
        for (at += is_address ? 2 : 1;
             at < text.length &&
             (is_address ? strchr("0123456789abcdef", text.bytes[at]) && text.bytes[at]
                         : text.bytes[at] != end);)
            at++;
        from = at + !is_address < text.length ? at + !is_address : text.length;
        at = from - 1;
    }
    add(path, (struct loupe_span){text.bytes + from, text.length - from});
}

/* "Screen"; of a class object the class that it is, as its statics are called. */
static struct loupe_span name_of(const struct json_value *object) {
    struct loupe_span is_class = json_text(object, "is_class");
    return is_class.length ? is_class : json_text(object, "class");
}

static struct loupe_span class_at(const struct json_value *objects, struct loupe_span address) {
    char key[24];
    if (objects->kind == JSON_OBJECT && address.length < sizeof(key)) {
        loupe_format(key, sizeof(key), "%.*s", (int)address.length, address.bytes);
        return name_of(json_member(objects, key));
    }
    JSON_EACH(object, objects) {
        if (json_texts_equal(json_text(object, "address"), address))
            return name_of(object);
    }
    return (struct loupe_span){NULL, 0};
}

/* "Screen._timer -> NSTimer.target -> Screen" */
static void add_edges(struct path *path, const struct json_value *edges,
                      const struct json_value *objects, bool with_values) {
    JSON_EACH(edge, edges) {
        struct loupe_span from = class_at(objects, json_text(edge, "from"));
        struct loupe_span name = answer_path(edge);
        add(path, from.length ? from : loupe_span_of("?"));
        if (name.length && name.bytes[0] != '[' && name.bytes[0] != '+')
            add_string(path, ".");
        add_plain(path, name, with_values);
        add_string(path, " -> ");
        if (!edge->next)
            add(path, class_at(objects, json_text(edge, "to")));
    }
}

static void put_path(struct loupe_json *json, const struct path *path) {
    loupe_json_put_text(json, "path", (struct loupe_span){path->bytes, path->length});
    if (path->is_cut)
        loupe_json_put_bool(json, "path_cut", true);
}

/* ---- Findings ---- */

struct finding {
    const char *kind;
    struct loupe_span degree, fingerprint, class_name, culprit, advice;
    uint64_t count, bytes;
    struct path path;
};

/* A text that may have a value in it, as Registry.sessions["4f1c"]. */
static void put_plain(struct loupe_json *json, const char *key, struct loupe_span text,
                      bool with_values) {
    struct path shown = {.length = 0};
    add_plain(&shown, text, with_values);
    loupe_json_put_text(json, key, (struct loupe_span){shown.bytes, shown.length});
}

static void put_finding(struct row_source *source, const struct finding *finding) {
    struct loupe_json json;
    begin_row(source, &json, "finding");
    loupe_json_put_string(&json, "kind", finding->kind);
    loupe_json_put_text(&json, "degree", finding->degree);
    loupe_json_put_text(&json, "fingerprint", finding->fingerprint);
    loupe_json_put_text(&json, "class", finding->class_name);
    put_plain(&json, "culprit", finding->culprit, source->with_values);
    loupe_json_put_uint(&json, "count", finding->count);
    loupe_json_put_uint(&json, "bytes", finding->bytes);
    put_path(&json, &finding->path);
    put_plain(&json, "advice", finding->advice, source->with_values);
    end_row(source, &json);
    source->mistakes += strcmp(finding->kind, "owner") != 0;
}

/* The first change, as every output words it. */
static struct loupe_span advice_of(const struct row_source *source, const struct answer *said,
                                   const struct json_value *knot) {
    char text[ANSWER_LONGEST_FIX];
    const struct json_value *fix = json_member(knot, "fixes")->first;
    if (!fix)
        return (struct loupe_span){NULL, 0};
    size_t length = answer_fix_text(said, fix, text, sizeof(text));
    char *copy = loupe_arena_copy_string(source->arena, (struct loupe_span){text, length});
    return (struct loupe_span){copy, copy ? length : 0};
}

static void row_of_leak(struct row_source *source, const struct answer *said,
                        const struct json_value *leak) {
    const struct json_value *knot = json_member(leak, "knot"), *ring = json_member(leak, "ring");
    const struct json_value *first = json_member(knot, "rings")->first;
    bool is_cycle = loupe_span_equals(json_text(leak, "kind"), "cycle");
    struct finding finding = {.kind = is_cycle ? "cycle" : "leak",
                              .degree = json_text(leak, "degree"),
                              .fingerprint = json_text(leak, "fingerprint"),
                              .class_name = json_text(leak, "class"),
                              .count = json_uint(leak, "count"),
                              .bytes = json_uint(leak, "bytes"),
                              .advice = advice_of(source, said, knot)};
    add_edges(&finding.path, json_member(first ? first : ring, "edges"),
              json_member(said->root, "objects"), source->with_values);
    put_finding(source, &finding);
}

void rows_of_leaks(struct row_source *source, const struct json_value *answer) {
    struct answer said;
    if (answer_open(&said, answer, source->arena)) {
        source->status = LOUPE_ENOMEM;
        return;
    }
    JSON_EACH(leak, json_member(answer, "leaks")) {
        row_of_leak(source, &said, leak);
    }
    answer_close(&said);
    JSON_EACH(misfit, json_member(answer, "miscounted")) {
        struct finding finding = {.kind = "misfit",
                                  .degree = json_text(misfit, "verdict"),
                                  .class_name = json_text(misfit, "class"),
                                  .advice = json_text(misfit, "verdict_reason"),
                                  .count = json_uint(misfit, "count")};
        put_finding(source, &finding);
    }
}

/* Who keeps it; a thread is called by the kind of root that it is, its name is the program's. */
static struct loupe_span culprit_of(const struct row_source *source,
                                    const struct json_value *suspect) {
    const struct json_value *root = json_member(json_member(suspect, "path"), "root");
    struct loupe_span culprit = json_text(suspect, "culprit");
    bool is_of_thread =
        json_member(root, "thread")->kind != JSON_NULL || json_uint(root, "thread_id");
    return is_of_thread && !source->with_values ? json_text(root, "kind") : culprit;
}

void rows_of_suspects(struct row_source *source, const struct json_value *answer) {
    JSON_EACH(suspect, json_member(answer, "suspects")) {
        const struct json_value *path = json_member(suspect, "path");
        bool is_rule = loupe_span_equals(json_text(suspect, "kind"), "rule");
        struct finding finding = {.kind = is_rule ? "suspect" : "owner",
                                  .degree = loupe_span_of("held"),
                                  .fingerprint = json_text(suspect, "fingerprint"),
                                  .class_name = json_text(suspect, "class"),
                                  .culprit = culprit_of(source, suspect),
                                  .advice = json_text(suspect, "reason"),
                                  .count = json_uint(suspect, "count"),
                                  .bytes = json_uint(suspect, "retained")};
        const struct json_value *edges = json_member(path, "edges"),
                                *objects = json_member(path, "objects");
        add(&finding.path, json_text(json_member(path, "root"), "kind"));
        add_string(&finding.path, " -> ");
        add_edges(&finding.path, edges, objects, source->with_values);
        if (!edges->count && objects->first)
            add(&finding.path, name_of(objects->first));
        put_finding(source, &finding);
    }
}

/* ---- The heap ---- */

static void row_of_class(struct row_source *source, const struct json_value *class_row) {
    struct loupe_json json;
    begin_row(source, &json, "class");
    loupe_json_put_text(&json, "class", json_text(class_row, "class"));
    put_number(&json, "count", class_row, "count");
    put_number(&json, "bytes", class_row, "size");
    put_number(&json, "retained", class_row, "retained");
    end_row(source, &json);
}

static void put_identity(struct loupe_json *json, const struct heap_identity *identity) {
    loupe_json_put_string(json, "build_id",
                          identity && *identity->build_id ? identity->build_id : NULL);
    loupe_json_key(json, "system");
    loupe_json_begin_object(json);
    for (unsigned i = 0; identity && i < identity->count; i++)
        loupe_json_put_text(json, identity->items[i].name, identity->items[i].text);
    loupe_json_end_object(json);
}

void rows_of_heap(struct row_source *source, const struct json_value *answer,
                  const struct json_value *suspects, const char *format) {
    const struct json_value *heap = json_member(answer, "snapshot"),
                            *classes = json_member(answer, "classes");
    struct loupe_span runtime = json_text(answer, "abi");
    struct loupe_json json;
    uint32_t most = source->most_classes ? source->most_classes : UINT32_MAX, shown = 0;
    begin_row(source, &json, "heap");
    loupe_json_put_string(&json, "format", format);
    loupe_json_put_text(&json, "runtime", runtime.length ? runtime : loupe_span_of("java"));
    put_number(&json, "objects", heap, "objects");
    put_number(&json, "references", heap, "references");
    put_number(&json, "bytes", heap, "bytes");
    put_number(&json, "reachable_bytes", suspects, "alive");
    loupe_json_put_text(&json, "status", json_text(answer, "status"));
    put_identity(&json, source->identity);
    loupe_json_put_uint(&json, "classes_left_out",
                        classes->count > most ? classes->count - most : 0);
    end_row(source, &json);
    JSON_EACH(class_row, classes) {
        if (shown++ < most)
            row_of_class(source, class_row);
    }
}

/* ---- Threads ---- */

/* "com.example.Pool.take (Pool.java:17)", or what there is of it. */
static void add_frame(struct path *path, const struct json_value *frame) {
    struct loupe_span class_name = json_text(frame, "class"), source = json_text(frame, "source");
    uint64_t number = json_uint(frame, "line");
    char line[32];
    add(path, class_name);
    add_string(path, class_name.length ? "." : "");
    add_plain(path, json_text(frame, "method"), false);
    if (!source.length)
        return;
    add_string(path, " (");
    add(path, source);
    loupe_format(line, sizeof(line), number ? ":%llu)" : ")", (unsigned long long)number);
    add_string(path, line);
}

static void row_of_thread(struct row_source *source, const struct json_value *thread) {
    const struct json_value *frames = json_member(thread, "frames");
    struct loupe_span name = json_text(thread, "name");
    struct path top = {.length = 0};
    struct loupe_json json;
    if (frames->first)
        add_frame(&top, frames->first);
    begin_row(source, &json, "thread");
    loupe_json_put_text(&json, "name", source->with_values ? name : (struct loupe_span){NULL, 0});
    loupe_json_put_text(&json, "top", (struct loupe_span){top.bytes, top.length});
    loupe_json_put_uint(&json, "frames", frames->count);
    put_number(&json, "retained", thread, "retained");
    loupe_json_put_bool(&json, "out_of_memory", json_is_true(thread, "out_of_memory"));
    end_row(source, &json);
}

void rows_of_threads(struct row_source *source, const struct json_value *answer) {
    JSON_EACH(thread, json_member(answer, "threads")) {
        row_of_thread(source, thread);
    }
}

/* ---- What could not be read ---- */

void row_of_error(struct row_source *source, const char *code, struct loupe_span message) {
    struct loupe_json json;
    begin_row(source, &json, "error");
    loupe_json_put_string(&json, "code", code);
    loupe_json_put_text(&json, "message", message);
    end_row(source, &json);
}
