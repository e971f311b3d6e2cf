/*
 * Threads of Darwin, on a double of Mach that counts: every port and every list is given back, also
 * where calls fail, none while a thread is suspended, and no thread stays suspended.
 */
#include "check.h"
#include "mach_double.h"
#include "threads/listing.h"
#include "threads/stop.h"

#include <mach/mach.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { THREADS = 5, FIRST_PORT = 1000, FIRST_ID = 70 };

/* ---- Mach ---- */

mach_port_t mach_task_self_ = 1;

static struct {
    unsigned references; /* of its port, as this process has them */
    unsigned suspended;
    char name[32];
} threads[THREADS];

static unsigned lists;         /* that were not given back */
static unsigned calls_left;    /* until every call fails */
static bool gave_back_in_stop; /* deallocation takes locks that a suspended thread may have */

static bool fails(void) {
    if (!calls_left)
        return true;
    calls_left--;
    return false;
}

static bool is_any_suspended(void) {
    bool found = false;
    for (unsigned i = 0; i < THREADS; i++)
        found |= threads[i].suspended != 0;
    return found;
}

static unsigned number_of(mach_port_t port) {
    unsigned number = port - FIRST_PORT;
    CHECK(number < THREADS && threads[number].references > 0);
    return number < THREADS ? number : 0;
}

kern_return_t task_threads(mach_port_t task, thread_act_array_t *ret,
                           mach_msg_type_number_t *count_ret) {
    CHECK_EQ(task, mach_task_self_);
    if (fails())
        return 1;
    *ret = malloc(THREADS * sizeof(**ret));
    *count_ret = THREADS;
    for (unsigned i = 0; i < THREADS; i++) {
        (*ret)[i] = FIRST_PORT + i;
        threads[i].references++;
    }
    lists++;
    return KERN_SUCCESS;
}

kern_return_t mach_port_deallocate(mach_port_t task, mach_port_t port) {
    CHECK_EQ(task, mach_task_self_);
    gave_back_in_stop |= is_any_suspended();
    threads[number_of(port)].references--;
    return KERN_SUCCESS;
}

kern_return_t vm_deallocate(mach_port_t task, vm_address_t address, vm_size_t size) {
    CHECK_EQ(task, mach_task_self_);
    CHECK_EQ(size, THREADS * sizeof(thread_act_t));
    gave_back_in_stop |= is_any_suspended();
    free((void *)address);
    lists--;
    return KERN_SUCCESS;
}

kern_return_t thread_info(thread_act_t port, thread_flavor_t flavor, thread_info_t ret,
                          mach_msg_type_number_t *count) {
    unsigned number = number_of(port);
    (void)count;
    if (fails())
        return 1;
    if (flavor == THREAD_IDENTIFIER_INFO) {
        thread_identifier_info_data_t info = {.thread_id = FIRST_ID + number,
                                              .thread_handle = 0x5000 + 0x1000 * (uint64_t)number};
        memcpy(ret, &info, sizeof(info));
    } else {
        thread_extended_info_data_t info = {.pth_user_time = 1000,
                                            .pth_system_time = number,
                                            .pth_run_state =
                                                number == 1 ? TH_STATE_RUNNING : TH_STATE_WAITING};
        memcpy(info.pth_name, threads[number].name, sizeof(threads[number].name));
        memcpy(ret, &info, sizeof(info));
    }
    return KERN_SUCCESS;
}

kern_return_t thread_suspend(thread_act_t port) {
    unsigned number = number_of(port);
    if (fails())
        return 1;
    threads[number].suspended++;
    return KERN_SUCCESS;
}

kern_return_t thread_resume(thread_act_t port) {
    unsigned number = number_of(port);
    if (!threads[number].suspended)
        return 1;
    threads[number].suspended--;
    return KERN_SUCCESS;
}

kern_return_t thread_get_state(thread_act_t port, thread_state_flavor_t flavor, thread_state_t ret,
                               mach_msg_type_number_t *count) {
    CHECK_EQ(threads[number_of(port)].suspended, 1);
    (void)flavor;
    if (fails())
        return 1;
    memset(ret, 0, *count * sizeof(natural_t));
    return KERN_SUCCESS;
}

int pthread_threadid_np(void *thread, uint64_t *id) {
    (void)thread;
    *id = FIRST_ID;
    return 0;
}

/* ---- Checks ---- */

enum { ANY_NUMBER = 1 << 20 };

static void begin(unsigned calls_that_work) {
    memset(threads, 0, sizeof(threads));
    strcpy(threads[3].name, "com.example.decoder");
    lists = 0;
    gave_back_in_stop = false;
    calls_left = calls_that_work;
}

