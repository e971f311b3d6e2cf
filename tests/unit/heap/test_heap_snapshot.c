/*
 * Snapshots of drawn heaps: what stands in the blocks, what leads to what, what roots there are.
 * The test says which memory was given out, and with how many bytes.
 */
#include "check.h"
#include "objects/drawn_objects.h"
#include "memory/drawn_process.h"
#include "memory/drawn_recorder.h"
#include "heap/heap_snapshot.h"
#include "heap/allocators/allocation_scan.h"
#include "loupe.h"
#include "recorded/recorded.h"
#include "snapshot/file/loupe_file.h"
#include "snapshot/recorded_stacks.h"

#include <stdlib.h>

enum { DATA = 0x200000, OTHER = 0x300000, STACK = 0x400000 };

static struct drawn_heap heap;
static struct drawn_world w;
static struct loupe_memory memory;
static struct loupe_target target;
static struct loupe_scene scene;
static struct loupe_facts facts;
static struct loupe_walk walk;
static struct loupe_snapshot snapshot;
static struct loupe_allocation_scan scan;
static struct loupe_blocks blocks;
static uint32_t allocator;
static loupe_addr (*zeroes)(void *ctx, loupe_addr addr); /* of the reader */

/* ---- The world ---- */

static void open_world_of(enum drawn_form form) {
    drawn_world_init(&w, &heap, form);
    drawn_region_add(&heap, DATA, LOUPE_PAGE_SIZE);
    drawn_region_add(&heap, OTHER, LOUPE_PAGE_SIZE);
    drawn_region_add(&heap, STACK, LOUPE_PAGE_SIZE);
    drawn_process_init(&heap);
    drawn_process_region(0x10000, 0x110000);
    drawn_process_region(DATA, DATA + LOUPE_PAGE_SIZE);
    drawn_process_region(OTHER, OTHER + LOUPE_PAGE_SIZE);
    drawn_process_region(STACK, STACK + LOUPE_PAGE_SIZE);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, LOUPE_PAGE_SIZE, true);
    drawn_process_thread(7);
    drawn_process_register("rsp", STACK + 0x800);
    drawn_class(&w, "Node", "NSObject", "strong _next @; weak _back @; none _bytes ^v");
    scan = (struct loupe_allocation_scan){.blocks = &blocks, .target = &target, .scene = &scene};
    loupe_blocks_init(&blocks, &drawn_chunks);
    loupe_vector_init(&scan.taken, &drawn_chunks, sizeof(struct loupe_taken_block));
    loupe_vector_init(&scan.freed, &drawn_chunks, sizeof(loupe_addr));
    loupe_vector_init(&scan.own, &drawn_chunks, sizeof(loupe_addr));
    loupe_ranges_init(&scan.explained, &drawn_chunks);
    CHECK_EQ(loupe_allocation_scan_allocator(&scan, (struct loupe_allocator){.name = "drawn"},
                                             &allocator),
             LOUPE_OK);
}

static void open_world(void) {
    open_world_of(DRAWN_X86_64);
}

static loupe_addr give_out(loupe_addr address, size_t size) {
    CHECK_EQ(loupe_allocation_scan_add(&scan, address, size, allocator), LOUPE_OK);
    return address;
}

static loupe_addr node_object(void) {
    return give_out(drawn_object(&w, "Node"), 32);
}

static loupe_addr raw(size_t size) {
    return give_out(drawn_alloc(&heap, size), size);
}

static enum loupe_status make(const struct loupe_chunk_ops *chunks) {
    static const struct loupe_heap_options options = {.process = 12, .program = "/app"};
    struct loupe_request request = {0};
    drawn_memory(&heap, &memory);
    heap.ops.zeroes = zeroes;
    loupe_target_init(&target, &memory, chunks);
    enum loupe_status status = loupe_abi_detect(&target, NULL);
    loupe_scene_init(&scene, &target);
    if (!status)
        status = loupe_scene_take(&scene, &request);
    if (!status)
        status = loupe_blocks_pack(&blocks, &scan);
    /* The classes of the drawing lie in the same region, and are nobody's. */
    if (!status)
        status = loupe_ranges_add(&blocks.explained, 0x10000, 0x110000);
    loupe_walk_init(&walk, &target);
    loupe_facts_init(&facts, &target.arena_chunks);
    loupe_walk_believe(&walk, &facts);
    if (!status)
        status = loupe_heap_snapshot_make(&walk, &scene, &blocks, &options, &snapshot);
    else
        loupe_blocks_deinit(&blocks);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return status;
}

static void close_world(void) {
    loupe_snapshot_deinit(&snapshot);
    loupe_blocks_deinit(&blocks);
    loupe_vector_deinit(&scan.taken);
    loupe_vector_deinit(&scan.freed);
    loupe_vector_deinit(&scan.own);
    loupe_ranges_deinit(&scan.explained);
    drawn_world_deinit(&w);
}

/* ---- What is in it ---- */

static uint32_t node_at(loupe_addr address) {
    uint32_t node = LOUPE_NO_NODE;
    CHECK(loupe_snapshot_find(&snapshot, address, &node));
    return node;
}

static const char *class_of(loupe_addr address) {
    static char name[128];
    uint32_t node = node_at(address);
    struct loupe_span span = {"", 0};
    if (node != LOUPE_NO_NODE)
        span = loupe_snapshot_class_name(&snapshot, snapshot.classes[node]);
    snprintf(name, sizeof(name), "%.*s", (int)span.length, span.bytes);
    return name;
}

