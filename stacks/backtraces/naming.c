#include "backtraces/naming.h"

#include "base/sort.h"
#include "runtime/methods.h"
#include "tables/unwind_rules.h"
#include "unwind/own_images.h"

struct loupe_span loupe_image_file_name(const struct loupe_loaded_image *image) {
    struct loupe_span path = image->path.length ? image->path : image->name;
    for (size_t i = path.length; i--;)
        if (path.bytes[i] == '/')
            return (struct loupe_span){path.bytes + i + 1, path.length - i - 1};
    return path;
}

/* ---- Symbols ---- */

/* Where the function begins that holds a place, as its image tells. */
static bool function_start(struct loupe_naming *naming, struct loupe_loaded_image *image,
                           loupe_addr place, loupe_addr *ret) {
    struct loupe_unwind_tables tables = loupe_image_unwind_tables(&image->image);
    struct loupe_unwind_rules rules;
    if (loupe_image_function_start(&image->image, place, ret))
        return true;
    if (!loupe_unwind_rules_find(&naming->images->memory, &tables, place, &rules))
        return false;
    *ret = rules.code.start;
    return true;
}

/* A symbol with a size is believed, another one if its function has no other beginning. */
static bool find_symbol(struct loupe_naming *naming, struct loupe_loaded_image *image,
                        loupe_addr place, char *name, struct loupe_symbol *ret) {
    loupe_addr start;
    return !loupe_images_symbol(naming->images, image, place, name, LOUPE_FRAME_NAME_SIZE, ret) &&
           (ret->size || !function_start(naming, image, place, &start) || start <= ret->address);
}

/* A few stacks need a few symbols of each image. */
static void expect_symbols(struct loupe_images *images, const struct loupe_stacks *stacks) {
    enum { FEW = 256 };
    loupe_addr places[FEW];
    uint32_t count = 0;
    if (stacks->used > FEW)
        return;
    for (size_t i = 0; i < stacks->used; i++) {
        loupe_addr place = loupe_stacks_place(stacks, i);
        uint32_t at = count++;
        for (; at && places[at - 1] > place; at--)
            places[at] = places[at - 1];
        places[at] = place;
    }
    loupe_images_expect(images, places, count);
}

/* Compilers for GNU runtimes name methods so that the dots of the name are lost. */
static bool is_mangled_method(const char *name) {
    struct loupe_span span = loupe_span_of(name);
    return loupe_span_starts_with(span, "_i_") || loupe_span_starts_with(span, "_c_");
}

/* ---- Methods ---- */

static bool is_before(const void *ctx, const void *a, const void *b) {
    const struct loupe_code_place *left = a, *right = b;
    (void)ctx;
    return left->address < right->address;
}

/* Where the function begins whose method is asked for; false: its symbol's name is good enough. */
static bool wants_method(struct loupe_naming *naming, loupe_addr place, loupe_addr *ret) {
    char name[LOUPE_FRAME_NAME_SIZE];
    struct loupe_symbol symbol;
    struct loupe_loaded_image *image = loupe_images_at(naming->images, place);
    if (!image)
        return false;
    if (!find_symbol(naming, image, place, name, &symbol))
        return function_start(naming, image, place, ret);
    *ret = symbol.address;
    return is_mangled_method(name);
}

static enum loupe_status add_function(struct loupe_naming *naming, loupe_addr place) {
    loupe_addr start;
    if (!wants_method(naming, place, &start))
        return LOUPE_OK;
    struct loupe_code_place *added = loupe_vector_add(&naming->functions);
    if (!added)
        return LOUPE_ENOMEM;
    *added = (struct loupe_code_place){.address = start};
    return LOUPE_OK;
}

/* The same functions stand on many stacks. */
static void drop_repeated(struct loupe_vector *functions) {
    uint32_t kept = 0;
    for (uint32_t i = 0; i < functions->count; i++) {
        const struct loupe_code_place *place = loupe_vector_at(functions, i, sizeof(*place));
        struct loupe_code_place *last =
            kept ? loupe_vector_at(functions, kept - 1, sizeof(*last)) : NULL;
        if (last && last->address == place->address)
            continue;
        last = loupe_vector_at(functions, kept++, sizeof(*last));
        *last = *place;
    }
    functions->count = kept;
}

/* By pieces of the vector, which are arrays. */
static enum loupe_status find_methods(struct loupe_naming *naming) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t done = 0; done < naming->functions.count && !status; done += LOUPE_SEGMENT_SIZE) {
        uint32_t left = naming->functions.count - done;
        status = loupe_methods_around(
            naming->target,
            loupe_vector_at(&naming->functions, done, sizeof(struct loupe_code_place)),
            left < LOUPE_SEGMENT_SIZE ? left : LOUPE_SEGMENT_SIZE);
    }
    return status;
}

enum loupe_status loupe_naming_init(struct loupe_naming *naming, const struct loupe_stacks *stacks,
                                    struct loupe_images *images, struct loupe_target *target) {
    enum loupe_status status = LOUPE_OK;
    *naming = (struct loupe_naming){.images = images, .target = target};
    loupe_vector_init(&naming->functions, target->chunks, sizeof(struct loupe_code_place));
    expect_symbols(images, stacks);
    if (!target->abi)
        return LOUPE_OK;
    for (size_t i = 0; i < stacks->used && !status; i++)
        status = add_function(naming, loupe_stacks_place(stacks, i));
    loupe_vector_sort(&naming->functions, is_before, NULL);
    drop_repeated(&naming->functions);
    if (!status)
        status = find_methods(naming);
    if (status)
        loupe_naming_deinit(naming);
    return status;
}

void loupe_naming_deinit(struct loupe_naming *naming) {
    loupe_vector_deinit(&naming->functions);
}

static bool find_method(struct loupe_naming *naming, loupe_addr start, char *name) {
    uint32_t low = 0, high = naming->functions.count;
    const struct loupe_code_place *place;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        place = loupe_vector_at(&naming->functions, middle, sizeof(*place));
        if (place->address < start)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == naming->functions.count)
        return false;
    place = loupe_vector_at(&naming->functions, low, sizeof(*place));
    return place->address == start && place->before.cls && place->before.code == start &&
           loupe_method_name(naming->target, &place->before, name, LOUPE_FRAME_NAME_SIZE);
}

/* ---- Both ---- */

void loupe_naming_at(struct loupe_naming *naming, const struct loupe_stacks *stacks, size_t index,
                     struct loupe_frame_name *ret) {
    loupe_addr place = loupe_stacks_place(stacks, index), start;
    struct loupe_symbol symbol;
    ret->image = loupe_images_at(naming->images, place);
    ret->file = (struct loupe_span){0};
    ret->has_symbol = false;
    ret->symbol[0] = '\0';
    ret->offset = 0;
    if (!ret->image)
        return;
    ret->file = loupe_image_file_name(ret->image);
    ret->has_symbol = find_symbol(naming, ret->image, place, ret->symbol, &symbol);
    if (ret->has_symbol)
        start = symbol.address;
    else if (!naming->functions.count || !function_start(naming, ret->image, place, &start))
        return;
    if (!ret->has_symbol || is_mangled_method(ret->symbol))
        ret->has_symbol |= find_method(naming, start, ret->symbol);
    ret->offset = stacks->addresses[index] - start;
}
