#include "initializers.h"

#include "../dyld/dyld.h"
#include "images.h"

#include <string.h>

struct box_arguments box_arguments;

typedef void initializer(int count, char **arguments, char **environment, char **apple);

static void call(uint64_t address) {
    ((initializer *)(uintptr_t)address)(box_arguments.count, box_arguments.arguments,
                                        box_arguments.environment, box_arguments.apple);
}

static void call_pointers(const struct box_image *image, const struct macho_section *section,
                          void *ctx) {
    const uint64_t *pointers = box_image_at(image, section->address);
    (void)ctx;
    for (uint64_t i = 0; i < section->size / sizeof(*pointers); i++)
        call(pointers[i]);
}

static void call_offsets(const struct box_image *image, const struct macho_section *section,
                         void *ctx) {
    const uint32_t *offsets = box_image_at(image, section->address);
    (void)ctx;
    for (uint64_t i = 0; i < section->size / sizeof(*offsets); i++)
        call((uint64_t)(uintptr_t)image->header + offsets[i]);
}

/* As deep as libraries need each other, which for those of the tests is not deep. */
static void initialize(struct box_image *image) {
    if (image->is_initialized)
        return;
    image->is_initialized = true;
    for (unsigned i = 0; i < image->library_count; i++)
        if (image->libraries[i].image && image->libraries[i].kind != (uint32_t)MACHO_UPWARD)
            initialize(image->libraries[i].image);
    box_dyld_tell_initialized(image);
    box_image_sections(image, MACHO_INIT_POINTERS, call_pointers, NULL);
    box_image_sections(image, MACHO_INIT_OFFSETS, call_offsets, NULL);
}

/* Before all others: libSystem's own initializer calls that of the Objective-C runtime (Libsystem,
 * init.c), so that classes are known to whatever else begins. */
static void initialize_system(void) {
    for (unsigned i = 1; i < box_images.count; i++) {
        const char *name = box_images.items[i]->install_name;
        if (name && (strcmp(name, "/usr/lib/libSystem.B.dylib") == 0 ||
                     strcmp(name, "/usr/lib/libobjc.A.dylib") == 0))
            initialize(box_images.items[i]);
    }
}

/* The program last: what was inserted comes before it. */
void box_initialize_from(unsigned first) {
    initialize_system();
    for (unsigned i = first ? first : 1; i < box_images.count; i++)
        initialize(box_images.items[i]);
    if (!first)
        initialize(box_images.items[0]);
}
