/* What a process consists of: which of its memory is scanned for roots, and what is left out. */
#include "check.h"
#include "memory/drawn_process.h"
#include "runtime/abi.h"
#include "scene/own_pages.h"
#include "scene/scene.h"
#include "scene/sections.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_target target;
static struct loupe_abi abi;
static char text[4096];

static void open_process(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_process_init(&heap);
    abi = (struct loupe_abi){.name = "drawn"};
}

static void close_process(void) {
    drawn_heap_deinit(&heap);
}

/* ---- The scene as text: a line for each source, for tables, writable memory and gaps ---- */

static void append(const char *format, ...) __attribute__((format(printf, 1, 2)));

static void append(const char *format, ...) {
    size_t length = strlen(text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text + length, sizeof(text) - length, format, arguments);
    va_end(arguments);
}

#define HEX(number) (unsigned long long)(number)

static void show_source(const struct loupe_root_source *source) {
    append("%s", loupe_root_kind_name(source->kind));
    if (source->memory.start < source->memory.end)
        append(" %llx-%llx", HEX(source->memory.start), HEX(source->memory.end));
    else
        append(" %llx", HEX(source->word));
    if (source->image)
        append(" %s", source->image);
    if (source->of_thread)
        append(" thread %llu", HEX(source->thread));
    if (source->register_name)
        append(" %s", source->register_name);
    append("\n");
}

static void show_ranges(const char *what, const struct loupe_ranges *ranges) {
    for (uint32_t i = 0; i < loupe_ranges_count(ranges); i++)
        append("%s %llx-%llx\n", what, HEX(loupe_ranges_at(ranges, i)->start),
               HEX(loupe_ranges_at(ranges, i)->end));
}

static void show_gap(const struct loupe_scene_gap *gap) {
    append("not %s", loupe_scene_gap_name(gap->kind));
    if (gap->image)
        append(" of %s", gap->image);
    if (gap->of_thread)
        append(" of thread %llu", HEX(gap->thread));
    if (gap->bytes)
        append(": %llx bytes", HEX(gap->bytes));
    append("\n");
}

static enum loupe_status take(const struct loupe_request *request,
                              const struct loupe_chunk_ops *chunks) {
    struct loupe_scene scene;
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, chunks);
    target.abi = &abi;
    loupe_scene_init(&scene, &target);
    text[0] = '\0';
    enum loupe_status status = loupe_scene_take(&scene, request);
    for (uint32_t i = 0; !status && i < scene.sources.count; i++)
        show_source(loupe_scene_source(&scene, i));
    if (!status) {
        show_ranges("table", &scene.not_objects);
        show_ranges("writable", &scene.writable);
    }
    for (uint32_t i = 0; !status && i < scene.gaps.count; i++)
        show_gap(loupe_scene_gap(&scene, i));
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return status;
}

static const char *scene_with(struct loupe_request request) {
    CHECK_EQ(take(&request, &drawn_chunks), LOUPE_OK);
    return text;
}

static const char *scene(void) {
    return scene_with((struct loupe_request){0});
}

static bool has(const char *line) {
    const char *found = strstr(text, line);
    return found && (found == text || found[-1] == '\n') && found[strlen(line)] == '\n';
}

#define CHECK_HAS(line) CHECK(has(line) || (fprintf(stderr, "no %s in\n%s", line, text), false))

/* ---- Sections ---- */

