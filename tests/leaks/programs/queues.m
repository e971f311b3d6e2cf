/*
 * Objects that libdispatch alone holds, each another one: by blocks that wait in queues, in sources
 * and in groups, and by values of queues. Writes down where they are, says "ready", and waits until
 * its input ends. Without ARC: each line is one event.
 *
 * One is lost: it waits in a queue that was stopped, and that nobody knows any more.
 *
 * usage: queues TRUTH
 */
#import <Foundation/Foundation.h>

#include "truth.h"

#include <dispatch/dispatch.h>

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

@interface Thing : NSObject
@end
@implementation Thing
@end

static Thing *thing(const char *name) {
    Thing *made = [[Thing alloc] init];
    note_place(name, made);
    return made;
}

static void hear(Thing *anything) {
    (void)anything;
}

static void release_thing(void *held) {
    [(Thing *)held release];
}

#define PLANT __attribute__((noinline)) static void

/* What the block retains when it is copied is its own from then on. */
#define IN_BLOCK(name, ...)                                                                        \
    do {                                                                                           \
        Thing *held = thing(name);                                                                 \
        void (^block)(void) = ^{                                                                   \
            hear(held);                                                                            \
        };                                                                                         \
        __VA_ARGS__;                                                                               \
        [held release];                                                                            \
    } while (0)

/* Blocks that run have begun, and sources are registered, when each of them has said so. */
static dispatch_semaphore_t begun, never;
enum { BEGINNINGS = 4 + 3 };

static void stay(void) {
    dispatch_semaphore_signal(begun);
    dispatch_semaphore_wait(never, DISPATCH_TIME_FOREVER);
}

static void begin(dispatch_source_t source) {
    dispatch_source_set_registration_handler(source, ^{
        dispatch_semaphore_signal(begun);
    });
    dispatch_resume(source);
}

static dispatch_queue_t stopped;

PLANT hold_by_stopped_queues(void) {
    dispatch_queue_t forgotten = dispatch_queue_create("com.example.forgotten", NULL);
    stopped = dispatch_queue_create("com.example.stopped", NULL);
    dispatch_suspend(stopped);
    dispatch_suspend(forgotten);
    IN_BLOCK("waits_in_stopped_queue", dispatch_async(stopped, block));
    IN_BLOCK("lost", dispatch_async(forgotten, block));
}

/* Nobody but the queue knows it afterwards: a queue lives as long as something is in it. */
PLANT hold_by_queues(void) {
    dispatch_queue_t serial = dispatch_queue_create("com.example.work", NULL);
    dispatch_queue_t both = dispatch_queue_create("com.example.both", DISPATCH_QUEUE_CONCURRENT);
    dispatch_queue_t aimed = dispatch_queue_create_with_target("com.example.aimed", NULL, serial);
    dispatch_async(serial, ^{
        stay();
    });
    IN_BLOCK("waits_in_serial_queue", dispatch_async(serial, block));
    IN_BLOCK("waits_behind_it", dispatch_async(serial, block));
    IN_BLOCK("waits_in_queue_with_target", dispatch_async(aimed, block));
    dispatch_barrier_async(both, ^{
        stay();
    });
    IN_BLOCK("waits_behind_barrier", dispatch_async(both, block));
    IN_BLOCK("is_a_barrier", dispatch_barrier_async(both, block));
    IN_BLOCK("waits_in_main_queue", dispatch_async(dispatch_get_main_queue(), block));
    static char key;
    dispatch_queue_set_specific(serial, &key, thing("value_of_queue"), release_thing);
    dispatch_set_context(serial, thing("context_of_queue"));
    dispatch_set_finalizer_f(serial, release_thing);
    dispatch_release(aimed);
    dispatch_release(both);
    dispatch_release(serial);
}

PLANT hold_by_sources(int readable) {
    dispatch_queue_t queue = dispatch_queue_create("com.example.sources", NULL);
    dispatch_source_t timer = dispatch_source_create(DISPATCH_SOURCE_TYPE_TIMER, 0, 0, queue);
    dispatch_source_t input =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_READ, (uintptr_t)readable, 0, queue);
    dispatch_source_t signals =
        dispatch_source_create(DISPATCH_SOURCE_TYPE_SIGNAL, SIGUSR2, 0, queue);
    dispatch_source_set_timer(timer, dispatch_time(DISPATCH_TIME_NOW, 1000 * NSEC_PER_SEC),
                              1000 * NSEC_PER_SEC, 0);
    IN_BLOCK("handler_of_timer", dispatch_source_set_event_handler(timer, block));
    IN_BLOCK("cancel_handler_of_timer", dispatch_source_set_cancel_handler(timer, block));
    IN_BLOCK("handler_of_input", dispatch_source_set_event_handler(input, block));
    IN_BLOCK("cancel_handler_of_input", dispatch_source_set_cancel_handler(input, block));
    IN_BLOCK("handler_of_signal", dispatch_source_set_event_handler(signals, block));
    begin(timer);
    begin(input);
    begin(signals);
    IN_BLOCK("waits_for_its_time",
             dispatch_after(dispatch_time(DISPATCH_TIME_NOW, 1000 * NSEC_PER_SEC), queue, block));
    IN_BLOCK("waits_for_the_wall_clock",
             dispatch_after(dispatch_walltime(NULL, 1000 * NSEC_PER_SEC), queue, block));
    dispatch_release(queue); /* the sources are never released: they go on */
}

PLANT hold_by_group(void) {
    dispatch_group_t group = dispatch_group_create();
    dispatch_queue_t queue = dispatch_queue_create("com.example.group", NULL);
    IN_BLOCK("told_by_group", {
        dispatch_group_async(group, queue, ^{
            stay();
        });
        dispatch_group_notify(group, queue, block);
    });
    IN_BLOCK("waits_in_group", dispatch_group_async(group, queue, block));
    dispatch_release(queue);
    dispatch_release(group);
}

PLANT hold_once(void) {
    static dispatch_once_t once;
    static Thing *only;
    dispatch_once(&once, ^{
        only = thing("made_once");
    });
}

/* What runs and waits. */
PLANT hold_by_running(void) {
    Thing *held = thing("of_a_block_that_runs");
    dispatch_async(dispatch_get_global_queue(0, 0), ^{
        stay();
        hear(held);
    });
    [held release];
}

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 15];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(int count, char **arguments) {
    int ends[2];
    if (count != 2 || pipe(ends))
        return 2;
    begun = dispatch_semaphore_create(0);
    never = dispatch_semaphore_create(0);
    hold_by_stopped_queues();
    hold_by_queues();
    hold_by_sources(ends[0]);
    hold_by_group();
    hold_once();
    hold_by_running();
    scrub();
    for (unsigned i = 0; i < BEGINNINGS; i++)
        dispatch_semaphore_wait(begun, DISPATCH_TIME_FOREVER);
    write_truth(arguments[1]);
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    _exit(0);
}
