/* Stacks as text: the report of answers/ about the answer in JSON. */
#include "backtraces/report.h"

#include "answers/parts/gathered_text.h"
#include "answers/reports/report.h"

static enum loupe_status say(struct loupe_span text, struct loupe_arena *arena,
                             struct loupe_sink sink) {
    const struct answer_look look = {.host = ANSWER_IN_PROGRAM};
    const struct answer_report report = {.width = 0};
    const struct json_value *root;
    struct loupe_error error;
    struct answer answer;
    struct answer_lines lines;
    enum loupe_status status = json_read(text, arena, &root, &error);
    if (!status)
        status = answer_open(&answer, root, arena);
    if (status)
        return status;
    answer_lines_init(&lines, &answer, &look, sink);
    status = answer_say_report(&lines, &report);
    answer_close(&answer);
    return status;
}

enum loupe_status loupe_stacks_write_text(const struct loupe_stacks *stacks,
                                          struct loupe_naming *naming,
                                          const struct loupe_envelope *envelope, uint64_t started,
                                          struct loupe_sink sink) {
    struct loupe_arena arena;
    struct loupe_json json;
    struct gathered_text text = {.arena = &arena};
    loupe_arena_init(&arena, naming->target->arena.chunks);
    loupe_json_init(&json, gathered_text_sink(&text));
    loupe_stacks_write_json(stacks, naming, envelope, started, &json);
    enum loupe_status status = loupe_json_finish(&json);
    if (!status)
        status = say(gathered_text_get(&text), &arena, sink);
    loupe_arena_deinit(&arena);
    return status;
}
