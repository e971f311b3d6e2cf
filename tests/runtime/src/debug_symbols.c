/*
 * debug_symbols.c - constants that Apple's runtime exports for debuggers (objc-gdb.h), and the
 * tables of tagged pointer classes.
 */
#include "internal.h"

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
#endif

EXPORT(uintptr_t, objc_debug_taggedpointer_mask, TAG_MASK);
/* Apple's is random for each process, or zero when the program asks for it. */
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

Class rt_tagged_class(const void *object) {
    uintptr_t word = (uintptr_t)object;
    if ((word & TAG_EXT_MASK) == TAG_EXT_MASK)
        return objc_debug_taggedpointer_ext_classes[word >> TAG_EXT_SLOT_SHIFT & 0xff];
    return objc_debug_taggedpointer_classes[word & TAG_SLOT_MASK];
}

void _objc_registerTaggedPointerClass(unsigned tag, Class cls) {
    rt_class_realize(cls);
    objc_debug_taggedpointer_classes[TAG_SLOT(tag) & TAG_SLOT_MASK] = cls;
}

id _objc_taggedPointer(unsigned tag, uintptr_t payload) {
    return (id)(payload << 4 >> (4 - TAG_PAYLOAD_POSITION) | TAG_SLOT(tag) | TAG_MASK);
}

uintptr_t _objc_taggedPointerPayload(id tagged) {
    return (uintptr_t)tagged << TAG_PAYLOAD_LSHIFT >> TAG_PAYLOAD_RSHIFT;
}
