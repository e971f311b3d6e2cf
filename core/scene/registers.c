#include "scene/registers.h"

static const char *const x86_64_general[] = {"rax", "rbx", "rcx", "rdx", "rdi", "rsi", "rbp", "r8",
                                             "r9",  "r10", "r11", "r12", "r13", "r14", "r15", NULL};
static const char *const x86_64_stack_pointers[] = {"rsp", NULL};

static const char *const arm64_general[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",
                                            "x8",  "x9",  "x10", "x11", "x12", "x13", "x14", "x15",
                                            "x16", "x17", "x18", "x19", "x20", "x21", "x22", "x23",
                                            "x24", "x25", "x26", "x27", "x28", "fp",  "lr",  NULL};
static const char *const arm64_stack_pointers[] = {"sp", NULL};

/* Of 32 bits: Intel's and ARM's. */
static const char *const other_general[] = {"eax", "ebx", "ecx", "edx", "edi", "esi", "ebp",
                                            "r0",  "r1",  "r2",  "r3",  "r4",  "r5",  "r6",
                                            "r7",  "r8",  "r9",  "r10", "r11", "r12", NULL};
static const char *const other_stack_pointers[] = {"esp", "sp", NULL};

/* By enum loupe_arch. */
static const struct loupe_registers tables[] = {
    [LOUPE_ARCH_UNKNOWN] = {.general = other_general, .stack_pointers = other_stack_pointers},
    [LOUPE_ARCH_X86_64] = {.general = x86_64_general,
                           .stack_pointers = x86_64_stack_pointers,
                           .thread_pointer = "fs_base",
                           .variables_below = true},
    [LOUPE_ARCH_ARM64] = {.general = arm64_general,
                          .stack_pointers = arm64_stack_pointers,
                          .thread_pointer = "tpidr"},
    [LOUPE_ARCH_OTHER] = {.general = other_general, .stack_pointers = other_stack_pointers},
};

const struct loupe_registers *loupe_registers_of(const struct loupe_machine *machine) {
    return &tables[machine->arch];
}

uint64_t loupe_red_zone(const struct loupe_machine *machine) {
    return machine->pointer_size == 8 && !machine->no_red_zone ? LOUPE_RED_ZONE : 0;
}
