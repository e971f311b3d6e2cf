/*
 * Objects that one thing alone holds, each another one, none of which is a variable of the program:
 * values of threads, pools of all threads, what run loops of gnustep-base wait for. Writes down where
 * they are, says "ready", and waits until its input ends. WITHOUT_FOUNDATION: the root class stands
 * alone, on libobjc2.
 *
 * usage: held_only TRUTH
 */
#import <Foundation/Foundation.h>

#include "truth.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@interface Thing : NSObject
- (void)hear:(id)anything;
@end
@implementation Thing
- (void)hear:(id)anything {
    (void)anything;
}
@end

enum { KEYS = 40 /* the later ones stand in a table of their own */ };

static Thing *thing(const char *name) {
    Thing *made = [[Thing alloc] init];
    note_place(name, made);
    return made;
}

#ifdef WITHOUT_FOUNDATION
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
#define push_pool objc_autoreleasePoolPush
#define pop_pool  objc_autoreleasePoolPop
#else
static id push_pool(void) {
    return [[NSAutoreleasePool alloc] init];
}
static void pop_pool(id pool) {
    [pool release];
}
#endif

#define PLANT __attribute__((noinline)) static void

static pthread_key_t keys[KEYS];
static __thread id volatile of_thread; /* nobody reads it */

PLANT hold_by_values(const char *variable, const char *first, const char *last) {
    of_thread = thing(variable);
    pthread_setspecific(keys[0], thing(first));
    pthread_setspecific(keys[KEYS - 1], thing(last));
}

PLANT hold_by_pools(const char *name, unsigned count) {
    unsigned i;
    for (i = 0; i < count; i++)
        [thing(name) autorelease];
}

#ifndef WITHOUT_FOUNDATION

/* By the current thread, its dictionary and its run loop. */
PLANT hold_by_foundation(const char *in_dictionary, const char *target, const char *info,
                         const char *performer, const char *argument) {
    Thing *made = thing(in_dictionary);
    [[[NSThread currentThread] threadDictionary] setObject:made forKey:@"thing"];
    [made release];
    Thing *timed = thing(target), *told = thing(info);
    [NSTimer scheduledTimerWithTimeInterval:1000
                                     target:timed
                                   selector:@selector(hear:)
                                   userInfo:told
                                    repeats:YES];
    [timed release];
    [told release];
    Thing *delayed = thing(performer), *waiting = thing(argument);
    [delayed performSelector:@selector(hear:) withObject:waiting afterDelay:1000];
    [delayed release];
    [waiting release];
}

/* For a loop that never runs: what other threads asked it to do. */
PLANT hold_by_main_performers(void) {
    Thing *made = thing("performer_on_main_thread"), *waiting = thing("its_argument");
    [made performSelectorOnMainThread:@selector(hear:) withObject:waiting waitUntilDone:NO];
    [made release];
    [waiting release];
}

PLANT hold_by_operation(NSOperationQueue *queue) {
    Thing *made = thing("target_of_operation");
    NSInvocationOperation *operation =
        [[NSInvocationOperation alloc] initWithTarget:made selector:@selector(hear:) object:nil];
    [queue addOperation:operation];
    [operation release];
    [made release];
}

#endif

static pthread_barrier_t barrier;

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 15];
    size_t i;
    for (i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

static void hold_on_other_thread(void) {
    void *outer = push_pool();
    hold_by_pools("pool_of_other_thread", 3);
    void *inner = push_pool();
    hold_by_pools("inner_pool_of_other_thread", 2);
    hold_by_values("variable_of_other_thread", "key_of_other_thread", "late_key_of_other_thread");
#ifndef WITHOUT_FOUNDATION
    hold_by_foundation("dictionary_of_other_thread", "timer_of_other_loop", "its_user_info",
                       "performer_of_other_loop", "its_argument_there");
    hold_by_main_performers();
#endif
    scrub();
    pthread_barrier_wait(&barrier);
    pthread_barrier_wait(&barrier);
    pop_pool(inner);
    pop_pool(outer);
}

#ifdef WITHOUT_FOUNDATION
static void *run_other_thread(void *ignored) {
    hold_on_other_thread();
    return ignored;
}

static void start_other_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, run_other_thread, NULL);
}

static void hold_by_foundation_of_main(void) {
}
#else
@interface Other : NSObject
+ (void)run:(id)ignored;
@end
@implementation Other
+ (void)run:(id)ignored {
    (void)ignored;
    hold_on_other_thread();
}
@end

static void start_other_thread(void) {
    [NSThread detachNewThreadSelector:@selector(run:) toTarget:[Other class] withObject:nil];
}

static void hold_by_foundation_of_main(void) {
    NSOperationQueue *queue = [[NSOperationQueue alloc] init];
    [queue setSuspended:YES];
    hold_by_operation(queue);
    hold_by_foundation("dictionary", "timer", "user_info", "performer", "argument");
}
#endif

int main(int count, char **arguments) {
    unsigned i;
    if (count != 2 || pthread_barrier_init(&barrier, NULL, 2))
        return 2;
    for (i = 0; i < KEYS; i++)
        if (pthread_key_create(&keys[i], NULL))
            return 2;
    void *outer = push_pool();
    hold_by_pools("pool", 3);
    void *inner = push_pool();
    hold_by_pools("inner_pool", 600); /* more than one array of a pool has */
    hold_by_values("variable", "key", "late_key");
    hold_by_foundation_of_main();
    start_other_thread();
    pthread_barrier_wait(&barrier);
    scrub();
    write_truth(arguments[1]);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    pthread_barrier_wait(&barrier);
    pop_pool(inner);
    pop_pool(outer);
    return 0;
}
