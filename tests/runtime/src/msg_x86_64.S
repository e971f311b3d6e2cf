/*
 * msg_x86_64.S - objc_msgSend and its variants for the System V calling convention.
 *
 * Each saves every argument register, calls C for the implementation (message.c), restores them and
 * jumps: the method sees the caller's frame as if it had been called directly. A message to nil
 * answers zero in every register a result can come in.
 */
#if defined(__x86_64__)

/* Saved: rdi rsi rdx rcx r8 r9 rax (the number of vector registers of a variadic call), r10 (a
 * static chain, never used by Objective-C, keeps the frame aligned), xmm0-7. */
#define RDI 0(%rsp)
#define RSI 8(%rsp)
#define RDX 16(%rsp)
#define FRAME_SIZE 192

.macro SAVE_ARGUMENTS
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    leaq -FRAME_SIZE(%rbp), %rsp
    movq %rdi, 0(%rsp)
    movq %rsi, 8(%rsp)
    movq %rdx, 16(%rsp)
    movq %rcx, 24(%rsp)
    movq %r8, 32(%rsp)
    movq %r9, 40(%rsp)
    movq %rax, 48(%rsp)
    movq %r10, 56(%rsp)
    movaps %xmm0, 64(%rsp)
    movaps %xmm1, 80(%rsp)
    movaps %xmm2, 96(%rsp)
    movaps %xmm3, 112(%rsp)
    movaps %xmm4, 128(%rsp)
    movaps %xmm5, 144(%rsp)
    movaps %xmm6, 160(%rsp)
    movaps %xmm7, 176(%rsp)
.endm

.macro RESTORE_ARGUMENTS_AND_JUMP
    movq %rax, %r11
    movq 0(%rsp), %rdi
    movq 8(%rsp), %rsi
    movq 16(%rsp), %rdx
    movq 24(%rsp), %rcx
    movq 32(%rsp), %r8
    movq 40(%rsp), %r9
    movq 48(%rsp), %rax
    movq 56(%rsp), %r10
    movaps 64(%rsp), %xmm0
    movaps 80(%rsp), %xmm1
    movaps 96(%rsp), %xmm2
    movaps 112(%rsp), %xmm3
    movaps 128(%rsp), %xmm4
    movaps 144(%rsp), %xmm5
    movaps 160(%rsp), %xmm6
    movaps 176(%rsp), %xmm7
    leave
    .cfi_def_cfa %rsp, 8
    jmp *%r11
.endm

#if defined(__APPLE__)
#define LINKED(name) _##name

.macro ENTRY name
    .globl _\name
    .p2align 4
_\name:
    .cfi_startproc
.endm

.macro END_ENTRY name
    .cfi_endproc
.endm
#else
#define LINKED(name) name

.macro ENTRY name
    .globl \name
    .type \name, @function
    .p2align 4
\name:
    .cfi_startproc
.endm

.macro END_ENTRY name
    .cfi_endproc
    .size \name, . - \name
.endm
#endif

/* A message whose receiver is the first argument. */
.macro SEND name
    SAVE_ARGUMENTS
    leaq RDI, %rdi
    call LINKED(rt_message_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
.endm

/* A message whose result goes to memory: its address comes first, the receiver second. */
.macro SEND_STRET name
    SAVE_ARGUMENTS
    leaq RSI, %rdi
    movq RDX, %rsi
    call LINKED(rt_message_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
.endm

/* A message to super: the argument is a struct objc_super, replaced by the receiver. It holds the
 * class to search, or with "current" the class whose superclass to search. */
.macro SEND_SUPER current
    SAVE_ARGUMENTS
    movq %rsi, %rdx
    movq 8(%rdi), %rsi
    movq 0(%rdi), %rdi
    movq %rdi, RDI
.if \current
    movq 8(%rsi), %rsi
.endif
    call LINKED(rt_message_super_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
.endm

.macro SEND_SUPER_STRET current
    SAVE_ARGUMENTS
    movq 0(%rsi), %rdi
    movq 8(%rsi), %rsi
    movq %rdi, RSI
.if \current
    movq 8(%rsi), %rsi
.endif
    call LINKED(rt_message_super_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
.endm

    .text

ENTRY objc_msgSend
    testq %rdi, %rdi
    je 1f
    SEND
1:  xorl %eax, %eax
    xorl %edx, %edx
    xorps %xmm0, %xmm0
    xorps %xmm1, %xmm1
    ret
END_ENTRY objc_msgSend

/* The result is a long double on the floating-point stack. */
ENTRY objc_msgSend_fpret
    testq %rdi, %rdi
    je 1f
    SEND
1:  fldz
    ret
END_ENTRY objc_msgSend_fpret

ENTRY objc_msgSend_fp2ret
    testq %rdi, %rdi
    je 1f
    SEND
1:  fldz
    fldz
    ret
END_ENTRY objc_msgSend_fp2ret

/* The memory of the result is left alone for nil; the compiler clears it where that matters. */
ENTRY objc_msgSend_stret
    testq %rsi, %rsi
    je 1f
    SEND_STRET
1:  movq %rdi, %rax
    ret
END_ENTRY objc_msgSend_stret

ENTRY objc_msgSendSuper
    SEND_SUPER 0
END_ENTRY objc_msgSendSuper

ENTRY objc_msgSendSuper2
    SEND_SUPER 1
END_ENTRY objc_msgSendSuper2

ENTRY objc_msgSendSuper_stret
    SEND_SUPER_STRET 0
END_ENTRY objc_msgSendSuper_stret

ENTRY objc_msgSendSuper2_stret
    SEND_SUPER_STRET 1
END_ENTRY objc_msgSendSuper2_stret

#endif
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
