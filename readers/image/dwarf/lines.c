#include "image/dwarf/lines.h"

#include "base/sort.h"
#include "image/dwarf/dwarf_constants.h"
#include "image/dwarf/line_table.h"

#include <string.h>

/* ---- The header of a table ---- */

/* The table at *at, which moves behind it whether or not it can be understood. False at the end, or
 * where nothing tells where the next one begins. */
static bool next_table(struct loupe_span section, uint64_t *at, struct loupe_line_table *ret,
                       bool *good_ret) {
    struct loupe_cursor cursor = {
        .bytes = (const uint8_t *)section.bytes, .at = *at, .end = section.length};
    unsigned offset_size;
    if (!loupe_cursor_enter_unit(&cursor, &offset_size))
        return false;
    *ret = (struct loupe_line_table){.offset_size = (uint8_t)offset_size};
    *at = cursor.end;
    ret->version = (uint16_t)loupe_cursor_number(&cursor, 2);
    if (ret->version >= 5) {
        ret->address_size = (uint8_t)loupe_cursor_number(&cursor, 1);
        loupe_cursor_skip(&cursor, 1); /* of segments */
    }
    uint64_t header = loupe_cursor_number(&cursor, ret->offset_size);
    uint64_t program = cursor.at + header;
    bool fits = !cursor.broken && header <= cursor.end - cursor.at;
    ret->shortest = (uint8_t)loupe_cursor_number(&cursor, 1);
    ret->operations = ret->version >= 4 ? (uint8_t)loupe_cursor_number(&cursor, 1) : 1;
    ret->starts_as_statement = loupe_cursor_number(&cursor, 1);
    ret->line_base = (int8_t)loupe_cursor_number(&cursor, 1);
    ret->line_range = (uint8_t)loupe_cursor_number(&cursor, 1);
    ret->opcode_base = (uint8_t)loupe_cursor_number(&cursor, 1);
    for (unsigned i = 1; i < ret->opcode_base; i++)
        ret->operands[i] = (uint8_t)loupe_cursor_number(&cursor, 1);
    ret->names = cursor.at;
    ret->program = (struct loupe_cursor){.bytes = cursor.bytes, .at = program, .end = cursor.end};
    *good_ret = fits && !cursor.broken && ret->version >= 2 && ret->version <= 5 &&
                ret->line_range && ret->operations && ret->opcode_base;
    return true;
}

bool loupe_line_table_at(struct loupe_span section, uint64_t at, struct loupe_line_table *ret) {
    bool good = false;
    return next_table(section, &at, ret, &good) && good;
}

/* ---- The program: rows of addresses, files and lines ---- */

struct row {
    uint64_t address, file;
    uint32_t line;
};

struct machine {
    const struct loupe_line_table *table;
    struct loupe_cursor at;
    struct row row;
    uint32_t operation; /* of those that share an address */
    uint64_t line;      /* of which 32 bits count */
};

static void reset(struct machine *machine) {
    machine->row = (struct row){.file = 1};
    machine->line = 1;
    machine->operation = 0;
}

static void advance(struct machine *machine, uint64_t by) {
    const struct loupe_line_table *table = machine->table;
    uint64_t operations = machine->operation + by;
    machine->row.address += table->shortest * (operations / table->operations);
    machine->operation = (uint32_t)(operations % table->operations);
}

enum happened { NOTHING, ROW, END_OF_RUN, END_OF_PROGRAM };

enum { EXTENDED = 0 }; /* what DW_LNE_* follow */

static enum happened run_extended(struct machine *machine) {
    struct loupe_cursor *at = &machine->at;
    uint64_t size = loupe_cursor_uleb(at);
    if (!size || !loupe_cursor_has(at, size))
        return END_OF_PROGRAM;
    uint64_t next = at->at + size;
    uint8_t opcode = (uint8_t)loupe_cursor_number(at, 1);
    if (opcode == DW_LNE_set_address && size - 1 <= 8 && size > 1) {
        machine->row.address = loupe_cursor_number(at, (unsigned)size - 1);
        machine->operation = 0;
    }
    at->at = next;
    return opcode == DW_LNE_end_sequence ? END_OF_RUN : NOTHING;
}

static enum happened run_special(struct machine *machine, unsigned opcode) {
    const struct loupe_line_table *table = machine->table;
    unsigned adjusted = opcode - table->opcode_base;
    advance(machine, adjusted / table->line_range);
    machine->line += (uint64_t)(int64_t)table->line_base + adjusted % table->line_range;
    return ROW;
}

static enum happened run_standard(struct machine *machine, unsigned opcode) {
    const struct loupe_line_table *table = machine->table;
    struct loupe_cursor *at = &machine->at;
    switch (opcode) {
    case DW_LNS_copy:
        return ROW;
    case DW_LNS_advance_pc:
        advance(machine, loupe_cursor_uleb(at));
        return NOTHING;
    case DW_LNS_advance_line:
        machine->line += (uint64_t)loupe_cursor_sleb(at);
        return NOTHING;
    case DW_LNS_set_file:
        machine->row.file = loupe_cursor_uleb(at);
        return NOTHING;
    case DW_LNS_const_add_pc:
        advance(machine, (255u - table->opcode_base) / table->line_range);
        return NOTHING;
    case DW_LNS_fixed_advance_pc:
        machine->row.address += loupe_cursor_number(at, 2);
        machine->operation = 0;
        return NOTHING;
    default: /* what says nothing of lines, and what nobody knows yet */
        for (unsigned i = 0; i < table->operands[opcode]; i++)
            loupe_cursor_uleb(at);
        return NOTHING;
    }
}

