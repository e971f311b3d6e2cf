/*
 * A program that has functions of its own in the place of the C library's, as tracers, profilers and
 * sanitizers have: no question calls one of them. They are linked into the program, so the loader
 * binds the helper to them, too.
 */
#include "check.h"
#include "loupe_helper.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#import <Foundation/Foundation.h>

static bool asking;
static const char *called;

static void *next(const char *name) {
    if (asking)
        called = name;
    return dlsym(RTLD_NEXT, name);
}

void *mmap(void *start, size_t size, int protection, int flags, int file, off_t offset) {
    void *(*real)(void *, size_t, int, int, int, off_t) = next("mmap");
    return real(start, size, protection, flags, file, offset);
}

int munmap(void *start, size_t size) {
    int (*real)(void *, size_t) = next("munmap");
    return real(start, size);
}

int mprotect(void *start, size_t size, int protection) {
    int (*real)(void *, size_t, int) = next("mprotect");
    return real(start, size, protection);
}

int madvise(void *start, size_t size, int advice) {
    int (*real)(void *, size_t, int) = next("madvise");
    return real(start, size, advice);
}

pid_t getpid(void) {
    pid_t (*real)(void) = next("getpid");
    return real();
}

int clock_gettime(clockid_t clock, struct timespec *ret) {
    int (*real)(clockid_t, struct timespec *) = next("clock_gettime");
    return real(clock, ret);
}

unsigned long getauxval(unsigned long type) {
    unsigned long (*real)(unsigned long) = next("getauxval");
    return real(type);
}

ssize_t read(int file, void *dst, size_t size) {
    ssize_t (*real)(int, void *, size_t) = next("read");
    return real(file, dst, size);
}

long syscall(long number, ...) {
    long (*real)(long, ...) = next("syscall");
    long words[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        words[i] = va_arg(arguments, long);
    va_end(arguments);
    return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}

@interface Node : NSObject {
  @public
    Node *_next;
    void (^_block)(void);
}
@end

@implementation Node
@end

static Node *make_ring(void) {
    Node *node = [Node new];
    node->_next = node;
    node->_block = ^{
        (void)node;
    };
    return node;
}

static void test_questions_call_nothing_of_the_program(void) {
    static const char *const names[] = {"ivar-layout", "strong-refs", "retain-cycles",
                                        "incoming-refs"};
    Node *node = make_ring();
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        asking = true;
        const char *answer = loupe_ask(names[i], (__bridge const void *)node, 0, 0, 60000, 0);
        asking = false;
        CHECK(strstr(answer, "\"status\":\"ok\"") != NULL);
        CHECK_STR(called ? called : "none", "none");
    }
    asking = true;
    unsigned count = loupe_count_cycles((__bridge const void *)node);
    asking = false;
    CHECK_EQ(count, 1);
    CHECK_STR(called ? called : "none", "none");
    node->_next = nil;
    node->_block = nil;
}

static void test_the_functions_are_the_programs(void) {
    asking = true;
    getpid();
    asking = false;
    CHECK_STR(called ? called : "none", "getpid");
    called = NULL;
}

int main(void) {
    RUN(test_the_functions_are_the_programs);
    RUN(test_questions_call_nothing_of_the_program);
    return check_report();
}
