#include "images/images.h"

#include "base/map.h"
#include "images/symbol_cache.h"

#include <string.h>

enum { FIRST_IMAGES = 64, COPIED_PAGES = 32 /* headers and tables of the loader are far apart */ };

/* ---- This process as the images' reader sees it ---- */

static enum loupe_status copy(void *ctx, loupe_addr addr, void *dst, size_t len) {
    struct loupe_images *images = ctx;
    return loupe_regions_read(images->regions, addr, dst, len);
}

static bool make_copies(struct loupe_images *images) {
    images->copies = loupe_chunk_get(images->chunks, sizeof(*images->copies) * COPIED_PAGES);
    /* Cap: all of an array. */
    for (unsigned i = 0; images->copies && i < COPIED_PAGES; i++)
        images->copies[i].is_valid = false;
    return images->copies != NULL;
}

/* A window over a copy of the page, which lasts until another page takes its place. */
static bool copy_page(struct loupe_images *images, loupe_addr addr, struct loupe_window *ret) {
    loupe_addr start = addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE;
    unsigned slot = (unsigned)(start / LOUPE_PAGE_SIZE % COPIED_PAGES);
    if (!images->copies && !make_copies(images))
        return false;
    struct loupe_page_copy *copy = &images->copies[slot];
    if (!copy->is_valid || copy->start != start) {
        copy->start = start;
        copy->is_valid =
            !loupe_regions_read(images->regions, start, copy->bytes, sizeof(copy->bytes));
    }
    *ret =
        (struct loupe_window){.start = start, .end = start + LOUPE_PAGE_SIZE, .bytes = copy->bytes};
    return copy->is_valid;
}

static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    struct loupe_images *images = ctx;
    return loupe_regions_window(images->regions, addr, ret) || copy_page(images, addr, ret);
}

static const struct loupe_reader_ops process_ops = {
    .read = copy, .window = open_window, .region = loupe_no_region};

void loupe_images_init(struct loupe_images *images, struct loupe_regions *regions,
                       const struct loupe_chunk_ops *chunks) {
    *images = (struct loupe_images){.regions = regions, .chunks = chunks};
    loupe_arena_init(&images->texts, chunks);
    loupe_memory_init(&images->memory, &process_ops, images,
                      (struct loupe_machine){.pointer_size = sizeof(void *)}, chunks);
}

void loupe_images_deinit(struct loupe_images *images) {
    for (size_t i = 0; i < images->count; i++) {
        struct loupe_loaded_image *loaded = &images->items[i];
        loupe_symbol_places_free(&loaded->by_address, images->chunks);
        loupe_image_file_close(loaded->file, images->chunks);
    }
    loupe_symbol_names_free(&images->names, images->chunks);
    loupe_chunk_put(images->chunks, images->items, images->capacity * sizeof(*images->items));
    loupe_chunk_put(images->chunks, images->copies, sizeof(*images->copies) * COPIED_PAGES);
    loupe_memory_deinit(&images->memory);
    loupe_arena_deinit(&images->texts);
    loupe_images_init(images, images->regions, images->chunks);
}

/* What is known of a region grows with what is asked for: up to the end of the range, where it
 * stays in one. */
static bool window_of(const struct loupe_images *images, loupe_addr addr, size_t len,
                      struct loupe_window *ret) {
    if (!len || len > UINT64_MAX - addr || !loupe_regions_window(images->regions, addr, ret))
        return false;
    return len <= ret->end - addr ||
           (loupe_regions_window(images->regions, addr + len - 1, ret) && addr >= ret->start);
}

const void *loupe_images_bytes(struct loupe_images *images, loupe_addr addr, size_t len,
                               size_t alignment) {
    struct loupe_window window;
    if (addr % alignment || !window_of(images, addr, len, &window))
        return NULL;
    return window.bytes + (addr - window.start);
}

struct loupe_span loupe_images_text(const struct loupe_images *images, loupe_addr addr) {
    enum { LONGEST_ACROSS = 4096 };
    struct loupe_window window;
    if (!window_of(images, addr, 1, &window))
        return (struct loupe_span){0};
    if (window.end - addr < LONGEST_ACROSS && !window_of(images, addr, LONGEST_ACROSS, &window))
        window_of(images, addr, 1, &window); /* there is no more */
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
    else
        images->is_partial = true;
    return status;
}