static void test_names_of_sections_say_what_stands_there(void) {
    static const char *const data[] = {
        ".data",    ".bss", "__DATA,__data",       "__bss",          ".data.rel.ro",
        "__common", "",     "__DATA_DIRTY,__data", ".tm_clone_table"};
    static const char *const none[] = {
        "__objc_selectors", "__DATA,__objc_const", "__cfstring", "__DATA,__thread_vars", ".dynamic",
        ".init_array",      ".fini_array",         ".eh_frame",  "__objc_data"};
    static const char *const tables[] = {"__objc_classrefs",
                                         "__DATA,__objc_classrefs",
                                         "__objc_class_refs",
                                         "__objc_classes",
                                         "__objc_classlist",
                                         "__objc_superrefs",
                                         "__objc_nlclslist_objc_nlclasslist",
                                         "__objc_catlist2",
                                         "__objc_cats",
                                         "__objc_protocol_refs",
                                         "__objc_protorefs",
                                         "__objc_class_aliases",
                                         ".got",
                                         ".got.plt",
                                         "__DATA_CONST,__got",
                                         "__auth_got"};
    for (size_t i = 0; i < sizeof(data) / sizeof(data[0]); i++)
        CHECK_EQ(loupe_section_use(data[i]), LOUPE_SECTION_DATA);
    for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
        CHECK_EQ(loupe_section_use(none[i]), LOUPE_SECTION_NO_ROOTS);
    for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
        CHECK_EQ(loupe_section_use(tables[i]), LOUPE_SECTION_TABLE);
    CHECK_EQ(loupe_section_use(".tdata"), LOUPE_SECTION_THREAD_LOCAL);
    CHECK_EQ(loupe_section_use(".tbss"), LOUPE_SECTION_THREAD_LOCAL);
}

static void test_paths_of_images_say_whose_they_are(void) {
    CHECK(loupe_image_is_systems("/usr/lib/libc.so.6"));
    CHECK(loupe_image_is_systems("/lib/x86_64-linux-gnu/libc.so.6"));
    CHECK(loupe_image_is_systems("/System/Library/Frameworks/UIKit.framework/UIKit"));
    CHECK(loupe_image_is_systems("/a/b.simruntime/c"));
    CHECK(!loupe_image_is_systems("/home/me/usr/lib/app"));
    CHECK(!loupe_image_is_systems(""));
    CHECK(loupe_image_is_ours("/any/where/libloupe_helper.so"));
    CHECK(loupe_image_is_ours("libloupe_helper.dylib"));
    CHECK(!loupe_image_is_ours("/libloupe_helper.d/app"));
    CHECK(!loupe_image_is_ours("/my/libloupe_helper"));
    CHECK(loupe_image_is_kernels("[vdso]") && loupe_image_is_kernels("/[vdso]"));
    CHECK(!loupe_image_is_kernels("/a/[b]/c") && !loupe_image_is_kernels(""));
}

/* ---- Data ---- */

static void test_data_of_images_is_scanned_but_for_tables(void) {
    open_process(8);
    drawn_process_image("/usr/lib/libfirst.so");
    drawn_process_section(".data", 0x300000, 0x100, true);
    drawn_process_image("/app");
    drawn_process_section(".text", 0x1000, 0x1000, false);
    drawn_process_section("__objc_classes", 0x5000, 0x20, true);
    drawn_process_section(".got", 0x5100, 0x80, true);
    drawn_process_section(".data", 0x5200, 0x80, true);
    drawn_process_section(".bss", 0x52b0, 0x50, true);
    drawn_process_section(".init_array", 0x5080, 8, true);
    drawn_process_section(".late", 0x5340, 8, true);
    drawn_process_image("[vdso]");
    drawn_process_section(".rodata", 0x9000, 8, true);
    drawn_process_image("/app/plugin.so");
    drawn_process_section(".data", 0x4000, 8, true);
    drawn_process_section(".empty", 0x4100, 0, true);
    CHECK_STR(scene(), "data 4000-4008 /app/plugin.so\n"
                       "data 5200-5300 /app\n"
                       "data 5340-5348 /app\n"
                       "data 300000-300100 /usr/lib/libfirst.so\n"
                       "table 5000-5020\n"
                       "table 5100-5180\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not raw-memory\n");
    close_process();
}

/* AddressSanitizer's: reading all of it would take hours. */
static void test_what_is_only_reserved_is_not_searched(void) {
    open_process(8);
    drawn_process_region(0x8000, 0x9000);
    drawn_process_region(0x2008fff7000, 0x10007fff8000);
    CHECK_STR(scene(), "writable 8000-9000\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not reserved-memory: dfff0001000 bytes\n"
                       "not raw-memory\n");
    close_process();
}

