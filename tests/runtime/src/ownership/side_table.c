/*
 * side_table.c - what does not fit into an isa: overflowing counts, counts of plain objects, and
 * the heads of weak references. 64 tables, an object's address chooses one.
 */
#include "internal.h"

static _Alignas(64) struct side_table side_tables[SIDE_TABLE_COUNT];

OBJC_EXTERN void *const objc_debug_side_tables_map;
void *const objc_debug_side_tables_map = side_tables;

/* The keys are disguised: -(-1) and -(-2). */
static const struct dense_kind refcount_kind = {sizeof(struct refcount_bucket), 1, 2, true};

struct side_table *rt_side_table(const void *object) {
    uintptr_t address = (uintptr_t)object;
    return &side_tables[((address >> 4) ^ (address >> 9)) % SIDE_TABLE_COUNT];
}

static struct refcount_bucket *find(struct side_table *table, id object) {
    return rt_dense_find(&table->refcounts, &refcount_kind, rt_disguise(object));
}

static struct refcount_bucket *insert(struct side_table *table, id object) {
    return rt_dense_insert(&table->refcounts, &refcount_kind, rt_disguise(object));
}

static void add(struct refcount_bucket *bucket, uintptr_t count) {
    if (bucket->bits & SIDE_RC_PINNED)
        return;
    bucket->bits += count << SIDE_RC_SHIFT;
}

void rt_side_retain(id object) {
    struct side_table *table = rt_side_table(object);
    rt_side_table_lock(table);
    add(insert(table, object), 1);
    rt_side_table_unlock(table);
}

bool rt_side_try_retain_locked(id object) {
    struct refcount_bucket *bucket = insert(rt_side_table(object), object);
    if (bucket->bits & SIDE_DEALLOCATING)
        return false;
    add(bucket, 1);
    return true;
}

bool rt_side_release(id object) {
    struct side_table *table = rt_side_table(object);
    rt_side_table_lock(table);
    struct refcount_bucket *bucket = insert(table, object);
    bool last = false;
    if (bucket->bits < SIDE_RC_ONE) {
        last = !(bucket->bits & SIDE_DEALLOCATING);
        bucket->bits |= SIDE_DEALLOCATING;
    } else if (!(bucket->bits & SIDE_RC_PINNED)) {
        bucket->bits -= SIDE_RC_ONE;
    }
    rt_side_table_unlock(table);
    return last;
}

static uintptr_t stored_bits(id object) {
    struct side_table *table = rt_side_table(object);
    rt_side_table_lock(table);
    struct refcount_bucket *bucket = find(table, object);
    uintptr_t bits = bucket ? bucket->bits : 0;
    rt_side_table_unlock(table);
    return bits;
}

uintptr_t rt_side_retain_count(id object) {
    return 1 + (stored_bits(object) >> SIDE_RC_SHIFT);
}

bool rt_side_is_deallocating(id object) {
    return (stored_bits(object) & SIDE_DEALLOCATING) != 0;
}

uintptr_t rt_side_overflow(id object) {
    return stored_bits(object) >> SIDE_RC_SHIFT;
}

void rt_side_add_overflow(struct side_table *table, id object, uintptr_t count) {
    add(insert(table, object), count);
}

uintptr_t rt_side_take_overflow(struct side_table *table, id object, uintptr_t count,
                                uintptr_t *left_ret) {
    struct refcount_bucket *bucket = find(table, object);
    uintptr_t stored = bucket ? bucket->bits >> SIDE_RC_SHIFT : 0;
    uintptr_t taken = stored < count ? stored : count;
    if (bucket)
        bucket->bits -= taken << SIDE_RC_SHIFT;
    if (bucket && stored == taken)
        rt_dense_erase(&table->refcounts, &refcount_kind, bucket);
    *left_ret = stored - taken;
    return taken;
}

void rt_side_set_weakly_referenced_locked(struct side_table *table, id object) {
    if (rt_isa(object) & ISA_NONPOINTER)
        rt_isa_set_flag(object, ISA_WEAKLY_REFERENCED);
    else
        insert(table, object)->bits |= SIDE_WEAKLY_REFERENCED;
}

void rt_side_clear_deallocating(id object) {
    struct side_table *table = rt_side_table(object);
    rt_side_table_lock(table);
    struct refcount_bucket *bucket = find(table, object);
    bool weak = rt_isa(object) & ISA_NONPOINTER ? (rt_isa(object) & ISA_WEAKLY_REFERENCED) != 0
                                                : bucket && (bucket->bits & SIDE_WEAKLY_REFERENCED);
    if (weak)
        rt_weak_clear(&table->weak, object);
    if (bucket)
        rt_dense_erase(&table->refcounts, &refcount_kind, bucket);
    rt_side_table_unlock(table);
}