/* "strong _next 8": kind, path and slot of the only link between two nodes. */
static const char *link_between(loupe_addr from, loupe_addr to) {
    static char text[256];
    uint32_t source = node_at(from), target_node = node_at(to), found = 0;
    snprintf(text, sizeof(text), "none");
    if (source == LOUPE_NO_NODE || target_node == LOUPE_NO_NODE)
        return text;
    for (uint32_t i = snapshot.columns.first[source]; i < snapshot.columns.first[source + 1]; i++) {
        struct loupe_link_name name;
        if (snapshot.columns.to[i] != target_node)
            continue;
        loupe_snapshot_name_link(&snapshot, source, i, &name);
        snprintf(text, sizeof(text), "%s %.*s %u%s",
                 loupe_link_kind_name((enum loupe_link_kind)snapshot.columns.kinds[i]),
                 (int)name.name.length, name.name.bytes, snapshot.native->slots[i],
                 found++ ? " and more" : "");
    }
    return text;
}

static unsigned roots_of(loupe_addr address, enum loupe_root_kind kind, uint64_t slot) {
    uint32_t node = node_at(address);
    unsigned count = 0;
    for (uint32_t i = 0; i < snapshot.columns.root_count; i++)
        count += snapshot.roots[i].node == node && snapshot.roots[i].kind == (uint32_t)kind &&
                 snapshot.native->root_places[i].slot == slot;
    return count;
}

/* ---- Tests ---- */

static void test_objects_and_raw_memory_are_told_apart(void) {
    open_world();
    loupe_addr object = node_object(), memory_block = raw(64), block = 0;
    block = give_out(drawn_block_of(&w, "s", object), 48);
    drawn_put_word(&heap, memory_block + 16, object + 8);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(snapshot.columns.nodes, 3);
    CHECK_STR(class_of(object), "Node");
    CHECK_STR(class_of(memory_block), "(raw memory)");
    CHECK_STR(class_of(block), "block");
    CHECK_STR(link_between(block, object), "strong +0x20 32");
    CHECK_STR(link_between(memory_block, object), "conservative  16");
    CHECK_EQ(snapshot.native->retain_counts[node_at(object)], 1);
    CHECK_EQ(snapshot.native->retain_counts[node_at(memory_block)], LOUPE_RETAINS_UNKNOWN);
    CHECK_EQ(snapshot.native->raw_blocks, 1);
    CHECK_EQ(snapshot.native->raw_bytes, 64);
    CHECK(loupe_columns_are_valid(&snapshot.columns));
    close_world();
}

static void test_a_word_makes_one_link(void) {
    open_world();
    loupe_addr a = node_object(), b = node_object(), bytes = raw(32);
    drawn_set(&w, a, "_next", b);
    drawn_set(&w, a, "_back", b);
    drawn_set(&w, a, "_bytes", bytes + 31);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    uint32_t node = node_at(a), first = snapshot.columns.first[node];
    CHECK_EQ(snapshot.columns.first[node + 1] - first, 3);
    CHECK_EQ(snapshot.columns.kinds[first], LOUPE_LINK_WEAK);
    CHECK_EQ(snapshot.native->slots[first], 16);
    CHECK_EQ(snapshot.columns.kinds[first + 1], LOUPE_LINK_STRONG);
    CHECK_EQ(snapshot.native->slots[first + 1], 8);
    CHECK_STR(link_between(a, bytes), "conservative  24");
    close_world();
}

/* As libdispatch knows the source of what waits for an event: by the complement of its address. */
static void test_a_complement_is_a_word_where_its_owner_leads_back(void) {
    open_world();
    loupe_addr waiting = raw(64), source = raw(96), other = raw(64), node = node_object();
    drawn_put_word(&heap, waiting + 16, ~source);
    drawn_put_word(&heap, source + 88, waiting + 8);
    drawn_put_word(&heap, other + 16, ~source);     /* the source does not know it */
    drawn_put_word(&heap, other + 24, ~source - 8); /* leads into it */
    drawn_put_word(&heap, other + 32, ~node);
    drawn_put_word(&heap, DATA, ~source);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_STR(link_between(waiting, source), "conservative  16");
    CHECK_STR(link_between(source, waiting), "conservative  88");
    CHECK_STR(link_between(other, source), "none");
    CHECK_STR(link_between(other, node), "none");
    CHECK_EQ(snapshot.columns.root_count, 0);
    close_world();
}

/* The size rule: what is too small for an instance is no object. */
static loupe_addr small_block;
static uint32_t questions_about_it;

static loupe_addr count_questions(void *ctx, loupe_addr addr) {
    (void)ctx;
    questions_about_it += addr - small_block < 64;
    return addr;
}

/* To ask costs more than to look. */
static void test_nobody_is_asked_where_a_block_smaller_than_a_page_has_zeroes(void) {
    open_world();
    small_block = raw(64);
    loupe_addr node = node_object();
    drawn_put_word(&heap, small_block + 8, node);
    questions_about_it = 0;
    zeroes = count_questions;
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    zeroes = NULL;
    CHECK_EQ(questions_about_it, 0);
    CHECK_STR(link_between(small_block, node), "conservative  8");
    close_world();
}

static void test_a_block_smaller_than_its_instance_is_raw(void) {
    open_world();
    loupe_addr object = give_out(drawn_object(&w, "Node"), 24);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_STR(class_of(object), "(raw memory)");
    close_world();
}

