/*
 * format.h - what the loader reads of Mach-O files: numbers and structures, by their own names.
 *
 * After Apple's description of the format (mach-o/loader.h, mach-o/fixup-chains.h of dyld-1160),
 * for 64 bits and little-endian machines only. The product has readers of its own, on purpose not
 * used here: two readers of one format show each other's mistakes.
 */
#ifndef LOUPE_BOX_FORMAT_H
#define LOUPE_BOX_FORMAT_H

#include <stdint.h>

enum {
    MACHO_MAGIC = (int)0xfeedfacf,
    MACHO_X86_64 = 0x01000007,
    MACHO_ARM64 = 0x0100000c,
    MACHO_ARM64E = 2, /* the subtype */
    MACHO_SUBTYPE_MASK = 0x00ffffff,

    MACHO_EXECUTE = 2,
    MACHO_DYLIB = 6,
    MACHO_BUNDLE = 8,
    MACHO_IN_SHARED_CACHE = (int)0x80000000, /* a flag of the header */

    MACHO_REQUIRED = (int)0x80000000, /* a command that a loader must know */
    MACHO_SYMTAB = 0x2,
    MACHO_LOAD_DYLIB = 0xc,
    MACHO_ID_DYLIB = 0xd,
    MACHO_LOAD_WEAK = 0x18 | MACHO_REQUIRED,
    MACHO_SEGMENT = 0x19,
    MACHO_RPATH = 0x1c | MACHO_REQUIRED,
    MACHO_REEXPORT = 0x1f | MACHO_REQUIRED,
    MACHO_DYLD_INFO = 0x22,
    MACHO_DYLD_INFO_ONLY = 0x22 | MACHO_REQUIRED,
    MACHO_UPWARD = 0x23 | MACHO_REQUIRED,
    MACHO_MAIN = 0x28 | MACHO_REQUIRED,
    MACHO_EXPORTS_TRIE = 0x33 | MACHO_REQUIRED,
    MACHO_CHAINED_FIXUPS = 0x34 | MACHO_REQUIRED,

    MACHO_READ_ONLY_WHEN_BOUND = 0x10, /* a flag of segments */

    /* Kinds of sections. */
    MACHO_SECTION_KIND = 0xff,
    MACHO_INIT_POINTERS = 0x9,
    MACHO_INTERPOSING = 0xd,
    MACHO_TLV_DATA = 0x11,
    MACHO_TLV_ZERO = 0x12,
    MACHO_TLV_DESCRIPTORS = 0x13,
    MACHO_INIT_OFFSETS = 0x16,

    /* Exports. */
    MACHO_EXPORT_KIND = 0x3,
    MACHO_EXPORT_ABSOLUTE = 0x2,
    MACHO_EXPORT_REEXPORT = 0x8,
    MACHO_EXPORT_RESOLVER = 0x10,

    /* Where an import is looked for, beside the number of a library. */
    MACHO_ORDINAL_SELF = 0,
    MACHO_ORDINAL_MAIN = -1,
    MACHO_ORDINAL_FLAT = -2,
    MACHO_ORDINAL_WEAK = -3,

    /* Symbols. */
    MACHO_SYMBOL_STAB = 0xe0,
    MACHO_SYMBOL_TYPE = 0x0e,
    MACHO_SYMBOL_IN_SECTION = 0x0e
};

struct macho_header {
    uint32_t magic, machine, subtype, type, commands, commands_size, flags, reserved;
};

struct macho_command {
    uint32_t kind, size;
};

struct macho_segment {
    uint32_t kind, size;
    char name[16];
    uint64_t address, memory_size, file_offset, file_size;
    uint32_t most_protection, protection, sections, flags;
};

struct macho_section {
    char name[16], segment[16];
    uint64_t address, size;
    uint32_t offset, align, relocations, relocation_count, flags, reserved[3];
};

struct macho_dylib {
    uint32_t kind, size, name_offset, timestamp, version, compatible;
};

struct macho_rpath {
    uint32_t kind, size, path_offset;
};

struct macho_symtab {
    uint32_t kind, size, symbols, symbol_count, strings, strings_size;
};

struct macho_data {
    uint32_t kind, size, offset, data_size;
};

struct macho_dyld_info {
    uint32_t kind, size, rebase, rebase_size, bind, bind_size, weak_bind, weak_bind_size, lazy_bind,
        lazy_bind_size, exports, exports_size;
};

struct macho_main {
    uint32_t kind, size;
    uint64_t entry, stack_size;
};

struct macho_symbol {
    uint32_t name;
    uint8_t type, section;
    uint16_t description;
    uint64_t value;
};

struct macho_chains {
    uint32_t version, starts, imports, symbols, import_count, import_format, symbol_format;
};

struct macho_chain_segment {
    uint32_t size;
    uint16_t page_size, pointer_format;
    uint64_t segment_offset;
    uint32_t most_pointer;
    uint16_t page_count, page_start[];
};

#endif
