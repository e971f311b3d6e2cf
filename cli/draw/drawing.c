#define _DEFAULT_SOURCE /* getcwd */

#include "draw/drawing.h"

#include "shared/cli.h"
#include "shared/new_file.h"
#include "shared/output.h"
#include "pictures/answer.h"
#include "pictures/dot/dot.h"
#include "pictures/page/page.h"
#include "pictures/picture_patterns.h"
#include "pictures/reports/reports.h"
#include "pictures/source_lines.h"
#include "pictures/words.h"
#include "answers/texts.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const struct format {
    const char *name, *ending;
    const struct report_format *report; /* NULL: it is a picture */
} formats[DRAWING_FORMAT_COUNT] = {
    [DRAWING_HTML] = {"html", ".html", NULL},
    [DRAWING_DOT] = {"dot", ".dot", NULL},
    [DRAWING_GITHUB] = {"github", ".annotations", &report_github},
    [DRAWING_GITLAB] = {"gitlab", ".gitlab.json", &report_gitlab},
    [DRAWING_MARKDOWN] = {"markdown", ".md", &report_markdown},
    [DRAWING_SARIF] = {"sarif", ".sarif", &report_sarif},
    [DRAWING_JUNIT] = {"junit", ".xml", &report_junit},
    [DRAWING_WORDS] = {"words", ".words", NULL},
};

enum drawing_format drawing_format_named(const char *name) {
    unsigned i = 0;
    while (i < DRAWING_FORMAT_COUNT && strcmp(formats[i].name, name) != 0)
        i++;
    return (enum drawing_format)i;
}

enum drawing_format drawing_format_of_file(const char *path) {
    size_t length = strlen(path);
    for (unsigned i = 0; i < DRAWING_FORMAT_COUNT; i++) {
        size_t tail = strlen(formats[i].ending);
        if (length > tail && strcmp(path + length - tail, formats[i].ending) == 0)
            return (enum drawing_format)i;
    }
    return DRAWING_FORMAT_COUNT;
}

/* ---- Titles ---- */

/* "No retain cycles", "1 retain cycle", "3 retain cycles" */
static size_t title_of_many(char *dst, size_t cap, uint64_t count, const char *what,
                            const char *which) {
    const char *plural = count == 1 ? "" : "s";
    return count ? loupe_format(dst, cap, "%llu %s%s%s", (unsigned long long)count, what, plural,
                                which)
                 : loupe_format(dst, cap, "No %s%s%s", what, plural, which);
}

/* "3 leaks, 1 cycle held only by its timer": gates let that pass, so it is none of the leaks. */
static size_t title_of_leaks(char *dst, size_t cap, uint64_t count, uint64_t kept) {
    size_t length = title_of_many(dst, cap, count, "leak", "");
    if (kept)
        length += loupe_format(dst + length, cap - length, ", %llu cycle%s held only by %s",
                               (unsigned long long)kept, kept == 1 ? "" : "s",
                               kept == 1 ? "its timer" : "their timers");
    return length;
}

/* "3 objects should be gone"; where no rule says so, what keeps most. */
static size_t title_of_suspects(char *dst, size_t cap, const struct picture *picture,
                                uint64_t count) {
    const struct picture_finding *owner = picture->large;
    if (count || !picture->large_count || !owner->culprit.length)
        return title_of_many(dst, cap, count, "object", " should be gone");
    return loupe_format(dst, cap, "%.*s keeps %llu" ANSWER_OF_ALIVE,
                        picture_cut(owner->culprit, 100), owner->culprit.bytes,
                        (unsigned long long)owner->percent);
}

