/* Symbols of ELF: the table of symbols, and exports by their hashes. */
#include "image/elf/elf.h"
#include "image/elf/elf_constants.h"

#include <string.h>

enum { SYMBOL_SIZE = 24 };      /* the larger one */
enum { MAX_BUCKETS = 1 << 22 }; /* of a hash table; a library of 100 MB has 2^15 */

/* ---- Exported symbols: the hash table that the loader uses ---- */

enum { HASH_HEADER = 16, LONGEST_CHAIN = 1 << 16 /* of names with one hash; real ones have few */ };

struct hash_table {
    uint32_t bucket_count, first_symbol, bloom_size, bloom_shift;
    loupe_addr bloom, buckets, chains;
};

static bool read_hash_table(const struct loupe_image *image, struct hash_table *ret) {
    uint8_t bytes[HASH_HEADER];
    if (!image->exports.hash || !image->exports.symbols || !image->exports.strings ||
        loupe_memory_read(image->memory, image->exports.hash, bytes, sizeof(bytes)))
        return false;
    *ret = (struct hash_table){.bucket_count = (uint32_t)loupe_number_at(bytes, 0, 4),
                               .first_symbol = (uint32_t)loupe_number_at(bytes, 4, 4),
                               .bloom_size = (uint32_t)loupe_number_at(bytes, 8, 4),
                               .bloom_shift = (uint32_t)loupe_number_at(bytes, 12, 4) & 31,
                               .bloom = image->exports.hash + sizeof(bytes)};
    ret->buckets = ret->bloom + (uint64_t)ret->bloom_size * image->pointer_size;
    ret->chains = ret->buckets + (uint64_t)ret->bucket_count * sizeof(uint32_t);
    return ret->bucket_count && ret->bucket_count <= MAX_BUCKETS && ret->bloom_size;
}

static uint32_t hash_name(const char *name) {
    uint32_t hash = 5381;
    for (; *name; name++)
        hash = hash * 33 + (unsigned char)*name;
    return hash;
}

/* What most names that are not there are told by, with one read. */
static bool may_be_exported(const struct loupe_image *image, const struct hash_table *table,
                            uint32_t hash) {
    uint32_t bits = image->pointer_size * 8u;
    uint8_t bounce[8];
    const uint8_t *bytes = loupe_memory_view(
        image->memory,
        table->bloom + (uint64_t)(hash / bits % table->bloom_size) * image->pointer_size,
        image->pointer_size, bounce);
    uint64_t word = bytes ? loupe_number_at(bytes, 0, image->pointer_size) : 0;
    return (word >> hash % bits & 1) && (word >> (hash >> table->bloom_shift) % bits & 1);
}

/* A symbol at that place of a memory, with its name's offset in a string table. */
struct raw_symbol {
    uint32_t name, section;
    uint8_t info;
    uint64_t value, size;
};

static inline struct raw_symbol decode_symbol(const struct loupe_elf_layout *layout,
                                              const uint8_t *bytes) {
    return (struct raw_symbol){.name = (uint32_t)loupe_number_at(bytes, 0, 4),
                               .section =
                                   (uint32_t)loupe_number_at(bytes, layout->symbol.section, 2),
                               .info = bytes[layout->symbol.info],
                               .value = loupe_elf_word(layout, bytes, layout->symbol.value),
                               .size = loupe_elf_word(layout, bytes, layout->symbol.length)};
}

static bool read_symbol(struct loupe_memory *memory, const struct loupe_elf_layout *layout,
                        loupe_addr at, struct raw_symbol *ret) {
    uint8_t bounce[SYMBOL_SIZE];
    const uint8_t *bytes = loupe_memory_view(memory, at, layout->symbol.size, bounce);
    if (bytes)
        *ret = decode_symbol(layout, bytes);
    return bytes != NULL;
}

static unsigned symbol_type(const struct raw_symbol *symbol) {
    return symbol->info & 0xf;
}

static bool export_matches(const struct loupe_image *image, uint32_t number, const char *name,
                           loupe_addr *ret) {
    const struct loupe_elf_layout *layout = loupe_elf_layout(image);
    struct raw_symbol symbol;
    char bounce[LOUPE_SYMBOL_NAME_SIZE];
    size_t length = strlen(name) + 1;
    if (length > sizeof(bounce) ||
        !read_symbol(image->memory, layout,
                     image->exports.symbols + (uint64_t)number * layout->symbol.size, &symbol) ||
        symbol.section == SHN_UNDEF || symbol_type(&symbol) == STT_TLS)
        return false;
    const uint8_t *text =
        loupe_memory_view(image->memory, image->exports.strings + symbol.name, length, bounce);
    if (!text || memcmp(text, name, length) != 0)
        return false;
    *ret = image->bias + symbol.value;
    return true;
}

