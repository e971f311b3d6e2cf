/*
 * dwarf_cursor.h - numbers as DWARF writes them, one after the other. After the end, or where
 * memory cannot be read, all are 0 and is_bad is set.
 */
#ifndef LOUPE_STACKS_DWARF_CURSOR_H
#define LOUPE_STACKS_DWARF_CURSOR_H

#include "base/target/memory.h"

struct loupe_dwarf_cursor {
    struct loupe_memory *memory;
    loupe_addr at, end;
    bool is_bad;
};

uint64_t loupe_dwarf_number(struct loupe_dwarf_cursor *cursor, unsigned size);
uint64_t loupe_dwarf_uleb(struct loupe_dwarf_cursor *cursor);
int64_t loupe_dwarf_sleb(struct loupe_dwarf_cursor *cursor);
/*
 * A pointer in one of the encodings of .eh_frame, relative to what that says; base is of those that
 * are relative to data. The indirect ones are not followed, and bad.
 */
loupe_addr loupe_dwarf_pointer(struct loupe_dwarf_cursor *cursor, uint8_t encoding,
                               loupe_addr base);
void loupe_dwarf_skip(struct loupe_dwarf_cursor *cursor, uint64_t size);

static inline bool loupe_dwarf_has_more(const struct loupe_dwarf_cursor *cursor) {
    return !cursor->is_bad && cursor->at < cursor->end;
}

#endif
