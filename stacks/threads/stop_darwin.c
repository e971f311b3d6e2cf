#include "threads/stop.h"

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

static bool read_registers(thread_act_t thread, struct loupe_frame *ret) {
    ret->known = 0;
    ret->is_interrupted = true;
#if defined(__aarch64__)
    arm_thread_state64_t state;
    mach_msg_type_number_t count = ARM_THREAD_STATE64_COUNT;
    if (thread_get_state(thread, ARM_THREAD_STATE64, (thread_state_t)&state, &count))
        return false;
    for (unsigned i = 0; i < sizeof(state.__x) / sizeof(state.__x[0]); i++)
        loupe_frame_set(ret, i, state.__x[i]);
    loupe_frame_set(ret, LOUPE_ARM64_FP, (uint64_t)arm_thread_state64_get_fp(state));
    loupe_frame_set(ret, LOUPE_ARM64_LR, (uint64_t)arm_thread_state64_get_lr(state));
    loupe_frame_set(ret, LOUPE_ARM64_SP, (uint64_t)arm_thread_state64_get_sp(state));
    loupe_frame_set(ret, LOUPE_ARM64_PC, (uint64_t)arm_thread_state64_get_pc(state));
    return true;
#elif defined(__x86_64__)
    x86_thread_state64_t state;
    mach_msg_type_number_t count = x86_THREAD_STATE64_COUNT;
    if (thread_get_state(thread, x86_THREAD_STATE64, (thread_state_t)&state, &count))
        return false;
    const uint64_t values[] = {state.__rax, state.__rdx, state.__rcx, state.__rbx, state.__rsi,
                               state.__rdi, state.__rbp, state.__rsp, state.__r8,  state.__r9,
                               state.__r10, state.__r11, state.__r12, state.__r13, state.__r14,
                               state.__r15, state.__rip};
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        loupe_frame_set(ret, i, values[i]);
    return true;
#else
    (void)thread;
    return false;
#endif
}

enum loupe_stop loupe_thread_stop(uint64_t id, struct loupe_frame *ret) {
    mach_msg_type_number_t i = 0;
    while (i < thread_count && !has_id(threads[i], id))
        i++;
    if (i == thread_count || thread_suspend(threads[i]) != KERN_SUCCESS)
        return LOUPE_STOP_GONE;
    held = threads[i];
    if (read_registers(held, ret))
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
