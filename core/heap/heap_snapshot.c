#include "heap/heap_snapshot.h"

#include "base/numbers.h"
#include "heap/snapshot_builder.h"

#include <string.h>

enum { PART = 1 << 16 };

static void init_links(struct loupe_link_columns *links, const struct loupe_chunk_ops *chunks) {
    loupe_vector_init(&links->to, chunks, sizeof(uint32_t));
    loupe_vector_init(&links->slots, chunks, sizeof(uint32_t));
    loupe_vector_init(&links->labels, chunks, sizeof(uint32_t));
    loupe_vector_init(&links->kinds, chunks, sizeof(uint8_t));
}

static void deinit_links(struct loupe_link_columns *links) {
    loupe_vector_deinit(&links->to);
    loupe_vector_deinit(&links->slots);
    loupe_vector_deinit(&links->labels);
    loupe_vector_deinit(&links->kinds);
}

static void init(struct loupe_snapshot_builder *builder) {
    const struct loupe_chunk_ops *chunks = builder->chunks;
    loupe_heap_tables_init(&builder->tables, builder->target);
    loupe_vector_init(&builder->outside, chunks, sizeof(struct loupe_outside_node));
    loupe_vector_init(&builder->outside_ends, chunks, sizeof(uint32_t));
    loupe_map_init(&builder->outside_index, chunks);
    loupe_ranges_init(&builder->readable, chunks);
    loupe_map_init(&builder->isas, chunks);
    loupe_map_init(&builder->vtables, chunks);
    loupe_map_init(&builder->swift_classes, chunks);
    loupe_map_init(&builder->closures, chunks);
    loupe_map_init(&builder->vector_ends, chunks);
    builder->shape_steps = (uint64_t)4 * builder->heap_nodes;
    loupe_map_init(&builder->control_vtables, chunks);
    loupe_vector_init(&builder->controls, chunks, sizeof(struct loupe_control_class));
    loupe_vector_init(&builder->counted, chunks, sizeof(struct loupe_counted));
    memset(builder->member_labels, 0xff, sizeof(builder->member_labels));
    loupe_map_init(&builder->swift_fields, chunks);
    builder->context_class = LOUPE_NONE;
    loupe_vector_init(&builder->counted_words, chunks, sizeof(struct loupe_counted_word));
    loupe_vector_init(&builder->observers, chunks, sizeof(uint32_t));
    loupe_word_set_init(&builder->described, chunks);
    init_links(&builder->found, chunks);
    init_links(&builder->words, chunks);
    loupe_vector_init(&builder->dangling, chunks, sizeof(struct loupe_dangling));
    loupe_vector_init(&builder->items, chunks, sizeof(struct loupe_value_item));
    loupe_vector_init(&builder->roots, chunks, sizeof(struct loupe_snapshot_root));
    loupe_vector_init(&builder->root_places, chunks, sizeof(struct loupe_root_place));
    loupe_vector_init(&builder->threads, chunks, sizeof(struct loupe_snapshot_thread));
    loupe_map_init(&builder->thread_numbers, chunks);
    loupe_vector_init(&builder->thread_frames, chunks, sizeof(struct loupe_snapshot_frame));
    loupe_vector_init(&builder->frame_ends, chunks, sizeof(loupe_addr));
    loupe_map_init(&builder->frames_by_place, chunks);
    loupe_map_init(&builder->pools, chunks);
    loupe_vector_init(&builder->class_links, chunks, sizeof(struct loupe_class_link));
    loupe_heap_stacks_init(&builder->stacks, &builder->tables);
}

/* Arrays by block. */
static size_t bytes_for(const struct loupe_snapshot_builder *builder, size_t element) {
    return loupe_heap_column_bytes(builder, element);
}

static bool get_arrays(struct loupe_snapshot_builder *builder) {
    const struct loupe_chunk_ops *chunks = builder->chunks;
    builder->addresses = loupe_chunk_get(chunks, bytes_for(builder, sizeof(*builder->addresses)));
    builder->classes = loupe_chunk_get(chunks, bytes_for(builder, sizeof(*builder->classes)));
    builder->retain_counts =
        loupe_chunk_get(chunks, bytes_for(builder, sizeof(*builder->retain_counts)));
    builder->marks = loupe_chunk_get(chunks, bytes_for(builder, sizeof(*builder->marks)));
    builder->found.ends = loupe_chunk_get(chunks, bytes_for(builder, sizeof(uint32_t)));
    builder->words.ends = loupe_chunk_get(chunks, bytes_for(builder, sizeof(uint32_t)));
    builder->part = loupe_chunk_get(chunks, PART);
    return builder->addresses && builder->classes && builder->retain_counts && builder->marks &&
           builder->found.ends && builder->words.ends && builder->part;
}

