/*
 * registers.h - the registers of a stopped thread, as a system writes them down, by the names that
 * LLDB has for them.
 */
#ifndef LOUPE_READERS_REGISTERS_H
#define LOUPE_READERS_REGISTERS_H

#include "base/target/memory.h"

enum loupe_register_layout {
    LOUPE_REGISTERS_UNKNOWN,
    LOUPE_REGISTERS_LINUX_X86_64, /* user_regs_struct: of NT_PRSTATUS, of ptrace() */
    LOUPE_REGISTERS_LINUX_ARM64,
    LOUPE_REGISTERS_LINUX_I386,
    LOUPE_REGISTERS_LINUX_ARM,
    LOUPE_REGISTERS_DARWIN_X86_64, /* x86_THREAD_STATE64 */
    LOUPE_REGISTERS_DARWIN_ARM64   /* ARM_THREAD_STATE64 */
};

enum { LOUPE_REGISTERS_SIZE = 280 /* of the largest layout, in bytes */ };

struct loupe_thread_registers {
    enum loupe_register_layout layout;
    uint8_t bytes[LOUPE_REGISTERS_SIZE];
    uint16_t size;           /* of those that are there */
    bool has_thread_pointer; /* where it is no part of the layout */
    uint64_t thread_pointer;
};

/* Keeps what is there of the bytes of a layout. */
void loupe_registers_take(struct loupe_thread_registers *registers,
                          enum loupe_register_layout layout, const uint8_t *bytes, uint64_t size);
/* False: there is no register of that name, or it was not written down. */
bool loupe_registers_find(const struct loupe_thread_registers *registers, const char *name,
                          uint64_t *ret);

#endif
