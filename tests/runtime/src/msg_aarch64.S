/*
 * msg_aarch64.S - objc_msgSend and its variants for AAPCS64. See msg_x86_64.S; there is no variant
 * for results in memory, their address travels in x8.
 */
#if defined(__aarch64__)

/* Saved: x29 x30, x0-x8 (x8 twice, for the alignment), q0-q7. The address of x0 is sp + 16. */
.macro SAVE_ARGUMENTS
    stp x29, x30, [sp, #-224]!
    .cfi_def_cfa_offset 224
    .cfi_offset x29, -224
    .cfi_offset x30, -216
    mov x29, sp
    stp x0, x1, [sp, #16]
    stp x2, x3, [sp, #32]
    stp x4, x5, [sp, #48]
    stp x6, x7, [sp, #64]
    stp x8, x8, [sp, #80]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
.endm

.macro RESTORE_ARGUMENTS_AND_JUMP
    mov x16, x0
    ldp x0, x1, [sp, #16]
    ldp x2, x3, [sp, #32]
    ldp x4, x5, [sp, #48]
    ldp x6, x7, [sp, #64]
    ldr x8, [sp, #80]
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x29, x30, [sp], #224
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
    br x16
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
    .type \name, %function
    .p2align 4
\name:
    .cfi_startproc
.endm

.macro END_ENTRY name
    .cfi_endproc
    .size \name, . - \name
.endm
#endif

    .text

ENTRY objc_msgSend
    cbz x0, 1f
    SAVE_ARGUMENTS
    add x0, sp, #16
    bl LINKED(rt_message_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
1:  mov x1, #0
    movi d0, #0
    movi d1, #0
    movi d2, #0
    movi d3, #0
    ret
END_ENTRY objc_msgSend

ENTRY objc_msgSendSuper
    SAVE_ARGUMENTS
    mov x2, x1
    ldp x0, x1, [x0]
    str x0, [sp, #16]
    bl LINKED(rt_message_super_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
END_ENTRY objc_msgSendSuper

ENTRY objc_msgSendSuper2
    SAVE_ARGUMENTS
    mov x2, x1
    ldp x0, x1, [x0]
    str x0, [sp, #16]
    ldr x1, [x1, #8]
    bl LINKED(rt_message_super_lookup)
    RESTORE_ARGUMENTS_AND_JUMP
END_ENTRY objc_msgSendSuper2

#endif
#if defined(__ELF__)
    .section .note.GNU-stack, "", %progbits
#endif
