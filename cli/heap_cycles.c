#include "amounts.h"
#include "analysis/heap_rings.h"
#include "base/fnv.h"
#include "cycles/fingerprint.h"
#include "heap_question.h"
#include "report/report_snapshot.h"
#include "report/report_trace.h"
#include "show_trace.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_LIMIT = 20 };

/* Knots whose rings go along the same fields of the same classes are one entry. */
struct entry {
    uint64_t fingerprint;
    uint32_t knot; /* the largest of them; then the first one */
    uint32_t count;
    uint64_t objects, bytes; /* of all of them */
};

struct answer {
    struct heap_question *question;
    struct loupe_heap_knots knots;
    struct loupe_heap_rings rings;
    struct loupe_marks alive;
    uint32_t *nodes;  /* room for the longest ring */
    uint64_t *hashes; /* the same */
    struct entry *entries;
    uint32_t count;
};

/* ---- Rings ---- */

static uint32_t ring_link(const struct answer *answer, uint32_t knot, uint32_t i) {
    const struct loupe_tracer *tracer = &answer->question->tracer;
    uint32_t length = answer->rings.of[knot].length;
    return loupe_path_link(&tracer->columns, tracer->policy->knots, tracer->policy->late,
                           answer->nodes[i], answer->nodes[(i + 1) % length]);
}

static uint64_t hash_step(const struct answer *answer, uint32_t knot, uint32_t i) {
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    struct loupe_link_name name;
    loupe_snapshot_name_link(snapshot, answer->nodes[i], ring_link(answer, knot, i), &name);
    uint64_t hash = loupe_fnv_span(
        LOUPE_FNV_BASIS, loupe_snapshot_class_name(snapshot, snapshot->classes[answer->nodes[i]]));
    return loupe_fnv_span(loupe_fnv_number(hash, name.kind), name.name);
}

static uint64_t fingerprint_of(struct answer *answer, uint32_t knot) {
    uint32_t length = answer->rings.of[knot].length;
    loupe_heap_ring_nodes(&answer->rings, knot, answer->nodes);
    for (uint32_t i = 0; i < length; i++)
        answer->hashes[i] = hash_step(answer, knot, i);
    return loupe_fingerprint_ring(answer->hashes, length);
}

/* ---- Entries ---- */

static int compare_fingerprints(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->fingerprint != y->fingerprint)
        return x->fingerprint < y->fingerprint ? -1 : 1;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->knot > y->knot) - (x->knot < y->knot);
}

static int compare_entries(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->knot > y->knot) - (x->knot < y->knot);
}

static void merge_entries(struct answer *answer) {
    uint32_t kept = 0;
    qsort(answer->entries, answer->count, sizeof(*answer->entries), compare_fingerprints);
    for (uint32_t i = 0; i < answer->count; i++) {
        struct entry *entry = &answer->entries[i], *last = &answer->entries[kept ? kept - 1 : 0];
        if (!kept || last->fingerprint != entry->fingerprint) {
            answer->entries[kept++] = *entry;
            continue;
        }
        last->count++;
        last->objects += entry->objects;
        last->bytes += entry->bytes;
    }
    answer->count = kept;
    qsort(answer->entries, answer->count, sizeof(*answer->entries), compare_entries);
}

static uint32_t longest_ring(const struct answer *answer) {
    uint32_t longest = 0;
    for (uint32_t knot = 0; knot < answer->knots.count; knot++) {
        uint32_t length = answer->rings.of[knot].length;
        longest = length > longest ? length : longest;
    }
    return longest;
}

