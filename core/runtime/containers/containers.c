#include "runtime/containers/containers.h"

#include "base/map.h"
#include "types/encoding.h"

#include <string.h>

const struct loupe_container_rule *loupe_container_rule_of(const struct loupe_target *target,
                                                           const struct loupe_class *cls) {
    const struct loupe_abi *abi = target->abi;
    for (unsigned i = 0; i < *abi->container_rule_count; i++) {
        const char *name = abi->container_rules[i].class_name;
        if (name[0] == cls->name[0] && strcmp(name, cls->name) == 0)
            return &abi->container_rules[i];
    }
    return NULL;
}

const struct loupe_container_rule *
loupe_container_rule_inherited(struct loupe_target *target, const struct loupe_class *cls,
                               const struct loupe_class **level_ret) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    while ((*level_ret = loupe_class_chain_next(target, &chain))) {
        const struct loupe_container_rule *rule = loupe_container_rule_of(target, *level_ret);
        if (rule)
            return rule;
    }
    return NULL;
}

/* ---- Ivars by their names ---- */

enum { MAX_MEMBERS = 256 /* of one struct */ };
#define NO_PLACE UINT32_MAX

static bool find_member(struct loupe_target *target, const struct loupe_ivar *ivar,
                        const char *path, uint32_t *ret) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    if (loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, ivar->size) ||
        !encoding.fits)
        return false;
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(ivar->name), MAX_MEMBERS);
    while (loupe_encoding_next(&cursor, &leaf)) {
        if (strcmp(leaf.path, path) == 0) {
            *ret = ivar->offset + (uint32_t)leaf.offset;
            return leaf.trust != LOUPE_TRUST_UNKNOWN && !leaf.bit_width;
        }
    }
    return false;
}

/* Of a path: the name of the ivar. */
static struct loupe_span first_part(const char *path) {
    struct loupe_span name = {.bytes = path};
    while (path[name.length] && path[name.length] != '.')
        name.length++;
    return name;
}

static const struct loupe_ivar *ivar_named(const struct loupe_class_layout *layout,
                                           struct loupe_span name) {
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        if (loupe_span_equals(name, layout->ivars[i].name))
            return &layout->ivars[i];
    }
    return NULL;
}

static bool find_place(struct loupe_target *target, const struct loupe_class *cls, const char *path,
                       uint32_t *ret) {
    struct loupe_span name = first_part(path);
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        const struct loupe_class_layout *layout;
        if (loupe_class_layout(target, level, &layout))
            return false;
        const struct loupe_ivar *ivar = ivar_named(layout, name);
        if (ivar && path[name.length])
            return find_member(target, ivar, path, ret);
        if (ivar) {
            *ret = ivar->offset;
            return true;
        }
    }
    return false;
}

/* Where places are remembered; NULL without memory for it. */
static struct loupe_map *places_of(struct loupe_target *target) {
    if (!target->places &&
        (target->places = loupe_arena_alloc(&target->arena, sizeof(*target->places))))
        loupe_map_init(target->places, &target->arena_chunks);
    return target->places;
}

/* Class numbers have 20 bits; the literals of one program do not differ in the bits that go. */
static uint64_t place_key(const struct loupe_class *cls, const char *path) {
    enum { CLASS_BITS = 20 };
    _Static_assert(LOUPE_MAX_CLASSES <= 1 << CLASS_BITS, "a class number fits");
    return (uint64_t)(uintptr_t)path << CLASS_BITS | cls->number;
}

bool loupe_container_ivar(struct loupe_target *target, const struct loupe_class *cls,
                          const char *path, uint32_t *ret) {
    struct loupe_map *places = places_of(target);
    uint64_t key = place_key(cls, path);
    uint32_t place = NO_PLACE;
    if (!places || !loupe_map_find(places, key, &place)) {
        if (!find_place(target, cls, path, &place))
            place = NO_PLACE;
        if (places)
            loupe_map_put(places, key, place);
    }
    if (place == NO_PLACE)
        return false;
    *ret = place;
    return true;
}

static unsigned count_ivars(struct loupe_target *target, const struct loupe_class *cls,
                            const struct loupe_contained_ivar *ivars, unsigned *listed_ret) {
    uint32_t offset;
    unsigned count = 0;
    for (*listed_ret = 0; ivars && ivars->name; ivars++, ++*listed_ret)
        count += loupe_container_ivar(target, cls, ivars->name, &offset);
    return count;
}

bool loupe_container_rule_knows_ivars(struct loupe_target *target,
                                      const struct loupe_container_rule *rule,
                                      const struct loupe_class *cls) {
    unsigned listed, some = count_ivars(target, cls, rule->some_ivars, &listed);
    if (listed && !some)
        return false;
    return rule->find && count_ivars(target, cls, rule->ivars, &listed) == listed;
}

static bool is_flag_set(struct loupe_target *target, const struct loupe_object *object,
                        const char *flag, bool *ret) {
    uint32_t offset;
    uint8_t byte;
    if (!loupe_container_ivar(target, object->cls, flag, &offset) ||
        loupe_memory_read(target->memory, object->address + offset, &byte, 1))
        return false;
    *ret = byte != 0;
    return true;
}

