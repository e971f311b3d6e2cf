/*
 * internal.h - what the files of the runtime ask of each other. Nothing here is exported unless it
 * says so.
 *
 * Locks: the runtime lock guards classes, selectors, protocols and categories; it is recursive and
 * no message is sent under it. Each side table has its own lock. Locks are taken in that order.
 */
#ifndef LOUPE_TEST_INTERNAL_H
#define LOUPE_TEST_INTERNAL_H

#include "abi.h"

/* ---- errors and memory (memory.c) --------------------------------------------------------------
 */

/* Prints one line and aborts: the test program is wrong, or the runtime is. */
_Noreturn void rt_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Zeroed memory for classes, lists and names, from calloc() as in objc4 (objc-zalloc.h and
 * objc-runtime-new.mm of objc4-951): what leads to it are the runtime's own words, with its own
 * bits in them. */
void *rt_meta_alloc(size_t size);
char *rt_meta_strdup(const char *string);

/* Objects and blocks come and go through these, so that they can be counted and watched. */
void *rt_object_alloc(size_t size);
void rt_object_free(void *object);
void rt_byref_count_add(int difference);

void rt_lock(void);
void rt_unlock(void);

/* A lock in a word that may move or be copied: 0 is free. */
void rt_spin_lock(uint32_t *word);
void rt_spin_unlock(uint32_t *word);

/* ---- messages from C ----------------------------------------------------------------------------
 */

/* What a C name is called by the linker. */
#if defined(__APPLE__)
#define RT_LINKED(name) __asm__("_" name)
#else
#define RT_LINKED(name) __asm__(name)
#endif

/* objc_msgSend under the types that the runtime sends messages with. */
id rt_send(void *receiver, SEL sel) RT_LINKED("objc_msgSend");
id rt_send_pointer(void *receiver, SEL sel, const void *argument) RT_LINKED("objc_msgSend");
BOOL rt_ask(void *receiver, SEL sel) RT_LINKED("objc_msgSend");
BOOL rt_ask_pointer(void *receiver, SEL sel, const void *argument) RT_LINKED("objc_msgSend");

/* ---- selectors (selector.c) --------------------------------------------------------------------
 */

/* Selectors that the runtime itself sends. */
extern struct rt_selectors {
    SEL alloc, allocWithZone, init, new_, class_, copy, initialize, load;
    SEL retain, release, autorelease, retainCount, dealloc;
    SEL retainWeakReference, allowsWeakReference;
    SEL cxx_construct, cxx_destruct;
    SEL resolveInstanceMethod, resolveClassMethod;
    SEL forwardingTargetForSelector, doesNotRecognizeSelector;
    SEL copyWithZone, mutableCopyWithZone, isKindOfClass, respondsToSelector, self;
} rt_sel;

void rt_selectors_init(void);
/* The one pointer for this name. Without copy the name must live for ever. */
SEL rt_selector(const char *name, bool copy);

/* ---- classes (class.c, class_names.c, categories.c, initialize.c)
 * -------------------------------- */

static inline bool rt_is_tagged(const void *object) {
    extern uintptr_t objc_debug_taggedpointer_mask;
    return ((uintptr_t)object & objc_debug_taggedpointer_mask) != 0;
}
Class rt_tagged_class(const void *object);
/* Before any of their classes is registered. */
void rt_tagged_pointers_init(void);

static inline uintptr_t rt_isa(const void *object) {
    return __atomic_load_n((const uintptr_t *)object, __ATOMIC_RELAXED);
}
/* The class in an isa word, packed or not. */
static inline Class rt_class_of_isa(uintptr_t isa) {
    return (Class)(isa & ISA_CLASS_MASK);
}
static inline Class rt_class(const void *object) {
    return rt_is_tagged(object) ? rt_tagged_class(object) : rt_class_of_isa(rt_isa(object));
}