static void check_all_is_given_back(void) {
    CHECK_EQ(lists, 0);
    CHECK(!is_any_suspended());
    CHECK(!gave_back_in_stop);
    for (unsigned i = 0; i < THREADS; i++)
        CHECK_EQ(threads[i].references, 0);
}

static enum loupe_status count(void *visitor, uint32_t number,
                               const struct loupe_process_thread *about) {
    unsigned *counted = visitor;
    CHECK_EQ(about->id, FIRST_ID + number);
    return ++*counted == 2 ? LOUPE_ELIMIT : LOUPE_OK;
}

static void test_ports_of_listings_are_given_back(void) {
    for (unsigned works = 0; works < 4 * THREADS; works++) {
        unsigned counted = 0;
        char name[64];
        struct loupe_thread_activity activity;
        begin(works);
        loupe_threads_list(count, &counted); /* ends early */
        loupe_thread_name(FIRST_ID + 3, name, sizeof(name));
        loupe_thread_activity(FIRST_ID + 1, &activity);
        loupe_thread_id_of((const void *)pthread_self());
        check_all_is_given_back();
    }
}

static void test_what_threads_do_is_told(void) {
    struct loupe_thread_activity activity = {.run_time = 0};
    begin(ANY_NUMBER);
    CHECK(!loupe_thread_activity(FIRST_ID + 9, &activity));
    CHECK(loupe_thread_activity(FIRST_ID + 1, &activity));
    CHECK(activity.is_runnable);
    CHECK(loupe_thread_activity(FIRST_ID + 2, &activity));
    CHECK(!activity.is_runnable);
    CHECK(!activity.counts_waits);
    CHECK_EQ(activity.run_time, 1002);
    check_all_is_given_back();
}

static void test_names_are_found_without_renaming(void) {
    char name[64];
    begin(ANY_NUMBER);
    loupe_thread_name(FIRST_ID + 3, name, sizeof(name));
    CHECK_STR(name, "com.example.decoder");
    CHECK_STR(threads[3].name, "com.example.decoder");
    loupe_thread_name(FIRST_ID + 9, name, sizeof(name));
    CHECK_STR(name, "");
    /* Handles are as far apart as what pthread_t points to. */
    CHECK_EQ(loupe_thread_id_of((const void *)((uintptr_t)pthread_self() + 0x2000)), FIRST_ID + 2);
    CHECK_EQ(loupe_thread_id_of((const void *)((uintptr_t)pthread_self() + 0x123)), 0);
    check_all_is_given_back();
}

static void test_threads_are_suspended_one_by_one(void) {
    struct loupe_frame frame;
    begin(ANY_NUMBER);
    CHECK(loupe_stops_begin());
    CHECK(!loupe_stops_begin());
    for (unsigned i = 1; i < THREADS; i++) {
        CHECK_EQ(loupe_thread_stop(FIRST_ID + i, &frame), LOUPE_STOP_HELD);
        for (unsigned j = 0; j < THREADS; j++)
            CHECK_EQ(threads[j].suspended, i == j);
        CHECK(loupe_thread_let_go());
    }
    CHECK_EQ(loupe_thread_stop(FIRST_ID + 9, &frame), LOUPE_STOP_GONE);
    loupe_stops_end();
    check_all_is_given_back();
}

/* Whichever call fails: of the list, of who a thread is, of the stop, of its registers. */
static void test_failures_leave_nothing(void) {
    unsigned held = 0, refused = 0, gone = 0;
    for (unsigned works = 0; works < 3 * THREADS; works++) {
        struct loupe_frame frame;
        begin(works);
        if (loupe_stops_begin()) {
            enum loupe_stop stop = loupe_thread_stop(FIRST_ID + 2, &frame);
            held += stop == LOUPE_STOP_HELD;
            refused += stop == LOUPE_STOP_REFUSED;
            gone += stop == LOUPE_STOP_GONE;
            CHECK_EQ(is_any_suspended(), stop == LOUPE_STOP_HELD);
            if (stop == LOUPE_STOP_HELD)
                CHECK(loupe_thread_let_go());
            loupe_stops_end();
        }
        check_all_is_given_back();
    }
    CHECK(held > 0 && refused > 0 && gone > 0);
}

int main(void) {
    RUN(test_ports_of_listings_are_given_back);
    RUN(test_what_threads_do_is_told);
    RUN(test_names_are_found_without_renaming);
    RUN(test_threads_are_suspended_one_by_one);
    RUN(test_failures_leave_nothing);
    return check_report();
}
