/* loupe compare: the findings of two collections of heaps, by their fingerprints. */
#define _POSIX_C_SOURCE 200809L /* getline() */

#include "answers/parts/gathered_text.h"
#include "answers/reports/report.h"
#include "base/fnv.h"
#include "base/map.h"
#include "draw/drawing.h"
#include "heaps/heap_verb.h"
#include "line/verb_commands.h"
#include "report/intervals.h"
#include "shared/look.h"
#include "shared/refusal.h"
#include "verbs/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const char topic[] = "compare";

enum { BASE, NEW, SIDES, FEW = 5 };

/* A finding in the heaps of one side. */
struct seen {
    uint64_t *bytes; /* one a heap */
    uint32_t heaps, capacity;
    uint64_t last_heap;
    uint64_t median;
};

struct finding {
    struct loupe_span fingerprint, kind, class_name, culprit, path, advice;
    struct seen sides[SIDES];
    const char *confidence;
};

struct comparison {
    struct loupe_arena arena;
    struct loupe_map numbers; /* hash of a fingerprint -> finding */
    struct finding *findings;
    uint32_t count, capacity;
    uint32_t heaps[SIDES], errors[SIDES];
    double grown;
    bool is_read; /* both files are: there is an answer */
};

enum change { UNCHANGED, IS_NEW, HAS_GROWN, IS_GONE };

/* ---- Reading ---- */

static struct loupe_span keep(struct comparison *comparison, struct loupe_span text) {
    char *copy = text.length ? loupe_arena_copy_string(&comparison->arena, text) : NULL;
    return (struct loupe_span){copy, copy ? text.length : 0};
}

static struct finding *finding_of(struct comparison *comparison, const struct json_value *row) {
    struct loupe_span fingerprint = json_text(row, "fingerprint");
    uint64_t key = loupe_fnv_span(LOUPE_FNV_BASIS, fingerprint);
    uint32_t number;
    if (loupe_map_find(&comparison->numbers, key, &number))
        return &comparison->findings[number];
    struct finding *grown =
        loupe_arena_grow(&comparison->arena, comparison->findings, comparison->count,
                         &comparison->capacity, sizeof(*grown));
    if (!grown || loupe_map_put(&comparison->numbers, key, comparison->count))
        return NULL;
    comparison->findings = grown;
    grown[comparison->count] =
        (struct finding){.fingerprint = keep(comparison, fingerprint),
                         .kind = keep(comparison, json_text(row, "kind")),
                         .class_name = keep(comparison, json_text(row, "class")),
                         .culprit = keep(comparison, json_text(row, "culprit")),
                         .path = keep(comparison, json_text(row, "path")),
                         .advice = keep(comparison, json_text(row, "advice"))};
    return &grown[comparison->count++];
}

/* Findings of one heap with equal fingerprints are one; rows of a heap stand together. */
static bool note(struct comparison *comparison, struct seen *seen, uint64_t heap, uint64_t bytes) {
    if (seen->heaps && seen->last_heap == heap) {
        seen->bytes[seen->heaps - 1] += bytes;
        return true;
    }
    uint64_t *grown = loupe_arena_grow(&comparison->arena, seen->bytes, seen->heaps,
                                       &seen->capacity, sizeof(*grown));
    if (!grown)
        return false;
    seen->bytes = grown;
    seen->bytes[seen->heaps++] = bytes;
    seen->last_heap = heap;
    return true;
}

/* heap: the number of the row's heap among those of its file. */
static bool take_row(struct comparison *comparison, unsigned side, const struct json_value *row) {
    struct loupe_span kind = json_text(row, "row");
    comparison->heaps[side] += loupe_span_equals(kind, "heap");
    comparison->errors[side] += loupe_span_equals(kind, "error");
    if (!loupe_span_equals(kind, "finding") || !json_text(row, "fingerprint").length)
        return true;
    struct finding *finding = finding_of(comparison, row);
    return finding && note(comparison, &finding->sides[side], comparison->heaps[side],
                           json_uint(row, "bytes"));
}

static int fail_in_line(const char *path, unsigned long number, const char *problem) {
    return cli_fail(CLI_NONSENSE, topic, "%s, line %lu: %s", cli_printable(loupe_span_of(path)),
                    number, problem);
}

