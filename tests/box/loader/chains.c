/*
 * chains.c - chained fixups: each word to be changed leads to the next one of its page.
 *
 * The forms are those of mach-o/fixup-chains.h (dyld-1160): of pointers 1, 9 and 12 (arm64e), 2
 * and 6; of imports all three. Signed pointers are stored unsigned: nothing here has keys.
 */
#include "binding.h"

#include <string.h>

enum {
    FORM_ARM64E = 1,
    FORM_64 = 2,
    FORM_64_OFFSET = 6,
    FORM_ARM64E_USERLAND = 9,
    FORM_ARM64E_USERLAND24 = 12,

    IMPORTS = 1,
    IMPORTS_ADDEND = 2,
    IMPORTS_ADDEND64 = 3,

    NO_FIXUPS = 0xffff,
    SEVERAL_STARTS = 0x8000
};

static uint64_t bits(uint64_t word, unsigned from, unsigned count) {
    return word >> from & (((uint64_t)1 << count) - 1);
}

static int64_t signed_bits(uint64_t word, unsigned from, unsigned count) {
    return (int64_t)(word << (64 - from - count)) >> (64 - count);
}

/* ---- Imports ---- */

struct chains {
    struct box_image *image;
    const struct macho_chains *header;
    const uint8_t *bytes;
    size_t size;
};

/* Of the link-edit data. */
static const void *part(const struct chains *chains, uint64_t offset, uint64_t size) {
    if (offset > chains->size || size > chains->size - offset)
        box_fail("%s: chains that leave their bytes", chains->image->path);
    return chains->bytes + offset;
}

static const char *name_at(const struct chains *chains, uint64_t number) {
    uint64_t offset = chains->header->symbols + number;
    const char *name = part(chains, offset, 1);
    if (!memchr(name, '\0', chains->size - offset))
        box_fail("%s: the name of an import does not end", chains->image->path);
    return name;
}

/* Numbers from 0xf1 (in eight bits) or 0xfff1 (in sixteen) up are negative. */
static int ordinal_of(uint64_t number, unsigned width) {
    uint64_t most = ((uint64_t)1 << width) - 1;
    return number > most - 15 ? (int)(number - most - 1) : (int)number;
}

static struct box_import import_at(const struct chains *chains, uint64_t index) {
    static const uint8_t sizes[] = {[IMPORTS] = 4, [IMPORTS_ADDEND] = 8, [IMPORTS_ADDEND64] = 16};
    uint32_t form = chains->header->import_format, word;
    uint64_t wide;
    int32_t addend;
    if (index >= chains->header->import_count)
        box_fail("%s: import %llu is not there", chains->image->path, (unsigned long long)index);
    if (form < IMPORTS || form > IMPORTS_ADDEND64)
        box_fail("%s: imports of form %u", chains->image->path, form);
    const uint8_t *at = part(chains, chains->header->imports + index * sizes[form], sizes[form]);
    if (form == IMPORTS_ADDEND64) {
        struct box_import import;
        memcpy(&wide, at, sizeof(wide));
        memcpy(&import.addend, at + 8, sizeof(import.addend));
        import.ordinal = ordinal_of(bits(wide, 0, 16), 16);
        import.is_weak = bits(wide, 16, 1);
        import.name = name_at(chains, bits(wide, 32, 32));
        return import;
    }
    memcpy(&word, at, sizeof(word));
    addend = 0;
    if (form == IMPORTS_ADDEND)
        memcpy(&addend, at + 4, sizeof(addend));
    return (struct box_import){.ordinal = ordinal_of(bits(word, 0, 8), 8),
                               .is_weak = bits(word, 8, 1),
                               .name = name_at(chains, bits(word, 9, 23)),
                               .addend = addend};
}

/* ---- Pointers ---- */

static uint64_t bound(const struct chains *chains, uint64_t index, int64_t addend) {
    struct box_import import = import_at(chains, index);
    uint64_t value = box_resolve(chains->image, &import);
    return value ? value + (uint64_t)(import.addend + addend) : 0;
}

