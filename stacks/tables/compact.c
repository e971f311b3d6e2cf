/*
 * Compact unwind of Mach-O (__unwind_info): an index of pages, each of which has the functions of a
 * stretch of code with 32 bits for each, which say how the body of the function keeps the registers
 * of its caller.
 */
#include "image/macho/macho_constants.h"
#include "tables/dwarf_cursor.h"
#include "tables/unwind_rules.h"

enum { WORD = 8, INDEX_ENTRY = 12, REGULAR_ENTRY = 8, COMPRESSED_ENTRY = 4 };
enum { OFFSET_BITS = 24, OFFSET_MASK = (1 << OFFSET_BITS) - 1 };

/* ---- The tables ---- */

struct section {
    struct loupe_memory *memory;
    struct loupe_range range;
    loupe_addr image; /* what functions are counted from */
    bool is_bad;      /* something was to be read that is not there */
};

static uint64_t number_at(struct section *section, uint64_t offset, unsigned size) {
    struct loupe_dwarf_cursor cursor = {.memory = section->memory, .end = section->range.end};
    if (offset > section->range.end - section->range.start) {
        section->is_bad = true;
        return 0;
    }
    cursor.at = section->range.start + offset;
    uint64_t value = loupe_dwarf_number(&cursor, size);
    section->is_bad |= cursor.is_bad;
    return value;
}

/* Entries of one size, each with a function's offset in the low bits of its first word. */
struct entries {
    uint64_t offset, count, size, base, mask; /* base: what their offsets are counted from */
};

static uint64_t function_at(struct section *section, const struct entries *entries,
                            uint64_t number) {
    uint64_t word = number_at(section, entries->offset + number * entries->size, 4);
    return entries->base + (word & entries->mask);
}

/* The last entry that begins at the function's offset or before it. False: none does. */
static bool search(struct section *section, const struct entries *entries, uint64_t function,
                   uint64_t *ret) {
    uint64_t low = 0, high = entries->count;
    while (low < high && !section->is_bad) {
        uint64_t middle = low + (high - low) / 2;
        if (function_at(section, entries, middle) <= function)
            low = middle + 1;
        else
            high = middle;
    }
    *ret = low - 1;
    return low && !section->is_bad;
}

struct page {
    uint64_t offset;     /* in the section */
    uint64_t start, end; /* of its functions */
};

/* The last entry of the index stands for the end of all functions. */
static bool find_page(struct section *section, uint64_t function, struct page *ret) {
    struct entries index = {.offset = number_at(section, 20, 4),
                            .count = number_at(section, 24, 4),
                            .size = INDEX_ENTRY,
                            .mask = UINT32_MAX};
    uint64_t number;
    if (number_at(section, 0, 4) != UNWIND_SECTION_VERSION || !index.count ||
        !search(section, &index, function, &number) || number + 1 >= index.count)
        return false;
    *ret = (struct page){.start = function_at(section, &index, number),
                         .end = function_at(section, &index, number + 1),
                         .offset = number_at(section, index.offset + number * INDEX_ENTRY + 4, 4)};
    return ret->offset && !section->is_bad && function < ret->end;
}

struct found {
    uint32_t encoding;
    uint64_t start, end; /* of the functions that have it, which linkers put together */
};

static uint32_t encoding_of(struct section *section, const struct page *page, uint64_t number) {
    uint64_t common_offset = number_at(section, 4, 4), common_count = number_at(section, 8, 4);
    if (number < common_count)
        return (uint32_t)number_at(section, common_offset + number * 4, 4);
    uint64_t own_offset = number_at(section, page->offset + 8, 2);
    uint64_t own_count = number_at(section, page->offset + 10, 2);
    number -= common_count;
    if (number >= own_count)
        return 0;
    return (uint32_t)number_at(section, page->offset + own_offset + number * 4, 4);
}

