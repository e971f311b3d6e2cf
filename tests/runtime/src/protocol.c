/*
 * protocol.c - protocol objects: one per name, of class Protocol.
 */
#include "internal.h"

#include <string.h>

struct known {
    struct known *next;
    struct protocol *protocol;
};

static struct known *known_protocols;

static struct protocol *protocol_named(const char *name) {
    for (struct known *known = known_protocols; known; known = known->next) {
        if (strcmp(known->protocol->name, name) == 0)
            return known->protocol;
    }
    return NULL;
}

struct protocol *rt_protocol_add(struct protocol *protocol) {
    struct protocol *found = protocol_named(protocol->name);
    if (found)
        return found;
    struct known *known = rt_meta_alloc(sizeof *known);
    *known = (struct known){known_protocols, protocol};
    known_protocols = known;
    return protocol;
}

void rt_protocols_set_class(void) {
    Class cls = rt_class_named("Protocol");
    for (struct known *known = known_protocols; known && cls; known = known->next)
        known->protocol->isa = cls;
}

bool rt_protocol_conforms(const struct protocol *protocol, const struct protocol *other) {
    if (strcmp(protocol->name, other->name) == 0)
        return true;
    for (uintptr_t i = 0; protocol->protocols && i < protocol->protocols->count; i++) {
        if (rt_protocol_conforms(protocol->protocols->entries[i], other))
            return true;
    }
    return false;
}

static bool list_conforms(const struct protocol_list *list, const struct protocol *protocol) {
    for (uintptr_t i = 0; list && i < list->count; i++) {
        if (rt_protocol_conforms(list->entries[i], protocol))
            return true;
    }
    return false;
}

static bool conforms(Class cls, const struct protocol *protocol) {
    struct class_rw_ext *ext = rt_class_rw_ext(cls);
    if (!ext)
        return list_conforms(rt_class_ro(cls)->base_protocols, protocol);
    for (unsigned i = 0; i < rt_list_count(ext->protocols); i++) {
        if (list_conforms(rt_list_at(ext->protocols, i), protocol))
            return true;
    }
    return false;
}

BOOL class_conformsToProtocol(Class cls, Protocol *object) {
    const struct protocol *protocol = (const struct protocol *)object;
    if (!cls || !protocol)
        return NO;
    rt_class_realize(cls);
    rt_lock();
    bool found = conforms(cls, protocol);
    rt_unlock();
    return found;
}

BOOL class_addProtocol(Class cls, Protocol *object) {
    if (class_conformsToProtocol(cls, object))
        return NO;
    struct protocol_list *list = rt_meta_alloc(sizeof *list + sizeof list->entries[0]);
    list->count = 1;
    list->entries[0] = (struct protocol *)object;
    rt_lock();
    rt_list_prepend(&rt_class_rw_ext_create(cls)->protocols, list);
    rt_unlock();
    return YES;
}

Protocol *objc_getProtocol(const char *name) {
    return (Protocol *)protocol_named(name);
}

const char *protocol_getName(Protocol *protocol) {
    return ((const struct protocol *)protocol)->name;
}

BOOL protocol_conformsToProtocol(Protocol *protocol, Protocol *other) {
    return rt_protocol_conforms((const struct protocol *)protocol, (const struct protocol *)other);
}
