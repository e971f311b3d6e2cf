/* Functions that are looked up at their first call: their names by the dynamic section of the
 * image. */
#include "code/lazy_function.h"

#include <string.h>

enum { LOAD_ADDRESS = 0, DYNAMIC_SECTION = 16 /* of struct link_map */ };
enum { DT_STRTAB = 5, DT_SYMTAB = 6, DT_JMPREL = 23, DT_PLTRELSZ = 2, MOST_ENTRIES = 256 };
enum { RELOCATION_SIZE = 24, RELOCATION_INFO = 8, SYMBOL_SHIFT = 32, SYMBOL_SIZE = 24 };

struct tables {
    uint64_t strings, symbols, relocations, relocations_size;
};

static void take_entry(struct tables *tables, uint64_t tag, uint64_t value) {
    switch (tag) {
    case DT_STRTAB:
        tables->strings = value;
        break;
    case DT_SYMTAB:
        tables->symbols = value;
        break;
    case DT_JMPREL:
        tables->relocations = value;
        break;
    case DT_PLTRELSZ:
        tables->relocations_size = value;
        break;
    default:
        break;
    }
}

/* The linker adds where an image was loaded in place, but not in sections that cannot be written.
 */
static uint64_t loaded(uint64_t address, loupe_addr load_address) {
    return address < load_address ? address + load_address : address;
}

static bool read_tables(struct loupe_memory *memory, loupe_addr image, struct tables *ret) {
    uint64_t load_address, entry, tag = 1, value;
    *ret = (struct tables){0};
    if (loupe_memory_read_word(memory, image + LOAD_ADDRESS, &load_address) ||
        loupe_memory_read_word(memory, image + DYNAMIC_SECTION, &entry))
        return false;
    /* Cap: an image with more is none: members are assumed. */
    for (unsigned i = 0; i < MOST_ENTRIES && tag; i++, entry += 2 * sizeof(value)) {
        if (loupe_memory_read_word(memory, entry, &tag) ||
            loupe_memory_read_word(memory, entry + sizeof(value), &value))
            return false;
        take_entry(ret, tag, value);
    }
    if (tag || !ret->strings || !ret->symbols || !ret->relocations)
        return false;
    ret->strings = loaded(ret->strings, load_address);
    ret->symbols = loaded(ret->symbols, load_address);
    ret->relocations = loaded(ret->relocations, load_address);
    return true;
}

bool loupe_lazy_function_name(struct loupe_memory *memory, loupe_addr image, uint64_t number,
                              char *ret, size_t size) {
    struct tables tables;
    uint64_t info;
    uint32_t name;
    if (memory->machine.pointer_size != sizeof(info) || !read_tables(memory, image, &tables) ||
        number >= tables.relocations_size / RELOCATION_SIZE ||
        loupe_memory_read_word(
            memory, tables.relocations + number * RELOCATION_SIZE + RELOCATION_INFO, &info) ||
        loupe_memory_read_u32(memory, tables.symbols + (info >> SYMBOL_SHIFT) * SYMBOL_SIZE, &name))
        return false;
    return loupe_memory_read_string(memory, tables.strings + name, ret, size, NULL) == LOUPE_OK;
}
