/*
 * Threads of Darwin, by their ports of Mach. Ports and lists are given back when no thread is held:
 * that takes locks of the kernel's map which a thread may have asked for.
 */
#include "threads/threads.h"

#include "kernel/kernel.h"
#include "threads/listing.h"
#include "threads/registers_darwin.h"

#include <mach/mach.h>

enum {
    MOST_LISTS = 8, /* a program that makes threads faster than they are held runs on */
    KEYS = 768      /* values by key that libpthread keeps of a thread, from its handle on */
};

struct list {
    thread_act_array_t ports;
    mach_msg_type_number_t count;
    mach_msg_type_number_t held; /* so many of the first */
};

static bool take_list(struct list *list) {
    list->held = 0;
    return task_threads(mach_task_self(), &list->ports, &list->count) == KERN_SUCCESS;
}

static void give_back(const struct list *list) {
    for (mach_msg_type_number_t i = 0; i < list->count; i++)
        mach_port_deallocate(mach_task_self(), list->ports[i]);
    vm_deallocate(mach_task_self(), (vm_address_t)list->ports, list->count * sizeof(*list->ports));
}

/* False: it has ended. */
static bool look_at(thread_act_t port, struct loupe_own_thread *ret) {
    thread_identifier_info_data_t info;
    mach_msg_type_number_t size = THREAD_IDENTIFIER_INFO_COUNT;
    if (thread_info(port, THREAD_IDENTIFIER_INFO, (thread_info_t)&info, &size) != KERN_SUCCESS)
        return false;
    *ret = (struct loupe_own_thread){.about = {.id = info.thread_id},
                                     .asks = info.thread_id == loupe_own_thread_id()};
    if (info.thread_handle) {
        ret->about.variables_start = info.thread_handle;
        ret->about.variables_end = info.thread_handle + KEYS * sizeof(void *);
    }
    return true;
}

/* ---- Holding ---- */

static struct {
    int process;    /* a child of fork() has none of the threads */
    uint64_t since; /* microseconds */
    unsigned count;
    struct list lists[MOST_LISTS];
} held;

static bool is_held(thread_act_t port) {
    for (unsigned i = 0; i < held.count; i++)
        for (mach_msg_type_number_t j = 0; j < held.lists[i].held; j++)
            if (held.lists[i].ports[j] == port)
                return true;
    return false;
}

static void hold(struct list *list, mach_msg_type_number_t place) {
    thread_act_t port = list->ports[place];
    if (thread_suspend(port) != KERN_SUCCESS)
        return;
    list->ports[place] = list->ports[list->held];
    list->ports[list->held++] = port;
}

/* Holds those of one more list. False: the asking thread is not in it, and must not be held by
 * mistake. all_ret: they were all held before. */
static bool hold_listed(bool *all_ret) {
    struct list *list = &held.lists[held.count];
    bool found_own = false;
    *all_ret = true;
    if (!take_list(list))
        return false;
    held.count++;
    for (mach_msg_type_number_t i = 0; i < list->count; i++) {
        struct loupe_own_thread thread;
        if (is_held(list->ports[i]))
            continue;
        bool is_there = look_at(list->ports[i], &thread), is_own = is_there && thread.asks;
        found_own |= is_own;
        *all_ret &= is_own;
        if (is_there && !is_own)
            hold(list, i);
    }
    return found_own;
}

bool loupe_threads_hold(void) {
    bool all = false;
    loupe_threads_let_go();
    if (!loupe_own_thread_id())
        return false;
    held.process = loupe_kernel_process();
    held.since = loupe_kernel_microseconds();
    while (!all) {
        if (held.count == MOST_LISTS || !hold_listed(&all)) {
            loupe_threads_let_go();
            return false;
        }
    }
    return true;
}

void loupe_threads_let_go(void) {
    unsigned count = held.process == loupe_kernel_process() ? held.count : 0;
    for (unsigned i = 0; i < count; i++)
        for (mach_msg_type_number_t j = 0; j < held.lists[i].held; j++)
            thread_resume(held.lists[i].ports[j]);
    for (unsigned i = 0; i < count; i++)
        give_back(&held.lists[i]);
    held.count = 0;
}

uint64_t loupe_threads_held_for(void) {
    bool are_held = held.count && held.process == loupe_kernel_process();
    return are_held ? loupe_kernel_microseconds() - held.since : 0;
}

/* ---- The list ---- */

static enum loupe_status visit_list(const struct list *list, loupe_own_thread_visit visit,
                                    void *visitor) {
    enum loupe_status status = LOUPE_OK;
    for (mach_msg_type_number_t i = 0; !status && i < list->count; i++) {
        struct loupe_own_thread thread;
        if (!look_at(list->ports[i], &thread))
            continue;
        if (!thread.asks)
            loupe_mach_registers(list->ports[i], &thread.registers);
        status = visit(visitor, &thread);
    }
    return status;
}

enum loupe_status loupe_own_threads_visit(loupe_own_thread_visit visit, void *visitor) {
    struct list list;
    if (held.count)
        return visit_list(&held.lists[held.count - 1], visit, visitor);
    if (!take_list(&list))
        return LOUPE_EFAULT;
    enum loupe_status status = visit_list(&list, visit, visitor);
    give_back(&list);
    return status;
}
