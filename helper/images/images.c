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

void loupe_images_init(struct loupe_images *images, struct loupe_regions *regions,
                       const struct loupe_chunk_ops *chunks) {
    *images = (struct loupe_images){.regions = regions, .chunks = chunks};
}

void loupe_images_deinit(struct loupe_images *images) {
    for (size_t i = 0; i < images->count; i++) {
        struct loupe_image *image = &images->items[i];
        loupe_chunk_put(images->chunks, image->by_address,
                        image->place_capacity * sizeof(*image->by_address));
    }
    loupe_chunk_put(images->chunks, images->names, images->name_capacity * sizeof(*images->names));
    loupe_chunk_put(images->chunks, images->items, images->capacity * sizeof(*images->items));
    loupe_images_init(images, images->regions, images->chunks);
}

/* ---- For the formats ---- */

const void *loupe_images_bytes(struct loupe_images *images, loupe_addr addr, size_t len,
                               size_t alignment) {
    struct loupe_window window;
    if (addr % alignment || !loupe_regions_window(images->regions, addr, &window) ||
        len > window.end - addr)
        return NULL;
    return window.bytes + (addr - window.start);
}

uint64_t loupe_images_hash(const void *bytes, size_t len) {
    const uint8_t *from = bytes;
    uint64_t hash = 0;
    for (size_t i = 0; i < len; i++)
        hash = loupe_hash(hash + from[i] + 1);
    return hash;
}

struct loupe_image *loupe_images_add(struct loupe_images *images) {
    if (images->count == images->capacity) {
        size_t capacity = images->capacity ? images->capacity * 2 : FIRST_IMAGES;
        struct loupe_image *larger = loupe_chunk_get(images->chunks, capacity * sizeof(*larger));
        if (!larger)
            return NULL;
        if (images->count)
            memcpy(larger, images->items, images->count * sizeof(*larger));
        loupe_chunk_put(images->chunks, images->items, images->capacity * sizeof(*larger));
        images->items = larger;
        images->capacity = capacity;
    }
    struct loupe_image *image = &images->items[images->count++];
    *image = (struct loupe_image){0};
    return image;
}

/* ---- When first needed ---- */

/* Which images there are and where, in one number. */
static uint64_t hash_images(const struct loupe_images *images) {
    uint64_t hash = 0;
    for (size_t i = 0; i < images->count; i++) {
        const struct loupe_image *image = &images->items[i];
        hash = loupe_hash(hash ^ image->start) + image->end;
        hash = loupe_hash(hash ^ image->identity.inode) + image->exports.hash;
        hash = loupe_hash(hash ^ image->build);
    }
    return hash;
}

static enum loupe_status list_images(struct loupe_images *images) {
    if (images->listed)
        return LOUPE_OK;
    images->listed = true;
    enum loupe_status status = loupe_images_list(images);
    if (!status)
        loupe_symbol_cache_begin(hash_images(images));
    return status;
}

static void open_image(struct loupe_images *images, struct loupe_image *image) {
    if (!image->opened)
        loupe_image_open(images, image);
    image->opened = true;
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
    const struct loupe_image *image = &images->items[number];
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        if (!loupe_image_symbol(image, i, &symbol) || !symbol.name.length)
            continue;
        uint32_t hash = hash_of(symbol.name);
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
        open_image(images, &images->items[i]);
        total += images->items[i].table.count;
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
        struct loupe_symbol symbol;
        if (loupe_image_symbol(&images->items[slot->image - 1], slot->number, &symbol) &&
            loupe_span_equals(symbol.name, name)) {
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
        if (!loupe_image_exported(images, &images->items[i], name, ret))
            return LOUPE_OK;
    return find_local(images, name, ret);
}

enum loupe_status loupe_images_find(struct loupe_images *images, const char *name,
                                    loupe_addr *ret) {
    loupe_addr found = 0;
    enum loupe_status status = list_images(images);
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

static struct loupe_image *image_at(struct loupe_images *images, loupe_addr addr) {
    for (size_t i = 0; i < images->count; i++)
        if (addr >= images->items[i].start && addr < images->items[i].end)
            return &images->items[i];
    return NULL;
}

bool loupe_images_hold_both(struct loupe_images *images, loupe_addr addr, loupe_addr other) {
    const struct loupe_image *image = list_images(images) ? NULL : image_at(images, addr);
    return image && other >= image->start && other < image->end;
}

bool loupe_images_may_have_swift(struct loupe_images *images, loupe_addr addr) {
    struct loupe_image *image = list_images(images) ? NULL : image_at(images, addr);
    if (!image)
        return true;
    open_image(images, image);
    return loupe_image_may_have_swift(images, image);
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

static enum loupe_status sort_places(struct loupe_images *images, struct loupe_image *image) {
    open_image(images, image);
    if (image->by_address || !image->table.count)
        return LOUPE_OK;
    size_t size = (size_t)image->table.count * sizeof(struct loupe_symbol_place);
    struct loupe_symbol_place *places = loupe_chunk_get(images->chunks, size);
    struct loupe_symbol_place *spare = loupe_chunk_get(images->chunks, size);
    if (!places || !spare) {
        loupe_chunk_put(images->chunks, places, size);
        loupe_chunk_put(images->chunks, spare, size);
        return LOUPE_ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        if (loupe_image_symbol(image, i, &symbol))
            places[count++] = (struct loupe_symbol_place){.address = symbol.address, .number = i};
    }
    image->by_address = sort(places, spare, count);
    loupe_chunk_put(images->chunks, image->by_address == places ? spare : places, size);
    image->place_count = count;
    image->place_capacity = image->table.count;
    return LOUPE_OK;
}

/* The number of places at or before addr. */
static uint32_t places_before(const struct loupe_image *image, loupe_addr addr) {
    uint32_t low = 0, high = image->place_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (image->by_address[middle].address <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Symbols at one address tell little apart; the first that has a size and covers addr is taken. */
static bool covering_symbol(const struct loupe_image *image, loupe_addr addr,
                            struct loupe_symbol *ret) {
    uint32_t after = places_before(image, addr);
    if (!after)
        return false;
    loupe_addr nearest = image->by_address[after - 1].address;
    bool found = false;
    for (uint32_t i = after; i-- && image->by_address[i].address == nearest;) {
        struct loupe_symbol symbol;
        if (!loupe_image_symbol(image, image->by_address[i].number, &symbol) ||
            (symbol.size && addr - nearest >= symbol.size) || (found && !symbol.size))
            continue;
        *ret = symbol;
        found = true;
    }
    return found;
}

enum loupe_status loupe_images_name(struct loupe_images *images, loupe_addr addr, char *dst,
                                    size_t cap, uint64_t *offset_ret) {
    enum loupe_status status = list_images(images);
    struct loupe_image *image = status ? NULL : image_at(images, addr);
    if (!image)
        return status ? status : LOUPE_EFAULT;
    status = sort_places(images, image);
    struct loupe_symbol symbol;
    if (status || !covering_symbol(image, addr, &symbol))
        return status ? status : LOUPE_EFAULT;
    loupe_format(dst, cap, "%.*s", (int)symbol.name.length, symbol.name.bytes);
    *offset_ret = addr - symbol.address;
    return LOUPE_OK;
}