static void test_data_comes_once_and_the_helpers_never(void) {
    open_process(8);
    drawn_process_region(0x8000, 0x9000);
    drawn_process_image("/lib/ld.so");
    drawn_process_section(".data", 0x5000, 8, true);
    drawn_process_image("/home/me/libloupe_helper.so");
    drawn_process_section(".data", 0x8100, 0x100, true);
    drawn_process_image("/lib/ld.so");
    drawn_process_section(".data", 0x5000, 8, true);
    CHECK_STR(scene(), "data 5000-5008 /lib/ld.so\n"
                       "writable 8000-8100\n"
                       "writable 8200-9000\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not raw-memory\n");
    close_process();
}

static void test_data_beyond_limits_is_told(void) {
    open_process(8);
    drawn_process_image("/app");
    drawn_process_section(".bss", 0x100000000, UINT64_C(0x50000000), true);
    drawn_process_image("/usr/lib/large");
    drawn_process_section(".bss", 0x10000000, 65 << 20, true);
    drawn_process_image("/usr/lib/small");
    drawn_process_section(".bss", 0x20000000, 0x10, true);
    scene();
    CHECK_HAS("data 100000000-140000000 /app");
    CHECK_HAS("not data-part of /app: 10000000 bytes");
    CHECK_HAS("data 20000000-20000010 /usr/lib/small");
    CHECK_HAS("not system-data: 4100000 bytes");
    CHECK(!strstr(text, "large"));
    close_process();
}

/* ---- Memory that no word can be in ---- */

/* As x86-64 has them, of which those of low addresses are few. */
static void draw_shadow(uint64_t offset) {
    loupe_addr variable = drawn_alloc(&heap, 8);
    drawn_put_word(&heap, variable, offset);
    drawn_symbol_add(&heap, "__asan_shadow_memory_dynamic_address", variable);
    drawn_process_region(0x7fff7000, 0x8fff7000);
    drawn_process_region(UINT64_C(0x2008fff7000), UINT64_C(0x10007fff8000));
    drawn_process_region(UINT64_C(0x602000000000), UINT64_C(0x602000010000));
}

static void test_what_a_sanitizer_keeps_of_addresses_is_not_searched(void) {
    open_process(8);
    draw_shadow(0x7fff8000);
    CHECK_STR(scene(), "writable 602000000000-602000010000\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not raw-memory\n");
    close_process();
}

static void test_a_place_of_it_that_makes_no_sense_is_not_believed(void) {
    static const uint64_t places[] = {0, 0xfff, UINT64_C(1) << 47, UINT64_MAX};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        open_process(8);
        draw_shadow(places[i]);
        scene();
        CHECK_HAS("writable 7fff7000-8fff7000");
        CHECK_HAS("writable 602000000000-602000010000");
        CHECK_HAS("not reserved-memory: dfff0001000 bytes");
        close_process();
    }
}

/* ---- Memory of the helper's ---- */

enum { OWN = 0x400000, OWN_END = OWN + 0x4000 };

static const struct loupe_own_pages own_mark = {
    .magic = LOUPE_OWN_PAGES_MAGIC, .start = OWN, .size = 0x3000};

static void draw_own_pages(loupe_addr place, const struct loupe_own_pages *mark) {
    open_process(8);
    drawn_region_add(&heap, place, OWN_END - OWN);
    drawn_put(&heap, place, mark, sizeof(*mark));
    drawn_process_region(place, place + (OWN_END - OWN));
    scene();
}

static void test_what_the_helper_has_for_itself_is_not_searched(void) {
    draw_own_pages(OWN, &own_mark);
    CHECK_HAS("writable 403000-404000");
    CHECK(!strstr(text, "400000"));
    close_process();
}

static void test_marks_of_its_that_make_no_sense_are_not_believed(void) {
    struct loupe_own_pages marks[] = {own_mark, own_mark, own_mark, own_mark};
    marks[0].magic[15] = 's';
    marks[1].start = OWN + 0x1000;
    marks[2].size = OWN_END - OWN + 1;
    marks[3].size = UINT64_MAX;
    for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
        draw_own_pages(OWN, &marks[i]);
        CHECK_HAS("writable 400000-404000");
        close_process();
    }
    marks[0] = own_mark;
    marks[0].start = OWN + 0x1000;
    draw_own_pages(OWN + 0x1000, &marks[0]);
    CHECK_HAS("writable 401000-405000");
    close_process();
}

