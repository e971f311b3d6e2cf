/*
 * process_reader.h - a plain reader of another process on Linux, for tests: bytes by
 * process_vm_readv(), regions and images by /proc/PID/maps. It knows no symbol and no thread.
 */
#ifndef LOUPE_TESTS_PROCESS_READER_H
#define LOUPE_TESTS_PROCESS_READER_H

#include "base/memory.h"

struct process_reader {
    int pid;
    struct loupe_reader_ops ops;
    const char
        *without; /* mappings of a file of this name are no part of the process; NULL: none */
};

void process_reader_init(struct process_reader *reader, int pid);
/* A memory over the process, which stands still. The caller deinits it. */
void process_reader_memory(struct process_reader *reader, const struct loupe_chunk_ops *chunks,
                           struct loupe_memory *ret);

#endif