static void test_roots_have_kinds_and_places(void) {
    open_world();
    loupe_addr global = node_object(), other = node_object(), local = node_object(),
               innermost = node_object(), stale = node_object();
    drawn_put_word(&heap, DATA + 8, global);
    drawn_put_word(&heap, OTHER + 16, other + 8);
    drawn_put_word(&heap, STACK + 0x900, local);
    drawn_put_word(&heap, STACK + 0x7c0, innermost); /* in the red zone */
    drawn_put_word(&heap, STACK + 0x700, stale);     /* below it */
    drawn_put_word(&heap, DATA + 0x100, stale);
    drawn_put_word(&heap, OTHER + 0x100, stale);
    CHECK_EQ(loupe_ranges_add(&blocks.tables, DATA + 0x100, DATA + 0x108), LOUPE_OK);
    CHECK_EQ(loupe_ranges_add(&blocks.tables, OTHER + 0x100, OTHER + 0x108), LOUPE_OK);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(roots_of(global, LOUPE_ROOT_GLOBAL, DATA + 8), 1);
    CHECK_EQ(roots_of(other, LOUPE_ROOT_OTHER_MEMORY, OTHER + 16), 1);
    CHECK_EQ(roots_of(local, LOUPE_ROOT_STACK, STACK + 0x900), 1);
    CHECK_EQ(roots_of(innermost, LOUPE_ROOT_STACK, STACK + 0x7c0), 1);
    CHECK_EQ(snapshot.columns.root_count, 4);
    CHECK_EQ(snapshot.thread_count, 1);
    CHECK_EQ(snapshot.threads[0].serial, 7);
    close_world();
}

/* The frame of a word of the stack that leads to an object; LOUPE_NONE: none that is known. */
static uint32_t frame_of(loupe_addr object) {
    for (uint32_t i = 0; i < snapshot.columns.root_count; i++)
        if (snapshot.roots[i].node == node_at(object))
            return snapshot.roots[i].frame;
    return UINT32_MAX - 1;
}

static const char *method_of(uint32_t frame) {
    static char name[64];
    struct loupe_span span = loupe_snapshot_string(&snapshot, snapshot.frames[frame].method);
    snprintf(name, sizeof(name), "%.*s", (int)span.length, span.bytes);
    return name;
}

static void test_words_of_stacks_are_in_frames(void) {
    open_world();
    loupe_addr below = node_object(), inner = node_object(), border = node_object(),
               outermost = node_object();
    drawn_symbol_add(&heap, "_i_Worker__run_", 0x7000);
    drawn_symbol_add(&heap, "start", 0x8000);
    drawn_process_name("worker");
    drawn_process_frame(0x7000, STACK + 0x840);
    drawn_process_frame(0x8000, STACK + 0x880);
    drawn_process_frame(0x8020, 0);
    drawn_put_word(&heap, STACK + 0x7c0, below); /* in the red zone */
    drawn_put_word(&heap, STACK + 0x838, inner);
    drawn_put_word(&heap, STACK + 0x840, border);
    drawn_put_word(&heap, STACK + 0x900, outermost);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(snapshot.thread_count, 1);
    CHECK_EQ(snapshot.threads[0].frame_count, 3);
    CHECK_STR(method_of(0), "-[Worker run:]");
    CHECK_STR(method_of(1), "start");
    CHECK_EQ(loupe_snapshot_string(&snapshot, snapshot.threads[0].name).length, 6);
    CHECK_EQ(frame_of(below), 0);
    CHECK_EQ(frame_of(inner), 0);
    CHECK_EQ(frame_of(border), 1);
    CHECK_EQ(frame_of(outermost), LOUPE_NONE);
    close_world();
}

/* As where a signal has a stack of its own. */
static void test_words_of_stacks_out_of_order_are_in_no_frame(void) {
    open_world();
    loupe_addr object = node_object();
    drawn_process_frame(0x7000, STACK + 0x880);
    drawn_process_frame(0x8000, STACK + 0x840);
    drawn_put_word(&heap, STACK + 0x838, object);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(snapshot.threads[0].frame_count, 2);
    CHECK_EQ(frame_of(object), LOUPE_NONE);
    close_world();
}

static void test_addresses_inside_of_a_block_lead_to_it(void) {
    uint32_t node = LOUPE_NO_NODE;
    open_world();
    loupe_addr object = node_object(), bytes = raw(24);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK(loupe_snapshot_find_around(&snapshot, object + 31, &node) && node == node_at(object));
    CHECK(loupe_snapshot_find_around(&snapshot, bytes, &node) && node == node_at(bytes));
    CHECK(loupe_snapshot_find_around(&snapshot, bytes + 23, &node) && node == node_at(bytes));
    CHECK(!loupe_snapshot_find_around(&snapshot, bytes + 24, &node));
    CHECK(!loupe_snapshot_find_around(&snapshot, object - 1, &node));
    close_world();
}

static void test_constants_are_nodes_and_roots(void) {
    open_world();
    loupe_addr a = node_object(), constant = drawn_object(&w, "Node"), held = node_object();
    drawn_set(&w, a, "_next", constant);
    drawn_set(&w, constant, "_next", held);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(snapshot.columns.nodes, 3);
    CHECK(snapshot.native->marks[node_at(constant)] & LOUPE_NODE_OUTSIDE);
    CHECK_STR(link_between(a, constant), "strong _next 8");
    CHECK_STR(link_between(constant, held), "strong _next 8");
    CHECK_EQ(snapshot.columns.root_count, 1);
    CHECK_EQ(snapshot.roots[0].node, node_at(constant));
    uint32_t order[3];
    loupe_snapshot_sort(&snapshot, order);
    CHECK_EQ(loupe_snapshot_address(&snapshot, order[0]), a);
    CHECK_EQ(loupe_snapshot_address(&snapshot, order[1]), constant);
    CHECK_EQ(loupe_snapshot_address(&snapshot, order[2]), held);
    close_world();
}

/* ---- What the runtime keeps for itself ---- */

enum { ADDRESS_BITS = 48 };

/* Everything that hangs on a class which was used and changed at run time. */
struct drawn_class_memory {
    loupe_addr rw, ext, ro, lists, added, types, cache, name;
};

static loupe_addr word_of(loupe_addr address) {
    uint64_t word;
    drawn_get(&heap, address, &word, sizeof(word));
    return word & ((UINT64_C(1) << ADDRESS_BITS) - 8);
}