static uint64_t from_start(const struct chains *chains, uint64_t offset) {
    return (uint64_t)(uintptr_t)chains->image->header + offset;
}

/* Returns how many bytes on the next one is; 0: this was the last. */
static uint64_t fix_plain(const struct chains *chains, uint64_t *place, bool by_offset) {
    uint64_t word = *place, target = bits(word, 0, 36), high = bits(word, 36, 8) << 56;
    if (word >> 63)
        *place = bound(chains, bits(word, 0, 24), (int64_t)bits(word, 24, 8));
    else if (by_offset)
        *place = from_start(chains, target) | high;
    else
        *place = (target + (uint64_t)chains->image->slide) | high;
    return bits(word, 51, 12) * 4;
}

static uint64_t fix_arm64e(const struct chains *chains, uint64_t *place, unsigned form) {
    uint64_t word = *place, index = bits(word, 0, form == FORM_ARM64E_USERLAND24 ? 24 : 16);
    bool is_bind = bits(word, 62, 1), is_signed = word >> 63, is_offset = form != FORM_ARM64E;
    if (is_bind)
        *place = bound(chains, index, is_signed ? 0 : signed_bits(word, 32, 19));
    else if (is_signed)
        *place = from_start(chains, bits(word, 0, 32));
    else if (is_offset)
        *place = from_start(chains, bits(word, 0, 43)) | bits(word, 43, 8) << 56;
    else
        *place = (bits(word, 0, 43) + (uint64_t)chains->image->slide) | bits(word, 43, 8) << 56;
    return bits(word, 51, 11) * 8;
}

static uint64_t fix(const struct chains *chains, uint64_t *place, unsigned form) {
    switch (form) {
    case FORM_64:
    case FORM_64_OFFSET:
        return fix_plain(chains, place, form == FORM_64_OFFSET);
    case FORM_ARM64E:
    case FORM_ARM64E_USERLAND:
    case FORM_ARM64E_USERLAND24:
        return fix_arm64e(chains, place, form);
    default:
        box_fail("%s: pointers of form %u", chains->image->path, form);
    }
}

static void fix_segment(const struct chains *chains, uint64_t offset) {
    const size_t fixed = offsetof(struct macho_chain_segment, page_start);
    const struct macho_chain_segment *segment = part(chains, offset, fixed);
    part(chains, offset, fixed + segment->page_count * sizeof(uint16_t));
    for (unsigned page = 0; page < segment->page_count; page++) {
        uint64_t start = segment->page_start[page], step = 1;
        if (start == NO_FIXUPS)
            continue;
        if (start & SEVERAL_STARTS)
            box_fail("%s: pages with several chains are for 32 bits", chains->image->path);
        uint8_t *at = (uint8_t *)(uintptr_t)from_start(chains, segment->segment_offset) +
                      (uint64_t)page * segment->page_size + start;
        for (; step; at += step) {
            if (!box_image_holds(chains->image, (uintptr_t)at) ||
                !box_image_holds(chains->image, (uintptr_t)at + sizeof(uint64_t) - 1))
                box_fail("%s: a chain that leaves the image", chains->image->path);
            step = fix(chains, (uint64_t *)(void *)at, segment->pointer_format);
        }
    }
}

void box_fix_chains(struct box_image *image) {
    struct chains chains = {
        .image = image, .bytes = image->chains.bytes, .size = image->chains.size};
    if (!image->chains.size)
        return;
    chains.header = part(&chains, 0, sizeof(*chains.header));
    uint64_t starts = chains.header->starts;
    const uint32_t *offsets = part(&chains, starts, sizeof(*offsets));
    part(&chains, starts, (1 + (uint64_t)offsets[0]) * sizeof(*offsets));
    if (chains.header->symbol_format)
        box_fail("%s: packed names", image->path);
    for (uint32_t i = 0; i < offsets[0]; i++)
        if (offsets[1 + i])
            fix_segment(&chains, starts + offsets[1 + i]);
}
