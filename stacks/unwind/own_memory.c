#include "unwind/own_memory.h"

#include "memory/machine.h"
#include "memory/regions.h"

/* ---- The thread's own stack ---- */

enum { PAGE = 4096, MOST_PAGES = 16 /* that are tried at once */ };

static bool can_read(loupe_addr start, loupe_addr end) {
    uint8_t byte;
    for (; start < end; start += PAGE)
        if (loupe_regions_copy(start, &byte, 1))
            return false;
    return true;
}

/* A frame that is not far above what is known of the stack: the pages up to there may be more of
 * it. */
static bool stack_reaches(struct loupe_own_memory *own, loupe_addr addr) {
    struct loupe_range *stack = &own->stack;
    loupe_addr end = addr / PAGE * PAGE + PAGE;
    if (addr < stack->start || stack->start == stack->end)
        return false;
    if (addr < stack->end)
        return true;
    if (end - stack->end > MOST_PAGES * PAGE || !can_read(stack->end, end))
        return false;
    stack->end = end;
    return true;
}

void loupe_own_memory_use_stack(struct loupe_own_memory *own, loupe_addr sp,
                                struct loupe_range proved) {
    loupe_addr start = sp / PAGE * PAGE;
    own->stack = (struct loupe_range){.start = start, .end = start + PAGE};
    if (sp >= proved.start && sp < proved.end)
        own->stack = proved;
    else if (start < proved.start && proved.start - start <= MOST_PAGES * PAGE &&
             can_read(start + PAGE, proved.start))
        own->stack.end = proved.end;
}

/* ---- A memory that keeps nothing but one piece ---- */

/* A window over the piece that holds addr; it lasts until the next one is opened, which is as long
 * as loupe_memory_view() promises. */
static bool open_window(void *ctx, loupe_addr addr, struct loupe_window *ret) {
    struct loupe_own_memory *own = ctx;
    if (stack_reaches(own, addr)) {
        *ret = (struct loupe_window){.start = own->stack.start,
                                     .end = own->stack.end,
                                     .bytes = (const uint8_t *)(uintptr_t)own->stack.start};
        return true;
    }
    loupe_addr start = addr & ~(loupe_addr)(own->piece_size - 1);
    if (loupe_regions_copy(start, own->piece, own->piece_size))
        return false;
    *ret =
        (struct loupe_window){.start = start, .end = start + own->piece_size, .bytes = own->piece};
    return true;
}

static const struct loupe_reader_ops own_ops = {
    .read = loupe_own_read,
    .window = open_window,
    .region = loupe_no_region,
#if defined(__aarch64__)
    .strip = loupe_own_strip,
#endif
};

void loupe_own_memory_init(struct loupe_own_memory *own, uint8_t *piece, size_t piece_size) {
    own->piece = piece;
    own->piece_size = piece_size;
    own->stack = (struct loupe_range){0};
    loupe_memory_init(&own->memory, &own_ops, own, loupe_own_machine, NULL);
}
