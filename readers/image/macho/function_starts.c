/* Where functions begin, as Mach-O lists it: the distance of each from the one before, the first
 * from the header. */

#include "image/image.h"

bool loupe_function_starts_find(struct loupe_memory *memory, struct loupe_range list,
                                loupe_addr start, loupe_addr addr, loupe_addr *ret) {
    loupe_addr at = list.start;
    bool found = false;
    while (at < list.end) {
        uint64_t distance = 0;
        uint8_t bounce, byte;
        unsigned bits = 0;
        do {
            const uint8_t *bytes = loupe_memory_view(memory, at++, 1, &bounce);
            if (!bytes)
                return false;
            byte = *bytes;
            distance |= bits < 64 ? (uint64_t)(byte & 0x7f) << bits : 0;
            bits += 7;
        } while (byte & 0x80 && at < list.end);
        if (!distance || start + distance > addr || start + distance < start)
            break;
        start += distance;
        *ret = start;
        found = true;
    }
    return found;
}