static bool list_entries(struct answer *answer, uint32_t only) {
    uint32_t longest = longest_ring(answer);
    answer->nodes = malloc(((size_t)longest + 1) * sizeof(*answer->nodes));
    answer->hashes = malloc(((size_t)longest + 1) * sizeof(*answer->hashes));
    answer->entries = calloc((size_t)answer->knots.count + 1, sizeof(*answer->entries));
    if (!answer->nodes || !answer->hashes || !answer->entries)
        return false;
    for (uint32_t knot = 0; knot < answer->knots.count; knot++) {
        const struct loupe_heap_ring *ring = &answer->rings.of[knot];
        if (only != LOUPE_NO_NODE && answer->knots.of[only] != knot)
            continue;
        answer->entries[answer->count++] =
            (struct entry){.fingerprint = fingerprint_of(answer, knot),
                           .knot = knot,
                           .count = 1,
                           .objects = ring->objects,
                           .bytes = ring->bytes};
    }
    merge_entries(answer);
    return true;
}

static enum loupe_status find(struct answer *answer) {
    const struct loupe_tracer *tracer = &answer->question->tracer;
    struct loupe_amount alive;
    enum loupe_status status = loupe_heap_knots_find(&tracer->columns, tracer->policy->knots, NULL,
                                                     &heap_chunks, &answer->knots);
    if (!status)
        status = loupe_heap_rings_find(&tracer->columns, tracer->policy->knots, &answer->knots,
                                       &heap_chunks, &answer->rings);
    if (!status)
        status = loupe_marks_init(&answer->alive, &heap_chunks, tracer->columns.nodes);
    if (!status)
        status = loupe_reach(&tracer->columns, tracer->policy->alive, &answer->alive, &alive);
    return status;
}

static void deinit(struct answer *answer) {
    if (answer->knots.chunks)
        loupe_heap_knots_deinit(&answer->knots);
    if (answer->rings.chunks)
        loupe_heap_rings_deinit(&answer->rings);
    if (answer->alive.chunks)
        loupe_marks_deinit(&answer->alive);
    free(answer->nodes);
    free(answer->hashes);
    free(answer->entries);
}

static bool is_alive(const struct answer *answer, const struct entry *entry) {
    return loupe_is_marked(&answer->alive, answer->knots.first[entry->knot]);
}

/* ---- JSON ---- */

static void report_ring(struct loupe_json *json, struct answer *answer, const struct entry *entry,
                        const char *fingerprint) {
    uint32_t length = answer->rings.of[entry->knot].length;
    loupe_heap_ring_nodes(&answer->rings, entry->knot, answer->nodes);
    loupe_json_key(json, "rings");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_uint(json, "length", length);
    loupe_json_key(json, "edges");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < length; i++) {
        loupe_json_begin_object(json);
        loupe_report_link(json, &answer->question->tracer, answer->nodes[i],
                          ring_link(answer, entry->knot, i));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
}

static void report_entry(struct loupe_json *json, struct answer *answer,
                         const struct entry *entry) {
    const struct loupe_heap_ring *ring = &answer->rings.of[entry->knot];
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(entry->fingerprint, fingerprint);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fingerprint", fingerprint);
    loupe_json_put_uint(json, "count", entry->count);
    loupe_json_put_uint(json, "size", entry->bytes);
    loupe_json_put_uint(json, "objects", ring->objects);
    loupe_json_put_uint(json, "edges", ring->links);
    loupe_json_put_string(json, "verdict", is_alive(answer, entry) ? "held" : NULL);
    report_ring(json, answer, entry, fingerprint);
    loupe_json_end_object(json);
}

static void report(struct answer *answer, uint32_t shown) {
    struct loupe_json json;
    const struct loupe_snapshot *snapshot = answer->question->query->snapshot;
    loupe_json_init(&json, cli_stdout_sink());
    loupe_report_snapshot_begin(&json, "cycles", snapshot, false);
    loupe_json_key(&json, "seed");
    loupe_json_null(&json);
    loupe_json_put_uint(&json, "found", answer->knots.count);
    loupe_json_key(&json, "knots");
    loupe_json_begin_array(&json);
    for (uint32_t i = 0; i < shown; i++)
        report_entry(&json, answer, &answer->entries[i]);
    loupe_json_end_array(&json);
    loupe_report_snapshot_end(&json, snapshot);
    loupe_json_finish(&json);
    putchar('\n');
}

