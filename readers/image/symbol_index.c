#include "image/symbol_index.h"

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

/* A symbol that has a place in the image. */
static bool placed_symbol(const struct loupe_image *image, uint32_t number,
                          struct loupe_symbol *ret) {
    return loupe_image_symbol(image, number, ret) && !ret->imported;
}

/* ---- By address ---- */

/* Moves the places by one digit of their distance from base, those of the same digit in order. */
static void sort_by_digit(const struct loupe_symbol_place *from, struct loupe_symbol_place *to,
                          size_t count, loupe_addr base, unsigned shift) {
    enum { DIGITS = 1 << 11 };
    uint32_t starts[DIGITS] = {0}, start = 0;
    for (size_t i = 0; i < count; i++)
        starts[(from[i].address - base) >> shift & (DIGITS - 1)]++;
    for (unsigned digit = 0; digit < DIGITS; digit++) {
        uint32_t next = start + starts[digit];
        starts[digit] = start;
        start = next;
    }
    for (size_t i = 0; i < count; i++)
        to[starts[(from[i].address - base) >> shift & (DIGITS - 1)]++] = from[i];
}

/* Returns which of the two holds the sorted places, equal ones in order. */
static struct loupe_symbol_place *sort(struct loupe_symbol_place *places,
                                       struct loupe_symbol_place *spare, size_t count) {
    enum { DIGIT_BITS = 11, ADDRESS_BITS = 64 };
    loupe_addr least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        least = places[i].address < least ? places[i].address : least;
        most = places[i].address > most ? places[i].address : most;
    }
    for (unsigned shift = 0; count && shift < ADDRESS_BITS && (most - least) >> shift;
         shift += DIGIT_BITS) {
        sort_by_digit(places, spare, count, least, shift);
        struct loupe_symbol_place *swap = places;
        places = spare;
        spare = swap;
    }
    return places;
}

enum loupe_status loupe_symbol_places_sort(struct loupe_symbol_places *places,
                                           const struct loupe_image *image,
                                           const struct loupe_chunk_ops *chunks) {
    if (places->items || !image->table.count)
        return LOUPE_OK;
    size_t size = (size_t)image->table.count * sizeof(struct loupe_symbol_place);
    struct loupe_symbol_place *items = loupe_chunk_get(chunks, size);
    struct loupe_symbol_place *spare = loupe_chunk_get(chunks, size);
    if (!items || !spare) {
        loupe_chunk_put(chunks, items, size);
        loupe_chunk_put(chunks, spare, size);
        return LOUPE_ENOMEM;
    }
    uint32_t count = 0;
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        if (placed_symbol(image, i, &symbol))
            items[count++] = (struct loupe_symbol_place){.address = symbol.address, .number = i};
    }
    places->items = sort(items, spare, count);
    loupe_chunk_put(chunks, places->items == items ? spare : items, size);
    places->count = count;
    places->capacity = image->table.count;
    return LOUPE_OK;
}

void loupe_symbol_places_free(struct loupe_symbol_places *places,
                              const struct loupe_chunk_ops *chunks) {
    loupe_chunk_put(chunks, places->items, places->capacity * sizeof(*places->items));
    *places = (struct loupe_symbol_places){.items = NULL};
}

/* The number of places at or before addr. */
static uint32_t places_before(const struct loupe_symbol_places *places, loupe_addr addr) {
    uint32_t low = 0, high = places->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (places->items[middle].address <= addr)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* A symbol without a size ends where another function begins, or its section ends. */
static bool reaches(const struct loupe_image *image, const struct loupe_symbol *symbol,
                    loupe_addr addr) {
    loupe_addr start;
    if (symbol->size)
        return true;
    return loupe_image_in_one_section(image, symbol->address, addr) &&
           (!loupe_image_function_start(image, addr, &start) || start <= symbol->address);
}

bool loupe_symbol_places_find(const struct loupe_symbol_places *places,
                              const struct loupe_image *image, loupe_addr addr,
                              struct loupe_symbol *ret) {
    uint32_t after = places_before(places, addr);
    if (!after)
        return false;
    loupe_addr nearest = places->items[after - 1].address;
    bool found = false;
    for (uint32_t i = after; i-- && places->items[i].address == nearest;) {
        struct loupe_symbol symbol;
        if (!placed_symbol(image, places->items[i].number, &symbol) ||
            (symbol.size && addr - nearest >= symbol.size) || (found && !symbol.size))
            continue;
        *ret = symbol;
        found = true;
    }
    return found && reaches(image, ret, addr);
}

/* ---- By name ---- */

static uint32_t hash_of(struct loupe_span name) {
    uint32_t hash = 5381;
    for (size_t i = 0; i < name.length; i++)
        hash = hash * 33 + (unsigned char)name.bytes[i];
    return hash;
}

enum loupe_status loupe_symbol_names_init(struct loupe_symbol_names *names, size_t symbols,
                                          const struct loupe_chunk_ops *chunks) {
    size_t capacity = 64;
    while (capacity < symbols * 2)
        capacity *= 2;
    names->slots = loupe_chunk_get(chunks, capacity * sizeof(*names->slots));
    if (!names->slots)
        return LOUPE_ENOMEM;
    memset(names->slots, 0, capacity * sizeof(*names->slots));
    names->capacity = capacity;
    return LOUPE_OK;
}

void loupe_symbol_names_free(struct loupe_symbol_names *names,
                             const struct loupe_chunk_ops *chunks) {
    loupe_chunk_put(chunks, names->slots, names->capacity * sizeof(*names->slots));
    *names = (struct loupe_symbol_names){.slots = NULL};
}

void loupe_symbol_names_add(struct loupe_symbol_names *names, const struct loupe_image *image,
                            uint32_t number) {
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    for (uint32_t i = 0; i < image->table.count; i++) {
        struct loupe_symbol symbol;
        struct loupe_span name;
        if (!placed_symbol(image, i, &symbol) ||
            !loupe_image_symbol_name(image, &symbol, bounce, &name))
            continue;
        uint32_t hash = hash_of(name);
        size_t slot = hash & (names->capacity - 1);
        while (names->slots[slot].image)
            slot = (slot + 1) & (names->capacity - 1);
        names->slots[slot] =
            (struct loupe_symbol_name){.hash = hash, .image = number + 1, .number = i};
    }
}

/* The slot from `from` on that has this hash, or the free one that ends the search. */
static const struct loupe_symbol_name *next_slot(const struct loupe_symbol_names *names,
                                                 uint32_t hash, size_t from) {
    size_t mask = names->capacity - 1;
    size_t slot = from & mask;
    while (names->slots[slot].image && names->slots[slot].hash != hash)
        slot = (slot + 1) & mask;
    return &names->slots[slot];
}

bool loupe_symbol_names_find(const struct loupe_symbol_names *names, const char *name,
                             const struct loupe_image *(*image)(const void *ctx, uint32_t number),
                             const void *ctx, loupe_addr *ret) {
    uint32_t hash = hash_of(loupe_span_of(name));
    const struct loupe_symbol_name *slot = next_slot(names, hash, hash);
    while (slot->image) {
        const struct loupe_image *of = image(ctx, slot->image - 1);
        char bounce[LOUPE_SYMBOL_NAME_SIZE];
        struct loupe_symbol symbol;
        struct loupe_span found;
        if (placed_symbol(of, slot->number, &symbol) &&
            loupe_image_symbol_name(of, &symbol, bounce, &found) &&
            loupe_span_equals(found, name)) {
            *ret = symbol.address;
            return true;
        }
        slot = next_slot(names, hash, (size_t)(slot - names->slots) + 1);
    }
    return false;
}
