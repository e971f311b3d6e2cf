#include "analysis/part.h"

#include "base/bits.h"

static uint32_t words_of(uint32_t nodes) {
    return nodes / 64 + 1;
}

static uint64_t inside(const struct loupe_heap_part *part, uint32_t word) {
    return ~part->outside->words[word];
}

uint32_t loupe_heap_part_node(const struct loupe_heap_part *part, uint32_t node) {
    uint64_t lower = inside(part, node / 64) & (((uint64_t)1 << node % 64) - 1);
    return part->before[node / 64] + loupe_count_bits(lower);
}

/* ---- How much there is ---- */

static bool number_nodes(struct loupe_heap_part *part, uint32_t nodes) {
    part->before = loupe_numbers_get(part->chunks, words_of(nodes));
    for (uint32_t word = 0; part->before && word < words_of(nodes); word++) {
        uint32_t left = nodes - word * 64;
        uint64_t bits = inside(part, word) & (left < 64 ? ((uint64_t)1 << left) - 1 : UINT64_MAX);
        part->before[word] = part->columns.nodes;
        part->columns.nodes += loupe_count_bits(bits);
    }
    return part->before != NULL;
}

static bool is_link(const struct loupe_heap_part *part, const struct loupe_columns *columns,
                    loupe_link_kinds kinds, uint32_t link) {
    return loupe_heap_part_has(part, loupe_link_target(columns, link)) &&
           loupe_link_counts(columns, link, kinds);
}

static void count(struct loupe_heap_part *part, const struct loupe_columns *columns,
                  loupe_link_kinds kinds) {
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        if (!loupe_heap_part_has(part, node))
            continue;
        part->large_count += columns->sizes[node] == LOUPE_LARGE_SIZE;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++)
            part->links += is_link(part, columns, kinds, link);
    }
}

/* ---- What it is ---- */

static size_t large_bytes(const struct loupe_heap_part *part) {
    return ((size_t)part->large_count + 1) * sizeof(*part->large);
}

static bool get_room(struct loupe_heap_part *part) {
    part->first = loupe_numbers_get(part->chunks, part->columns.nodes);
    part->sizes = loupe_numbers_get(part->chunks, part->columns.nodes);
    part->to = loupe_numbers_get(part->chunks, part->links);
    part->kinds = loupe_chunk_get(part->chunks, (size_t)part->links + 1);
    part->large = loupe_chunk_get(part->chunks, large_bytes(part));
    return part->first && part->sizes && part->to && part->kinds && part->large;
}

static void fill(struct loupe_heap_part *part, const struct loupe_columns *columns,
                 loupe_link_kinds kinds) {
    uint32_t number = 0, links = 0, large = 0;
    for (uint32_t node = 0; node < columns->nodes && !loupe_is_stopped(columns->stop); node++) {
        if (!loupe_heap_part_has(part, node))
            continue;
        part->sizes[number] = columns->sizes[node];
        if (columns->sizes[node] == LOUPE_LARGE_SIZE)
            part->large[large++] = (struct loupe_large_size){
                .node = number, .size = loupe_columns_size(columns, node)};
        part->first[number++] = links;
        for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
            if (!is_link(part, columns, kinds, link))
                continue;
            part->kinds[links] = columns->kinds ? columns->kinds[link] : LOUPE_LINK_STRONG;
            part->to[links++] = loupe_heap_part_node(part, loupe_link_target(columns, link));
        }
    }
    part->first[number] = links;
}

enum loupe_status loupe_heap_part_make(const struct loupe_columns *columns, loupe_link_kinds kinds,
                                       const struct loupe_marks *outside,
                                       const struct loupe_chunk_ops *chunks,
                                       struct loupe_heap_part *ret) {
    struct loupe_heap_part part = {.chunks = chunks, .outside = outside};
    bool has_room = number_nodes(&part, columns->nodes);
    if (has_room)
        count(&part, columns, kinds);
    has_room = has_room && get_room(&part);
    if (has_room)
        fill(&part, columns, kinds);
    part.columns.stop = columns->stop;
    part.columns.first = part.first;
    part.columns.to = part.to;
    part.columns.kinds = part.kinds;
    part.columns.sizes = part.sizes;
    part.columns.large = part.large;
    part.columns.large_count = part.large_count;
    enum loupe_status status = loupe_columns_status(columns, has_room);
    if (status)
        loupe_heap_part_deinit(&part);
    else
        *ret = part;
    return status;
}

void loupe_heap_part_deinit(struct loupe_heap_part *part) {
    loupe_numbers_put(part->chunks, &part->before, words_of(part->outside->nodes));
    loupe_numbers_put(part->chunks, &part->first, part->columns.nodes);
    loupe_numbers_put(part->chunks, &part->sizes, part->columns.nodes);
    loupe_numbers_put(part->chunks, &part->to, part->links);
    loupe_chunk_put(part->chunks, part->kinds, (size_t)part->links + 1);
    loupe_chunk_put(part->chunks, part->large, large_bytes(part));
    part->kinds = NULL;
    part->large = NULL;
}