/* ---- Text ---- */

enum { SHOWN_STEPS = 24 };

static void show_ring(struct answer *answer, const struct entry *entry) {
    const struct loupe_tracer *tracer = &answer->question->tracer;
    uint32_t length = answer->rings.of[entry->knot].length;
    loupe_heap_ring_nodes(&answer->rings, entry->knot, answer->nodes);
    for (uint32_t i = 0; i < length; i++) {
        if (i + 1 < length && i >= SHOWN_STEPS - 1) {
            printf("  │   … %s more objects\n", cli_count(length - 1 - i));
            i = length - 2;
            continue;
        }
        printf("  %s ", length == 1 ? "⟲" : i == 0 ? "╭─▶" : i + 1 == length ? "╰──" : "│  ");
        show_object(tracer->snapshot, answer->nodes[i]);
        printf("  ");
        show_link(tracer, answer->nodes[i], ring_link(answer, entry->knot, i));
        printf("\n");
    }
}

static void show_entry(struct answer *answer, const struct entry *entry) {
    const struct loupe_heap_ring *ring = &answer->rings.of[entry->knot];
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(entry->fingerprint, fingerprint);
    printf("\n%s × a knot of %s object%s and %s references, %s in all, %s; fingerprint %s\n",
           cli_count(entry->count), cli_count(ring->objects), ring->objects == 1 ? "" : "s",
           cli_count(ring->links), cli_bytes(entry->bytes),
           is_alive(answer, entry) ? "held" : "garbage", fingerprint);
    if (ring->length < ring->objects)
        printf("  One ring of it:\n");
    show_ring(answer, entry);
}

static void show(struct answer *answer, uint32_t shown) {
    printf("%s knot%s of objects that keep each other alive, of %s different shapes. A collector "
           "frees them when\nnothing else holds them: they are no leaks by themselves.\n",
           cli_count(answer->knots.count), answer->knots.count == 1 ? "" : "s",
           cli_count(answer->count));
    for (uint32_t i = 0; i < shown; i++)
        show_entry(answer, &answer->entries[i]);
    if (shown < answer->count)
        printf("\n… and %s more shapes (--limit 0 shows all)\n", cli_count(answer->count - shown));
    heap_print_notes(answer->question->query);
}

static int answer_with(struct answer *answer, uint32_t only) {
    const struct heap_query *query = answer->question->query;
    if (find(answer) || !list_entries(answer, only))
        return heap_no_memory(query);
    uint64_t limit = query->options.has_limit ? query->options.limit : DEFAULT_LIMIT;
    uint32_t shown = limit && limit < answer->count ? (uint32_t)limit : answer->count;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (query->options.json)
        report(answer, shown);
    else
        show(answer, shown);
    return CLI_OK;
}

static int run(struct heap_query *query) {
    struct heap_question question;
    uint32_t only = LOUPE_NO_NODE;
    int status = CLI_OK;
    if (query->operand_count && !heap_query_object(query, query->operands[0], &only, &status))
        return status;
    status = heap_question_init(&question, query);
    if (status)
        return status;
    struct answer answer = {.question = &question};
    status = answer_with(&answer, only);
    deinit(&answer);
    heap_question_deinit(&question);
    return status;
}

const struct heap_verb heap_verb_cycles = {
    .name = "cycles",
    .operands = "[OBJECT]",
    .summary = "objects that keep each other alive: all such knots, or that of one object",
    .help = "Knots of objects that keep each other alive, those alike together, with a ring of "
            "each. In a Java heap they\n"
            "are no leaks by themselves. With OBJECT only the knot that it is in.",
    .options = HEAP_OPTION_LIMIT | HEAP_OPTION_RULES | HEAP_OPTION_EXCLUDE,
    .files = 1,
    .least_operands = 0,
    .most_operands = 1,
    .run = run,
};
