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
    .private_extern _watch_thunks
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
#define VECTORS 80
#define FRAME (VECTORS + 512)

/* Eight vector registers of some size, by the instruction that moves one. */
.macro save_vectors move, name, size
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    \move %\name\number, VECTORS + \number * \size(%rsp)
    .endr
.endm
.macro restore_vectors move, name, size
    .irp number, 0, 1, 2, 3, 4, 5, 6, 7
    \move VECTORS + \number * \size(%rsp), %\name\number
    .endr
.endm

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
    save_vectors movups, xmm, 16
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
    restore_vectors movups, xmm, 16
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
    save_vectors vmovups, ymm, 64
    vzeroupper
    jmp LOCAL(call_c)
LOCAL(restore_256):
    restore_vectors vmovups, ymm, 64
    jmp LOCAL(jump)

LOCAL(save_512):
    save_vectors vmovups, zmm, 64
    vzeroupper
    jmp LOCAL(call_c)
LOCAL(restore_512):
    restore_vectors vmovups, zmm, 64
    jmp LOCAL(jump)
    .cfi_endproc
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
