/*
 * images.h - the symbols of this process, local ones too, without asking the dynamic loader.
 *
 * The loader's own functions take its lock, which a stopped thread may hold, and know exported
 * symbols only. Here the loaded images are found through the kernel's memory map (ELF) or the list
 * that dyld keeps for debuggers (Mach-O), and names come from each image's own symbol table. All
 * is done when first asked for, and undone when the question's pages are reclaimed. An image that
 * was stripped, or whose file has changed since, gives no local names.
 *
 * Names are C names: without the leading underscore of Mach-O and without ELF's version suffix.
 */
#ifndef LOUPE_HELPER_IMAGES_H
#define LOUPE_HELPER_IMAGES_H

#include "base/text.h"
#include "memory/regions.h"
#include "memory/system.h"

struct loupe_symbol {
    loupe_addr address;
    uint64_t size; /* 0: not known */
    struct loupe_span name;
};

/* Where an image keeps its symbol table: what its format's functions need to read one symbol. */
struct loupe_symbol_table {
    const void *symbols;
    uint32_t count;
    const char *strings;
    size_t strings_size;
};

struct loupe_image {
    loupe_addr start, end;
    loupe_addr bias; /* address minus the address in the file */
    struct loupe_span path;
    struct loupe_system_file identity; /* ELF: of the file that was loaded */
    uint64_t build;                    /* of the number that the linker gave to what it made */
    struct loupe_symbol_table table;
    const void *file; /* mapped, on record in pages.h; NULL when not, or the table is in memory */
    size_t file_size;
    bool opened;
    struct loupe_symbol_place *by_address; /* sorted; made when first needed */
    uint32_t place_count, place_capacity;
    struct {
        loupe_addr base;    /* of its tables */
        loupe_addr symbols; /* ELF: .dynsym */
        loupe_addr strings; /* ELF: .dynstr */
        loupe_addr hash;    /* ELF: .gnu.hash; Mach-O: the export trie */
        uint64_t hash_size; /* Mach-O */
    } exports;
};

struct loupe_images {
    struct loupe_regions *regions;
    const struct loupe_chunk_ops *chunks;
    struct loupe_image *items;
    size_t count, capacity;
    loupe_addr loader_list; /* ELF: what the loader keeps for debuggers, struct r_debug */
    bool listed;
    struct loupe_symbol_name *names; /* all local names, hashed; made when first needed */
    size_t name_capacity;
    bool named;
};

/* regions must outlive the images. Nothing is read yet. */
void loupe_images_init(struct loupe_images *images, struct loupe_regions *regions,
                       const struct loupe_chunk_ops *chunks);
void loupe_images_deinit(struct loupe_images *images);

/* The address of a symbol: exported ones first, in the order in which the loader would look. */
enum loupe_status loupe_images_find(struct loupe_images *images, const char *name, loupe_addr *ret);
/* The symbol that covers addr, cut to cap - 1 bytes, and addr's offset in it. */
enum loupe_status loupe_images_name(struct loupe_images *images, loupe_addr addr, char *dst,
                                    size_t cap, uint64_t *offset_ret);

/* Whether both lie in one loaded image. */
bool loupe_images_hold_both(struct loupe_images *images, loupe_addr addr, loupe_addr other);

/*
 * Whether the image that holds addr may have code of Swift's in it: it has Swift's sections, or
 * takes functions from its runtime. True also where that cannot be told. That another image has
 * such code says nothing: every process on a Mac has some.
 */
bool loupe_images_may_have_swift(struct loupe_images *images, loupe_addr addr);

/* Bytes of this process that are sure to be readable and start at a multiple of alignment, or NULL.
 * For the formats' readers. */
const void *loupe_images_bytes(struct loupe_images *images, loupe_addr addr, size_t len,
                               size_t alignment);
/* Of any bytes. 0 for none. */
uint64_t loupe_images_hash(const void *bytes, size_t len);
/* An empty image at the end of the list; NULL when there is no memory. */
struct loupe_image *loupe_images_add(struct loupe_images *images);

/* ---- What each format implements ---- */

enum loupe_status loupe_images_list(struct loupe_images *images);
/* LOUPE_EFAULT when the image exports no such symbol. */
enum loupe_status loupe_image_exported(struct loupe_images *images, const struct loupe_image *image,
                                       const char *name, loupe_addr *ret);
/* Fills image->table, as far as one can be had. */
void loupe_image_open(struct loupe_images *images, struct loupe_image *image);
/* Of an image that was opened. */
bool loupe_image_may_have_swift(struct loupe_images *images, const struct loupe_image *image);
/* The symbol of that number, if it is one that has a place in the image. */
bool loupe_image_symbol(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret);

#endif
