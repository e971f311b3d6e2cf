/*
 * abi.h - the structures of Apple's Objective-C 2 runtime, 64-bit, as objc4-841 and later lay them
 * out (objc-runtime-new.h, isa.h, objc-weak.h, llvm-DenseMap.h).
 *
 * Readers of memory look at these from outside the process, so every offset counts: the assertions
 * at the end pin them. The compiler emits class_ro and everything it points to; the rest is made at
 * run time by this library.
 */
#ifndef LOUPE_TEST_ABI_H
#define LOUPE_TEST_ABI_H

#include <objc/objc.h>
#include <objc/runtime.h>

/* ---- isa: bit 0 clear is a plain class pointer, bit 0 set a packed word ------------------------
 */

#if defined(__x86_64__)
#define ISA_CLASS_MASK        0x00007ffffffffff8UL
#define ISA_MAGIC_MASK        0x001f800000000001UL
#define ISA_MAGIC_VALUE       0x001d800000000001UL
#define ISA_HAS_CXX_DTOR      (1UL << 2)
#define ISA_WEAKLY_REFERENCED (1UL << 53)
#elif defined(__aarch64__)
/* The form of arm64e and of the simulators: the short class field of iOS devices could not hold the
 * 48-bit addresses of Linux. It has no bit for destructors. */
#define ISA_CLASS_MASK        0x0000fffffffffff8UL
#define ISA_MAGIC_MASK        1UL
#define ISA_MAGIC_VALUE       1UL
#define ISA_HAS_CXX_DTOR      0UL
#define ISA_WEAKLY_REFERENCED (1UL << 2)
#else
#error "x86_64 and aarch64 only"
#endif
#define ISA_NONPOINTER       1UL
#define ISA_HAS_ASSOC        (1UL << 1)
#define ISA_HAS_SIDETABLE_RC (1UL << 55)
#define ISA_RC_SHIFT         56
#define ISA_RC_ONE           (1UL << ISA_RC_SHIFT)
#define ISA_RC_MAX           255UL
#define ISA_RC_HALF          128UL

/* ---- classes -----------------------------------------------------------------------------------
 */

#define CLASS_DATA_MASK      ISA_CLASS_MASK
#define CLASS_HAS_DEFAULT_RR (1UL << 2)
#define CLASS_IS_RW          (1UL << 63)

enum {
    CACHE_META = 1 << 0,
    CACHE_HAS_CXX_CTOR = 1 << 1,
    CACHE_HAS_CXX_DTOR = 1 << 2,
    CACHE_ALLOC_MASK = 0x1ff8,
    CACHE_HAS_DEFAULT_AWZ = 1 << 14,
};

struct cache_bucket {
    SEL sel;
    IMP imp;
};

struct class_cache {
    struct cache_bucket *buckets;
    uint32_t mask;
    uint16_t flags;
    uint16_t occupied;
};

struct objc_class {
    Class isa;
    Class superclass;
    struct class_cache cache;
    /* The compiler leaves class_ro here; realizing replaces it by class_rw and CLASS_IS_RW. */
    uintptr_t bits;
};

enum {
    RO_META = 1 << 0,
    RO_ROOT = 1 << 1,
    RO_HAS_CXX_STRUCTORS = 1 << 2,
    RO_IS_ARC = 1 << 7,
    RO_HAS_CXX_DTOR_ONLY = 1 << 8,
    RO_HAS_WEAK_WITHOUT_ARC = 1 << 9,
};

#define RW_REALIZED     (1U << 31)
#define RW_INITIALIZED  (1U << 29)
#define RW_INITIALIZING (1U << 28)
#define RW_COPIED_RO    (1U << 27)
#define RW_CONSTRUCTING (1U << 26)
#define RW_CONSTRUCTED  (1U << 25)
#define RW_LOADED       (1U << 23)
#define RW_META         (1U << 0)

struct objc_method {
    SEL name;
    const char *types;
    IMP imp;
};

/* All lists open with the size of an entry and the number of entries. */
struct method_list {
    uint32_t entsize_and_flags;
    uint32_t count;
    struct objc_method entries[];
};

/* In a list with this flag each entry has three distances, from where they stand: to the reference
 * of the selector, to the types, to the implementation. Such lists are constant. */
