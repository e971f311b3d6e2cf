#include "images/images.h"

#include "base/map.h"
#include "images/symbol_cache.h"

#include <string.h>

/* A symbol by its place. */
struct loupe_symbol_place {
    loupe_addr address;
    uint32_t number;
};

/* A symbol by its name: a slot of an open hash table, free while image is 0. */
struct loupe_symbol_name {
    uint32_t hash;
    uint32_t image; /* number + 1 */
    uint32_t number;
};

enum { FIRST_IMAGES = 64 };

/* ---- This process as the images' reader sees it ---- */

static enum loupe_status copy(void *ctx, loupe_addr addr, void *dst, size_t len) {
    (void)ctx;
    return loupe_regions_copy(addr, dst, len);
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    const struct loupe_images *images = ctx;
    return loupe_regions_window(images->regions, addr, ret);
}

static const struct loupe_reader_ops process_ops = {.read = copy, .window = open_window};

void loupe_images_init(struct loupe_images *images, struct loupe_regions *regions,
                       const struct loupe_chunk_ops *chunks) {
    *images = (struct loupe_images){.regions = regions, .chunks = chunks};
    loupe_memory_init(&images->memory, &process_ops, images,
                      (struct loupe_machine){.pointer_size = sizeof(void *)}, chunks);
}

void loupe_images_deinit(struct loupe_images *images) {
    for (size_t i = 0; i < images->count; i++) {
        struct loupe_loaded_image *loaded = &images->items[i];
        loupe_chunk_put(images->chunks, loaded->by_address,
                        loaded->place_capacity * sizeof(*loaded->by_address));
        loupe_image_file_close(loaded->file, images->chunks);
    }
    loupe_chunk_put(images->chunks, images->names, images->name_capacity * sizeof(*images->names));
    loupe_chunk_put(images->chunks, images->items, images->capacity * sizeof(*images->items));
    loupe_memory_deinit(&images->memory);
    loupe_images_init(images, images->regions, images->chunks);
}

const void *loupe_images_bytes(struct loupe_images *images, loupe_addr addr, size_t len,
                               size_t alignment) {
    struct loupe_window window;
    if (addr % alignment || !loupe_regions_window(images->regions, addr, &window) ||
        len > window.end - addr)
        return NULL;
    return window.bytes + (addr - window.start);
}

struct loupe_span loupe_images_text(const struct loupe_images *images, loupe_addr addr) {
    struct loupe_window window;
    if (!loupe_regions_window(images->regions, addr, &window))
        return (struct loupe_span){0};
    const char *bytes = (const char *)window.bytes + (addr - window.start);
    const char *end = memchr(bytes, '\0', (size_t)(window.end - addr));
    return (struct loupe_span){.bytes = bytes, .length = end ? (size_t)(end - bytes) : 0};
}

/* ---- For the systems' lists ---- */

static bool make_room(struct loupe_images *images) {
    if (images->count < images->capacity)
        return true;
    size_t capacity = images->capacity ? images->capacity * 2 : FIRST_IMAGES;
    struct loupe_loaded_image *larger = loupe_chunk_get(images->chunks, capacity * sizeof(*larger));
    if (!larger)
        return false;
    if (images->count)
        memcpy(larger, images->items, images->count * sizeof(*larger));
    loupe_chunk_put(images->chunks, images->items, images->capacity * sizeof(*larger));
    images->items = larger;
    images->capacity = capacity;
    return true;
}

enum loupe_status loupe_images_add(struct loupe_images *images, loupe_addr start,
                                   struct loupe_loaded_image **ret) {
    struct loupe_image image;
    *ret = NULL;
    if (loupe_image_open(&images->memory, start, &image) || image.pointer_size != sizeof(void *))
        return LOUPE_OK;
    if (!make_room(images))
        return LOUPE_ENOMEM;
    *ret = &images->items[images->count++];
    **ret = (struct loupe_loaded_image){.image = image};
    return LOUPE_OK;
}

