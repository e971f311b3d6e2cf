/* Call frame information in .eh_frame, found by the sorted table of .eh_frame_hdr. */
#include "image/dwarf/dwarf_constants.h"
#include "tables/dwarf_cursor.h"
#include "tables/unwind_rules.h"

enum {
    SORTED_PAIRS = DW_EH_PE_datarel | DW_EH_PE_sdata4, /* how linkers write the table */
    INDEX_VERSION = 1,
    PAIR_SIZE = 8,
    LONGEST_ENTRY = 1 << 16, /* compilers write some hundred bytes */
    MOST_ENTRIES = 1 << 20,  /* of a search along .eh_frame without a table */
    REMEMBERED = 4           /* states; compilers write one inside another at most */
};

/* ---- Entries ---- */

/* What is common to many functions (a CIE). */
struct common {
    struct loupe_dwarf_cursor program;
    uint64_t code_factor;
    int64_t data_factor;
    uint8_t return_address, pointer_encoding;
    bool has_augmentation, is_signal_frame;
};

/* Of one function (an FDE). */
struct entry {
    struct loupe_dwarf_cursor program;
    struct loupe_range code;
    struct common common;
};

/* Opens the entry of any kind that begins at at. *id_at_ret is where its second word stands. */
static bool open_entry(struct loupe_memory *memory, loupe_addr at, struct loupe_dwarf_cursor *ret,
                       loupe_addr *id_at_ret, uint64_t *id_ret) {
    struct loupe_dwarf_cursor cursor = {.memory = memory, .at = at, .end = at + 12};
    uint64_t length = loupe_dwarf_number(&cursor, 4);
    if (length == UINT32_MAX)
        length = loupe_dwarf_number(&cursor, 8);
    if (cursor.is_bad || length < 4 || length > LONGEST_ENTRY)
        return false;
    cursor.end = cursor.at + length;
    *id_at_ret = cursor.at;
    *id_ret = loupe_dwarf_number(&cursor, 4);
    *ret = cursor;
    return !cursor.is_bad;
}

/* The letters of an augmentation that begins with z, and their data. */
static bool read_augmentation(struct loupe_dwarf_cursor *cursor, const char *letters,
                              struct common *ret) {
    uint64_t size = loupe_dwarf_uleb(cursor);
    if (cursor->is_bad || size > cursor->end - cursor->at)
        return false;
    struct loupe_dwarf_cursor data = *cursor;
    data.end = data.at + size;
    for (; *letters; letters++) {
        if (*letters == 'R')
            ret->pointer_encoding = (uint8_t)loupe_dwarf_number(&data, 1);
        else if (*letters == 'P') {
            uint8_t encoding = (uint8_t)loupe_dwarf_number(&data, 1);
            /* Where a personality is does not matter here, only how long that is. */
            loupe_dwarf_pointer(&data, encoding & 0x0f, 0);
        } else if (*letters == 'L')
            loupe_dwarf_number(&data, 1);
        else if (*letters == 'S')
            ret->is_signal_frame = true;
        else if (*letters != 'B' && *letters != 'G')
            break;
    }
    ret->has_augmentation = true;
    cursor->at = data.end;
    return !data.is_bad;
}

static bool read_common(struct loupe_memory *memory, loupe_addr at, struct common *ret) {
    enum { LONGEST_AUGMENTATION = 8 };
    struct loupe_dwarf_cursor cursor;
    loupe_addr id_at;
    uint64_t id;
    char letters[LONGEST_AUGMENTATION + 1] = "";
    if (!open_entry(memory, at, &cursor, &id_at, &id) || id)
        return false;
    uint64_t version = loupe_dwarf_number(&cursor, 1);
    /* Cap: an unknown one: the stack ends as lost. */
    for (unsigned i = 0; i <= LONGEST_AUGMENTATION; i++) {
        letters[i] = (char)loupe_dwarf_number(&cursor, 1);
        if (!letters[i])
            break;
    }
    if ((version != 1 && version != 3) || letters[LONGEST_AUGMENTATION] ||
        (letters[0] && letters[0] != 'z'))
        return false;
    *ret = (struct common){.code_factor = loupe_dwarf_uleb(&cursor), .data_factor = 0};
    ret->data_factor = loupe_dwarf_sleb(&cursor);
    uint64_t return_address =
        version == 1 ? loupe_dwarf_number(&cursor, 1) : loupe_dwarf_uleb(&cursor);
    if (return_address >= LOUPE_FRAME_REGISTERS)
        return false;
    ret->return_address = (uint8_t)return_address;
    if (letters[0] && !read_augmentation(&cursor, letters + 1, ret))
        return false;
    ret->program = cursor;
    return !cursor.is_bad;
}

