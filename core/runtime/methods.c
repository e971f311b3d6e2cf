#include "runtime/methods.h"

#include "base/map.h"
#include "base/vector.h"

#include <string.h>

/* ---- All classes ---- */

/* Addresses of what may be classes, in the order in which they were found. */
struct class_walk {
    struct loupe_target *target;
    struct loupe_vector addresses;
    struct loupe_map seen;
    uint32_t done;
    enum loupe_status status;
};

static void meet(struct class_walk *walk, loupe_addr address) {
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

static void meet_roots(struct class_walk *walk) {
    struct loupe_target *target = walk->target;
    struct loupe_class_cursor cursor = {.place = 0};
    loupe_addr address;
    while (target->abi->next_class && target->abi->next_class(target, &cursor, &address))
        meet(walk, address);
    for (const char *const *name = target->abi->root_symbols; *name; name++) {
        if (!loupe_memory_find_symbol(target->memory, *name, &address))
            meet(walk, address);
    }
    for (uint32_t i = 0; i < loupe_class_count(target); i++)
        meet(walk, loupe_class_numbered(target, i)->address);
}

static void meet_relatives(struct class_walk *walk, const struct loupe_class *cls) {
    loupe_addr relatives[LOUPE_MAX_RELATIVES];
    unsigned count = walk->target->abi->relatives(walk->target, cls, relatives);
    for (unsigned i = 0; i < count; i++)
        meet(walk, relatives[i]);
    meet(walk, cls->superclass);
    meet(walk, cls->isa);
}

static void begin_walk(struct class_walk *walk, struct loupe_target *target) {
    *walk = (struct class_walk){.target = target};
    loupe_vector_init(&walk->addresses, target->chunks, sizeof(loupe_addr));
    loupe_map_init(&walk->seen, target->chunks);
    meet_roots(walk);
}

static void end_walk(struct class_walk *walk) {
    loupe_vector_deinit(&walk->addresses);
    loupe_map_deinit(&walk->seen);
}

/* NULL: there is no further one, or the walk cannot go on. */
static const struct loupe_class *next_class(struct class_walk *walk) {
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

/* ---- Places ---- */

static void compare(struct loupe_code_place *place, const struct loupe_known_method *method) {
    bool begins_behind = method->code > place->address;
    struct loupe_known_method *nearest = begins_behind ? &place->behind : &place->before;
    bool nearer = begins_behind ? method->code < nearest->code : method->code > nearest->code;
    if (!nearest->cls || nearer) {
        *nearest = *method;
        if (!begins_behind)
            place->same = 0;
    } else if (!begins_behind && method->code == nearest->code) {
        place->same++;
    }
}

static void compare_all_of(struct loupe_target *target, const struct loupe_class *cls,
                           struct loupe_code_place *places, uint32_t count) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    while (target->abi->next_method(target, cls, &cursor, &method)) {
        struct loupe_known_method known = {
            .cls = cls, .code = method.code, .selector = method.selector};
        for (uint32_t i = 0; known.code && i < count; i++)
            compare(&places[i], &known);
    }
    if (cursor.damaged)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, cls->address);
}

enum loupe_status loupe_methods_around(struct loupe_target *target, struct loupe_code_place *places,
                                       uint32_t count) {
    const struct loupe_class *cls;
    struct class_walk walk;
    begin_walk(&walk, target);
    while ((cls = next_class(&walk)))
        compare_all_of(target, cls, places, count);
    end_walk(&walk);
    return walk.status;
}

/* ---- One method ---- */

bool loupe_method_name(struct loupe_target *target, const struct loupe_known_method *method,
                       char *dst, size_t cap) {
    char selector[LOUPE_MAX_SELECTOR];
    dst[0] = '\0';
    if (!method->cls || !method->selector ||
        !target->abi->selector_name(target, method->selector, selector, sizeof(selector)))
        return false;
    loupe_format(dst, cap, "%c[%s %s]", method->cls->flags & LOUPE_CLASS_META ? '+' : '-',
                 method->cls->name, selector);
    return true;
}

loupe_addr loupe_method_code(struct loupe_target *target, const struct loupe_class *cls,
                             const char *selector) {
    struct loupe_method_cursor cursor = {.begun = false};
    struct loupe_method method;
    char name[LOUPE_MAX_SELECTOR];
    while (target->abi->next_method(target, cls, &cursor, &method)) {
        if (method.selector &&
            target->abi->selector_name(target, method.selector, name, sizeof(name)) &&
            strcmp(name, selector) == 0)
            return method.code;
    }
    return 0;
}
