/*
 * A program whose first thread takes, one after the other, the locks that code in a stopped process
 * must not wait for. Another thread stands by: it is the one that a debugger makes ask. Arguments:
 * a library whose constructor is called loupe_test_constructor.
 */
#include <Foundation/Foundation.h>
#include <dlfcn.h>
#include <objc/runtime.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

@interface Owner : NSObject
@property(nonatomic, copy) void (^handler)(void);
@end
@implementation Owner
@end

/* What to ask about. */
__unsafe_unretained Owner *loupe_test_owner;
__unsafe_unretained id loupe_test_block;

void loupe_test_ready(void);
void loupe_test_stand_by(void);
void *loupe_test_allocate(size_t size);
id loupe_test_load_weak(void);

static __weak Owner *weak_owner;
static __weak Owner *second_weak_owner;

void loupe_test_ready(void) {
    __asm__ volatile("");
}

/* For controls: calls that wait for the locks. */
void *loupe_test_allocate(size_t size) {
    return malloc(size);
}

id loupe_test_load_weak(void) {
    return weak_owner;
}

static int standing_by;

void loupe_test_stand_by(void) {
    __atomic_store_n(&standing_by, 1, __ATOMIC_RELEASE);
    for (;;)
        pause();
}

static void *stand_by(void *argument) {
    loupe_test_stand_by();
    return argument;
}

static void hold_malloc(void) {
    for (unsigned i = 0; i < 4096; i++)
        *(volatile char *)malloc(100000) = 1;
}

static void hold_loader(const char *library) {
    if (!dlopen(library, RTLD_NOW))
        fprintf(stderr, "%s\n", dlerror());
}

static void hold_side_table(void) {
    second_weak_owner = loupe_test_owner;
}

static void hold_runtime(void) {
    objc_registerClassPair(objc_allocateClassPair([NSObject class], "Dynamic", 0));
}

int main(int argc, char **argv) {
    pthread_t thread;
    Owner *owner = [Owner new];
    __weak Owner *weak = owner;
    owner.handler = ^{
        (void)weak;
        (void)owner;
    };
    loupe_test_owner = owner;
    weak_owner = owner;
    loupe_test_block = owner.handler;
    pthread_create(&thread, NULL, stand_by, NULL);
    while (!__atomic_load_n(&standing_by, __ATOMIC_ACQUIRE))
        sched_yield();
    loupe_test_ready();
    hold_malloc();
    if (argc > 1)
        hold_loader(argv[1]);
    hold_side_table();
    hold_runtime();
    return 0;
}