/* ---- Threads ---- */

enum { STACK = 0x700000, STACK_END = 0x800000, POINTER = 0x7fe000 };

static void draw_thread(void) {
    drawn_process_thread(7);
    drawn_process_register("rsp", POINTER);
    drawn_process_register("rax", 0x10010);
    drawn_process_register("rbx", 8);
    drawn_process_register("rcx", 0x10010);
    drawn_process_register("r15", 0x10020);
}

static void test_a_stack_is_scanned_from_its_pointer(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    draw_thread();
    CHECK_STR(scene(), "stack 7fdf80-800000 thread 7\n"
                       "register 10010 thread 7 rax\n"
                       "register 10020 thread 7 r15\n"
                       "writable 700000-7ee000\n"
                       "writable 7fdf80-800000\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not raw-memory\n");
    close_process();
}

static void test_where_nothing_seems_writable_everything_may_be(void) {
    open_process(8);
    drawn_process_region(0x40000, 0x50000);
    drawn_process_region_is_read_only();
    drawn_process_region(STACK, STACK_END);
    drawn_process_region_is_read_only();
    draw_thread();
    scene();
    CHECK_HAS("stack 7fdf80-800000 thread 7");
    CHECK_HAS("writable 40000-50000");
    CHECK_HAS("writable 7fdf80-800000");
    close_process();
}

static void test_nothing_below_the_pointer_of_the_systems_stack_is_searched(void) {
    open_process(8);
    drawn_process_region(0x6f0000, STACK);
    drawn_process_region_is_read_only();
    drawn_process_region(STACK, STACK_END);
    drawn_process_region_is_stack();
    draw_thread();
    scene();
    CHECK_HAS("writable 7fdf80-800000");
    CHECK(!strstr(text, "writable 7000") && !strstr(text, "writable 6f"));
    close_process();
}

/* A process of Darwin's as a debugger tells it: which regions are stacks, nobody says. */
static void draw_end_of_stack(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    drawn_region_add(&heap, STACK_END - 0x4000, 0x4000);
    draw_thread();
}

static void draw_pthread(loupe_addr place, loupe_addr start, loupe_addr end) {
    draw_end_of_stack();
    drawn_put_word(&heap, place + 224, place);
    drawn_put_word(&heap, place + 176, end);
    drawn_put_word(&heap, place + 184, start);
}

static bool all_below_is_left_out(void) {
    scene();
    bool is_left_out = !strstr(text, "writable 700000");
    CHECK_HAS("writable 7fdf80-800000");
    close_process();
    return is_left_out;
}

static void test_a_stack_of_darwin_is_known_by_what_stands_at_its_end(void) {
    enum { PTHREAD = STACK_END - 0x1000 };
    draw_pthread(PTHREAD, STACK, PTHREAD);
    CHECK(all_below_is_left_out());
    draw_pthread(PTHREAD, STACK - 0x1000, PTHREAD); /* of another stack, as are the next */
    CHECK(!all_below_is_left_out());
    draw_pthread(PTHREAD, POINTER + 8, PTHREAD);
    CHECK(!all_below_is_left_out());
    draw_pthread(PTHREAD, STACK, POINTER);
    CHECK(!all_below_is_left_out());
    draw_pthread(PTHREAD, STACK, STACK_END);
    CHECK(!all_below_is_left_out());
    draw_end_of_stack();
    drawn_put(&heap, STACK_END - 0x1008, "executable_path=/bin/ls", 24); /* across two pages */
    CHECK(all_below_is_left_out());
    draw_end_of_stack();
    drawn_put(&heap, STACK_END - 0x1008, "executable_path is long", 24);
    CHECK(!all_below_is_left_out());
}

