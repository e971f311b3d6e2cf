#include "tree.h"

#include "room.h"

#include <stddef.h>

typedef struct loupe_record_node node_t;

enum { BUCKET_COUNT = 1 << 18 };

/* The first node of each bucket; the others follow by their next. Not published: nobody but the
 * recorder looks for a node by its frame. */
static uint32_t *buckets;

static uint64_t *segment_of(const struct loupe_record_header *header, uint32_t number) {
    return (uint64_t *)(uintptr_t)header->segments + (number >> LOUPE_RECORD_SEGMENT_SHIFT);
}

static node_t *node_at(const struct loupe_record_header *header, uint32_t number) {
    uint64_t segment = __atomic_load_n(segment_of(header, number), __ATOMIC_ACQUIRE);
    return (node_t *)(uintptr_t)segment + number % LOUPE_RECORD_SEGMENT_NODES;
}

static bool make_segment(uint64_t *segment) {
    const size_t size = sizeof(node_t) * LOUPE_RECORD_SEGMENT_NODES;
    uint64_t expected = 0;
    if (__atomic_load_n(segment, __ATOMIC_ACQUIRE))
        return true;
    void *pages = loupe_room_get(size);
    if (!pages)
        return __atomic_load_n(segment, __ATOMIC_ACQUIRE) != 0;
    if (!__atomic_compare_exchange_n(segment, &expected, (uint64_t)(uintptr_t)pages, false,
                                     __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST))
        loupe_room_put_back(pages, size);
    return true;
}

/* 0: there is no memory, or no number. */
static uint32_t make_node(struct loupe_record_header *header) {
    uint32_t number = __atomic_load_n(&header->node_count, __ATOMIC_RELAXED);
    do {
        if (number >= LOUPE_RECORD_STACK_MASK || !make_segment(segment_of(header, number)))
            return 0;
    } while (!__atomic_compare_exchange_n(&header->node_count, &number, number + 1, false,
                                          __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    return number;
}

static uint32_t *bucket_of(uint32_t caller, uint64_t frame) {
    uint64_t hash = (frame ^ (uint64_t)caller << 40) * UINT64_C(0x9e3779b97f4a7c15);
    hash = (hash ^ hash >> 32 ^ caller) * UINT64_C(0xd6e8feb86659fd93);
    return &buckets[hash >> 46];
}

/* Among those of a bucket from first on and before end. 0: it is not there. */
static uint32_t find(const struct loupe_record_header *header, uint32_t first, uint32_t end,
                     uint32_t caller, uint64_t frame) {
    while (first != end) {
        const node_t *node = node_at(header, first);
        if (node->frame == frame && node->caller == caller)
            return first;
        first = node->next;
    }
    return 0;
}

/* The node of a frame called by another one. 0: there is no memory for it. */
static uint32_t callee(struct loupe_record_header *header, uint32_t caller, uint64_t frame) {
    uint32_t *bucket = bucket_of(caller, frame);
    uint32_t first = __atomic_load_n(bucket, __ATOMIC_ACQUIRE);
    uint32_t found = find(header, first, 0, caller, frame);
    if (found)
        return found;
    uint32_t number = make_node(header);
    if (!number)
        return 0;
    node_t *node = node_at(header, number);
    node->frame = frame;
    node->caller = caller;
    for (;;) {
        node->next = first;
        uint32_t seen = first;
        if (__atomic_compare_exchange_n(bucket, &first, number, false, __ATOMIC_SEQ_CST,
                                        __ATOMIC_ACQUIRE))
            return number;
        /* Somebody was faster, perhaps with the same one: then ours stays unused. */
        found = find(header, first, seen, caller, frame);
        if (found)
            return found;
    }
}

bool loupe_tree_init(struct loupe_record_header *header) {
    buckets = loupe_room_get(sizeof(*buckets) * BUCKET_COUNT);
    void *segments = loupe_room_get(sizeof(uint64_t) * LOUPE_RECORD_SEGMENT_COUNT);
    header->segments = (uint64_t)(uintptr_t)segments;
    header->node_count = LOUPE_RECORD_FIRST_NODE;
    return buckets && segments;
}

/* How many frames it has in common with the last one, from the outermost inwards. */
static uint32_t common(const struct loupe_tree_memory *memory, const uint64_t *frames,
                       uint32_t count, uint32_t root) {
    uint32_t most = memory->count < count ? memory->count : count;
    uint32_t same = 0;
    if (memory->root != root)
        return 0;
    while (same < most && memory->frames[same] == frames[count - 1 - same])
        same++;
    return same;
}

uint32_t loupe_tree_number(struct loupe_record_header *header, struct loupe_tree_memory *memory,
                           const uint64_t *frames, uint32_t count, bool is_cut) {
    uint32_t root = is_cut ? LOUPE_RECORD_CUT : LOUPE_RECORD_WHOLE;
    uint32_t done = memory ? common(memory, frames, count, root) : 0;
    uint32_t number = done ? memory->nodes[done - 1] : root;
    for (; done < count; done++) {
        uint32_t next = callee(header, number, frames[count - 1 - done]);
        if (!next) {
            __atomic_fetch_add(&header->stacks_left_out, 1, __ATOMIC_RELAXED);
            break;
        }
        number = next;
        if (memory) {
            memory->frames[done] = frames[count - 1 - done];
            memory->nodes[done] = number;
        }
    }
    if (memory) {
        memory->count = done;
        memory->root = root;
    }
    return number;
}
