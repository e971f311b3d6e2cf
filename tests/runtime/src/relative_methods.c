/*
 * relative_methods.c - lists of methods as newer linkers make them: constant, of distances.
 *
 * The list stays as it is, for readers of memory. What the runtime itself works with is a list of
 * addresses that is made when it is needed first, and kept: implementations are replaced there.
 */
#include "internal.h"

struct made {
    struct made *next;
    const struct relative_method_list *of;
    struct method_list list;
};

static struct made *made_lists;

/* What stands so far behind the distance. */
static const void *behind(const int32_t *distance) {
    return (const char *)distance + *distance;
}

static struct method_list *make(const struct relative_method_list *of) {
    struct made *made = rt_meta_alloc(sizeof *made + of->count * sizeof made->list.entries[0]);
    made->of = of;
    made->list.entsize_and_flags = sizeof made->list.entries[0] | METHOD_LIST_FIXED_UP;
    made->list.count = of->count;
    for (uint32_t i = 0; i < of->count; i++) {
        const struct relative_method *entry = &of->entries[i];
        SEL const *name = behind(&entry->name);
        made->list.entries[i] =
            (struct objc_method){*name, behind(&entry->types), (IMP)(uintptr_t)behind(&entry->imp)};
    }
    made->next = made_lists;
    made_lists = made;
    return &made->list;
}

struct method_list *rt_method_list_absolute(struct method_list *list) {
    if (!list || !(list->entsize_and_flags & METHOD_LIST_RELATIVE))
        return list;
    const struct relative_method_list *of = (const struct relative_method_list *)(void *)list;
    rt_lock();
    struct made *made = made_lists;
    while (made && made->of != of)
        made = made->next;
    struct method_list *found = made ? &made->list : make(of);
    rt_unlock();
    return found;
}
