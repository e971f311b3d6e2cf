/*
 * raw.h - reading memory as a stranger does: by address and offset, without the structures of the
 * runtime. The offsets in the checks are those of Apple's ABI, written out as numbers on purpose.
 */
#ifndef LOUPE_CHECKS_RAW_H
#define LOUPE_CHECKS_RAW_H

#import <Foundation/Foundation.h>
#include <loupe_test_runtime.h>
#include <string.h>

#include "../../support/check.h"

#if __has_feature(objc_arc)
#define ADDRESS(object) ((const char *)(__bridge const void *)(object))
#else
#define ADDRESS(object) ((const char *)(const void *)(object))
#endif

static inline uint64_t u64_at(const void *address, size_t offset) {
    uint64_t value;
    memcpy(&value, (const char *)address + offset, sizeof value);
    return value;
}

static inline uint32_t u32_at(const void *address, size_t offset) {
    uint32_t value;
    memcpy(&value, (const char *)address + offset, sizeof value);
    return value;
}

static inline const char *pointer_at(const void *address, size_t offset) {
    return (const char *)u64_at(address, offset);
}

/* The fields of an isa word. */
#if defined(__x86_64__)
#define CLASS_MASK 0x00007ffffffffff8UL
#define MAGIC_MASK 0x001f800000000001UL
#define MAGIC_VALUE 0x001d800000000001UL
#define HAS_CXX_DTOR (1UL << 2)
#define WEAKLY_REFERENCED (1UL << 53)
#else
#define CLASS_MASK 0x0000fffffffffff8UL
#define MAGIC_MASK 1UL
#define MAGIC_VALUE 1UL
#define HAS_CXX_DTOR 0UL
#define WEAKLY_REFERENCED (1UL << 2)
#endif
#define HAS_ASSOC (1UL << 1)
#define HAS_SIDETABLE_RC (1UL << 55)
#define EXTRA_RC(isa) ((isa) >> 56)

/* class_ro of a class, realized or not. */
static inline const char *ro_of(Class cls) {
    const char *data = (const char *)(u64_at((void *)ADDRESS(cls), 32) & CLASS_MASK);
    if (!(u32_at(data, 0) & 1U << 31))
        return data;
    uint64_t ro_or_ext = u64_at(data, 8);
    return ro_or_ext & 1 ? pointer_at((void *)(ro_or_ext & ~1UL), 0) : (const char *)ro_or_ext;
}

#endif
