/*
 * linked_files.h - cores that have no note of the files that were mapped, as those of qemu and of
 * some that handle crashes: the loader's list for debuggers has the images, their files the rest.
 */
#ifndef LOUPE_READERS_LINKED_FILES_H
#define LOUPE_READERS_LINKED_FILES_H

#include "core/elf_notes.h"

/*
 * Adds the mappings of the program, which the kernel's values lead to, and of what its loader
 * lists. A file counts as that of an image if its dynamic section is the one in memory; others
 * count as missing. Regions are known, and can be read. LOUPE_ENOMEM.
 */
enum loupe_status loupe_elf_map_linked_files(struct loupe_reader *reader,
                                             const struct loupe_elf_notes *notes);

#endif
