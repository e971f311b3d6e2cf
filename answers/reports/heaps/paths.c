/* The report of path: the ways on which roots keep objects alive. */
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"

enum { SHOWN_OF_RUN = 2 }; /* steps of a run that are said before the rest is folded */

/* A path: its objects and the edges between them, from the root's on. */
struct way {
    const struct json_value *path, **objects, **edges;
    uint32_t count;
};

static const struct json_value **items_of(struct loupe_arena *arena,
                                          const struct json_value *list) {
    const struct json_value **items =
        loupe_arena_alloc_array(arena, (size_t)list->count + 1, sizeof(*items));
    uint32_t count = 0;
    if (items) {
        JSON_EACH(item, list)
        items[count++] = item;
    }
    return items;
}

static enum loupe_status read_way(const struct answer *answer, const struct json_value *path,
                                  struct way *ret) {
    const struct json_value *objects = json_member(path, "objects"),
                            *edges = json_member(path, "edges");
    *ret = (struct way){.path = path,
                        .objects = items_of(answer->arena, objects),
                        .edges = items_of(answer->arena, edges)};
    bool has_each = objects->count && edges->count >= objects->count - 1;
    ret->count = has_each ? objects->count : 0;
    return ret->objects && ret->edges ? LOUPE_OK : LOUPE_ENOMEM;
}

/* ---- Runs of the same step ---- */

static bool have_same(const struct json_value *a, const struct json_value *b, const char *name) {
    return json_texts_equal(json_text(a, name), json_text(b, name));
}

static bool have_same_rule(const struct json_value *a, const struct json_value *b) {
    const struct json_value *x = json_member(a, "rule"), *y = json_member(b, "rule");
    return have_same(a, b, "reason") && have_same(x, y, "file") &&
           json_uint(x, "line") == json_uint(y, "line");
}

static bool are_same(const struct way *way, uint32_t a, uint32_t b) {
    const struct json_value *x = way->edges[a], *y = way->edges[b];
    return b + 1 < way->count && have_same(way->objects[a], way->objects[b], "class") &&
           have_same_rule(way->objects[a], way->objects[b]) && have_same_rule(x, y) &&
           have_same(x, y, "kind") && have_same(x, y, "declared_by") && have_same(x, y, "path");
}

/* How many steps from one on go along the same field of the same class. */
static uint32_t run_from(const struct way *way, uint32_t first) {
    uint32_t next = first + 1;
    while (next < way->count && are_same(way, first, next))
        next++;
    return next - first;
}

/* ---- Steps ---- */

void answer_say_rule(struct answer_lines *lines, const struct json_value *of) {
    const struct json_value *rule = json_member(of, "rule");
    struct loupe_span reason = json_text(of, "reason");
    answer_say(lines, "%s", reason.length ? ": " : "");
    answer_say_long_text(lines, reason);
    if (rule->kind != JSON_OBJECT)
        return;
    answer_say(lines, " (line %llu of ", (unsigned long long)json_uint(rule, "line"));
    answer_say_text(lines, json_text(rule, "file"));
    answer_say(lines, ")");
}

static bool is_expected(const struct json_value *object, const char *what) {
    return loupe_span_equals(json_text(object, "expected"), what);
}

/* Of those that are meant to be alive the last one: the others stand before it. */
static bool is_worth_saying(const struct way *way, uint32_t i) {
    if (!is_expected(way->objects[i], "alive"))
        return is_expected(way->objects[i], "leaking");
    for (uint32_t k = i + 1; k < way->count; k++) {
        if (is_expected(way->objects[k], "alive"))
            return false;
    }
    return true;
}

static void say_expectation(struct answer_lines *lines, const struct way *way, uint32_t i,
                            const char *margin) {
    const struct json_value *object = way->objects[i];
    struct loupe_span reason = json_text(object, "reason");
    if (!is_worth_saying(way, i))
        return;
    answer_say(lines, "%s", margin);
    if (is_expected(object, "leaking")) {
        answer_say(lines, "leaking");
        answer_say_rule(lines, object);
    } else {
        answer_say(lines, "meant to be alive%s", reason.length ? ": " : "");
        answer_say_long_text(lines, reason);
    }
    answer_end_line(lines);
}

