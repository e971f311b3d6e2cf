#include "drawn_recorder.h"

#include <string.h>

enum { TABLES = 0x1000000, SEGMENTS = 0x3000000 };

static loupe_addr table_of(uint32_t level) {
    return TABLES + (level - LOUPE_RECORD_FIRST_LEVEL) * UINT64_C(0x400000);
}

void drawn_recorder_node(struct drawn_heap *heap, uint32_t number, uint64_t frame,
                         uint32_t caller) {
    struct loupe_record_node node = {.frame = frame, .caller = caller};
    drawn_put(heap, DRAWN_RECORDER_NODES + number * sizeof(node), &node, sizeof(node));
}

struct loupe_record_header drawn_recorder_add(struct drawn_heap *heap) {
    struct loupe_record_header header = {.self = DRAWN_RECORDER_HEADER,
                                         .version = LOUPE_RECORD_VERSION,
                                         .size = sizeof(header),
                                         .level = 16,
                                         .oldest_level = 16,
                                         .node_count = 6,
                                         .segments = SEGMENTS,
                                         .tables = {table_of(16), table_of(17)}};
    memcpy(header.magic, LOUPE_RECORD_MAGIC, sizeof(header.magic));
    drawn_region_add(heap, table_of(16), sizeof(uint64_t) << 16);
    drawn_region_add(heap, table_of(17), sizeof(uint64_t) << 17);
    drawn_region_add(heap, DRAWN_RECORDER_NODES,
                     sizeof(struct loupe_record_node) * LOUPE_RECORD_SEGMENT_NODES);
    drawn_region_add(heap, SEGMENTS, sizeof(uint64_t) * LOUPE_RECORD_SEGMENT_COUNT);
    drawn_region_add(heap, DRAWN_RECORDER_HEADER, 4096);
    drawn_put_word(heap, SEGMENTS, DRAWN_RECORDER_NODES);
    drawn_recorder_node(heap, 3, 0x103, LOUPE_RECORD_WHOLE);
    drawn_recorder_node(heap, 4, 0x104, 3);
    drawn_recorder_node(heap, 5, 0x105, 4);
    drawn_symbol_add(heap, LOUPE_RECORD_SYMBOL,
                     drawn_bytes(heap, &header.self, sizeof(header.self)));
    return header;
}

void drawn_recorder_put(struct drawn_heap *heap, const struct loupe_record_header *header) {
    drawn_put(heap, DRAWN_RECORDER_HEADER, header, sizeof(*header));
}

void drawn_recorder_slot(struct drawn_heap *heap, loupe_addr block, uint32_t level,
                         uint32_t further, uint64_t slot) {
    uint64_t hash = loupe_record_hash(block);
    uint64_t number = loupe_record_group(hash, level) * LOUPE_RECORD_GROUP +
                      (hash + further) % LOUPE_RECORD_GROUP;
    drawn_put_word(heap, table_of(level) + number * sizeof(uint64_t), slot);
}

void drawn_recorder_block(struct drawn_heap *heap, loupe_addr block, uint32_t level,
                          uint32_t further, uint32_t stack) {
    drawn_recorder_slot(heap, block, level, further,
                        loupe_record_slot(loupe_record_hash(block), stack));
}
