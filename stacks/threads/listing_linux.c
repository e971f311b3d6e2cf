/* Threads of this process, by /proc/self/task. */
#include "threads/listing.h"

#include "kernel/entries.h"
#include "kernel/kernel.h"
#include "memory/regions.h"
#include "kernel/system.h"
#include "threads/proc_task.h"

#include <pthread.h>
#include <string.h>

uint64_t loupe_own_thread_id(void) {
    return (uint64_t)loupe_system_thread();
}

/*
 * The C library keeps the system's number in what a pthread_t points to, each at a place of its
 * own: the place is where the own number stands in the own one. What stands there in another is
 * believed if the system has such a thread.
 */
uint64_t loupe_thread_id_of(const void *pthread) {
    enum { FAR_ENOUGH = 2048 };
    uint32_t own[FAR_ENOUGH / sizeof(uint32_t)], id, wanted = (uint32_t)loupe_system_thread();
    struct loupe_task task;
    if (loupe_regions_copy((uintptr_t)pthread_self(), own, sizeof(own)))
        return 0;
    /* Cap: there is no such thread, as the answer says. */
    for (size_t i = 0; i < FAR_ENOUGH / sizeof(uint32_t); i++)
        if (own[i] == wanted)
            return !loupe_regions_copy((uintptr_t)pthread + i * sizeof(id), &id, sizeof(id)) &&
                           loupe_task_read(id, &task)
                       ? id
                       : 0;
    return 0;
}

void loupe_thread_name(uint64_t id, char *dst, size_t cap) {
    char name[LOUPE_TASK_NAME_SIZE];
    loupe_task_name(id, name);
    loupe_format(dst, cap, "%s", name);
}

bool loupe_thread_activity(uint64_t id, struct loupe_thread_activity *ret) {
    struct loupe_task task;
    if (!loupe_task_read(id, &task))
        return false;
    *ret = (struct loupe_thread_activity){.run_time = task.nanoseconds,
                                          .is_runnable = task.state == LOUPE_TASK_RUNS,
                                          .counts_waits = true,
                                          .waits = task.waits};
    return true;
}

/* ---- The list ---- */

struct listing {
    loupe_thread_visit visit;
    void *visitor;
    uint32_t count;
};

static enum loupe_status visit_other(void *visitor, uint64_t id) {
    struct listing *listing = visitor;
    struct loupe_process_thread about = {.id = id};
    return id == (uint64_t)loupe_kernel_process()
               ? LOUPE_OK
               : listing->visit(listing->visitor, listing->count++, &about);
}

/* The first thread has the number of the process. */
enum loupe_status loupe_threads_list(loupe_thread_visit visit, void *visitor) {
    struct listing listing = {.visit = visit, .visitor = visitor, .count = 1};
    struct loupe_process_thread first = {.id = (uint64_t)loupe_kernel_process()};
    enum loupe_status status = visit(visitor, 0, &first);
    return status ? status : loupe_entries_visit("/proc/self/task", visit_other, &listing);
}