#define METHOD_LIST_RELATIVE 0x80000000U
struct relative_method {
    int32_t name, types, imp;
};
struct relative_method_list {
    uint32_t entsize_and_flags;
    uint32_t count;
    struct relative_method entries[];
};
#define METHOD_LIST_FIXED_UP 3U

struct objc_ivar {
    int32_t *offset;
    const char *name;
    const char *type;
    uint32_t alignment_log2;
    uint32_t size;
};

struct ivar_list {
    uint32_t entsize;
    uint32_t count;
    struct objc_ivar entries[];
};

struct objc_property {
    const char *name;
    const char *attributes;
};

struct property_list {
    uint32_t entsize;
    uint32_t count;
    struct objc_property entries[];
};

struct protocol_list {
    uintptr_t count;
    struct protocol *entries[];
};

struct protocol {
    Class isa;
    const char *name;
    struct protocol_list *protocols;
    struct method_list *instance_methods;
    struct method_list *class_methods;
    struct method_list *optional_instance_methods;
    struct method_list *optional_class_methods;
    struct property_list *instance_properties;
    uint32_t size;
    uint32_t flags;
    const char **extended_method_types;
    const char *demangled_name;
    struct property_list *class_properties;
};

struct category {
    const char *name;
    Class cls;
    struct method_list *instance_methods;
    struct method_list *class_methods;
    struct protocol_list *protocols;
    struct property_list *instance_properties;
    struct property_list *class_properties;
    uint32_t size;
};

struct class_ro {
    uint32_t flags;
    uint32_t instance_start;
    uint32_t instance_size;
    uint32_t reserved;
    const uint8_t *ivar_layout;
    const char *name;
    struct method_list *base_methods;
    struct protocol_list *base_protocols;
    struct ivar_list *ivars;
    const uint8_t *weak_ivar_layout;
    struct property_list *base_properties;
};

struct class_rw {
    uint32_t flags;
    uint16_t witness;
    uint16_t index;
    /* Low bit clear: class_ro. Low bit set: class_rw_ext, which points to class_ro. */
    uintptr_t ro_or_rw_ext;
    Class first_subclass;
    Class next_sibling;
};

/* A list array is 0, one list, or (low bit set) a counted array of lists, searched in order. */
typedef uintptr_t list_array;

struct counted_lists {
    uint32_t count;
    void *lists[];
};

struct class_rw_ext {
    const struct class_ro *ro;
    list_array methods;
    list_array properties;
    list_array protocols;
    char *demangled_name;
    uint32_t version;
};

/* ---- side data ---------------------------------------------------------------------------------
 */

/* LLVM's DenseMap; a bucket opens with its key. */
struct dense_map {
    void *buckets;
    uint32_t num_entries;
    uint32_t num_tombstones;
    uint32_t num_buckets;
    uint32_t padding;
};

/* Pointers to objects that hold nothing are stored negated, so that leak checkers do not see them.
 */
typedef uintptr_t disguised_ptr;

struct refcount_bucket {
    disguised_ptr object;
    uintptr_t bits;
};
#define SIDE_WEAKLY_REFERENCED (1UL << 0)
#define SIDE_DEALLOCATING      (1UL << 1)
#define SIDE_RC_SHIFT          2
#define SIDE_RC_ONE            (1UL << SIDE_RC_SHIFT)
#define SIDE_RC_PINNED         (1UL << 63)

#define WEAK_INLINE_COUNT 4
#define WEAK_OUT_OF_LINE  2UL

struct weak_entry {
    disguised_ptr referent;
    union {
        struct {
            disguised_ptr *referrers;
            uintptr_t out_of_line_and_num_refs; /* 2 bits WEAK_OUT_OF_LINE, 62 bits count */
            uintptr_t mask;
            uintptr_t max_displacement;
        };
        disguised_ptr inline_referrers[WEAK_INLINE_COUNT];
    };
};

struct weak_table {
    struct weak_entry *entries;
    size_t num_entries;
    uintptr_t mask;
    uintptr_t max_displacement;
};

struct side_table {
    uint32_t lock;
    struct dense_map refcounts;
    struct weak_table weak;
};
#define SIDE_TABLE_COUNT 64