static bool read_entry(struct loupe_memory *memory, loupe_addr at, struct entry *ret) {
    struct loupe_dwarf_cursor cursor;
    loupe_addr id_at;
    uint64_t id;
    if (!open_entry(memory, at, &cursor, &id_at, &id) || !id || id > id_at ||
        !read_common(memory, id_at - id, &ret->common))
        return false;
    uint8_t encoding = ret->common.pointer_encoding;
    ret->code.start = loupe_dwarf_pointer(&cursor, encoding, 0);
    ret->code.end = ret->code.start + loupe_dwarf_pointer(&cursor, encoding & 0x0f, 0);
    if (ret->common.has_augmentation)
        loupe_dwarf_skip(&cursor, loupe_dwarf_uleb(&cursor));
    ret->program = cursor;
    return !cursor.is_bad && ret->code.end >= ret->code.start;
}

/* ---- Programs ---- */

struct machine {
    const struct entry *entry;
    struct loupe_unwind_rules *rules, initial; /* of the common part: what `restore` goes back to */
    struct loupe_unwind_rules remembered[REMEMBERED];
    unsigned remembered_count;
    loupe_addr location, place;
    bool has_initial;
};

/* In the low bits of the first three instructions. */
enum { OPERAND = 0x3f };

static void set_rule(struct machine *machine, uint64_t number, enum loupe_restore_kind kind,
                     int64_t value) {
    /* Registers beyond these are those of floating point and vectors. */
    if (number < LOUPE_FRAME_REGISTERS)
        machine->rules->registers[number] =
            (struct loupe_restore){.kind = (uint8_t)kind, .value = value};
}

static int64_t factored(const struct machine *machine, int64_t value) {
    return (int64_t)((uint64_t)value * (uint64_t)machine->entry->common.data_factor);
}

/* A block of an expression: where it is, and how long. */
static struct loupe_range read_block(struct loupe_dwarf_cursor *cursor) {
    uint64_t size = loupe_dwarf_uleb(cursor);
    struct loupe_range block = {.start = cursor->at, .end = cursor->at};
    loupe_dwarf_skip(cursor, size);
    if (!cursor->is_bad)
        block.end = cursor->at;
    return block;
}

static void set_expression(struct machine *machine, struct loupe_dwarf_cursor *cursor,
                           enum loupe_restore_kind kind) {
    uint64_t number = loupe_dwarf_uleb(cursor);
    struct loupe_range block = read_block(cursor);
    set_rule(machine, number, kind, (int64_t)block.start);
    if (number < LOUPE_FRAME_REGISTERS)
        machine->rules->registers[number].size = (uint16_t)(block.end - block.start);
}

static bool set_frame(struct machine *machine, uint64_t base, int64_t value) {
    if (base >= LOUPE_FRAME_REGISTERS)
        return false;
    machine->rules->frame.is_expression = false;
    machine->rules->frame.base = (uint8_t)base;
    machine->rules->frame.value = value;
    return true;
}

static void set_frame_expression(struct machine *machine, struct loupe_dwarf_cursor *cursor) {
    struct loupe_range block = read_block(cursor);
    machine->rules->frame.is_expression = true;
    machine->rules->frame.value = (int64_t)block.start;
    machine->rules->frame.size = (uint16_t)(block.end - block.start);
}

static bool restore_rule(struct machine *machine, uint64_t number) {
    if (!machine->has_initial)
        return false;
    if (number < LOUPE_FRAME_REGISTERS)
        machine->rules->registers[number] = machine->initial.registers[number];
    return true;
}

static bool remember_state(struct machine *machine) {
    if (machine->remembered_count == REMEMBERED)
        return false;
    machine->remembered[machine->remembered_count++] = *machine->rules;
    return true;
}

static bool restore_state(struct machine *machine) {
    if (!machine->remembered_count)
        return false;
    *machine->rules = machine->remembered[--machine->remembered_count];
    return true;
}

/* Whether the rules from here on are still those of the place. */
static bool advance(struct machine *machine, uint64_t steps) {
    machine->location += steps * machine->entry->common.code_factor;
    return machine->location <= machine->place;
}

static void negate_signed(struct machine *machine) {
    struct loupe_restore *rule = &machine->rules->registers[LOUPE_ARM64_SIGNED];
    rule->value ^= 1;
}

