/* Memory of C++'s libraries by its shape: drawn as libstdc++ and libc++ lay it out. */
#include "check.h"
#include "cxx/shapes.h"
#include "memory/drawn_heap.h"

#include <string.h>

static struct drawn_heap heap;
static uint8_t word;
static struct loupe_cxx_extent extent;

static void open_heap(uint8_t pointer_size) {
    word = pointer_size;
    drawn_heap_init(&heap, pointer_size);
}

static loupe_addr put_words(unsigned count, const uint64_t *words) {
    loupe_addr start = drawn_alloc(&heap, count * word);
    for (unsigned i = 0; i < count; i++)
        drawn_put_word(&heap, start + (loupe_addr)i * word, words[i]);
    return start;
}

static void put(loupe_addr start, unsigned index, uint64_t value) {
    drawn_put_word(&heap, start + (loupe_addr)index * word, value);
}

static struct loupe_target open_target(struct loupe_memory *memory) {
    struct loupe_target target;
    drawn_memory(&heap, memory);
    loupe_target_init(&target, memory, &drawn_chunks);
    return target;
}

/* By the word at a place, which leads to so many bytes. */
static enum loupe_cxx_shape shape_at(loupe_addr place, loupe_addr start, uint64_t size) {
    struct loupe_memory memory;
    struct loupe_target target = open_target(&memory);
    struct loupe_cxx_memory to = {.start = start, .size = size};
    enum loupe_cxx_shape shape = loupe_cxx_shape_at(&target, place, to, &extent);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return shape;
}

static enum loupe_cxx_shape shape_in(loupe_addr start, uint64_t size) {
    struct loupe_memory memory;
    struct loupe_target target = open_target(&memory);
    struct loupe_cxx_memory in = {.start = start, .size = size};
    enum loupe_cxx_shape shape = loupe_cxx_shape_in(&target, in);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return shape;
}

static void test_vectors(void) {
    for (uint8_t size = 4; size <= 8; size += 4) {
        open_heap(size);
        loupe_addr storage = drawn_alloc(&heap, 72);
        const uint64_t header[] = {storage, storage + 32, storage + 64, 0, 0};
        loupe_addr place = put_words(5, header);
        CHECK_EQ(shape_at(place, storage, 72), LOUPE_CXX_VECTOR);
        CHECK_EQ(extent.end, storage + 32);
        /* Behind the end of its room, none of it used, an order that none has. */
        CHECK_EQ(shape_at(place, storage, 640), LOUPE_CXX_NO_SHAPE);
        put(place, 2, storage + 80);
        CHECK_EQ(shape_at(place, storage, 72), LOUPE_CXX_NO_SHAPE);
        put(place, 2, storage + 16);
        CHECK_EQ(shape_at(place, storage, 72), LOUPE_CXX_NO_SHAPE);
        put(place, 1, storage);
        put(place, 2, storage);
        CHECK_EQ(shape_at(place, storage, 72), LOUPE_CXX_NO_SHAPE);
        drawn_heap_deinit(&heap);
    }
}

static void test_texts(void) {
    open_heap(8);
    loupe_addr text = drawn_string(&heap, "a text that is not kept inside");
    const uint64_t gnu[] = {text, 30, 30, 0, 0}, llvm[] = {41, 30, text, 7, 7};
    CHECK_EQ(shape_at(put_words(5, gnu), text, 40), LOUPE_CXX_TEXT);
    CHECK_EQ(shape_at(put_words(5, llvm) + 16, text, 40), LOUPE_CXX_TEXT);
    /* One that does not end where it says is none. */
    const uint64_t other[] = {text, 12, 30, 0, 0};
    CHECK_EQ(shape_at(put_words(5, other), text, 40), LOUPE_CXX_NO_SHAPE);
    drawn_heap_deinit(&heap);
}

static void test_hashes(void) {
    enum { ONE = 0x3f800000 };
    open_heap(8);
    loupe_addr buckets = drawn_alloc(&heap, 13 * 8), node = drawn_alloc(&heap, 32);
    const uint64_t header[] = {buckets, 13, node, 1, ONE, 13, 0};
    loupe_addr place = put_words(7, header);
    CHECK_EQ(shape_at(place, buckets, 13 * 8), LOUPE_CXX_BUCKETS);
    CHECK_EQ(extent.first, node);
    CHECK_EQ(extent.count, 1);
    put(place, 4, 0); /* no load factor */
    CHECK_EQ(shape_at(place, buckets, 13 * 8), LOUPE_CXX_NO_SHAPE);
    /* The only bucket stands in the header. */
    loupe_addr small = put_words(7, header);
    put(small, 0, small + 48);
    put(small, 1, 1);
    CHECK_EQ(shape_at(small + 16, node, 32), LOUPE_CXX_HASH_NODE);
    CHECK_EQ(extent.first, node);
    put(small, 0, small + 40);
    CHECK_EQ(shape_at(small + 16, node, 32), LOUPE_CXX_NO_SHAPE);
    drawn_heap_deinit(&heap);
}

