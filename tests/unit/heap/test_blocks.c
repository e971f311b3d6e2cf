/* Blocks of allocators as they are drawn: which are found, and finding. */
#include "objects/block_look.h"
#include "check.h"
#include "memory/drawn_allocators.h"
#include "objects/drawn_gnu.h"
#include "objects/drawn_objects.h"
#include "heap/allocators/blocks.h"
#include "runtime/abi.h"
#include "runtime/zones/room.h"

static struct drawn_heap heap;
static struct drawn_allocators drawn;

static void open_look(struct look *look, const struct loupe_chunk_ops *chunks) {
    look_open(look, &heap, chunks);
}

/* Whether the scene has a root there: data of images, or memory that no allocator explains. */
static bool is_place_of_roots(const struct look *look, loupe_addr place) {
    for (uint32_t i = 0; i < look->scene.sources.count; i++) {
        const struct loupe_range *memory = &loupe_scene_source(&look->scene, i)->memory;
        if (place >= memory->start && place < memory->end)
            return true;
    }
    return !loupe_ranges_hold(&look->blocks.explained, place);
}

/* Nobody but the allocator was drawn, and what it has for itself keeps no block alive. */
static unsigned count_false_roots(const struct look *look) {
    unsigned wrong = 0;
    for (unsigned i = 0; i < heap.region_count; i++) {
        const struct drawn_region *region = &heap.regions[i];
        for (size_t at = 0; at + 8 <= region->size; at += 8) {
            loupe_addr place = region->start + at;
            uint64_t word;
            uint32_t block;
            memcpy(&word, region->bytes + at, sizeof(word));
            wrong += loupe_blocks_find(&look->blocks, word, &block) &&
                     is_place_of_roots(look, place) &&
                     !loupe_ranges_hold(&look->blocks.tables, place);
        }
    }
    return wrong;
}

/* All that was drawn and nothing else. */
static void check_drawn(const char *allocator) {
    struct look look;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK(look_is_sound(&look));
    CHECK_EQ(look_count_missed(&look, &drawn), 0);
    CHECK_EQ(look.blocks.count, drawn.count);
    CHECK_EQ(count_false_roots(&look), 0);
    CHECK(look.blocks.allocators.count > 0);
    if (look.blocks.allocators.count)
        CHECK_STR(loupe_blocks_allocator(&look.blocks, 0)->name, allocator);
    for (uint32_t i = 0; i < look.blocks.allocators.count; i++) {
        const char *doubt = loupe_blocks_allocator(&look.blocks, i)->doubt;
        CHECK_STR(doubt ? doubt : "", "");
    }
    look_close(&look);
}

static void open_heap(void) {
    drawn_heap_init(&heap, 8);
}

/* ---- What is found ---- */

static void draw_glibc(const char *release) {
    open_heap();
    drawn_glibc(&drawn, &heap, release);
}

static void test_blocks_of_each_glibc_are_found(void) {
    static const char *const releases[] = {"2.31", "2.35", "2.42", "2.43"};
    for (unsigned i = 0; i < sizeof(releases) / sizeof(releases[0]); i++) {
        int failures = check_failures;
        draw_glibc(releases[i]);
        check_drawn("glibc main arena");
        if (check_failures != failures)
            fprintf(stderr, "of glibc %s\n", releases[i]);
        drawn_heap_deinit(&heap);
    }
}

static void test_blocks_of_musl_are_found(void) {
    open_heap();
    drawn_musl(&drawn, &heap);
    check_drawn("musl mallocng");
    drawn_heap_deinit(&heap);
}

static bool names_musl(void) {
    struct look look;
    bool found = false;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK(look_is_sound(&look));
    for (uint32_t i = 0; i < look.blocks.allocators.count; i++)
        found |= strcmp(loupe_blocks_allocator(&look.blocks, i)->name, "musl mallocng") == 0;
    look_close(&look);
    return found;
}

