/*
 * symbol_index.h - the symbols of images by address and by name.
 *
 * Both are made of an image's table (image.h) when they are first needed: find the table, and open
 * the file, before. Nothing is copied but numbers.
 */
#ifndef LOUPE_READERS_SYMBOL_INDEX_H
#define LOUPE_READERS_SYMBOL_INDEX_H

#include "base/arena.h"
#include "image/image.h"

/* ---- By address, of one image ---- */

enum { LOUPE_SYMBOL_STRETCHES = 1024 /* of one size, in which an image is divided */ };

struct loupe_symbol_places {
    struct loupe_symbol_place *items; /* NULL: not sorted yet */
    uint32_t count, capacity;
    /* Where only some are sorted: which stretches what covers an address is known of. */
    bool is_part;
    loupe_addr start;
    uint8_t shift; /* of the size of a stretch */
    uint64_t known[LOUPE_SYMBOL_STRETCHES / 64];
};

/* Sorts the symbols of the image's table, unless that was done. LOUPE_ENOMEM. */
enum loupe_status loupe_symbol_places_sort(struct loupe_symbol_places *places,
                                           const struct loupe_image *image,
                                           const struct loupe_chunk_ops *chunks);
/* Sorts those alone that can cover the addresses, for which a third of the time is enough; nothing
 * where some are sorted already. Ask loupe_symbol_places_know() before looking for others.
 * LOUPE_ENOMEM. */
enum loupe_status loupe_symbol_places_sort_near(struct loupe_symbol_places *places,
                                                const struct loupe_image *image,
                                                const loupe_addr *addrs, uint32_t count,
                                                const struct loupe_chunk_ops *chunks);
bool loupe_symbol_places_know(const struct loupe_symbol_places *places, loupe_addr addr);
void loupe_symbol_places_free(struct loupe_symbol_places *places,
                              const struct loupe_chunk_ops *chunks);
/* The symbol that covers the address. Symbols at one address tell little apart: the first one of a
 * known size is taken. One without a size covers all up to the next one, but for functions that
 * have no symbol, as far as their image tells of them. */
bool loupe_symbol_places_find(const struct loupe_symbol_places *places,
                              const struct loupe_image *image, loupe_addr addr,
                              struct loupe_symbol *ret);

/* ---- By name, of all images ---- */

/* A table of hashes; those with no slots yet were not made. */
struct loupe_symbol_names {
    struct loupe_symbol_name *slots;
    size_t capacity;
};

/* Room for so many symbols. LOUPE_ENOMEM. */
enum loupe_status loupe_symbol_names_init(struct loupe_symbol_names *names, size_t symbols,
                                          const struct loupe_chunk_ops *chunks);
void loupe_symbol_names_free(struct loupe_symbol_names *names,
                             const struct loupe_chunk_ops *chunks);
/* Adds all symbols of an image's table, under a number for the image. */
void loupe_symbol_names_add(struct loupe_symbol_names *names, const struct loupe_image *image,
                            uint32_t number);
/* The address of the symbol of that name which was added first; image() gives what was added under
 * a number. */
bool loupe_symbol_names_find(const struct loupe_symbol_names *names, const char *name,
                             const struct loupe_image *(*image)(const void *ctx, uint32_t number),
                             const void *ctx, loupe_addr *ret);

#endif
