#include "memory/machine.h"

#include "memory/regions.h"

const struct loupe_machine loupe_own_machine = {
    .pointer_size = sizeof(void *),
#if defined(__x86_64__)
    .arch = LOUPE_ARCH_X86_64,
#elif defined(__aarch64__)
    .arch = LOUPE_ARCH_ARM64,
#if !defined(__APPLE__)
    .no_red_zone = true,
#endif
#else
    .arch = LOUPE_ARCH_OTHER,
#endif
};

enum loupe_status loupe_own_read(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx;
    return loupe_regions_copy(addr, dst, len);
}

#if defined(__aarch64__)
/* XPACLRI, a hint that every processor knows, removes a signature from the link register; the
 * mask removes the tag byte of a data address, by which Swift marks asynchronous frames, too. */
loupe_addr loupe_own_strip(void *ctx, loupe_addr addr) {
    (void)ctx;
    register uint64_t link __asm__("x30") = addr;
    __asm__("hint #7" : "+r"(link));
    return link & UINT64_C(0x00ffffffffffffff);
}
#endif
