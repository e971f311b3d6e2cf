/*
 * entries.h - what a folder of /proc has whose names are numbers: threads, files.
 */
#ifndef LOUPE_HELPER_ENTRIES_H
#define LOUPE_HELPER_ENTRIES_H

#include "base/status.h"

typedef enum loupe_status (*loupe_entry_visit)(void *visitor, uint64_t number);

/* LOUPE_EFAULT: there may be more; otherwise what visit()
 * returns. */
enum loupe_status loupe_entries_visit(const char *folder, loupe_entry_visit visit, void *visitor);

#endif