/* ---- When first needed ---- */

/* Which images there are and where, in one number. */
static uint64_t hash_images(const struct loupe_images *images) {
    uint64_t hash = 0;
    for (size_t i = 0; i < images->count; i++) {
        const struct loupe_image *image = &images->items[i].image;
        hash = loupe_hash(hash ^ image->start) + image->end;
        hash = loupe_hash(hash ^ images->items[i].identity.inode) + image->exports.hash;
        for (unsigned j = 0; j < image->id.length; j++)
            hash = loupe_hash(hash + image->id.bytes[j] + 1);
    }
    return hash;
}

enum loupe_status loupe_images_know(struct loupe_images *images) {
    if (images->listed)
        return LOUPE_OK;
    images->listed = true;
    enum loupe_status status = loupe_images_list(images);
    if (!status)
        loupe_symbol_cache_begin(hash_images(images));
    return status;
}

void loupe_images_open(struct loupe_images *images, struct loupe_loaded_image *loaded) {
    if (loaded->opened)
        return;
    loupe_image_file_open(loaded, images->chunks);
    loupe_image_find_table(&loaded->image);
    loaded->opened = true;
}

/* A symbol that has a place in the image. */
static bool placed_symbol(const struct loupe_loaded_image *loaded, uint32_t number,
                          struct loupe_symbol *ret) {
    return loupe_image_symbol(&loaded->image, number, ret) && !ret->imported;
}

/* ---- By name ---- */

static uint32_t hash_of(struct loupe_span name) {
    uint32_t hash = 5381;
    for (size_t i = 0; i < name.length; i++)
        hash = hash * 33 + (unsigned char)name.bytes[i];
    return hash;
}

/* The slot after `from` that has this hash, or the free one that ends the search. */
static struct loupe_symbol_name *next_slot(const struct loupe_images *images, uint32_t hash,
                                           size_t from) {
    size_t mask = images->name_capacity - 1;
    size_t slot = from & mask;
    while (images->names[slot].image && images->names[slot].hash != hash)
        slot = (slot + 1) & mask;
    return &images->names[slot];
}

static void add_names(struct loupe_images *images, uint32_t number) {
    const struct loupe_loaded_image *loaded = &images->items[number];
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    for (uint32_t i = 0; i < loaded->image.table.count; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        if (!placed_symbol(loaded, i, &symbol) ||
            !loupe_image_symbol_name(&loaded->image, &symbol, bounce, &name))
            continue;
        uint32_t hash = hash_of(name);
        size_t slot = hash & (images->name_capacity - 1);
        while (images->names[slot].image)
            slot = (slot + 1) & (images->name_capacity - 1);
        images->names[slot] =
            (struct loupe_symbol_name){.hash = hash, .image = number + 1, .number = i};
    }
}

static enum loupe_status index_names(struct loupe_images *images) {
    if (images->named)
        return LOUPE_OK;
    size_t total = 0, capacity = 64;
    for (size_t i = 0; i < images->count; i++) {
        loupe_images_open(images, &images->items[i]);
        total += images->items[i].image.table.count;
    }
    while (capacity < total * 2)
        capacity *= 2;
    images->names = loupe_chunk_get(images->chunks, capacity * sizeof(*images->names));
    if (!images->names)
        return LOUPE_ENOMEM;
    memset(images->names, 0, capacity * sizeof(*images->names));
    images->name_capacity = capacity;
    for (uint32_t i = 0; i < images->count; i++)
        add_names(images, i);
    images->named = true;
    return LOUPE_OK;
}