/* One instruction that moves no location. False: it makes no sense. */
static bool run_instruction(struct machine *machine, struct loupe_dwarf_cursor *cursor,
                            unsigned code) {
    uint64_t number;
    switch (code) {
    case DW_CFA_nop:
        return true;
    case DW_CFA_offset_extended:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_AT,
                 factored(machine, (int64_t)loupe_dwarf_uleb(cursor)));
        return true;
    case DW_CFA_offset_extended_sf:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_AT, factored(machine, loupe_dwarf_sleb(cursor)));
        return true;
    case DW_CFA_GNU_negative_offset_extended:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_AT,
                 -factored(machine, (int64_t)loupe_dwarf_uleb(cursor)));
        return true;
    case DW_CFA_val_offset:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_IS,
                 factored(machine, (int64_t)loupe_dwarf_uleb(cursor)));
        return true;
    case DW_CFA_val_offset_sf:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_IS, factored(machine, loupe_dwarf_sleb(cursor)));
        return true;
    case DW_CFA_restore_extended:
        return restore_rule(machine, loupe_dwarf_uleb(cursor));
    case DW_CFA_undefined:
        set_rule(machine, loupe_dwarf_uleb(cursor), LOUPE_RESTORE_UNDEFINED, 0);
        return true;
    case DW_CFA_same_value:
        set_rule(machine, loupe_dwarf_uleb(cursor), LOUPE_RESTORE_SAME, 0);
        return true;
    case DW_CFA_register:
        number = loupe_dwarf_uleb(cursor);
        set_rule(machine, number, LOUPE_RESTORE_REGISTER, (int64_t)loupe_dwarf_uleb(cursor));
        return true;
    case DW_CFA_remember_state:
        return remember_state(machine);
    case DW_CFA_restore_state:
        return restore_state(machine);
    case DW_CFA_def_cfa:
        number = loupe_dwarf_uleb(cursor);
        return set_frame(machine, number, (int64_t)loupe_dwarf_uleb(cursor));
    case DW_CFA_def_cfa_sf:
        number = loupe_dwarf_uleb(cursor);
        return set_frame(machine, number, factored(machine, loupe_dwarf_sleb(cursor)));
    case DW_CFA_def_cfa_register:
        return set_frame(machine, loupe_dwarf_uleb(cursor), machine->rules->frame.value);
    case DW_CFA_def_cfa_offset:
        machine->rules->frame.value = (int64_t)loupe_dwarf_uleb(cursor);
        return true;
    case DW_CFA_def_cfa_offset_sf:
        machine->rules->frame.value = factored(machine, loupe_dwarf_sleb(cursor));
        return true;
    case DW_CFA_def_cfa_expression:
        set_frame_expression(machine, cursor);
        return true;
    case DW_CFA_expression:
        set_expression(machine, cursor, LOUPE_RESTORE_AT_RESULT);
        return true;
    case DW_CFA_val_expression:
        set_expression(machine, cursor, LOUPE_RESTORE_IS_RESULT);
        return true;
    case DW_CFA_AARCH64_negate_ra_state: /* of arm64; elsewhere windows of registers */
        negate_signed(machine);
        return true;
    case DW_CFA_GNU_args_size:
        loupe_dwarf_uleb(cursor);
        return true;
    default:
        return false;
    }
}

/* Runs a program as far as it concerns the place. */
static bool run_program(struct machine *machine, struct loupe_dwarf_cursor cursor) {
    while (loupe_dwarf_has_more(&cursor)) {
        unsigned code = (unsigned)loupe_dwarf_number(&cursor, 1), operand = code & OPERAND;
        bool goes_on = true, makes_sense = true;
        switch (code & ~(unsigned)OPERAND) {
        case DW_CFA_advance_loc:
            goes_on = advance(machine, operand);
            break;
        case DW_CFA_offset:
            set_rule(machine, operand, LOUPE_RESTORE_AT,
                     factored(machine, (int64_t)loupe_dwarf_uleb(&cursor)));
            break;
        case DW_CFA_restore:
            makes_sense = restore_rule(machine, operand);
            break;
        default:
            if (code == DW_CFA_set_loc) {
                machine->location =
                    loupe_dwarf_pointer(&cursor, machine->entry->common.pointer_encoding, 0);
                goes_on = machine->location <= machine->place;
            } else if (code >= DW_CFA_advance_loc1 && code <= DW_CFA_advance_loc4) {
                unsigned size = 1u << (code - DW_CFA_advance_loc1);
                goes_on = advance(machine, loupe_dwarf_number(&cursor, size));
            } else {
                makes_sense = run_instruction(machine, &cursor, code);
            }
        }
        if (!makes_sense)
            return false;
        if (!goes_on)
            break;
    }
    return !cursor.is_bad;
}

