/*
 * weak.c - weak references that become nil, in the table of objc-weak.h: per object an entry with
 * the addresses of the variables that refer to it, four inline, more in a hash table of their own.
 */
#include "internal.h"

#include <stdlib.h>

#define FIRST_TABLE_SIZE     64U
#define FIRST_REFERRERS_SIZE 8U

static size_t table_size(const struct weak_table *table) {
    return table->mask ? table->mask + 1 : 0;
}

static void *zeroed(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (!memory)
        rt_fatal("no memory for weak references");
    return memory;
}

/* ---- entries of the table ----------------------------------------------------------------------
 */

static struct weak_entry *entry_for(struct weak_table *table, id referent) {
    if (!table->entries)
        return NULL;
    uintptr_t index = rt_pointer_hash((uintptr_t)referent) & table->mask;
    for (uintptr_t displacement = 0; displacement <= table->max_displacement; displacement++) {
        if (table->entries[index].referent == rt_disguise(referent))
            return &table->entries[index];
        index = (index + 1) & table->mask;
    }
    return NULL;
}

static struct weak_entry *place(struct weak_table *table, const struct weak_entry *entry) {
    uintptr_t key = (uintptr_t)rt_undisguise(entry->referent);
    uintptr_t index = rt_pointer_hash(key) & table->mask;
    uintptr_t displacement = 0;
    for (; table->entries[index].referent; displacement++)
        index = (index + 1) & table->mask;
    table->entries[index] = *entry;
    table->num_entries++;
    if (displacement > table->max_displacement)
        table->max_displacement = displacement;
    return &table->entries[index];
}

static void table_resize(struct weak_table *table, size_t size) {
    struct weak_table old = *table;
    *table = (struct weak_table){zeroed(size, sizeof *old.entries), 0, size - 1, 0};
    for (size_t i = 0; i < table_size(&old); i++) {
        if (old.entries[i].referent)
            place(table, &old.entries[i]);
    }
    free(old.entries);
}

static struct weak_entry *entry_add(struct weak_table *table, id referent) {
    if (table->num_entries >= table_size(table) * 3 / 4)
        table_resize(table, table->mask ? table_size(table) * 2 : FIRST_TABLE_SIZE);
    struct weak_entry entry = {.referent = rt_disguise(referent)};
    return place(table, &entry);
}

/* ---- referrers of an entry ---------------------------------------------------------------------
 */

static bool is_out_of_line(const struct weak_entry *entry) {
    return (entry->out_of_line_and_num_refs & 3) == WEAK_OUT_OF_LINE;
}

static uintptr_t referrer_count(const struct weak_entry *entry) {
    return entry->out_of_line_and_num_refs >> 2;
}

static void set_referrer_count(struct weak_entry *entry, uintptr_t count) {
    entry->out_of_line_and_num_refs = count << 2 | WEAK_OUT_OF_LINE;
}

static void referrer_place(struct weak_entry *entry, disguised_ptr referrer) {
    uintptr_t index = rt_pointer_hash((uintptr_t)rt_undisguise(referrer)) & entry->mask;
    uintptr_t displacement = 0;
    for (; entry->referrers[index]; displacement++)
        index = (index + 1) & entry->mask;
    entry->referrers[index] = referrer;
    set_referrer_count(entry, referrer_count(entry) + 1);
    if (displacement > entry->max_displacement)
        entry->max_displacement = displacement;
}

static void referrers_resize(struct weak_entry *entry, size_t size) {
    struct weak_entry old = *entry;
    entry->referrers = zeroed(size, sizeof *entry->referrers);
    entry->mask = size - 1;
    entry->max_displacement = 0;
    set_referrer_count(entry, 0);
    size_t old_count = is_out_of_line(&old) ? old.mask + 1 : WEAK_INLINE_COUNT;
    const disguised_ptr *from = is_out_of_line(&old) ? old.referrers : old.inline_referrers;
    for (size_t i = 0; i < old_count; i++) {
        if (from[i])
            referrer_place(entry, from[i]);
    }
    if (is_out_of_line(&old))
        free(old.referrers);
}

static void referrer_add(struct weak_entry *entry, id *referrer) {
    if (!is_out_of_line(entry)) {
        for (size_t i = 0; i < WEAK_INLINE_COUNT; i++) {
            if (!entry->inline_referrers[i]) {
                entry->inline_referrers[i] = rt_disguise(referrer);
                return;
            }
        }
        referrers_resize(entry, FIRST_REFERRERS_SIZE);
    } else if (referrer_count(entry) >= (entry->mask + 1) * 3 / 4) {
        referrers_resize(entry, (entry->mask + 1) * 2);
    }
    referrer_place(entry, rt_disguise(referrer));
}

static disguised_ptr *referrers_of(struct weak_entry *entry, size_t *count_ret) {
    bool out = is_out_of_line(entry);
    *count_ret = out ? entry->mask + 1 : WEAK_INLINE_COUNT;
    return out ? entry->referrers : entry->inline_referrers;
}

static void entry_remove(struct weak_table *table, struct weak_entry *entry) {
    if (is_out_of_line(entry))
        free(entry->referrers);
    *entry = (struct weak_entry){0};
    table->num_entries--;
}

void rt_weak_register(struct weak_table *table, id referent, id *referrer) {
    struct weak_entry *entry = entry_for(table, referent);
    if (!entry)
        entry = entry_add(table, referent);
    referrer_add(entry, referrer);
}

void rt_weak_unregister(struct weak_table *table, id referent, id *referrer) {
    struct weak_entry *entry = entry_for(table, referent);
    if (!entry)
        return;
    size_t count;
    disguised_ptr *referrers = referrers_of(entry, &count);
    bool removed = false;
    bool empty = true;
    for (size_t i = 0; i < count; i++) {
        if (!removed && referrers[i] == rt_disguise(referrer)) {
            referrers[i] = 0;
            removed = true;
            if (is_out_of_line(entry))
                set_referrer_count(entry, referrer_count(entry) - 1);
        }
        empty = empty && !referrers[i];
    }
    if (empty)
        entry_remove(table, entry);
}

void rt_weak_clear(struct weak_table *table, id referent) {
    struct weak_entry *entry = entry_for(table, referent);
    if (!entry)
        return;
    size_t count;
    disguised_ptr *referrers = referrers_of(entry, &count);
    for (size_t i = 0; i < count; i++) {
        id *referrer = rt_undisguise(referrers[i]);
        if (referrer && *referrer == referent)
            *referrer = nil;
    }
    entry_remove(table, entry);
}
