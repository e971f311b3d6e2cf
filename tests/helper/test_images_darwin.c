/*
 * The images of a process of Darwin, on an image that the test draws into its own memory: load
 * commands, a symbol table with local symbols, an export trie, and the list of images that dyld
 * keeps.
 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "check.h"
#include "images/images.h"
#include "memory/pages.h"

#include <mach/mach.h> /* before <mach-o/dyld_images.h>, which needs it */

#include <mach-o/dyld_images.h>
#include <mach-o/loader.h>
#include <mach-o/nlist.h>
#include <stdlib.h>
#include <sys/mman.h>

enum {
    FILE_BASE = 0x4000, /* where the file thinks it is loaded */
    PAGE = 4096,
    TEXT_AT = 0,
    DATA_AT = 1 * PAGE,
    LINKEDIT_AT = 2 * PAGE,
    IMAGE_SIZE = 3 * PAGE,
    LINKEDIT_FILE_OFFSET = 0x777000,
    STRINGS_AT = 0x100, /* in the link-edit segment */
    TRIE_AT = 0x400
};

/* ---- A process as Darwin's kernel shows it ---- */

mach_port_t mach_task_self_ = 1;
static struct dyld_image_info image_info;
static struct dyld_all_image_infos all_images = {.version = 15, .infoArray = &image_info};
static const void *list_place = &all_images;

kern_return_t task_info(mach_port_t task, task_flavor_t flavor, task_info_t info,
                        mach_msg_type_number_t *count) {
    (void)count;
    if (task != mach_task_self_ || flavor != TASK_DYLD_INFO)
        return 1;
    struct task_dyld_info found = {.all_image_info_addr = (uintptr_t)list_place,
                                   .all_image_info_size = sizeof(all_images)};
    memcpy(info, &found, sizeof(found));
    return 0;
}

/* ---- The image ---- */

static uint8_t *image;
static size_t commands_end, strings_end;
static unsigned symbol_count;

static struct mach_header_64 *header(void) {
    return (struct mach_header_64 *)(void *)image;
}

static void add_command(const void *command, uint32_t size) {
    memcpy(image + sizeof(struct mach_header_64) + commands_end, command, size);
    commands_end += size;
    header()->ncmds++;
    header()->sizeofcmds = (uint32_t)commands_end;
}

static void add_segment(const char *name, uint64_t at, uint64_t file_offset) {
    struct segment_command_64 segment = {.cmd = LC_SEGMENT_64,
                                         .cmdsize = sizeof(segment),
                                         .vmaddr = FILE_BASE + at,
                                         .vmsize = PAGE,
                                         .fileoff = file_offset,
                                         .filesize = PAGE};
    memcpy(segment.segname, name, strlen(name));
    add_command(&segment, sizeof(segment));
}

static void add_symbol(const char *name, uint8_t type, uint64_t at) {
    struct nlist_64 symbol = {.n_un.n_strx = (uint32_t)strings_end,
                              .n_type = type,
                              .n_sect = 1,
                              .n_value = FILE_BASE + at};
    uint8_t *linkedit = image + LINKEDIT_AT;
    memcpy(linkedit + symbol_count++ * sizeof(symbol), &symbol, sizeof(symbol));
    memcpy(linkedit + STRINGS_AT + strings_end, name, strlen(name) + 1);
    strings_end += strlen(name) + 1;
}

/* "_exported" at 0x40 and "_exposed" at DATA_AT + 8, with the common part "_exp". */
static const uint8_t trie[] = {
    0, 1, '_',  'e',  'x', 'p', 0,   8,                                      /* root: one edge */
    0, 2, 'o',  'r',  't', 'e', 'd', 0, 25, 'o', 's', 'e', 'd', 0, 29, 0, 0, /* node 8 */
    2, 0, 0x40, 0,       /* node 25: 2 bytes, regular, 0x40 */
    3, 0, 0x88, 0x20, 0, /* node 29: 3 bytes, regular, 0x1008 */
};