static void test_deques(void) {
    open_heap(8);
    loupe_addr map = drawn_alloc(&heap, 64), first = drawn_alloc(&heap, 512),
               second = drawn_alloc(&heap, 512);
    put(map, 3, first);
    put(map, 4, second);
    const uint64_t gnu[] = {map,         8,           first + 16, first,        first + 512,
                            map + 3 * 8, second + 32, second,     second + 512, map + 4 * 8};
    CHECK_EQ(shape_at(put_words(10, gnu), map, 72), LOUPE_CXX_DEQUE_MAP);
    CHECK_EQ(extent.first, map + 3 * 8);
    CHECK_EQ(extent.end, map + 5 * 8);
    const uint64_t llvm[] = {map, map + 3 * 8, map + 5 * 8, map + 64, 2, 40};
    CHECK_EQ(shape_at(put_words(6, llvm), map, 72), LOUPE_CXX_DEQUE_MAP);
    CHECK_EQ(extent.first, map + 3 * 8);
    CHECK_EQ(extent.end, map + 5 * 8);
    drawn_heap_deinit(&heap);
}

static void test_nodes_of_lists(void) {
    for (uint8_t size = 4; size <= 8; size += 4) {
        open_heap(size);
        loupe_addr node = drawn_alloc(&heap, 64), header = drawn_alloc(&heap, 64);
        put(node, 0, header);
        put(node, 1, header);
        CHECK_EQ(shape_in(node, 24), LOUPE_CXX_NO_SHAPE); /* nobody leads back */
        put(header, 0, node);
        put(header, 1, node);
        CHECK_EQ(shape_in(node, 24), LOUPE_CXX_LIST_NODE);
        CHECK_EQ(shape_in(node, 2u * size), LOUPE_CXX_NO_SHAPE); /* without an element */
        drawn_heap_deinit(&heap);
    }
}

/* Colour, parent, left, right; and libc++'s left, right, parent, colour. */
static void test_nodes_of_trees(void) {
    open_heap(8);
    loupe_addr node = drawn_alloc(&heap, 64), child = drawn_alloc(&heap, 64),
               header = drawn_alloc(&heap, 64);
    put(header, 1, node);
    put(node, 0, 1);
    put(node, 1, header);
    put(node, 2, child);
    put(child, 1, node);
    CHECK_EQ(shape_in(node, 40), LOUPE_CXX_TREE_NODE);
    CHECK_EQ(shape_in(child, 40), LOUPE_CXX_TREE_NODE);
    put(child, 1, header); /* a child of another */
    CHECK_EQ(shape_in(node, 40), LOUPE_CXX_NO_SHAPE);
    loupe_addr other = drawn_alloc(&heap, 64), end = drawn_alloc(&heap, 64);
    put(end, 0, other);
    put(other, 2, end);
    put(other, 3, 1);
    CHECK_EQ(shape_in(other, 40), LOUPE_CXX_TREE_NODE);
    put(other, 3, 2); /* no colour */
    CHECK_EQ(shape_in(other, 40), LOUPE_CXX_NO_SHAPE);
    drawn_heap_deinit(&heap);
}

static const char *coroutine(const char *symbol) {
    static char name[256];
    struct loupe_memory memory;
    open_heap(8);
    drawn_symbol_add(&heap, symbol, 0x10100);
    struct loupe_target target = open_target(&memory);
    if (!loupe_cxx_coroutine_of(&target, 0x10100, name, sizeof(name)))
        strcpy(name, "none");
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
    return name;
}

static void test_coroutines_by_what_resumes_them(void) {
    CHECK_STR(coroutine("_ZN5music8fetchingESt10shared_ptrINS_5FetchEE.resume"),
              "music::fetching(std::shared_ptr<music::Fetch>)");
    CHECK_STR(coroutine("_ZN5music8fetchingEPZNS_8fetchingESt10shared_ptrINS_5FetchEEE51_"
                        "ZN5music8fetchingESt10shared_ptrINS_5FetchEE.Frame.actor"),
              "music::fetching(std::shared_ptr<music::Fetch>)");
    CHECK_STR(coroutine("_ZN5music8fetchingEv"), "none");
    CHECK_STR(coroutine("_Z.resume"), "none");
    CHECK_STR(coroutine(".Frame.actor"), "none");
}

int main(void) {
    RUN(test_vectors);
    RUN(test_texts);
    RUN(test_hashes);
    RUN(test_deques);
    RUN(test_nodes_of_lists);
    RUN(test_nodes_of_trees);
    RUN(test_coroutines_by_what_resumes_them);
    return check_report();
}
