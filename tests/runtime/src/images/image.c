/*
 * image.c - taking in the Objective-C metadata of a program or library.
 */
#include "internal.h"

#include <string.h>

static void unique_selectors(const struct loupe_test_image *image) {
    for (SEL *ref = image->selector_refs; ref < image->selector_refs_end; ref++)
        *ref = rt_selector((const char *)*ref, false);
}

/* The list of protocols may be constant: what leads to them is unique, not they. */
static void unique_protocols(const struct loupe_test_image *image) {
    for (struct protocol **p = image->protocols; p < image->protocols_end; p++)
        rt_protocol_add(*p);
    for (struct protocol **p = image->protocol_refs; p < image->protocol_refs_end; p++)
        *p = rt_protocol_add(*p);
}

typedef void (*load_method)(Class, SEL);

static load_method load_in_list(struct method_list *list) {
    list = rt_method_list_absolute(list);
    for (uint32_t i = 0; list && i < list->count; i++) {
        if (strcmp((const char *)list->entries[i].name, "load") == 0)
            return (load_method)list->entries[i].imp;
    }
    return NULL;
}

static void load_class(Class cls) {
    if (!cls || (rt_class_rw(cls)->flags & RW_LOADED))
        return;
    rt_class_rw(cls)->flags |= RW_LOADED;
    load_class(cls->superclass);
    /* The class's own +load, not one of a category. */
    load_method load = load_in_list(rt_class_ro(cls->isa)->base_methods);
    if (load)
        load(cls, rt_sel.load);
}

void loupe_test_register_image(const struct loupe_test_image *image) {
    rt_lock();
    if (!rt_sel.retain) {
        rt_selectors_init();
        rt_tagged_pointers_init();
    }
    unique_selectors(image);
    unique_protocols(image);
    for (Class *cls = image->classes; cls < image->classes_end; cls++)
        rt_class_name_add(*cls);
    rt_protocols_set_class();
    for (struct category **c = image->categories; c < image->categories_end; c++)
        rt_category_add(*c);
    for (Class *cls = image->load_classes; cls < image->load_classes_end; cls++)
        rt_class_realize(*cls);
    rt_unlock();

    for (Class *cls = image->load_classes; cls < image->load_classes_end; cls++)
        load_class(*cls);
    for (struct category **c = image->load_categories; c < image->load_categories_end; c++) {
        rt_class_realize((*c)->cls);
        load_method load = load_in_list((*c)->class_methods);
        if (load)
            load((*c)->cls, rt_sel.load);
    }
}
