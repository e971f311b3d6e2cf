/*
 * class_names.c - classes by name, in the table that debuggers read: gdb_objc_realized_classes
 * points to an NXMapTable (maptable.h) of name and class. In spite of its name it holds every class
 * of every image, realized or not.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

#define NX_EMPTY_KEY ((const char *)UINTPTR_MAX)

struct nx_pair {
    const char *key;
    Class value;
};

struct nx_map_table {
    const void *prototype;
    uint32_t count;
    uint32_t buckets_minus_one;
    struct nx_pair *buckets;
};

static struct nx_map_table table;
OBJC_EXTERN struct nx_map_table *gdb_objc_realized_classes;
struct nx_map_table *gdb_objc_realized_classes = &table;

static uint32_t name_hash(const char *name) {
    uint32_t hash = 0;
    while (*name)
        hash = hash * 31 + (unsigned char)*name++;
    return hash;
}

static struct nx_pair *pair_for(const char *name) {
    uint32_t index = name_hash(name) & table.buckets_minus_one;
    while (table.buckets[index].key != NX_EMPTY_KEY && strcmp(table.buckets[index].key, name) != 0)
        index = (index + 1) & table.buckets_minus_one;
    return &table.buckets[index];
}

static void resize(uint32_t size) {
    struct nx_map_table old = table;
    table.buckets = rt_meta_alloc(size * sizeof *table.buckets);
    table.buckets_minus_one = size - 1;
    for (uint32_t i = 0; i < size; i++)
        table.buckets[i].key = NX_EMPTY_KEY;
    for (uint32_t i = 0; old.buckets && i <= old.buckets_minus_one; i++) {
        if (old.buckets[i].key != NX_EMPTY_KEY)
            *pair_for(old.buckets[i].key) = old.buckets[i];
    }
    free(old.buckets);
}

void rt_class_name_add(Class cls) {
    rt_lock();
    if (!table.buckets)
        resize(64);
    else if (table.count * 4 > table.buckets_minus_one * 3)
        resize((table.buckets_minus_one + 1) * 2);
    struct nx_pair *pair = pair_for(rt_class_ro(cls)->name);
    if (pair->key == NX_EMPTY_KEY) {
        table.count++;
        *pair = (struct nx_pair){rt_class_ro(cls)->name, cls};
    }
    rt_unlock();
}

void rt_class_name_remove(Class cls) {
    rt_lock();
    struct nx_pair *pair = pair_for(rt_class_ro(cls)->name);
    if (pair->value == cls) {
        pair->key = NX_EMPTY_KEY;
        pair->value = Nil;
        table.count--;
        /* Entries that had moved past the freed one would no longer be found. */
        resize(table.buckets_minus_one + 1);
    }
    rt_unlock();
}

Class rt_class_named(const char *name) {
    rt_lock();
    struct nx_pair *pair = table.buckets ? pair_for(name) : NULL;
    Class cls = pair && pair->key != NX_EMPTY_KEY ? pair->value : Nil;
    rt_unlock();
    return cls;
}

/* Every class of every image; those that nobody used yet are realized, as on a Mac. */
int objc_getClassList(Class *buffer, int room) {
    int count = 0;
    rt_lock();
    for (uint32_t i = 0; table.buckets && i <= table.buckets_minus_one; i++) {
        if (table.buckets[i].key == NX_EMPTY_KEY)
            continue;
        rt_class_realize(table.buckets[i].value);
        if (buffer && count < room)
            buffer[count] = table.buckets[i].value;
        count++;
    }
    rt_unlock();
    return count;
}
