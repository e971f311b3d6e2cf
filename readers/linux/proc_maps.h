/*
 * proc_maps.h - the lines of /proc/PID/maps of Linux.
 */
#ifndef LOUPE_READERS_PROC_MAPS_H
#define LOUPE_READERS_PROC_MAPS_H

#include "base/status.h"
#include "base/text.h"

struct loupe_proc_mapping {
    uint64_t start, end;
    bool readable, writable, executable;
    uint64_t offset; /* in the file */
    uint32_t device_major, device_minor;
    uint64_t inode; /* 0: no file */
    struct loupe_span path;
};

/* Takes the line at *cursor, which moves to the next one. False at the end of the text. */
bool loupe_proc_maps_next(const char **cursor, struct loupe_proc_mapping *ret);

#endif
