/*
 * containers_gnustep.h - what the containers_gnustep*.c share. Nobody else includes it.
 *
 * Mirrors gnustep-base 1.24 to 1.31. Every place is taken from the target's own list of ivars, so
 * that an ivar that is gone, or a table whose count is not that of its nodes, shows a version that
 * is not the one described. Inside a structure offsets are in words.
 */
#ifndef LOUPE_CONTAINERS_GNUSTEP_H
#define LOUPE_CONTAINERS_GNUSTEP_H

#include "runtime/containers/containers.h"

static inline unsigned gnustep_word_size(const struct loupe_target *target) {
    return target->memory->machine.pointer_size;
}

static inline loupe_addr gnustep_word_at(const struct loupe_target *target, loupe_addr base,
                                         unsigned number) {
    return base + (loupe_addr)number * gnustep_word_size(target);
}

static inline bool gnustep_read_word(struct loupe_target *target, loupe_addr address,
                                     uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

/* Where an object's ivar is. False: its class declares none of that name. */
bool gnustep_find_ivar(struct loupe_target *target, const struct loupe_object *object,
                       const char *name, loupe_addr *ret);

/* Adds a group; there must be room for it. */
struct loupe_slot_group *gnustep_add_run(struct loupe_contents *contents, loupe_addr first,
                                         uint64_t count, enum loupe_edge_kind kind);

/* containers_gnustep_collections.c */
loupe_container_find_fn gnustep_find_array;
loupe_container_find_fn gnustep_find_ordered_set;
loupe_container_find_fn gnustep_find_map;
loupe_container_find_fn gnustep_find_map_table;
loupe_container_find_fn gnustep_find_hash_table;
loupe_container_find_fn gnustep_find_pointer_array;
loupe_container_find_fn gnustep_find_run_loop_context;

/* containers_gnustep_private.c */
loupe_container_find_fn gnustep_find_private;

/* containers_gnustep_event.c */
loupe_container_find_fn gnustep_find_event;

/* containers_gnustep_invocation.c */
loupe_container_find_fn gnustep_find_invocation;

/* containers_gnustep_notices.c */
loupe_container_find_fn gnustep_find_center;

/* containers_gnustep_pool.c */
loupe_container_find_fn gnustep_find_pool;

#endif