struct association_bucket {
    disguised_ptr object;
    struct dense_map associations;
};

struct association {
    const void *key;
    uintptr_t policy;
    id value;
};

struct pool_page {
    uint32_t magic[4];
    id *next;
    uintptr_t thread;
    struct pool_page *parent;
    struct pool_page *child;
    uint32_t depth;
    uint32_t high_water;
    id entries[];
};
#define POOL_PAGE_SIZE 4096

/* ---- blocks (libclosure, Block_private.h) ------------------------------------------------------
 */

enum {
    BLOCK_DEALLOCATING = 0x0001,
    BLOCK_REFCOUNT_MASK = 0xfffe,
    BLOCK_NEEDS_FREE = 1 << 24,
    BLOCK_HAS_COPY_DISPOSE = 1 << 25,
    BLOCK_HAS_CTOR = 1 << 26,
    BLOCK_IS_GC = 1 << 27,
    BLOCK_IS_GLOBAL = 1 << 28,
    BLOCK_USE_STRET = 1 << 29,
    BLOCK_HAS_SIGNATURE = 1 << 30,
    BLOCK_BYREF_LAYOUT_EXTENDED = 1 << 28,
};
#define BLOCK_HAS_EXTENDED_LAYOUT (1U << 31)
#define BLOCK_BYREF_LAYOUT_MASK   (0xfU << 28)

enum {
    BLOCK_FIELD_IS_OBJECT = 3,
    BLOCK_FIELD_IS_BLOCK = 7,
    BLOCK_FIELD_IS_BYREF = 8,
    BLOCK_FIELD_IS_WEAK = 16,
    BLOCK_BYREF_CALLER = 128,
};

struct block_descriptor {
    uintptr_t reserved;
    uintptr_t size;
    /* With BLOCK_HAS_COPY_DISPOSE copy and dispose follow, then signature and layout. */
    uintptr_t rest[];
};

struct block_literal {
    void *isa;
    volatile uint32_t flags;
    int32_t reserved;
    void (*invoke)(void *, ...);
    struct block_descriptor *descriptor;
};

struct block_byref {
    void *isa;
    struct block_byref *forwarding;
    volatile uint32_t flags;
    uint32_t size;
};

struct block_byref_helpers {
    void (*keep)(struct block_byref *dst, struct block_byref *src);
    void (*destroy)(struct block_byref *byref);
};

_Static_assert(offsetof(struct objc_class, bits) == 32, "class_t");
_Static_assert(sizeof(struct objc_class) == 40, "class_t");
_Static_assert(offsetof(struct class_ro, ivar_layout) == 16, "class_ro");
_Static_assert(offsetof(struct class_ro, name) == 24, "class_ro");
_Static_assert(offsetof(struct class_ro, ivars) == 48, "class_ro");
_Static_assert(offsetof(struct class_ro, weak_ivar_layout) == 56, "class_ro");
_Static_assert(sizeof(struct class_ro) == 72, "class_ro");
_Static_assert(offsetof(struct class_rw, ro_or_rw_ext) == 8, "class_rw");
_Static_assert(sizeof(struct class_rw) == 32, "class_rw");
_Static_assert(offsetof(struct class_rw_ext, version) == 40, "class_rw_ext");
_Static_assert(sizeof(struct objc_ivar) == 32, "ivar");
_Static_assert(sizeof(struct protocol) == 96, "protocol");
_Static_assert(sizeof(struct dense_map) == 24, "DenseMap");
_Static_assert(sizeof(struct refcount_bucket) == 16, "refcounts bucket");
_Static_assert(sizeof(struct association_bucket) == 32, "associations bucket");
_Static_assert(sizeof(struct association) == 24, "association");
_Static_assert(sizeof(struct weak_entry) == 40, "weak entry");
_Static_assert(offsetof(struct side_table, weak) == 32, "SideTable");
_Static_assert(sizeof(struct side_table) == 64, "SideTable");
_Static_assert(offsetof(struct pool_page, entries) == 56, "AutoreleasePoolPage");
_Static_assert(sizeof(struct block_literal) == 32, "block");
_Static_assert(sizeof(struct block_byref) == 24, "byref");

#endif
