#include "image/dwarf/entries.h"

#include "image/dwarf/dwarf_constants.h"

#include <string.h>

enum { WORK_FOR_A_BYTE = 64, MOST_STEPS = 20 };

/* A kind of entry: what entries with its code consist of. */
struct abbreviation {
    uint64_t code, tag, attributes; /* the latter: where they are listed */
    bool has_children, is_long;     /* is_long: more steps than there is room for */
    uint8_t step_count;
    uint8_t steps[MOST_STEPS];
};

/* How an entry's values are passed over: so many bytes, or one that tells its length itself. */
enum step {
    STEP_MOST_BYTES = 0x7f,
    STEP_NUMBER, /* LEB128 */
    STEP_TEXT,
    STEP_BLOCK, /* its length is a STEP_NUMBER; of the following, a number of 1 to 4 bytes */
    STEP_BLOCK_1,
    STEP_BLOCK_2,
    STEP_BLOCK_4,
    STEP_SIBLING /* a reference of 4 bytes */
};

/* Whether there is work left for so many bytes. */
static bool may_work(struct loupe_dwarf_walk *walk, uint64_t amount) {
    walk->work_left = amount < walk->work_left ? walk->work_left - amount : 0;
    return walk->work_left;
}

static struct loupe_cursor cursor_in(struct loupe_span section, uint64_t at, uint64_t end) {
    return (struct loupe_cursor){.bytes = (const uint8_t *)section.bytes,
                                 .at = at,
                                 .end = end < section.length ? end : section.length};
}

/* ---- Abbreviations ---- */

/* The next attribute of an entry's kind; false at their end. */
static bool next_attribute(struct loupe_cursor *cursor, uint64_t *attribute, uint64_t *form,
                           int64_t *constant) {
    *attribute = loupe_cursor_uleb(cursor);
    *form = loupe_cursor_uleb(cursor);
    *constant = *form == DW_FORM_implicit_const ? loupe_cursor_sleb(cursor) : 0;
    return !cursor->broken && (*attribute || *form);
}

static unsigned size_of_number(const struct loupe_dwarf_unit *unit, uint64_t form);

static void add_step(struct abbreviation *ret, unsigned step) {
    unsigned last = ret->step_count ? ret->steps[ret->step_count - 1] : STEP_SIBLING;
    if (last <= STEP_MOST_BYTES && step <= STEP_MOST_BYTES - last)
        ret->steps[ret->step_count - 1] = (uint8_t)(last + step);
    else if (ret->step_count < MOST_STEPS)
        ret->steps[ret->step_count++] = (uint8_t)step;
    else
        ret->is_long = true;
}

static void add_form(const struct loupe_dwarf_unit *unit, uint64_t attribute, uint64_t form,
                     struct abbreviation *ret) {
    unsigned size = size_of_number(unit, form);
    if (attribute == DW_AT_sibling && form == DW_FORM_ref4) {
        add_step(ret, STEP_SIBLING);
        return;
    }
    switch (form) {
    case DW_FORM_string:
        add_step(ret, STEP_TEXT);
        break;
    case DW_FORM_sdata:
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
        add_step(ret, STEP_NUMBER);
        break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        add_step(ret, STEP_BLOCK);
        break;
    case DW_FORM_block1:
        add_step(ret, STEP_BLOCK_1);
        break;
    case DW_FORM_block2:
        add_step(ret, STEP_BLOCK_2);
        break;
    case DW_FORM_block4:
        add_step(ret, STEP_BLOCK_4);
        break;
    case DW_FORM_flag_present: /* they stand nowhere */
    case DW_FORM_implicit_const:
        break;
    case DW_FORM_data16:
        add_step(ret, 16);
        break;
    default:
        if (size)
            add_step(ret, size);
        ret->is_long |= !size;
    }
}

/* The attributes of an abbreviation. False: they do not end. */
static bool read_attributes(const struct loupe_dwarf_unit *unit, struct loupe_cursor *cursor,
                            struct abbreviation *ret) {
    uint64_t attribute, form;
    int64_t constant;
    ret->attributes = cursor->at;
    while (next_attribute(cursor, &attribute, &form, &constant))
        add_form(unit, attribute, form, ret);
    return !cursor->broken;
}