/* One instruction; each takes a byte at least. */
static enum happened run_instruction(struct machine *machine) {
    if (machine->at.broken || machine->at.at >= machine->at.end)
        return END_OF_PROGRAM;
    unsigned opcode = (unsigned)loupe_cursor_number(&machine->at, 1);
    enum happened happened;
    if (opcode >= machine->table->opcode_base)
        happened = run_special(machine, opcode);
    else
        happened = opcode == EXTENDED ? run_extended(machine) : run_standard(machine, opcode);
    machine->row.line = (uint32_t)machine->line;
    return machine->at.broken ? END_OF_PROGRAM : happened;
}

/* ---- Runs of code ---- */

struct stretch {
    uint64_t start, end;
    uint64_t reach;   /* the highest end up to here, of those in order */
    uint64_t table;   /* where it begins in the section */
    uint64_t program; /* where its instructions begin */
};

/* What a linker left out keeps its lines, at address 0 or one of the last. */
static bool is_there(const struct stretch *stretch) {
    return stretch->start && stretch->start < stretch->end && stretch->start + 2 > 2;
}

static enum loupe_status add_stretches(struct loupe_lines *lines,
                                       const struct loupe_line_table *table, uint64_t table_at) {
    struct machine machine = {.table = table, .at = table->program};
    struct stretch stretch = {.table = table_at, .program = table->program.at};
    bool any = false;
    reset(&machine);
    for (;;) {
        enum happened happened = run_instruction(&machine);
        if (happened == END_OF_PROGRAM)
            return LOUPE_OK;
        if (happened == NOTHING)
            continue;
        if (!any)
            stretch.start = machine.row.address;
        any = happened == ROW;
        if (any)
            continue;
        stretch.end = machine.row.address;
        if (is_there(&stretch)) {
            struct stretch *added = loupe_vector_add(&lines->runs);
            if (!added)
                return LOUPE_ENOMEM;
            *added = stretch;
        }
        reset(&machine);
        stretch.program = machine.at.at;
    }
}

static struct stretch *stretch_at(const struct loupe_lines *lines, uint32_t number) {
    return loupe_vector_at(&lines->runs, number, sizeof(struct stretch));
}

static bool comes_before(const void *ctx, const void *a, const void *b) {
    (void)ctx;
    const struct stretch *one = a, *other = b;
    return one->start < other->start;
}

enum loupe_status loupe_lines_init(struct loupe_lines *lines,
                                   const struct loupe_line_sections *sections,
                                   const struct loupe_chunk_ops *chunks) {
    struct loupe_line_table table;
    uint64_t at = 0, reach = 0;
    bool good = false;
    enum loupe_status status = LOUPE_OK;
    *lines = (struct loupe_lines){.sections = *sections};
    loupe_vector_init(&lines->runs, chunks, sizeof(struct stretch));
    for (uint64_t start = 0; !status && next_table(sections->lines, &at, &table, &good); start = at)
        if (good)
            status = add_stretches(lines, &table, start);
    if (status) {
        loupe_lines_deinit(lines);
        return status;
    }
    loupe_vector_sort(&lines->runs, comes_before, NULL);
    for (uint32_t i = 0; i < lines->runs.count; i++) {
        struct stretch *stretch = stretch_at(lines, i);
        reach = reach > stretch->end ? reach : stretch->end;
        stretch->reach = reach;
    }
    return LOUPE_OK;
}

void loupe_lines_deinit(struct loupe_lines *lines) {
    loupe_vector_deinit(&lines->runs);
}

/* The row that covers an address: the last one that does not lie behind it. */
static bool find_row(const struct loupe_line_table *table, const struct stretch *stretch,
                     uint64_t address, struct row *ret) {
    struct machine machine = {.table = table, .at = table->program};
    struct row before = {0};
    bool any = false;
    machine.at.at = stretch->program;
    reset(&machine);
    for (;;) {
        enum happened happened = run_instruction(&machine);
        if (happened == END_OF_PROGRAM)
            return false;
        if (happened == NOTHING)
            continue;
        if (any && machine.row.address > address) {
            *ret = before;
            return before.address <= address && before.line;
        }
        if (happened == END_OF_RUN)
            return false;
        before = machine.row;
        any = true;
    }
}

/* ---- Finding ---- */

bool loupe_lines_find(const struct loupe_lines *lines, uint64_t address, char *path, size_t cap,
                      uint32_t *line_ret) {
    uint32_t low = 0, high = lines->runs.count; /* the first that begins behind the address */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (stretch_at(lines, middle)->start <= address)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low && stretch_at(lines, low - 1)->reach > address; low--) {
        const struct stretch *stretch = stretch_at(lines, low - 1);
        struct loupe_line_table table;
        struct row row;
        if (address >= stretch->end ||
            !loupe_line_table_at(lines->sections.lines, stretch->table, &table) ||
            !find_row(&table, stretch, address, &row))
            continue;
        if (!loupe_line_table_path(&table, &lines->sections, row.file, path, cap))
            continue;
        *line_ret = row.line;
        return true;
    }
    return false;
}
