#include "tables/dwarf_cursor.h"

#include "image/dwarf/dwarf_constants.h"

enum { FORM = 0x0f, RELATION = 0x70 }; /* the parts of an encoding */

uint64_t loupe_dwarf_number(struct loupe_dwarf_cursor *cursor, unsigned size) {
    uint64_t value = 0;
    if (cursor->is_bad || cursor->at > cursor->end || size > cursor->end - cursor->at) {
        cursor->is_bad = true;
        return 0;
    }
    const uint8_t *bytes = loupe_memory_peek(cursor->memory, cursor->at, size);
    if (bytes)
        memcpy(&value, bytes, size);
    else if (loupe_memory_read(cursor->memory, cursor->at, &value, size)) {
        cursor->is_bad = true;
        return 0;
    }
    cursor->at += size;
    return value;
}

/* The 7 bits of each byte, as far as 64 have room; *bits_ret is how many were there. */
static uint64_t leb(struct loupe_dwarf_cursor *cursor, unsigned *bits_ret, bool *is_negative_ret) {
    uint64_t value = 0, byte;
    unsigned bits = 0;
    do {
        byte = loupe_dwarf_number(cursor, 1);
        if (bits < 64)
            value |= (byte & 0x7f) << bits;
        bits += bits < 64 ? 7 : 0;
    } while (byte & 0x80);
    *bits_ret = bits;
    *is_negative_ret = byte & 0x40;
    return value;
}

uint64_t loupe_dwarf_uleb(struct loupe_dwarf_cursor *cursor) {
    unsigned bits;
    bool is_negative;
    return leb(cursor, &bits, &is_negative);
}

int64_t loupe_dwarf_sleb(struct loupe_dwarf_cursor *cursor) {
    unsigned bits;
    bool is_negative;
    uint64_t value = leb(cursor, &bits, &is_negative);
    if (is_negative && bits < 64)
        value |= ~UINT64_C(0) << bits;
    return (int64_t)value;
}

static uint64_t sign_extended(uint64_t value, unsigned size) {
    uint64_t sign = UINT64_C(1) << (size * 8 - 1);
    return (value ^ sign) - sign;
}

loupe_addr loupe_dwarf_pointer(struct loupe_dwarf_cursor *cursor, uint8_t encoding,
                               loupe_addr base) {
    static const uint8_t sizes[] = {8, 0, 2, 4, 8}; /* by the low bits of the form */
    loupe_addr from = cursor->at;
    uint64_t value;
    unsigned form = encoding & FORM;
    if (form == DW_EH_PE_uleb128)
        value = loupe_dwarf_uleb(cursor);
    else if (form == DW_EH_PE_sleb128)
        value = (uint64_t)loupe_dwarf_sleb(cursor);
    else if ((form & 7) < sizeof(sizes)) {
        unsigned size = sizes[form & 7];
        value = loupe_dwarf_number(cursor, size);
        if (form & DW_EH_PE_signed && size < 8)
            value = sign_extended(value, size);
    } else {
        cursor->is_bad = true;
        return 0;
    }
    unsigned relation = encoding & RELATION;
    if (encoding & DW_EH_PE_indirect ||
        (relation && relation != DW_EH_PE_pcrel && relation != DW_EH_PE_datarel))
        cursor->is_bad = true;
    if (relation == DW_EH_PE_pcrel)
        value += from;
    else if (relation == DW_EH_PE_datarel)
        value += base;
    return value;
}

void loupe_dwarf_skip(struct loupe_dwarf_cursor *cursor, uint64_t size) {
    if (cursor->is_bad || cursor->at > cursor->end || size > cursor->end - cursor->at)
        cursor->is_bad = true;
    else
        cursor->at += size;
}
