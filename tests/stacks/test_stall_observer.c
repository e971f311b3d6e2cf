/*
 * A CFRunLoop, which Macs have and dispatch's main queue runs in, as far as the library uses one:
 * it asks for an observer, and takes from it when the loop works and when it waits.
 */
#include "check.h"
#include "loupe_stalls.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

enum { ENTRY = 1, BEFORE_TIMERS = 2, BEFORE_WAITING = 32, AFTER_WAITING = 64 };

typedef void observer_function(void *observer, unsigned long activity, void *info);

void *CFRunLoopGetMain(void);
void *CFRunLoopObserverCreate(void *allocator, unsigned long activities, unsigned char repeats,
                              long order, observer_function *call, void *context);
void CFRunLoopAddObserver(void *loop, void *observer, const void *mode);
extern const void *const kCFRunLoopCommonModes;

static char loop, observer, modes;
static _Atomic(observer_function *) called;
static _Atomic(unsigned) observers, told, over;

const void *const kCFRunLoopCommonModes = &modes;

void *CFRunLoopGetMain(void) {
    return &loop;
}

void *CFRunLoopObserverCreate(void *allocator, unsigned long activities, unsigned char repeats,
                              long order, observer_function *call, void *context) {
    CHECK(!allocator && !context && !order && repeats);
    CHECK((activities & (BEFORE_WAITING | AFTER_WAITING | BEFORE_TIMERS)) ==
          (BEFORE_WAITING | AFTER_WAITING | BEFORE_TIMERS));
    called = call;
    return &observer;
}

void CFRunLoopAddObserver(void *to, void *added, const void *mode) {
    CHECK(to == &loop && added == &observer && mode == &modes);
    observers++;
}

static void note(const struct loupe_stall *stall, void *context) {
    (void)context;
    if (stall->stack) {
        CHECK(strstr(stall->stack, " main + ") != NULL);
        told++;
    }
    over += stall->is_over;
}

static void be(unsigned long activity) {
    observer_function *call = called;
    call(&observer, activity, NULL);
}

static void wait_until(_Atomic(unsigned) *count) {
    for (int i = 0; i < 6000 && !*count; i++)
        usleep(10000);
}

static void test_loop_that_waits_for_events(void) {
    be(BEFORE_WAITING);
    usleep(500000);
    CHECK_EQ(told, 0);
}

static void test_loop_that_does_not_come_back(void) {
    be(AFTER_WAITING);
    be(BEFORE_TIMERS);
    wait_until(&told);
    CHECK_EQ(over, 0);
    be(BEFORE_WAITING);
    wait_until(&over);
    CHECK_EQ(told, 1);
    CHECK_EQ(over, 1);
    CHECK_EQ(observers, 1);
}

int main(void) {
    CHECK(loupe_stall_watch(0.1, note, NULL));
    wait_until(&observers);
    if (!CHECK_EQ(observers, 1))
        return check_report();
    RUN(test_loop_that_waits_for_events);
    RUN(test_loop_that_does_not_come_back);
    return check_report();
}
