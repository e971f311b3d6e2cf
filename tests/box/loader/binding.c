#include "binding.h"

#include "../kernel/map.h"
#include "images.h"

#include <string.h>

/* ---- Names to addresses ---- */

/* What several images may define and one of them does for all. */
static uint64_t shared_by_all(const char *name) {
    return box_images_find(name);
}

static uint64_t look_up(struct box_image *image, const struct box_import *import) {
    struct box_image *library;
    switch (import->ordinal) {
    case MACHO_ORDINAL_SELF:
        return box_image_export(image, import->name);
    case MACHO_ORDINAL_MAIN:
        return box_image_export(box_images.items[0], import->name);
    case MACHO_ORDINAL_FLAT:
        return box_images_find(import->name);
    case MACHO_ORDINAL_WEAK:
        return shared_by_all(import->name);
    default:
        break;
    }
    if (import->ordinal < 0 || (unsigned)import->ordinal > image->library_count)
        box_fail("%s: %s is in library %d, which it does not name", image->path, import->name,
                 import->ordinal);
    library = image->libraries[import->ordinal - 1].image;
    return library ? box_image_export(library, import->name) : 0;
}

/* ---- Replacements ---- */

enum { MOST_REPLACEMENTS = 256 };

static struct replacement {
    const struct box_image *by;
    uint64_t replacement, replaced;
} replacements[MOST_REPLACEMENTS];
static unsigned replacement_count;

static void add_section(const struct box_image *image, const struct macho_section *section,
                        void *ctx) {
    const uint64_t *pairs = box_image_at(image, section->address);
    (void)ctx;
    for (uint64_t i = 0; i + 1 < section->size / sizeof(*pairs); i += 2) {
        if (replacement_count == MOST_REPLACEMENTS)
            box_fail("too many functions are interposed");
        replacements[replacement_count++] = (struct replacement){image, pairs[i], pairs[i + 1]};
    }
}

void box_interpose_add(const struct box_image *image) {
    box_image_sections(image, MACHO_INTERPOSING, add_section, NULL);
}

static uint64_t replaced(const struct box_image *image, uint64_t address) {
    for (unsigned i = 0; i < replacement_count; i++)
        if (replacements[i].replaced == address && replacements[i].by != image)
            return replacements[i].replacement;
    return address;
}

/* ---- All of it ---- */

uint64_t box_resolve(struct box_image *image, const struct box_import *import) {
    uint64_t found = look_up(image, import);
    if (!found && strncmp(import->name, "_host_", 6) == 0)
        found = box_host_function(import->name + 1);
    if (!found && !import->is_weak)
        box_fail("%s: %s is not there", image->path, import->name);
    return found ? replaced(image, found) : 0;
}

void box_image_bind(struct box_image *image) {
    if (image->is_bound)
        return;
    image->is_bound = true;
    if (image->chains.size)
        box_fix_chains(image);
    else if (image->opcodes)
        box_fix_by_opcodes(image);
    box_image_protect(image);
}
