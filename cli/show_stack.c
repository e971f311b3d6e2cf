#include "show_stack.h"

#include "amounts.h"
#include "answers/recorder_text.h"
#include "cli.h"
#include "look.h"
#include "recorded/recorded.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_OF_RING = 32 };

static struct loupe_span file_name(struct loupe_span path) {
    size_t start = path.length;
    while (start && path.bytes[start - 1] != '/')
        start--;
    return (struct loupe_span){path.bytes + start, path.length - start};
}

static struct words words_of_frame(const struct loupe_snapshot *snapshot,
                                   const struct loupe_recorded_frame *frame) {
    struct loupe_span file = file_name(loupe_snapshot_string(snapshot, frame->file));
    struct loupe_span image = file_name(loupe_snapshot_string(snapshot, frame->image));
    struct loupe_span function = loupe_snapshot_string(snapshot, frame->function);
    struct words name = function.length ? words_say("in %s", cli_printable(function))
                                        : words_say("at 0x%" PRIx64, frame->address);
    if (file.length)
        return words_say("at %s:%" PRIu32 " %s", cli_printable(file), frame->line, name.text);
    return image.length ? words_say("%s of %s", name.text, cli_printable(image)) : name;
}

struct words words_of_stack(const struct loupe_snapshot *snapshot, uint32_t stack) {
    const struct loupe_recorded_frame *frame =
        stack == LOUPE_NONE ? NULL : loupe_snapshot_guilty(snapshot, stack);
    return frame ? words_of_frame(snapshot, frame) : words_say("not recorded");
}

void show_allocation(const struct loupe_snapshot *snapshot, uint32_t node, const char *margin) {
    if (loupe_snapshot_has_recorder(snapshot))
        printf("%sallocated %s\n", margin,
               words_of_stack(snapshot, loupe_snapshot_stack(snapshot, node)).text);
}

void show_allocations_of_ring(const struct loupe_heap_graph *graph, const struct loupe_ring *ring) {
    const struct loupe_snapshot *snapshot = graph->snapshot;
    if (!loupe_snapshot_has_recorder(snapshot))
        return;
    printf("  Allocated:\n");
    for (uint32_t i = 0; i < ring->length && i < MOST_OF_RING; i++) {
        uint32_t node = loupe_heap_graph_node(graph, loupe_ring_from(&graph->graph, ring, i));
        printf("    %s %s\n", words_of_object(snapshot, node).text,
               words_of_stack(snapshot, loupe_snapshot_stack(snapshot, node)).text);
    }
    if (ring->length > MOST_OF_RING)
        printf("    and %s more (--json has all)\n", cli_count(ring->length - MOST_OF_RING));
}

void show_recorder(const struct loupe_snapshot *snapshot) {
    if (!loupe_snapshot_has_recorder(snapshot))
        return;
    const struct loupe_recorder *recorder = snapshot->native->recorder;
    struct answer_recorder facts = {.is_bypassed = recorder->state == LOUPE_RECORDED_BYPASSED,
                                    .is_other_version =
                                        recorder->state == LOUPE_RECORDED_OTHER_VERSION,
                                    .blocks_left_out = recorder->blocks_left_out,
                                    .stacks_left_out = recorder->stacks_left_out};
    struct answer_look look = look_of_tool();
    struct answer_lines lines;
    answer_lines_init(&lines, NULL, &look, cli_stdout_sink());
    answer_say_recorder_of(&lines, &facts);
}