static bool find_function(struct section *section, uint64_t function, struct found *ret) {
    struct page page;
    uint64_t number;
    if (!find_page(section, function, &page))
        return false;
    uint64_t kind = number_at(section, page.offset, 4);
    if (kind != UNWIND_SECOND_LEVEL_REGULAR && kind != UNWIND_SECOND_LEVEL_COMPRESSED)
        return false;
    bool is_compressed = kind == UNWIND_SECOND_LEVEL_COMPRESSED;
    struct entries entries = {.offset = page.offset + number_at(section, page.offset + 4, 2),
                              .count = number_at(section, page.offset + 6, 2),
                              .size = is_compressed ? COMPRESSED_ENTRY : REGULAR_ENTRY,
                              .base = is_compressed ? page.start : 0,
                              .mask = is_compressed ? OFFSET_MASK : UINT32_MAX};
    if (!search(section, &entries, function, &number))
        return false;
    uint64_t at = entries.offset + number * entries.size;
    ret->start = function_at(section, &entries, number);
    ret->end = number + 1 < entries.count ? function_at(section, &entries, number + 1) : page.end;
    ret->encoding = is_compressed
                        ? encoding_of(section, &page, number_at(section, at, 4) >> OFFSET_BITS)
                        : (uint32_t)number_at(section, at + 4, 4);
    return !section->is_bad && function < ret->end;
}

/* ---- The encodings ---- */

/* The same bits on both machines. */
enum { MODE = UNWIND_X86_64_MODE_MASK, DWARF_OFFSET = UNWIND_X86_64_DWARF_SECTION_OFFSET };

static uint32_t bits(uint32_t encoding, unsigned first, unsigned count) {
    return encoding >> first & ((UINT32_C(1) << count) - 1);
}

static void save(struct loupe_unwind_rules *rules, unsigned number, int64_t offset) {
    rules->registers[number] = (struct loupe_restore){.kind = LOUPE_RESTORE_AT, .value = offset};
}

static void set_frame(struct loupe_unwind_rules *rules, unsigned base, int64_t value) {
    rules->frame.base = (uint8_t)base;
    rules->frame.value = value;
}

/* Five registers of 3 bits each, from the deepest place up. */
static bool frame_of_x86_64(uint32_t encoding, struct loupe_unwind_rules *rules) {
    static const uint8_t numbers[] = {0, LOUPE_X86_64_BX, 12, 13, 14, 15};
    int64_t offset = -2 * WORD - (int64_t)bits(encoding, 16, 8) * WORD;
    set_frame(rules, LOUPE_X86_64_BP, 2 * WORD);
    save(rules, LOUPE_X86_64_PC, -WORD);
    save(rules, LOUPE_X86_64_BP, -2 * WORD);
    for (unsigned i = 0; i < 5; i++, offset += WORD) {
        unsigned number = bits(encoding, 3 * i, 3);
        if (number >= sizeof(numbers))
            return false;
        if (number)
            save(rules, numbers[number], offset);
    }
    return true;
}

/*
 * Which of six registers, in which order: each digit of the number, in a base that falls from 6,
 * counts among the registers that are left.
 */
static bool permutation(uint32_t number, unsigned count, uint8_t ret[6]) {
    static const uint8_t numbers[] = {LOUPE_X86_64_BX, 12, 13, 14, 15, LOUPE_X86_64_BP};
    bool is_taken[sizeof(numbers)] = {false};
    uint32_t weight = 1;
    for (unsigned i = 1; i < count; i++)
        weight *= 6 - i;
    for (unsigned i = 0; i < count; i++) {
        uint32_t left = number / weight;
        unsigned taken = 0;
        number %= weight;
        weight = i + 1 < count ? weight / (5 - i) : 1;
        while (taken < sizeof(numbers) && (is_taken[taken] || left)) {
            left -= !is_taken[taken];
            taken++;
        }
        if (taken == sizeof(numbers))
            return false;
        is_taken[taken] = true;
        ret[i] = numbers[taken];
    }
    return true;
}

/* The size of the stack stands in the encoding, or in the code of the function that subtracts it.
 */