static int take_line(struct comparison *comparison, unsigned side, const char *path,
                     unsigned long number, struct loupe_span text) {
    struct loupe_arena arena;
    struct loupe_error err = {0};
    const struct json_value *row;
    int result = CLI_OK;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status status = json_read(text, &arena, &row, &err);
    if (status == LOUPE_ENOMEM)
        result = cli_fail(CLI_NONSENSE, topic, "out of memory");
    else if (status)
        result = fail_in_line(path, number, err.message);
    else if (json_uint(row, "schema") != 1)
        result = fail_in_line(path, number, "no row of loupe report, or one of a newer Loupe");
    else if (!take_row(comparison, side, row))
        result = cli_fail(CLI_NONSENSE, topic, "out of memory");
    loupe_arena_deinit(&arena);
    return result;
}

static int take_file(struct comparison *comparison, unsigned side, const char *path) {
    FILE *file = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    ssize_t length;
    unsigned long number = 0;
    int status = CLI_OK;
    if (!file)
        return cli_fail(CLI_NONSENSE, topic, "%s: %s", cli_printable(loupe_span_of(path)),
                        strerror(errno));
    while (!status && (length = getline(&line, &room, file)) > 0) {
        struct loupe_span text = {line, (size_t)length - (line[length - 1] == '\n')};
        number++;
        if (text.length)
            status = take_line(comparison, side, path, number, text);
    }
    if (!status && ferror(file))
        status = cli_fail(CLI_NONSENSE, topic, "%s: %s", cli_printable(loupe_span_of(path)),
                          strerror(errno));
    free(line);
    fclose(file);
    return status;
}

/* ---- Comparing ---- */

static int by_size(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A share of the heaps, or a median of bytes, that is larger by so much and beyond doubt. */
static bool has_grown(const struct comparison *comparison, const struct finding *finding) {
    const struct seen *base = &finding->sides[BASE], *now = &finding->sides[NEW];
    double factor = 1 + comparison->grown;
    double before = (double)base->heaps / comparison->heaps[BASE];
    double after = (double)now->heaps / comparison->heaps[NEW];
    struct interval shares[] = {interval_of_share(base->heaps, comparison->heaps[BASE]),
                                interval_of_share(now->heaps, comparison->heaps[NEW])};
    if (after >= before * factor && shares[NEW].low > shares[BASE].high)
        return true;
    struct interval medians[] = {interval_of_median(base->bytes, base->heaps),
                                 interval_of_median(now->bytes, now->heaps)};
    return (double)now->median >= (double)base->median * factor &&
           medians[NEW].low > medians[BASE].high;
}

static enum change change_of(const struct comparison *comparison, const struct finding *finding) {
    if (!finding->sides[BASE].heaps)
        return IS_NEW;
    if (!finding->sides[NEW].heaps)
        return IS_GONE;
    return has_grown(comparison, finding) ? HAS_GROWN : UNCHANGED;
}

static void settle(struct comparison *comparison) {
    bool is_few = comparison->heaps[BASE] < FEW || comparison->heaps[NEW] < FEW;
    for (uint32_t i = 0; i < comparison->count; i++) {
        struct finding *finding = &comparison->findings[i];
        /* Cap: both sides. */
        for (unsigned side = 0; side < SIDES; side++) {
            struct seen *seen = &finding->sides[side];
            if (seen->heaps)
                qsort(seen->bytes, seen->heaps, sizeof(*seen->bytes), by_size);
            seen->median = seen->heaps ? seen->bytes[seen->heaps / 2] : 0;
        }
        finding->confidence = is_few ? "few" : "95%";
    }
}

/* What most heaps have, and of those what most bytes, comes first. */
static int by_weight(const void *a, const void *b) {
    const struct finding *x = a, *y = b;
    uint64_t heaps[] = {(uint64_t)x->sides[BASE].heaps + x->sides[NEW].heaps,
                        (uint64_t)y->sides[BASE].heaps + y->sides[NEW].heaps};
    uint64_t bytes[] = {x->sides[BASE].median + x->sides[NEW].median,
                        y->sides[BASE].median + y->sides[NEW].median};
    if (heaps[0] != heaps[1])
        return heaps[0] > heaps[1] ? -1 : 1;
    if (bytes[0] != bytes[1])
        return bytes[0] > bytes[1] ? -1 : 1;
    size_t length = x->fingerprint.length < y->fingerprint.length ? x->fingerprint.length
                                                                  : y->fingerprint.length;
    return memcmp(x->fingerprint.bytes, y->fingerprint.bytes, length);
}

/* ---- Showing ---- */

static void put_changes(struct loupe_json *json, const struct comparison *comparison,
                        const char *key, enum change change) {
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < comparison->count; i++) {
        const struct finding *finding = &comparison->findings[i];
        if (change_of(comparison, finding) != change)
            continue;
        loupe_json_begin_object(json);
        loupe_json_put_text(json, "fingerprint", finding->fingerprint);
        loupe_json_put_text(json, "kind", finding->kind);
        loupe_json_put_text(json, "class", finding->class_name);
        loupe_json_put_text(json, "culprit", finding->culprit);
        loupe_json_put_text(json, "path", finding->path);
        loupe_json_put_text(json, "advice", finding->advice);
        loupe_json_put_uint(json, "heaps_base", finding->sides[BASE].heaps);
        loupe_json_put_uint(json, "heaps_new", finding->sides[NEW].heaps);
        loupe_json_put_uint(json, "bytes_base", finding->sides[BASE].median);
        loupe_json_put_uint(json, "bytes_new", finding->sides[NEW].median);
        loupe_json_put_string(json, "confidence", finding->confidence);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static bool is_incomplete(const struct comparison *comparison) {
    return comparison->errors[BASE] || comparison->errors[NEW];
}

static enum loupe_status put_answer(const struct comparison *comparison, struct loupe_sink sink) {
    struct loupe_json json;
    loupe_json_init(&json, sink);
    loupe_json_begin_object(&json);
    loupe_json_put_uint(&json, "loupe", 1);
    loupe_json_put_string(&json, "query", "compare");
    loupe_json_put_string(&json, "status", is_incomplete(comparison) ? "incomplete" : "ok");
    loupe_json_put_uint(&json, "heaps_base", comparison->heaps[BASE]);
    loupe_json_put_uint(&json, "heaps_new", comparison->heaps[NEW]);
    loupe_json_put_uint(&json, "unreadable_base", comparison->errors[BASE]);
    loupe_json_put_uint(&json, "unreadable_new", comparison->errors[NEW]);
    loupe_json_put_bool(&json, "few",
                        comparison->heaps[BASE] < FEW || comparison->heaps[NEW] < FEW);
    put_changes(&json, comparison, "new", IS_NEW);
    put_changes(&json, comparison, "grown", HAS_GROWN);
    put_changes(&json, comparison, "gone", IS_GONE);
    loupe_json_end_object(&json);
    return loupe_json_finish(&json);
}

static enum loupe_status say_answer(struct comparison *comparison) {
    struct gathered_text text = {.arena = &comparison->arena};
    const struct answer_report report = {.width = 0};
    struct answer_look look = look_of_tool();
    struct look_text drawn;
    struct loupe_error error;
    const struct json_value *root;
    struct answer answer;
    struct answer_lines lines;
    enum loupe_status status = put_answer(comparison, gathered_text_sink(&text));
    if (!status)
        status = json_read(gathered_text_get(&text), &comparison->arena, &root, &error);
    if (!status)
        status = answer_open(&answer, root, &comparison->arena);
    if (status)
        return status;
    answer_lines_init(&lines, &answer, &look, look_sink(&drawn, cli_text_sink()));
    status = answer_say_report(&lines, &report);
    answer_close(&answer);
    return status;
}

static int show(struct comparison *comparison, bool as_json) {
    enum loupe_status status =
        as_json ? put_answer(comparison, cli_answer_sink()) : say_answer(comparison);
    if (as_json)
        cli_end_answer();
    return status == LOUPE_ENOMEM ? cli_fail(CLI_FAILURE, topic, "out of memory") : CLI_OK;
}

static uint32_t count_of(const struct comparison *comparison, enum change change) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < comparison->count; i++)
        count += change_of(comparison, &comparison->findings[i]) == change;
    return count;
}