/* glibc on x86-64: a thread's variables and its control block are at the end of its stack. */
static void test_variables_stand_below_the_thread_pointer(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    drawn_process_image("/app");
    drawn_process_section(".tdata", 0x5000, 0x10, true);
    drawn_process_section(".tbss", 0, 0x30, true);
    drawn_process_section_is_not_loaded();
    draw_thread();
    drawn_process_register("fs_base", 0x7ff000);
    CHECK_STR(scene(), "thread-local 7fef40-7ff900 thread 7\n"
                       "stack 7fdf80-7fef40 thread 7\n"
                       "register 10010 thread 7 rax\n"
                       "register 10020 thread 7 r15\n"
                       "writable 7fdf80-800000\n"
                       "not autorelease-pools\n"
                       "not later-thread-local\n"
                       "not raw-memory\n");
    close_process();
}

/* Darwin: the kernel tells where the values by key stand, on top of a thread's stack. */
static void test_variables_that_the_system_tells(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    drawn_process_region(0x900000, 0x904000);
    draw_thread();
    drawn_process_variables(STACK_END - 0x1000,
                            STACK_END + 0x800); /* so far as it can be written */
    scene();
    CHECK_HAS("thread-local 7ff000-800000 thread 7");
    CHECK_HAS("stack 7fdf80-7ff000 thread 7");
    CHECK_HAS("not later-thread-local");
    drawn_process_variables(0x5000000, 0x5001800); /* nobody's */
    scene();
    CHECK_HAS("stack 7fdf80-800000 thread 7");
    CHECK_HAS("not thread-local");
    close_process();
}

static void test_variables_of_arm_stand_above_the_thread_pointer(void) {
    open_process(8);
    heap.machine.arch = LOUPE_ARCH_ARM64;
    drawn_process_region(0x900000, 0x904000);
    drawn_process_image("/app");
    drawn_process_section(".tbss", 0x5000, 0x30, true);
    drawn_process_thread(7);
    drawn_process_register("tpidr", 0x903000);
    drawn_process_register("x9", 0x10010);
    scene();
    CHECK_HAS("thread-local 902700-903070 thread 7");
    CHECK_HAS("register 10010 thread 7 x9");
    CHECK_HAS("not stack of thread 7");
    close_process();
}

