/* All classes that the runtime has linked, one by one. */
#include "runtime/class_walk.h"

#include "base/near_name.h"
#include "runtime/abi.h"

#include <string.h>

void loupe_class_walk_meet(struct loupe_class_walk *walk, loupe_addr address) {
    uint32_t ignored;
    if (!address || walk->status || loupe_map_find(&walk->seen, address, &ignored))
        return;
    loupe_addr *added = loupe_vector_add(&walk->addresses);
    if (!added) {
        walk->status = LOUPE_ENOMEM;
        return;
    }
    *added = address;
    walk->status = loupe_map_put(&walk->seen, address, 0);
}

static void meet_roots(struct loupe_class_walk *walk) {
    struct loupe_target *target = walk->target;
    struct loupe_class_cursor cursor = {.place = 0};
    loupe_addr address;
    while (target->abi->next_class && target->abi->next_class(target, &cursor, &address))
        loupe_class_walk_meet(walk, address);
    for (const char *const *name = target->abi->root_symbols; *name; name++) {
        if (!loupe_memory_find_symbol(target->memory, *name, &address))
            loupe_class_walk_meet(walk, address);
    }
    for (uint32_t i = 0; i < loupe_class_count(target); i++)
        loupe_class_walk_meet(walk, loupe_class_numbered(target, i)->address);
}

static void meet_relatives(struct loupe_class_walk *walk, const struct loupe_class *cls) {
    loupe_addr relatives[LOUPE_MAX_RELATIVES];
    unsigned count = walk->target->abi->relatives(walk->target, cls, relatives);
    for (unsigned i = 0; i < count; i++)
        loupe_class_walk_meet(walk, relatives[i]);
    loupe_class_walk_meet(walk, cls->superclass);
    loupe_class_walk_meet(walk, cls->isa);
}

void loupe_class_walk_begin(struct loupe_class_walk *walk, struct loupe_target *target) {
    *walk = (struct loupe_class_walk){.target = target};
    loupe_vector_init(&walk->addresses, target->chunks, sizeof(loupe_addr));
    loupe_map_init(&walk->seen, target->chunks);
    meet_roots(walk);
}

void loupe_class_walk_end(struct loupe_class_walk *walk) {
    loupe_vector_deinit(&walk->addresses);
    loupe_map_deinit(&walk->seen);
}

const struct loupe_class *loupe_class_walk_next(struct loupe_class_walk *walk) {
    while (!walk->status && walk->done < walk->addresses.count) {
        const struct loupe_class *cls;
        loupe_addr address =
            *(const loupe_addr *)loupe_vector_at(&walk->addresses, walk->done, sizeof(address));
        if (loupe_memory_interrupted(walk->target->memory)) {
            loupe_findings_add(&walk->target->findings, LOUPE_FINDING_INTERRUPTED, address);
            return NULL;
        }
        walk->done++;
        enum loupe_status status = loupe_class_at(walk->target, address, &cls, NULL);
        if (status == LOUPE_ENOMEM)
            walk->status = status;
        if (status)
            continue;
        meet_relatives(walk, cls);
        return walk->status ? NULL : cls;
    }
    return NULL;
}

enum loupe_status loupe_class_named(struct loupe_target *target, const char *name,
                                    const struct loupe_class **ret) {
    struct loupe_class_walk walk;
    const struct loupe_class *cls;
    loupe_class_walk_begin(&walk, target);
    while ((cls = loupe_class_walk_next(&walk))) {
        if (!(cls->flags & LOUPE_CLASS_META) && strcmp(cls->name, name) == 0)
            break;
    }
    *ret = cls;
    loupe_class_walk_end(&walk);
    return walk.status;
}

enum loupe_status loupe_fail_no_class(struct loupe_target *target, const char *name,
                                      struct loupe_error *err) {
    struct loupe_near_name near = loupe_near_name_of(loupe_span_of(name));
    struct loupe_class_walk walk;
    const struct loupe_class *cls;
    loupe_class_walk_begin(&walk, target);
    while ((cls = loupe_class_walk_next(&walk)))
        loupe_near_name_offer(&near, loupe_span_of(cls->name));
    loupe_class_walk_end(&walk);
    return loupe_fail(err, LOUPE_ENOTOBJECT, 0, "the runtime has no class '%s'%s%s%s", name,
                      near.best[0] ? "; did you mean " : "", near.best, near.best[0] ? "?" : "");
}