/* A list of one method. */
static loupe_addr method_list(loupe_addr types) {
    loupe_addr list = raw(8 + 24);
    drawn_put_u32(&heap, list, 24);
    drawn_put_u32(&heap, list + 4, 1);
    drawn_put_word(&heap, list + 8 + 8, types);
    return list;
}

static struct drawn_class_memory draw_class_memory(const char *name) {
    loupe_addr cls = drawn_class_named(&w, name)->address;
    struct drawn_class_memory kept = {.rw = give_out(word_of(cls + 32), 32)};
    kept.ext = give_out(word_of(kept.rw + 8), 48);
    kept.ro = give_out(word_of(kept.ext), 72);
    kept.types = raw(16);
    kept.added = method_list(kept.types);
    kept.lists = raw(24);
    drawn_put_u32(&heap, kept.lists, 1);
    drawn_put_word(&heap, kept.lists + 8, kept.added);
    drawn_put_word(&heap, kept.ext + 8, kept.lists | 1);
    kept.name = raw(16);
    drawn_put_word(&heap, kept.ext + 32, kept.name);
    kept.cache = raw(64);
    drawn_put_word(&heap, cls + 16, kept.cache | (uint64_t)(w.form == DRAWN_X86_64 ? 0 : 3) << 48);
    return kept;
}

static void check_class_memory(loupe_addr cls, const struct drawn_class_memory *kept) {
    const loupe_addr all[] = {kept->rw,    kept->ext,   kept->ro,    kept->lists,
                              kept->added, kept->types, kept->cache, kept->name};
    for (unsigned i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        CHECK_STR(class_of(all[i]), "(runtime)");
    CHECK_EQ(roots_of(kept->rw, LOUPE_ROOT_STICKY_CLASS, cls + 32), 1);
    CHECK_EQ(roots_of(kept->cache, LOUPE_ROOT_STICKY_CLASS, cls + 16), 1);
    CHECK_STR(link_between(kept->rw, kept->ext), "conservative  8");
    CHECK_STR(link_between(kept->ext, kept->ro), "conservative  0");
    CHECK_STR(link_between(kept->ext, kept->lists), "conservative  8");
    CHECK_STR(link_between(kept->ext, kept->name), "conservative  32");
    CHECK_STR(link_between(kept->lists, kept->added), "conservative  8");
    CHECK_STR(link_between(kept->added, kept->types), "conservative  16");
}

/* ---- Tables of associated objects and of counts ---- */

enum { BUCKETS = 4 /* of the tables here */ };

/* Fills the words behind the keys of buckets without an entry, and tells whether any was found. */
static bool leave_over(loupe_addr buckets, unsigned words, uint64_t first, uint64_t second,
                       loupe_addr word) {
    unsigned filled = 0;
    for (unsigned i = 0; i < BUCKETS; i++) {
        loupe_addr bucket = buckets + (loupe_addr)i * words * 8;
        uint64_t key;
        drawn_get(&heap, bucket, &key, sizeof(key));
        for (unsigned k = 1; (key == first || key == second) && k < words; k++, filled++)
            drawn_put_word(&heap, bucket + k * 8, word);
    }
    return filled != 0;
}

/* The runtime fills in keys alone: behind those of new and of erased buckets stands what stood
 * there before. */
static void test_what_is_left_over_in_tables_leads_nowhere(void) {
    enum { POLICY = 0x301, MAP_WORDS = 3 };
    open_world();
    loupe_addr host = node_object(), guest = node_object(), lost = node_object(),
               counted = node_object();
    drawn_associate(&w, host, raw(1), POLICY, guest);
    drawn_set_count(&w, counted, 1, 5);
    drawn_put_word(&heap, DATA, host);
    loupe_addr outer = word_of(w.association_table), own = 0, counts;
    for (unsigned i = 0; i < BUCKETS && !own; i++)
        own = word_of(outer + (loupe_addr)i * (1 + MAP_WORDS) * 8 + 8);
    counts = word_of(w.side_tables + (((counted >> 4) ^ (counted >> 9)) % 64) * 64 + 8);
    give_out(outer, BUCKETS * (1 + MAP_WORDS) * 8);
    give_out(own, BUCKETS * 3 * 8);
    give_out(counts, BUCKETS * 2 * 8);
    CHECK(leave_over(outer, 1 + MAP_WORDS, 1, 2, lost));
    CHECK(leave_over(own, 3, UINT64_MAX, UINT64_MAX - 1, lost));
    CHECK(leave_over(counts, 2, 1, 2, lost));
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_STR(link_between(outer, lost), "none");
    CHECK_STR(link_between(own, lost), "none");
    CHECK_STR(link_between(counts, lost), "none");
    CHECK_STR(link_between(outer, own), "conservative  8");
    CHECK(strstr(link_between(host, guest), "strong"));
    close_world();
}

/* Words that lead there have bits of the runtime's own, and on some machines signatures. */
static void test_what_is_kept_for_a_class_hangs_on_it(void) {
    static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64, DRAWN_ARM64E};
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        open_world_of(forms[i]);
        w.class_form = DRAWN_EXTENDED;
        struct drawn_class *cls = drawn_class(&w, "Changed", "NSObject", "");
        struct drawn_class_memory kept = draw_class_memory("Changed");
        loupe_addr object = give_out(drawn_object(&w, "Changed"), 16), nobodys = raw(32);
        CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
        CHECK_STR(class_of(object), "Changed");
        CHECK_STR(class_of(nobodys), "(raw memory)");
        check_class_memory(cls->address, &kept);
        CHECK_EQ(snapshot.columns.root_count, 2);
        close_world();
    }
}

