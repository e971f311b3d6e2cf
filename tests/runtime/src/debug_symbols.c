/*
 * debug_symbols.c - constants that Apple's runtime exports for debuggers (objc-gdb.h), and the
 * tables of tagged pointer classes.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define EXPORT(type, name, value)                                                                  \
    OBJC_EXTERN type name;                                                                         \
    type name = value

EXPORT(const uint32_t, objc_class_abi_version, 1);
EXPORT(const uintptr_t, objc_debug_isa_class_mask, ISA_CLASS_MASK);
EXPORT(const uintptr_t, objc_debug_isa_magic_mask, ISA_MAGIC_MASK);
EXPORT(const uintptr_t, objc_debug_isa_magic_value, ISA_MAGIC_VALUE);
EXPORT(const uintptr_t, objc_debug_class_rw_data_mask, CLASS_DATA_MASK);
EXPORT(const uintptr_t, objc_debug_swift_stable_abi_bit, 1UL << 1);

#if defined(__x86_64__)
#define TAG_MASK               1UL
#define TAG_SLOT_MASK          0xfUL
#define TAG_PAYLOAD_LSHIFT     0
#define TAG_PAYLOAD_RSHIFT     4
#define TAG_EXT_MASK           0xfUL
#define TAG_EXT_SLOT_SHIFT     4
#define TAG_EXT_PAYLOAD_LSHIFT 0
#define TAG_SLOT(tag)          ((uintptr_t)(tag) << 1 | 1)
#define TAG_PAYLOAD_POSITION   4
#define TAG_SPLIT_BITS         0UL
#else
#define TAG_MASK               (1UL << 63)
#define TAG_SLOT_MASK          7UL
#define TAG_PAYLOAD_LSHIFT     1
#define TAG_PAYLOAD_RSHIFT     4
#define TAG_EXT_MASK           (1UL << 63 | 7UL)
#define TAG_EXT_SLOT_SHIFT     55
#define TAG_EXT_PAYLOAD_LSHIFT 9
#define TAG_SLOT(tag)          ((uintptr_t)(tag))
#define TAG_PAYLOAD_POSITION   3
#define TAG_SPLIT_BITS         TAG_EXT_MASK
#endif

EXPORT(uintptr_t, objc_debug_taggedpointer_mask, TAG_MASK);
EXPORT(uintptr_t, objc_debug_taggedpointer_obfuscator, 0);
EXPORT(unsigned, objc_debug_taggedpointer_slot_shift, 0);
EXPORT(uintptr_t, objc_debug_taggedpointer_slot_mask, TAG_SLOT_MASK);
EXPORT(unsigned, objc_debug_taggedpointer_payload_lshift, TAG_PAYLOAD_LSHIFT);
EXPORT(unsigned, objc_debug_taggedpointer_payload_rshift, TAG_PAYLOAD_RSHIFT);
EXPORT(uintptr_t, objc_debug_taggedpointer_ext_mask, TAG_EXT_MASK);
EXPORT(unsigned, objc_debug_taggedpointer_ext_slot_shift, TAG_EXT_SLOT_SHIFT);
EXPORT(uintptr_t, objc_debug_taggedpointer_ext_slot_mask, 0xff);
EXPORT(unsigned, objc_debug_taggedpointer_ext_payload_lshift, TAG_EXT_PAYLOAD_LSHIFT);
EXPORT(unsigned, objc_debug_taggedpointer_ext_payload_rshift, 12);

OBJC_EXTERN Class objc_debug_taggedpointer_classes[16];
OBJC_EXTERN Class objc_debug_taggedpointer_ext_classes[256];
OBJC_EXTERN uint8_t objc_debug_tag60_permutations[8];
Class objc_debug_taggedpointer_classes[16];
Class objc_debug_taggedpointer_ext_classes[256];
uint8_t objc_debug_tag60_permutations[8] = {0, 1, 2, 3, 4, 5, 6, 7};

/* Random for each process, unless its environment wants none. What tells tagged pointers stays. */
__attribute__((constructor)) static void choose_obfuscator(void) {
    const char *disabled = getenv("OBJC_DISABLE_TAG_OBFUSCATION");
    uintptr_t random;
    if ((disabled && strcmp(disabled, "YES") == 0) || getentropy(&random, sizeof random) != 0)
        return;
    objc_debug_taggedpointer_obfuscator = random & ~(TAG_MASK | TAG_SPLIT_BITS);
}

static uintptr_t without_obfuscation(const void *object) {
    return (uintptr_t)object ^ objc_debug_taggedpointer_obfuscator;
}

Class rt_tagged_class(const void *object) {
    uintptr_t word = without_obfuscation(object);
    if ((word & TAG_EXT_MASK) == TAG_EXT_MASK)
        return objc_debug_taggedpointer_ext_classes[word >> TAG_EXT_SLOT_SHIFT & 0xff];
    return objc_debug_taggedpointer_classes[word & TAG_SLOT_MASK];
}

void _objc_registerTaggedPointerClass(unsigned tag, Class cls) {
    rt_class_realize(cls);
    objc_debug_taggedpointer_classes[TAG_SLOT(tag) & TAG_SLOT_MASK] = cls;
}

id _objc_taggedPointer(unsigned tag, uintptr_t payload) {
    uintptr_t word = payload << 4 >> (4 - TAG_PAYLOAD_POSITION) | TAG_SLOT(tag) | TAG_MASK;
    return (id)(word ^ objc_debug_taggedpointer_obfuscator);
}

uintptr_t _objc_taggedPointerPayload(id tagged) {
    return without_obfuscation(tagged) << TAG_PAYLOAD_LSHIFT >> TAG_PAYLOAD_RSHIFT;
}
