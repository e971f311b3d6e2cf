/*
 * trampoline_arm64.S - one thunk for each method that is intercepted, and what they share.
 *
 * A thunk says its number in w17, which belongs to nobody at a call. Arguments come in x0 to x7, the
 * address of a result in x8, and in q0 to q7. x18 is the system's, x19 and later are the caller's, and
 * Swift's.
 */
#if defined(__aarch64__) || defined(__arm64__)
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
    .hidden watch_intercepted
#endif

    .p2align 4
    .globl NAME(watch_thunks)
NAME(watch_thunks):
    .set number, 0
    .rept WATCH_THUNK_COUNT
    .p2align 4
    hint #34 /* bti c */
    mov w17, #number
    b LOCAL(shared)
    .set number, number + 1
    .endr

#define FRAME (96 + 128)

/* x16: the slot, which is 16 bytes. Stays in the frame over the call. */
    .p2align 4
LOCAL(shared):
    .cfi_startproc
#ifdef __APPLE__
    adrp x16, NAME(watch_slots)@PAGE
    add x16, x16, NAME(watch_slots)@PAGEOFF
#else
    adrp x16, watch_slots
    add x16, x16, :lo12:watch_slots
#endif
    add x16, x16, x17, lsl #4
    ldrb w15, [x16, #WATCH_SLOT_IS_ACTIVE]
    cbz w15, LOCAL(pass)
    stp x29, x30, [sp, #-16]!
    .cfi_def_cfa_offset 16
    .cfi_offset x29, -16
    .cfi_offset x30, -8
    mov x29, sp
    .cfi_def_cfa x29, 16
    sub sp, sp, #FRAME
    stp x0, x1, [sp, #0]
    stp x2, x3, [sp, #16]
    stp x4, x5, [sp, #32]
    stp x6, x7, [sp, #48]
    stp x8, x16, [sp, #64]
    stp q0, q1, [sp, #96]
    stp q2, q3, [sp, #128]
    stp q4, q5, [sp, #160]
    stp q6, q7, [sp, #192]
    mov x0, sp
    mov x1, x17
    bl NAME(watch_intercepted)
    ldp q0, q1, [sp, #96]
    ldp q2, q3, [sp, #128]
    ldp q4, q5, [sp, #160]
    ldp q6, q7, [sp, #192]
    ldp x0, x1, [sp, #0]
    ldp x2, x3, [sp, #16]
    ldp x4, x5, [sp, #32]
    ldp x6, x7, [sp, #48]
    ldp x8, x16, [sp, #64]
    mov sp, x29
    .cfi_def_cfa sp, 16
    ldp x29, x30, [sp], #16
    .cfi_def_cfa_offset 0
    .cfi_restore x29
    .cfi_restore x30
LOCAL(pass):
    ldr x16, [x16]
#if defined(__arm64e__)
    braaz x16
#else
    br x16
#endif
    .cfi_endproc
#endif

#ifdef __ELF__
    .section .note.GNU-stack, "", %progbits
#endif
