/*
 * The threads of a process of Darwin as the helper sees and holds them, on a double of Mach that
 * counts: task_threads() hands out a right for each thread, and a list; thread_suspend() and
 * thread_resume() count, and fail for a thread that has ended; a thread that holds itself never
 * goes on.
 */
#include "check.h"
#include "kernel/kernel.h"
#include "memory/regions.h"
#include "threads/listing.h"
#include "threads/threads.h"

#include <mach/mach.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_THREADS = 64, FIRST_PORT = 500, FIRST_ID = 7000, OWN = 1, HANDLE = 0x10000 };

/* ---- Mach ---- */

mach_port_t mach_task_self_ = 1;

static struct {
    unsigned references, suspended;
    bool has_ended;
} threads[MOST_THREADS];

static unsigned count, lists, listings, calls_left, born_at_each_listing;
static bool own_has_no_id, gave_back_in_stop;
static int process = 40;

/* Each look at the clock takes a microsecond. */
uint64_t loupe_kernel_microseconds(void) {
    static uint64_t now;
    return ++now;
}

int loupe_kernel_process(void) {
    return process;
}

enum loupe_status loupe_regions_copy(loupe_addr addr, void *dst, size_t len) {
    (void)addr, (void)dst, (void)len;
    return LOUPE_EFAULT;
}

static bool fails(void) {
    if (!calls_left)
        return true;
    calls_left--;
    return false;
}

static unsigned suspended_count(void) {
    unsigned found = 0;
    for (unsigned i = 0; i < count; i++)
        found += threads[i].suspended != 0;
    return found;
}

static unsigned number_of(mach_port_t port) {
    unsigned number = port - FIRST_PORT;
    CHECK(number < count && threads[number].references > 0);
    return number < count ? number : 0;
}

kern_return_t task_threads(mach_port_t task, thread_act_array_t *ret,
                           mach_msg_type_number_t *count_ret) {
    CHECK_EQ(task, mach_task_self_);
    if (fails())
        return 5;
    for (unsigned i = 0; listings && i < born_at_each_listing && count < MOST_THREADS; i++)
        count++;
    listings++;
    *ret = malloc(MOST_THREADS * sizeof(**ret));
    *count_ret = 0;
    for (unsigned i = 0; i < count; i++) {
        if (threads[i].has_ended)
            continue;
        (*ret)[(*count_ret)++] = FIRST_PORT + i;
        threads[i].references++;
    }
    lists++;
    return KERN_SUCCESS;
}

kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t port) {
    CHECK_EQ(task, mach_task_self_);
    gave_back_in_stop |= suspended_count() != 0;
    threads[number_of(port)].references--;
    return KERN_SUCCESS;
}

kern_return_t vm_deallocate(mach_port_t task, vm_address_t address, vm_size_t size) {
    CHECK_EQ(task, mach_task_self_);
    CHECK_EQ(size % sizeof(thread_act_t), 0);
    gave_back_in_stop |= suspended_count() != 0;
    free((void *)address);
    lists--;
    return KERN_SUCCESS;
}

kern_return_t thread_info(thread_act_t port, thread_flavor_t flavor, thread_info_t ret,
                          mach_msg_type_number_t *size) {
    unsigned number = number_of(port);
    CHECK_EQ(flavor, THREAD_IDENTIFIER_INFO);
    CHECK_EQ(*size, THREAD_IDENTIFIER_INFO_COUNT);
    if (fails() || threads[number].has_ended)
        return 37;
    thread_identifier_info_data_t info = {.thread_id = FIRST_ID + number,
                                          .thread_handle = HANDLE * (uint64_t)(number + 1)};
    memcpy(ret, &info, sizeof(info));
    return KERN_SUCCESS;
}

kern_return_t thread_suspend(thread_act_t port) {
    unsigned number = number_of(port);
    if (number == OWN) {
        CHECK(false && "the asking thread holds itself");
        exit(check_report());
    }
    if (fails() || threads[number].has_ended)
        return 37;
    threads[number].suspended++;
    return KERN_SUCCESS;
}