static enum loupe_status find_local(struct loupe_images *images, const char *name,
                                    loupe_addr *ret) {
    enum loupe_status status = index_names(images);
    if (status)
        return status;
    uint32_t hash = hash_of(loupe_span_of(name));
    struct loupe_symbol_name *slot = next_slot(images, hash, hash);
    while (slot->image) {
        const struct loupe_loaded_image *loaded = &images->items[slot->image - 1];
        char bounce[LOUPE_SYMBOL_NAME_SIZE];
        struct loupe_symbol symbol;
        struct loupe_span found;
        if (placed_symbol(loaded, slot->number, &symbol) &&
            loupe_image_symbol_name(&loaded->image, &symbol, bounce, &found) &&
            loupe_span_equals(found, name)) {
            *ret = symbol.address;
            return LOUPE_OK;
        }
        slot = next_slot(images, hash, (size_t)(slot - images->names) + 1);
    }
    return LOUPE_EFAULT;
}

static enum loupe_status find_symbol(struct loupe_images *images, const char *name,
                                     loupe_addr *ret) {
    for (size_t i = 0; i < images->count; i++)
        if (!loupe_image_find_export(&images->items[i].image, name, ret))
            return LOUPE_OK;
    return find_local(images, name, ret);
}

enum loupe_status loupe_images_find(struct loupe_images *images, const char *name,
                                    loupe_addr *ret) {
    loupe_addr found = 0;
    enum loupe_status status = loupe_images_know(images);
    if (status)
        return status;
    if (!loupe_symbol_cache_recall(name, &found)) {
        status = find_symbol(images, name, &found);
        if (status && status != LOUPE_EFAULT)
            return status;
        loupe_symbol_cache_remember(name, found);
    }
    if (found)
        *ret = found;
    return found ? LOUPE_OK : LOUPE_EFAULT;
}

/* ---- By address ---- */

static bool holds(const struct loupe_loaded_image *loaded, loupe_addr addr) {
    return addr >= loaded->image.start && addr < loaded->image.end;
}

static struct loupe_loaded_image *image_at(struct loupe_images *images, loupe_addr addr) {
    for (size_t i = 0; i < images->count; i++)
        if (holds(&images->items[i], addr))
            return &images->items[i];
    return NULL;
}

bool loupe_images_hold_both(struct loupe_images *images, loupe_addr addr, loupe_addr other) {
    const struct loupe_loaded_image *loaded =
        loupe_images_know(images) ? NULL : image_at(images, addr);
    return loaded && holds(loaded, other);
}

/* Merges the sorted runs [0, middle) and [middle, end) of from into to, equal places in order. */
static void merge(const struct loupe_symbol_place *from, struct loupe_symbol_place *to,
                  size_t middle, size_t end) {
    size_t left = 0, right = middle;
    for (size_t i = 0; i < end; i++) {
        bool take_left =
            right == end || (left < middle && from[left].address <= from[right].address);
        to[i] = take_left ? from[left++] : from[right++];
    }
}

/* Returns which of the two holds the sorted places. */
static struct loupe_symbol_place *sort(struct loupe_symbol_place *places,
                                       struct loupe_symbol_place *spare, size_t count) {
    for (size_t width = 1; width < count; width *= 2) {
        for (size_t start = 0; start < count; start += 2 * width) {
            size_t rest = count - start;
            merge(places + start, spare + start, rest < width ? rest : width,
                  rest < 2 * width ? rest : 2 * width);
        }
        struct loupe_symbol_place *swap = places;
        places = spare;
        spare = swap;
    }
    return places;
}

static enum loupe_status sort_places(struct loupe_images *images,
                                     struct loupe_loaded_image *loaded) {
    loupe_images_open(images, loaded);
    if (loaded->by_address || !loaded->image.table.count)
        return LOUPE_OK;
    size_t size = (size_t)loaded->image.table.count * sizeof(struct loupe_symbol_place);
    struct loupe_symbol_place *places = loupe_chunk_get(images->chunks, size);
    struct loupe_symbol_place *spare = loupe_chunk_get(images->chunks, size);
    if (!places || !spare) {
        loupe_chunk_put(images->chunks, places, size);
        loupe_chunk_put(images->chunks, spare, size);
        return LOUPE_ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < loaded->image.table.count; i++) {
        struct loupe_symbol symbol;
        if (placed_symbol(loaded, i, &symbol))
            places[count++] = (struct loupe_symbol_place){.address = symbol.address, .number = i};
    }
    loaded->by_address = sort(places, spare, count);
    loupe_chunk_put(images->chunks, loaded->by_address == places ? spare : places, size);
    loaded->place_count = count;
    loaded->place_capacity = loaded->image.table.count;
    return LOUPE_OK;
}