/* ---- Reports for CI ---- */

/* "Leak, new: in 5 of 20 heaps, was in 0 of 18" */
static struct loupe_span title_of(struct comparison *comparison, const struct finding *finding,
                                  enum change change) {
    char text[160];
    size_t length = loupe_format(text, sizeof(text), "%.*s, %s: in %u of %u heaps, was in %u of %u",
                                 (int)(finding->kind.length < 40 ? finding->kind.length : 40),
                                 finding->kind.bytes, change == IS_NEW ? "new" : "grown",
                                 finding->sides[NEW].heaps, comparison->heaps[NEW],
                                 finding->sides[BASE].heaps, comparison->heaps[BASE]);
    if (*text >= 'a' && *text <= 'z')
        *text = (char)(*text - 'a' + 'A');
    return keep(comparison, (struct loupe_span){text, length});
}

static enum loupe_status add_picture(struct comparison *comparison, struct picture *picture,
                                     const struct finding *finding, enum change change) {
    struct picture_thing *thing = picture_add_thing(picture);
    struct picture_finding *shown = thing ? picture_add_finding(picture) : NULL;
    if (!shown)
        return LOUPE_ENOMEM;
    thing->class_name = finding->culprit.length ? finding->culprit : finding->class_name;
    thing->kind = loupe_span_of("object");
    shown->kind = PICTURE_LEAK;
    shown->certain = true;
    shown->count = 1;
    shown->objects = finding->sides[NEW].heaps;
    shown->bytes = finding->sides[NEW].median;
    shown->fingerprint = finding->fingerprint;
    shown->title = title_of(comparison, finding, change);
    shown->severity = LOUPE_SEVERITY_ERROR; /* the gate lets none pass */
    shown->reason = finding->path;
    shown->head = picture->thing_count - 1;
    return LOUPE_OK;
}

