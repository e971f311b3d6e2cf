#include "types/ivar_layout.h"

uint32_t loupe_ivar_layout_base(uint32_t instance_start, uint8_t pointer_size) {
    uint32_t past = instance_start % pointer_size;
    if (past == 0 || instance_start > UINT32_MAX - pointer_size)
        return instance_start - past;
    return instance_start - past + pointer_size;
}

void loupe_ivar_layout_begin(struct loupe_ivar_layout_cursor *cursor, struct loupe_span bytes) {
    *cursor = (struct loupe_ivar_layout_cursor){.bytes = bytes};
}

void loupe_ivar_layout_begin_at(struct loupe_ivar_layout_cursor *cursor,
                                struct loupe_memory *memory, loupe_addr address) {
    *cursor = (struct loupe_ivar_layout_cursor){.memory = memory, .address = address};
}

/* The next byte; 0 at the end, and after a failure that is then in cursor->status. */
static uint8_t next_byte(struct loupe_ivar_layout_cursor *cursor) {
    uint8_t byte = 0;
    if (cursor->status)
        return 0;
    if (!cursor->memory && cursor->at >= cursor->bytes.length)
        return 0;
    if (cursor->at == LOUPE_IVAR_LAYOUT_MAX_BYTES) {
        cursor->status = LOUPE_ELIMIT;
        return 0;
    }
    if (!cursor->memory)
        byte = (uint8_t)cursor->bytes.bytes[cursor->at];
    else
        cursor->status =
            loupe_memory_read(cursor->memory, cursor->address + cursor->at, &byte, sizeof(byte));
    if (cursor->status)
        return 0;
    if (byte)
        cursor->at++;
    return byte;
}

/* A run is handed out once the byte behind it shows that it does not go on. */
bool loupe_ivar_layout_next(struct loupe_ivar_layout_cursor *cursor, struct loupe_word_run *ret) {
    uint8_t byte;
    while ((byte = next_byte(cursor)) != 0) {
        struct loupe_word_run complete = cursor->pending;
        uint32_t skip = byte >> 4, scan = byte & 15;
        bool joined = skip == 0 && complete.count;
        cursor->word += skip;
        if (!joined)
            cursor->pending = (struct loupe_word_run){.first = cursor->word};
        cursor->pending.count += scan;
        cursor->word += scan;
        if (!joined && complete.count) {
            *ret = complete;
            return true;
        }
    }
    if (!cursor->pending.count)
        return false;
    *ret = cursor->pending;
    cursor->pending.count = 0;
    return true;
}
