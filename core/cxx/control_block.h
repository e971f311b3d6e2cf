/*
 * control_block.h - what shared_ptrs share, by the class of the block that counts the owners of an
 * object: libstdc++, libc++, boost.
 */
#ifndef LOUPE_CXX_CONTROL_BLOCK_H
#define LOUPE_CXX_CONTROL_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

/*
 * What people call a class: "Child (make_shared)" and "control block of Child" for what shared_ptrs
 * share, else its own name. Mangled in, at most LOUPE_MAX_TYPE_NAME bytes and a NUL; at most cap -
 * 1 bytes out, and a NUL; cap > 0.
 */
void loupe_cxx_class_name(const char *mangled, char *dst, size_t cap);

/*
 * How a control block counts. Behind its vtable are the shared_ptrs and the weak_ptrs, which
 * together count as one more weak_ptr while there is a shared_ptr; behind these is the object, or a
 * pointer to it.
 */
struct loupe_control_layout {
    bool holds_object;    /* else a pointer to it */
    bool counts_one_less; /* libc++: words, each one less than it counts; else 32 bits each */
};

/* False: it is the class of no control block. `managed` gets the class of what it manages. */
bool loupe_cxx_control_layout(const char *mangled, struct loupe_control_layout *ret, char *managed,
                              size_t cap);

#endif