static void draw_image(uint32_t flags) {
    image = loupe_pages_map(IMAGE_SIZE);
    commands_end = symbol_count = 0;
    strings_end = 1;
    *header() = (struct mach_header_64){.magic = MH_MAGIC_64, .flags = flags};
    add_segment(SEG_TEXT, TEXT_AT, 0);
    add_segment("__DATA", DATA_AT, PAGE);
    add_segment(SEG_LINKEDIT, LINKEDIT_AT, LINKEDIT_FILE_OFFSET);
    add_symbol("_exported", N_SECT | 1, 0x40);
    add_symbol("___destroy_helper_block_e8_32s", N_SECT, 0x80);
    add_symbol("-[Foo bar:]", N_SECT, 0xc0);
    add_symbol("_source.c", 0x64, 0x90);
    add_symbol("_undefined", 1, 0);
    add_symbol("_local_data", N_SECT, DATA_AT + 0x10);
    struct symtab_command symtab = {.cmd = LC_SYMTAB,
                                    .cmdsize = sizeof(symtab),
                                    .symoff = LINKEDIT_FILE_OFFSET,
                                    .nsyms = symbol_count,
                                    .stroff = LINKEDIT_FILE_OFFSET + STRINGS_AT,
                                    .strsize = (uint32_t)strings_end};
    add_command(&symtab, sizeof(symtab));
    struct linkedit_data_command exports = {.cmd = LC_DYLD_EXPORTS_TRIE,
                                            .cmdsize = sizeof(exports),
                                            .dataoff = LINKEDIT_FILE_OFFSET + TRIE_AT,
                                            .datasize = sizeof(trie)};
    add_command(&exports, sizeof(exports));
    memcpy(image + LINKEDIT_AT + TRIE_AT, trie, sizeof(trie));
    image_info.imageLoadAddress = (const struct mach_header *)(const void *)image;
    all_images.infoArrayCount = 1;
}

/* ---- Tests ---- */

static struct loupe_regions regions;
static struct loupe_images images;

static void begin(void) {
    CHECK_EQ(loupe_regions_init(&regions, &loupe_pages), LOUPE_OK);
    loupe_images_init(&images, &regions, &loupe_pages);
}

static void end(void) {
    loupe_images_deinit(&images);
    loupe_regions_deinit(&regions);
    loupe_pages_reclaim();
    loupe_pages_unmap(image, IMAGE_SIZE);
}

static loupe_addr find(const char *name) {
    loupe_addr found = 0;
    return loupe_images_find(&images, name, &found) == LOUPE_OK ? found - (uintptr_t)image : 0;
}

static bool name_is(uint64_t at, const char *wanted, uint64_t wanted_offset) {
    char name[64];
    uint64_t offset;
    if (loupe_images_name(&images, (uintptr_t)image + at, name, sizeof(name), &offset))
        return wanted == NULL;
    return wanted && CHECK_STR(name, wanted) && CHECK_EQ(offset, wanted_offset);
}

static enum loupe_status count_image(void *visitor, uint32_t number, const char *path) {
    unsigned *count = visitor;
    (void)path;
    CHECK_EQ(number, (*count)++);
    return LOUPE_OK;
}

/* Whether these are said to be all images that there are. */
static bool are_all_told(unsigned wanted) {
    unsigned count = 0;
    enum loupe_status status = loupe_images_visit(&images, count_image, &count);
    CHECK(!status || status == LOUPE_EFAULT);
    CHECK_EQ(count, wanted);
    return !status;
}

static void test_exported_symbols_are_found_in_the_trie(void) {
    draw_image(0);
    memset(image + LINKEDIT_AT, 0, STRINGS_AT); /* no symbol table to fall back on */
    begin();
    CHECK_EQ(find("exported"), 0x40);
    CHECK_EQ(find("exposed"), DATA_AT + 8);
    CHECK_EQ(find("exp"), 0);
    CHECK_EQ(find("exportedness"), 0);
    CHECK_EQ(find("x"), 0);
    end();
}

static void test_local_symbols_are_found_by_their_c_names(void) {
    draw_image(0);
    begin();
    CHECK_EQ(find("__destroy_helper_block_e8_32s"), 0x80);
    CHECK_EQ(find("-[Foo bar:]"), 0xc0);
    CHECK_EQ(find("local_data"), DATA_AT + 0x10);
    CHECK_EQ(find("source.c"), 0);
    CHECK_EQ(find("undefined"), 0);
    end();
}

static void test_addresses_have_the_names_of_what_precedes_them(void) {
    draw_image(0);
    begin();
    CHECK(name_is(0x40, "exported", 0));
    CHECK(name_is(0x84, "__destroy_helper_block_e8_32s", 4));
    CHECK(name_is(0xc0, "-[Foo bar:]", 0));
    CHECK(name_is(DATA_AT + 0x18, "local_data", 8));
    CHECK(name_is(0x20, NULL, 0));
    CHECK(name_is(LINKEDIT_AT, NULL, 0));
    end();
}

static void test_image_of_the_shared_cache_gives_exports_only(void) {
    draw_image(0x80000000);
    begin();
    CHECK_EQ(find("exported"), 0x40);
    CHECK_EQ(find("local_data"), 0);
    CHECK(name_is(0x84, NULL, 0));
    end();
}