kern_return_t thread_resume(thread_act_t port) {
    unsigned number = number_of(port);
    if (!threads[number].suspended)
        return 5;
    threads[number].suspended--;
    return KERN_SUCCESS;
}

/* Each word of the state is another one. */
kern_return_t thread_get_state(thread_act_t port, thread_state_flavor_t flavor, thread_state_t ret,
                               mach_msg_type_number_t *size) {
    uint64_t number = number_of(port);
    (void)flavor;
    if (fails() || threads[number].has_ended)
        return 37;
    for (uint64_t i = 0; i < *size / 2; i++) {
        uint64_t word = number << 16 | i;
        memcpy(ret + 2 * i, &word, sizeof(word));
    }
    return KERN_SUCCESS;
}

int pthread_threadid_np(void *thread, uint64_t *id) {
    (void)thread;
    *id = own_has_no_id ? 0 : FIRST_ID + OWN;
    return 0;
}

/* ---- Checks ---- */

enum { ANY_NUMBER = 1 << 20 };

static void begin(unsigned thread_count, unsigned calls_that_work) {
    memset(threads, 0, sizeof(threads));
    count = thread_count;
    lists = listings = born_at_each_listing = 0;
    own_has_no_id = gave_back_in_stop = false;
    calls_left = calls_that_work;
}

static void check_all_is_given_back(void) {
    CHECK_EQ(lists, 0);
    CHECK_EQ(suspended_count(), 0);
    CHECK(!gave_back_in_stop);
    for (unsigned i = 0; i < count; i++)
        CHECK_EQ(threads[i].references, 0);
}

struct seen {
    unsigned count, stop_after;
    struct loupe_own_thread threads[MOST_THREADS];
};

static enum loupe_status see(void *visitor, const struct loupe_own_thread *thread) {
    struct seen *seen = visitor;
    seen->threads[seen->count++] = *thread;
    return seen->count == seen->stop_after ? LOUPE_ENOMEM : LOUPE_OK;
}

static bool has_register(const struct loupe_own_thread *thread, const char *name, uint64_t wanted) {
    uint64_t value = 0;
    return CHECK(loupe_own_thread_register(thread, name, &value)) && CHECK_EQ(value, wanted);
}

/* By their places in x86_thread_state64_t and arm_thread_state64_t. */
static void check_registers(const struct loupe_own_thread *thread, uint64_t number) {
#if defined(__x86_64__)
    static const char *const names[] = {"rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "rsp",
                                        "r8",  "r9",  "r10", "r11", "r12", "r13", "r14", "r15"};
#elif defined(__aarch64__)
    static const char *const names[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
                                        "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
                                        "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
                                        "x24", "x25", "x26", "x27", "x28", "fp",  "lr",  "sp"};
#endif
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        has_register(thread, names[i], number << 16 | i);
}

/* ---- Tests ---- */

static void test_all_threads_are_told_with_their_registers(void) {
    struct seen seen = {.count = 0};
    uint64_t value;
    begin(4, ANY_NUMBER);
    CHECK_EQ(loupe_own_threads_visit(see, &seen), LOUPE_OK);
    CHECK_EQ(seen.count, 4);
    for (unsigned i = 0; i < seen.count; i++) {
        const struct loupe_own_thread *thread = &seen.threads[i];
        CHECK_EQ(thread->about.id, FIRST_ID + i);
        CHECK_EQ(thread->asks, i == OWN);
        CHECK_EQ(thread->about.variables_start, HANDLE * (i + 1));
        CHECK_EQ(thread->about.variables_end - thread->about.variables_start, 768 * 8);
        if (i != OWN)
            check_registers(thread, i);
    }
    CHECK(!loupe_own_thread_register(&seen.threads[OWN], "r12", &value));
    CHECK(!loupe_own_thread_register(&seen.threads[0], "eflags", &value));
    check_all_is_given_back();
}

