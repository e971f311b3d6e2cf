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
    /* Cap: all of a table. */
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
    /* Cap: all of a number. */
    for (unsigned shift = 0; count && shift < ADDRESS_BITS && (most - least) >> shift;
         shift += DIGIT_BITS) {
        sort_by_digit(places, spare, count, least, shift);
        struct loupe_symbol_place *swap = places;
        places = spare;
        spare = swap;
    }
    return places;
}

/* Sorts what was collected in one of two rooms of that capacity, and gives the other one back. */
static void take_sorted(struct loupe_symbol_places *places, struct loupe_symbol_place *items,
                        struct loupe_symbol_place *spare, uint32_t count, uint32_t capacity,
                        const struct loupe_chunk_ops *chunks) {
    places->items = sort(items, spare, count);
    places->count = count;
    places->capacity = capacity;
    loupe_chunk_put(chunks, places->items == items ? spare : items, capacity * sizeof(*items));
}

/* Room for so many twice. */
static bool get_rooms(uint32_t capacity, struct loupe_symbol_place **items_ret,
                      struct loupe_symbol_place **spare_ret, const struct loupe_chunk_ops *chunks) {
    size_t size = (size_t)capacity * sizeof(**items_ret);
    *items_ret = loupe_chunk_get(chunks, size);
    *spare_ret = loupe_chunk_get(chunks, size);
    if (*items_ret && *spare_ret)
        return true;
    loupe_chunk_put(chunks, *items_ret, size);
    loupe_chunk_put(chunks, *spare_ret, size);
    return false;
}

enum loupe_status loupe_symbol_places_sort(struct loupe_symbol_places *places,
                                           const struct loupe_image *image,
                                           const struct loupe_chunk_ops *chunks) {
    enum { AT_ONCE = 256 };
    uint32_t all = image->table.count, count = 0;
    struct loupe_symbol_place *items, *spare;
    if (places->is_part)
        loupe_symbol_places_free(places, chunks);
    if (places->items || !all)
        return LOUPE_OK;
    if (!get_rooms(all, &items, &spare, chunks))
        return LOUPE_ENOMEM;
    for (uint32_t first = 0, some; first < all; first += some) {
        loupe_addr addresses[AT_ONCE];
        some = all - first < AT_ONCE ? all - first : AT_ONCE;
        loupe_image_symbol_addresses(image, first, some, addresses);
        for (uint32_t i = 0; i < some; i++)
            if (addresses[i] != LOUPE_NO_ADDRESS)
                items[count++] =
                    (struct loupe_symbol_place){.address = addresses[i], .number = first + i};
    }
    take_sorted(places, items, spare, count, all, chunks);
    return LOUPE_OK;
}

/* ---- By address, some ---- */

static bool has_bit(const uint64_t *bits, uint32_t i) {
    return bits[i / 64] >> i % 64 & 1;
}

static void set_bit(uint64_t *bits, uint32_t i) {
    bits[i / 64] |= UINT64_C(1) << i % 64;
}

/* Symbols outside of the image count among those at its ends: their order is what matters. */
static inline uint32_t stretch_of(const struct loupe_symbol_places *places, loupe_addr addr) {
    uint64_t stretch = addr < places->start ? 0 : (addr - places->start) >> places->shift;
    return stretch < LOUPE_SYMBOL_STRETCHES ? (uint32_t)stretch : LOUPE_SYMBOL_STRETCHES - 1;
}

static void divide(struct loupe_symbol_places *places, const struct loupe_image *image) {
    *places = (struct loupe_symbol_places){.is_part = true, .start = image->start};
    /* Cap: all of an image. */
    while ((image->end - image->start) >> places->shift >= LOUPE_SYMBOL_STRETCHES)
        places->shift++;
}

/* What covers an address of a stretch begins in it, or in the last one before that has symbols. */
static void find_wanted(const uint64_t *known, const uint64_t *occupied, uint64_t *ret) {
    uint32_t last = 0;
    /* Cap: all of an image. */
    for (uint32_t i = 0; i < LOUPE_SYMBOL_STRETCHES; i++) {
        if (has_bit(known, i)) {
            set_bit(ret, last);
            set_bit(ret, i);
        }
        if (has_bit(occupied, i))
            last = i;
    }
}

static enum loupe_status collect_wanted(struct loupe_symbol_places *places,
                                        const loupe_addr *addresses, uint32_t all,
                                        const uint64_t *wanted,
                                        const struct loupe_chunk_ops *chunks) {
    struct loupe_symbol_place *items, *spare;
    uint32_t capacity = 1, count = 0;
    for (uint32_t i = 0; i < all; i++)
        capacity +=
            addresses[i] != LOUPE_NO_ADDRESS && has_bit(wanted, stretch_of(places, addresses[i]));
    if (!get_rooms(capacity, &items, &spare, chunks))
        return LOUPE_ENOMEM;
    for (uint32_t i = 0; i < all; i++)
        if (addresses[i] != LOUPE_NO_ADDRESS && has_bit(wanted, stretch_of(places, addresses[i])))
            items[count++] = (struct loupe_symbol_place){.address = addresses[i], .number = i};
    take_sorted(places, items, spare, count, capacity, chunks);
    return LOUPE_OK;
}

enum loupe_status loupe_symbol_places_sort_near(struct loupe_symbol_places *places,
                                                const struct loupe_image *image,
                                                const loupe_addr *addrs, uint32_t count,
                                                const struct loupe_chunk_ops *chunks) {
    uint64_t occupied[LOUPE_SYMBOL_STRETCHES / 64] = {0};
    uint64_t wanted[LOUPE_SYMBOL_STRETCHES / 64] = {0};
    uint32_t all = image->table.count;
    if (places->items || !all)
        return LOUPE_OK;
    loupe_addr *addresses = loupe_chunk_get(chunks, all * sizeof(*addresses));
    if (!addresses)
        return LOUPE_ENOMEM;
    divide(places, image);
    loupe_image_symbol_addresses(image, 0, all, addresses);
    for (uint32_t i = 0; i < all; i++)
        if (addresses[i] != LOUPE_NO_ADDRESS)
            set_bit(occupied, stretch_of(places, addresses[i]));
    for (uint32_t i = 0; i < count; i++)
        set_bit(places->known, stretch_of(places, addrs[i]));
    find_wanted(places->known, occupied, wanted);
    enum loupe_status status = collect_wanted(places, addresses, all, wanted, chunks);
    if (status)
        *places = (struct loupe_symbol_places){.items = NULL};
    loupe_chunk_put(chunks, addresses, all * sizeof(*addresses));
    return status;
}

bool loupe_symbol_places_know(const struct loupe_symbol_places *places, loupe_addr addr) {
    return places->items && (!places->is_part || has_bit(places->known, stretch_of(places, addr)));
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
