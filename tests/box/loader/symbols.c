/*
 * symbols.c - the names of an image: what it exports, by its trie, and what covers an address, by
 * its table of symbols.
 */
#include "image.h"

#include <string.h>

uint64_t box_uleb(const uint8_t **at, const uint8_t *end) {
    uint64_t number = 0;
    for (unsigned shift = 0; *at < end && shift < 64; shift += 7) {
        uint8_t byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        if (!(byte & 0x80))
            return number;
    }
    box_fail("a number in a table does not end");
}

int64_t box_sleb(const uint8_t **at, const uint8_t *end) {
    uint64_t number = 0;
    unsigned shift = 0;
    uint8_t byte = 0x80;
    while (byte & 0x80 && *at < end && shift < 64) {
        byte = *(*at)++;
        number |= (uint64_t)(byte & 0x7f) << shift;
        shift += 7;
    }
    if (byte & 0x80)
        box_fail("a number in a table does not end");
    if (byte & 0x40 && shift < 64)
        number |= UINT64_MAX << shift;
    return (int64_t)number;
}

/* ---- The trie: each node has what is exported under the letters so far, then its branches ---- */

/* The node behind the branch whose letters *name begins with; NULL: there is none. */
static const uint8_t *branch(const struct box_part *trie, const uint8_t *at, const char **name) {
    const uint8_t *end = trie->bytes + trie->size;
    uint8_t branches = *at++;
    while (branches--) {
        size_t length = strnlen((const char *)at, (size_t)(end - at));
        bool fits = strncmp(*name, (const char *)at, length) == 0;
        at += length + 1;
        uint64_t offset = box_uleb(&at, end);
        if (fits) {
            *name += length;
            return trie->bytes + offset;
        }
    }
    return NULL;
}

/* Where what is exported under the name is described; NULL: it is not. */
static const uint8_t *exported(const struct box_part *trie, const char *name) {
    const uint8_t *end = trie->bytes + trie->size, *at = trie->bytes;
    while (at && at < end) {
        uint64_t size = box_uleb(&at, end);
        if (!*name)
            return size ? at : NULL;
        at = branch(trie, at + size, &name);
    }
    return NULL;
}

static uint64_t value_of(const struct box_image *image, const char *name, const uint8_t *at) {
    const uint8_t *end = image->exports.bytes + image->exports.size;
    uint64_t flags = box_uleb(&at, end), number = box_uleb(&at, end);
    if (flags & MACHO_EXPORT_RESOLVER)
        box_fail("%s: %s is chosen when it is bound, which the box does not play", image->path,
                 name);
    if (flags & MACHO_EXPORT_REEXPORT) {
        const char *other = *at ? (const char *)at : name;
        const struct box_image *library = image->libraries[number - 1].image;
        return library ? box_image_export(library, other) : 0;
    }
    if ((flags & MACHO_EXPORT_KIND) == MACHO_EXPORT_ABSOLUTE)
        return number;
    return (uint64_t)(uintptr_t)image->header + number;
}

uint64_t box_image_export(const struct box_image *image, const char *name) {
    const uint8_t *at = image->exports.size ? exported(&image->exports, name) : NULL;
    if (at)
        return value_of(image, name, at);
    for (unsigned i = 0; i < image->library_count; i++) {
        const struct box_library *library = &image->libraries[i];
        uint64_t found = library->kind == (uint32_t)MACHO_REEXPORT && library->image
                             ? box_image_export(library->image, name)
                             : 0;
        if (found)
            return found;
    }
    return 0;
}

/* ---- The table ---- */

const char *box_image_symbol(const struct box_image *image, uint64_t address, uint64_t *start_ret) {
    const struct macho_symtab *table = image->symtab;
    const struct macho_symbol *best = NULL;
    if (!table || !table->symbol_count)
        return NULL;
    const struct macho_symbol *symbols = (const void *)box_image_linkedit(
        image, table->symbols, table->symbol_count * sizeof(*symbols));
    uint64_t wanted = address - (uint64_t)image->slide;
    for (uint32_t i = 0; i < table->symbol_count; i++)
        if (!(symbols[i].type & MACHO_SYMBOL_STAB) &&
            (symbols[i].type & MACHO_SYMBOL_TYPE) == MACHO_SYMBOL_IN_SECTION &&
            symbols[i].value <= wanted && (!best || symbols[i].value >= best->value))
            best = &symbols[i];
    if (!best)
        return NULL;
    *start_ret = best->value + (uint64_t)image->slide;
    return (const char *)box_image_linkedit(image, table->strings, table->strings_size) +
           best->name;
}
