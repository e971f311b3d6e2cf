/*
 * selector.c - one pointer per selector name. A selector is the address of its name.
 */
#include "internal.h"

#include <stdlib.h>
#include <string.h>

struct rt_selectors rt_sel;

/* Open addressing, at most half full. */
static struct {
    const char **names;
    size_t count;
    size_t mask;
} table;

static size_t name_hash(const char *name) {
    size_t hash = 5381;
    while (*name)
        hash = hash * 33 ^ (unsigned char)*name++;
    return hash;
}

static const char **slot_for(const char *name) {
    size_t index = name_hash(name) & table.mask;
    while (table.names[index] && strcmp(table.names[index], name) != 0)
        index = (index + 1) & table.mask;
    return &table.names[index];
}

static void grow(void) {
    const char **old = table.names;
    size_t old_size = old ? table.mask + 1 : 0;
    size_t size = old ? old_size * 2 : 1024;
    table.names = rt_meta_alloc(size * sizeof *table.names);
    table.mask = size - 1;
    for (size_t i = 0; i < old_size; i++) {
        if (old[i])
            *slot_for(old[i]) = old[i];
    }
    free(old);
}

SEL rt_selector(const char *name, bool copy) {
    rt_lock();
    if (!table.names || table.count * 2 > table.mask)
        grow();
    const char **slot = slot_for(name);
    if (!*slot) {
        *slot = copy ? rt_meta_strdup(name) : name;
        table.count++;
    }
    SEL sel = (SEL)(uintptr_t)*slot;
    rt_unlock();
    return sel;
}

void rt_selectors_init(void) {
    rt_sel = (struct rt_selectors){
        .alloc = rt_selector("alloc", false),
        .allocWithZone = rt_selector("allocWithZone:", false),
        .init = rt_selector("init", false),
        .new_ = rt_selector("new", false),
        .class_ = rt_selector("class", false),
        .copy = rt_selector("copy", false),
        .initialize = rt_selector("initialize", false),
        .load = rt_selector("load", false),
        .retain = rt_selector("retain", false),
        .release = rt_selector("release", false),
        .autorelease = rt_selector("autorelease", false),
        .retainCount = rt_selector("retainCount", false),
        .dealloc = rt_selector("dealloc", false),
        .retainWeakReference = rt_selector("retainWeakReference", false),
        .allowsWeakReference = rt_selector("allowsWeakReference", false),
        .cxx_construct = rt_selector(".cxx_construct", false),
        .cxx_destruct = rt_selector(".cxx_destruct", false),
        .resolveInstanceMethod = rt_selector("resolveInstanceMethod:", false),
        .resolveClassMethod = rt_selector("resolveClassMethod:", false),
        .forwardingTargetForSelector = rt_selector("forwardingTargetForSelector:", false),
        .doesNotRecognizeSelector = rt_selector("doesNotRecognizeSelector:", false),
        .copyWithZone = rt_selector("copyWithZone:", false),
        .mutableCopyWithZone = rt_selector("mutableCopyWithZone:", false),
        .isKindOfClass = rt_selector("isKindOfClass:", false),
        .respondsToSelector = rt_selector("respondsToSelector:", false),
        .self = rt_selector("self", false),
    };
}

SEL sel_registerName(const char *name) {
    return rt_selector(name, true);
}

SEL sel_getUid(const char *name) {
    return rt_selector(name, true);
}

const char *sel_getName(SEL sel) {
    return sel ? (const char *)sel : "<null selector>";
}

BOOL sel_isEqual(SEL a, SEL b) {
    return a == b;
}