static bool add_ivar(struct loupe_target *target, const struct loupe_object *object,
                     const struct loupe_contained_ivar *ivar, struct loupe_contents *ret) {
    uint32_t offset;
    bool owned = true;
    if (ret->group_count == LOUPE_MAX_SLOT_GROUPS ||
        !loupe_container_ivar(target, object->cls, ivar->name, &offset) ||
        (ivar->flag && !is_flag_set(target, object, ivar->flag, &owned)))
        return false;
    if (owned)
        ret->groups[ret->group_count++] = (struct loupe_slot_group){
            .first = object->address + offset, .count = 1, .kind = ivar->kind, .name = ivar->name};
    return true;
}

bool loupe_container_find_ivars(struct loupe_target *target, const struct loupe_object *object,
                                const struct loupe_container_rule *rule,
                                struct loupe_contents *ret) {
    const struct loupe_contained_ivar *ivar;
    for (ivar = rule->ivars; ivar && ivar->name; ivar++) {
        if (!add_ivar(target, object, ivar, ret))
            return false;
    }
    unsigned found = 0;
    for (ivar = rule->some_ivars; ivar && ivar->name; ivar++)
        found += add_ivar(target, object, ivar, ret);
    return found || !rule->some_ivars;
}

/* ---- Runs ---- */

struct loupe_slot_group_cursor loupe_slot_group_begin(const struct loupe_slot_group *group) {
    return (struct loupe_slot_group_cursor){.group = group};
}

/* Opens the next chain that has nodes. False: there is none, or the table cannot be read. */
static bool open_chain(struct loupe_target *target, struct loupe_slot_group_cursor *cursor) {
    const struct loupe_slot_group *group = cursor->group;
    uint8_t word = target->memory->machine.pointer_size;
    while (!cursor->node && cursor->chain < group->chains) {
        loupe_addr pair = group->first + (loupe_addr)cursor->chain++ * 2 * word;
        if (loupe_memory_ends_at(target->memory, cursor->chain) ||
            loupe_memory_read_pointer(target->memory, pair + word, &cursor->node))
            return false;
    }
    return cursor->node != 0;
}

static bool next_in_chain(struct loupe_target *target, struct loupe_slot_group_cursor *cursor,
                          struct loupe_group_slot *ret) {
    const struct loupe_slot_group *group = cursor->group;
    if (!cursor->node && !open_chain(target, cursor))
        return false;
    *ret = (struct loupe_group_slot){.address = cursor->node + group->slot_in_node,
                                     .key = group->key_in_node ? cursor->node + group->key_in_node
                                                               : 0};
    return loupe_memory_read_pointer(target->memory, cursor->node, &cursor->node) == LOUPE_OK;
}

/* Where the i-th slot of a group without chains is. */
static bool place_of_slot(struct loupe_target *target, const struct loupe_slot_group *group,
                          uint32_t i, loupe_addr *ret) {
    loupe_addr block;
    if (!group->per_block) {
        *ret = group->first + (loupe_addr)i * group->stride;
        return true;
    }
    loupe_addr entry =
        group->first + (loupe_addr)(i / group->per_block) * target->memory->machine.pointer_size;
    if (loupe_memory_read_pointer(target->memory, entry, &block))
        return false;
    *ret = block + group->first_in_block + (loupe_addr)(i % group->per_block) * group->stride;
    return true;
}

static bool next_slot(struct loupe_target *target, struct loupe_slot_group_cursor *cursor,
                      struct loupe_group_slot *ret) {
    const struct loupe_slot_group *group = cursor->group;
    uint32_t i = cursor->taken;
    if (i >= group->count || (group->chains && loupe_memory_ends_at(target->memory, i)))
        return false;
    *ret = (struct loupe_group_slot){
        .key = group->keys ? group->keys + (loupe_addr)i * group->key_stride : 0};
    if (group->chains ? !next_in_chain(target, cursor, ret)
                      : !place_of_slot(target, group, i, &ret->address))
        return false;
    cursor->number = group->start + i;
    cursor->taken++;
    return true;
}

bool loupe_slot_group_next(struct loupe_target *target, struct loupe_slot_group_cursor *cursor,
                           struct loupe_group_slot *ret) {
    const struct loupe_slot_group *group = cursor->group;
    while (next_slot(target, cursor, ret)) {
        if (!group->counts || group->counts(target, group, ret->address))
            return true;
    }
    return false;
}

bool loupe_slot_group_slot_at(struct loupe_target *target, const struct loupe_slot_group *group,
                              uint32_t number, struct loupe_group_slot *ret) {
    struct loupe_slot_group_cursor cursor = loupe_slot_group_begin(group);
    if (!group->chains)
        cursor.taken = number - group->start;
    while (loupe_slot_group_next(target, &cursor, ret)) {
        if (cursor.number == number)
            return true;
    }
    return false;
}