static bool is_plain(struct loupe_span ownership) {
    static const char *const plain[] = {"strong", "class",      "loader",
                                        "domain", "superclass", "library"};
    for (size_t i = 0; i < sizeof(plain) / sizeof(*plain); i++) {
        if (loupe_span_equals(ownership, plain[i]))
            return true;
    }
    return !ownership.length;
}

/* Why a link is not as others: its kind, a rule, or that it is where to look. */
static void say_link_notes(struct answer_lines *lines, const struct way *way, uint32_t i) {
    const struct json_value *edge = way->edges[i];
    struct loupe_span reason = json_text(edge, "reason"), ownership = json_text(edge, "ownership");
    bool is_first = json_member(way->path, "first_suspect")->kind == JSON_NUMBER &&
                    json_uint(way->path, "first_suspect") == i;
    if (reason.length || json_has(edge, "rule")) {
        answer_say(lines, "  (known leak of a library: ");
        answer_say_long_text(lines, reason);
        answer_say(lines, ")");
    } else if (!is_plain(ownership)) {
        answer_say(lines, "  (");
        answer_say_text(lines, ownership);
        answer_say(lines, ")");
    }
    if (is_first)
        answer_say(lines, "  ◀── look here first");
    else if (json_is_true(edge, "suspect"))
        answer_say(lines, "  ◀── or here");
    answer_end_line(lines);
}

static void say_step(struct answer_lines *lines, const struct way *way, uint32_t i) {
    answer_say(lines, "  ├─ ");
    answer_say_heap_object(lines, way->objects[i], ANSWER_SHORT_VALUE);
    answer_end_line(lines);
    say_expectation(lines, way, i, "  │    ");
    answer_say(lines, "  │    ↓ ");
    answer_say_heap_link(lines, way->edges[i]);
    say_link_notes(lines, way, i);
}

static void say_end(struct answer_lines *lines, const struct way *way) {
    const struct json_value *object = way->objects[way->count - 1];
    answer_say(lines, "  ╰▶ ");
    answer_say_heap_object(lines, object, ANSWER_SHORT_VALUE);
    answer_end_line(lines);
    say_expectation(lines, way, way->count - 1, "       ");
    answer_say(lines, "       ");
    answer_say_bytes(lines, json_uint(object, "size"));
    if (json_has(object, "retained")) {
        answer_say(lines, ", retains ");
        answer_say_bytes(lines, json_uint(object, "retained"));
        answer_say(lines, " in ");
        answer_say_things(lines, json_uint(object, "retained_objects"),
                          json_uint(object, "retained_others"));
    }
    answer_end_line(lines);
    answer_say_allocated_by(lines, object, "       ");
}

static void say_root(struct answer_lines *lines, const struct json_value *root) {
    struct loupe_span reason = json_text(root, "reason");
    answer_say(lines, "  ┬ ");
    answer_say_heap_root(lines, root);
    answer_end_line(lines);
    if (!reason.length)
        return;
    answer_say(lines, "  │ known: ");
    answer_say_long_text(lines, reason);
    answer_end_line(lines);
}

enum loupe_status answer_say_way(struct answer_lines *lines, const struct json_value *path) {
    struct way way;
    enum loupe_status status = read_way(lines->answer, path, &way);
    if (status || !way.count)
        return status;
    say_root(lines, json_member(path, "root"));
    for (uint32_t i = 0; i + 1 < way.count;) {
        uint32_t run = run_from(&way, i);
        uint32_t shown = run > SHOWN_OF_RUN + 1 ? SHOWN_OF_RUN : run;
        for (uint32_t k = 0; k < shown; k++)
            say_step(lines, &way, i + k);
        if (shown < run) {
            answer_say(lines, "  ┊    … ");
            answer_say_number(lines, run - shown);
            answer_say(lines, " more of the same");
            answer_end_line(lines);
        }
        i += run;
    }
    say_end(lines, &way);
    return LOUPE_OK;
}

