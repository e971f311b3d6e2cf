/*
 * macho_constants.h - what Mach-O calls its numbers, as far as they are read here: the names of
 * Apple's <mach-o/loader.h>, <mach-o/nlist.h>, <mach-o/compact_unwind_encoding.h>,
 * <mach/machine.h>, <mach/vm_prot.h> and <mach/thread_status.h>. Some of these are macros there: a
 * file includes those or this one.
 */
#ifndef LOUPE_READERS_MACHO_CONSTANTS_H
#define LOUPE_READERS_MACHO_CONSTANTS_H

/* The header of a file. */
#define MH_MAGIC          0xfeedfaceu
#define MH_MAGIC_64       0xfeedfacfu
#define MH_DYLIB_IN_CACHE 0x80000000u
enum { MH_EXECUTE = 2, MH_CORE = 4, MH_DYLINKER = 7 };
enum { CPU_TYPE_X86_64 = 0x01000007, CPU_TYPE_ARM64 = 0x0100000c };

/* Load commands; the last ones have the bit of those that a loader must know. */
enum {
    LC_SEGMENT = 0x1,
    LC_SYMTAB = 0x2,
    LC_THREAD = 0x4,
    LC_UNIXTHREAD = 0x5,
    LC_DYSYMTAB = 0xb,
    LC_LOAD_DYLIB = 0xc,
    LC_ID_DYLIB = 0xd,
    LC_SEGMENT_64 = 0x19,
    LC_UUID = 0x1b,
    LC_DYLD_INFO = 0x22,
    LC_FUNCTION_STARTS = 0x26,
    LC_NOTE = 0x31
};
#define LC_LOAD_WEAK_DYLIB   0x80000018u
#define LC_REEXPORT_DYLIB    0x8000001fu
#define LC_DYLD_INFO_ONLY    0x80000022u
#define LC_DYLD_EXPORTS_TRIE 0x80000033u

/* Segments and sections. */
enum { VM_PROT_READ = 1, VM_PROT_WRITE = 2, VM_PROT_EXECUTE = 4 };
enum {
    SECTION_TYPE = 0xff,
    S_ZEROFILL = 0x1,
    S_SYMBOL_STUBS = 0x8,
    S_GB_ZEROFILL = 0xc,
    S_THREAD_LOCAL_REGULAR = 0x11,
    S_THREAD_LOCAL_INIT_FUNCTION_POINTERS = 0x15
};

/* Symbols and exports. */
enum { N_STAB = 0xe0, N_TYPE = 0x0e, N_UNDF = 0x0, N_SECT = 0xe };
enum {
    EXPORT_SYMBOL_FLAGS_KIND_MASK = 0x03,
    EXPORT_SYMBOL_FLAGS_KIND_REGULAR = 0x00,
    EXPORT_SYMBOL_FLAGS_REEXPORT = 0x08
};

/* Kinds of registers of a thread. */
enum { x86_THREAD_STATE64 = 4, x86_THREAD_STATE = 7, ARM_THREAD_STATE64 = 6 };

/* Compact unwind. */
enum {
    UNWIND_SECTION_VERSION = 1,
    UNWIND_SECOND_LEVEL_REGULAR = 2,
    UNWIND_SECOND_LEVEL_COMPRESSED = 3
};
enum {
    UNWIND_X86_64_MODE_MASK = 0x0f000000,
    UNWIND_X86_64_MODE_RBP_FRAME = 0x01000000,
    UNWIND_X86_64_MODE_STACK_IMMD = 0x02000000,
    UNWIND_X86_64_MODE_STACK_IND = 0x03000000,
    UNWIND_X86_64_MODE_DWARF = 0x04000000,
    UNWIND_X86_64_DWARF_SECTION_OFFSET = 0x00ffffff
};
enum {
    UNWIND_ARM64_MODE_FRAMELESS = 0x02000000,
    UNWIND_ARM64_MODE_DWARF = 0x03000000,
    UNWIND_ARM64_MODE_FRAME = 0x04000000
};

#endif
