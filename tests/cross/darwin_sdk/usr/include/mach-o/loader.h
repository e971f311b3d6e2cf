#pragma once
#include <stdint.h>
#define MH_MAGIC_64          0xfeedfacfu
#define LC_SYMTAB            0x2u
#define LC_LOAD_DYLIB        0xcu
#define LC_SEGMENT_64        0x19u
#define LC_UUID              0x1bu
#define LC_LOAD_WEAK_DYLIB   0x80000018u
#define LC_REEXPORT_DYLIB    0x8000001fu
#define LC_DYLD_INFO         0x22u
#define LC_DYLD_INFO_ONLY    0x80000022u
#define LC_DYLD_EXPORTS_TRIE 0x80000033u
#define SEG_TEXT             "__TEXT"
#define SEG_LINKEDIT         "__LINKEDIT"

#define EXPORT_SYMBOL_FLAGS_KIND_MASK    0x3
#define EXPORT_SYMBOL_FLAGS_KIND_REGULAR 0
#define EXPORT_SYMBOL_FLAGS_REEXPORT     0x8

struct mach_header_64 {
    uint32_t magic;
    int32_t cputype, cpusubtype;
    uint32_t filetype, ncmds, sizeofcmds, flags, reserved;
};
struct load_command {
    uint32_t cmd, cmdsize;
};
struct segment_command_64 {
    uint32_t cmd, cmdsize;
    char segname[16];
    uint64_t vmaddr, vmsize, fileoff, filesize;
    int32_t maxprot, initprot;
    uint32_t nsects, flags;
};
struct section_64 {
    char sectname[16], segname[16];
    uint64_t addr, size;
    uint32_t offset, align, reloff, nreloc, flags, reserved1, reserved2, reserved3;
};
union lc_str {
    uint32_t offset;
};
struct dylib {
    union lc_str name;
    uint32_t timestamp, current_version, compatibility_version;
};
struct dylib_command {
    uint32_t cmd, cmdsize;
    struct dylib dylib;
};
struct symtab_command {
    uint32_t cmd, cmdsize, symoff, nsyms, stroff, strsize;
};
struct uuid_command {
    uint32_t cmd, cmdsize;
    uint8_t uuid[16];
};
struct linkedit_data_command {
    uint32_t cmd, cmdsize, dataoff, datasize;
};
struct dyld_info_command {
    uint32_t cmd, cmdsize;
    uint32_t rebase_off, rebase_size, bind_off, bind_size;
    uint32_t weak_bind_off, weak_bind_size, lazy_bind_off, lazy_bind_size;
    uint32_t export_off, export_size;
};
