/*
 * incoming-refs: who holds an object. Of the whole heap, by a snapshot, wherever all that is in use
 * is known for certain; else of what roots lead to, by a walk.
 */
#include "questions/answering.h"

#include "edges/details/describe.h"
#include "heap/heap_snapshot.h"
#include "leaks/holders.h"
#include "questions/freed_object.h"
#include "questions/live_heap.h"
#include "report/heaps/report_trace.h"
#include "report/report_graph.h"
#include "report/objects/report_incoming.h"
#include "report/report_stacks.h"
#include "report/report_unread.h"
#include "runtime/freed.h"

/* ---- Whether the whole heap can be looked at ---- */

/* Blocks that are only guessed to be in use may have been freed: they would look like holders. */
static const char *why_not_known(const struct loupe_answering *answering,
                                 const struct loupe_blocks *blocks) {
    uint32_t ignored;
    if (!loupe_ranges_count(&answering->scene.writable))
        return "the system does not report writable memory";
    if (!blocks->allocators.count)
        return "no allocator was recognised";
    for (uint32_t i = 0; i < blocks->allocators.count; i++) {
        const struct loupe_allocator *allocator = loupe_blocks_allocator(blocks, i);
        if (allocator->doubt)
            return allocator->doubt;
    }
    if (!loupe_blocks_find(blocks, answering->object.address, &ignored))
        return "the object is in no memory that an allocator gave out";
    return NULL;
}

/* ---- The answer ---- */

static uint64_t bytes_of_sources(const struct loupe_scene *scene) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scene, i);
        bytes += source->memory.end - source->memory.start;
    }
    return bytes;
}

/* What is known of references of the object asked about, and of those to it: others of the whole
 * heap are no part of the answer. */
static bool is_about(const struct loupe_answering *answering, loupe_addr from,
                     const struct loupe_nonowning_ref *slot) {
    return from == answering->object.address || slot->target == answering->object.address;
}

/* References to what was freed stand in nodes of the snapshot; they are named as the walk has them.
 */
static void report_freed_slots(struct loupe_answering *answering,
                               const struct loupe_snapshot *snapshot) {
    struct loupe_describer describer = loupe_describe(&answering->walk);
    struct loupe_freed_slots *slots = &answering->walk.freed;
    uint32_t count = 0;
    for (uint32_t i = 0; i < slots->count; i++) {
        struct loupe_nonowning_ref slot = slots->items[i];
        loupe_addr address = loupe_snapshot_address(snapshot, slot.from);
        struct loupe_object object;
        if (!is_about(answering, address, &slot))
            continue;
        if (!loupe_graph_find(&answering->graph, address, &slot.from) &&
            (loupe_object_at(&answering->target, address, &object, NULL) ||
             loupe_graph_add_node(&answering->graph, address,
                                  loupe_node_tag(loupe_object_kind(&object), object.cls->number),
                                  &slot.from))) {
            slots->left_out++;
            continue;
        }
        slots->items[count++] = slot;
    }
    slots->count = count;
    loupe_report_freed_slots(answering->json, &answering->graph, &describer, slots);
}

static enum loupe_status report(struct loupe_answering *answering, struct loupe_holders *holders,
                                struct loupe_filters known) {
    const struct loupe_snapshot *snapshot = holders->snapshot;
    struct loupe_describer describer = loupe_describe_heap(&holders->heap);
    struct loupe_shown_stacks stacks;
    struct loupe_memory_owners owners;
    struct loupe_heap_memory memory = loupe_report_owners_of(&owners);
    struct loupe_live_heap *live = loupe_arena_alloc(&answering->target.arena, sizeof(*live));
    struct loupe_incoming_answer answer = {
        .graph = &holders->heap.graph,
        .seed = holders->seed,
        .describer = &describer,
        .known = known,
        .incoming = &holders->incoming,
        .paths = &holders->paths,
        .roots = &holders->roots,
        .scene = &answering->scene,
        .heap = snapshot,
        .symbols = answering->target.memory,
        .root_count = snapshot->columns.root_count,
        .keeps = &holders->keeps,
        .verdict = holders->verdict,
        .evidence = holders->evidence,
        .words = holders->words,
        .scanned = bytes_of_sources(&answering->scene),
        .nonowning = answering->request.explains ? &holders->nonowning : NULL,
        .arena = &answering->target.arena};
    enum loupe_status status =
        live ? loupe_shown_stacks_init(&stacks, snapshot, answering->target.chunks) : LOUPE_ENOMEM;
    if (status)
        return status;
    loupe_live_heap_init(live, snapshot, &answering->target, answering->facts);
    loupe_memory_owners_init(&owners, snapshot, answering->target.chunks);
    owners.symbols = answering->target.memory;
    holders->heap.memory = &memory;
    holders->heap.live = &live->facts;
    holders->heap.shown_stacks = &stacks.calls;
    status = loupe_report_incoming_prepare(&answer);
    if (!status) {
        loupe_answering_begin_report(answering);
        loupe_answering_report_freed(answering);
        loupe_report_incoming(answering->json, &answer);
        if (holders->evidence.was_freed)
            status = loupe_answering_report_dangling(answering, &owners);
        loupe_report_shown_stacks(answering->json, &stacks);
        loupe_report_unread(answering->json, &answering->walk.unread);
        report_freed_slots(answering, snapshot);
        loupe_report_not_followed(answering->json, &answering->target.findings);
        loupe_answering_end_heap(answering, snapshot);
    }
    holders->heap.memory = NULL;
    loupe_memory_owners_deinit(&owners);
    loupe_live_heap_deinit(live);
    loupe_shown_stacks_deinit(&stacks);
    return status;
}

