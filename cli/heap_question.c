#include "heap_question.h"

#include "base/fnv.h"
#include "rules/shipped.h"
#include "snapshot/loupe_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES_BYTES = 1 << 20 };

/* ---- Rules ---- */

static int read_text(struct heap_question *question, const char *path, struct loupe_span *ret) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return heap_fail(question->query, LOUPE_EUSAGE, "rules '%s' cannot be read: %s",
                         cli_printable(loupe_span_of(path)), strerror(errno));
    char *text = loupe_arena_alloc(&question->arena, MOST_RULES_BYTES + 1);
    size_t length = text ? fread(text, 1, MOST_RULES_BYTES + 1, file) : 0;
    bool failed = ferror(file);
    fclose(file);
    if (!text)
        return heap_ended(question->query);
    if (failed || length > MOST_RULES_BYTES)
        return heap_fail(question->query, LOUPE_EUSAGE, "rules '%s' cannot be read: %s",
                         cli_printable(loupe_span_of(path)),
                         failed ? "reading failed" : "the file is larger than 1 MB");
    *ret = (struct loupe_span){text, length};
    return CLI_OK;
}

static int add_file(struct heap_question *question, const char *path) {
    struct loupe_span text;
    struct loupe_error error;
    int status = path ? read_text(question, path, &text) : CLI_OK;
    if (status || !path)
        return status;
    question->rules_hash = loupe_fnv_span(question->rules_hash, text);
    if (loupe_rules_add(&question->rules, text, path, &error))
        return heap_fail(question->query, error.code, "%s (docs/rules.md has the grammar)",
                         cli_printable(loupe_span_of(error.message)));
    return CLI_OK;
}

static int add_shipped(struct heap_question *question) {
    for (const struct shipped_rules *file = shipped_rules; file->name; file++) {
        struct loupe_error error;
        struct loupe_span text = loupe_span_of(file->text);
        question->rules_hash = loupe_fnv_span(question->rules_hash, text);
        if (loupe_rules_add(&question->rules, text, file->name, &error))
            return heap_fail(question->query, error.code, "%s", error.message);
    }
    return CLI_OK;
}

/* ---- What analyses work on ---- */

static size_t kinds_bytes(const struct loupe_columns *columns) {
    return (size_t)columns->first[columns->nodes] + 1;
}

/* The kinds of links as rules have them, in a copy that only this question has. */
static int apply_rules(struct heap_question *question) {
    struct loupe_columns *columns = &question->tracer.columns;
    question->kinds = loupe_chunk_get(&heap_chunks, kinds_bytes(columns));
    /* Other tools know no levels. */
    bool has_levels = question->query->policy == loupe_link_policies;
    question->root_levels = has_levels ? loupe_root_levels(&question->tracer) : NULL;
    if (!question->kinds || (has_levels && !question->root_levels))
        return heap_ended(question->query);
    if (columns->kinds)
        memcpy(question->kinds, columns->kinds, kinds_bytes(columns) - 1);
    else
        memset(question->kinds, LOUPE_LINK_STRONG, kinds_bytes(columns));
    loupe_rules_change_kinds(&question->ruled, question->kinds);
    columns->kinds = question->kinds;
    return CLI_OK;
}

static int init(struct heap_question *question) {
    const struct verb_values *options = &question->query->options;
    int status = add_file(question, options->rules);
    if (!status)
        status = add_file(question, options->exclude);
    if (!status)
        status = add_shipped(question);
    if (status)
        return status;
    if (loupe_ruled_classes_find(question->query->snapshot, &question->rules, &question->arena,
                                 &question->ruled))
        return heap_ended(question->query);
    return apply_rules(question);
}

struct loupe_tracer heap_plain_tracer(const struct heap_query *query) {
    return (struct loupe_tracer){
        .snapshot = query->snapshot, .columns = query->snapshot->columns, .policy = query->policy};
}

int heap_question_init(struct heap_question *question, const struct heap_query *query) {
    *question = (struct heap_question){.query = query, .rules_hash = LOUPE_FNV_BASIS};
    loupe_arena_init(&question->arena, &heap_chunks);
    loupe_rules_init(&question->rules, &question->arena);
    question->tracer = heap_plain_tracer(query);
    question->tracer.ruled = &question->ruled;
    question->tracer.arena = &question->arena;
    int status = init(question);
    if (status)
        heap_question_deinit(question);
    return status;
}

void heap_question_deinit(struct heap_question *question) {
    if (question->has_shortest)
        loupe_shortest_deinit(&question->shortest);
    if (question->has_dominators)
        loupe_dominators_deinit(&question->dominators);
    loupe_chunk_put(&heap_chunks, question->kinds,
                    kinds_bytes(&question->query->snapshot->columns));
    loupe_arena_deinit(&question->arena);
}

/* ---- Searches ---- */

const struct loupe_shortest *heap_question_path(struct heap_question *question, uint32_t node) {
    const struct loupe_stored_paths *stored = &question->query->snapshot->paths;
    bool holds = stored->from && stored->rules == question->rules_hash &&
                 question->query->policy == loupe_link_policies;
    question->stored = (struct loupe_shortest){.nodes = question->tracer.columns.nodes,
                                               .from = (uint32_t *)(uintptr_t)stored->from,
                                               .levels = (uint8_t *)(uintptr_t)stored->levels};
    if (holds && loupe_stored_path_is_sound(question->query->snapshot, &question->stored, node))
        return &question->stored;
    return heap_question_shortest(question, NULL);
}

const struct loupe_shortest *heap_question_shortest(struct heap_question *question,
                                                    const struct loupe_marks *ends) {
    const struct loupe_link_policy *policy = question->tracer.policy;
    struct loupe_shortest_options options = {.kinds = policy->paths,
                                             .late = policy->late,
                                             .root_levels = question->root_levels,
                                             .ends = ends};
    if (!question->has_shortest) {
        question->has_shortest = !loupe_shortest_find(&question->tracer.columns, &options,
                                                      &heap_chunks, &question->shortest);
    }
    return question->has_shortest ? &question->shortest : NULL;
}

const struct loupe_dominators *heap_question_dominators(struct heap_question *question) {
    if (!question->has_dominators) {
        question->has_dominators =
            !heap_dominators(question->query, question->query->policy, &question->dominators);
    }
    return question->has_dominators ? &question->dominators : NULL;
}
