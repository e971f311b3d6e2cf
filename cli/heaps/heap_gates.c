#include "heaps/heap_gates.h"

#include "shared/amounts.h"
#include "cycles/knots/fingerprint.h"
#include "graph/filter_line.h"
#include "shared/new_file.h"
#include "runtime/abi.h"
#include "snapshot/native.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 20, MOST_FILTERS = 10000, LONGEST_COMMENT = 512 };

static struct loupe_span trim(struct loupe_span text) {
    while (text.length && strchr(" \t\r", text.bytes[0])) {
        text.bytes++;
        text.length--;
    }
    while (text.length && strchr(" \t\r", text.bytes[text.length - 1]))
        text.length--;
    return text;
}

/* The file, ended by a NUL. NULL: it said why not, and *status_ret. */
static char *read_file(struct heap_gates *gates, const struct heap_query *query, const char *what,
                       const char *path, int *status_ret) {
    FILE *file = fopen(path, "rb");
    char *text = file ? loupe_arena_alloc(&gates->arena, MOST_BYTES + 1) : NULL;
    size_t length = text ? fread(text, 1, MOST_BYTES, file) : 0;
    const char *problem = !file                                      ? strerror(errno)
                          : !text                                    ? "out of memory"
                          : ferror(file)                             ? "reading failed"
                          : length == MOST_BYTES && fgetc(file) >= 0 ? "it is larger than 1 MB"
                          : memchr(text, 0, length)                  ? "it has zeros in it"
                                                                     : NULL;
    if (file)
        fclose(file);
    if (!problem) {
        text[length] = '\0';
        return text;
    }
    *status_ret =
        heap_fail(query, file && !text ? LOUPE_ENOMEM : LOUPE_EUSAGE, "%s '%s' cannot be read: %s",
                  what, cli_printable(loupe_span_of(path)), problem);
    return NULL;
}

/* The next line without the spaces around it. False: there is none. */
static bool next_line(const char **cursor, struct loupe_span *ret) {
    const char *start = *cursor, *end = start ? strchr(start, '\n') : NULL;
    if (!start || !*start)
        return false;
    *ret = trim((struct loupe_span){start, end ? (size_t)(end - start) : strlen(start)});
    *cursor = end ? end + 1 : NULL;
    return true;
}

/* ---- Filters ---- */

/* NULL for what matches anything; false: no memory. */
static bool copy(struct heap_gates *gates, struct loupe_span text, const char **ret) {
    *ret = text.length ? loupe_arena_copy_string(&gates->arena, text) : NULL;
    return !text.length || *ret;
}

/* Returns what is wrong with the line, or NULL. */
static const char *add_line(struct heap_gates *gates, struct loupe_span line) {
    struct loupe_filter_line parts;
    const char *problem = loupe_filter_line_read(line, &parts);
    if (problem || !parts.reason.length)
        return problem;
    if (gates->filter_count == MOST_FILTERS)
        return "there are more than 10000";
    struct loupe_filter *filter = &gates->filters[gates->filter_count++];
    bool is_kept =
        copy(gates, parts.source, &filter->source) && copy(gates, parts.path, &filter->path) &&
        copy(gates, parts.target, &filter->target) && copy(gates, parts.reason, &filter->reason);
    return is_kept ? NULL : "out of memory";
}

static int add_file(struct heap_gates *gates, const struct heap_query *query) {
    const char *path = query->options.filters;
    int status = CLI_OK;
    const char *cursor = read_file(gates, query, "the filters", path, &status);
    if (!cursor)
        return status;
    struct loupe_span line;
    for (unsigned number = 1; next_line(&cursor, &line); number++) {
        const char *problem = add_line(gates, line);
        if (problem)
            return heap_fail(query, LOUPE_EUSAGE, "%s:%u: %s", cli_printable(loupe_span_of(path)),
                             number, problem);
    }
    return CLI_OK;
}

static int add_filters(struct heap_gates *gates, const struct heap_query *query) {
    const char *path = query->options.filters;
    const struct loupe_snapshot *snapshot = query->snapshot;
    const struct loupe_abi *abi =
        loupe_abi_named(loupe_snapshot_string(snapshot, snapshot->native->abi));
    bool none = path && strcmp(path, "none") == 0;
    uint32_t standard = abi && !none ? abi->filters->count : 0;
    gates->filters =
        loupe_arena_alloc_array(&gates->arena, MOST_FILTERS + standard, sizeof(*gates->filters));
    if (!gates->filters)
        return heap_ended(query);
    int status = path && !none ? add_file(gates, query) : CLI_OK;
    for (uint32_t i = 0; i < standard && !status; i++)
        gates->filters[gates->filter_count++] = abi->filters->items[i];
    return status;
}

/* ---- Baselines ---- */

static bool parse_fingerprint(struct loupe_span line, uint64_t *ret) {
    *ret = 0;
    for (unsigned i = 0; i < 16; i++) {
        const char *digits = "0123456789abcdef";
        const char *digit = i < line.length ? strchr(digits, line.bytes[i]) : NULL;
        if (!digit || !line.bytes[i])
            return false;
        *ret = *ret << 4 | (uint64_t)(digit - digits);
    }
    return line.length == 16 || strchr(" \t#", line.bytes[16]);
}

static int read_baseline(struct heap_gates *gates, const struct heap_query *query) {
    const char *path = query->options.baseline, *cursor;
    int status = CLI_OK;
    cursor = read_file(gates, query, "the baseline", path, &status);
    if (!cursor)
        return status;
    struct loupe_span line;
    for (unsigned number = 1; next_line(&cursor, &line); number++) {
        uint64_t fingerprint;
        if (!line.length || line.bytes[0] == '#')
            continue;
        if (!parse_fingerprint(line, &fingerprint))
            return heap_fail(query, LOUPE_EUSAGE,
                             "the baseline %s has no fingerprint of 16 hex digits in line %u",
                             cli_printable(loupe_span_of(path)), number);
        if (loupe_map_put(&gates->known, fingerprint, 0))
            return heap_ended(query);
    }
    gates->has_known = true;
    return CLI_OK;
}