/* No object leads to it, and it is no relative of one that any object leads to. */
static void test_classes_of_the_lists_of_images_count_as_well(void) {
    open_world();
    drawn_process_section("__DATA,__objc_classlist", DATA + 0x800, 16, true);
    w.class_form = DRAWN_EXTENDED;
    struct drawn_class *cls = drawn_class(&w, "Alone", NULL, "none isa #");
    struct drawn_class_memory kept = draw_class_memory("Alone");
    drawn_put_word(&heap, DATA + 0x808, cls->address);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    check_class_memory(cls->address, &kept);
    close_world();
}

/* A list of any size ends, and what it has behind pages that cannot be read counts. */
static void test_lists_of_classes_without_an_end_are_cut(void) {
    open_world();
    drawn_process_section("__DATA,__objc_classlist", DATA + 0x800, UINT64_MAX / 2, true);
    drawn_region_add(&heap, DATA + 0x10000, LOUPE_PAGE_SIZE);
    w.class_form = DRAWN_EXTENDED;
    struct drawn_class *cls = drawn_class(&w, "Alone", NULL, "none isa #");
    struct drawn_class_memory kept = draw_class_memory("Alone");
    drawn_put_word(&heap, DATA + 0x10008, cls->address);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_STR(class_of(kept.rw), "(runtime)");
    CHECK(loupe_snapshot_is_incomplete(&snapshot));
    close_world();
}

/* A list whose count is no count, an array that leads to itself, a table that ends too soon. */
static void test_damaged_memory_of_classes_ends(void) {
    open_world();
    w.class_form = DRAWN_EXTENDED;
    drawn_class(&w, "Changed", "NSObject", "");
    struct drawn_class_memory kept = draw_class_memory("Changed");
    give_out(drawn_object(&w, "Changed"), 16);
    loupe_addr large = raw(4096), after = raw(16);
    drawn_put_u32(&heap, kept.added + 4, UINT32_MAX);
    drawn_put_u32(&heap, large, UINT32_MAX);
    for (unsigned at = 8; at < 4096; at += 8)
        drawn_put_word(&heap, large + at, large + at);
    drawn_put_word(&heap, kept.ext + 8, large | 1);
    drawn_put_word(&heap, kept.ext + 16, (kept.ext + 40) | 1);
    drawn_put_word(&heap, large + 4088, after);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK(loupe_columns_are_valid(&snapshot.columns));
    CHECK_STR(link_between(kept.ext, large), "conservative  8");
    CHECK_STR(link_between(large, after), "conservative  4088");
    close_world();
}

/* ---- Pools ---- */

enum { POOL_HEADER = 56 };

static loupe_addr pool_page(loupe_addr address, loupe_addr parent, loupe_addr object) {
    static const char magic[] = "\xa1\xa1\xa1\xa1"
                                "AUTORELEASE!";
    drawn_region_add(&heap, address, LOUPE_PAGE_SIZE);
    for (unsigned i = 0; i < sizeof(magic) - 1; i++)
        drawn_put(&heap, address + i, &magic[i], 1);
    drawn_put_word(&heap, address + 16, address + POOL_HEADER + 8);
    drawn_put_word(&heap, address + 32, parent);
    if (parent)
        drawn_put_word(&heap, parent + 40, address);
    drawn_put_word(&heap, address + POOL_HEADER, object);
    return give_out(address, LOUPE_PAGE_SIZE);
}

/* Where nothing is known of what threads have of their own, pages are known by their magic. */
static void test_pages_of_pools_are_held_by_each_other_and_the_first_by_its_thread(void) {
    open_world();
    loupe_addr first = pool_page(0x600000, 0, node_object()),
               second = pool_page(0x610000, first, node_object()), object = node_object(),
               third = pool_page(0x620000, second, object);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(roots_of(first, LOUPE_ROOT_POOL, 0), 1);
    CHECK_EQ(roots_of(second, LOUPE_ROOT_POOL, 0), 0);
    CHECK_STR(link_between(first, second), "conservative  40");
    CHECK_STR(link_between(second, third), "conservative  40");
    CHECK_STR(link_between(third, second), "conservative  32");
    CHECK_EQ(roots_of(object, LOUPE_ROOT_POOL, third + POOL_HEADER), 1);
    close_world();
}

/* ---- Objects of CoreFoundation ---- */

static loupe_addr cf_object(const char *cls, uint32_t type, uint32_t count, size_t size) {
    loupe_addr object = raw(size), drawn = drawn_object(&w, cls);
    uint64_t isa;
    drawn_make_raw(&w, drawn);
    drawn_get(&heap, drawn, &isa, sizeof(isa));
    drawn_put_word(&heap, object, isa);
    drawn_put_word(&heap, object + 8, (uint64_t)count << 32 | type << 8 | 0x80);
    return object;
}

static uint32_t retains_of(loupe_addr object) {
    return snapshot.native->retain_counts[node_at(object)];
}

static const char *superclass_of(loupe_addr object) {
    static char name[128];
    uint32_t above = snapshot.class_table[snapshot.classes[node_at(object)]].superclass;
    struct loupe_span span =
        above == LOUPE_NONE ? loupe_span_of("none") : loupe_snapshot_class_name(&snapshot, above);
    snprintf(name, sizeof(name), "%.*s", (int)span.length, span.bytes);
    return name;
}

/* What many types have for a class is told apart by what they say of themselves. What they hold is
 * not described: their words are followed, and claim nothing. */
