#include "heap_target.h"

#include "loupe.h"

#include <inttypes.h>
#include <string.h>

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
                                           .interrupted = is_time_up};
    if (file->bytes)
        return loupe_core_open(file->bytes, file->size, &options, &file->reader, error);
    return loupe_process_open(process, &options, &file->reader, error);
}

enum loupe_status heap_target_snapshot(struct heap_file *file, struct loupe_error *error) {
    (void)file;
    return loupe_fail(
        error, LOUPE_EUSAGE, 0,
        "the whole heap of a core or a process is not read yet: ask about one object, "
        "as in loupe cycles FILE 0x1000, or in lldb");
}

void heap_target_note(const struct heap_file *file, const char *path) {
    const struct loupe_reader_missing *missing = loupe_reader_missing(file->reader);
    const char *name = cli_printable(loupe_span_of(path));
    if (missing->truncated)
        fprintf(stderr, "loupe: %s was cut off: it ends before its memory does\n", name);
    if (missing->damaged_parts)
        fprintf(stderr, "loupe: %s: %u parts make no sense, and were left out\n", name,
                missing->damaged_parts);
    if (missing->files)
        fprintf(stderr,
                "loupe: %s: the files of %u images are not here, or of another build, the first is "
                "%s (--program, --sysroot)\n",
                name, missing->files, cli_printable(loupe_span_of(missing->file)));
    if (missing->shared_images)
        fprintf(stderr, "loupe: %s: %u libraries of the shared cache are not in it\n", name,
                missing->shared_images);
    if (missing->packed_lines)
        fprintf(stderr, "loupe: %s: debug information that cannot be unpacked here was left out\n",
                name);
    if (missing->threads)
        fprintf(stderr, "loupe: %s: the registers of %u threads are not known\n", name,
                missing->threads);
}

/* ---- Questions ---- */

struct answer {
    char start[256]; /* enough for what every answer starts with */
    size_t used;
};

static enum loupe_status write_answer(void *ctx, const char *bytes, size_t len) {
    struct answer *answer = ctx;
    size_t left = sizeof(answer->start) - 1 - answer->used;
    size_t part = len < left ? len : left;
    memcpy(answer->start + answer->used, bytes, part);
    answer->used += part;
    return fwrite(bytes, 1, len, stdout) == len ? LOUPE_OK : LOUPE_EINTERNAL;
}

int heap_target_ask(const struct heap_query *query, const char *question, const char *operand) {
    struct loupe_question asked = {.engine = "memory", .limit = query->options.limit};
    struct answer answer = {.used = 0};
    if (!cli_parse_number(operand, UINT64_MAX, &asked.address))
        return heap_fail(query, LOUPE_EUSAGE, "'%s' is no address, as 0x7ff0010",
                         cli_printable(loupe_span_of(operand)));
    int failed = heap_begin_output(query);
    if (failed)
        return failed;
    loupe_query_named(question, &asked.query);
    loupe_memory_set_limit(query->target, query->options.timeout);
    enum loupe_status status =
        loupe_answer(query->target, &heap_chunks, &asked,
                     (struct loupe_sink){.write = write_answer, .ctx = &answer});
    putchar('\n');
    if (status)
        return status == LOUPE_ENOMEM ? CLI_FAILURE : CLI_NONSENSE;
    return strstr(answer.start, "\"status\":\"incomplete\"") ? CLI_INCOMPLETE : CLI_OK;
}
