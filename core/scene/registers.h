/*
 * registers.h - which registers of a thread can hold a reference, and which lead to its memory, by
 * the names that LLDB has for them.
 */
#ifndef LOUPE_REGISTERS_H
#define LOUPE_REGISTERS_H

#include "base/target/memory.h"

struct loupe_registers {
    const char *const *general;        /* ends in NULL; two names may be one register's */
    const char *const *stack_pointers; /* ends in NULL: the first that there is */
    /* NULL where the system has none: what leads to the variables that a thread has of its own. */
    const char *thread_pointer;
    /* Those of the modules stand below the thread pointer, and what the C library keeps of the
     * thread above it; else the other way round. */
    bool variables_below;
};

/* Static storage. */
const struct loupe_registers *loupe_registers_of(const struct loupe_machine *machine);

/* Bytes below a stack pointer that a function may use which calls no other. */
uint64_t loupe_red_zone(const struct loupe_machine *machine);

#endif