/* Reads a list, unless it is that of the unit before. False: its codes do not ascend. */
static enum loupe_status read_abbreviations(struct loupe_dwarf_walk *walk,
                                            const struct loupe_dwarf_unit *unit, uint64_t at,
                                            bool *good_ret) {
    struct loupe_cursor cursor = cursor_in(walk->sections->abbreviations, at, UINT64_MAX);
    uint64_t last = 0;
    *good_ret = true;
    if (walk->has_abbreviations && walk->abbreviations_at == at &&
        walk->offset_size == unit->offset_size && walk->address_size == unit->address_size)
        return LOUPE_OK;
    walk->offset_size = unit->offset_size;
    walk->address_size = unit->address_size;
    walk->has_abbreviations = false;
    walk->abbreviations.count = 0;
    for (;;) {
        uint64_t before = cursor.at;
        struct abbreviation read = {.code = loupe_cursor_uleb(&cursor)};
        if (!read.code || cursor.broken)
            break;
        read.tag = loupe_cursor_uleb(&cursor);
        read.has_children = loupe_cursor_number(&cursor, 1);
        if (!read_attributes(unit, &cursor, &read) || read.code <= last ||
            !may_work(walk, cursor.at - before)) {
            *good_ret = false;
            return LOUPE_OK;
        }
        last = read.code;
        struct abbreviation *added = loupe_vector_add(&walk->abbreviations);
        if (!added)
            return LOUPE_ENOMEM;
        *added = read;
    }
    *good_ret = !cursor.broken;
    walk->has_abbreviations = *good_ret;
    walk->abbreviations_at = at;
    return LOUPE_OK;
}