static void test_types_of_core_foundation_are_told_apart(void) {
    open_world();
    drawn_class(&w, "__NSCFType", "NSObject", "");
    drawn_class(&w, "__NSCFArray", "NSObject", "");
    loupe_addr source = cf_object("__NSCFType", 46, 2, 96),
               other = cf_object("__NSCFType", 46, 1, 96),
               stream = cf_object("__NSCFType", 38, 1, 64), odd = cf_object("__NSCFType", 0, 1, 32),
               array = cf_object("__NSCFArray", 19, 3, 48), context = raw(64), node = node_object();
    drawn_put_word(&heap, source + 40, context);
    drawn_put_word(&heap, context + 8, node);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_STR(class_of(source), "__NSCFType (CF type 46)");
    CHECK_STR(class_of(stream), "__NSCFType (CF type 38)");
    CHECK_STR(class_of(odd), "__NSCFType");
    CHECK_STR(class_of(array), "__NSCFArray");
    CHECK_STR(superclass_of(source), "__NSCFType");
    CHECK_EQ(snapshot.classes[node_at(source)], snapshot.classes[node_at(other)]);
    CHECK_EQ(retains_of(source), 2);
    CHECK_EQ(retains_of(array), 3);
    CHECK_STR(class_of(context), "(raw memory)");
    CHECK_STR(link_between(source, context), "conservative  40");
    CHECK_STR(link_between(context, node), "conservative  8");
    close_world();
}

static loupe_addr cf_class(const char *name) {
    loupe_addr cls = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, cls + 8, drawn_string(&heap, name));
    return cls;
}

/* Where CoreFoundation's table of types can be found, it has their names. */
static void test_types_of_core_foundation_have_their_names(void) {
    static const char *const tables[] = {"__CFRuntimeClassTables", "__CFRuntimeClassTable"};
    for (unsigned i = 0; i < sizeof(tables) / sizeof(tables[0]); i++) {
        open_world();
        drawn_class(&w, "__NSCFType", "NSObject", "");
        loupe_addr source = cf_object("__NSCFType", 46, 2, 96),
                   unknown = cf_object("__NSCFType", 9, 1, 64),
                   strange = cf_object("__NSCFType", 10, 1, 64),
                   table = drawn_alloc(&heap, 1024 * sizeof(uint64_t));
        drawn_put_word(&heap, table + 8 * 46, cf_class("CFRunLoopSource"));
        drawn_put_word(&heap, table + 8 * 10, cf_class("no \x1b[31mname"));
        drawn_symbol_add(&heap, tables[i], table);
        CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
        CHECK_STR(class_of(source), "CFRunLoopSource");
        CHECK_STR(superclass_of(source), "__NSCFType");
        CHECK_STR(class_of(unknown), "__NSCFType (CF type 9)");
        CHECK_STR(class_of(strange), "__NSCFType (CF type 10)");
        close_world();
    }
}

static void draw_some(void) {
    loupe_addr a = node_object(), b = node_object(), bytes = raw(100);
    drawn_set(&w, a, "_next", b);
    drawn_set(&w, b, "_next", a);
    drawn_set(&w, b, "_bytes", bytes);
    give_out(drawn_block_of(&w, "sr", a, give_out(drawn_byref_of(&w, 3, b), 48)), 48);
    drawn_put_word(&heap, DATA, a);
}

static void test_saved_and_opened_it_is_the_same(void) {
    struct loupe_file_results nothing = {0};
    struct drawn_text file = {0};
    struct loupe_snapshot opened;
    open_world();
    draw_some();
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(loupe_file_write(&snapshot, &nothing, &drawn_chunks, drawn_text_sink(&file)),
             LOUPE_OK);
    CHECK_EQ(loupe_file_open((const uint8_t *)file.text, file.length, &drawn_chunks, &opened, NULL),
             LOUPE_OK);
    uint32_t nodes = snapshot.columns.nodes, links = snapshot.columns.first[nodes];
    CHECK_EQ(opened.columns.nodes, nodes);
    CHECK_EQ(opened.columns.first[nodes], links);
    CHECK(opened.native != NULL);
    CHECK(!memcmp(opened.columns.to, snapshot.columns.to, links * sizeof(uint32_t)));
    CHECK(!memcmp(opened.columns.kinds, snapshot.columns.kinds, links));
    CHECK(!memcmp(opened.native->slots, snapshot.native->slots, links * sizeof(uint32_t)));
    CHECK(!memcmp(opened.native->labels, snapshot.native->labels, links * sizeof(uint32_t)));
    CHECK(!memcmp(opened.native->retain_counts, snapshot.native->retain_counts,
                  nodes * sizeof(uint32_t)));
    CHECK_EQ(opened.native->process, 12);
    CHECK_EQ(opened.native->raw_bytes, 100);
    CHECK_EQ(opened.native->note_count, snapshot.native->note_count);
    loupe_snapshot_deinit(&opened);
    free(file.text);
    close_world();
}

/* ---- Who allocated it ---- */

/* An object that was allocated by 5 <- 4 <- 3, one that was allocated by 4 <- 3, and one that
 * nobody recorded; the innermost code is the system's, that of 4 the program's own. */
static void draw_recorded(loupe_addr nodes[3]) {
    for (unsigned i = 0; i < 3; i++)
        nodes[i] = node_object();
    struct loupe_record_header header = drawn_recorder_add(&heap);
    header.blocks_left_out = 7;
    drawn_recorder_put(&heap, &header);
    drawn_recorder_node(&heap, 4, OTHER + 0x45, 3);
    drawn_recorder_node(&heap, 5, OTHER + 0x805, 4);
    drawn_process_section(".text", OTHER, 0x800, false);
    drawn_process_image("/usr/lib/libsystem.so");
    drawn_process_section(".text", OTHER + 0x800, 0x800, false);
    drawn_symbol_add(&heap, "_i_Cell__load_", OTHER + 0x44);
    drawn_recorder_block(&heap, nodes[0], 16, 0, 5);
    drawn_recorder_block(&heap, nodes[1], 16, 0, 4);
    drawn_put_word(&heap, DATA, nodes[0]);
}

static const char *function_of(const struct loupe_snapshot *of,
                               const struct loupe_recorded_frame *frame) {
    static char name[64];
    struct loupe_span text = loupe_snapshot_string(of, frame->function);
    snprintf(name, sizeof(name), "%.*s", (int)text.length, text.bytes);
    return name;
}

