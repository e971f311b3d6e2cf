/*
 * categories.c - methods, properties and protocols that categories add to classes.
 *
 * A category that arrives before its class is realized waits; one that arrives later is attached at
 * once. Either way the class gets a class_rw_ext, and the category's lists come before its own.
 */
#include "internal.h"

#include <stdlib.h>

struct waiting {
    struct waiting *next;
    struct category *category;
};

static struct waiting *waiting_categories;

static void attach_methods(Class cls, struct method_list *methods) {
    if (!methods)
        return;
    rt_method_list_fix_up(methods);
    rt_list_prepend(&rt_class_rw_ext_create(cls)->methods, methods);
    rt_cache_flush(cls);
}

static void attach(struct category *category) {
    Class cls = category->cls;
    attach_methods(cls, category->instance_methods);
    attach_methods(cls->isa, category->class_methods);
    if (category->instance_properties) {
        rt_list_prepend(&rt_class_rw_ext_create(cls)->properties, category->instance_properties);
    }
    if (category->protocols)
        rt_list_prepend(&rt_class_rw_ext_create(cls)->protocols, category->protocols);
    /* Older compilers end the structure before class_properties. */
    if (category->size > offsetof(struct category, class_properties) &&
        category->class_properties) {
        rt_list_prepend(&rt_class_rw_ext_create(cls->isa)->properties, category->class_properties);
    }
}

void rt_category_add(struct category *category) {
    if (!category->cls)
        rt_fatal("category %s is of no class", category->name);
    rt_lock();
    if (rt_class_is_realized(category->cls)) {
        attach(category);
    } else {
        struct waiting *entry = rt_meta_alloc(sizeof *entry);
        *entry = (struct waiting){NULL, category};
        struct waiting **end = &waiting_categories;
        while (*end)
            end = &(*end)->next;
        *end = entry;
    }
    rt_unlock();
}

void rt_categories_attach(Class cls) {
    for (struct waiting **link = &waiting_categories; *link;) {
        struct waiting *entry = *link;
        if (entry->category->cls == cls) {
            attach(entry->category);
            *link = entry->next;
            free(entry);
        } else {
            link = &entry->next;
        }
    }
}
