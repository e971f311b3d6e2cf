/*
 * What libmalloc of Darwin tells the recorder, on a double of libmalloc: malloc_logger() is called
 * as malloc.c of libmalloc does, from functions inside of its image, whose header the test draws.
 */
#include "check.h"
#include "recorded_here.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* ---- libmalloc ---- */

typedef void logger_fn(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                       uintptr_t result, uint32_t skipped_frames);
logger_fn *malloc_logger;

enum { ALLOCATE = 2, DEALLOCATE = 4, VM_ALLOCATE = 16, HAS_ZONE = 8 };

/* Its header, with one segment of a page, and behind it its code. */
__asm__(".pushsection libmalloc,\"ax\",@progbits\n"
        ".p2align 4\n"
        "drawn_header: .long 0xfeedfacf, 0, 0, 6, 1, 72, 0, 0\n"
        ".long 0x19, 72\n"
        ".ascii \"__TEXT\\0\\0\\0\\0\\0\\0\\0\\0\\0\\0\"\n"
        ".quad 0x180000000, 0x1000, 0, 0x1000\n"
        ".long 5, 5, 0, 0\n"
        ".popsection");
extern const char drawn_header[];

#define IN_LIBMALLOC __attribute__((section("libmalloc"), noinline))

void *allocate_deeper(size_t size);
void *allocate(size_t size);

IN_LIBMALLOC void *allocate_deeper(size_t size) {
    void *block = malloc(size);
    malloc_logger(ALLOCATE | HAS_ZONE, 0x1000, size, 0, (uintptr_t)block, 0);
    return block;
}

IN_LIBMALLOC void *allocate(size_t size) {
    void *block = allocate_deeper(size);
    __asm__ volatile("" : : : "memory"); /* no jump */
    return block;
}

/* Told before the block goes; here it stays, for questions about it. */
static void take_back(void *block) {
    malloc_logger(DEALLOCATE | HAS_ZONE, 0x1000, (uintptr_t)block, 0, 0, 0);
}

/* Of what stands in libmalloc dladdr() tells its image. */
int dladdr(const void *address, Dl_info *ret) {
    int (*next)(const void *, Dl_info *);
    void *found = dlsym(RTLD_NEXT, "dladdr");
    memcpy(&next, &found, sizeof(found));
    if (address != (const void *)&malloc_logger)
        return next(address, ret);
    *ret = (Dl_info){.dli_fname = "/usr/lib/system/libsystem_malloc.dylib",
                     .dli_fbase = (void *)(uintptr_t)drawn_header};
    return 1;
}

/* ---- A runtime without methods ---- */

static char asked_for[64];

void *objc_lookUpClass(const char *name);
void *objc_lookUpClass(const char *name) {
    strcat(strcat(asked_for, name), " ");
    return NULL;
}

#define UNUSED_OF_RUNTIME(name)                                                                    \
    void *name(void);                                                                              \
    void *name(void) {                                                                             \
        return NULL;                                                                               \
    }
UNUSED_OF_RUNTIME(sel_registerName)
UNUSED_OF_RUNTIME(class_getInstanceMethod)
UNUSED_OF_RUNTIME(class_getSuperclass)
UNUSED_OF_RUNTIME(class_addMethod)
UNUSED_OF_RUNTIME(method_getImplementation)
UNUSED_OF_RUNTIME(method_setImplementation)
UNUSED_OF_RUNTIME(method_getTypeEncoding)

/* ---- Tests ---- */

void *make_thing(size_t size);
__attribute__((noinline)) void *make_thing(size_t size) {
    void *block = allocate(size);
    __asm__ volatile("" : : : "memory");
    return block;
}

static void test_blocks_are_recorded(void) {
    void *block = make_thing(32), *mapped = malloc(64);
    recorded_look();
    CHECK(recorded_is_there(block));
    CHECK(recorded_is_from(block, make_thing));
    malloc_logger(ALLOCATE | VM_ALLOCATE, 0, 64, 0, (uintptr_t)mapped, 0); /* pages, no block */
    recorded_look();
    CHECK(!recorded_is_there(mapped));
    take_back(block);
    recorded_look();
    CHECK(!recorded_is_there(block));
    free(block);
    free(mapped);
}

static void test_frames_of_libmalloc_are_left_out(void) {
    void *block = make_thing(48);
    recorded_look();
    CHECK(recorded_is_from(block, make_thing));
    CHECK(!recorded_is_from(block, allocate));
    CHECK(!recorded_is_from(block, allocate_deeper));
    take_back(block);
    free(block);
}

/* realloc() is told when it was done; one that failed leaves its block. */
static void test_reallocation_moves_a_record(void) {
    void *block = make_thing(16), *larger = malloc(4096);
    malloc_logger(ALLOCATE | DEALLOCATE | HAS_ZONE, 0x1000, (uintptr_t)block, 1u << 30, 0, 0);
    recorded_look();
    CHECK(recorded_is_there(block));
    malloc_logger(ALLOCATE | DEALLOCATE | HAS_ZONE, 0x1000, (uintptr_t)block, 4096,
                  (uintptr_t)larger, 0);
    recorded_look();
    CHECK(!recorded_is_there(block));
    CHECK(recorded_is_there(larger));
    take_back(larger);
    free(block);
    free(larger);
}

/* With LOUPE_RECORD=Thing,Other in the environment. */
static void test_chosen_classes_are_counted(void) {
    CHECK_STR(asked_for, "Thing Other ");
    CHECK(recorded_look()->event_segments != 0);
}

int main(void) {
    RUN(test_blocks_are_recorded);
    RUN(test_frames_of_libmalloc_are_left_out);
    RUN(test_reallocation_moves_a_record);
    RUN(test_chosen_classes_are_counted);
    return check_report();
}