/* A zombie is an object as any to the heap. */
static void judge_if_freed(struct loupe_answering *answering, struct loupe_holders *holders) {
    struct loupe_freed freed;
    holders->evidence.was_freed =
        loupe_freed_at(&answering->target, answering->object.address, &freed) && freed.certain;
    if (holders->evidence.was_freed)
        loupe_object_verdict_find(&holders->heap.graph, &holders->incoming, &holders->evidence,
                                  &holders->verdict);
}

static enum loupe_status find_and_report(struct loupe_answering *answering,
                                         const struct loupe_snapshot *snapshot, uint32_t node) {
    struct loupe_filters known;
    struct loupe_filter *filters;
    struct loupe_holders holders;
    enum loupe_status status = loupe_answering_filters(answering, &filters, &known.count);
    if (status)
        return status;
    known.items = filters;
    known.count = loupe_filters_keep_knowledge(filters, known.count);
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_SEARCH);
    status = loupe_holders_find(snapshot, node, known, answering->target.chunks,
                                &answering->target.arena, &holders);
    if (status)
        return loupe_answering_fail(answering, status);
    judge_if_freed(answering, &holders);
    status = report(answering, &holders, known);
    loupe_holders_deinit(&holders);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

/* ---- Both ways ---- */

/* What was looked at so far is of no use for a walk from the roots. */
static enum loupe_status begin_anew(struct loupe_answering *answering, const char *why) {
    answering->target.findings = (struct loupe_findings){0};
    loupe_graph_deinit(&answering->graph);
    enum loupe_status status = loupe_answering_begin_walk(answering, LOUPE_NEEDS_ROOTS);
    return status ? status : loupe_answer_incoming_by_walk(answering, why);
}

static enum loupe_status answer_from_blocks(struct loupe_answering *answering,
                                            struct loupe_blocks *blocks) {
    struct loupe_snapshot snapshot;
    uint32_t node;
    enum loupe_status status = loupe_answering_look_into(answering, blocks, &snapshot);
    if (status)
        return begin_anew(answering, LOUPE_NO_WHOLE_HEAP);
    bool is_there = loupe_snapshot_find(&snapshot, answering->object.address, &node) &&
                    loupe_native_node_kind(&snapshot, node) != LOUPE_NODE_RAW;
    if (is_there)
        status = find_and_report(answering, &snapshot, node);
    loupe_snapshot_deinit(&snapshot);
    return is_there ? status : begin_anew(answering, "the object seems to have been freed");
}

enum loupe_status loupe_answer_incoming_refs(struct loupe_answering *answering) {
    struct loupe_blocks blocks;
    const char *why = loupe_answering_why_no_heap(answering);
    if (why)
        return loupe_answer_incoming_by_walk(answering, why);
    enum loupe_status status = loupe_answering_take_scene(answering);
    if (status)
        return loupe_answering_fail(answering, status);
    loupe_blocks_init(&blocks, answering->target.chunks);
    status = loupe_blocks_take(&blocks, &answering->target, &answering->scene);
    why = status ? "out of memory or time while reading the tables of allocators"
                 : why_not_known(answering, &blocks);
    if (!why)
        return answer_from_blocks(answering, &blocks);
    loupe_blocks_deinit(&blocks);
    return loupe_answer_incoming_by_walk(answering, why);
}
