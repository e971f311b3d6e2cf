/*
 * The classes of a program by libobjc2's own table (class_table.c, hash_table.h): a root class that
 * is no NSObject, and one whose symbols were stripped, no symbol leads to. The table is a variable
 * without a symbol where the library is stripped, but the function that lists classes refers to it,
 * and its entries show that it is one.
 */
#include "runtime/gnu/abi_gnustep2.h"

#include "code/reading.h"

enum { CELL_VALUE = 1, CELL_WORDS = 2, LEAST_CELLS = 16, MOST_CELLS = 1 << 22 };

/* Where its cells are, and how many. */
struct cells {
    loupe_addr first;
    uint32_t count;
};

static bool is_class(struct loupe_target *target, loupe_addr address) {
    uint64_t words[GNU_CLASS_WORD_COUNT], meta[GNU_CLASS_WORD_COUNT];
    return address && address % target->memory->machine.pointer_size == 0 &&
           gnu_read_class_words(target, address, words) &&
           gnu_read_class_words(target, words[GNU_CLASS_ISA], meta) &&
           !(words[GNU_CLASS_INFO] & GNUSTEP2_META) && (meta[GNU_CLASS_INFO] & GNUSTEP2_META);
}

/* Nothing but classes, and one at least. */
static bool are_of_classes(struct loupe_target *target, const struct cells *cells) {
    enum { ENOUGH = 8 };
    unsigned found = 0;
    /* Cap: enough to believe it; without, there is no table. */
    for (uint32_t i = 0; i < cells->count && found < ENOUGH; i++) {
        loupe_addr value;
        if (loupe_memory_read_pointer(target->memory,
                                      abi_word(target, cells->first, CELL_WORDS * i + CELL_VALUE),
                                      &value) ||
            (value && !is_class(target, value)))
            return false;
        found += value != 0;
    }
    return found != 0;
}

/* A table begins with a lock, which differs by system; behind it are how many cells there are, how
 * many are used, and who enumerates them; then the table before it, and the cells. */
static bool read_table_at(struct loupe_target *target, loupe_addr numbers, struct cells *ret) {
    enum { SIZE, USED, ENUMERATORS, NUMBERS };
    uint8_t size = target->memory->machine.pointer_size;
    uint32_t found[NUMBERS];
    loupe_addr old = (numbers + sizeof(found) + size - 1) / size * size;
    /* Cap: all of a table. */
    for (unsigned i = 0; i < NUMBERS; i++) {
        if (loupe_memory_read_u32(target->memory, numbers + i * sizeof(found[0]), &found[i]))
            return false;
    }
    ret->count = found[SIZE];
    return ret->count >= LEAST_CELLS && ret->count <= MOST_CELLS &&
           (ret->count & (ret->count - 1)) == 0 && found[USED] && found[USED] <= ret->count &&
           !loupe_memory_read_pointer(target->memory, abi_word(target, old, 1), &ret->first) &&
           ret->first && are_of_classes(target, ret);
}

static bool read_table(struct loupe_target *target, loupe_addr variable, struct cells *ret) {
    enum { LONGEST_LOCK = 64 };
    loupe_addr table;
    if (loupe_memory_read_pointer(target->memory, variable, &table) || !table)
        return false;
    /* Cap: a table behind a longer lock is none. */
    for (unsigned at = 0; at <= LONGEST_LOCK; at += sizeof(uint32_t)) {
        if (read_table_at(target, table + at, ret))
            return true;
    }
    return false;
}

static bool find_by_code(struct loupe_target *target, struct cells *ret) {
    struct loupe_code_reading reading;
    loupe_addr code;
    bool found = false;
    if (loupe_memory_find_symbol(target->memory, "objc_getClassList", &code))
        return false;
    loupe_code_reading_init(&reading, target->memory, target->chunks);
    loupe_code_reading_follow(&reading, code);
    for (uint32_t i = 0; i < reading.references.count && !found; i++)
        found = read_table(
            target,
            *(const loupe_addr *)loupe_vector_at(&reading.references, i, sizeof(loupe_addr)), ret);
    loupe_code_reading_deinit(&reading);
    return found;
}

static bool find_cells(struct loupe_target *target, struct cells *ret) {
    loupe_addr variable;
    return (!loupe_memory_find_symbol(target->memory, "class_table", &variable) &&
            read_table(target, variable, ret)) ||
           find_by_code(target, ret);
}

bool gnustep2_next_class(struct loupe_target *target, struct loupe_class_cursor *cursor,
                         loupe_addr *ret) {
    struct cells cells = {.first = cursor->table, .count = cursor->seen};
    if (!cells.first && !find_cells(target, &cells))
        return false;
    cursor->table = cells.first;
    cursor->seen = cells.count;
    while (cursor->place < cells.count) {
        unsigned word = CELL_WORDS * cursor->place++ + CELL_VALUE;
        if (!loupe_memory_read_pointer(target->memory, abi_word(target, cells.first, word), ret) &&
            *ret)
            return true;
    }
    return false;
}