static void check_stacks(const struct loupe_snapshot *of, const loupe_addr nodes[3]) {
    struct loupe_recorded_stack stack;
    uint32_t node[3];
    CHECK(loupe_snapshot_has_recorder(of));
    CHECK_EQ(of->native->recorder->blocks_left_out, 7);
    for (unsigned i = 0; i < 3; i++)
        CHECK(loupe_snapshot_find(of, nodes[i], &node[i]));
    loupe_snapshot_read_stack(of, loupe_snapshot_stack(of, node[0]), &stack);
    CHECK_EQ(stack.count, 3);
    CHECK(stack.whole);
    CHECK_EQ(stack.frames[0]->address, OTHER + 0x805);
    CHECK_EQ(stack.frames[0]->flags, LOUPE_FRAME_FOREIGN);
    CHECK_EQ(stack.frames[2]->address, 0x103);
    const struct loupe_recorded_frame *guilty =
        loupe_snapshot_guilty(of, loupe_snapshot_stack(of, node[0]));
    CHECK_EQ(guilty->address, OTHER + 0x45);
    CHECK_STR(function_of(of, guilty), "-[Cell load:]");
    CHECK(loupe_span_equals(loupe_snapshot_string(of, guilty->image), "/app"));
    /* What both have in common is there once. */
    CHECK_EQ(of->native->calls[loupe_snapshot_stack(of, node[0])].caller,
             loupe_snapshot_stack(of, node[1]));
    CHECK_EQ(of->native->call_count, 3);
    CHECK_EQ(loupe_snapshot_stack(of, node[2]), LOUPE_NONE);
}

static void test_stacks_that_were_recorded_are_kept_also_in_a_file(void) {
    struct loupe_file_results nothing = {0};
    struct drawn_text file = {0};
    struct loupe_snapshot opened;
    loupe_addr nodes[3];
    open_world();
    draw_recorded(nodes);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    check_stacks(&snapshot, nodes);
    CHECK_EQ(loupe_file_write(&snapshot, &nothing, &drawn_chunks, drawn_text_sink(&file)),
             LOUPE_OK);
    CHECK_EQ(loupe_file_open((const uint8_t *)file.text, file.length, &drawn_chunks, &opened, NULL),
             LOUPE_OK);
    check_stacks(&opened, nodes);
    loupe_snapshot_deinit(&opened);
    free(file.text);
    close_world();
}

static void test_without_a_recorder_nobody_allocated_anything(void) {
    open_world();
    draw_some();
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK(!loupe_snapshot_has_recorder(&snapshot));
    CHECK_EQ(loupe_snapshot_stack(&snapshot, 0), LOUPE_NONE);
    close_world();
}

static void test_recorder_of_another_version_has_no_stacks_and_says_so(void) {
    loupe_addr nodes[3];
    open_world();
    draw_recorded(nodes);
    drawn_put_u32(&heap, DRAWN_RECORDER_HEADER + offsetof(struct loupe_record_header, version),
                  LOUPE_RECORD_VERSION + 1);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK(loupe_snapshot_has_recorder(&snapshot));
    CHECK_EQ(snapshot.native->recorder->state, LOUPE_RECORDED_OTHER_VERSION);
    CHECK_EQ(loupe_snapshot_stack(&snapshot, node_at(nodes[0])), LOUPE_NONE);
    close_world();
}

/* ---- As a question ---- */

static enum loupe_status ask(const char *arguments, uint64_t budget, struct drawn_text *text) {
    struct loupe_question question = {
        .query = LOUPE_QUERY_SNAPSHOT, .engine = "drawn", .arguments = arguments};
    drawn_memory(&heap, &memory);
    memory.bytes_left = budget;
    enum loupe_status status =
        loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(text));
    loupe_memory_deinit(&memory);
    return status;
}

static void test_heap_of_nobody_is_no_empty_heap(void) {
    struct drawn_text text = {0};
    open_world();
    CHECK_EQ(ask(NULL, UINT64_MAX, &text), LOUPE_OK);
    CHECK(strstr(text.text, "\"status\":\"incomplete\"") != NULL);
    CHECK(strstr(text.text, "\"code\":\"allocator-guessed\",\"lost\":true") != NULL);
    free(text.text);
    close_world();
}

static void test_what_cannot_be_done_says_so(void) {
    struct drawn_text roots = {0}, budget = {0};
    open_world();
    CHECK_EQ(ask("root given 0x1000", UINT64_MAX, &roots), LOUPE_EUSAGE);
    CHECK(strstr(roots.text, "a snapshot has all roots that there are") != NULL);
    CHECK_EQ(ask(NULL, 3 * LOUPE_PAGE_SIZE, &budget), LOUPE_ELIMIT);
    CHECK(strstr(budget.text, "\"code\":\"limit\"") != NULL);
    free(roots.text);
    free(budget.text);
    close_world();
}

/* ---- Hostile bytes ---- */

static uint64_t state;

static uint32_t pick(uint32_t bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state % bound);
}

