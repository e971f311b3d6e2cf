/*
 * test_linked.c - loads a library of any processor as the box would, and tells each word of its
 * data, for test_linked.py. Nothing of it runs.
 *
 *     box_test_linked LIBRARY
 *
 * Prints "slide N", "import ADDRESS NAME" of each name that it asked for, and "word ADDRESS VALUE"
 * with addresses as the file has them.
 */
#include "loader/binding.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NAMES = 4096, WRITABLE = 2 };

static const char *names[MOST_NAMES];
static unsigned name_count;

/* Far from each other, so that an addend leads to no other one. */
static uint64_t place_of(unsigned number) {
    return UINT64_C(0x7a0000000000) + ((uint64_t)number << 20);
}

uint64_t box_resolve(struct box_image *image, const struct box_import *import) {
    unsigned i = 0;
    while (i < name_count && strcmp(names[i], import->name) != 0)
        i++;
    if (i == MOST_NAMES)
        box_fail("%s asks for too many names", image->path);
    if (i == name_count) {
        names[name_count++] = import->name;
        printf("import %#" PRIx64 " %s\n", place_of(i), import->name);
    }
    return place_of(i);
}

static void tell_words(const struct box_image *image, const struct macho_segment *segment) {
    const uint64_t *words = box_image_at(image, segment->address);
    for (uint64_t i = 0; i < segment->memory_size / sizeof(*words); i++)
        printf("word %#" PRIx64 " %#" PRIx64 "\n", segment->address + i * sizeof(*words), words[i]);
}

int main(int count, char **arguments) {
    if (count != 2)
        return 2;
    struct box_image *image = box_image_map(arguments[1], false);
    printf("slide %#" PRIx64 "\n", (uint64_t)image->slide);
    if (image->chains.size)
        box_fix_chains(image);
    else if (image->opcodes)
        box_fix_by_opcodes(image);
    for (unsigned i = 0; i < image->segment_count; i++)
        if (image->segments[i]->protection & WRITABLE)
            tell_words(image, image->segments[i]);
    return 0;
}