static int begin_writing(struct heap_gates *gates, const struct heap_query *query) {
    const char *path = query->options.write_baseline;
    gates->beside = loupe_arena_alloc(&gates->arena, strlen(path) + NEW_FILE_ENDING);
    if (!gates->beside)
        return heap_ended(query);
    gates->written = new_file_beside(path, gates->beside);
    if (!gates->written)
        return heap_fail(query, LOUPE_EUSAGE, "the baseline %s cannot be written: %s",
                         cli_printable(loupe_span_of(path)), strerror(errno));
    fputs(HEAP_BASELINE_HEADING, gates->written);
    return CLI_OK;
}

struct heap_noted {
    uint64_t fingerprint;
    const char *comment;
};

static void note(struct heap_gates *gates, uint64_t fingerprint, const char *comment) {
    struct heap_noted *noted = loupe_arena_grow(&gates->arena, gates->noted, gates->noted_count,
                                                &gates->noted_capacity, sizeof(*gates->noted));
    const char *kept = loupe_arena_copy_string(&gates->arena, loupe_span_of(comment));
    gates->lacks_memory |= !noted || !kept;
    if (gates->lacks_memory)
        return;
    gates->noted = noted;
    noted[gates->noted_count++] = (struct heap_noted){fingerprint, kept};
}

static int compare_noted(const void *a, const void *b) {
    const struct heap_noted *x = a, *y = b;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    return strcmp(x->comment, y->comment);
}

/* Sorted, each once, as lldb's: so that baselines of two runs can be compared line by line. */
static void write_noted(struct heap_gates *gates) {
    uint32_t count = 0;
    if (gates->noted_count)
        qsort(gates->noted, gates->noted_count, sizeof(*gates->noted), compare_noted);
    for (uint32_t i = 0; i < gates->noted_count; i++) {
        char text[LOUPE_FINGERPRINT_TEXT];
        if (i && gates->noted[i].fingerprint == gates->noted[i - 1].fingerprint)
            continue;
        loupe_fingerprint_text(gates->noted[i].fingerprint, text);
        fprintf(gates->written, "%s  # %s\n", text, gates->noted[i].comment);
        count++;
    }
    gates->noted_count = count;
}

bool heap_gates_know(struct heap_gates *gates, uint64_t fingerprint, const char *comment) {
    if (gates->written)
        note(gates, fingerprint, comment);
    return heap_gates_knew(gates, fingerprint);
}

bool heap_gates_knew(const struct heap_gates *gates, uint64_t older_fingerprint) {
    uint32_t ignored;
    return gates->has_known && loupe_map_find(&gates->known, older_fingerprint, &ignored);
}

bool heap_gates_know_suspect(struct heap_gates *gates, uint64_t fingerprint, const char *what,
                             struct loupe_span name) {
    char comment[LONGEST_COMMENT];
    loupe_format(comment, sizeof(comment), "%s %s", what, cli_printable(name));
    return heap_gates_know(gates, fingerprint, comment);
}

bool heap_gates_know_knot(struct heap_gates *gates, const struct loupe_knot_facts *knot,
                          const char *comment) {
    bool has_knot = heap_gates_know(gates, knot->fingerprint, comment) ||
                    heap_gates_knew(gates, knot->older_fingerprint);
    bool has_rings = knot->rings.count > 0;
    for (uint32_t i = 0; i < knot->rings.count; i++) {
        const struct loupe_ring *ring = &knot->rings.items[i];
        bool has_ring = heap_gates_know(gates, ring->fingerprint, comment);
        has_rings &= has_ring || heap_gates_knew(gates, ring->older_fingerprint);
    }
    return has_knot || has_rings;
}

int heap_gates_finish(struct heap_gates *gates, const struct heap_query *query) {
    if (!gates->written)
        return CLI_OK;
    write_noted(gates);
    bool failed = gates->lacks_memory | ferror(gates->written) | fclose(gates->written);
    gates->written = NULL;
    if (!failed && !rename(gates->beside, query->options.write_baseline))
        return CLI_OK;
    remove(gates->beside);
    return heap_fail(query, LOUPE_EUSAGE, "the baseline %s cannot be written",
                     cli_printable(loupe_span_of(query->options.write_baseline)));
}

void heap_gates_report(const struct heap_gates *gates, const struct heap_query *query,
                       struct loupe_json *json) {
    if (!query->options.write_baseline)
        return;
    loupe_json_key(json, "written_baseline");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "file", query->options.write_baseline);
    loupe_json_put_uint(json, "fingerprints", gates->noted_count);
    loupe_json_end_object(json);
}

/* ---- Both ---- */

int heap_gates_init(struct heap_gates *gates, const struct heap_query *query) {
    *gates = (struct heap_gates){0};
    loupe_arena_init(&gates->arena, &heap_chunks);
    loupe_map_init(&gates->known, &heap_chunks);
    int status = query->snapshot->native ? add_filters(gates, query) : CLI_OK;
    if (!status && query->options.baseline)
        status = read_baseline(gates, query);
    if (!status && query->options.write_baseline)
        status = begin_writing(gates, query);
    if (status)
        heap_gates_deinit(gates);
    return status;
}

void heap_gates_deinit(struct heap_gates *gates) {
    if (gates->written) {
        fclose(gates->written);
        remove(gates->beside);
    }
    loupe_map_deinit(&gates->known);
    loupe_arena_deinit(&gates->arena);
}