/* ---- All of it ---- */

static const char *text_of_level(const struct answer_lines *lines, struct loupe_span level) {
    if (loupe_span_equals(level, "late"))
        return ", " ANSWER_OVER_LATE;
    if (loupe_span_equals(level, "stack"))
        return answer_is_native(lines->answer) ? ", " ANSWER_FROM_STACK ", possibly stale"
                                               : ", " ANSWER_FROM_STACK;
    return "";
}

static void say_heading(struct answer_lines *lines, const struct json_value *path, uint32_t number,
                        uint64_t of) {
    uint64_t length = json_uint(path, "length"), alike = json_uint(path, "alike");
    if (number > 1)
        answer_end_line(lines);
    answer_say(lines, "Path ");
    answer_say_number(lines, number);
    answer_say(lines, " of ");
    answer_say_number(lines, of);
    if (alike > 1) {
        answer_say(lines, ", of ");
        answer_say_number(lines, alike);
        answer_say(lines, " objects");
    }
    answer_say(lines, ": ");
    if (length)
        answer_say_count(lines, length, "reference");
    else
        answer_say(lines, "a root points to it");
    answer_say(lines, "%s", text_of_level(lines, json_text(path, "level")));
    answer_end_line(lines);
}

/* Of a question about a class: how many it has, and how they are held. */
static void say_of_class(struct answer_lines *lines, uint32_t shown) {
    const struct json_value *root = lines->answer->root;
    uint64_t objects = json_uint(root, "objects"), ways = json_uint(root, "ways"),
             looked_at = json_uint(root, "compared");
    if (!objects)
        return;
    if (shown)
        answer_end_line(lines);
    answer_say_count(lines, objects, "object");
    answer_say(lines, " of such a class");
    if (ways > shown) {
        answer_say(lines, ", held in ");
        answer_say_number(lines, ways);
        answer_say(lines, " ways, the first ");
        answer_say_number(lines, shown);
        answer_say(lines, " shown: -n ");
        answer_say_number(lines, 2 * (uint64_t)shown);
        answer_say(lines, " shows more");
    }
    if (objects > looked_at + json_uint(root, "unreachable")) {
        answer_say(lines, "; the first ");
        answer_say_number(lines, looked_at);
        answer_say(lines, " were compared");
    }
    answer_end_line(lines);
}

static void say_no_class(struct answer_lines *lines, struct loupe_span pattern) {
    answer_say(lines, "No object of a class '");
    answer_say_text(lines, pattern);
    answer_say(lines, "' (a name is the whole name: '*");
    answer_say_text(lines, pattern);
    answer_say(lines, "' finds it in packages)");
    answer_end_line(lines);
}

static void say_unreachable(struct answer_lines *lines, uint64_t unreachable) {
    if (!unreachable)
        return;
    answer_say_number(lines, unreachable);
    answer_say(lines, " of them %s, or held by weak references only",
               answer_is_native(lines->answer) ? ANSWER_SEE_LEAKS : "garbage");
    answer_end_line(lines);
}

enum loupe_status answer_say_paths(struct answer_lines *lines, const struct answer_report *report) {
    const struct json_value *root = lines->answer->root, *paths = json_member(root, "paths");
    uint64_t unreachable = json_uint(root, "unreachable"), ways = json_uint(root, "ways"),
             found = ways ? ways : json_uint(root, "found");
    enum loupe_status status = LOUPE_OK;
    uint32_t number = 0;
    JSON_EACH(path, paths) {
        say_heading(lines, path, ++number, found);
        if (!status)
            status = answer_say_way(lines, path);
    }
    if (report->asked.length && json_has(root, "objects") && !json_uint(root, "objects"))
        say_no_class(lines, report->asked);
    say_of_class(lines, paths->count);
    say_unreachable(lines, unreachable);
    answer_say_recorder(lines);
    answer_say_heap_notes(lines, unreachable);
    return status;
}