/* What has the shape of it at first sight: a word that stands before a page and begins it, too. */
static void test_musl_is_not_seen_where_it_is_not(void) {
    const loupe_addr data = 0x7f0000000000, pages = 0x7e0000000000;
    enum { SIZE = 0x4000, TIMES = 200 };
    uint64_t random = 1;
    open_heap();
    drawn_process_init(&heap);
    drawn_region_add(&heap, data, SIZE);
    drawn_process_region(data, data + SIZE);
    drawn_region_add(&heap, pages, SIZE);
    drawn_process_region(pages, pages + SIZE);
    drawn_process_image("/lib/libasan.so.8");
    drawn_process_section(".data", data, SIZE, true);
    for (unsigned i = 0; i < TIMES; i++) {
        for (loupe_addr at = 0; at < SIZE; at += 8) {
            random = random * 6364136223846793005 + 1442695040888963407;
            uint64_t kind = random >> 61, page = pages + (random >> 40 & 3) * 0x1000;
            uint64_t near = pages + (random >> 40 & (SIZE - 1) & ~7u), few = random >> 58;
            drawn_put_word(&heap, data + at, kind < 5 ? page : few & 1);
            drawn_put_word(&heap, pages + at, kind < 4 ? page : kind < 7 ? near : few);
        }
        CHECK(!names_musl());
    }
    drawn_heap_deinit(&heap);
}

static void test_blocks_of_a_scalable_zone_are_found(void) {
    open_heap();
    drawn_scalable_zone(&drawn, &heap);
    check_drawn("DefaultMallocZone (scalable)");
    drawn_heap_deinit(&heap);
}

static void test_a_machine_with_little_memory_has_no_medium_blocks(void) {
    static const uint8_t zeros[768];
    const loupe_addr first_medium = 0x400000000;
    unsigned others = 0;
    open_heap();
    drawn_scalable_zone(&drawn, &heap);
    drawn_put(&heap, drawn_medium_rack, zeros, sizeof(zeros));
    for (unsigned i = 0; i < drawn.count; i++) {
        if (drawn.starts[i] >= first_medium)
            continue;
        drawn.starts[others] = drawn.starts[i];
        drawn.sizes[others++] = drawn.sizes[i];
    }
    CHECK(others && others < drawn.count);
    drawn.count = others;
    check_drawn("DefaultMallocZone (scalable)");
    drawn_heap_deinit(&heap);
}

static void test_blocks_of_a_nano_zone_are_found(void) {
    open_heap();
    drawn_nano_zone(&drawn, &heap);
    check_drawn("DefaultMallocZone (nano)");
    drawn_heap_deinit(&heap);
}

static void test_blocks_of_an_xzone_zone_are_found(void) {
    open_heap();
    drawn_xzone_zone(&drawn, &heap);
    check_drawn("DefaultMallocZone (xzone)");
    drawn_heap_deinit(&heap);
}

static void draw_kept(enum drawn_ring release) {
    open_heap();
    drawn_xzone_zone(&drawn, &heap);
    drawn_xzone_kept(&heap, release);
}

static void test_huge_blocks_that_were_given_back_are_free_memory(void) {
    for (unsigned release = 0; release < DRAWN_RINGS; release++) {
        draw_kept((enum drawn_ring)release);
        check_drawn("DefaultMallocZone (xzone)");
        drawn_heap_deinit(&heap);
    }
}

