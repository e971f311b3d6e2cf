/*
 * machine.h - the machine that this process runs on, as readers of its own memory need it.
 */
#ifndef LOUPE_HELPER_MACHINE_H
#define LOUPE_HELPER_MACHINE_H

#include "base/target/memory.h"

extern const struct loupe_machine loupe_own_machine;

/* For struct loupe_reader_ops, without a ctx: a copy that never faults, and on arm64 an address
 * without the signature and the tag of a pointer. */
enum loupe_status loupe_own_read(void *ctx, loupe_addr addr, void *dst, size_t len);
#if defined(__aarch64__)
loupe_addr loupe_own_strip(void *ctx, loupe_addr addr);
#endif

#endif
