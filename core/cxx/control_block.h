/*
 * control_block.h - what shared_ptrs share, by the class of the block that counts the owners of an
 * object: libstdc++, libc++, boost.
 */
#ifndef LOUPE_CXX_CONTROL_BLOCK_H
#define LOUPE_CXX_CONTROL_BLOCK_H

#include <stddef.h>

/*
 * What people call a class: "Child (make_shared)" and "control block of Child" for what shared_ptrs
 * share, else its own name. Mangled in, at most LOUPE_MAX_TYPE_NAME bytes and a NUL; at most cap -
 * 1 bytes out, and a NUL; cap > 0.
 */
void loupe_cxx_class_name(const char *mangled, char *dst, size_t cap);

#endif