bool rt_class_is_realized(Class cls);
void rt_class_realize(Class cls);
const struct class_ro *rt_class_ro(Class cls);
struct class_rw *rt_class_rw(Class cls);                /* realized classes only */
struct class_rw_ext *rt_class_rw_ext(Class cls);        /* NULL unless extended */
struct class_rw_ext *rt_class_rw_ext_create(Class cls); /* extends if need be */
bool rt_class_is_meta(Class cls);
size_t rt_class_instance_size(Class cls);
/* Calls visit for the class and all its realized subclasses. */
void rt_class_visit_subclasses(Class cls, void (*visit)(Class cls));
void rt_class_unlink(Class cls);

/* List arrays of a class: number of lists and the list at an index, with the base list last. */
unsigned rt_list_count(list_array array);
void *rt_list_at(list_array array, unsigned index);
void rt_list_prepend(list_array *array, void *list);
/* The array, without the lists. */
void rt_list_array_free(list_array array);

/* The table is gdb_objc_realized_classes, by name; answers Nil for an unknown one. */
Class rt_class_named(const char *name);
void rt_class_name_add(Class cls);
void rt_class_name_remove(Class cls);

void rt_category_add(struct category *category);
/* Called once by rt_class_realize, for the class; attaches to its metaclass too. */
void rt_categories_attach(Class cls);

/* Sends +initialize, superclass first, unless that has been done. */
void rt_class_initialize(Class cls);
bool rt_class_is_initialized(Class cls);

/* ---- methods (method.c) ------------------------------------------------------------------------
 */

void rt_method_list_fix_up(struct method_list *list);
/* The list itself, or the one made of a list of distances, always the same (relative_methods.c).
 * NULL stays NULL. */
struct method_list *rt_method_list_absolute(struct method_list *list);
/* In the class itself, and in the class and its superclasses. Realized classes only. */
struct objc_method *rt_own_method(Class cls, SEL sel);
struct objc_method *rt_method(Class cls, SEL sel);
/* From the cache, then from the lists. NULL if there is no such method. */
IMP rt_imp(Class cls, SEL sel);
/* Only from the cache; the class need not be realized. */
IMP rt_cached_imp(Class cls, SEL sel);
void rt_cache_flush(Class cls);
/* Of one class, which nobody messages any more. */
void rt_cache_free(Class cls);
/* Notes whether the class overrides retain, release... or alloc..., for the fast paths. */
void rt_class_note_overrides(Class cls);

/* ---- protocols (protocol.c) --------------------------------------------------------------------
 */

struct protocol *rt_protocol_add(struct protocol *protocol); /* answers the one with this name */
void rt_protocols_set_class(void);
bool rt_protocol_conforms(const struct protocol *protocol, const struct protocol *other);

/* ---- objects (object.c, refcount.c) ------------------------------------------------------------
 */

/* A new object with a packed isa and one reference, C++ members constructed. */
id rt_create_instance(Class cls, size_t extra);
/* Ends weak references and associations and destroys members, without freeing. */
id rt_destruct_instance(id object);
void rt_dispose(id object);
void rt_call_cxx_destruct(id object, Class cls);

id rt_root_retain(id object);
bool rt_root_try_retain(id object); /* called with the object's side table locked */
void rt_root_release(id object);    /* sends dealloc for the last reference */
uintptr_t rt_root_retain_count(id object);
bool rt_root_is_deallocating(id object);
/* Sets a flag in a packed isa; nothing for a plain one. */
void rt_isa_set_flag(id object, uintptr_t flag);

/* ---- DenseMap (dense_map.c) --------------------------------------------------------------------
 */

struct dense_kind {
    size_t bucket_size;
    uintptr_t empty_key;
    uintptr_t tombstone_key;
    bool disguised;
};

static inline disguised_ptr rt_disguise(const void *pointer) {
    return 0 - (uintptr_t)pointer;
}
static inline void *rt_undisguise(disguised_ptr disguised) {
    return (void *)(0 - disguised);
}
uint32_t rt_pointer_hash(uintptr_t key);
/* The bucket with this stored key, or NULL. */
void *rt_dense_find(const struct dense_map *map, const struct dense_kind *kind, uintptr_t key);
/* The same, made (all zero but the key) if there is none. Moves other buckets. */
void *rt_dense_insert(struct dense_map *map, const struct dense_kind *kind, uintptr_t key);
void rt_dense_erase(struct dense_map *map, const struct dense_kind *kind, void *bucket);
/* The first bucket in use at or after an index; the index moves behind it. NULL at the end. */
void *rt_dense_next(const struct dense_map *map, const struct dense_kind *kind, uint32_t *index);
void rt_dense_free(struct dense_map *map);

