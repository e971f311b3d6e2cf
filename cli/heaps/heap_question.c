#include "heaps/heap_question.h"

#include "rules/shipped.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RULES_BYTES = 1 << 20 };

/* ---- Rules ---- */

static int read_text(struct heap_question *question, const char *path, struct loupe_span *ret) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return heap_fail(question->query, LOUPE_EUSAGE, "rules '%s' cannot be read: %s",
                         cli_printable(loupe_span_of(path)), strerror(errno));
    char *text = loupe_arena_alloc(&question->heap.arena, MOST_RULES_BYTES + 1);
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
    if (loupe_heap_question_add_rules(&question->heap, text, path, &error))
        return heap_fail(question->query, error.code, "%s (docs/rules.md has the grammar)",
                         cli_printable(loupe_span_of(error.message)));
    return CLI_OK;
}

static int add_shipped(struct heap_question *question) {
    for (const struct shipped_rules *file = shipped_rules; file->name; file++) {
        struct loupe_error error;
        if (loupe_heap_question_add_rules(&question->heap, loupe_span_of(file->text), file->name,
                                          &error))
            return heap_fail(question->query, error.code, "%s", error.message);
    }
    return CLI_OK;
}

/* ---- Life ---- */

static int init(struct heap_question *question) {
    const struct verb_values *options = &question->query->options;
    int status = add_file(question, options->rules);
    if (!status)
        status = add_file(question, options->exclude);
    if (!status)
        status = add_shipped(question);
    if (!status && loupe_heap_question_prepare(&question->heap))
        status = heap_ended(question->query);
    return status;
}

int heap_question_init(struct heap_question *question, const struct heap_query *query) {
    question->query = query;
    loupe_heap_question_init(&question->heap, query->snapshot, query->policy, &heap_chunks);
    int status = init(question);
    if (status)
        heap_question_deinit(question);
    return status;
}

void heap_question_deinit(struct heap_question *question) {
    loupe_heap_question_deinit(&question->heap);
}

/* ---- Both searches ---- */

/* Fewer are searched before a thread has begun. */
enum { LEAST_NODES = 1 << 15 };

static void *find_dominators(void *question) {
    loupe_heap_question_dominators(question);
    return NULL;
}

void heap_question_search_both(struct heap_question *question) {
    const struct loupe_snapshot *snapshot = question->query->snapshot;
    pthread_t thread;
    if (snapshot->dominators.immediate || snapshot->columns.nodes < LEAST_NODES ||
        pthread_create(&thread, NULL, find_dominators, &question->heap))
        return;
    loupe_heap_question_shortest(&question->heap);
    pthread_join(thread, NULL);
}
