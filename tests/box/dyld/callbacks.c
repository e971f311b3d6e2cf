/*
 * callbacks.c - who wants to know of images: by _dyld_register_func_for_add_image(), which tells
 * of those that are there at once, and the Objective-C runtime, which is told of several together
 * before they run.
 */
#include "../loader/images.h"
#include "dyld.h"

#include <string.h>

typedef void add_image(const struct macho_header *header, intptr_t slide);
typedef void objc_mapped(unsigned count, const char *const *paths,
                         const struct macho_header *const *headers);
typedef void objc_init(const char *path, const struct macho_header *header);

enum { MOST_LISTENERS = 32 };

static add_image *listeners[MOST_LISTENERS];
static unsigned listener_count;
static objc_mapped *mapped;
static objc_init *init;

const char *box_path_inside(const struct box_image *image) {
    size_t length = strlen(box_root);
    bool is_below = length && strncmp(image->path, box_root, length) == 0;
    return image->path + (is_below ? length : 0);
}

static void tell_objc(unsigned first) {
    const char *paths[BOX_MOST_IMAGES];
    const struct macho_header *headers[BOX_MOST_IMAGES];
    unsigned count = box_images.count - first;
    for (unsigned i = 0; i < count; i++) {
        paths[i] = box_path_inside(box_images.items[first + i]);
        headers[i] = box_images.items[first + i]->header;
    }
    if (mapped && count)
        mapped(count, paths, headers);
}

void box_dyld_call_new(unsigned first) {
    tell_objc(first);
    for (unsigned i = first; i < box_images.count; i++)
        for (unsigned j = 0; j < listener_count; j++)
            listeners[j](box_images.items[i]->header, box_images.items[i]->slide);
}

void box_dyld_tell_initialized(const struct box_image *image) {
    if (init)
        init(box_path_inside(image), image->header);
}

/* ---- What libdyld calls ---- */

void host__dyld_register_func_for_add_image(add_image *listener) {
    if (listener_count == MOST_LISTENERS)
        box_fail("too many want to know of images");
    listeners[listener_count++] = listener;
    for (unsigned i = 0; i < box_images.count; i++)
        listener(box_images.items[i]->header, box_images.items[i]->slide);
}

/* Called by the runtime's initializer; images that were initialized before are told again. */
void host__dyld_objc_notify_register(objc_mapped *new_mapped, objc_init *new_init,
                                     void (*unmapped)(const char *, const struct macho_header *)) {
    (void)unmapped; /* nothing is ever unmapped here */
    mapped = new_mapped;
    init = new_init;
    tell_objc(0);
    for (unsigned i = 0; i < box_images.count; i++)
        if (box_images.items[i]->is_initialized)
            box_dyld_tell_initialized(box_images.items[i]);
}

uint32_t host__dyld_image_count(void) {
    return box_images.count;
}

const struct macho_header *host__dyld_get_image_header(uint32_t index) {
    return index < box_images.count ? box_images.items[index]->header : NULL;
}

intptr_t host__dyld_get_image_vmaddr_slide(uint32_t index) {
    return index < box_images.count ? box_images.items[index]->slide : 0;
}

const char *host__dyld_get_image_name(uint32_t index) {
    return index < box_images.count ? box_path_inside(box_images.items[index]) : NULL;
}