static const struct abbreviation *find_abbreviation(const struct loupe_dwarf_unit *unit,
                                                    uint64_t code) {
    uint32_t low = 0, high = unit->abbreviations->count;
    /* As a rule they are numbered from 1. */
    if (code - 1 < high) {
        const struct abbreviation *there =
            loupe_vector_at(unit->abbreviations, (uint32_t)code - 1, sizeof(struct abbreviation));
        if (there->code == code)
            return there;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        const struct abbreviation *here =
            loupe_vector_at(unit->abbreviations, middle, sizeof(struct abbreviation));
        if (here->code == code)
            return here;
        if (here->code < code)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

/* ---- Values ---- */

static void take_text(const struct loupe_dwarf_unit *unit, struct loupe_span section,
                      uint64_t offset, struct loupe_dwarf_value *ret) {
    (void)unit;
    *ret = (struct loupe_dwarf_value){.number = offset, .section = section, .is_text = true};
}

/* By its number in the list of the unit's texts. */
static void take_text_number(const struct loupe_dwarf_unit *unit, uint64_t number,
                             struct loupe_dwarf_value *ret) {
    struct loupe_span list = unit->sections->string_offsets;
    uint64_t at = unit->string_offsets;
    if (at > list.length || number >= (list.length - at) / unit->offset_size)
        return;
    struct loupe_cursor cursor = cursor_in(list, at + number * unit->offset_size, UINT64_MAX);
    take_text(unit, unit->sections->strings, loupe_cursor_number(&cursor, unit->offset_size), ret);
}

static void take_address_number(const struct loupe_dwarf_unit *unit, uint64_t number,
                                struct loupe_dwarf_value *ret) {
    struct loupe_span list = unit->sections->addresses;
    uint64_t at = unit->addresses;
    if (at > list.length || number >= (list.length - at) / unit->address_size)
        return;
    struct loupe_cursor cursor = cursor_in(list, at + number * unit->address_size, UINT64_MAX);
    ret->number = loupe_cursor_number(&cursor, unit->address_size);
}

/* Forms that are a number of so many bytes; 0: none of them. */
static unsigned size_of_number(const struct loupe_dwarf_unit *unit, uint64_t form) {
    switch (form) {
    case DW_FORM_addr:
        return unit->address_size;
    case DW_FORM_data1: /* data, a flag, a reference, numbers of texts and addresses */
    case DW_FORM_flag:
    case DW_FORM_ref1:
    case DW_FORM_strx1:
    case DW_FORM_addrx1:
        return 1;
    case DW_FORM_data2:
    case DW_FORM_ref2:
    case DW_FORM_strx2:
    case DW_FORM_addrx2:
        return 2;
    case DW_FORM_strx3:
    case DW_FORM_addrx3:
        return 3;
    case DW_FORM_data4:
    case DW_FORM_ref4:
    case DW_FORM_ref_sup4:
    case DW_FORM_strx4:
    case DW_FORM_addrx4:
        return 4;
    case DW_FORM_data8:
    case DW_FORM_ref8:
    case DW_FORM_ref_sig8:
    case DW_FORM_ref_sup8:
        return 8;
    case DW_FORM_strp: /* offsets in sections */
    case DW_FORM_ref_addr:
    case DW_FORM_sec_offset:
    case DW_FORM_strp_sup:
    case DW_FORM_line_strp:
    case DW_FORM_GNU_ref_alt:
    case DW_FORM_GNU_strp_alt:
        return unit->offset_size;
    default:
        return 0;
    }
}

/* What a number of such a form leads to. */
static void follow(const struct loupe_dwarf_unit *unit, uint64_t form,
                   struct loupe_dwarf_value *ret) {
    uint64_t number = ret->number;
    switch (form) {
    case DW_FORM_strp:
        take_text(unit, unit->sections->strings, number, ret);
        break;
    case DW_FORM_line_strp:
        take_text(unit, unit->sections->line_strings, number, ret);
        break;
    case DW_FORM_strx:
    case DW_FORM_strx1:
    case DW_FORM_strx2:
    case DW_FORM_strx3:
    case DW_FORM_strx4:
        take_text_number(unit, number, ret);
        break;
    case DW_FORM_addrx:
    case DW_FORM_addrx1:
    case DW_FORM_addrx2:
    case DW_FORM_addrx3:
    case DW_FORM_addrx4:
        take_address_number(unit, number, ret);
        break;
    case DW_FORM_ref1: /* references within the unit */
    case DW_FORM_ref2:
    case DW_FORM_ref4:
    case DW_FORM_ref8:
    case DW_FORM_ref_udata:
        ret->number = number <= unit->end - unit->start ? unit->start + number : 0;
        break;
    default:
        break;
    }
}

static void take_other(const struct loupe_dwarf_unit *unit, uint64_t form,
                       struct loupe_cursor *cursor, int64_t constant,
                       struct loupe_dwarf_value *ret) {
    switch (form) {
    case DW_FORM_string:
        take_text(unit, unit->sections->info, cursor->at, ret);
        loupe_cursor_text(cursor);
        break;
    case DW_FORM_sdata:
        ret->number = (uint64_t)loupe_cursor_sleb(cursor);
        break;
    case DW_FORM_udata:
    case DW_FORM_ref_udata:
    case DW_FORM_strx:
    case DW_FORM_addrx:
    case DW_FORM_loclistx:
    case DW_FORM_rnglistx:
        ret->number = loupe_cursor_uleb(cursor);
        break;
    case DW_FORM_block2:
    case DW_FORM_block4:
    case DW_FORM_block1:
        loupe_cursor_skip(cursor, loupe_cursor_number(cursor, form == DW_FORM_block1   ? 1
                                                              : form == DW_FORM_block2 ? 2
                                                                                       : 4));
        break;
    case DW_FORM_block:
    case DW_FORM_exprloc:
        loupe_cursor_skip(cursor, loupe_cursor_uleb(cursor));
        break;
    case DW_FORM_flag_present: /* a flag that stands nowhere */
        ret->number = 1;
        break;
    case DW_FORM_data16:
        loupe_cursor_skip(cursor, 16);
        break;
    case DW_FORM_implicit_const:
        ret->number = (uint64_t)constant;
        break;
    default:
        cursor->broken = true;
    }
}

static void take_value(const struct loupe_dwarf_unit *unit, uint64_t form, int64_t constant,
                       struct loupe_cursor *cursor, struct loupe_dwarf_value *ret) {
    unsigned size = size_of_number(unit, form);
    *ret = (struct loupe_dwarf_value){.section = {.bytes = ""}};
    if (size)
        ret->number = loupe_cursor_number(cursor, size);
    else
        take_other(unit, form, cursor, constant, ret);
    follow(unit, form, ret);
}

/* ---- Entries ---- */

static void note(struct loupe_dwarf_entry *entry, uint64_t attribute,
                 const struct loupe_dwarf_value *value) {
    switch (attribute) {
    case DW_AT_name:
        entry->name = *value;
        break;
    case DW_AT_low_pc:
        entry->address = value->number;
        entry->has_address = true;
        break;
    case DW_AT_data_member_location:
        entry->location = value->number;
        entry->has_location = true;
        break;
    case DW_AT_type:
        entry->type = value->number;
        break;
    case DW_AT_str_offsets_base:
        entry->string_offsets = value->number;
        break;
    case DW_AT_addr_base:
        entry->addresses = value->number;
        break;
    case DW_AT_stmt_list:
        entry->lines = value->number;
        entry->has_lines = true;
        break;
    case DW_AT_language:
        entry->language = value->number;
        break;
    case DW_AT_byte_size:
        entry->size = value->number;
        break;
    case DW_AT_virtuality:
        entry->is_virtual = value->number;
        break;
    case DW_AT_declaration:
        entry->is_declaration = value->number;
        break;
    case DW_AT_artificial:
        entry->is_artificial = value->number;
        break;
    case DW_AT_decl_file:
        entry->file = value->number;
        break;
    case DW_AT_decl_line:
        entry->line = value->number;
        break;
    case DW_AT_APPLE_runtime_class:
        entry->runtime = value->number;
        break;
    default:
        break;
    }
}

/* Of the next one. NULL: *goes_on says whether it is the end of a list; else there is none, or it
 * makes no sense. */
static const struct abbreviation *next_kind(struct loupe_dwarf_walk *walk,
                                            const struct loupe_dwarf_unit *unit,
                                            struct loupe_cursor *cursor, bool *goes_on) {
    uint64_t code = loupe_cursor_uleb(cursor);
    *goes_on = !cursor->broken && !code && may_work(walk, 1);
    return cursor->broken || !code ? NULL : find_abbreviation(unit, code);
}

/* The next one. False: there is none, or it makes no sense. */
bool loupe_dwarf_next_entry(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                            struct loupe_cursor *cursor, struct loupe_dwarf_entry *ret) {
    uint64_t before = cursor->at, attribute, form, count = 1;
    int64_t constant;
    bool goes_on;
    const struct abbreviation *kind = next_kind(walk, unit, cursor, &goes_on);
    *ret = (struct loupe_dwarf_entry){.tag = 0};
    if (!kind)
        return goes_on;
    struct loupe_cursor list =
        cursor_in(walk->sections->abbreviations, kind->attributes, UINT64_MAX);
    ret->tag = kind->tag;
    ret->has_children = kind->has_children;
    for (; next_attribute(&list, &attribute, &form, &constant); count++) {
        struct loupe_dwarf_value value;
        take_value(unit, form, constant, cursor, &value);
        note(ret, attribute, &value);
        if (cursor->broken || !may_work(walk, 1))
            return false;
    }
    return ret->tag && may_work(walk, cursor->at - before + count);
}

static void skip_value(const struct loupe_dwarf_unit *unit, uint64_t form,
                       struct loupe_cursor *cursor) {
    unsigned size = size_of_number(unit, form);
    struct loupe_dwarf_value ignored;
    if (size)
        loupe_cursor_skip(cursor, size);
    else
        take_other(unit, form, cursor, 0, &ignored);
}

/* Of a kind with more of them than there is room for. */
static void skip_values(const struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                        const struct abbreviation *kind, struct loupe_cursor *cursor) {
    struct loupe_cursor list =
        cursor_in(walk->sections->abbreviations, kind->attributes, UINT64_MAX);
    uint64_t attribute, form;
    int64_t constant;
    while (!cursor->broken && next_attribute(&list, &attribute, &form, &constant))
        skip_value(unit, form, cursor);
}

static uint64_t take_sibling(const struct loupe_dwarf_unit *unit, struct loupe_cursor *cursor) {
    uint64_t number = loupe_cursor_number(cursor, 4);
    return number <= unit->end - unit->start ? unit->start + number : 0;
}

static void take_step(const struct loupe_dwarf_unit *unit, unsigned step,
                      struct loupe_cursor *cursor, struct loupe_dwarf_head *ret) {
    switch (step) {
    case STEP_NUMBER:
        loupe_cursor_uleb(cursor);
        break;
    case STEP_TEXT:
        loupe_cursor_text(cursor);
        break;
    case STEP_BLOCK:
        loupe_cursor_skip(cursor, loupe_cursor_uleb(cursor));
        break;
    case STEP_BLOCK_1:
    case STEP_BLOCK_2:
        loupe_cursor_skip(cursor, loupe_cursor_number(cursor, step - STEP_BLOCK));
        break;
    case STEP_BLOCK_4:
        loupe_cursor_skip(cursor, loupe_cursor_number(cursor, 4));
        break;
    case STEP_SIBLING:
        ret->sibling = take_sibling(unit, cursor);
        break;
    default:
        loupe_cursor_skip(cursor, step);
    }
}

bool loupe_dwarf_skip_entry(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                            struct loupe_cursor *cursor, struct loupe_dwarf_head *ret) {
    uint64_t before = cursor->at;
    bool goes_on;
    const struct abbreviation *kind = next_kind(walk, unit, cursor, &goes_on);
    *ret = (struct loupe_dwarf_head){.tag = 0};
    if (!kind)
        return goes_on;
    ret->tag = kind->tag;
    ret->has_children = kind->has_children;
    if (kind->is_long)
        skip_values(walk, unit, kind, cursor);
    for (unsigned i = 0; !kind->is_long && i < kind->step_count; i++)
        take_step(unit, kind->steps[i], cursor, ret);
    return !cursor->broken && ret->tag && may_work(walk, cursor->at - before + 1);
}

bool loupe_dwarf_is_called(const struct loupe_dwarf_value *value, const char *name) {
    size_t size = strlen(name) + 1;
    return value->is_text && value->number <= value->section.length &&
           value->section.length - value->number >= size &&
           memcmp(value->section.bytes + value->number, name, size) == 0;
}

struct loupe_span loupe_dwarf_text(struct loupe_dwarf_walk *walk,
                                   const struct loupe_dwarf_value *value) {
    struct loupe_cursor cursor = cursor_in(value->section, value->number, UINT64_MAX);
    struct loupe_span text = {.bytes = ""};
    if (value->is_text && value->number < value->section.length)
        text = loupe_cursor_text(&cursor);
    may_work(walk, cursor.at - value->number);
    return text;
}

bool loupe_dwarf_entry_at(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                          uint64_t offset, struct loupe_cursor *cursor_ret,
                          struct loupe_dwarf_entry *ret) {
    if (offset < unit->entries || offset >= unit->end)
        return false;
    *cursor_ret = cursor_in(walk->sections->info, offset, unit->end);
    return loupe_dwarf_next_entry(walk, unit, cursor_ret, ret);
}

/* ---- Units ---- */

/* The header of the unit at *at, which moves behind it. False: nothing tells where the next one
 * begins. */
static bool read_header(const struct loupe_dwarf_walk *walk, uint64_t *at,
                        struct loupe_dwarf_unit *ret, uint64_t *abbreviations_ret, bool *good_ret) {
    struct loupe_cursor cursor = cursor_in(walk->sections->info, *at, UINT64_MAX);
    unsigned kind = DW_UT_compile;
    *ret = (struct loupe_dwarf_unit){
        .sections = walk->sections, .abbreviations = &walk->abbreviations, .start = *at};
    if (!loupe_cursor_enter_unit(&cursor, &ret->offset_size))
        return false;
    ret->end = *at = cursor.end;
    ret->version = (unsigned)loupe_cursor_number(&cursor, 2);
    if (ret->version >= 5) {
        kind = (unsigned)loupe_cursor_number(&cursor, 1);
        ret->address_size = (unsigned)loupe_cursor_number(&cursor, 1);
    }
    *abbreviations_ret = loupe_cursor_number(&cursor, ret->offset_size);
    if (ret->version < 5)
        ret->address_size = (unsigned)loupe_cursor_number(&cursor, 1);
    if (kind == DW_UT_skeleton)
        loupe_cursor_skip(&cursor, 8);
    ret->is_skeleton = kind == DW_UT_skeleton;
    ret->entries = cursor.at;
    *good_ret = !cursor.broken && ret->version >= 4 && ret->version <= 5 &&
                (ret->address_size == 4 || ret->address_size == 8) &&
                (kind == DW_UT_compile || kind == DW_UT_partial || kind == DW_UT_skeleton);
    return true;
}

enum loupe_status loupe_dwarf_next_unit(struct loupe_dwarf_walk *walk, struct loupe_dwarf_unit *ret,
                                        struct loupe_dwarf_entry *entry_ret,
                                        struct loupe_cursor *cursor_ret, bool *more_ret) {
    uint64_t abbreviations;
    bool good;
    *more_ret = true;
    while (walk->work_left && read_header(walk, &walk->next_unit, ret, &abbreviations, &good)) {
        enum loupe_status status =
            good ? read_abbreviations(walk, ret, abbreviations, &good) : LOUPE_OK;
        if (status)
            return status;
        if (!good || !loupe_dwarf_entry_at(walk, ret, ret->entries, cursor_ret, entry_ret)) {
            walk->units_passed++;
            continue;
        }
        ret->string_offsets = entry_ret->string_offsets;
        ret->addresses = entry_ret->addresses;
        return LOUPE_OK;
    }
    *more_ret = false;
    return LOUPE_OK;
}

/* ---- The whole ---- */

void loupe_dwarf_walk_init(struct loupe_dwarf_walk *walk,
                           const struct loupe_dwarf_sections *sections,
                           const struct loupe_chunk_ops *chunks) {
    *walk = (struct loupe_dwarf_walk){
        .sections = sections,
        .work_left = WORK_FOR_A_BYTE *
                     ((uint64_t)sections->info.length + sections->abbreviations.length + 1)};
    loupe_vector_init(&walk->abbreviations, chunks, sizeof(struct abbreviation));
}

void loupe_dwarf_walk_deinit(struct loupe_dwarf_walk *walk) {
    loupe_vector_deinit(&walk->abbreviations);
}
