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
#define TAG_IS_SPLIT           0
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
#define TAG_IS_SPLIT           1
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

/* A random order of the seven basic tags; the eighth announces an extended one. */
static void permute_tags(uintptr_t random) {
    enum { BASIC_TAGS = 7 };
    for (unsigned i = BASIC_TAGS - 1; i > 0; i--, random /= BASIC_TAGS) {
        unsigned other = (unsigned)(random % (i + 1));
        uint8_t tag = objc_debug_tag60_permutations[i];
        objc_debug_tag60_permutations[i] = objc_debug_tag60_permutations[other];
        objc_debug_tag60_permutations[other] = tag;
    }
}

/*
 * Random for each process, unless its environment wants none. What tells tagged pointers stays. As
 * initializeTaggedPointerObfuscator() of objc4-951: where the tag is apart from the payload, it is
 * permuted and not obfuscated.
 */
void rt_tagged_pointers_init(void) {
    const char *disabled = getenv("OBJC_DISABLE_TAG_OBFUSCATION");
    uintptr_t random;
    if ((disabled && strcmp(disabled, "YES") == 0) || getentropy(&random, sizeof random) != 0)
        return;
    objc_debug_taggedpointer_obfuscator = random & ~(TAG_MASK | TAG_SPLIT_BITS);
    if (TAG_IS_SPLIT)
        permute_tags(random);
}

/* The bits that tell the class, as they stand in a pointer: obfuscated. They index the table. */
static uintptr_t obfuscated_slot(unsigned tag) {
    return TAG_IS_SPLIT ? objc_debug_tag60_permutations[tag]
                        : TAG_SLOT(tag) ^ (objc_debug_taggedpointer_obfuscator & TAG_SLOT_MASK);
}

Class rt_tagged_class(const void *object) {
    return objc_debug_taggedpointer_classes[(uintptr_t)object & TAG_SLOT_MASK];
}

void _objc_registerTaggedPointerClass(unsigned tag, Class cls) {
    rt_class_realize(cls);
    objc_debug_taggedpointer_classes[obfuscated_slot(tag)] = cls;
}

id _objc_taggedPointer(unsigned tag, uintptr_t payload) {
    uintptr_t word = payload << 4 >> (4 - TAG_PAYLOAD_POSITION) | TAG_MASK;
    word ^= objc_debug_taggedpointer_obfuscator;
    return (id)((word & ~TAG_SLOT_MASK) | obfuscated_slot(tag));
}

uintptr_t _objc_taggedPointerPayload(id tagged) {
    return ((uintptr_t)tagged ^ objc_debug_taggedpointer_obfuscator) << TAG_PAYLOAD_LSHIFT >>
           TAG_PAYLOAD_RSHIFT;
}