/* ---- side tables (side_table.c, weak.c) --------------------------------------------------------
 */

struct side_table *rt_side_table(const void *object);
static inline void rt_side_table_lock(struct side_table *table) {
    rt_spin_lock(&table->lock);
}
static inline void rt_side_table_unlock(struct side_table *table) {
    rt_spin_unlock(&table->lock);
}

/* Counts of plain objects; the caller holds no lock, except where it says so. */
void rt_side_retain(id object);
bool rt_side_try_retain_locked(id object);
bool rt_side_release(id object); /* true: that was the last reference */
uintptr_t rt_side_retain_count(id object);
bool rt_side_is_deallocating(id object);
/* Counts that overflowed a packed isa. */
void rt_side_add_overflow(struct side_table *table, id object, uintptr_t count);
uintptr_t rt_side_take_overflow(struct side_table *table, id object, uintptr_t count,
                                uintptr_t *left_ret);
uintptr_t rt_side_overflow(id object);
/* Ends what the side table knows of an object: weak references become nil, the count goes. */
void rt_side_clear_deallocating(id object);

/* The referent's side table is locked. */
void rt_weak_register(struct weak_table *table, id referent, id *referrer);
void rt_weak_unregister(struct weak_table *table, id referent, id *referrer);
void rt_weak_clear(struct weak_table *table, id referent);
void rt_side_set_weakly_referenced_locked(struct side_table *table, id object);

/* ---- associations (associations.c) --------------------------------------------------------------
 */

void rt_associations_remove(id object);

/* ---- ARC entry points used inside the runtime too (arc.c)
 * ---------------------------------------- */

OBJC_EXTERN id objc_retain(id object);
OBJC_EXTERN void objc_release(id object);
OBJC_EXTERN id objc_autorelease(id object);
OBJC_EXTERN id objc_retainBlock(id block);
void rt_autorelease_add(id object);
/* For a function about to return an object with a reference: true if its caller takes that over,
 * and it need not go to the pool (returned.c). */
bool rt_hand_over(const void *return_address);

/* ---- for the library's own Foundation (exported: they are in other languages, not other images)
 * -- */

OBJC_EXTERN id _objc_rootRetain(id object);
OBJC_EXTERN void _objc_rootRelease(id object);
OBJC_EXTERN BOOL _objc_rootTryRetain(id object);
OBJC_EXTERN id _objc_rootAutorelease(id object);
OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);
OBJC_EXTERN BOOL _objc_rootIsDeallocating(id object);
OBJC_EXTERN void _objc_rootDealloc(id object);
OBJC_EXTERN id _objc_rootAllocWithZone(Class cls, void *zone);
OBJC_EXTERN void *objc_destructInstance(id object);
OBJC_EXTERN void _objc_registerTaggedPointerClass(unsigned tag, Class cls);
/* 60 bits of payload. */
OBJC_EXTERN id _objc_taggedPointer(unsigned tag, uintptr_t payload);
OBJC_EXTERN uintptr_t _objc_taggedPointerPayload(id tagged);

/* ---- images (image.c) --------------------------------------------------------------------------
 */

/* The Objective-C sections of one image: each a begin and an end. */
struct loupe_test_image {
    SEL *selector_refs, *selector_refs_end;
    Class *classes, *classes_end;
    Class *load_classes, *load_classes_end;
    struct category **categories, **categories_end;
    struct category **load_categories, **load_categories_end;
    struct protocol **protocols, **protocols_end;
    struct protocol **protocol_refs, **protocol_refs_end;
};
/* Called by each image's constructor (image_sections.c), before its other constructors. */
OBJC_EXTERN void loupe_test_register_image(const struct loupe_test_image *image);

/* ---- blocks_generic.c: blocks whose descriptor says what they own ---------------------------- */

/* For a block without generic helpers they do nothing. */
void rt_block_copy_generic(struct block_literal *to, const struct block_literal *from);
void rt_block_dispose_generic(struct block_literal *block);

#endif
