/* Parts of answers about whole heaps: written as the JSON that they are, and worded from it. */
#include "text/show_trace.h"

#include "answers/parts/gathered_text.h"
#include "answers/parts/heap_text.h"
#include "answers/reports/parts.h"
#include "shared/cli.h"
#include "heaps/heap_verb.h"
#include "shared/look.h"
#include "report/heaps/report_trace.h"

struct part {
    struct loupe_arena arena;
    struct gathered_text text;
    struct loupe_json json;
};

/* The part is an object that is open. */
static void begin(struct part *part, const struct loupe_snapshot *snapshot) {
    loupe_arena_init(&part->arena, &heap_chunks);
    part->text = (struct gathered_text){.arena = &part->arena};
    loupe_json_init(&part->json, gathered_text_sink(&part->text));
    loupe_json_begin_object(&part->json);
    loupe_json_key(&part->json, "snapshot");
    loupe_json_begin_object(&part->json);
    loupe_json_put_string(&part->json, "source", snapshot->native ? "objc" : "hprof");
    loupe_json_end_object(&part->json);
    loupe_json_key(&part->json, "part");
    loupe_json_begin_object(&part->json);
}

static enum loupe_status read(struct part *part, struct answer *ret) {
    const struct json_value *root;
    struct loupe_error err;
    loupe_json_end_object(&part->json);
    enum loupe_status status = loupe_json_finish(&part->json);
    if (!status)
        status = json_read(gathered_text_get(&part->text), &part->arena, &root, &err);
    return status ? status : answer_open(ret, root, &part->arena);
}

typedef void say_part(struct answer_lines *lines, const struct json_value *value);

static void end(struct part *part, say_part *say) {
    struct answer_look look = look_of_tool();
    struct answer answer;
    struct answer_lines lines;
    if (read(part, &answer)) {
        printf("(not shown: out of memory)");
    } else {
        answer_lines_init(&lines, &answer, &look, cli_stdout_sink());
        say(&lines, json_member(answer.root, "part"));
        answer_hand_on(&lines);
        answer_close(&answer);
    }
    loupe_arena_deinit(&part->arena);
}

static void say_object(struct answer_lines *lines, const struct json_value *value) {
    answer_say_heap_object(lines, value, ANSWER_SHORT_VALUE);
}

void show_object(const struct loupe_tracer *tracer, uint32_t node) {
    struct part part;
    begin(&part, tracer->snapshot);
    loupe_report_heap_object(&part.json, tracer->snapshot, node);
    loupe_report_part_of(&part.json, tracer, node);
    loupe_json_end_object(&part.json);
    end(&part, say_object);
}

void show_link(const struct loupe_tracer *tracer, uint32_t from, uint32_t link) {
    struct part part;
    begin(&part, tracer->snapshot);
    loupe_report_link(&part.json, tracer, from, link);
    loupe_json_end_object(&part.json);
    end(&part, answer_say_heap_link);
}

size_t memory_words(const struct loupe_tracer *tracer, uint32_t node, char *dst, size_t cap) {
    struct answer answer;
    struct part part;
    size_t length = 0;
    begin(&part, tracer->snapshot);
    loupe_report_part_of(&part.json, tracer, node);
    loupe_json_end_object(&part.json);
    if (!read(&part, &answer)) {
        const struct json_value *object = json_member(answer.root, "part");
        if (json_has(object, "part_of"))
            length = answer_memory_name(&answer, object, dst, cap);
        answer_close(&answer);
    }
    loupe_arena_deinit(&part.arena);
    return length;
}

static void say_way(struct answer_lines *lines, const struct json_value *value) {
    if (answer_say_way(lines, value))
        answer_say(lines, "(not shown: out of memory)");
}

void show_trace(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                const struct loupe_dominators *dominators) {
    struct part part;
    struct loupe_shown_stacks stacks;
    struct loupe_trace_facts facts = {.stacks = &stacks, .dominators = dominators};
    begin(&part, tracer->snapshot);
    if (loupe_shown_stacks_init(&stacks, tracer->snapshot, &heap_chunks)) {
        loupe_arena_deinit(&part.arena);
        return;
    }
    loupe_report_trace_members(&part.json, tracer, trace, &facts);
    loupe_json_end_object(&part.json);
    loupe_report_shown_stacks(&part.json, &stacks);
    loupe_shown_stacks_deinit(&stacks);
    end(&part, say_way);
}
