/*
 * elf_constants.h - what ELF calls its numbers, as far as they are read here. A system's <elf.h>
 * has macros of the same names: a file includes that one or this one, and a test holds them
 * together.
 */
#ifndef LOUPE_READERS_ELF_CONSTANTS_H
#define LOUPE_READERS_ELF_CONSTANTS_H

/* The header of a file. */
enum { EI_CLASS = 4, EI_DATA = 5 };
enum { ELFCLASS32 = 1, ELFCLASS64 = 2 };
enum { ELFDATA2LSB = 1 };
enum { ET_EXEC = 2, ET_DYN = 3, ET_CORE = 4 };
enum { EM_386 = 3, EM_ARM = 40, EM_X86_64 = 62, EM_AARCH64 = 183 };
enum { PN_XNUM = 0xffff };

/* Segments: kinds and flags. */
enum { PT_LOAD = 1, PT_DYNAMIC = 2, PT_NOTE = 4, PT_GNU_EH_FRAME = 0x6474e550 };
enum { PF_X = 1, PF_W = 2, PF_R = 4 };

/* Sections: kinds, flags, numbers. */
enum { SHT_SYMTAB = 2, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_DYNSYM = 11 };
enum { SHF_WRITE = 1, SHF_ALLOC = 2, SHF_TLS = 0x400, SHF_COMPRESSED = 0x800 };
enum { SHN_UNDEF = 0, SHN_LORESERVE = 0xff00 };

/* Symbols: kinds. */
enum { STT_FUNC = 2, STT_TLS = 6 };

/* Entries of the dynamic section. */
enum {
    DT_NEEDED = 1,
    DT_STRTAB = 5,
    DT_SYMTAB = 6,
    DT_STRSZ = 10,
    DT_DEBUG = 21,
    DT_GNU_HASH = 0x6ffffef5
};

/* Notes of images, then of cores. */
enum { NT_GNU_BUILD_ID = 3 };
enum {
    NT_PRSTATUS = 1,
    NT_PRPSINFO = 3,
    NT_AUXV = 6,
    NT_ARM_TLS = 0x401,
    NT_ARM_PAC_MASK = 0x406,
    NT_FILE = 0x46494c45
};

/* What the kernel tells a program of itself. */
enum { AT_PHDR = 3, AT_HWCAP = 16, AT_RANDOM = 25, AT_EXECFN = 31, AT_SYSINFO_EHDR = 33 };

#endif