static bool frameless_of_x86_64(struct section *section, const struct found *found,
                                struct loupe_unwind_rules *rules) {
    uint32_t encoding = found->encoding;
    unsigned count = bits(encoding, 10, 3);
    uint64_t size = (uint64_t)bits(encoding, 16, 8) * WORD;
    uint8_t saved[6];
    if ((encoding & MODE) == UNWIND_X86_64_MODE_STACK_IND) {
        loupe_addr at = section->image + found->start + bits(encoding, 16, 8);
        uint32_t subtracted;
        if (loupe_memory_read(section->memory, at, &subtracted, sizeof(subtracted)))
            return false;
        size = subtracted + (uint64_t)bits(encoding, 13, 3) * WORD;
    }
    if (count > sizeof(saved) || size < (count + 1) * WORD ||
        !permutation(bits(encoding, 0, 10), count, saved))
        return false;
    set_frame(rules, LOUPE_X86_64_SP, (int64_t)size);
    save(rules, LOUPE_X86_64_PC, -WORD);
    for (unsigned i = 0; i < count; i++)
        save(rules, saved[i], ((int64_t)i - (int64_t)count - 1) * WORD);
    return true;
}

static bool rules_of_x86_64(struct section *section, const struct found *found,
                            struct loupe_unwind_rules *rules) {
    rules->return_address = LOUPE_X86_64_PC;
    switch (found->encoding & MODE) {
    case UNWIND_X86_64_MODE_RBP_FRAME:
        return frame_of_x86_64(found->encoding, rules);
    case UNWIND_X86_64_MODE_STACK_IMMD:
    case UNWIND_X86_64_MODE_STACK_IND:
        return frameless_of_x86_64(section, found, rules);
    default:
        return false;
    }
}

/* Five pairs of registers, x19 to x28, each a bit: saved below the frame record, or below the
 * caller's stack. Floating point registers follow. */
static bool rules_of_arm64(const struct found *found, struct loupe_unwind_rules *rules) {
    enum { PAIRS = 5, FIRST = 19, UNIT = 16 };
    bool has_record = (found->encoding & MODE) == UNWIND_ARM64_MODE_FRAME;
    int64_t offset = 0;
    rules->return_address = LOUPE_ARM64_LR;
    if (has_record) {
        set_frame(rules, LOUPE_ARM64_FP, 2 * WORD);
        save(rules, LOUPE_ARM64_LR, offset -= WORD);
        save(rules, LOUPE_ARM64_FP, offset -= WORD);
    } else if ((found->encoding & MODE) == UNWIND_ARM64_MODE_FRAMELESS) {
        set_frame(rules, LOUPE_ARM64_SP, (int64_t)bits(found->encoding, 12, 12) * UNIT);
    } else {
        return false;
    }
    /* Cap: all of an encoding. */
    for (unsigned i = 0; i < PAIRS; i++) {
        if (!bits(found->encoding, i, 1))
            continue;
        save(rules, FIRST + 2 * i, offset -= WORD);
        save(rules, FIRST + 2 * i + 1, offset -= WORD);
    }
    return true;
}

bool loupe_compact_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                        loupe_addr place, struct loupe_unwind_rules *ret) {
    struct section section = {
        .memory = memory, .range = tables->compact, .image = tables->code.start};
    struct found found;
    bool is_arm64 = memory->machine.arch == LOUPE_ARCH_ARM64;
    if (place < section.image || section.range.end < section.range.start ||
        !find_function(&section, place - section.image, &found))
        return false;
    uint32_t dwarf = is_arm64 ? UNWIND_ARM64_MODE_DWARF : UNWIND_X86_64_MODE_DWARF;
    if ((found.encoding & MODE) == dwarf)
        return loupe_cfi_rules_of(
            memory, tables, tables->frames.start + (found.encoding & DWARF_OFFSET), place, ret);
    *ret = (struct loupe_unwind_rules){
        .code = {section.image + found.start, section.image + found.end}};
    return is_arm64 ? rules_of_arm64(&found, ret) : rules_of_x86_64(&section, &found, ret);
}