static void test_list_that_dyld_is_changing_gives_no_images(void) {
    draw_image(0);
    const struct dyld_image_info *items = all_images.infoArray;
    all_images.infoArray = NULL;
    begin();
    CHECK_EQ(find("exported"), 0);
    CHECK_EQ(images.count, 0);
    CHECK(!are_all_told(0));
    all_images.infoArray = items;
    end();
}

static void test_complete_list_is_told_as_such(void) {
    draw_image(0);
    begin();
    CHECK(are_all_told(1));
    end();
}

/* An entry, or the header of an image, that cannot be read: the others are there, and it is said
 * that these are not all. */
static void test_images_that_cannot_be_read_are_missed(void) {
    draw_image(0);
    uint8_t *pages = loupe_pages_map(3 * PAGE);
    struct dyld_image_info *items = (void *)(pages + PAGE - sizeof(*items));
    *items = image_info;
    all_images.infoArray = items;
    all_images.infoArrayCount = 2;
    CHECK(!mprotect(pages + PAGE, PAGE, PROT_NONE));
    begin();
    CHECK(!are_all_told(1));
    CHECK_EQ(find("exported"), 0x40);
    end();
    draw_image(0);
    struct dyld_image_info two[2] = {
        {.imageLoadAddress = (const struct mach_header *)(const void *)(pages + PAGE)}, image_info};
    all_images.infoArray = two;
    all_images.infoArrayCount = 2;
    begin();
    CHECK(!are_all_told(1));
    CHECK_EQ(find("exported"), 0x40);
    all_images.infoArray = &image_info;
    end();
    loupe_pages_unmap(pages, 3 * PAGE);
}

static void list_the_image(struct dyld_image_info *items, unsigned times) {
    for (unsigned i = 0; i < times; i++)
        items[i] = image_info;
    all_images.infoArray = items;
    all_images.infoArrayCount = times;
}

static void test_list_beyond_the_limit_is_said_to_be_cut(void) {
    enum { LIMIT = 1 << 16, SIZE = (LIMIT + 1) * sizeof(struct dyld_image_info) };
    draw_image(0);
    struct dyld_image_info *items = loupe_pages_map(SIZE);
    list_the_image(items, LIMIT + 1);
    begin();
    CHECK(!are_all_told(LIMIT));
    end();
    draw_image(0); /* at another address, maybe */
    list_the_image(items, LIMIT);
    begin();
    CHECK(are_all_told(LIMIT));
    all_images.infoArray = &image_info;
    end();
    loupe_pages_unmap(items, SIZE);
}

/* A list where an older dyld has it, at 8 bytes behind a multiple of 16, right before the end of
 * its memory: newer headers have more of it, and ask for more alignment. */
static void test_list_of_an_older_dyld_is_read(void) {
    enum { KNOWN = 40 };
    draw_image(0);
    uint8_t *pages = loupe_pages_map(2 * PAGE);
    list_place = pages + PAGE - KNOWN;
    memcpy(pages + PAGE - KNOWN, &all_images, KNOWN);
    CHECK_EQ((uintptr_t)list_place % 16, 8);
    CHECK(!mprotect(pages + PAGE, PAGE, PROT_NONE));
    begin();
    CHECK_EQ(find("exported"), 0x40);
    list_place = &all_images;
    loupe_pages_unmap(pages, 2 * PAGE);
    end();
}

/* Where other threads run nothing is read in place, as for stacks. */
static void test_images_are_listed_while_other_threads_run(void) {
    draw_image(0);
    image_info.imageFilePath = "/usr/lib/libdrawn.dylib";
    begin();
    regions.may_change = true;
    CHECK_EQ(find("exported"), 0x40);
    if (CHECK_EQ(images.count, 1))
        CHECK(loupe_span_equals(images.items[0].path, "/usr/lib/libdrawn.dylib"));
    image_info.imageFilePath = NULL;
    end();
}

