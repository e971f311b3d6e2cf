#include "heap/heap_snapshot.h"

#include "base/numbers.h"
#include "heap/maker.h"

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

static void init(struct loupe_heap_maker *maker) {
    const struct loupe_chunk_ops *chunks = maker->chunks;
    loupe_heap_tables_init(&maker->tables, maker->target);
    loupe_vector_init(&maker->outside, chunks, sizeof(struct loupe_outside_node));
    loupe_vector_init(&maker->outside_ends, chunks, sizeof(uint32_t));
    loupe_map_init(&maker->outside_index, chunks);
    loupe_ranges_init(&maker->readable, chunks);
    loupe_map_init(&maker->isas, chunks);
    loupe_map_init(&maker->vtables, chunks);
    loupe_map_init(&maker->swift_classes, chunks);
    loupe_map_init(&maker->closures, chunks);
    loupe_map_init(&maker->control_vtables, chunks);
    loupe_vector_init(&maker->controls, chunks, sizeof(struct loupe_control_class));
    loupe_vector_init(&maker->counted, chunks, sizeof(struct loupe_counted));
    memset(maker->member_labels, 0xff, sizeof(maker->member_labels));
    loupe_map_init(&maker->swift_fields, chunks);
    maker->context_class = LOUPE_NONE;
    loupe_vector_init(&maker->counted_words, chunks, sizeof(struct loupe_counted_word));
    loupe_vector_init(&maker->observers, chunks, sizeof(uint32_t));
    loupe_word_set_init(&maker->described, chunks);
    init_links(&maker->found, chunks);
    init_links(&maker->words, chunks);
    loupe_vector_init(&maker->dangling, chunks, sizeof(struct loupe_dangling));
    loupe_vector_init(&maker->roots, chunks, sizeof(struct loupe_snapshot_root));
    loupe_vector_init(&maker->root_places, chunks, sizeof(struct loupe_root_place));
    loupe_vector_init(&maker->threads, chunks, sizeof(struct loupe_snapshot_thread));
    loupe_map_init(&maker->thread_numbers, chunks);
    loupe_map_init(&maker->pools, chunks);
    loupe_vector_init(&maker->class_links, chunks, sizeof(struct loupe_class_link));
    loupe_heap_stacks_init(&maker->stacks, &maker->tables);
}

/* Arrays by block. */
static size_t bytes_for(const struct loupe_heap_maker *maker, size_t element) {
    return loupe_heap_column_bytes(maker, element);
}

static bool get_arrays(struct loupe_heap_maker *maker) {
    const struct loupe_chunk_ops *chunks = maker->chunks;
    maker->addresses = loupe_chunk_get(chunks, bytes_for(maker, sizeof(*maker->addresses)));
    maker->classes = loupe_chunk_get(chunks, bytes_for(maker, sizeof(*maker->classes)));
    maker->retain_counts = loupe_chunk_get(chunks, bytes_for(maker, sizeof(*maker->retain_counts)));
    maker->marks = loupe_chunk_get(chunks, bytes_for(maker, sizeof(*maker->marks)));
    maker->found.ends = loupe_chunk_get(chunks, bytes_for(maker, sizeof(uint32_t)));
    maker->words.ends = loupe_chunk_get(chunks, bytes_for(maker, sizeof(uint32_t)));
    maker->part = loupe_chunk_get(chunks, PART);
    return maker->addresses && maker->classes && maker->retain_counts && maker->marks &&
           maker->found.ends && maker->words.ends && maker->part;
}

