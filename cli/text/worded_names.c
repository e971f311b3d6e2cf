/* Written as the JSON that answers have, and worded from it. */
#include "text/worded_names.h"

#include "answers/parts/gathered_text.h"
#include "answers/parts/heap_text.h"
#include "heaps/heap_verb.h"
#include "report/heaps/report_trace.h"

/* One part of an answer: how it is written, and how it is worded. */
struct part {
    void (*write)(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t number);
    size_t (*say)(const struct answer *answer, const struct json_value *object, char *dst,
                  size_t cap);
};

static enum loupe_status read_part(const struct part *part, const struct loupe_tracer *tracer,
                                   uint32_t number, struct loupe_arena *arena,
                                   const struct json_value **ret) {
    struct gathered_text text = {.arena = arena};
    struct loupe_json json;
    struct loupe_error err;
    loupe_json_init(&json, gathered_text_sink(&text));
    part->write(&json, tracer, number);
    enum loupe_status status = loupe_json_finish(&json);
    return status ? status : json_read(gathered_text_get(&text), arena, ret, &err);
}

static size_t say_part(const struct part *part, const struct loupe_tracer *tracer, uint32_t number,
                       char *dst, size_t cap) {
    struct loupe_arena arena;
    struct answer answer;
    const struct json_value *object = NULL;
    size_t length = 0;
    loupe_arena_init(&arena, &heap_chunks);
    if (!read_part(part, tracer, number, &arena, &object) &&
        !answer_open(&answer, object, &arena)) {
        length = part->say(&answer, object, dst, cap);
        answer_close(&answer);
    }
    loupe_arena_deinit(&arena);
    return length;
}

static void write_memory(struct loupe_json *json, const struct loupe_tracer *tracer,
                         uint32_t node) {
    loupe_json_begin_object(json);
    loupe_report_part_of(json, tracer, node);
    loupe_json_end_object(json);
}

static size_t say_memory(const struct answer *answer, const struct json_value *object, char *dst,
                         size_t cap) {
    return json_has(object, "part_of") ? answer_memory_name(answer, object, dst, cap) : 0;
}

size_t memory_name(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap) {
    static const struct part part = {write_memory, say_memory};
    return say_part(&part, tracer, node, dst, cap);
}

static void write_root(struct loupe_json *json, const struct loupe_tracer *tracer, uint32_t root) {
    loupe_report_root(json, tracer, root, NULL);
}

size_t root_name(const struct loupe_snapshot *snapshot, uint32_t root, char *dst, size_t cap) {
    static const struct part part = {write_root, answer_root_name};
    struct loupe_tracer tracer = {.snapshot = snapshot, .columns = snapshot->columns};
    return say_part(&part, &tracer, root, dst, cap);
}
