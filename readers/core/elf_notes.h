/*
 * elf_notes.h - what the notes of an ELF core of Linux say: threads, mapped files, where things
 * are.
 */
#ifndef LOUPE_READERS_ELF_NOTES_H
#define LOUPE_READERS_ELF_NOTES_H

#include "core/core.h"

/* Of the whole core; zeroed before the first notes. */
struct loupe_elf_notes {
    uint8_t word;                      /* bytes of an address: to be set */
    enum loupe_register_layout layout; /* to be set */
    uint64_t process;                  /* the number of the process; 0: it is not said */
    loupe_addr program_headers;        /* of the executable, by the kernel */
    loupe_addr program_name;           /* where the path that was executed stands; 0: not said */
    loupe_addr initial_stack;          /* an address in the stack of the first thread */
    loupe_addr kernel_image;           /* the vdso */
    uint64_t signature_bits;           /* of arm64's addresses; 0: it is not said */
    uint64_t processor;                /* what it can do, as the system tells programs */
};

/* Takes the notes in a part of the file; what cannot be understood is damage. LOUPE_ENOMEM. */
enum loupe_status loupe_elf_notes_take(struct loupe_reader *reader,
                                       const struct loupe_core_file *file, uint64_t offset,
                                       uint64_t size, struct loupe_elf_notes *notes);

#endif