static void deinit(struct loupe_heap_maker *maker) {
    const struct loupe_chunk_ops *chunks = maker->chunks;
    loupe_chunk_put(chunks, maker->addresses, bytes_for(maker, sizeof(*maker->addresses)));
    loupe_chunk_put(chunks, maker->classes, bytes_for(maker, sizeof(*maker->classes)));
    loupe_chunk_put(chunks, maker->retain_counts, bytes_for(maker, sizeof(*maker->retain_counts)));
    loupe_chunk_put(chunks, maker->marks, bytes_for(maker, sizeof(*maker->marks)));
    loupe_chunk_put(chunks, maker->found.ends, bytes_for(maker, sizeof(uint32_t)));
    loupe_chunk_put(chunks, maker->words.ends, bytes_for(maker, sizeof(uint32_t)));
    loupe_chunk_put(chunks, maker->part, PART);
    loupe_heap_tables_deinit(&maker->tables);
    loupe_vector_deinit(&maker->outside);
    loupe_vector_deinit(&maker->outside_ends);
    loupe_map_deinit(&maker->outside_index);
    loupe_ranges_deinit(&maker->readable);
    loupe_map_deinit(&maker->isas);
    loupe_map_deinit(&maker->vtables);
    loupe_map_deinit(&maker->swift_classes);
    loupe_map_deinit(&maker->swift_fields);
    loupe_map_deinit(&maker->closures);
    loupe_map_deinit(&maker->control_vtables);
    loupe_vector_deinit(&maker->controls);
    loupe_vector_deinit(&maker->counted);
    if (maker->counted_nodes)
        loupe_numbers_put(chunks, &maker->counted_nodes, maker->heap_nodes);
    loupe_vector_deinit(&maker->counted_words);
    loupe_vector_deinit(&maker->observers);
    loupe_word_set_deinit(&maker->described);
    deinit_links(&maker->found);
    deinit_links(&maker->words);
    loupe_vector_deinit(&maker->dangling);
    loupe_vector_deinit(&maker->roots);
    loupe_vector_deinit(&maker->root_places);
    loupe_vector_deinit(&maker->threads);
    loupe_map_deinit(&maker->thread_numbers);
    loupe_map_deinit(&maker->pools);
    loupe_vector_deinit(&maker->class_links);
    loupe_heap_stacks_deinit(&maker->stacks);
    loupe_blocks_deinit(maker->blocks);
}

/* Memory without a class: what is of a type of C++ is an object. */
static void count_raw(struct loupe_heap_maker *maker) {
    struct loupe_heap_counts *counts = &maker->counts;
    for (uint32_t i = 0; i < maker->heap_nodes; i++) {
        bool is_raw = maker->classes[i] == maker->tables.plain_classes[LOUPE_CLASS_RAW];
        counts->raw += is_raw;
        counts->raw_bytes += is_raw ? loupe_blocks_size(maker->blocks, i) : 0;
    }
}

static enum loupe_status make(struct loupe_heap_maker *maker, struct loupe_snapshot *ret) {
    if (!get_arrays(maker))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_heap_classify(maker);
    if (!status)
        status = loupe_heap_find_counted(maker);
    if (!status)
        status = loupe_heap_find_class_memory(maker);
    if (!status)
        status = loupe_heap_find_described(maker);
    if (!status)
        status = loupe_heap_find_roots(maker);
    if (!status)
        status = loupe_heap_find_words(maker);
    if (!status)
        status = loupe_heap_mark_left_behind(maker);
    if (!status)
        status = loupe_heap_stacks_take(&maker->stacks, maker->blocks);
    if (!status)
        count_raw(maker);
    return status ? status : loupe_heap_seal(maker, ret);
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
    struct loupe_heap_maker *maker = loupe_chunk_get(chunks, sizeof(*maker));
    if (!maker) {
        loupe_blocks_deinit(blocks);
        return LOUPE_ENOMEM;
    }
    *maker = (struct loupe_heap_maker){.target = walk->target,
                                       .chunks = chunks,
                                       .walk = walk,
                                       .scene = scene,
                                       .blocks = blocks,
                                       .options = options,
                                       .heap_nodes = blocks->count,
                                       .room = room_for(blocks->count)};
    walk->explains = true; /* what a weak slot leads to must be known */
    init(maker);
    enum loupe_status status = make(maker, ret);
    walk->taker = NULL;
    deinit(maker);
    loupe_chunk_put(chunks, maker, sizeof(*maker));
    return status;
}
