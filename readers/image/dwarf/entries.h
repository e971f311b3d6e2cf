/*
 * entries.h - the entries of DWARF's .debug_info, versions 4 and 5, one after the other: what kinds
 * there are, what each is called, where and in which line it was declared.
 *
 * Any bytes may stand there. What makes no sense tells nothing, and a file that asks for more work
 * than its size gives reason for tells nothing of the rest.
 */
#ifndef LOUPE_READERS_ENTRIES_H
#define LOUPE_READERS_ENTRIES_H

#include "base/status.h"
#include "base/text.h"
#include "base/vector.h"
#include "image/dwarf/line_cursor.h"

/* Sections of a file, unpacked; empty where it has none. */
struct loupe_dwarf_sections {
    struct loupe_span info;           /* .debug_info */
    struct loupe_span abbreviations;  /* .debug_abbrev */
    struct loupe_span strings;        /* .debug_str */
    struct loupe_span line_strings;   /* .debug_line_str, for version 5 as the following */
    struct loupe_span string_offsets; /* .debug_str_offsets */
    struct loupe_span addresses;      /* .debug_addr */
};

/* What one compiled file has. */
struct loupe_dwarf_unit {
    const struct loupe_dwarf_sections *sections;
    const struct loupe_vector *abbreviations;
    uint64_t start, entries, end;       /* in the section */
    uint64_t string_offsets, addresses; /* where its part of these begins */
    unsigned version, offset_size, address_size;
    bool is_skeleton; /* its entries stand in a file of their own */
};

/* A number, or where in which section a text begins. */
struct loupe_dwarf_value {
    uint64_t number;
    struct loupe_span section;
    bool is_text;
};

/* type: where that entry begins in the section. Numbers that it does not have are 0. */
struct loupe_dwarf_entry {
    uint64_t tag; /* DW_TAG_*; 0: the end of a list of children */
    bool has_children, has_address, has_location, has_lines, is_artificial, is_declaration,
        is_virtual;
    struct loupe_dwarf_value name;
    uint64_t address, type, location, size, string_offsets, addresses;
    uint64_t language, lines; /* of a unit; the latter: where its table of lines begins */
    uint64_t file, line;      /* where it was declared; file: by the number that table has for it */
    uint64_t runtime;         /* the language of whose runtime it is a class */
};

/* What is known of an entry that is passed over. */
struct loupe_dwarf_head {
    uint64_t tag; /* as of struct loupe_dwarf_entry */
    bool has_children;
    uint64_t sibling; /* where the one behind its children begins in the section; 0: not known */
};

/* A way through all units. */
struct loupe_dwarf_walk {
    const struct loupe_dwarf_sections *sections;
    struct loupe_vector abbreviations; /* of the last unit, by ascending code */
    uint64_t abbreviations_at;
    bool has_abbreviations;
    unsigned offset_size, address_size; /* that the lengths of entries were taken for */
    uint64_t next_unit, work_left;
    uint64_t units_passed; /* that were not understood, or whose entries stand elsewhere */
};

/* The sections outlive the walk. */
void loupe_dwarf_walk_init(struct loupe_dwarf_walk *walk,
                           const struct loupe_dwarf_sections *sections,
                           const struct loupe_chunk_ops *chunks);
void loupe_dwarf_walk_deinit(struct loupe_dwarf_walk *walk);

/*
 * The next unit that can be understood, with its own entry; the cursor is behind that. *more_ret is
 * false when there is none. LOUPE_ENOMEM.
 */
enum loupe_status loupe_dwarf_next_unit(struct loupe_dwarf_walk *walk, struct loupe_dwarf_unit *ret,
                                        struct loupe_dwarf_entry *entry_ret,
                                        struct loupe_cursor *cursor_ret, bool *more_ret);

/* The next entry of the unit. False: there is none, it makes no sense, or all work is done. */
bool loupe_dwarf_next_entry(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                            struct loupe_cursor *cursor, struct loupe_dwarf_entry *ret);
/* The same, without a look at what is not said in the head. */
bool loupe_dwarf_skip_entry(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                            struct loupe_cursor *cursor, struct loupe_dwarf_head *ret);
/* The next one, whole, that begins at an offset in the section. */
bool loupe_dwarf_entry_at(struct loupe_dwarf_walk *walk, const struct loupe_dwarf_unit *unit,
                          uint64_t offset, struct loupe_cursor *cursor_ret,
                          struct loupe_dwarf_entry *ret);

/* Empty where the value is no text. */
struct loupe_span loupe_dwarf_text(struct loupe_dwarf_walk *walk,
                                   const struct loupe_dwarf_value *value);
bool loupe_dwarf_is_called(const struct loupe_dwarf_value *value, const char *name);

#endif