static void test_others_are_held_and_let_go(void) {
    struct seen seen = {.count = 0};
    begin(5, ANY_NUMBER);
    CHECK_EQ(loupe_threads_held_for(), 0);
    CHECK(loupe_threads_hold());
    CHECK_EQ(suspended_count(), 4);
    CHECK_EQ(threads[OWN].suspended, 0);
    CHECK_EQ(loupe_threads_held_for(), 1);
    CHECK_EQ(loupe_threads_held_for(), 2);
    CHECK_EQ(loupe_own_threads_visit(see, &seen), LOUPE_OK);
    CHECK_EQ(seen.count, 5);
    CHECK(!gave_back_in_stop);
    loupe_threads_let_go();
    CHECK_EQ(loupe_threads_held_for(), 0);
    check_all_is_given_back();
    loupe_threads_let_go();
    check_all_is_given_back();
}

/* One that was held by somebody else stays so. */
static void test_holds_count(void) {
    begin(3, ANY_NUMBER);
    threads[2].suspended = 1;
    CHECK(loupe_threads_hold());
    CHECK_EQ(threads[2].suspended, 2);
    loupe_threads_let_go();
    CHECK_EQ(threads[2].suspended, 1);
}

/* As after a question that was cut off, which let nobody go. However often: no list is kept of it.
 */
static void test_those_of_a_question_that_was_cut_off_are_let_go_first(void) {
    begin(4, ANY_NUMBER);
    for (unsigned i = 0; i < 20; i++) {
        CHECK(loupe_threads_hold());
        CHECK_EQ(suspended_count(), 3);
        CHECK(lists > 0 && lists < 4);
    }
    gave_back_in_stop = false;
    loupe_threads_let_go();
    check_all_is_given_back();
}

static void test_threads_that_begin_meanwhile_are_held(void) {
    begin(2, ANY_NUMBER);
    born_at_each_listing = 1;
    CHECK(!loupe_threads_hold()); /* always one more */
    check_all_is_given_back();
    begin(2, ANY_NUMBER);
    count = 3;
    CHECK(loupe_threads_hold());
    CHECK_EQ(suspended_count(), 2);
    loupe_threads_let_go();
    check_all_is_given_back();
}

static void test_nobody_is_held_where_the_own_thread_is_not_known(void) {
    begin(4, ANY_NUMBER);
    own_has_no_id = true;
    CHECK(!loupe_threads_hold());
    check_all_is_given_back();
    begin(OWN, ANY_NUMBER); /* it is not in the list */
    CHECK(!loupe_threads_hold());
    check_all_is_given_back();
}

/* Whichever call fails. */
static void test_failures_leave_nothing(void) {
    unsigned held = 0;
    for (unsigned works = 0; works < 60; works++) {
        struct seen seen = {.count = 0, .stop_after = works % 7};
        begin(4, works);
        bool holds = loupe_threads_hold();
        held += holds;
        CHECK_EQ(suspended_count(), holds ? 3 : 0);
        loupe_own_threads_visit(see, &seen);
        loupe_threads_let_go();
        check_all_is_given_back();
    }
    CHECK(held > 0 && held < 60);
}

static void test_a_forked_child_lets_nobody_go(void) {
    begin(3, ANY_NUMBER);
    CHECK(loupe_threads_hold());
    process++;
    loupe_threads_let_go(); /* the ports are the parent's */
    CHECK_EQ(suspended_count(), 2);
    process--;
}

int main(void) {
    RUN(test_all_threads_are_told_with_their_registers);
    RUN(test_others_are_held_and_let_go);
    RUN(test_holds_count);
    RUN(test_those_of_a_question_that_was_cut_off_are_let_go_first);
    RUN(test_threads_that_begin_meanwhile_are_held);
    RUN(test_nobody_is_held_where_the_own_thread_is_not_known);
    RUN(test_failures_leave_nothing);
    RUN(test_a_forked_child_lets_nobody_go);
    return check_report();
}
