/*
 * lazy_function.h - the name of a function that is looked up at its first call, before that call.
 *
 * ELF on x86-64, by glibc: the stub in the caller's image pushes the number of the function, then
 * what the linker knows of the image, and goes to the linker (System V ABI, "Procedure Linkage
 * Table").
 */
#ifndef LOUPE_LAZY_FUNCTION_H
#define LOUPE_LAZY_FUNCTION_H

#include "base/target/memory.h"

/* image: the linker's record of it (<link.h>, struct link_map). */
bool loupe_lazy_function_name(struct loupe_memory *memory, loupe_addr image, uint64_t number,
                              char *ret, size_t size);

#endif
