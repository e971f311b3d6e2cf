/*
 * images.h - the symbols of this process, local ones too, without asking the dynamic loader.
 *
 * The loader's own functions take its lock, which a stopped thread may hold, and know exported
 * symbols only. Here the loaded images are found through the kernel's memory map (Linux) or the
 * list that dyld keeps for debuggers (Darwin), and names come from each image's own symbol table
 * (readers/image/image.h). All is done when first asked for, and undone when the question's pages
 * are reclaimed. An image that was stripped, or whose file has changed since, gives no local names.
 */
#ifndef LOUPE_HELPER_IMAGES_H
#define LOUPE_HELPER_IMAGES_H

#include "image/image.h"
#include "image/symbol_index.h"
#include "memory/regions.h"
#include "kernel/system.h"

/* One of them, and how it came here. */
struct loupe_loaded_image {
    struct loupe_image image;
    struct loupe_span path;            /* of the file */
    struct loupe_span name;            /* as the loader calls it; empty: as the file */
    struct loupe_system_file identity; /* ELF: of the file that was loaded */
    struct loupe_image_file *file;     /* ELF: NULL until needed, or when it cannot be had */
    bool opened;
    struct loupe_symbol_places by_address; /* made when first needed */
};

/* A page as it was when it was first needed. */
struct loupe_page_copy {
    loupe_addr start;
    bool is_valid;
    uint8_t bytes[LOUPE_PAGE_SIZE];
};

struct loupe_images {
    struct loupe_regions *regions;
    const struct loupe_chunk_ops *chunks;
    struct loupe_memory memory; /* of this process, for the images' reader */
    struct loupe_loaded_image *items;
    size_t count, capacity;
    struct loupe_arena texts;       /* paths, where they are copied */
    struct loupe_page_copy *copies; /* of what cannot be read in place; NULL: of nothing yet */
    bool listed;
    bool is_partial; /* there are more than are listed: what the loader keeps cannot all be read */
    struct loupe_symbol_names names; /* local ones too; made when first needed */
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

/* The image that holds an address, or NULL. */
struct loupe_loaded_image *loupe_images_at(struct loupe_images *images, loupe_addr addr);
/* Symbols of these addresses, which ascend, will be asked for: then not all are sorted. */
void loupe_images_expect(struct loupe_images *images, const loupe_addr *addrs, uint32_t count);
/* The symbol that covers an address of one of these images, with its name as loupe_images_name()
 * has it. LOUPE_EFAULT: none does. */
enum loupe_status loupe_images_symbol(struct loupe_images *images,
                                      struct loupe_loaded_image *loaded, loupe_addr addr, char *dst,
                                      size_t cap, struct loupe_symbol *ret);

/* For the scene (base/target/process.h): all images, numbered by their order, and the sections of
 * one. LOUPE_EFAULT after the last visit: there are more. */
enum loupe_status loupe_images_visit(struct loupe_images *images, loupe_image_visit visit,
                                     void *visitor);
enum loupe_status loupe_images_visit_sections(struct loupe_images *images, uint32_t number,
                                              loupe_section_part_visit visit, void *visitor);

/* For visits.c: lists the images, opens one's file, if that was not done. */
enum loupe_status loupe_images_know(struct loupe_images *images);
void loupe_images_open(struct loupe_images *images, struct loupe_loaded_image *loaded);

/* Whether both lie in one loaded image. */
bool loupe_images_hold_both(struct loupe_images *images, loupe_addr addr, loupe_addr other);

/*
 * Whether the image that holds addr may have code of Swift's in it: it has Swift's sections, or
 * takes functions from its runtime. True also where that cannot be told. That another image has
 * such code says nothing: every process on a Mac has some.
 */
bool loupe_images_may_have_swift(struct loupe_images *images, loupe_addr addr);

/* Bytes of this process that are sure to be readable and start at a multiple of alignment, or NULL.
 */
const void *loupe_images_bytes(struct loupe_images *images, loupe_addr addr, size_t len,
                               size_t alignment);
/* A text of this process as far as it is sure to be readable; empty: it is not. */
struct loupe_span loupe_images_text(const struct loupe_images *images, loupe_addr addr);
/* Adds the image whose header stands at start to the end of the list. *ret is NULL when none does.
 */
enum loupe_status loupe_images_add(struct loupe_images *images, loupe_addr start,
                                   struct loupe_loaded_image **ret);

/* ---- What each system implements ---- */

/* Adds all loaded images, in the order in which the loader looks for symbols in them; says where
 * these are not all. */
enum loupe_status loupe_images_list(struct loupe_images *images);
/* Opens the file of an image whose symbols are not all in memory, as far as it can be had. */
void loupe_image_file_open(struct loupe_loaded_image *loaded, const struct loupe_chunk_ops *chunks);
void loupe_image_file_close(struct loupe_image_file *file, const struct loupe_chunk_ops *chunks);

#endif
