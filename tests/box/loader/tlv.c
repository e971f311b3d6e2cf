#include "tlv.h"

#include "../kernel/kernel.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* What each thread's variables of an image begin as. */
struct initial {
    const struct box_image *image;
    pthread_key_t key;
    uint64_t start, end; /* of the sections, addresses of the file */
    uint64_t zero_from;
};

enum { MOST_KEYS = 1024 };
static struct initial *initials[MOST_KEYS]; /* by key */

static void widen(const struct box_image *image, const struct macho_section *section, void *ctx) {
    struct initial *initial = ctx;
    (void)image;
    if (section->address < initial->start)
        initial->start = section->address;
    if (section->address + section->size > initial->end)
        initial->end = section->address + section->size;
    if ((section->flags & MACHO_SECTION_KIND) == MACHO_TLV_ZERO &&
        section->address < initial->zero_from)
        initial->zero_from = section->address;
}

static void fill_descriptors(const struct box_image *image, const struct macho_section *section,
                             void *ctx) {
    const struct initial *initial = ctx;
    struct box_tlv_descriptor *items = box_image_at(image, section->address);
    for (uint64_t i = 0; i < section->size / sizeof(*items); i++) {
        items[i].address = box_tlv_address;
        items[i].key = initial->key;
    }
}

void box_tlv_prepare(struct box_image *image) {
    struct initial *initial = calloc(1, sizeof(*initial));
    if (!initial)
        box_fail("no memory");
    *initial = (struct initial){.image = image, .start = UINT64_MAX, .zero_from = UINT64_MAX};
    box_image_sections(image, MACHO_TLV_DATA, widen, initial);
    box_image_sections(image, MACHO_TLV_ZERO, widen, initial);
    if (initial->start == UINT64_MAX) {
        free(initial);
        return;
    }
    if (pthread_key_create(&initial->key, free) || initial->key >= MOST_KEYS)
        box_fail("too many images with variables of threads");
    initials[initial->key] = initial;
    box_image_sections(image, MACHO_TLV_DESCRIPTORS, fill_descriptors, initial);
}

static void *make(const struct initial *initial) {
    uint64_t size = initial->end - initial->start;
    uint64_t filled =
        (initial->zero_from < initial->end ? initial->zero_from : initial->end) - initial->start;
    char *variables = aligned_alloc(64, (size + 63) & ~(uint64_t)63);
    if (!variables)
        box_fail("no memory");
    memset(variables, 0, size);
    if (filled < size + 1)
        memcpy(variables, box_image_at(initial->image, initial->start), filled);
    pthread_setspecific(initial->key, variables);
    return variables;
}

void *box_tlv_find(const struct box_tlv_descriptor *descriptor) {
    struct box_kernel_entry entry = box_kernel_enter_unlocked();
    char *variables = pthread_getspecific((pthread_key_t)descriptor->key);
    if (!variables)
        variables = make(initials[descriptor->key]);
    box_kernel_leave_unlocked(entry);
    return variables + descriptor->offset;
}