/* glibc's lists for debuggers: { next, previous } in struct pthread at 0x40, the id at 0x60. */
static void draw_glibc(loupe_addr first, loupe_addr second) {
    static const struct {
        const char *name;
        uint32_t words[3];
    } symbols[] = {{"_thread_db_rtld_global__dl_stack_used", {128, 1, 0x100}},
                   {"_thread_db_rtld_global__dl_stack_user", {128, 1, 0x110}},
                   {"_thread_db_list_t_next", {64, 1, 0}},
                   {"_thread_db_pthread_list", {128, 1, 0x40}},
                   {"_thread_db_pthread_tid", {32, 1, 0x60}},
                   {"_thread_db_sizeof_pthread", {0x900, 0, 0}}};
    loupe_addr global = drawn_alloc(&heap, 0x200);
    drawn_symbol_add(&heap, "_rtld_global", global);
    for (size_t i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
        drawn_symbol_add(&heap, symbols[i].name,
                         drawn_bytes(&heap, symbols[i].words, sizeof(symbols[i].words)));
    drawn_put_word(&heap, global + 0x100, first + 0x40);
    drawn_put_word(&heap, first + 0x40, global + 0x100);
    drawn_put_word(&heap, global + 0x110, second + 0x40);
    drawn_put_word(&heap, second + 0x40, second ? global + 0x110 : 0);
}

static void test_glibc_tells_where_variables_are_when_no_register_does(void) {
    open_process(8);
    loupe_addr first = drawn_alloc(&heap, 0x1000), second = drawn_alloc(&heap, 0x1000);
    char want[128];
    drawn_process_region(0x10000, 0x110000);
    drawn_process_region(STACK, STACK_END);
    draw_thread();
    drawn_process_thread(8);
    drawn_process_register("fs_base", 0x7ff000);
    drawn_process_thread(9);
    draw_glibc(first, second);
    drawn_put_u32(&heap, first + 0x60, 7);
    drawn_put_u32(&heap, second + 0x60, 8);
    scene();
    snprintf(want, sizeof(want), "thread-local %llx-%llx thread 7", HEX(first), HEX(first + 0x900));
    CHECK_HAS(want);
    CHECK_HAS("thread-local 7ff000-7ff900 thread 8");
    CHECK_HAS("not thread-local");
    drawn_put_u32(&heap, second + 0x60, 9);
    scene();
    CHECK_HAS("not later-thread-local");
    heap.machine.arch = LOUPE_ARCH_ARM64;
    scene();
    snprintf(want, sizeof(want), "thread-local %llx-%llx thread 7", HEX(first), HEX(first + 0x900));
    CHECK_HAS(want);
    close_process();
}

static void test_lists_of_threads_that_lie_end(void) {
    open_process(8);
    loupe_addr first = drawn_alloc(&heap, 0x1000), second = drawn_alloc(&heap, 0x1000);
    drawn_process_region(0x10000, 0x110000);
    draw_thread();
    draw_glibc(first, second);
    drawn_put_u32(&heap, first + 0x60, 7);
    drawn_put_word(&heap, first + 0x40, first + 0x40); /* leads to itself */
    drawn_put_word(&heap, second + 0x40, 0xdead0000);  /* cannot be read */
    scene();
    CHECK_HAS("not later-thread-local");
    close_process();
}

static void test_pages_of_pools_are_seen_where_all_variables_are(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    draw_thread();
    drawn_process_register("fs_base", 0x7ff000);
    abi.pool_page = (bool (*)(struct loupe_target *, loupe_addr, struct loupe_pool_page *))abort;
    scene();
    CHECK(!strstr(text, "autorelease"));
    drawn_process_thread(8);
    scene();
    CHECK_HAS("not autorelease-pools");
    CHECK_HAS("not thread-local");
    CHECK_HAS("not stack of thread 8");
    CHECK_HAS("not registers of thread 8");
    abi.pools_are_objects = true;
    scene();
    CHECK(!strstr(text, "autorelease"));
    close_process();
}

static void test_words_of_four_bytes_have_no_red_zone(void) {
    open_process(4);
    drawn_process_region(STACK, STACK_END);
    drawn_process_thread(7);
    drawn_process_register("esp", POINTER);
    scene();
    CHECK_HAS("stack 7fe000-800000 thread 7");
    CHECK_HAS("writable 7fe000-800000");
    close_process();
}

static void test_arm64_has_a_red_zone_on_systems_of_apple_alone(void) {
    open_process(8);
    heap.machine.arch = LOUPE_ARCH_ARM64;
    drawn_process_region(STACK, STACK_END);
    drawn_process_thread(7);
    drawn_process_register("sp", POINTER);
    scene();
    CHECK_HAS("writable 7fdf80-800000");
    heap.machine.no_red_zone = true;
    scene();
    CHECK_HAS("writable 7fe000-800000");
    close_process();
}

static void test_a_stack_of_unknown_memory_ends_with_its_frames(void) {
    open_process(8);
    draw_thread();
    drawn_process_frames_end(0x7ff800);
    drawn_process_thread(9);
    drawn_process_register("rsp", 0x5000);
    drawn_process_frames_end(0x4000);
    scene();
    CHECK_HAS("stack 7fe000-7ff800 thread 7");
    CHECK_HAS("not stack of thread 9");
    close_process();
}

static void test_a_part_of_a_very_large_stack_is_told(void) {
    open_process(8);
    drawn_process_region(0x10000000, 0x20000000);
    drawn_process_thread(7);
    drawn_process_register("rsp", 0x10000000);
    scene();
    CHECK_HAS("stack 10000000-11000000 thread 7");
    CHECK_HAS("not stack-part of thread 7: f000000 bytes");
    close_process();
}

/* ---- What the host adds ---- */

static void test_known_registers_take_the_place_of_the_readers_threads(void) {
    static struct loupe_known_register registers[] = {{3, "rsp", POINTER},
                                                      {3, "rdi", 0x10040},
                                                      {3, "xmm0", 0x10050},
                                                      {4, "fs_base", 0x7ff000},
                                                      {4, "rsp", 0x7fe800}};
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    draw_thread();
    CHECK_STR(scene_with((struct loupe_request){.registers = registers, .register_count = 5}),
              "stack 7fdf80-800000 thread 3\n"
              "register 10040 thread 3 rdi\n"
              "thread-local 7ff000-7ff900 thread 4\n"
              "stack 7fe780-7ff000 thread 4\n"
              "writable 7fe780-800000\n"
              "not registers of thread 4\n"
              "not autorelease-pools\n"
              "not thread-local\n"
              "not raw-memory\n");
    close_process();
}

/* A debugger knows a thread's registers, its system where its variables are. */
static void test_known_registers_are_joined_by_the_systems_variables(void) {
    static struct loupe_known_register registers[] = {{7, "rsp", POINTER}, {7, "rdi", 0x10040}};
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    draw_thread();
    drawn_process_variables(STACK_END - 0x1000, STACK_END);
    scene_with((struct loupe_request){.registers = registers, .register_count = 2});
    CHECK_HAS("thread-local 7ff000-800000 thread 7");
    CHECK_HAS("register 10040 thread 7 rdi");
    CHECK_HAS("not later-thread-local");
    close_process();
}

static void test_what_a_debugger_put_there_is_not_searched(void) {
    static struct loupe_range debuggers[] = {{0x41000, 0x42000}, {0x90000, 0x91000}};
    open_process(8);
    drawn_process_region(0x40000, 0x44000);
    scene_with((struct loupe_request){.debuggers = debuggers, .debugger_count = 2});
    CHECK_HAS("writable 40000-41000");
    CHECK_HAS("writable 42000-44000");
    close_process();
}

/* ---- What is not told ---- */

static void test_parts_that_are_not_told_are_gaps(void) {
    open_process(8);
    heap.process = NULL;
    CHECK_STR(scene(), "not images\n"
                       "not threads\n"
                       "not autorelease-pools\n"
                       "not thread-local\n"
                       "not raw-memory\n");
    close_process();
}

static void test_parts_that_break_off_are_kept_and_are_gaps(void) {
    open_process(8);
    drawn_process_region(0x40000, 0x44000);
    drawn_process_region(0x50000, 0x54000);
    drawn_process_image("/app");
    drawn_process_section(".data", 0x40000, 8, true);
    drawn_process_image("/lost");
    drawn_process_thread(7);
    drawn_process_register("rsp", 0x43000);
    drawn_process_thread(8);
    drawn_process_break(DRAWN_REGIONS | DRAWN_IMAGES | DRAWN_THREADS);
    scene();
    CHECK_HAS("data 40000-40008 /app");
    CHECK_HAS("stack 42f80-44000 thread 7");
    CHECK_HAS("not regions");
    CHECK_HAS("not images");
    CHECK_HAS("not threads");
    CHECK(!strstr(text, "writable 5"));
    close_process();
}

static void test_regions_out_of_order_are_passed_over(void) {
    open_process(8);
    drawn_process_region(0x50000, 0x54000);
    drawn_process_region(0x40000, 0x44000);
    drawn_process_region(0x52000, 0x56000);
    drawn_process_region(0x60000, 0x60000);
    scene();
    CHECK_HAS("writable 50000-54000");
    CHECK(!strstr(text, "writable 4") && !strstr(text, "writable 6"));
    close_process();
}

static void test_every_allocation_can_fail(void) {
    open_process(8);
    drawn_process_region(STACK, STACK_END);
    drawn_process_image("/app");
    drawn_process_section(".data", 0x5000, 8, true);
    drawn_process_section(".got", 0x6000, 8, true);
    draw_thread();
    enum loupe_status status = LOUPE_ENOMEM;
    for (uint64_t at = 1; status == LOUPE_ENOMEM && at < 100; at++) {
        struct drawn_failing_chunks state = {.fail_at = at};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        status = take(&(struct loupe_request){0}, &chunks);
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK_EQ(status, LOUPE_OK);
    close_process();
}

/* ---- Ranges ---- */

static const char *joined(const unsigned *numbers, unsigned count, uint64_t gap) {
    struct loupe_ranges ranges;
    loupe_ranges_init(&ranges, &drawn_chunks);
    for (unsigned i = 0; i < count; i += 2)
        CHECK_EQ(loupe_ranges_add(&ranges, numbers[i], numbers[i + 1]), LOUPE_OK);
    loupe_ranges_join(&ranges, gap);
    text[0] = '\0';
    show_ranges("r", &ranges);
    loupe_ranges_deinit(&ranges);
    return text;
}

static void test_ranges_are_sorted_and_joined(void) {
    static const unsigned drawn[] = {0x50, 0x60, 0x10, 0x20, 0x20, 0x30, 0x58,
                                     0x5a, 0x31, 0x32, 0x90, 0x80, 0x70, 0x70};
    CHECK_STR(joined(drawn, 14, 0), "r 10-30\nr 31-32\nr 50-60\n");
    CHECK_STR(joined(drawn, 14, 1), "r 10-32\nr 50-60\n");
    CHECK_STR(joined(drawn, 0, 0), "");
}

static void test_many_ranges_are_sorted(void) {
    enum { COUNT = 10000 };
    struct loupe_ranges ranges;
    loupe_ranges_init(&ranges, &drawn_chunks);
    for (uint64_t i = 0; i < COUNT; i++) {
        loupe_addr start = i * 7919 % COUNT * 16;
        CHECK_EQ(loupe_ranges_add(&ranges, start, start + 8), LOUPE_OK);
    }
    loupe_ranges_join(&ranges, 0);
    CHECK_EQ(loupe_ranges_count(&ranges), COUNT);
    bool ascending = true;
    for (uint32_t i = 0; i < COUNT; i++)
        ascending &= loupe_ranges_at(&ranges, i)->start == (loupe_addr)i * 16;
    CHECK(ascending);
    CHECK(loupe_ranges_hold(&ranges, 0x27));
    CHECK(!loupe_ranges_hold(&ranges, 0x28));
    CHECK(!loupe_ranges_hold(&ranges, UINT64_C(1) << 40));
    loupe_ranges_deinit(&ranges);
}

int main(void) {
    RUN(test_names_of_sections_say_what_stands_there);
    RUN(test_paths_of_images_say_whose_they_are);
    RUN(test_data_of_images_is_scanned_but_for_tables);
    RUN(test_what_is_only_reserved_is_not_searched);
    RUN(test_what_the_helper_has_for_itself_is_not_searched);
    RUN(test_marks_of_its_that_make_no_sense_are_not_believed);
    RUN(test_data_comes_once_and_the_helpers_never);
    RUN(test_data_beyond_limits_is_told);
    RUN(test_what_a_sanitizer_keeps_of_addresses_is_not_searched);
    RUN(test_a_place_of_it_that_makes_no_sense_is_not_believed);
    RUN(test_a_stack_is_scanned_from_its_pointer);
    RUN(test_where_nothing_seems_writable_everything_may_be);
    RUN(test_nothing_below_the_pointer_of_the_systems_stack_is_searched);
    RUN(test_a_stack_of_darwin_is_known_by_what_stands_at_its_end);
    RUN(test_variables_stand_below_the_thread_pointer);
    RUN(test_variables_that_the_system_tells);
    RUN(test_variables_of_arm_stand_above_the_thread_pointer);
    RUN(test_glibc_tells_where_variables_are_when_no_register_does);
    RUN(test_lists_of_threads_that_lie_end);
    RUN(test_pages_of_pools_are_seen_where_all_variables_are);
    RUN(test_words_of_four_bytes_have_no_red_zone);
    RUN(test_arm64_has_a_red_zone_on_systems_of_apple_alone);
    RUN(test_a_stack_of_unknown_memory_ends_with_its_frames);
    RUN(test_a_part_of_a_very_large_stack_is_told);
    RUN(test_known_registers_take_the_place_of_the_readers_threads);
    RUN(test_known_registers_are_joined_by_the_systems_variables);
    RUN(test_what_a_debugger_put_there_is_not_searched);
    RUN(test_parts_that_are_not_told_are_gaps);
    RUN(test_parts_that_break_off_are_kept_and_are_gaps);
    RUN(test_regions_out_of_order_are_passed_over);
    RUN(test_every_allocation_can_fail);
    RUN(test_ranges_are_sorted_and_joined);
    RUN(test_many_ranges_are_sorted);
    return check_report();
}
