/* The stack of this thread from inside, beside the C library's own unwinder: in its functions, in
 * signal handlers, on alternate stacks. */
#include "check.h"
#include "memory/machine.h"
#include "unwind/unwind.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 512 };

static struct loupe_range proved;
static int times_asked;

/* Every address but the innermost one, which differs by the call itself. */
static void check_against_library(void) {
    struct loupe_frame here;
    uint64_t found[DEPTH];
    void *library[DEPTH];
    loupe_frame_capture(&here);
    struct loupe_unwound unwound = loupe_unwind_own(&here, &proved, 0, found, DEPTH);
    int count = backtrace(library, DEPTH);
    times_asked++;
    CHECK_EQ(unwound.end, LOUPE_UNWIND_OUTERMOST);
    if (!CHECK_EQ(unwound.count, count))
        return;
    for (int i = 1; i < count; i++)
        CHECK_EQ(found[i], (uintptr_t)library[i]);
    struct loupe_unwound other = loupe_unwind_other(&here, found, NULL, DEPTH);
    CHECK_EQ(other.count, count);
    for (size_t i = 1; i < other.count; i++)
        CHECK_EQ(found[i], (uintptr_t)library[i]);
}

static int compare(const void *left, const void *right) {
    check_against_library();
    return *(const int *)left - *(const int *)right;
}

static void test_callback_of_the_c_library(void) {
    int values[] = {3, 2, 5, 1};
    qsort(values, 4, sizeof(values[0]), compare);
    CHECK(times_asked > 0);
}

__attribute__((noinline)) static int descend(int levels) {
    volatile char room[300];
    room[0] = (char)levels;
    if (levels)
        return descend(levels - 1) + room[0];
    check_against_library();
    return 0;
}

static void test_more_pages_than_were_known(void) {
    descend(100);
    descend(10);
    descend(300);
}

static void on_signal(int number) {
    (void)number;
    check_against_library();
}

static void test_signal_handler(void) {
    struct sigaction action = {.sa_handler = on_signal};
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    CHECK_EQ(times_asked, 1);
}

static void test_alternate_stack(void) {
    static char memory[1 << 17];
    stack_t alternate = {.ss_sp = memory, .ss_size = sizeof(memory)},
            none = {.ss_flags = SS_DISABLE};
    struct sigaction action = {.sa_handler = on_signal, .sa_flags = SA_ONSTACK};
    sigaltstack(&alternate, NULL);
    sigaction(SIGUSR2, &action, NULL);
    raise(SIGUSR2);
    check_against_library();
    raise(SIGUSR2);
    sigaltstack(&none, NULL);
    CHECK_EQ(times_asked, 3);
}

/* The interrupted code is shown as it was when the signal came, at the very instruction. */
static uint64_t interrupted[DEPTH];
static struct loupe_unwound of_interrupted;
static uint64_t interrupted_at;

static void on_interruption(int number, siginfo_t *info, void *context) {
    struct loupe_frame frame;
    (void)number;
    (void)info;
    if (CHECK(loupe_frame_of_context(context, &frame))) {
        interrupted_at = frame.registers[loupe_frame_machine_of(loupe_own_machine.arch)->pc];
        of_interrupted = loupe_unwind_own(&frame, NULL, 0, interrupted, DEPTH);
    }
}

static void test_interrupted_code(void) {
    struct sigaction action = {.sa_sigaction = on_interruption, .sa_flags = SA_SIGINFO};
    struct loupe_frame here;
    uint64_t own[DEPTH];
    sigaction(SIGUSR1, &action, NULL);
    raise(SIGUSR1);
    loupe_frame_capture(&here);
    struct loupe_unwound unwound = loupe_unwind_own(&here, NULL, 0, own, DEPTH);
    CHECK_EQ(of_interrupted.end, LOUPE_UNWIND_OUTERMOST);
    CHECK_EQ(interrupted[0], interrupted_at);
    if (!CHECK(of_interrupted.count > unwound.count))
        return;
    /* What called this function is the same in both. */
    for (size_t i = 1; i < unwound.count; i++)
        CHECK_EQ(interrupted[of_interrupted.count - i], own[unwound.count - i]);
}

static void *in_thread(void *argument) {
    (void)argument;
    check_against_library();
    return NULL;
}

static void test_thread(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, in_thread, NULL);
    pthread_join(thread, NULL);
    check_against_library();
}

static void test_limits_and_what_is_left_out(void) {
    struct loupe_frame here;
    uint64_t all[DEPTH], some[2] = {0, 0};
    loupe_frame_capture(&here);
    struct loupe_unwound unwound = loupe_unwind_own(&here, NULL, 0, all, DEPTH);
    struct loupe_unwound cut = loupe_unwind_own(&here, NULL, 1, some, 1);
    CHECK(unwound.count > 2);
    CHECK_EQ(cut.end, LOUPE_UNWIND_FULL);
    CHECK_EQ(cut.count, 1);
    CHECK_EQ(some[0], all[1]);
    CHECK_EQ(some[1], 0);
}

static void test_registers_that_lead_nowhere(void) {
    uint64_t found[DEPTH];
    struct loupe_frame frame = {.is_interrupted = true};
    CHECK_EQ(loupe_unwind_other(&frame, found, NULL, DEPTH).count, 0);
    const struct loupe_frame_machine *machine = loupe_frame_machine_of(loupe_own_machine.arch);
    for (unsigned number = 0; number <= machine->pc; number++)
        loupe_frame_set(&frame, number, 0x10);
    struct loupe_unwound unwound = loupe_unwind_other(&frame, found, NULL, DEPTH);
    CHECK_EQ(unwound.count, 1);
    CHECK_EQ(unwound.end, LOUPE_UNWIND_LOST);
    if (machine->link != UINT8_MAX) /* in which a function begins with its return address */
        frame.known &= ~(UINT64_C(1) << machine->link);
    loupe_frame_set(&frame, machine->pc, (uintptr_t)descend);
    unwound = loupe_unwind_other(&frame, found, NULL, DEPTH);
    CHECK_EQ(unwound.count, 1);
    CHECK_EQ(unwound.end, LOUPE_UNWIND_LOST);
}

#define RUN_ANEW(test) (times_asked = 0, RUN(test))

int main(void) {
    void *library[2];
    backtrace(library, 2); /* which loads a library first */
    RUN_ANEW(test_callback_of_the_c_library);
    RUN_ANEW(test_more_pages_than_were_known);
    RUN_ANEW(test_signal_handler);
    RUN_ANEW(test_alternate_stack);
    RUN_ANEW(test_interrupted_code);
    RUN_ANEW(test_thread);
    RUN_ANEW(test_limits_and_what_is_left_out);
    RUN_ANEW(test_registers_that_lead_nowhere);
    return check_report();
}