static struct loupe_span title_of(const struct picture *picture) {
    static char text[160];
    uint64_t count = 0, kept = 0;
    for (uint32_t i = 0; i < picture->finding_count; i++)
        *(picture_is_kept(&picture->findings[i]) ? &kept : &count) += picture->findings[i].count;
    size_t length;
    if (loupe_span_equals(picture->query, "retained"))
        length = loupe_format(text, sizeof(text), "Who keeps what alive");
    else if (loupe_span_equals(picture->query, "path"))
        length = title_of_many(text, sizeof(text), count, "path", "");
    else if (loupe_span_equals(picture->query, "suspects"))
        length = title_of_suspects(text, sizeof(text), picture, count);
    else if (loupe_span_equals(picture->query, "leaks"))
        length = title_of_leaks(text, sizeof(text), count, kept);
    else
        length = title_of_many(text, sizeof(text), count, "retain cycle", "");
    return (struct loupe_span){text, length};
}

/* ---- Writing ---- */

static enum loupe_status write_to_file(void *ctx, const char *bytes, size_t length) {
    return fwrite(bytes, 1, length, ctx) == length ? LOUPE_OK : LOUPE_EINTERNAL;
}

static enum loupe_status put_string(struct loupe_sink sink, const char *text) {
    return *text ? sink.write(sink.ctx, text, strlen(text)) : LOUPE_OK;
}

static struct picture_place first_line_of(const char *file) {
    return (struct picture_place){.file = loupe_span_of(file ? file : ""), .line = 1};
}

static enum loupe_status write_report(const struct picture *picture, const struct drawing *drawing,
                                      unsigned earlier, struct loupe_sink sink) {
    const struct report_format *format = formats[drawing->format].report;
    char folder[4096];
    struct report_run run = {.picture = picture,
                             .version = LOUPE_VERSION,
                             .docs = LOUPE_DOCS_URL,
                             .anchor = first_line_of(drawing->anchor),
                             .program = first_line_of(drawing->program),
                             .number = earlier + 1};
    if (getcwd(folder, sizeof(folder)))
        run.folder = loupe_span_of(folder);
    enum loupe_status status = put_string(sink, earlier ? format->between : format->head);
    if (!status)
        status = format->write(&run, sink);
    return status || !format->tail ? status : put_string(sink, format->tail);
}

/* earlier: so many reports are in the file already, and the next one is written over their tail. */
static enum loupe_status write_picture(const struct picture *picture, const struct drawing *drawing,
                                       unsigned earlier, FILE *file) {
    struct loupe_sink sink = {.write = write_to_file, .ctx = file};
    if (formats[drawing->format].report)
        return write_report(picture, drawing, earlier, sink);
    if (drawing->format == DRAWING_DOT)
        return picture_write_dot(picture, drawing->all, sink);
    return picture_write_page(picture, sink);
}

static int say_failure(const struct drawing *drawing, enum loupe_status status) {
    if (status == LOUPE_ENOMEM)
        return cli_fail(CLI_FAILURE, drawing->topic, "out of memory while writing this");
    return cli_fail(CLI_FAILURE, drawing->topic, "%s cannot be written: %s",
                    drawing->path ? cli_printable(loupe_span_of(drawing->path)) : "the output",
                    strerror(errno));
}

static bool has_text(FILE *file, long at, const char *text) {
    char found[256];
    size_t length = strlen(text);
    return at >= 0 && !fseek(file, at, SEEK_SET) && fread(found, 1, length, file) == length &&
           memcmp(found, text, length) == 0;
}

/* How many runs stand before that place: each ends with what stands between two, or with the tail.
 */
static unsigned count_runs(FILE *file, const struct report_format *format, long end) {
    unsigned count = 1;
    size_t matched = 0, length = strlen(format->between);
    for (long at = fseek(file, 0, SEEK_SET) ? end : 0; length && at < end; at++) {
        int c = getc(file);
        matched = c == format->between[matched] ? matched + 1 : c == format->between[0];
        if (matched == length) {
            count++;
            matched = 0;
        }
    }
    return count;
}

