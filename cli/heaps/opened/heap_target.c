#define _POSIX_C_SOURCE 200809L /* clock_gettime() */

#include "heaps/opened/heap_target.h"

#include "answers/json_tree.h"
#include "debuginfod/debuginfod.h"
#include "shared/capture.h"
#include "loupe.h"
#include "heaps/opened/watchdog.h"

#include <inttypes.h>
#include <string.h>
#include <time.h>

bool heap_names_process(const char *path, uint64_t *ret) {
    return strspn(path, "0123456789") == strlen(path) && cli_parse_number(path, INT32_MAX, ret);
}

static bool is_time_up(void *ctx) {
    (void)ctx;
    return *heap_stop;
}

enum loupe_status heap_target_open(struct heap_file *file, uint64_t process,
                                   const struct heap_query *query, struct loupe_error *error) {
    struct loupe_reader_options options = {.chunks = &heap_chunks,
                                           .program = query->options.program,
                                           .sysroot = query->options.sysroot,
                                           .most_pause = query->options.max_pause,
                                           .stands = watchdog_stands,
                                           .interrupted = is_time_up};
    if (query->options.debuginfod) {
        /* Nothing is fetched while a process stands still. */
        const char *problem = file->bytes ? debuginfod_begin() : "--debuginfod is for cores alone";
        if (problem)
            return loupe_fail(error, LOUPE_EUSAGE, 0, "%s", problem);
        options.fetch = debuginfod_fetch;
    }
    if (file->bytes)
        return loupe_core_open(file->bytes, file->size, &options, &file->reader, error);
    return loupe_process_open(process, &options, &file->reader, error);
}

/* What is not in the file is lost, whether or not it is missed in what is there. */
static void note_losses(struct heap_file *file) {
    const struct loupe_reader_missing *missing = loupe_reader_missing(file->reader);
    if (missing->truncated)
        file->snapshot.notes[LOUPE_NOTE_CUT_OFF] =
            (struct loupe_snapshot_noted){.count = 1, .example = file->size};
    if (missing->damaged_parts)
        file->snapshot.notes[LOUPE_NOTE_BAD_RECORD] =
            (struct loupe_snapshot_noted){.count = missing->damaged_parts};
}

static uint64_t milliseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

enum loupe_status heap_target_snapshot(struct heap_file *file, const struct heap_query *query,
                                       struct loupe_error *error) {
    struct loupe_snapshot_taker taker = {.snapshot = &file->snapshot};
    bool of_core = file->bytes != NULL;
    struct loupe_question question = {.query = LOUPE_QUERY_SNAPSHOT,
                                      .engine = "memory",
                                      .taker = &taker,
                                      .of_core = of_core,
                                      .process = loupe_reader_process(file->reader),
                                      .time = of_core ? 0 : milliseconds_now(),
                                      .program = loupe_reader_program(file->reader)};
    struct loupe_memory *memory = loupe_reader_memory(file->reader);
    loupe_memory_set_limit(memory, query->options.timeout);
    enum loupe_status status =
        loupe_answer(memory, &heap_chunks, &question, (struct loupe_sink){.write = NULL});
    if (status == LOUPE_ETIMEOUT)
        loupe_fail(error, status, 0,
                   "the time limit (--timeout) was reached before all of it was read");
    else if (status && loupe_reader_missing(file->reader)->not_copied)
        loupe_fail(error, status, 0,
                   "it ran on before enough of it was read: give --max-pause more seconds");
    else if (status)
        *error = taker.error;
    else
        note_losses(file);
    if (status != LOUPE_ETIMEOUT && !of_core && loupe_process_has_ended(question.process)) {
        if (!status)
            loupe_snapshot_deinit(&file->snapshot);
        status = loupe_fail(error, LOUPE_EFAULT, 0, "process %llu ended while it was read",
                            (unsigned long long)question.process);
    }
    return status;
}

void heap_target_note(const struct heap_file *file, const char *path) {
    const struct loupe_reader_missing *missing = loupe_reader_missing(file->reader);
    const char *name = cli_printable(loupe_span_of(path));
    if (missing->truncated)
        cli_note("%s was cut off: it ends before its memory does", name);
    if (missing->damaged_parts)
        cli_note("%s: %u parts make no sense, and were left out", name, missing->damaged_parts);
    if (missing->files)
        cli_note("%s: the files of %u images are not here, or of another build, the first is "
                 "%s (--program, --sysroot)",
                 name, missing->files, cli_printable(loupe_span_of(missing->file)));
    if (missing->shared_images)
        cli_note("%s: %u libraries of the shared cache are not in it", name,
                 missing->shared_images);
    if (missing->packed_lines)
        cli_note("%s: debug information that cannot be unpacked here was left out", name);
    if (missing->not_copied)
        cli_note("%s: it stood still for %.2f s and ran on (--max-pause) when %.1f MB of what "
                 "it may write to were copied, and %.1f MB were not",
                 name, (double)loupe_reader_pause(file->reader) / 1e6,
                 (double)missing->copied / 1e6, (double)missing->not_copied / 1e6);
    if (missing->threads)
        cli_note("%s: the registers of %u threads are not known", name, missing->threads);
}

/* ---- Questions ---- */

struct answer {
    char start[4096]; /* enough for what every answer starts with, and for all of a refusal */
    size_t used;
    struct loupe_sink sink; /* of all of it */
};

static enum loupe_status write_answer(void *ctx, const char *bytes, size_t len) {
    struct answer *answer = ctx;
    size_t left = sizeof(answer->start) - 1 - answer->used;
    size_t part = len < left ? len : left;
    memcpy(answer->start + answer->used, bytes, part);
    answer->used += part;
    return answer->sink.write(answer->sink.ctx, bytes, len);
}

/* A question that was refused says so on stderr, too, as all else that fails does. */
static int say_refusal(const struct heap_query *query, const struct answer *answer) {
    struct loupe_span text = {answer->start, answer->used};
    struct loupe_arena arena;
    struct loupe_error unread = {0};
    const struct json_value *root;
    int status = CLI_FAILURE;
    loupe_arena_init(&arena, &heap_chunks);
    if (!json_read(text, &arena, &root, &unread))
        status = cli_fail(CLI_FAILURE, query->verb->name, "%s",
                          cli_printable(json_text(json_member(root, "error"), "message")));
    loupe_arena_deinit(&arena);
    return status;
}

int heap_target_put(const struct heap_query *query, const struct loupe_question *asked) {
    struct answer answer = {.used = 0, .sink = cli_answer_sink()};
    loupe_memory_set_limit(query->target, query->options.timeout);
    enum loupe_status status =
        loupe_answer(query->target, &heap_chunks, asked,
                     (struct loupe_sink){.write = write_answer, .ctx = &answer});
    cli_end_answer();
    if (status)
        return query->options.json ? say_refusal(query, &answer) : CLI_FAILURE;
    return strstr(answer.start, "\"status\":\"incomplete\"") ? CLI_INCOMPLETE : CLI_OK;
}

int heap_target_ask(const struct heap_query *query, const char *question, const char *operand) {
    struct loupe_question asked = {.engine = "memory",
                                   .limit = query->options.limit,
                                   .max_rings = (uint32_t)query->options.max_rings,
                                   .of_core = query->of_core};
    int failed = CLI_OK;
    if (heap_query_address(query, operand, &asked.address, &failed))
        failed = heap_begin_output(query);
    if (failed)
        return failed;
    loupe_query_named(question, &asked.query);
    return heap_target_put(query, &asked);
}
