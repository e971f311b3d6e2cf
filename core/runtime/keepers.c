#include "runtime/keepers.h"

#include <string.h>

const struct loupe_keeper *loupe_keeper_of(const struct loupe_target *target,
                                           const struct loupe_class *cls) {
    const struct loupe_abi *abi = target->abi;
    for (unsigned i = 0; i < *abi->keeper_count; i++) {
        if (strcmp(abi->keepers[i].class_name, cls->name) == 0)
            return &abi->keepers[i];
    }
    return NULL;
}

bool loupe_keeper_ivar(struct loupe_target *target, const struct loupe_class *cls, const char *name,
                       uint32_t *ret) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        const struct loupe_class_layout *layout;
        if (loupe_class_layout(target, level, &layout))
            return false;
        for (uint32_t i = 0; i < layout->ivar_count; i++) {
            if (strcmp(layout->ivars[i].name, name) == 0) {
                *ret = layout->ivars[i].offset;
                return true;
            }
        }
    }
    return false;
}

/* ---- Runs ---- */

struct loupe_run_cursor loupe_run_begin(const struct loupe_run *run) {
    return (struct loupe_run_cursor){.run = run};
}

/* Opens the next chain that has nodes. False: there is none, or the table cannot be read. */
static bool open_chain(struct loupe_target *target, struct loupe_run_cursor *cursor) {
    const struct loupe_run *run = cursor->run;
    uint8_t word = target->memory->machine.pointer_size;
    while (!cursor->node && cursor->chain < run->chains) {
        loupe_addr pair = run->first + (loupe_addr)cursor->chain++ * 2 * word;
        if (loupe_memory_read_pointer(target->memory, pair + word, &cursor->node))
            return false;
    }
    return cursor->node != 0;
}

static bool next_in_chain(struct loupe_target *target, struct loupe_run_cursor *cursor,
                          struct loupe_run_slot *ret) {
    const struct loupe_run *run = cursor->run;
    if (!cursor->node && !open_chain(target, cursor))
        return false;
    *ret = (struct loupe_run_slot){.address = cursor->node + run->slot_in_node,
                                   .key = run->key_in_node ? cursor->node + run->key_in_node : 0};
    return loupe_memory_read_pointer(target->memory, cursor->node, &cursor->node) == LOUPE_OK;
}

bool loupe_run_next(struct loupe_target *target, struct loupe_run_cursor *cursor,
                    struct loupe_run_slot *ret) {
    const struct loupe_run *run = cursor->run;
    uint32_t i = cursor->given;
    if (i == run->count)
        return false;
    if (run->chains) {
        if (!next_in_chain(target, cursor, ret))
            return false;
    } else {
        *ret = (struct loupe_run_slot){
            .address = run->first + (loupe_addr)i * run->stride,
            .key = run->keys ? run->keys + (loupe_addr)i * run->key_stride : 0};
    }
    cursor->number = run->start + i;
    cursor->given++;
    return true;
}

bool loupe_run_slot_at(struct loupe_target *target, const struct loupe_run *run, uint32_t number,
                       struct loupe_run_slot *ret) {
    struct loupe_run_cursor cursor = loupe_run_begin(run);
    if (!run->chains)
        cursor.given = number - run->start;
    while (loupe_run_next(target, &cursor, ret)) {
        if (cursor.number == number)
            return true;
    }
    return false;
}