/* Opens a file of reports at its tail, or an empty one. What else is there is not touched. */
static const char *open_to_append(const struct drawing *drawing, FILE **file_ret,
                                  unsigned *earlier_ret) {
    const struct report_format *format = formats[drawing->format].report;
    if (!format || !format->tail)
        return format ? "GitLab takes one report in a file, and several files"
                      : "only reports for CI can follow each other in a file";
    FILE *file = new_file_that_is_there(drawing->path);
    if (!file && errno == ENOENT)
        file = new_file(drawing->path);
    if (!file)
        return strerror(errno);
    long size = fseek(file, 0, SEEK_END) ? -1 : ftell(file),
         tail = size - (long)strlen(format->tail);
    *file_ret = file;
    bool is_ours =
        size == 0 || (has_text(file, 0, format->head) && has_text(file, tail, format->tail));
    *earlier_ret = is_ours && size ? count_runs(file, format, tail) : 0;
    if (is_ours && !fseek(file, size ? tail : 0, SEEK_SET))
        return NULL;
    fclose(file);
    return "it is not a report of this format that loupe wrote";
}

static enum loupe_status prepare(struct picture *picture, const struct drawing *drawing) {
    struct loupe_patterns patterns;
    enum loupe_status status = patterns_read_shipped(picture->arena, &patterns);
    if (status)
        return status;
    picture_find_patterns(picture, &patterns);
    if (drawing->title)
        picture->title = loupe_span_of(drawing->title);
    else if (!picture->title.length)
        picture->title = title_of(picture);
    return drawing->format == DRAWING_HTML ? picture_read_lines(picture) : LOUPE_OK;
}

int draw_picture(struct picture *picture, const struct drawing *drawing) {
    enum loupe_status status = prepare(picture, drawing);
    if (status)
        return say_failure(drawing, status);
    unsigned earlier = 0;
    FILE *file = drawing->path ? NULL : cli_output();
    if (drawing->path && drawing->append) {
        const char *problem = open_to_append(drawing, &file, &earlier);
        if (problem)
            return cli_fail(CLI_NONSENSE, drawing->topic, "cannot append to %s: %s",
                            cli_printable(loupe_span_of(drawing->path)), problem);
    } else if (drawing->path) {
        file = new_file(drawing->path);
    }
    if (!file)
        return say_failure(drawing, LOUPE_EFAULT);
    status = write_picture(picture, drawing, earlier, file);
    bool closed = drawing->path ? fclose(file) == 0 : fflush(file) == 0;
    if (!status && !closed)
        status = LOUPE_EINTERNAL;
    if (status && drawing->path && !drawing->append)
        new_file_remove(drawing->path);
    return status ? say_failure(drawing, status) : CLI_OK;
}

int draw_tree(const struct json_value *tree, struct loupe_arena *arena,
              const struct drawing *drawing) {
    struct drawing named = *drawing;
    struct picture picture;
    struct loupe_error err = {0};
    struct loupe_sink sink = {.write = write_to_file, .ctx = cli_output()};
    bool is_words = drawing->format == DRAWING_WORDS;
    enum loupe_status status = is_words ? answer_write_words(tree, arena, sink, &err)
                                        : picture_of_answer(tree, arena, &picture, &err);
    if (status == LOUPE_EUSAGE)
        return cli_fail(CLI_NONSENSE, drawing->topic, "%s", err.message);
    if (status)
        return say_failure(drawing, status);
    if (!named.program)
        named.program = loupe_arena_copy_string(arena, json_text(tree, "program"));
    return is_words ? CLI_OK : draw_picture(&picture, &named);
}

int draw_answer(struct loupe_span answer, const struct drawing *drawing) {
    struct loupe_arena arena;
    struct loupe_error err = {0};
    const struct json_value *tree;
    loupe_arena_init(&arena, &cli_chunks);
    enum loupe_status status = json_read(answer, &arena, &tree, &err);
    int result;
    if (status == LOUPE_EUSAGE)
        result = cli_fail(CLI_NONSENSE, drawing->topic, "%s%s%s",
                          drawing->input ? cli_printable(loupe_span_of(drawing->input)) : "",
                          drawing->input ? " is " : "", err.message);
    else if (status)
        result = say_failure(drawing, status);
    else
        result = draw_tree(tree, &arena, drawing);
    loupe_arena_deinit(&arena);
    return result;
}
