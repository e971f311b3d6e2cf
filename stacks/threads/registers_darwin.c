/* Registers of a thread of Darwin, in the order of DWARF. */
#include "threads/registers_darwin.h"

#include <mach/mach.h>

bool loupe_mach_registers(uint32_t port, struct loupe_frame *ret) {
    ret->known = 0;
    ret->is_interrupted = true;
#if defined(__aarch64__)
    arm_thread_state64_t state;
    mach_msg_type_number_t count = ARM_THREAD_STATE64_COUNT;
    if (thread_get_state(port, ARM_THREAD_STATE64, (thread_state_t)&state, &count))
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
    if (thread_get_state(port, x86_THREAD_STATE64, (thread_state_t)&state, &count))
        return false;
    const uint64_t values[] = {state.__rax, state.__rdx, state.__rcx, state.__rbx, state.__rsi,
                               state.__rdi, state.__rbp, state.__rsp, state.__r8,  state.__r9,
                               state.__r10, state.__r11, state.__r12, state.__r13, state.__r14,
                               state.__r15, state.__rip};
    for (unsigned i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        loupe_frame_set(ret, i, values[i]);
    return true;
#else
    (void)port;
    return false;
#endif
}