/* The array, and a path, reach from one step of what is checked into the next. */
static void test_list_across_steps_is_read(void) {
    enum { STEP = 1 << 20, COUNT = 8 };
    draw_image(0);
    uint8_t *memory =
        mmap(NULL, 4 * STEP, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (!CHECK(memory != MAP_FAILED))
        return;
    uint8_t *border = (uint8_t *)(((uintptr_t)memory + 2 * STEP) / STEP * STEP);
    struct dyld_image_info *items = (void *)(border - 3 * sizeof(*items));
    char *path = (char *)border + STEP - 4;
    strcpy(path, "/usr/lib/libacross.dylib");
    for (unsigned i = 0; i < COUNT; i++)
        items[i] = (struct dyld_image_info){.imageLoadAddress = image_info.imageLoadAddress,
                                            .imageFilePath = path};
    all_images.infoArray = items;
    all_images.infoArrayCount = COUNT;
    begin();
    CHECK_EQ(find("exported"), 0x40);
    if (CHECK_EQ(images.count, COUNT))
        CHECK_EQ(images.items[0].path.length, strlen("/usr/lib/libacross.dylib"));
    all_images.infoArray = &image_info;
    end();
    munmap(memory, 4 * STEP);
}

static void add_library(uint32_t kind, const char *name) {
    struct {
        struct dylib_command command;
        char name[64];
    } link = {.command = {
                  .cmd = kind, .cmdsize = sizeof(link), .dylib.name.offset = sizeof(link.command)}};
    memcpy(link.name, name, strlen(name));
    add_command(&link, sizeof(link));
}

static void add_section(const char *name) {
    struct {
        struct segment_command_64 segment;
        struct section_64 sections[2];
    } both = {.segment = {.cmd = LC_SEGMENT_64,
                          .cmdsize = sizeof(both),
                          .segname = "__MORE",
                          .vmaddr = FILE_BASE,
                          .nsects = 2}};
    memcpy(both.sections[0].sectname, "__text", 6);
    memcpy(both.sections[1].sectname, name, strlen(name));
    add_command(&both, sizeof(both));
}

static bool may_have_swift(void) {
    begin();
    bool may = loupe_images_may_have_swift(&images, (uintptr_t)image + 0x40);
    end();
    return may;
}

static void test_swift_is_asked_of_the_image_that_holds_the_code(void) {
    draw_image(0);
    CHECK(!may_have_swift());
    draw_image(0);
    add_library(LC_LOAD_DYLIB, "/usr/lib/libobjc.A.dylib");
    add_section("__objc_classlist");
    CHECK(!may_have_swift());
    draw_image(0);
    add_library(LC_LOAD_DYLIB, "/usr/lib/swift/libswiftCore.dylib");
    CHECK(may_have_swift());
    draw_image(0);
    add_library(LC_LOAD_WEAK_DYLIB, "@rpath/libswiftFoundation.dylib");
    CHECK(may_have_swift());
    draw_image(0);
    add_section("__swift5_types");
    CHECK(may_have_swift());
    draw_image(0x80000000); /* in the shared cache */
    add_section("__swift5_types");
    CHECK(may_have_swift());
}

static void test_image_that_cannot_be_understood_may_have_swift(void) {
    draw_image(0);
    begin();
    CHECK(loupe_images_may_have_swift(&images, 0x10)); /* in none */
    end();
    draw_image(0);
    add_library(LC_LOAD_DYLIB, "/usr/lib/libobjc.A.dylib");
    header()->sizeofcmds -= 8;
    CHECK(may_have_swift());
}

/* Every byte of the commands and of the link-edit data once with a wrong value: no fault. */
static void test_damaged_images_are_survived(void) {
    static const uint8_t wrong[] = {0x00, 0x7f, 0x80, 0xff};
    draw_image(0);
    uint8_t *whole = malloc(IMAGE_SIZE);
    memcpy(whole, image, IMAGE_SIZE);
    unsigned survived = 0;
    for (size_t at = 0; at < IMAGE_SIZE; at++) {
        if (!whole[at])
            continue;
        for (unsigned i = 0; i < sizeof(wrong); i++) {
            image[at] = wrong[i];
            begin();
            find("exposed");
            find("local_data");
            name_is(0x84, NULL, 0);
            loupe_images_may_have_swift(&images, (uintptr_t)image + 0x40);
            loupe_images_deinit(&images);
            loupe_regions_deinit(&regions);
            loupe_pages_reclaim();
            image[at] = whole[at];
            survived++;
        }
    }
    CHECK(survived > 500);
    free(whole);
    loupe_pages_unmap(image, IMAGE_SIZE);
}

int main(void) {
    RUN(test_exported_symbols_are_found_in_the_trie);
    RUN(test_local_symbols_are_found_by_their_c_names);
    RUN(test_addresses_have_the_names_of_what_precedes_them);
    RUN(test_image_of_the_shared_cache_gives_exports_only);
    RUN(test_list_that_dyld_is_changing_gives_no_images);
    RUN(test_complete_list_is_told_as_such);
    RUN(test_images_that_cannot_be_read_are_missed);
    RUN(test_list_beyond_the_limit_is_said_to_be_cut);
    RUN(test_list_of_an_older_dyld_is_read);
    RUN(test_list_across_steps_is_read);
    RUN(test_images_are_listed_while_other_threads_run);
    RUN(test_swift_is_asked_of_the_image_that_holds_the_code);
    RUN(test_image_that_cannot_be_understood_may_have_swift);
    RUN(test_damaged_images_are_survived);
    return check_report();
}