/* How many of both lead to roots, with how many doubts. */
static void check_kept(unsigned wanted_roots, bool wanted_doubt) {
    struct look look;
    unsigned roots = 0;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK(look_is_sound(&look));
    CHECK_EQ(look_count_missed(&look, &drawn), 0);
    for (unsigned i = 0; i < 2; i++)
        roots += is_place_of_roots(&look, drawn_kept_blocks[i] + 64);
    CHECK_EQ(roots, wanted_roots);
    CHECK_EQ(look_has_doubt(&look), wanted_doubt);
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* Somebody else may have that memory by now. */
static void test_huge_blocks_that_the_system_took_away_are_nobodys(void) {
    for (unsigned release = 0; release < DRAWN_RINGS; release++) {
        for (unsigned taken = 0; taken <= 2; taken++) {
            draw_kept((enum drawn_ring)release);
            drawn_xzone_take_away(&heap, (enum drawn_ring)release, 5 + taken);
            check_kept(taken, false);
        }
    }
}

/* No owner, and it is said. */
static void test_huge_blocks_whose_state_is_not_told_are_unknown(void) {
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_zone + 568, 0); /* there is no ring */
    check_kept(0, true);
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_kept_segments[1] + 48, 99); /* a number that it does not have */
    check_kept(0, true);
    draw_kept(DRAWN_RING_OF_26);
    drawn_xzone_take_away(&heap, DRAWN_RING_OF_26, 8); /* more than there were */
    check_kept(0, true);
}

static void test_a_damaged_list_of_huge_blocks_is_said_to_be_one(void) {
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_kept_segments[1] + 24, drawn_kept_segments[0]); /* no end */
    check_kept(0, true);
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_kept_segments[0] + 24, 0); /* it ends too soon */
    check_kept(1, true);
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_kept_group + 24, 0); /* another's */
    check_kept(2, true);
    draw_kept(DRAWN_RING_OF_26);
    drawn_put_word(&heap, drawn_zone + 472, 0x10); /* not readable */
    check_kept(2, true);
}

static void test_a_zone_of_unknown_layout_is_named_and_not_exact(void) {
    struct look look;
    open_heap();
    drawn_unknown_zone(&drawn, &heap);
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    if (CHECK_EQ(look.blocks.allocators.count, 1)) {
        const struct loupe_allocator *zone = loupe_blocks_allocator(&look.blocks, 0);
        CHECK_STR(zone->name, "SomebodysZone (a zone of unknown layout)");
        CHECK(zone->guessed && zone->doubt);
    }
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* ---- How large the memory at an address is ---- */

/* Of every block that is drawn as the whole look has it, and of none inside of one. */
static void check_rooms(void (*draw)(struct drawn_allocators *, struct drawn_heap *)) {
    struct look look;
    open_heap();
    draw(&drawn, &heap);
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look_count_missed(&look, &drawn), 0);
    for (unsigned i = 0; i < drawn.count; i++) {
        CHECK_EQ(loupe_room_at(&look.target, drawn.starts[i]), drawn.sizes[i]);
        CHECK_EQ(loupe_room_at(&look.target, drawn.starts[i] + 8), 0);
        if (drawn.sizes[i] > 16)
            CHECK_EQ(loupe_room_at(&look.target, drawn.starts[i] + 16), 0);
    }
    look_close(&look);
    drawn_heap_deinit(&heap);
}

static void test_blocks_have_room_by_the_tables_of_their_zone(void) {
    check_rooms(drawn_scalable_zone);
    check_rooms(drawn_nano_zone);
    check_rooms(drawn_xzone_zone);
}

/* Places of the drawn zones. */
static void test_free_memory_has_no_room(void) {
    static const struct {
        void (*draw)(struct drawn_allocators *, struct drawn_heap *);
        loupe_addr free;
    } cases[] = {
        {drawn_scalable_zone, 0x200000000 + (1 << 20) - 64504 * 16 + 3 * 16},   /* tiny */
        {drawn_scalable_zone, 0x200000000 + (1 << 20) - 64504 * 16 + 71 * 16},  /* not begun yet */
        {drawn_scalable_zone, 0x280000000 + (8 << 20) - 16319 * 512 + 2 * 512}, /* small */
        {drawn_scalable_zone, 0x400000000 + 4 * UINT64_C(32768)},               /* medium */
        {drawn_scalable_zone, 0x300021000}, /* behind a large one */
        {drawn_scalable_zone, 0x510f00000}, /* kept of those that were given back */
        {drawn_nano_zone, 0x600000000000 + (((2 * 64 + 5) ^ 0x5a) << 14) + 2 * 32},
        {drawn_nano_zone, 0x600000000000 ^ 0x5a << 14}, /* the words of an arena */
        {drawn_xzone_zone, 0x140000000 + (2 << 14) + 4 * 5120},
        {drawn_xzone_zone, 0x140000000 + (7 << 14)},  /* in a large one */
        {drawn_xzone_zone, 0x140000000 + (10 << 14)}, /* in free slices */
        {drawn_xzone_zone, 0x140000000 + (12 << 14)},
        {drawn_xzone_zone, UINT64_C(1) << 46},
        {drawn_unknown_zone, 0x100004000},
    };
    for (unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct look look;
        open_heap();
        cases[i].draw(&drawn, &heap);
        open_look(&look, &drawn_chunks);
        if (!CHECK_EQ(loupe_room_at(&look.target, cases[i].free), 0))
            fprintf(stderr, "case %u\n", i);
        look_close(&look);
        drawn_heap_deinit(&heap);
    }
}

