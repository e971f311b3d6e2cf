/*
 * memory_room.h - how much memory this process may still take: by the limits of its shell, of its
 * container (cgroups of both versions, with those around it), and by what the machine has left.
 */
#ifndef LOUPE_CLI_MEMORY_ROOM_H
#define LOUPE_CLI_MEMORY_ROOM_H

#include <stdint.h>

struct memory_room {
    uint64_t left;  /* bytes; UINT64_MAX: nothing tells */
    const char *by; /* "this container", "ulimit", "this machine" */
};

struct memory_room memory_room(void);
/* The same of files below a folder that stands for / . */
struct memory_room memory_room_below(const char *root);

#endif
