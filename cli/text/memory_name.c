/* Written as the JSON that answers have, and worded from it. */
#include "text/memory_name.h"

#include "answers/parts/gathered_text.h"
#include "answers/parts/heap_text.h"
#include "heaps/heap_verb.h"
#include "report/heaps/report_trace.h"

static enum loupe_status put(const struct loupe_tracer *tracer, uint32_t node,
                             struct gathered_text *text) {
    struct loupe_json json;
    loupe_json_init(&json, gathered_text_sink(text));
    loupe_json_begin_object(&json);
    loupe_report_part_of(&json, tracer, node);
    loupe_json_end_object(&json);
    return loupe_json_finish(&json);
}

size_t memory_name(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap) {
    struct loupe_arena arena;
    struct gathered_text text = {.arena = &arena};
    struct loupe_error err;
    struct answer answer;
    const struct json_value *object = NULL;
    size_t length = 0;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status status = put(tracer, node, &text);
    if (!status)
        status = json_read(gathered_text_get(&text), &arena, &object, &err);
    if (!status && json_has(object, "part_of") && !answer_open(&answer, object, &arena)) {
        length = answer_memory_name(&answer, object, dst, cap);
        answer_close(&answer);
    }
    loupe_arena_deinit(&arena);
    return length;
}