/* ---- A host that asks zones themselves ---- */

static enum loupe_status tell_zones(void *ctx, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor) {
    static const struct loupe_process_zone known = {.name = "Known",
                                                    .address = 0x1000,
                                                    .told = true},
                                           silent = {.name = "Silent", .address = 0x2000};
    (void)ctx;
    enum loupe_status status = visit(visitor, &known);
    if (!status)
        status = visit_block(visitor, 0x30040, 48);
    if (!status)
        status = visit_block(visitor, 0x30000, 64);
    return status ? status : visit(visitor, &silent);
}

static void test_zones_that_a_host_asks_are_believed(void) {
    struct loupe_process_ops ops;
    struct look look;
    open_heap();
    drawn_scalable_zone(&drawn, &heap); /* not looked at then */
    ops = *heap.process;
    ops.zones = tell_zones;
    heap.process = &ops;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK(look_is_sound(&look));
    if (CHECK_EQ(look.blocks.count, 2) && CHECK_EQ(look.blocks.allocators.count, 2)) {
        CHECK_EQ(look.blocks.starts[0], 0x30000);
        CHECK_EQ(loupe_blocks_size(&look.blocks, 1), 48);
        CHECK(!loupe_blocks_allocator(&look.blocks, 0)->doubt);
        CHECK(loupe_blocks_allocator(&look.blocks, 1)->guessed);
    }
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* The zone that the drawing has: it is not asked, so that its tables are read. */
static enum loupe_status tell_unasked(void *ctx, loupe_zone_visit visit,
                                      loupe_block_visit visit_block, void *visitor) {
    static const struct loupe_process_zone behind = {
        .name = "Behind", .address = 0x1000, .told = true};
    const struct loupe_process_zone unasked = {
        .name = "DefaultMallocZone", .address = drawn_zone, .unasked = true};
    (void)ctx;
    enum loupe_status status = visit(visitor, &unasked);
    if (!status)
        status = visit(visitor, &behind);
    return status ? status : visit_block(visitor, 0x30000, 64);
}

static void test_tables_are_read_of_a_zone_that_is_not_asked(void) {
    struct loupe_process_ops ops;
    struct look look;
    open_heap();
    drawn_nano_zone(&drawn, &heap);
    ops = *heap.process;
    ops.zones = tell_unasked;
    heap.process = &ops;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK_EQ(look.blocks.count, drawn.count + 1);
    if (CHECK_EQ(look.blocks.allocators.count, 2)) {
        CHECK_STR(loupe_blocks_allocator(&look.blocks, 0)->name, "DefaultMallocZone (nano)");
        CHECK(!loupe_blocks_allocator(&look.blocks, 0)->doubt);
        CHECK_STR(loupe_blocks_allocator(&look.blocks, 1)->name, "Behind (zone)");
    }
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* A heap with a zone, of whose blocks a host tells. */
static void draw_told_zone(struct loupe_process_ops *ops,
                           enum loupe_status (*zones)(void *, loupe_zone_visit, loupe_block_visit,
                                                      void *)) {
    open_heap();
    drawn_scalable_zone(&drawn, &heap);
    *ops = *heap.process;
    ops->zones = zones;
    heap.process = ops;
}

/* All that was drawn is told, and a silent zone behind it where there is one. */
static bool has_silent_zone;
static enum loupe_status tell_drawn(void *ctx, loupe_zone_visit visit,
                                    loupe_block_visit visit_block, void *visitor) {
    static const struct loupe_process_zone known = {.name = "Known",
                                                    .address = 0x1000,
                                                    .told = true},
                                           silent = {.name = "Silent", .address = 0x2000};
    (void)ctx;
    enum loupe_status status = visit(visitor, &known);
    for (unsigned i = 0; !status && i < drawn.count; i++)
        status = visit_block(visitor, drawn.starts[i], drawn.sizes[i]);
    return !status && has_silent_zone ? visit(visitor, &silent) : status;
}

/* What is free keeps no block alive; where a zone does not tell its blocks nobody knows what is. */
static void test_what_is_no_block_of_zones_that_were_asked_is_free(void) {
    for (int silent = 0; silent < 2; silent++) {
        struct loupe_process_ops ops;
        struct look look;
        has_silent_zone = silent;
        draw_told_zone(&ops, tell_drawn);
        drawn_process_regions_are_of_allocators();
        open_look(&look, &drawn_chunks);
        CHECK_EQ(look.status, LOUPE_OK);
        CHECK_EQ(look.blocks.count, drawn.count);
        CHECK_EQ(count_false_roots(&look) == 0, !silent);
        look_close(&look);
        drawn_heap_deinit(&heap);
    }
}

static enum loupe_status break_off(void *ctx, loupe_zone_visit visit, loupe_block_visit visit_block,
                                   void *visitor) {
    enum loupe_status status = tell_zones(ctx, visit, visit_block, visitor);
    return status ? status : LOUPE_EFAULT;
}

static enum loupe_status refuse(void *ctx, loupe_zone_visit visit, loupe_block_visit visit_block,
                                void *visitor) {
    (void)ctx, (void)visit, (void)visit_block, (void)visitor;
    return LOUPE_EFAULT;
}

static void test_zones_that_break_off_have_a_doubt_and_none_that_refuse(void) {
    struct loupe_process_ops ops;
    struct look look;
    draw_told_zone(&ops, break_off);
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK_EQ(look.blocks.count, 2);
    if (CHECK_EQ(look.blocks.allocators.count, 2))
        CHECK_EQ(loupe_blocks_allocator(&look.blocks, 1)->damaged, 1);
    look_close(&look);
    ops.zones = refuse; /* its tables are read */
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK_EQ(look.blocks.allocators.count, 1);
    CHECK(look.blocks.count > 2 && !loupe_blocks_allocator(&look.blocks, 0)->doubt);
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* It is asked where the tables of a zone are not known, and else not. */
static void test_blocks_have_room_as_a_host_tells(void) {
    struct loupe_process_ops ops;
    struct look look;
    draw_told_zone(&ops, tell_zones);
    open_look(&look, &drawn_chunks);
    CHECK_EQ(loupe_room_at(&look.target, drawn.starts[0]), drawn.sizes[0]);
    CHECK_EQ(loupe_room_at(&look.target, 0x30040), 0);
    look_close(&look);
    drawn_heap_deinit(&heap);
    open_heap();
    drawn_unknown_zone(&drawn, &heap);
    heap.process = &ops;
    open_look(&look, &drawn_chunks);
    CHECK_EQ(loupe_room_at(&look.target, 0x30040), 48);
    CHECK_EQ(loupe_room_at(&look.target, 0x30000), 64);
    CHECK_EQ(loupe_room_at(&look.target, 0x30010), 0);
    look_close(&look);
    drawn_heap_deinit(&heap);
}

/* ---- Finding, beside what is known of each address ---- */

static const loupe_addr row_start = 0x30000 - 24; /* it crosses into another grain */
enum { ROW = 200 };
static uint64_t row_step, row_size;

static enum loupe_status tell_row(void *ctx, loupe_zone_visit visit, loupe_block_visit visit_block,
                                  void *visitor) {
    static const struct loupe_process_zone zone = {.name = "Row", .address = 0x1000, .told = true};
    (void)ctx;
    enum loupe_status status = visit(visitor, &zone);
    for (unsigned i = 0; !status && i < ROW; i++)
        status = visit_block(visitor, row_start + i * row_step, row_size);
    return status;
}

static void find_each_address(uint64_t step, uint64_t size) {
    struct loupe_process_ops ops;
    struct look look;
    unsigned wrong = 0;
    row_step = step;
    row_size = size;
    draw_told_zone(&ops, tell_row);
    open_look(&look, &drawn_chunks);
    CHECK_EQ(look.status, LOUPE_OK);
    CHECK_EQ(look.blocks.count, ROW);
    for (loupe_addr at = row_start - 32; at < row_start + (ROW + 4) * step; at++) {
        uint64_t number = (at - row_start) / step;
        bool is_in = at >= row_start && number < ROW && (at - row_start) % step < size;
        uint32_t found = 0;
        wrong += loupe_blocks_find(&look.blocks, at, &found) != is_in || (is_in && found != number);
    }
    CHECK_EQ(wrong, 0);
    look_close(&look);
    drawn_heap_deinit(&heap);
}

static void test_each_address_is_found_in_its_block(void) {
    find_each_address(16, 16); /* one after the other */
    find_each_address(24, 16); /* beginning in the middle of units, with gaps */
    find_each_address(48, 9);
    find_each_address(5000, 4990); /* over several grains */
    find_each_address(12, 5);      /* two in a unit, as no allocator has them */
    find_each_address(8, 8);
}

/* ---- Objects where no table tells of blocks ---- */

static void put_object(struct drawn_world *world, loupe_addr start, uint8_t state) {
    uint8_t bytes[16];
    drawn_get(&heap, drawn_object(world, "Owner"), bytes, sizeof(bytes));
    drawn_put(&heap, start - 16, &state, 1);
    drawn_put(&heap, start, bytes, sizeof(bytes));
}

/* With the runtime that is drawn. */
static void open_guess(struct look *look, struct drawn_heap *of) {
    struct loupe_request request = {0};
    drawn_memory(of, &look->memory);
    loupe_target_init(&look->target, &look->memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&look->target, NULL), LOUPE_OK);
    loupe_scene_init(&look->scene, &look->target);
    CHECK_EQ(loupe_scene_take(&look->scene, &request), LOUPE_OK);
    loupe_blocks_init(&look->blocks, &drawn_chunks);
    CHECK_EQ(loupe_blocks_take(&look->blocks, &look->target, &look->scene), LOUPE_OK);
}

/* The state before a block of AddressSanitizer's: 2 in use, 3 in quarantine. */
static void guess(const char *image, unsigned expected) {
    static struct drawn_world world;
    struct look look;
    drawn_world_init(&world, &heap, DRAWN_X86_64);
    drawn_class(&world, "Owner", "NSObject", "strong _peer @");
    drawn_process_init(&heap);
    drawn_process_region(0x10000, 0x10000 + (1 << 20));
    drawn_process_image(image);
    drawn_process_section(".data", 0x10000, 1 << 20, true);
    drawn_region_add(&heap, 0x40000000, 0x1000);
    drawn_process_region(0x40000000, 0x40001000);
    put_object(&world, 0x40000020, 2);
    put_object(&world, 0x40000060, 3);
    put_object(&world, 0x400000a0, 2);
    open_guess(&look, &heap);
    CHECK(look_is_sound(&look));
    CHECK_EQ(look.blocks.count, expected);
    for (uint32_t i = 0; i < look.blocks.count; i++) {
        const struct loupe_allocator *owner =
            loupe_blocks_allocator(&look.blocks, loupe_blocks_owner(&look.blocks, i));
        CHECK(owner->guessed && owner->doubt);
    }
    look_close(&look);
    drawn_world_deinit(&world);
}

static void test_objects_in_a_quarantine_are_no_blocks(void) {
    guess("/usr/lib/libasan.so.8", 2);
}

static void test_objects_of_an_unknown_allocator_are_guessed(void) {
    guess("/usr/lib/libfoo.so", 3);
}

/* What class_createInstance() makes begins its block; what a Foundation does stands behind a count.
 */
static void guess_of_gcc(const char *root, uint64_t before) {
    struct look look;
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_class("Node", gnu_put_class(root, 0, 8, NULL, 0), 16, NULL, 0);
    drawn_process_init(&gnu_heap);
    drawn_process_region(0x10000, 0x10000 + (1 << 20));
    drawn_process_image("/bin/nodes");
    drawn_process_section(".data", 0x10000, 1 << 20, true);
    drawn_region_add(&gnu_heap, 0x40000000, 0x1000);
    drawn_process_region(0x40000000, 0x40001000);
    const loupe_addr nodes[] = {0x40000020, 0x40000030 + before, 0x40000040 + 2 * before};
    for (unsigned i = 0; i < LENGTH(nodes); i++)
        drawn_put_word(&gnu_heap, nodes[i], cls);
    open_guess(&look, &gnu_heap);
    CHECK_EQ(look.blocks.count, LENGTH(nodes));
    for (uint32_t i = 0; i < look.blocks.count && i < LENGTH(nodes); i++)
        CHECK_EQ(look.blocks.starts[i], nodes[i] - before);
    look_close(&look);
    gnu_close_heap();
}

static void test_objects_without_a_foundation_are_guessed(void) {
    guess_of_gcc("Object", 0);
    guess_of_gcc("NSObject", 16);
}

static void test_without_memory_it_fails_and_keeps_nothing(void) {
    enum loupe_status status = LOUPE_ENOMEM;
    draw_glibc("2.35");
    for (uint64_t fail_at = 1; status == LOUPE_ENOMEM; fail_at++) {
        struct drawn_failing_chunks failing = {.fail_at = fail_at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&failing);
        struct look look;
        open_look(&look, &chunks);
        status = look.status;
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        CHECK(status == LOUPE_OK || !look.blocks.count);
        look_close(&look);
        CHECK_EQ(failing.outstanding, 0);
    }
    drawn_heap_deinit(&heap);
}

int main(void) {
    RUN(test_blocks_of_each_glibc_are_found);
    RUN(test_blocks_of_musl_are_found);
    RUN(test_musl_is_not_seen_where_it_is_not);
    RUN(test_blocks_of_a_scalable_zone_are_found);
    RUN(test_a_machine_with_little_memory_has_no_medium_blocks);
    RUN(test_blocks_of_a_nano_zone_are_found);
    RUN(test_blocks_of_an_xzone_zone_are_found);
    RUN(test_huge_blocks_that_were_given_back_are_free_memory);
    RUN(test_huge_blocks_that_the_system_took_away_are_nobodys);
    RUN(test_huge_blocks_whose_state_is_not_told_are_unknown);
    RUN(test_a_damaged_list_of_huge_blocks_is_said_to_be_one);
    RUN(test_a_zone_of_unknown_layout_is_named_and_not_exact);
    RUN(test_blocks_have_room_by_the_tables_of_their_zone);
    RUN(test_free_memory_has_no_room);
    RUN(test_blocks_have_room_as_a_host_tells);
    RUN(test_zones_that_a_host_asks_are_believed);
    RUN(test_tables_are_read_of_a_zone_that_is_not_asked);
    RUN(test_what_is_no_block_of_zones_that_were_asked_is_free);
    RUN(test_zones_that_break_off_have_a_doubt_and_none_that_refuse);
    RUN(test_each_address_is_found_in_its_block);
    RUN(test_objects_in_a_quarantine_are_no_blocks);
    RUN(test_objects_of_an_unknown_allocator_are_guessed);
    RUN(test_objects_without_a_foundation_are_guessed);
    RUN(test_without_memory_it_fails_and_keeps_nothing);
    return check_report();
}