/* The number of places at or before addr. */
static uint32_t places_before(const struct loupe_loaded_image *loaded, loupe_addr addr) {
    uint32_t low = 0, high = loaded->place_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (loaded->by_address[middle].address <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Symbols at one address tell little apart; the first that has a size and covers addr is taken. */
static bool covering_symbol(const struct loupe_loaded_image *loaded, loupe_addr addr,
                            struct loupe_symbol *ret) {
    uint32_t after = places_before(loaded, addr);
    if (!after)
        return false;
    loupe_addr nearest = loaded->by_address[after - 1].address;
    bool found = false;
    for (uint32_t i = after; i-- && loaded->by_address[i].address == nearest;) {
        struct loupe_symbol symbol;
        if (!placed_symbol(loaded, loaded->by_address[i].number, &symbol) ||
            (symbol.size && addr - nearest >= symbol.size) || (found && !symbol.size))
            continue;
        *ret = symbol;
        found = true;
    }
    return found;
}

enum loupe_status loupe_images_name(struct loupe_images *images, loupe_addr addr, char *dst,
                                    size_t cap, uint64_t *offset_ret) {
    enum loupe_status status = loupe_images_know(images);
    struct loupe_loaded_image *loaded = status ? NULL : image_at(images, addr);
    if (!loaded)
        return status ? status : LOUPE_EFAULT;
    status = sort_places(images, loaded);
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    struct loupe_symbol symbol;
    struct loupe_span name;
    if (status || !covering_symbol(loaded, addr, &symbol) ||
        !loupe_image_symbol_name(&loaded->image, &symbol, bounce, &name))
        return status ? status : LOUPE_EFAULT;
    loupe_format(dst, cap, "%.*s", (int)name.length, name.bytes);
    *offset_ret = addr - symbol.address;
    return LOUPE_OK;
}

/* ---- Swift ---- */

/* swift5_types of ELF, __TEXT,__swift5_types of Mach-O: stripping leaves them. */
static bool is_no_section_of_swift(void *ctx, const struct loupe_section *section) {
    bool *found = ctx;
    *found = loupe_span_contains(loupe_span_of(section->name), "swift5_");
    return !*found;
}

/* Who calls Swift's runtime is linked to one of its libraries, libswiftCore for one. */
static bool is_no_library_of_swift(void *ctx, const char *name) {
    bool *found = ctx;
    struct loupe_span span = loupe_span_of(name);
    *found = loupe_span_starts_with(span, "libswift") || loupe_span_contains(span, "/libswift");
    return !*found;
}

static bool has_symbol_of_swift(const struct loupe_image *image) {
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        if (loupe_image_symbol(image, i, &symbol) &&
            loupe_image_symbol_name(image, &symbol, bounce, &name) &&
            loupe_span_starts_with(name, "swift_"))
            return true;
    }
    return false;
}

bool loupe_images_may_have_swift(struct loupe_images *images, loupe_addr addr) {
    struct loupe_loaded_image *loaded = loupe_images_know(images) ? NULL : image_at(images, addr);
    if (!loaded)
        return true;
    loupe_images_open(images, loaded);
    bool found = false;
    return !loupe_image_sections(&loaded->image, is_no_section_of_swift, &found) || found ||
           !loupe_image_libraries(&loaded->image, is_no_library_of_swift, &found) || found ||
           has_symbol_of_swift(&loaded->image);
}