static void deinit(struct loupe_snapshot_builder *builder) {
    const struct loupe_chunk_ops *chunks = builder->chunks;
    loupe_chunk_put(chunks, builder->addresses, bytes_for(builder, sizeof(*builder->addresses)));
    loupe_chunk_put(chunks, builder->classes, bytes_for(builder, sizeof(*builder->classes)));
    loupe_chunk_put(chunks, builder->retain_counts,
                    bytes_for(builder, sizeof(*builder->retain_counts)));
    loupe_chunk_put(chunks, builder->marks, bytes_for(builder, sizeof(*builder->marks)));
    loupe_chunk_put(chunks, builder->found.ends, bytes_for(builder, sizeof(uint32_t)));
    loupe_chunk_put(chunks, builder->words.ends, bytes_for(builder, sizeof(uint32_t)));
    loupe_chunk_put(chunks, builder->part, PART);
    loupe_heap_tables_deinit(&builder->tables);
    loupe_vector_deinit(&builder->outside);
    loupe_vector_deinit(&builder->outside_ends);
    loupe_map_deinit(&builder->outside_index);
    loupe_ranges_deinit(&builder->readable);
    loupe_map_deinit(&builder->isas);
    loupe_map_deinit(&builder->vtables);
    loupe_map_deinit(&builder->swift_classes);
    loupe_map_deinit(&builder->swift_fields);
    loupe_map_deinit(&builder->closures);
    loupe_map_deinit(&builder->vector_ends);
    loupe_map_deinit(&builder->control_vtables);
    loupe_vector_deinit(&builder->controls);
    loupe_vector_deinit(&builder->counted);
    if (builder->counted_nodes)
        loupe_numbers_put(chunks, &builder->counted_nodes, builder->heap_nodes);
    if (builder->swift_lowering)
        loupe_chunk_put(chunks, builder->swift_lowering, sizeof(*builder->swift_lowering));
    loupe_vector_deinit(&builder->counted_words);
    loupe_vector_deinit(&builder->observers);
    loupe_word_set_deinit(&builder->described);
    deinit_links(&builder->found);
    deinit_links(&builder->words);
    loupe_vector_deinit(&builder->dangling);
    loupe_vector_deinit(&builder->items);
    loupe_vector_deinit(&builder->roots);
    loupe_vector_deinit(&builder->root_places);
    loupe_vector_deinit(&builder->threads);
    loupe_map_deinit(&builder->thread_numbers);
    loupe_vector_deinit(&builder->thread_frames);
    loupe_vector_deinit(&builder->frame_ends);
    loupe_map_deinit(&builder->frames_by_place);
    loupe_map_deinit(&builder->pools);
    loupe_vector_deinit(&builder->class_links);
    loupe_heap_stacks_deinit(&builder->stacks);
    loupe_blocks_deinit(builder->blocks);
}

/* Memory without a class: what is of a type of C++ is an object. */
static void count_raw(struct loupe_snapshot_builder *builder) {
    struct loupe_heap_counts *counts = &builder->counts;
    for (uint32_t i = 0; i < builder->heap_nodes; i++) {
        bool is_raw = builder->classes[i] == builder->tables.plain_classes[LOUPE_CLASS_RAW] ||
                      loupe_heap_class_at(&builder->tables, builder->classes[i])->is_shape;
        counts->raw += is_raw;
        counts->raw_bytes += is_raw ? loupe_blocks_size(builder->blocks, i) : 0;
    }
}

static enum loupe_status make(struct loupe_snapshot_builder *builder, struct loupe_snapshot *ret) {
    if (!get_arrays(builder))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_heap_classify(builder);
    if (!status)
        status = loupe_heap_find_counted(builder);
    if (!status)
        status = loupe_heap_find_class_memory(builder);
    if (!status)
        status = loupe_heap_leave_out_unused(builder);
    if (!status)
        status = loupe_heap_find_described(builder);
    if (!status)
        status = loupe_heap_find_roots(builder);
    if (!status)
        status = loupe_heap_find_words(builder);
    if (!status)
        status = loupe_heap_label_boxes(builder);
    if (!status)
        loupe_heap_forget_behind_ends(builder);
    if (!status)
        status = loupe_heap_mark_left_behind(builder);
    if (!status)
        status = loupe_heap_stacks_take(&builder->stacks, builder->blocks);
    if (!status)
        count_raw(builder);
    return status ? status : loupe_heap_freeze(builder, ret);
}

/* What is outside of the heap is seldom more than this, and then costs a copy of all columns. */
static uint32_t room_for(uint32_t blocks) {
    enum { SHARE = 32, LEAST = 1024 };
    return blocks + blocks / SHARE + LEAST;
}

enum loupe_status loupe_heap_snapshot_make(struct loupe_walk *walk, const struct loupe_scene *scene,
                                           struct loupe_blocks *blocks,
                                           const struct loupe_heap_options *options,
                                           struct loupe_snapshot *ret) {
    const struct loupe_chunk_ops *chunks = walk->target->chunks;
    struct loupe_snapshot_builder *builder = loupe_chunk_get(chunks, sizeof(*builder));
    if (!builder) {
        loupe_blocks_deinit(blocks);
        return LOUPE_ENOMEM;
    }
    *builder = (struct loupe_snapshot_builder){.target = walk->target,
                                               .chunks = chunks,
                                               .walk = walk,
                                               .scene = scene,
                                               .blocks = blocks,
                                               .options = options,
                                               .heap_nodes = blocks->count,
                                               .room = room_for(blocks->count)};
    walk->explains = true; /* what a weak slot leads to must be known */
    init(builder);
    enum loupe_status status = make(builder, ret);
    walk->taker = NULL;
    deinit(builder);
    loupe_chunk_put(chunks, builder, sizeof(*builder));
    return status;
}
