/*
 * names.c - libraries and symbols by name, and names of addresses, for the program.
 */
#include "../loader/images.h"
#include "dyld.h"

#include <stdio.h>
#include <string.h>

enum { MOST_NAME = 4096 };

static __thread char error_text[MOST_NAME + 128];
static __thread bool has_error;

static void set_error(const char *what, const char *name) {
    snprintf(error_text, sizeof(error_text), "%s: %s", what, name);
    has_error = true;
}

/* Each failure is told once. */
char *host_dlerror(void) {
    bool had = has_error;
    has_error = false;
    return had ? error_text : NULL;
}

/* No name: the program itself. caller: an address in who calls. */
void *host_dlopen_from(const char *name, int mode, uint64_t caller) {
    enum { NO_LOAD = 0x10 };
    struct box_image *from = box_images_holding(caller);
    if (!name)
        return box_images.items[0];
    if (mode & NO_LOAD) {
        for (unsigned i = 0; i < box_images.count; i++)
            if (strcmp(box_path_inside(box_images.items[i]), name) == 0)
                return box_images.items[i];
        return NULL;
    }
    struct box_image *image = box_images_open(name, from ? from : box_images.items[0]);
    if (!image)
        set_error("image not found", name);
    return image;
}

int host_dlclose(void *handle) {
    (void)handle; /* nothing is ever unmapped here */
    return 0;
}

/* The special handles, and how the place of the caller decides. */
enum { HANDLE_NEXT = -1, HANDLE_DEFAULT = -2, HANDLE_SELF = -3, HANDLE_MAIN_ONLY = -5 };

static unsigned number_of(const struct box_image *image) {
    unsigned i = 0;
    while (i < box_images.count && box_images.items[i] != image)
        i++;
    return i;
}

static uint64_t find_from(unsigned first, const char *symbol) {
    for (unsigned i = first; i < box_images.count; i++) {
        uint64_t found = box_image_export(box_images.items[i], symbol);
        if (found)
            return found;
    }
    return 0;
}

static uint64_t find_in(struct box_image *image, const char *symbol) {
    uint64_t found = box_image_export(image, symbol);
    for (unsigned i = 0; !found && i < image->library_count; i++)
        if (image->libraries[i].image)
            found = box_image_export(image->libraries[i].image, symbol);
    return found;
}

void *host_dlsym_from(void *handle, const char *name, uint64_t caller) {
    char symbol[MOST_NAME];
    intptr_t special = (intptr_t)handle;
    unsigned own = number_of(box_images_holding(caller));
    snprintf(symbol, sizeof(symbol), "_%s", name);
    uint64_t found = special == HANDLE_DEFAULT     ? find_from(0, symbol)
                     : special == HANDLE_MAIN_ONLY ? box_image_export(box_images.items[0], symbol)
                     : special == HANDLE_SELF      ? find_from(own, symbol)
                     : special == HANDLE_NEXT      ? find_from(own + 1, symbol)
                                                   : find_in(handle, symbol);
    if (!found)
        set_error("symbol not found", name);
    return (void *)(uintptr_t)found;
}

struct address_info {
    const char *path;
    void *image;
    const char *name;
    void *symbol;
};

/* Returns 0 and fills nothing in where no image is. A symbol loses its first underscore. */
int host_dladdr(const void *address, struct address_info *ret) {
    uint64_t start = 0;
    const struct box_image *image = box_images_holding((uintptr_t)address);
    if (!image)
        return 0;
    const char *name = box_image_symbol(image, (uintptr_t)address, &start);
    *ret = (struct address_info){box_path_inside(image), image->header,
                                 name && *name == '_' ? name + 1 : name, (void *)(uintptr_t)start};
    return 1;
}
