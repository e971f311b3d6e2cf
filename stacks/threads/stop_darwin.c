/* A thread is held still by Mach. */
#include "threads/stop.h"

#include "threads/registers_darwin.h"

#include <mach/mach.h>
#include <stdatomic.h>

static _Atomic(bool) is_under_way;
static thread_act_t held;
static thread_act_array_t threads;
static mach_msg_type_number_t thread_count;

/* Threads are found by their ports, which are given back when all have been let go: deallocating
 * takes locks of the kernel's map that a stopped thread may have asked for. */
bool loupe_stops_begin(void) {
    if (atomic_exchange(&is_under_way, true))
        return false;
    if (task_threads(mach_task_self(), &threads, &thread_count) == KERN_SUCCESS)
        return true;
    atomic_store(&is_under_way, false);
    return false;
}

void loupe_stops_end(void) {
    for (mach_msg_type_number_t i = 0; i < thread_count; i++)
        mach_port_deallocate(mach_task_self(), threads[i]);
    vm_deallocate(mach_task_self(), (vm_address_t)threads, thread_count * sizeof(*threads));
    atomic_store(&is_under_way, false);
}

static bool has_id(thread_act_t thread, uint64_t id) {
    thread_identifier_info_data_t info;
    mach_msg_type_number_t count = THREAD_IDENTIFIER_INFO_COUNT;
    return thread_info(thread, THREAD_IDENTIFIER_INFO, (thread_info_t)&info, &count) ==
               KERN_SUCCESS &&
           info.thread_id == id;
}

enum loupe_stop loupe_thread_stop(uint64_t id, struct loupe_frame *ret) {
    mach_msg_type_number_t i = 0;
    while (i < thread_count && !has_id(threads[i], id))
        i++;
    if (i == thread_count || thread_suspend(threads[i]) != KERN_SUCCESS)
        return LOUPE_STOP_GONE;
    held = threads[i];
    if (loupe_mach_registers(held, ret))
        return LOUPE_STOP_HELD;
    thread_resume(held);
    return LOUPE_STOP_REFUSED;
}

bool loupe_thread_let_go(void) {
    return thread_resume(held) == KERN_SUCCESS;
}

/* Registers are always told. */
bool loupe_thread_waiting_at(uint64_t id, struct loupe_frame *ret, uint64_t *wait_ret) {
    (void)id;
    (void)ret;
    (void)wait_ret;
    return false;
}
