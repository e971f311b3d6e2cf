/*
 * associations.c - associated objects, in the two nested DenseMaps of objc-references.mm.
 */
#include "internal.h"

#include <pthread.h>
#include <stdlib.h>

/* A local symbol under Apple's C++ name: readers find the map through the symbol table only. */
static struct dense_map map_storage RT_LINKED("_ZN4objc19AssociationsManager11_mapStorageE");
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static const struct dense_kind object_kind = {sizeof(struct association_bucket), 1, 2, true};
static const struct dense_kind key_kind = {sizeof(struct association), UINTPTR_MAX, UINTPTR_MAX - 1,
                                           false};

#define SETTER_MASK         0xffUL
#define GETTER_RETAINS      (1UL << 8)
#define GETTER_AUTORELEASES (1UL << 9)

static id acquired(id value, uintptr_t policy) {
    switch (policy & SETTER_MASK) {
    case OBJC_ASSOCIATION_RETAIN_NONATOMIC:
        return objc_retain(value);
    case OBJC_ASSOCIATION_COPY_NONATOMIC:
        return rt_send(value, rt_sel.copy);
    default:
        return value;
    }
}

static void release_value(const struct association *association) {
    if (association->policy & OBJC_ASSOCIATION_RETAIN_NONATOMIC)
        objc_release(association->value);
}

static struct association_bucket *associations_of(id object) {
    return rt_dense_find(&map_storage, &object_kind, rt_disguise(object));
}

/* Both answer what was there before, to be released without the lock. */
static struct association replace(id object, const struct association *now) {
    struct association_bucket *bucket =
        rt_dense_insert(&map_storage, &object_kind, rt_disguise(object));
    rt_isa_set_flag(object, ISA_HAS_ASSOC);
    struct association *place =
        rt_dense_insert(&bucket->associations, &key_kind, (uintptr_t)now->key);
    struct association before = *place;
    *place = *now;
    return before;
}

static struct association take_out(id object, const struct association *now) {
    struct association none = {0};
    struct association_bucket *bucket = associations_of(object);
    if (!bucket)
        return none;
    struct association *place =
        rt_dense_find(&bucket->associations, &key_kind, (uintptr_t)now->key);
    if (!place)
        return none;
    struct association before = *place;
    *place = *now; /* they are swapped before it is erased */
    rt_dense_erase(&bucket->associations, &key_kind, place);
    if (bucket->associations.num_entries == 0)
        rt_dense_erase(&map_storage, &object_kind, bucket);
    return before;
}

void objc_setAssociatedObject(id object, const void *key, id value, objc_AssociationPolicy policy) {
    if (!object)
        return;
    struct association now = {key, policy, acquired(value, policy)};
    pthread_mutex_lock(&lock);
    struct association before = value ? replace(object, &now) : take_out(object, &now);
    pthread_mutex_unlock(&lock);
    release_value(&before);
}

id objc_getAssociatedObject(id object, const void *key) {
    pthread_mutex_lock(&lock);
    struct association_bucket *bucket = object ? associations_of(object) : NULL;
    const struct association *found =
        bucket ? rt_dense_find(&bucket->associations, &key_kind, (uintptr_t)key) : NULL;
    struct association association = found ? *found : (struct association){0};
    if (association.policy & GETTER_RETAINS)
        objc_retain(association.value);
    pthread_mutex_unlock(&lock);
    if (association.policy & GETTER_AUTORELEASES)
        objc_autorelease(association.value);
    return association.value;
}

void rt_associations_remove(id object) {
    pthread_mutex_lock(&lock);
    struct association_bucket *bucket = associations_of(object);
    struct dense_map taken = {0};
    if (bucket) {
        taken = bucket->associations;
        bucket->associations = (struct dense_map){0};
        rt_dense_erase(&map_storage, &object_kind, bucket);
    }
    pthread_mutex_unlock(&lock);
    uint32_t index = 0;
    for (const struct association *a; (a = rt_dense_next(&taken, &key_kind, &index));)
        release_value(a);
    rt_dense_free(&taken);
}

void objc_removeAssociatedObjects(id object) {
    if (object)
        rt_associations_remove(object);
}
