/* Reading this process's own memory: what is readable is read, everything else fails. */
#include "check.h"
#include "emulated.h"
#include "memory/pages.h"
#include "self_reader.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static size_t page_size;
static struct loupe_self self;
static struct loupe_memory memory;

static void begin(void) {
    CHECK_EQ(loupe_self_init(&self, &loupe_pages), LOUPE_OK);
    loupe_memory_init(&memory, &loupe_self_ops, &self, loupe_own_machine, &loupe_pages);
}

static void end(void) {
    loupe_memory_deinit(&memory);
    loupe_self_deinit(&self);
}

static loupe_addr address_of(const void *place) {
    return (loupe_addr)(uintptr_t)place;
}

static bool readable(const void *place, size_t len) {
    static uint8_t bytes[1 << 20];
    return loupe_memory_read(&memory, address_of(place), bytes, len) == LOUPE_OK;
}

static void *map_pages(size_t pages, int protection) {
    return mmap(NULL, pages * page_size, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void test_heap_stack_code_and_constants_are_read_in_place(void) {
    static const char constant[] = "a constant";
    char local[] = "a local variable";
    char *heap = strdup("on the heap");
    /* What nobody looked at yet is not looked at in place. */
    const volatile char *used = constant, *code = (const char *)(uintptr_t)strtoul;
    CHECK(*used);
    (void)*code;
    begin();
    char copy[32];
    CHECK_EQ(loupe_memory_read(&memory, address_of(local), copy, sizeof(local)), LOUPE_OK);
    CHECK_STR(copy, "a local variable");
    CHECK_EQ(loupe_memory_read(&memory, address_of(heap), copy, strlen(heap) + 1), LOUPE_OK);
    CHECK_STR(copy, "on the heap");
    CHECK_EQ(loupe_memory_read(&memory, address_of(constant), copy, sizeof(constant)), LOUPE_OK);
    CHECK_STR(copy, "a constant");
    CHECK(loupe_memory_view(&memory, address_of(heap), 4, copy) == (const uint8_t *)heap);
    CHECK(readable((void *)(uintptr_t)strtoul, 4));
    CHECK_EQ(memory.bytes, 0);
    end();
    free(heap);
}

static void test_addresses_that_nothing_is_mapped_at_fail(void) {
    static const uint64_t addresses[] = {0,
                                         1,
                                         8,
                                         4095,
                                         UINT64_C(0x800000000000),
                                         UINT64_C(0x8000000000000000),
                                         UINT64_C(0xffffffffff600000),
                                         UINT64_MAX - 4096,
                                         UINT64_MAX - 7};
    static uint8_t page[1 << 16];
    begin();
    uint64_t word;
    for (unsigned i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
        CHECK_EQ(loupe_memory_read_u64(&memory, addresses[i], &word), LOUPE_EFAULT);
    /* The last page there could be ends where no address is. */
    CHECK_EQ(loupe_self_ops.read(&self, 0 - (loupe_addr)page_size, page, page_size), LOUPE_EFAULT);
    end();
}

static void test_pages_without_read_permission_fail(void) {
    char *pages = map_pages(3, PROT_READ | PROT_WRITE);
    mprotect(pages + page_size, page_size, PROT_NONE);
    begin();
    CHECK(readable(pages, page_size));
    CHECK(!readable(pages + page_size, 1));
    CHECK(!readable(pages + page_size - 4, 8));
    CHECK(readable(pages + 2 * page_size, page_size));
    end();
    munmap(pages, 3 * page_size);
}

static void test_file_mapped_past_its_end_is_read_up_to_there(void) {
    char name[] = "/tmp/loupe-self-reader-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0);
    unlink(name);
    CHECK_EQ(ftruncate(file, (off_t)page_size + 10), 0);
    char *pages = mmap(NULL, 4 * page_size, PROT_READ, MAP_PRIVATE, file, 0);
    begin();
    CHECK(readable(pages, page_size));
    CHECK(readable(pages + page_size, page_size));
    CHECK(!readable(pages + 2 * page_size, 1));
    CHECK(!readable(pages + 3 * page_size, page_size));
    CHECK(!readable(pages, 4 * page_size));
    end();
    munmap(pages, 4 * page_size);
    close(file);
}

/* Two mappings of files side by side: that the last page of the second one can be read says nothing
 * about the first one. */
static void test_files_mapped_side_by_side_end_each_on_its_own(void) {
    char name[] = "/tmp/loupe-self-reader-XXXXXX";
    int file = mkstemp(name);
    CHECK(file >= 0);
    unlink(name);
    CHECK_EQ(ftruncate(file, (off_t)page_size), 0);
    char *pages = mmap(NULL, 3 * page_size, PROT_READ, MAP_PRIVATE, file, 0);
    mmap(pages + 2 * page_size, page_size, PROT_READ, MAP_PRIVATE | MAP_FIXED, file, 0);
    begin();
    CHECK(readable(pages, page_size));
    CHECK(!readable(pages + page_size, 1));
    CHECK(readable(pages + 2 * page_size, page_size));
    end();
    munmap(pages, 3 * page_size);
    close(file);
}

static void test_large_mapping_is_read_from_any_side(void) {
    enum { SIZE = 300 << 20 };
    char *pages = mmap(NULL, SIZE, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    static const size_t offsets[] = {100 << 20, 0, SIZE - 8, 140 << 20, 99 << 20, 8};
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++)
        memcpy(pages + offsets[i], &i, sizeof(i));
    begin();
    for (unsigned i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
        uint32_t value = UINT32_MAX;
        loupe_memory_read_u32(&memory, address_of(pages + offsets[i]), &value);
        CHECK_EQ(value, i);
    }
    end();
    munmap(pages, SIZE);
}

/* Guard pages inside a mapping that the map shows as readable: Linux 6.13. */
static void test_guard_page_inside_a_mapping_fails(void) {
    enum { ADVISE_GUARD_INSTALL = 102 };
    char *pages = map_pages(4, PROT_READ | PROT_WRITE);
    memset(pages, 1, 4 * page_size);
    if (madvise(pages + page_size, page_size, ADVISE_GUARD_INSTALL) == 0 &&
        kernel_refuses(pages + page_size)) {
        begin();
        CHECK(readable(pages, page_size));
        CHECK(!readable(pages + page_size, 1));
        CHECK(readable(pages + 2 * page_size, 2 * page_size));
        end();
    } else {
        printf("skipped: this kernel has no guard pages inside a mapping\n");
    }
    munmap(pages, 4 * page_size);
}

/* It has no pages there, so nothing stands there, and nobody looks. */
static void test_what_was_protected_after_the_list_was_taken_stays_untouched(void) {
    if (!kernel_tells_of_protected_pages()) {
        printf(
            "skipped: mincore() does not know of pages that may not be read, under an emulator\n");
        return;
    }
    char *pages = map_pages(2, PROT_READ | PROT_WRITE);
    uint64_t word = 1;
    begin();
    mprotect(pages, 2 * page_size, PROT_NONE);
    CHECK_EQ(loupe_memory_read_u64(&memory, address_of(pages), &word), LOUPE_OK);
    CHECK_EQ(word, 0);
    end();
    munmap(pages, 2 * page_size);
}

static void test_what_was_unmapped_after_the_list_was_taken_fails(void) {
    char *pages = map_pages(2, PROT_READ | PROT_WRITE); /* which it has no pages of */
    begin();
    self.regions.may_change = true;
    CHECK(readable(pages, 8));
    munmap(pages, 2 * page_size);
    loupe_memory_forget(&memory);
    CHECK(!readable(pages + page_size, 8));
    end();
}

static void test_pages_of_the_helper_itself_are_no_memory_of_the_program(void) {
    uint64_t *small = loupe_chunk_get(&loupe_pages, 64),
             *large = loupe_chunk_get(&loupe_pages, 4 << 20);
    void *adopted = map_pages(2, PROT_READ | PROT_WRITE);
    CHECK(small && large && loupe_pages_adopt(adopted, 2 * page_size));
    char *program = map_pages(1, PROT_READ | PROT_WRITE);
    begin();
    CHECK(!readable(small, 8));
    CHECK(!readable(large, 8));
    CHECK(!readable(large + (3 << 20) / 8, 8));
    CHECK(!readable(adopted, 8));
    CHECK(!readable((char *)adopted + page_size, 8));
    CHECK(readable(program, page_size));
    end();
    loupe_pages_reclaim();
    munmap(program, page_size);
}

static void test_deadline_interrupts(void) {
    begin();
    CHECK(!loupe_memory_interrupted(&memory));
    loupe_memory_set_limit(&memory, 1000);
    uint64_t start = loupe_self_ops.microseconds(&self);
    while (loupe_self_ops.microseconds(&self) < start + 1001)
        ;
    CHECK(loupe_memory_interrupted(&memory));
    end();
}

/* ---- What the process consists of ---- */

struct region_search {
    loupe_addr addr;
    struct loupe_process_region found;
    loupe_addr last_end;
    bool ascending;
};

static enum loupe_status look_at_region(void *visitor, const struct loupe_process_region *region) {
    struct region_search *search = visitor;
    search->ascending &= region->start >= search->last_end && region->start < region->end;
    search->last_end = region->end;
    if (search->addr >= region->start && search->addr < region->end)
        search->found = *region;
    return LOUPE_OK;
}

static struct loupe_process_region region_of(const void *place) {
    struct region_search search = {.addr = address_of(place), .ascending = true};
    CHECK_EQ(loupe_self_ops.process->regions(&self, look_at_region, &search), LOUPE_OK);
    CHECK(search.ascending);
    return search.found;
}

static void test_regions_are_told_with_what_may_be_done_there(void) {
    const void *frame = __builtin_frame_address(0); /* a sanitizer puts variables elsewhere */
    char *constant = map_pages(1, PROT_READ), *closed = map_pages(1, PROT_NONE);
    void *own = loupe_pages.get(loupe_pages.ctx, page_size);
    begin();
    CHECK(region_of(frame).is_stack && region_of(frame).writable);
    CHECK(region_of(&page_size).writable && !region_of(&page_size).is_stack);
    CHECK(region_of(constant).readable && !region_of(constant).writable);
    CHECK(region_of(closed).end && !region_of(closed).readable);
    CHECK_EQ(region_of(own).end, 0);
    end();
    loupe_pages_reclaim();
    munmap(constant, page_size);
    munmap(closed, page_size);
}

static _Thread_local int variable_of_each_thread = 1;
static int global = 1;

struct image_search {
    unsigned data, per_thread, images;
};

static enum loupe_status look_at_section(void *visitor,
                                         const struct loupe_process_section *section) {
    struct image_search *search = visitor;
    bool holds_it = section->loaded && address_of(&global) - section->start < section->size;
    search->data += holds_it && section->writable && strcmp(section->name, ".data") == 0;
    search->per_thread += !section->loaded && strcmp(section->name, ".tdata") == 0 &&
                          section->size >= sizeof(variable_of_each_thread);
    return LOUPE_OK;
}

static enum loupe_status look_at_image(void *visitor, uint32_t image, const char *path) {
    struct image_search *search = visitor;
    search->images += path[0] == '/';
    return loupe_self_ops.process->sections(&self, image, look_at_section, visitor);
}

static void test_images_are_told_with_their_sections(void) {
    struct image_search search = {0};
    begin();
    CHECK_EQ(loupe_self_ops.process->images(&self, look_at_image, &search), LOUPE_OK);
    CHECK(search.images >= 2);
    CHECK_EQ(search.data, 1);
    CHECK(search.per_thread >= 1);
    end();
    loupe_pages_reclaim();
}

static struct {
    pthread_barrier_t both_are_there, question_is_over;
    _Atomic(uint64_t) id;
    _Atomic(loupe_addr) frame;
} other;

static void *wait_for_the_question(void *nothing) {
    variable_of_each_thread++;
    other.frame = address_of(__builtin_frame_address(0));
    other.id = (uint64_t)syscall(SYS_gettid);
    pthread_barrier_wait(&other.both_are_there);
    pthread_barrier_wait(&other.question_is_over);
    return nothing;
}

struct thread_search {
    uint64_t ids[8];
    unsigned count;
};

static enum loupe_status look_at_thread(void *visitor, uint32_t thread,
                                        const struct loupe_process_thread *about) {
    struct thread_search *search = visitor;
    CHECK_EQ(thread, search->count);
    search->ids[search->count++] = about->id;
    return search->count < 8 ? LOUPE_OK : LOUPE_ELIMIT;
}

static bool register_of(uint32_t thread, const char *name, uint64_t *ret) {
    return loupe_self_ops.process->thread_register(&self, thread, name, ret);
}

#if defined(__aarch64__)
#define STACK_POINTER  "sp"
#define THREAD_POINTER "tpidr"
#else
#define STACK_POINTER  "rsp"
#define THREAD_POINTER "fs_base"
#endif

/* Registers are those of the moment when threads were told: the other one may be on its way into
 * the kernel then. */
static uint64_t stack_pointer_of_waiting_thread(uint32_t thread) {
    uint64_t pointer = 0;
    while (!register_of(thread, STACK_POINTER, &pointer)) {
        struct thread_search search = {.count = 0};
        usleep(1000);
        CHECK_EQ(loupe_self_ops.process->threads(&self, look_at_thread, &search), LOUPE_OK);
    }
    return pointer;
}

static void test_threads_are_told_with_where_their_stacks_end(void) {
    struct thread_search search = {.count = 0};
    uint64_t pointer = 0;
    pthread_t thread;
    if (!kernel_tells_of_threads()) {
        printf("skipped: /proc tells of an emulator's threads in place of the program's\n");
        return;
    }
    pthread_barrier_init(&other.both_are_there, NULL, 2);
    pthread_barrier_init(&other.question_is_over, NULL, 2);
    CHECK_EQ(pthread_create(&thread, NULL, wait_for_the_question, NULL), 0);
    pthread_barrier_wait(&other.both_are_there);
    begin();
    self.own_stack_pointer = address_of(&search);
    CHECK_EQ(loupe_self_ops.process->threads(&self, look_at_thread, &search), LOUPE_OK);
    CHECK_EQ(search.count, 2);
    CHECK_EQ(search.ids[0], (uint64_t)getpid());
    CHECK_EQ(search.ids[1], other.id);
    CHECK(register_of(0, STACK_POINTER, &pointer) && pointer == address_of(&search));
    CHECK(register_of(0, THREAD_POINTER, &pointer) && region_of((void *)pointer).writable);
    CHECK(!register_of(0, "rax", &pointer));
    pointer = stack_pointer_of_waiting_thread(1);
    CHECK(pointer < other.frame && other.frame - pointer < 65536);
    CHECK(!register_of(1, THREAD_POINTER, &pointer));
    end();
    pthread_barrier_wait(&other.question_is_over);
    pthread_join(thread, NULL);
    loupe_pages_reclaim();
}

int main(void) {
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    RUN(test_heap_stack_code_and_constants_are_read_in_place);
    RUN(test_addresses_that_nothing_is_mapped_at_fail);
    RUN(test_pages_without_read_permission_fail);
    RUN(test_file_mapped_past_its_end_is_read_up_to_there);
    RUN(test_files_mapped_side_by_side_end_each_on_its_own);
    RUN(test_large_mapping_is_read_from_any_side);
    RUN(test_guard_page_inside_a_mapping_fails);
    RUN(test_what_was_protected_after_the_list_was_taken_stays_untouched);
    RUN(test_what_was_unmapped_after_the_list_was_taken_fails);
    RUN(test_pages_of_the_helper_itself_are_no_memory_of_the_program);
    RUN(test_deadline_interrupts);
    RUN(test_regions_are_told_with_what_may_be_done_there);
    RUN(test_images_are_told_with_their_sections);
    RUN(test_threads_are_told_with_where_their_stacks_end);
    return check_report();
}
