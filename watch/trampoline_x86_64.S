/*
 * trampoline_x86_64.S - one thunk for each method that is intercepted, and what they share.
 *
 * A thunk says its number in r11, which no calling convention passes anything in. Arguments come in rdi
 * rsi rdx rcx r8 r9, rax (vector registers of a variadic call), r10 (a static chain), and in the vector
 * registers 0 to 7: 128 bits of them, or 256 or 512 if such are in use, which the processor says. r12
 * to r15 belong to the caller, r13 and r14 also where Swift passes something in them.
 */
#if defined(__x86_64__)
#include "trampoline.h"

#ifdef __APPLE__
#define NAME(name) _##name
#define LOCAL(name) L##name
    .text
#else
#define NAME(name) name
#define LOCAL(name) .L##name
    .text
    .hidden watch_thunks
    .hidden watch_slots
    .hidden watch_wide_vectors
    .hidden watch_intercepted
#endif

    .p2align 4
    .globl NAME(watch_thunks)
NAME(watch_thunks):
    .set number, 0
    .rept WATCH_THUNK_COUNT
    .p2align 4
    endbr64
    movl $(number), %r11d
    jmp LOCAL(shared)
    .set number, number + 1
    .endr

/* Integers at 0, vectors behind them: 8 of 64 bytes at most. */
#define FRAME (80 + 512)

    .p2align 4
LOCAL(shared):
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    pushq %rax
    leaq NAME(watch_slots)(%rip), %rax
    shlq $4, %r11
    cmpb $0, WATCH_SLOT_IS_ACTIVE(%rax, %r11)
    je LOCAL(pass)
    addq $8, %rsp
    subq $FRAME, %rsp
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq -8(%rbp), %rax
    movq %rax, 48(%rsp)
    movq %r10, 56(%rsp)
    movq %r11, 64(%rsp)

    /* Which parts of the vector registers are in use: bit 2 the upper halves, 5 to 7 those of 512. */
    xorl %eax, %eax
    movl NAME(watch_wide_vectors)(%rip), %ecx
    testl %ecx, %ecx
    je 1f
    subl $1, %ecx
    xgetbv
1:  movl %eax, 72(%rsp)
    testl $0xe0, %eax
    jne LOCAL(save_512)
    testl $4, %eax
    jne LOCAL(save_256)
    movups %xmm0, 80(%rsp)
    movups %xmm1, 96(%rsp)
    movups %xmm2, 112(%rsp)
    movups %xmm3, 128(%rsp)
    movups %xmm4, 144(%rsp)
    movups %xmm5, 160(%rsp)
    movups %xmm6, 176(%rsp)
    movups %xmm7, 192(%rsp)
LOCAL(call_c):
    movq %rsp, %rdi
    movq 64(%rsp), %rsi
    shrq $4, %rsi
    call NAME(watch_intercepted)
    movl 72(%rsp), %eax
    testl $0xe0, %eax
    jne LOCAL(restore_512)
    testl $4, %eax
    jne LOCAL(restore_256)
    movups 80(%rsp), %xmm0
    movups 96(%rsp), %xmm1
    movups 112(%rsp), %xmm2
    movups 128(%rsp), %xmm3
    movups 144(%rsp), %xmm4
    movups 160(%rsp), %xmm5
    movups 176(%rsp), %xmm6
    movups 192(%rsp), %xmm7
LOCAL(jump):
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 56(%rsp), %r10
    leaq NAME(watch_slots)(%rip), %rax
    movq 64(%rsp), %r11
    movq (%rax, %r11), %r11
    movq 48(%rsp), %rax
    .cfi_remember_state
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    jmp *%r11
    .cfi_restore_state

/* Nobody wants to know. */
LOCAL(pass):
    movq (%rax, %r11), %r11
    popq %rax
    .cfi_remember_state
    leave
    .cfi_def_cfa %rsp, 8
    .cfi_restore %rbp
    jmp *%r11
    .cfi_restore_state

LOCAL(save_256):
    vmovups %ymm0, 80(%rsp)
    vmovups %ymm1, 144(%rsp)
    vmovups %ymm2, 208(%rsp)
    vmovups %ymm3, 272(%rsp)
    vmovups %ymm4, 336(%rsp)
    vmovups %ymm5, 400(%rsp)
    vmovups %ymm6, 464(%rsp)
    vmovups %ymm7, 528(%rsp)
    vzeroupper
    jmp LOCAL(call_c)
LOCAL(restore_256):
    vmovups 80(%rsp), %ymm0
    vmovups 144(%rsp), %ymm1
    vmovups 208(%rsp), %ymm2
    vmovups 272(%rsp), %ymm3
    vmovups 336(%rsp), %ymm4
    vmovups 400(%rsp), %ymm5
    vmovups 464(%rsp), %ymm6
    vmovups 528(%rsp), %ymm7
    jmp LOCAL(jump)

LOCAL(save_512):
    vmovups %zmm0, 80(%rsp)
    vmovups %zmm1, 144(%rsp)
    vmovups %zmm2, 208(%rsp)
    vmovups %zmm3, 272(%rsp)
    vmovups %zmm4, 336(%rsp)
    vmovups %zmm5, 400(%rsp)
    vmovups %zmm6, 464(%rsp)
    vmovups %zmm7, 528(%rsp)
    vzeroupper
    jmp LOCAL(call_c)
LOCAL(restore_512):
    vmovups 80(%rsp), %zmm0
    vmovups 144(%rsp), %zmm1
    vmovups 208(%rsp), %zmm2
    vmovups 272(%rsp), %zmm3
    vmovups 336(%rsp), %zmm4
    vmovups 400(%rsp), %zmm5
    vmovups 464(%rsp), %zmm6
    vmovups 528(%rsp), %zmm7
    jmp LOCAL(jump)
    .cfi_endproc
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
