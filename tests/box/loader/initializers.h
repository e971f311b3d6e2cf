/*
 * initializers.h - what runs before main(): of each image that is new, libraries before who needs
 * them, in both forms (pointers, and offsets that need no fixups). They are called as dyld does,
 * with the arguments of main() (dyld-1160, dyld/Loader.cpp).
 */
#ifndef LOUPE_BOX_INITIALIZERS_H
#define LOUPE_BOX_INITIALIZERS_H

struct box_arguments {
    int count;
    char **arguments, **environment, **apple;
};

extern struct box_arguments box_arguments;

/* Of the images from that number on. */
void box_initialize_from(unsigned first);

#endif
