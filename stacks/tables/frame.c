#include "tables/frame.h"

#include "base/text.h"

#include <string.h>

static const struct loupe_frame_machine x86_64 = {
    .pc = LOUPE_X86_64_PC,
    .sp = LOUPE_X86_64_SP,
    .fp = LOUPE_X86_64_BP,
    .link = UINT8_MAX,
    .preserved = 1u << LOUPE_X86_64_BX | 1u << LOUPE_X86_64_BP | 0xf000, /* r12 to r15 */
};

static const struct loupe_frame_machine arm64 = {
    .pc = LOUPE_ARM64_PC,
    .sp = LOUPE_ARM64_SP,
    .fp = LOUPE_ARM64_FP,
    .link = LOUPE_ARM64_LR,
    .preserved = 0x3ff80000, /* x19 to x29 */
};

const struct loupe_frame_machine *loupe_frame_machine_of(enum loupe_arch arch) {
    return arch == LOUPE_ARCH_X86_64 ? &x86_64 : arch == LOUPE_ARCH_ARM64 ? &arm64 : NULL;
}

/* ---- Names ---- */

struct register_name {
    const char *name;
    uint8_t number;
};

static const struct register_name names_x86_64[] = {{"rbx", LOUPE_X86_64_BX},
                                                    {"rbp", LOUPE_X86_64_BP},
                                                    {"rsp", LOUPE_X86_64_SP},
                                                    {"r12", 12},
                                                    {"r13", 13},
                                                    {"r14", 14},
                                                    {"r15", 15},
                                                    {"rip", LOUPE_X86_64_PC},
                                                    {"rax", 0},
                                                    {"rdx", 1},
                                                    {"rcx", 2},
                                                    {"rsi", 4},
                                                    {"rdi", 5},
                                                    {"r8", 8},
                                                    {"r9", 9},
                                                    {"r10", 10},
                                                    {"r11", 11}};
static const struct register_name names_arm64[] = {
    {"fp", LOUPE_ARM64_FP}, {"lr", LOUPE_ARM64_LR}, {"sp", LOUPE_ARM64_SP}, {"pc", LOUPE_ARM64_PC}};

int loupe_frame_register_named(enum loupe_arch arch, const char *name) {
    bool is_arm64 = arch == LOUPE_ARCH_ARM64;
    const struct register_name *names = is_arm64 ? names_arm64 : names_x86_64;
    size_t count = is_arm64 ? sizeof(names_arm64) / sizeof(names_arm64[0])
                            : sizeof(names_x86_64) / sizeof(names_x86_64[0]);
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i].name, name) == 0)
            return names[i].number;
    uint64_t number = 0;
    const char *digits = name + 1, *end = name + strlen(name);
    if (is_arm64 && name[0] == 'x' && loupe_parse_decimal(&digits, end, LOUPE_ARM64_LR, &number) &&
        digits == end)
        return (int)number;
    return -1;
}