/* Outside the caller, which needs little stack when an entry does not fit. */
__attribute__((noinline)) static bool run_entry(const struct entry *entry, loupe_addr place,
                                                struct loupe_unwind_rules *ret) {
    struct machine machine;
    *ret = (struct loupe_unwind_rules){.code = entry->code,
                                       .return_address = entry->common.return_address,
                                       .is_signal_frame = entry->common.is_signal_frame};
    machine.entry = entry;
    machine.rules = ret;
    machine.remembered_count = 0;
    machine.has_initial = false;
    machine.location = entry->code.start;
    machine.place = place;
    if (!run_program(&machine, entry->common.program))
        return false;
    machine.initial = *ret;
    machine.has_initial = true;
    return run_program(&machine, entry->program);
}

bool loupe_cfi_rules_of(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                        loupe_addr at, loupe_addr place, struct loupe_unwind_rules *ret) {
    (void)tables;
    struct entry entry;
    return read_entry(memory, at, &entry) && place >= entry.code.start && place < entry.code.end &&
           run_entry(&entry, place, ret);
}

/* ---- Which entry ---- */

/* Along all entries, where no table is sorted. */
static bool search_frames(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                          struct loupe_range frames, loupe_addr place,
                          struct loupe_unwind_rules *ret) {
    loupe_addr at = frames.start;
    /* Cap: no rules: the stack goes on by pointers or ends as lost. */
    for (unsigned i = 0; i < MOST_ENTRIES && at < frames.end; i++) {
        struct loupe_dwarf_cursor cursor;
        loupe_addr id_at;
        uint64_t id;
        if (!open_entry(memory, at, &cursor, &id_at, &id))
            return false;
        if (id && loupe_cfi_rules_of(memory, tables, at, place, ret))
            return true;
        at = cursor.end;
    }
    return false;
}

struct pair {
    loupe_addr code, entry;
};

static bool read_pair(struct loupe_memory *memory, loupe_addr index, loupe_addr table,
                      uint64_t number, struct pair *ret) {
    struct loupe_dwarf_cursor cursor = {.memory = memory, .at = table + number * PAIR_SIZE};
    cursor.end = cursor.at + PAIR_SIZE;
    ret->code = loupe_dwarf_pointer(&cursor, SORTED_PAIRS, index);
    ret->entry = loupe_dwarf_pointer(&cursor, SORTED_PAIRS, index);
    return !cursor.is_bad;
}

/* The last entry of the table that begins at place or before it. */
static bool search_index(struct loupe_memory *memory, loupe_addr index, loupe_addr table,
                         uint64_t count, loupe_addr place, loupe_addr *ret) {
    uint64_t low = 0, high = count;
    struct pair pair;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (!read_pair(memory, index, table, middle, &pair))
            return false;
        if (pair.code <= place)
            low = middle + 1;
        else
            high = middle;
    }
    if (!low || !read_pair(memory, index, table, low - 1, &pair))
        return false;
    *ret = pair.entry;
    return true;
}

bool loupe_cfi_find(struct loupe_memory *memory, const struct loupe_unwind_tables *tables,
                    loupe_addr place, struct loupe_unwind_rules *ret) {
    struct loupe_dwarf_cursor cursor = {
        .memory = memory, .at = tables->index.start, .end = tables->index.end};
    if (cursor.at >= cursor.end)
        return search_frames(memory, tables, tables->frames, place, ret);
    uint8_t header[4];
    for (unsigned i = 0; i < sizeof(header); i++)
        header[i] = (uint8_t)loupe_dwarf_number(&cursor, 1);
    if (cursor.is_bad || header[0] != INDEX_VERSION)
        return false;
    struct loupe_range frames = {.end = tables->frames.end};
    frames.start = loupe_dwarf_pointer(&cursor, header[1], tables->index.start);
    if (cursor.is_bad)
        return false;
    if (header[2] == DW_EH_PE_omit || header[3] != SORTED_PAIRS)
        return search_frames(memory, tables, frames, place, ret);
    uint64_t count = loupe_dwarf_pointer(&cursor, header[2], tables->index.start);
    loupe_addr entry;
    return !cursor.is_bad && count <= (cursor.end - cursor.at) / PAIR_SIZE &&
           search_index(memory, tables->index.start, cursor.at, count, place, &entry) &&
           loupe_cfi_rules_of(memory, tables, entry, place, ret);
}
