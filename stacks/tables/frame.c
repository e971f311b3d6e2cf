#include "tables/frame.h"

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
