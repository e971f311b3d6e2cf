/*
 * servers.h - whether this process itself fills in memory when somebody looks at it (Linux):
 * whoever looks then waits for one of its threads, which may stand still.
 *
 * Known by what it has open. Where another process does that, it runs and answers.
 */
#ifndef LOUPE_HELPER_SERVERS_H
#define LOUPE_HELPER_SERVERS_H

#include <stdbool.h>

struct loupe_servers {
    bool of_faults; /* it handles page faults of some memory (userfaultfd) */
    bool of_files;  /* it serves a file system (FUSE) */
};

struct loupe_servers loupe_servers_find(void);

#endif