/* Asks a snapshot for all that it has. */
static uint64_t ask_everything(const struct loupe_snapshot *of) {
    const struct loupe_columns *columns = &of->columns;
    uint64_t sum = 0;
    for (uint32_t node = 0; node < columns->nodes; node++) {
        sum += loupe_snapshot_class_name(of, of->classes[node]).length;
        sum += of->native ? of->native->retain_counts[node] + of->native->marks[node] : 0;
        for (uint32_t i = columns->first[node]; i < columns->first[node + 1]; i++) {
            struct loupe_link_name name;
            loupe_snapshot_name_link(of, node, i, &name);
            sum += name.name.length + columns->to[i];
            for (size_t k = 0; k < name.name.length; k++)
                sum += (unsigned char)name.name.bytes[k];
        }
    }
    for (uint32_t i = 0; i < columns->root_count && of->native; i++)
        sum += loupe_snapshot_string(of, of->native->root_places[i].image).length;
    for (uint32_t node = 0; loupe_snapshot_has_recorder(of) && node < columns->nodes; node++) {
        struct loupe_recorded_stack stack;
        loupe_snapshot_read_stack(of, loupe_snapshot_stack(of, node), &stack);
        for (uint32_t i = 0; i < stack.count; i++)
            sum += loupe_snapshot_string(of, stack.frames[i]->function).length;
    }
    for (uint32_t i = 0; of->native && i < of->native->note_count; i++)
        sum += loupe_snapshot_string(of, of->native->notes[i].text).length;
    return sum;
}

/* Whatever stands in a file, it is refused or safe to ask. */
static void test_damaged_files_are_refused_or_safe(void) {
    struct loupe_file_results nothing = {0};
    struct drawn_text file = {0};
    uint64_t sum = 0, refused = 0;
    loupe_addr nodes[3];
    open_world();
    draw_some();
    draw_recorded(nodes);
    CHECK_EQ(make(&drawn_chunks), LOUPE_OK);
    CHECK_EQ(loupe_file_write(&snapshot, &nothing, &drawn_chunks, drawn_text_sink(&file)),
             LOUPE_OK);
    uint8_t *bytes = malloc(file.length);
    for (size_t at = 0; bytes && at < file.length; at++) {
        static const uint8_t values[] = {0x00, 0x01, 0x7f, 0xff};
        for (unsigned i = 0; i < sizeof(values); i++) {
            struct loupe_snapshot opened;
            memcpy(bytes, file.text, file.length);
            bytes[at] = bytes[at] == values[i] ? (uint8_t)(values[i] ^ 0x80) : values[i];
            if (loupe_file_open(bytes, file.length, &drawn_chunks, &opened, NULL)) {
                refused++;
                continue;
            }
            sum += ask_everything(&opened);
            loupe_snapshot_deinit(&opened);
        }
    }
    CHECK(refused > 100 && sum > 0);
    free(bytes);
    free(file.text);
    close_world();
}

/* Any words may stand in classes, objects and blocks: there is a snapshot, and it is valid. */
static void test_damaged_heaps_have_valid_snapshots(void) {
    uint64_t sum = 0;
    for (unsigned round = 0; round < 400; round++) {
        state = round * 2654435761u + 1;
        open_world();
        draw_some();
        for (unsigned i = 0; i < 1 + round % 40; i++) {
            loupe_addr place = 0x10000 + pick((uint32_t)(heap.next - 0x10000) / 8) * 8;
            const uint64_t words[] = {
                0, UINT64_MAX, 0x10000 + pick(0x4000) * UINT64_C(8), pick(1 << 20), place, state};
            drawn_put_word(&heap, place, words[pick(6)]);
        }
        enum loupe_status status = make(&drawn_chunks);
        if (!status) {
            CHECK(loupe_columns_are_valid(&snapshot.columns));
            sum += ask_everything(&snapshot);
        } else {
            CHECK_EQ(status, LOUPE_ENORUNTIME);
        }
        close_world();
    }
    CHECK(sum > 0);
}

/* Every allocation of ours may be the one that fails. */
static void test_without_memory_it_fails(void) {
    struct drawn_failing_chunks failing = {0};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&failing);
    uint64_t needed = 0;
    for (uint64_t fail_at = 1; !needed; fail_at++) {
        failing = (struct drawn_failing_chunks){.fail_at = fail_at};
        open_world();
        draw_some();
        enum loupe_status status = make(&chunks);
        if (!status)
            needed = fail_at;
        else
            CHECK_EQ(status, LOUPE_ENOMEM);
        close_world();
        CHECK_EQ(failing.outstanding, 0);
    }
    CHECK(needed > 20);
}

int main(void) {
    RUN(test_objects_and_raw_memory_are_told_apart);
    RUN(test_a_word_makes_one_link);
    RUN(test_a_complement_is_a_word_where_its_owner_leads_back);
    RUN(test_nobody_is_asked_where_a_block_smaller_than_a_page_has_zeroes);
    RUN(test_a_block_smaller_than_its_instance_is_raw);
    RUN(test_roots_have_kinds_and_places);
    RUN(test_words_of_stacks_are_in_frames);
    RUN(test_words_of_stacks_out_of_order_are_in_no_frame);
    RUN(test_addresses_inside_of_a_block_lead_to_it);
    RUN(test_constants_are_nodes_and_roots);
    RUN(test_what_is_left_over_in_tables_leads_nowhere);
    RUN(test_what_is_kept_for_a_class_hangs_on_it);
    RUN(test_classes_of_the_lists_of_images_count_as_well);
    RUN(test_lists_of_classes_without_an_end_are_cut);
    RUN(test_damaged_memory_of_classes_ends);
    RUN(test_pages_of_pools_are_held_by_each_other_and_the_first_by_its_thread);
    RUN(test_types_of_core_foundation_are_told_apart);
    RUN(test_types_of_core_foundation_have_their_names);
    RUN(test_saved_and_opened_it_is_the_same);
    RUN(test_stacks_that_were_recorded_are_kept_also_in_a_file);
    RUN(test_without_a_recorder_nobody_allocated_anything);
    RUN(test_recorder_of_another_version_has_no_stacks_and_says_so);
    RUN(test_heap_of_nobody_is_no_empty_heap);
    RUN(test_what_cannot_be_done_says_so);
    RUN(test_damaged_files_are_refused_or_safe);
    RUN(test_damaged_heaps_have_valid_snapshots);
    RUN(test_without_memory_it_fails);
    return check_report();
}
