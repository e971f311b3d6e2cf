/*
 * image.h - one Mach-O file in memory: its parts, and what can be asked of it alone.
 *
 * The files are those of the tests, made by the linker a moment ago, so a file that is not as it
 * should be ends the box with a sentence (box_fail) instead of being survived.
 */
#ifndef LOUPE_BOX_IMAGE_H
#define LOUPE_BOX_IMAGE_H

#include "format.h"

#include <stdbool.h>
#include <stddef.h>

enum { BOX_MOST_SEGMENTS = 16, BOX_MOST_LIBRARIES = 64, BOX_MOST_RPATHS = 8 };

struct box_library {
    const char *name;
    uint32_t kind;           /* MACHO_LOAD_DYLIB, MACHO_REEXPORT, ... */
    struct box_image *image; /* NULL: not loaded yet, or a weak one that is not there */
};

struct box_part {
    const uint8_t *bytes;
    size_t size;
};

struct box_image {
    const char *path;
    const char *install_name; /* NULL: a program */
    struct macho_header *header;
    intptr_t slide;      /* from addresses in the file to those in memory */
    uint64_t start, end; /* in memory, without __PAGEZERO */
    const struct macho_segment *segments[BOX_MOST_SEGMENTS];
    unsigned segment_count;
    struct box_library libraries[BOX_MOST_LIBRARIES];
    unsigned library_count;
    const char *rpaths[BOX_MOST_RPATHS];
    unsigned rpath_count;
    const struct macho_symtab *symtab;
    const struct macho_main *main;
    struct box_part exports, chains;
    const struct macho_dyld_info *opcodes;  /* NULL: none, or chains instead */
    bool is_bound, is_initialized, is_told; /* to those who asked for new images */
};

/*
 * Maps a file, for whatever processor. in_cache: as an image of the shared cache stands in memory,
 * in the shared region and marked as such in its header. Nothing is bound yet.
 */
struct box_image *box_image_map(const char *path, bool in_cache);
/* When it is bound: constant data becomes that. */
void box_image_protect(const struct box_image *image);

/* Bytes of the link-edit segment at an offset of the file. */
const uint8_t *box_image_linkedit(const struct box_image *image, uint64_t offset, uint64_t size);
/* Bytes in memory, by an address of the file. */
void *box_image_at(const struct box_image *image, uint64_t address);
bool box_image_holds(const struct box_image *image, uint64_t address);

/* Calls visit for every section of a kind (MACHO_SECTION_KIND of its flags). */
/* Of interposing ones also those that are it by their name alone, as dyld takes them. */
typedef void box_section_visit(const struct box_image *image, const struct macho_section *section,
                               void *ctx);
void box_image_sections(const struct box_image *image, uint32_t kind, box_section_visit *visit,
                        void *ctx);

/* A symbol that the image itself or one that it re-exports offers; 0: none. */
uint64_t box_image_export(const struct box_image *image, const char *name);
/* The symbol of its table that covers an address; NULL: none. */
const char *box_image_symbol(const struct box_image *image, uint64_t address, uint64_t *start_ret);

/* A number of the LEB128 form at *at, which moves behind it. */
uint64_t box_uleb(const uint8_t **at, const uint8_t *end);
int64_t box_sleb(const uint8_t **at, const uint8_t *end);

/* Ends the process with a sentence: the box cannot go on, or was asked for what it does not play.
 */
_Noreturn void box_fail(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