static bool read_u32(const struct loupe_image *image, loupe_addr at, uint32_t *ret) {
    return !loupe_memory_read_u32(image->memory, at, ret);
}

enum loupe_status loupe_elf_find_export(const struct loupe_image *image, const char *name,
                                        loupe_addr *ret) {
    struct hash_table table;
    uint32_t hash = hash_name(name), number, link;
    if (!read_hash_table(image, &table) || !may_be_exported(image, &table, hash) ||
        !read_u32(image, table.buckets + (uint64_t)(hash % table.bucket_count) * 4, &number) ||
        number < table.first_symbol)
        return LOUPE_EFAULT;
    /* Cap: symbol not found, which callers report. */
    for (uint32_t i = 0; i < LONGEST_CHAIN; i++, number++) {
        if (!read_u32(image, table.chains + (uint64_t)(number - table.first_symbol) * 4, &link))
            return LOUPE_EFAULT;
        if ((link | 1) == (hash | 1) && export_matches(image, number, name, ret))
            return LOUPE_OK;
        if (link & 1 || number == UINT32_MAX)
            return LOUPE_EFAULT;
    }
    return LOUPE_EFAULT;
}

/* How many symbols the loaded table has, which only its hash table tells: one more than the last
 * one of the last chain. */
static uint32_t count_exports(const struct loupe_image *image) {
    struct hash_table table;
    uint32_t last = 0, number, link;
    if (!read_hash_table(image, &table))
        return 0;
    for (uint32_t i = 0; i < table.bucket_count; i++) {
        if (!read_u32(image, table.buckets + (uint64_t)i * 4, &number))
            return 0;
        if (number > last)
            last = number;
    }
    if (last < table.first_symbol)
        return 0;
    /* Cap: symbol not found, which callers report; numbers of symbols end there. */
    for (uint32_t i = 0; i < LONGEST_CHAIN && last < UINT32_MAX; i++, last++)
        if (!read_u32(image, table.chains + (uint64_t)(last - table.first_symbol) * 4, &link))
            return 0;
        else if (link & 1)
            return last + 1;
    return 0;
}

void loupe_elf_find_exports(struct loupe_image *image) {
    struct loupe_symbol_table table = {.memory = image->memory,
                                       .symbols = image->exports.symbols,
                                       .strings = image->exports.strings,
                                       .strings_size = image->exports.strings_size,
                                       .count = count_exports(image)};
    loupe_image_take_table(image, table, loupe_elf_layout(image)->symbol.size);
}

/* ---- All symbols ---- */

/* Here or in another image. */
static bool names_a_place(const struct raw_symbol *symbol) {
    return symbol->section < SHN_LORESERVE && symbol_type(symbol) <= STT_FUNC && symbol->name;
}

bool loupe_elf_symbol(const struct loupe_image *image, uint32_t number, struct loupe_symbol *ret) {
    const struct loupe_elf_layout *layout = loupe_elf_layout(image);
    const struct loupe_symbol_table *table = &image->table;
    struct raw_symbol symbol;
    if (!read_symbol(table->memory, layout, table->symbols + (uint64_t)number * layout->symbol.size,
                     &symbol) ||
        !names_a_place(&symbol))
        return false;
    bool imported = symbol.section == SHN_UNDEF;
    *ret = (struct loupe_symbol){.address = imported ? 0 : image->bias + symbol.value,
                                 .size = symbol.size,
                                 .name = table->strings + symbol.name,
                                 .imported = imported};
    return true;
}

uint8_t loupe_elf_symbol_size(const struct loupe_image *image) {
    return loupe_elf_layout(image)->symbol.size;
}

/* Once for each layout, so that a symbol takes two nanoseconds. */
__attribute__((always_inline)) static inline void
addresses_of(const struct loupe_elf_layout *layout, const uint8_t *symbols, uint32_t count,
             loupe_addr bias, loupe_addr *ret) {
    for (uint32_t i = 0; i < count; i++) {
        struct raw_symbol symbol = decode_symbol(layout, symbols + (size_t)i * layout->symbol.size);
        bool is_placed = names_a_place(&symbol) && symbol.section != SHN_UNDEF;
        ret[i] = is_placed ? bias + symbol.value : LOUPE_NO_ADDRESS;
    }
}

void loupe_elf_symbol_addresses(const struct loupe_image *image, const uint8_t *symbols,
                                uint32_t count, loupe_addr *ret) {
    if (loupe_elf_layout(image) == &loupe_elf_64)
        addresses_of(&loupe_elf_64, symbols, count, image->bias, ret);
    else
        addresses_of(&loupe_elf_32, symbols, count, image->bias, ret);
}

struct loupe_span loupe_elf_c_name(struct loupe_span name) {
    const char *version = memchr(name.bytes, '@', name.length);
    if (version)
        name.length = (size_t)(version - name.bytes);
    return name;
}