static int draw(struct comparison *comparison, const struct verb_values *values) {
    struct picture picture;
    struct drawing drawing = {.format = drawing_format_named(values->format),
                              .path = values->output,
                              .append = values->append,
                              .anchor = values->anchor,
                              .topic = topic};
    enum loupe_status status = LOUPE_OK;
    if (drawing.format == DRAWING_FORMAT_COUNT)
        return cli_fail(CLI_NONSENSE, topic,
                        "--format takes github, gitlab, markdown, sarif or junit, not '%s'",
                        cli_printable(loupe_span_of(values->format)));
    picture_init(&picture, &comparison->arena);
    picture.query = loupe_span_of("compare");
    picture.title = loupe_span_of("Findings that are new or have grown");
    picture.status = loupe_span_of(is_incomplete(comparison) ? "incomplete" : "ok");
    for (uint32_t i = 0; i < comparison->count && !status; i++) {
        enum change change = change_of(comparison, &comparison->findings[i]);
        if (change == IS_NEW || change == HAS_GROWN)
            status = add_picture(comparison, &picture, &comparison->findings[i], change);
    }
    return status ? cli_fail(CLI_NONSENSE, topic, "out of memory")
                  : draw_picture(&picture, &drawing);
}

/* ---- The command ---- */

static bool parse_percent(const char *text, double *ret) {
    char *end;
    double percent = strtod(text, &end);
    bool is_number = *text >= '0' && *text <= '9' && (!*end || strcmp(end, "%") == 0);
    *ret = percent / 100;
    return is_number && percent <= 10000;
}

static int compare(struct comparison *comparison, const struct verb_line *line) {
    int status = take_file(comparison, BASE, line->words[BASE]);
    if (!status)
        status = take_file(comparison, NEW, line->words[NEW]);
    if (status)
        return status;
    if (!comparison->heaps[BASE] || !comparison->heaps[NEW])
        return cli_fail(
            CLI_NONSENSE, topic, "%s has no row of a heap",
            cli_printable(loupe_span_of(line->words[comparison->heaps[BASE] ? NEW : BASE])));
    comparison->is_read = true;
    settle(comparison);
    if (comparison->count)
        qsort(comparison->findings, comparison->count, sizeof(*comparison->findings), by_weight);
    if (line->values.json || !line->values.format)
        status = show(comparison, line->values.json);
    if (!status && line->values.format)
        status = draw(comparison, &line->values);
    if (status)
        return status;
    if (is_incomplete(comparison))
        return CLI_INCOMPLETE;
    return count_of(comparison, IS_NEW) || count_of(comparison, HAS_GROWN) ? CLI_FOUND : CLI_OK;
}

static int take_words(const char **words, unsigned count, struct verb_line *line, double *grown) {
    int status = verb_take_line(&verb_compare, words, count, SIDES, line);
    if (status || line->values.help)
        return status;
    if (line->word_count < SIDES)
        return verb_fail_missing(&verb_compare, line->word_count);
    if (!parse_percent(line->values.grown, grown))
        return cli_fail(CLI_NONSENSE, topic, "--grown cannot be '%s'",
                        cli_printable(loupe_span_of(line->values.grown)));
    return CLI_OK;
}

/* Who asked for an answer in JSON gets one. */
static int refused(const struct verb_values *given, int status) {
    return given->json ? cli_put_misuse(topic, NULL, status) : status;
}

int cli_compare(const char **words, unsigned count) {
    struct verb_line line = {.values = {.grown = "20%"}};
    struct comparison comparison = {.count = 0};
    int status = take_words(words, count, &line, &comparison.grown);
    if (status) {
        verb_take_places(&verb_compare, words, count, &line.values);
        return refused(&line.values, status);
    }
    if (line.values.help) {
        verb_print_help(&verb_compare);
        return CLI_OK;
    }
    loupe_arena_init(&comparison.arena, &heap_chunks);
    loupe_map_init(&comparison.numbers, &heap_chunks);
    status = compare(&comparison, &line);
    loupe_map_deinit(&comparison.numbers);
    loupe_arena_deinit(&comparison.arena);
    return comparison.is_read ? status : refused(&line.values, status);
}
