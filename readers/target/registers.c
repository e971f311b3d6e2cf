#include "target/registers.h"

#include "image/format.h"

#include <string.h>

/* The names of the words of a layout in their order; "" for one that nobody asks for. */
static const char *const linux_x86_64[] = {
    "r15", "r14", "r13", "r12", "rbp", "rbx", "r11", "r10", "r9", "r8",      "rax",     "rcx",
    "rdx", "rsi", "rdi", "",    "rip", "",    "",    "rsp", "",   "fs_base", "gs_base", NULL};
static const char *const linux_i386[] = {"ebx", "ecx", "edx", "esi", "edi", "ebp", "eax", "",  "",
                                         "",    "",    "",    "eip", "",    "",    "esp", NULL};
static const char *const linux_arm[] = {"r0", "r1",  "r2",  "r3",  "r4", "r5", "r6", "r7", "r8",
                                        "r9", "r10", "r11", "r12", "sp", "lr", "pc", NULL};
static const char *const arm64[] = {"x0",  "x1",  "x2",  "x3",  "x4",  "x5",  "x6",  "x7",  "x8",
                                    "x9",  "x10", "x11", "x12", "x13", "x14", "x15", "x16", "x17",
                                    "x18", "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
                                    "x27", "x28", "fp",  "lr",  "sp",  "pc",  NULL};
static const char *const darwin_x86_64[] = {"rax", "rbx", "rcx", "rdx", "rdi", "rsi",
                                            "rbp", "rsp", "r8",  "r9",  "r10", "r11",
                                            "r12", "r13", "r14", "r15", "rip", NULL};

static const struct {
    const char *const *names;
    uint8_t word;               /* bytes */
    const char *thread_pointer; /* that stands elsewhere; NULL: none */
} layouts[] = {
    [LOUPE_REGISTERS_UNKNOWN] = {.names = NULL},
    [LOUPE_REGISTERS_LINUX_X86_64] = {.names = linux_x86_64, .word = 8},
    [LOUPE_REGISTERS_LINUX_ARM64] = {.names = arm64, .word = 8, .thread_pointer = "tpidr"},
    [LOUPE_REGISTERS_LINUX_I386] = {.names = linux_i386, .word = 4},
    [LOUPE_REGISTERS_LINUX_ARM] = {.names = linux_arm, .word = 4},
    [LOUPE_REGISTERS_DARWIN_X86_64] = {.names = darwin_x86_64, .word = 8},
    [LOUPE_REGISTERS_DARWIN_ARM64] = {.names = arm64, .word = 8},
};

void loupe_registers_take(struct loupe_thread_registers *registers,
                          enum loupe_register_layout layout, const uint8_t *bytes, uint64_t size) {
    registers->layout = layout;
    registers->size = size < LOUPE_REGISTERS_SIZE ? (uint16_t)size : LOUPE_REGISTERS_SIZE;
    memcpy(registers->bytes, bytes, registers->size);
}

bool loupe_registers_find(const struct loupe_thread_registers *registers, const char *name,
                          uint64_t *ret) {
    const char *const *names = layouts[registers->layout].names;
    unsigned word = layouts[registers->layout].word;
    const char *thread_pointer = layouts[registers->layout].thread_pointer;
    if (thread_pointer && registers->has_thread_pointer && strcmp(name, thread_pointer) == 0) {
        *ret = registers->thread_pointer;
        return true;
    }
    for (unsigned i = 0; names && *name && names[i] && (i + 1) * word <= registers->size; i++) {
        if (strcmp(names[i], name) == 0) {
            *ret = loupe_number_at(registers->bytes, i * word, word);
            return true;
        }
    }
    return false;
}
