/*
 * naming.h - what the addresses of a stack are called: by the symbols of their images, and by the
 * runtime's lists of methods where a program was stripped of its symbols.
 *
 * Never by a neighbour: a symbol names what it covers. Where it has no size it names its function,
 * as the unwind tables or the list of functions tell; a method's name is given to its own code
 * only.
 */
#ifndef LOUPE_STACKS_NAMING_H
#define LOUPE_STACKS_NAMING_H

#include "backtraces/collect.h"
#include "base/target/target.h"
#include "images/images.h"

enum { LOUPE_FRAME_NAME_SIZE = LOUPE_SYMBOL_NAME_SIZE };

struct loupe_frame_name {
    struct loupe_loaded_image *image; /* NULL: the address is in none */
    struct loupe_span file;           /* the image's name without its folder */
    bool has_symbol;
    uint64_t offset; /* of the address itself behind the symbol's beginning */
    char symbol[LOUPE_FRAME_NAME_SIZE];
};

struct loupe_naming {
    struct loupe_images *images;
    struct loupe_target *target;   /* with the runtime, or without one */
    struct loupe_vector functions; /* of struct loupe_code_place, ascending: those without a name */
};

/* Names will be asked of the stacks; images and target are of this process and outlive the naming.
 * LOUPE_OK or LOUPE_ENOMEM. */
enum loupe_status loupe_naming_init(struct loupe_naming *naming, const struct loupe_stacks *stacks,
                                    struct loupe_images *images, struct loupe_target *target);
void loupe_naming_deinit(struct loupe_naming *naming);

/* What an address of the stacks is called; index counts all of them. */
void loupe_naming_at(struct loupe_naming *naming, const struct loupe_stacks *stacks, size_t index,
                     struct loupe_frame_name *ret);

/* The image's file without its folder. */
struct loupe_span loupe_image_file_name(const struct loupe_loaded_image *image);

#endif
