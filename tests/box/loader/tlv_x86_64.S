/* box_tlv_address(): the descriptor in rdi, the address in rax, all else as it was. */
#if defined(__x86_64__)
    .text
    .globl box_tlv_address
    .type box_tlv_address, @function
box_tlv_address:
    .cfi_startproc
    pushq %rbp
    .cfi_def_cfa_offset 16
    .cfi_offset %rbp, -16
    movq %rsp, %rbp
    .cfi_def_cfa_register %rbp
    subq $576, %rsp
    andq $-64, %rsp
    movq %rdi, 512(%rsp)
    movq %rsi, 520(%rsp)
    movq %rdx, 528(%rsp)
    movq %rcx, 536(%rsp)
    movq %r8, 544(%rsp)
    movq %r9, 552(%rsp)
    movq %r10, 560(%rsp)
    movq %r11, 568(%rsp)
    fxsave64 (%rsp)
    call box_tlv_find
    fxrstor64 (%rsp)
    movq 512(%rsp), %rdi
    movq 520(%rsp), %rsi
    movq 528(%rsp), %rdx
    movq 536(%rsp), %rcx
    movq 544(%rsp), %r8
    movq 552(%rsp), %r9
    movq 560(%rsp), %r10
    movq 568(%rsp), %r11
    leave
    .cfi_def_cfa %rsp, 8
    ret
    .cfi_endproc
    .size box_tlv_address, . - box_tlv_address
#endif
    .section .note.GNU-stack, "", %progbits
