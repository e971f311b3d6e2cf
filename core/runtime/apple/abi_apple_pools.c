/*
 * Autorelease pools: AutoreleasePoolPage of objc4-818 NSObject-internal.h, 64-bit. Pages of a
 * thread are a list; entries stand from behind the header to `next`, nil where a pool begins. An
 * object that was autoreleased several times in a row is one entry with a count in its top 16 bits.
 */
#include "runtime/apple/abi_apple.h"

#include <string.h>

enum { NEXT = 16, PARENT = 32, CHILD = 40, HEADER = 56, LARGEST_PAGE = 16384, COUNT_SHIFT = 48 };

static const uint8_t magic[16] = {0xa1, 0xa1, 0xa1, 0xa1, 'A', 'U', 'T', 'O',
                                  'R',  'E',  'L',  'E',  'A', 'S', 'E', '!'};

bool apple_pool_page(struct loupe_target *target, loupe_addr page, struct loupe_pool_page *ret) {
    uint8_t header[HEADER];
    loupe_addr next;
    if (target->memory->machine.pointer_size != 8 ||
        loupe_memory_read(target->memory, page, header, sizeof(header)) ||
        memcmp(header, magic, sizeof(magic)) != 0)
        return false;
    memcpy(&next, header + NEXT, sizeof(next));
    if (next < page + HEADER || next > page + LARGEST_PAGE)
        return false;
    *ret = (struct loupe_pool_page){.start = page + HEADER,
                                    .end = next,
                                    .parent_place = page + PARENT,
                                    .child_place = page + CHILD,
                                    .address_mask = (UINT64_C(1) << COUNT_SHIFT) - 1,
                                    .count_shift = COUNT_SHIFT};
    memcpy(&ret->parent, header + PARENT, sizeof(ret->parent));
    memcpy(&ret->child, header + CHILD, sizeof(ret->child));
    return true;
}
