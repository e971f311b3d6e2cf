/*
 * questions.m - the helper inside a program of a Mac: what it answers about objects, the heap, all
 * threads and their stacks, and that it gives everything back.
 */
#import <Foundation/Foundation.h>
#include "loupe_helper.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

unsigned host_box_rights_held(void) __attribute__((weak_import));

static int failed;

static void expect(const char *answer, const char *text, int line) {
    if (strstr(answer, text))
        return;
    printf("line %d: no %s in %.3000s\n", line, text, answer);
    failed = 1;
}
#define EXPECT(answer, text) expect(answer, text, __LINE__)

@interface Owner : NSObject
@property(nonatomic, copy) void (^handler)(void);
@property(nonatomic, strong) NSObject *other;
@end
@implementation Owner
@end

@interface Lost : Owner
@end
@implementation Lost
@end

@interface OnStack : NSObject
@end
@implementation OnStack
@end

/* Never inlined: a name in a stack. */
__attribute__((noinline)) static void leak_one(void) {
    Lost *lost = [Lost new];
    lost.handler = ^{
        (void)lost;
    };
}

/* ---- A thread that has the only reference to an object, in a frame ---- */

static _Atomic(int) has_begun, is_over;

__attribute__((noinline)) static void hold_and_wait(void) {
    OnStack *held = [OnStack new];
    has_begun = 1;
    while (!is_over)
        usleep(1000);
    __asm__ volatile("" : : "r"((__bridge void *)held) : "memory");
}

static void *in_thread(void *argument) {
    pthread_setname_np("holder");
    @autoreleasepool {
        hold_and_wait();
    }
    return argument;
}

/* ---- Questions ---- */

static void ask_of_objects(void) {
    Owner *owner = [Owner new];
    const void *address = (__bridge const void *)owner;
    owner.handler = ^{
        (void)owner;
    };
    EXPECT(loupe_retain_cycles(address), "\"knots_found\":1");
    EXPECT(loupe_strong_refs(address), "\"path\":\"_handler\"");
    EXPECT(loupe_ivar_layout(address), "\"_other\"");
    EXPECT(loupe_dispose_probe(address), "-[Owner .cxx_destruct]");
    EXPECT(loupe_block_layout((__bridge const void *)owner.handler), "\"storage\":\"heap\"");
    EXPECT(loupe_retain_cycles((const void *)16), "\"status\":\"error\"");
    owner.handler = nil;
}

static void ask_of_heap(void) {
    const char *leaks = loupe_leaks();
    EXPECT(leaks, "\"status\":\"ok\"");
    EXPECT(leaks, "\"Lost\"");
    EXPECT(leaks, "\"paused_ms\":"); /* the other threads, which are held */
    if (strstr(leaks, "\"OnStack\"")) {
        printf("what a thread's frame holds is told as leaked\n");
        failed = 1;
    }
    EXPECT(loupe_snapshot(NULL), "\"status\":\"ok\"");
    EXPECT(loupe_snapshot("/nowhere/at/all"), "\"status\":\"error\"");
}

/* Whether who has a file open still reads in it what he wrote, after a snapshot of that name. */
static int is_replaced(const char *path) {
    char text[8] = {0};
    FILE *file = fopen(path, "w+");
    if (!file)
        return -1;
    fputs("my own", file);
    fflush(file);
    EXPECT(loupe_snapshot(path), "\"status\":\"ok\"");
    rewind(file);
    size_t length = fread(text, 1, 6, file);
    fclose(file);
    unlink(path);
    return length == 6 && strcmp(text, "my own") == 0;
}

/* Another file takes the place of one, so that a link leads nowhere; but a device stays. */
static void write_snapshots(const char *path) {
    if (is_replaced(path) != 1 || is_replaced("/dev/shm/loupe_box_questions") == 1) {
        printf("a file is written to, or a device is replaced\n");
        failed = 1;
    }
}

static void ask_of_threads(void) {
    const char *stacks = loupe_backtraces();
    EXPECT(stacks, "hold_and_wait");
    EXPECT(stacks, "ask_of_threads");
    EXPECT(stacks, "box_questions");
    EXPECT(loupe_backtrace_of_name("holder"), "hold_and_wait");
    EXPECT(loupe_backtrace_main(), "ask_of_threads");
    EXPECT(loupe_backtrace_of_pthread(pthread_self()), "ask_of_threads");
}

int main(int count, char **arguments) {
    @autoreleasepool {
        pthread_t thread;
        pthread_create(&thread, NULL, in_thread, NULL);
        while (!has_begun)
            usleep(1000);
        leak_one();
        unsigned rights = host_box_rights_held ? host_box_rights_held() : 0;
        ask_of_objects();
        ask_of_heap();
        if (count > 1)
            write_snapshots(arguments[1]);
        ask_of_threads();
        if (host_box_rights_held && host_box_rights_held() != rights) {
            printf("%u rights to ports were not given back\n", host_box_rights_held() - rights);
            failed = 1;
        }
        is_over = 1;
        pthread_join(thread, NULL);
    }
    return failed;
}
