#include "show_walk.h"

#include "check.h"
#include "edges/details/describe.h"
#include "base/json.h"

#include <stdarg.h>
#include <stdlib.h>

static void say(struct drawn_text *text, const char *format, ...) {
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    struct loupe_sink sink = drawn_text_sink(text);
    if (length > 0)
        sink.write(sink.ctx, line, (size_t)length);
}

static void show_edges(struct drawn_text *text, const struct loupe_graph *graph,
                       const struct loupe_describer *describer) {
    for (uint32_t i = 0; i < loupe_graph_edge_count(graph); i++) {
        struct loupe_edge edge = loupe_graph_edge(graph, i);
        uint32_t from = loupe_graph_source(graph, i);
        struct loupe_edge_label label;
        describer->label(describer->ctx, graph, from, i, &label);
        struct loupe_span left = describer->class_name(describer->ctx, graph, from);
        struct loupe_span right = describer->class_name(describer->ctx, graph, edge.to);
        say(text, "%.*s -- %s --> %.*s (%s%s)\n", (int)left.length, left.bytes, label.path,
            (int)right.length, right.bytes, loupe_edge_kind_name((enum loupe_edge_kind)edge.kind),
            edge.ownership == LOUPE_STRONG     ? ""
            : edge.ownership == LOUPE_DECLARED ? ", declared"
                                               : ", assumed");
    }
}

static void show_findings(struct drawn_text *text, const struct loupe_findings *findings) {
    for (unsigned i = 0; i < LOUPE_FINDING_COUNT; i++) {
        if (findings->by_reason[i].count)
            say(text, "! %llu %s\n", (unsigned long long)findings->by_reason[i].count,
                loupe_finding_text((enum loupe_finding)i));
    }
}

static enum loupe_status show(struct loupe_target *target, loupe_addr seed, struct drawn_text *text,
                              struct loupe_error *err) {
    struct loupe_object object;
    struct loupe_graph graph;
    struct loupe_walk walk;
    enum loupe_status status = loupe_abi_detect(target, err);
    if (status || (status = loupe_object_at(target, seed, &object, err)))
        return status;
    loupe_graph_init(&graph, target->chunks, 0, &target->findings);
    loupe_walk_init(&walk, target);
    struct loupe_expander expander = loupe_walk_expander(&walk);
    struct loupe_describer describer = loupe_describe(&walk);
    status = loupe_walk_seed(&walk, &graph, &object);
    if (!status)
        status = loupe_graph_build(&graph, target->memory, &expander);
    show_edges(text, &graph, &describer);
    show_findings(text, &target->findings);
    loupe_graph_deinit(&graph);
    return status ? loupe_fail(err, status, seed, "the walk failed") : LOUPE_OK;
}

char *show_walk(struct drawn_world *world, loupe_addr seed) {
    struct drawn_text text = {0};
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_error error;
    drawn_memory(world->heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    say(&text, "%s", "");
    if (show(&target, seed, &text, &error))
        say(&text, "error: %s\n", error.message);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return text.text ? text.text : calloc(1, 1);
}

bool check_walk(struct drawn_world *world, loupe_addr seed, const char *want, const char *file,
                int line) {
    char *got = show_walk(world, seed);
    bool ok = check_str(got, want, file, line, "walk");
    free(got);
    return ok;
}
