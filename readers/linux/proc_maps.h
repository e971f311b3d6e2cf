/*
 * proc_maps.h - the lines of /proc/PID/maps of Linux, and of smaps and mountinfo, which tell more
 * of what is mapped.
 */
#ifndef LOUPE_READERS_PROC_MAPS_H
#define LOUPE_READERS_PROC_MAPS_H

#include "base/status.h"
#include "base/text.h"

struct loupe_proc_mapping {
    uint64_t start, end;
    bool readable, writable, executable;
    bool shared;     /* with whoever maps the same: what is written here, they see */
    uint64_t offset; /* in the file */
    uint32_t device_major, device_minor;
    uint64_t inode;         /* 0: no file */
    struct loupe_span path; /* as it stands there, loupe_proc_maps_path() */
};

/* Takes the line at *cursor, which moves to the next one. False at the end of the text. */
bool loupe_proc_maps_next(const char **cursor, struct loupe_proc_mapping *ret);

/* What smaps tells of a mapping beside. */
struct loupe_proc_pages {
    bool handled; /* somebody else says what a page holds when it is first looked at (userfaultfd),
                   * and whoever looks waits for that */
    bool swapped; /* some are not in memory at the moment */
};

/* The same of /proc/PID/smaps. */
bool loupe_proc_smaps_next(const char **cursor, struct loupe_proc_mapping *ret,
                           struct loupe_proc_pages *pages_ret);

struct loupe_proc_mount {
    uint32_t device_major, device_minor;
    struct loupe_span type; /* "ext4" */
};

/* The same of /proc/PID/mountinfo. */
bool loupe_proc_mounts_next(const char **cursor, struct loupe_proc_mount *ret);

/* The path by which the file is opened, ended by a NUL: the kernel writes a line's end in it as
 * \012, and nothing else in another way, so that a file whose name has these four characters
 * cannot be told from one. ret: room for path.length + 1. */
void loupe_proc_maps_path(struct loupe_span path, char *ret);

#endif
