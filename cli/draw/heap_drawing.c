#define _DEFAULT_SOURCE /* readlink */

#include "draw/heap_drawing.h"

#include "answers/parts/heap_text.h"
#include "shared/amounts.h"
#include "shared/capture.h"
#include "shared/output.h"
#include "pictures/answer.h"
#include "pictures/heap_picture.h"
#include "snapshot/native.h"
#include "text/worded_names.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Findings that a picture is made of, where nobody says how many. */
enum { MOST_FINDINGS = 100 };

bool heap_wants_drawing(const struct heap_query *query) {
    bool is_whole = query->verb == &verb_heap; /* heap_draw_whole() */
    return !is_whole && (query->options.html || query->options.dot || query->options.format);
}

/* ---- One answer ---- */

static int fail_to_capture(const struct heap_query *query) {
    return cli_fail(CLI_FAILURE, query->verb->name, "out of memory");
}

static bool is_answer(const char *text, size_t length) {
    static const char error[] = "\"status\":\"error\"";
    struct loupe_span head = {text, length < 200 ? length : 200};
    return length && text[0] == '{' && !loupe_span_contains(head, error);
}

/* The program of a process, by its number; else the file that was asked about. */
static const char *program_of(const char *file, char *path, size_t room) {
    char link[64];
    if (!*file || file[strspn(file, "0123456789")])
        return file;
    loupe_format(link, sizeof(link), "/proc/%.20s/exe", file);
    ssize_t length = readlink(link, path, room - 1);
    if (length <= 0)
        return file;
    path[length] = '\0';
    return path;
}

static int draw_as(const struct heap_query *query, struct loupe_span text,
                   enum drawing_format format, const char *path) {
    char program[4096];
    struct drawing drawing = {.format = format,
                              .path = path,
                              .anchor = query->options.anchor,
                              .program = program_of(query->file, program, sizeof(program)),
                              .append = query->options.append && path == query->options.output,
                              .topic = query->verb->name};
    return draw_answer(text, &drawing);
}

/* NULL: "-" is stdout. */
static const char *file_of(const char *path) {
    return strcmp(path, "-") ? path : NULL;
}

static void say_written(const struct verb_values *options) {
    if (options->html && file_of(options->html))
        fprintf(stderr, "HTML page written to %s\n", cli_printable(loupe_span_of(options->html)));
    if (options->dot && file_of(options->dot))
        fprintf(stderr, "graph written to %s\n", cli_printable(loupe_span_of(options->dot)));
}

static int draw_all(const struct heap_query *query, struct loupe_span text) {
    const struct verb_values *options = &query->options;
    int status = CLI_OK;
    if (options->html)
        status = draw_as(query, text, DRAWING_HTML, file_of(options->html));
    if (!status && options->dot)
        status = draw_as(query, text, DRAWING_DOT, file_of(options->dot));
    if (!status && options->format)
        status = draw_as(query, text, drawing_format_named(options->format), options->output);
    if (!status)
        say_written(options);
    return status;
}

/* As the verb would answer a program, with more findings than a screen has room for. */
static struct heap_query as_json(const struct heap_query *query) {
    struct heap_query asked = *query;
    asked.options.json = true;
    asked.options.output = NULL;
    if (!asked.options.has_limit && query->verb != &verb_path) {
        asked.options.has_limit = true;
        asked.options.limit = MOST_FINDINGS;
    }
    return asked;
}

int heap_draw_answer(const struct heap_run *run, int (*answer)(struct heap_run *run)) {
    const struct heap_query *query = &run->query;
    struct heap_run asked = *run;
    asked.query = as_json(query);
    struct capture capture;
    size_t length = 0;
    const char *format = query->options.format;
    if (format && drawing_format_named(format) == DRAWING_FORMAT_COUNT)
        return cli_fail(
            CLI_NONSENSE, query->verb->name,
            "--format takes github, gitlab, markdown, sarif, junit, html or dot, not '%s'",
            cli_printable(loupe_span_of(format)));
    capture_begin(&capture, CAPTURED_ANSWERS);
    int status = answer(&asked);
    char *text = capture_end(&capture, &length);
    if (!text)
        return fail_to_capture(query);
    int drawn =
        is_answer(text, length) ? draw_all(query, (struct loupe_span){text, length}) : CLI_OK;
    if (query->options.json && !drawn)
        drawn = heap_begin_output(query);
    if (query->options.json && !drawn)
        fwrite(text, 1, length, cli_output());
    free(text);
    return drawn ? CLI_INCOMPLETE : status; /* 1 would say that there are findings */
}

/* ---- A whole snapshot ---- */

bool heap_is_drawing(const char *path) {
    enum drawing_format format = drawing_format_of_file(path);
    return format == DRAWING_HTML || format == DRAWING_DOT;
}

