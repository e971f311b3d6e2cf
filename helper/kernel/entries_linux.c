/* Entries of folders in /proc, by system calls alone. */
#include "kernel/entries.h"

#include "kernel/system.h"

#include <string.h>

enum {
    FIRST_LETTERS = 19, /* struct linux_dirent64: where the name begins */
    LENGTH_AT = 16      /* and where the length of the entry stands, 16 bits */
};

/* False for what is no number, as "..". */
static bool number_in(const char *name, uint64_t *ret) {
    const char *at = name;
    *ret = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        *ret = *ret * 10 + (uint64_t)(*at - '0');
    return at > name && !*at;
}

static enum loupe_status visit_some(const uint8_t *entries, size_t length, loupe_entry_visit visit,
                                    void *visitor) {
    enum loupe_status status = LOUPE_OK;
    for (size_t at = 0; !status && at + FIRST_LETTERS < length;) {
        uint16_t size;
        uint64_t number;
        memcpy(&size, entries + at + LENGTH_AT, sizeof(size));
        if (number_in((const char *)entries + at + FIRST_LETTERS, &number))
            status = visit(visitor, number);
        at += size;
    }
    return status;
}

enum loupe_status loupe_entries_visit(const char *folder, loupe_entry_visit visit, void *visitor) {
    uint8_t entries[2048];
    enum loupe_status status = LOUPE_OK;
    long length = 0;
    int opened = loupe_system_open(folder);
    if (opened < 0)
        return LOUPE_EFAULT;
    while (!status && (length = loupe_system_list(opened, entries, sizeof(entries))) > 0)
        status = visit_some(entries, (size_t)length, visit, visitor);
    loupe_system_close(opened);
    return !status && length < 0 ? LOUPE_EFAULT : status;
}