void loupe_images_open(struct loupe_images *images, struct loupe_loaded_image *loaded) {
    if (loaded->opened)
        return;
    loupe_image_file_open(loaded, images->chunks);
    loupe_image_find_table(&loaded->image);
    loaded->opened = true;
}

/* ---- By name ---- */

static enum loupe_status index_names(struct loupe_images *images) {
    if (images->names.slots)
        return LOUPE_OK;
    size_t total = 0;
    for (size_t i = 0; i < images->count; i++) {
        loupe_images_open(images, &images->items[i]);
        total += images->items[i].image.table.count;
    }
    enum loupe_status status = loupe_symbol_names_init(&images->names, total, images->chunks);
    for (uint32_t i = 0; !status && i < images->count; i++)
        loupe_symbol_names_add(&images->names, &images->items[i].image, i);
    return status;
}

static const struct loupe_image *image_of_number(const void *ctx, uint32_t number) {
    const struct loupe_images *images = ctx;
    return &images->items[number].image;
}

static enum loupe_status find_local(struct loupe_images *images, const char *name,
                                    loupe_addr *ret) {
    enum loupe_status status = index_names(images);
    if (status)
        return status;
    return loupe_symbol_names_find(&images->names, name, image_of_number, images, ret)
               ? LOUPE_OK
               : LOUPE_EFAULT;
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

struct loupe_loaded_image *loupe_images_at(struct loupe_images *images, loupe_addr addr) {
    return loupe_images_know(images) ? NULL : image_at(images, addr);
}

void loupe_images_expect(struct loupe_images *images, const loupe_addr *addrs, uint32_t count) {
    for (uint32_t first = 0, end; first < count; first = end) {
        struct loupe_loaded_image *loaded = loupe_images_at(images, addrs[first]);
        for (end = first + 1; loaded && end < count && holds(loaded, addrs[end]);)
            end++;
        if (!loaded)
            continue;
        loupe_images_open(images, loaded);
        /* Without memory for it each is looked for in its turn. */
        loupe_symbol_places_sort_near(&loaded->by_address, &loaded->image, addrs + first,
                                      end - first, images->chunks);
    }
}

enum loupe_status loupe_images_symbol(struct loupe_images *images,
                                      struct loupe_loaded_image *loaded, loupe_addr addr, char *dst,
                                      size_t cap, struct loupe_symbol *ret) {
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    struct loupe_span name;
    loupe_images_open(images, loaded);
    if (loupe_image_stub(&loaded->image, addr, ret) &&
        loupe_image_symbol_name(&loaded->image, ret, bounce, &name)) {
        loupe_format(dst, cap, "DYLD-STUB$$%.*s", (int)name.length, name.bytes);
        return LOUPE_OK;
    }
    enum loupe_status status =
        loupe_symbol_places_know(&loaded->by_address, addr)
            ? LOUPE_OK
            : loupe_symbol_places_sort(&loaded->by_address, &loaded->image, images->chunks);
    if (status || !loupe_symbol_places_find(&loaded->by_address, &loaded->image, addr, ret) ||
        !loupe_image_symbol_name(&loaded->image, ret, bounce, &name))
        return status ? status : LOUPE_EFAULT;
    loupe_format(dst, cap, "%.*s", (int)name.length, name.bytes);
    return LOUPE_OK;
}

enum loupe_status loupe_images_name(struct loupe_images *images, loupe_addr addr, char *dst,
                                    size_t cap, uint64_t *offset_ret) {
    enum loupe_status status = loupe_images_know(images);
    struct loupe_loaded_image *loaded = status ? NULL : image_at(images, addr);
    struct loupe_symbol symbol;
    if (!loaded)
        return status ? status : LOUPE_EFAULT;
    status = loupe_images_symbol(images, loaded, addr, dst, cap, &symbol);
    if (!status)
        *offset_ret = addr - symbol.address;
    return status;
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