/* Adds the findings of another verb about the same snapshot. texts: what the picture points to. */
static int add_findings(const struct heap_query *query, const struct verb *verb,
                        struct picture *picture, char **text_ret) {
    struct heap_query other = *query, asked;
    struct capture capture;
    struct loupe_error err = {0};
    const struct json_value *tree;
    size_t length = 0;
    other.verb = verb;
    other.operand_count = 0;
    asked = as_json(&other);
    capture_begin(&capture, CAPTURED_ANSWERS);
    int status = verb->run(&asked);
    *text_ret = capture_end(&capture, &length);
    if (!*text_ret)
        return fail_to_capture(query);
    /* Of leaks the status says that there are some. */
    if (!is_answer(*text_ret, length))
        return status;
    enum loupe_status added =
        json_read((struct loupe_span){*text_ret, length}, picture->arena, &tree, &err);
    if (!added)
        added = picture_add_answer(picture, tree, &err);
    return added ? heap_fail(query, added, "the answer of %s cannot be drawn: %s", verb->name,
                             err.message)
                 : CLI_OK;
}

static size_t name_memory(void *ctx, uint32_t node, char *dst, size_t cap) {
    struct heap_question *question = ctx;
    return memory_name(&question->heap.tracer, node, dst, cap);
}

static int draw_heap(struct heap_question *question, struct picture *picture,
                     enum drawing_format format, const char *path) {
    const struct heap_query *query = question->query;
    heap_question_search_both(question);
    struct heap_picture_source source = {.snapshot = query->snapshot,
                                         .columns = &question->heap.tracer.columns,
                                         .policy = question->heap.tracer.policy,
                                         .dominators =
                                             loupe_heap_question_dominators(&question->heap),
                                         .shortest = loupe_heap_question_shortest(&question->heap),
                                         .chunks = &heap_chunks,
                                         .memory_name = name_memory,
                                         .ctx = question};
    struct heap_picture heap;
    struct drawing drawing = {.format = format, .path = path, .topic = query->verb->name};
    if (!source.dominators || !source.shortest || heap_picture_make(&source, picture->arena, &heap))
        return heap_ended(query);
    picture->heap = &heap;
    return draw_picture(picture, &drawing);
}

static enum loupe_status describe(struct picture *picture, const struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    char title[200], things[80];
    answer_things(snapshot->columns.nodes, snapshot->native ? snapshot->native->raw_blocks : 0,
                  things, sizeof(things));
    size_t length = loupe_format(title, sizeof(title), "%s: %s, %s",
                                 cli_printable(picture_file_name(loupe_span_of(query->file))),
                                 things, cli_bytes(snapshot->bytes));
    char *copy = loupe_arena_copy_string(picture->arena, (struct loupe_span){title, length});
    picture->title = (struct loupe_span){copy, length};
    picture->query = loupe_span_of("snapshot");
    enum loupe_status status = copy ? LOUPE_OK : LOUPE_ENOMEM;
    for (unsigned i = 0; i < LOUPE_NOTE_COUNT && !status; i++) {
        const struct loupe_snapshot_noted *noted = &query->snapshot->notes[i];
        enum loupe_snapshot_note note = (enum loupe_snapshot_note)i;
        if (noted->count)
            status = picture_add_note(
                picture, "%s: %llu x %s", loupe_snapshot_note_is_loss(note) ? "Incomplete" : "Note",
                (unsigned long long)noted->count, loupe_snapshot_note_text(note));
    }
    return status;
}

int heap_draw_snapshot(struct heap_question *question, enum drawing_format format,
                       const char *path) {
    static const struct verb *const of_java[] = {&verb_suspects, &verb_cycles};
    static const struct verb *const of_native[] = {&verb_leaks, &verb_cycles};
    enum { ASKED_COUNT = 2 };
    const struct verb *const *asked = question->query->snapshot->native ? of_native : of_java;
    struct loupe_arena arena;
    struct picture picture;
    char *texts[ASKED_COUNT] = {NULL};
    loupe_arena_init(&arena, &heap_chunks);
    picture_init(&picture, &arena);
    int status = describe(&picture, question->query) ? heap_ended(question->query) : CLI_OK;
    for (unsigned i = 0; i < ASKED_COUNT && !status; i++)
        status = add_findings(question->query, asked[i], &picture, &texts[i]);
    if (!status)
        status = draw_heap(question, &picture, format, path);
    for (unsigned i = 0; i < ASKED_COUNT; i++)
        free(texts[i]);
    loupe_arena_deinit(&arena);
    return status;
}

int heap_draw_whole(const struct heap_query *query) {
    const struct verb_values *options = &query->options;
    struct heap_question question;
    int status = heap_question_init(&question, query);
    if (status)
        return status;
    if (options->html)
        status = heap_draw_snapshot(&question, DRAWING_HTML, file_of(options->html));
    if (!status && options->dot)
        status = heap_draw_snapshot(&question, DRAWING_DOT, file_of(options->dot));
    heap_question_deinit(&question);
    if (!status)
        say_written(options);
    return status;
}
