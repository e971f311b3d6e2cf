#include "base/memory.h"

enum { PAGES_PER_PIECE = LOUPE_PIECE_SIZE / LOUPE_PAGE_SIZE, ALL_PAGES = 0xffff };

_Static_assert(PAGES_PER_PIECE == 16, "the page sets of a piece are uint16_t");

/* One aligned stretch of target memory. Bit i of the sets speaks of its i-th page. */
struct loupe_piece {
    uint8_t *bytes; /* LOUPE_PIECE_SIZE of them; those of readable pages are filled */
    uint16_t tried;
    uint16_t readable;
};

/* ---- Life ---- */

void loupe_memory_init(struct loupe_memory *memory, const struct loupe_reader_ops *ops, void *ctx,
                       struct loupe_machine machine, const struct loupe_chunk_ops *chunks) {
    *memory =
        (struct loupe_memory){.ops = ops, .ctx = ctx, .machine = machine, .bytes_left = UINT64_MAX};
    loupe_arena_init(&memory->cache, chunks);
    loupe_map_init(&memory->piece_index, chunks);
}

void loupe_memory_deinit(struct loupe_memory *memory) {
    loupe_map_deinit(&memory->piece_index);
    loupe_arena_deinit(&memory->cache);
}

void loupe_memory_forget(struct loupe_memory *memory) {
    const struct loupe_chunk_ops *chunks = memory->cache.chunks;
    loupe_memory_deinit(memory);
    loupe_arena_init(&memory->cache, chunks);
    loupe_map_init(&memory->piece_index, chunks);
    memory->pieces = NULL;
    memory->piece_count = memory->piece_capacity = memory->fetches = 0;
    memory->window = (struct loupe_window){0};
}

/* ---- Asking the reader ---- */

static enum loupe_status ask_reader(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                    size_t len) {
    if (len > memory->bytes_left)
        return LOUPE_ELIMIT;
    enum loupe_status status = memory->ops->read(memory->ctx, addr, dst, len);
    memory->reads++;
    if (status)
        return status;
    memory->bytes += len;
    memory->bytes_left -= len;
    return LOUPE_OK;
}

/* ---- Pieces ---- */

static enum loupe_status add_piece(struct loupe_memory *memory, uint64_t number,
                                   struct loupe_piece *piece) {
    if (memory->piece_count == memory->piece_capacity) {
        uint32_t capacity = memory->piece_capacity ? memory->piece_capacity * 2 : 64;
        struct loupe_piece **larger =
            loupe_arena_alloc_array(&memory->cache, capacity, sizeof(struct loupe_piece *));
        if (!larger)
            return LOUPE_ENOMEM;
        if (memory->piece_count)
            memcpy(larger, memory->pieces, memory->piece_count * sizeof(struct loupe_piece *));
        memory->pieces = larger;
        memory->piece_capacity = capacity;
    }
    memory->pieces[memory->piece_count] = piece;
    return loupe_map_put(&memory->piece_index, number, memory->piece_count++);
}

/* Target memory [start, end) to fetch with one read; it lies in `count` pieces from `first` on. */
struct run {
    uint64_t first;
    uint32_t count;
    loupe_addr start, end;
};

/*
 * How many pieces the next read may fetch. Small questions move little; after a few megabytes a
 * question has proved large and what counts is the number of reads.
 */
static uint32_t run_length(const struct loupe_memory *memory) {
    uint32_t doublings = memory->fetches / 8;
    return doublings >= 4 ? LOUPE_MAX_RUN : 1u << doublings;
}

static bool is_cached(const struct loupe_memory *memory, uint64_t number) {
    uint32_t index;
    return loupe_map_find(&memory->piece_index, number, &index);
}

/* The run that starts with the piece of addr and stays in addr's region. False: unreadable. */
static bool plan_run(const struct loupe_memory *memory, loupe_addr addr, struct run *run) {
    uint64_t first = addr / LOUPE_PIECE_SIZE;
    loupe_addr start = first * LOUPE_PIECE_SIZE;
    *run =
        (struct run){.first = first, .count = 1, .start = start, .end = start + LOUPE_PIECE_SIZE};
    if (!memory->ops->region)
        return true;
    loupe_addr region_start, region_end;
    if (!memory->ops->region(memory->ctx, addr, &region_start, &region_end))
        return false;
    uint32_t longest = run_length(memory);
    while (run->count < longest && run->end < region_end && run->end > start &&
           !is_cached(memory, first + run->count)) {
        run->count++;
        run->end += LOUPE_PIECE_SIZE;
    }
    if (run->start < region_start)
        run->start = region_start;
    if (run->end > region_end || run->end < start)
        run->end = region_end;
    return true;
}

/* The pages of a piece that lie inside [start, end). */
static uint16_t pages_inside(loupe_addr piece_start, loupe_addr start, loupe_addr end) {
    unsigned pages = 0;
    for (unsigned i = 0; i < PAGES_PER_PIECE; i++) {
        loupe_addr page = piece_start + i * LOUPE_PAGE_SIZE;
        if (page >= start && page + (LOUPE_PAGE_SIZE - 1) <= end - 1)
            pages |= 1u << i;
    }
    return (uint16_t)pages;
}

/* Fetches a run with one read and adds its pieces; a failed read leaves their pages untried. */
static enum loupe_status fetch_run(struct loupe_memory *memory, const struct run *run) {
    struct loupe_piece *pieces =
        loupe_arena_alloc_array(&memory->cache, run->count, sizeof(*pieces));
    uint8_t *bytes = loupe_arena_alloc_array(&memory->cache, run->count, LOUPE_PIECE_SIZE);
    if (!pieces || !bytes)
        return LOUPE_ENOMEM;
    loupe_addr base = run->first * LOUPE_PIECE_SIZE;
    memory->fetches++;
    enum loupe_status status = ask_reader(memory, run->start, bytes + (run->start - base),
                                          (size_t)(run->end - run->start));
    if (status != LOUPE_OK && status != LOUPE_EFAULT && status != LOUPE_ELIMIT)
        return status;
    for (uint32_t i = 0; i < run->count; i++) {
        loupe_addr start = base + (loupe_addr)i * LOUPE_PIECE_SIZE;
        pieces[i].bytes = bytes + (size_t)i * LOUPE_PIECE_SIZE;
        if (!status)
            pieces[i].tried = pieces[i].readable = pages_inside(start, run->start, run->end);
        enum loupe_status added = add_piece(memory, run->first + i, &pieces[i]);
        if (added)
            return added;
    }
    return LOUPE_OK;
}

/* The piece that holds addr, fetched if it is new. */
static enum loupe_status find_piece(struct loupe_memory *memory, loupe_addr addr,
                                    struct loupe_piece **ret) {
    uint64_t number = addr / LOUPE_PIECE_SIZE;
    uint32_t index;
    if (!loupe_map_find(&memory->piece_index, number, &index)) {
        struct run run;
        if (!plan_run(memory, addr, &run))
            return LOUPE_EFAULT;
        index = memory->piece_count;
        enum loupe_status status = fetch_run(memory, &run);
        if (status)
            return status;
    }
    *ret = memory->pieces[index];
    return LOUPE_OK;
}

static enum loupe_status fetch_page(struct loupe_memory *memory, struct loupe_piece *piece,
                                    loupe_addr addr) {
    unsigned page = (unsigned)(addr / LOUPE_PAGE_SIZE % PAGES_PER_PIECE);
    uint16_t bit = (uint16_t)(1u << page);
    if (!(piece->tried & bit)) {
        enum loupe_status status =
            ask_reader(memory, addr / LOUPE_PAGE_SIZE * LOUPE_PAGE_SIZE,
                       piece->bytes + page * LOUPE_PAGE_SIZE, LOUPE_PAGE_SIZE);
        if (status != LOUPE_OK && status != LOUPE_EFAULT)
            return status;
        piece->tried |= bit;
        if (!status)
            piece->readable |= bit;
    }
    return piece->readable & bit ? LOUPE_OK : LOUPE_EFAULT;
}

/* ---- Windows ---- */

/* Moves the window to where addr is, over as much as is known to be readable there. */
static enum loupe_status move_window(struct loupe_memory *memory, loupe_addr addr) {
    struct loupe_window window;
    if (memory->ops->window && memory->ops->window(memory->ctx, addr, &window)) {
        memory->window = window;
        return LOUPE_OK;
    }
    struct loupe_piece *piece;
    enum loupe_status status = find_piece(memory, addr, &piece);
    if (!status)
        status = fetch_page(memory, piece, addr);
    if (status)
        return status;
    size_t unit = piece->readable == ALL_PAGES ? LOUPE_PIECE_SIZE : LOUPE_PAGE_SIZE;
    loupe_addr start = addr / unit * unit;
    memory->window = (struct loupe_window){
        .start = start, .end = start + unit, .bytes = piece->bytes + start % LOUPE_PIECE_SIZE};
    return LOUPE_OK;
}

/* ---- Reading ---- */

/*
 * What to do where a page cannot be had: its region may be partly there, as the stack of a
 * minidump, which starts in the middle of a page. Asks for no more than what is wanted of that
 * page.
 */
static enum loupe_status read_within_page(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                          size_t len) {
    loupe_addr start, end;
    if (!memory->ops->region || !memory->ops->region(memory->ctx, addr, &start, &end))
        return LOUPE_EFAULT;
    return ask_reader(memory, addr, dst, len);
}

enum loupe_status loupe_memory_read(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                    size_t len) {
    if (len && addr > UINT64_MAX - len)
        return LOUPE_EFAULT;
    uint8_t *out = dst;
    while (len) {
        enum loupe_status status =
            loupe_memory_peek(memory, addr, 1) ? LOUPE_OK : move_window(memory, addr);
        loupe_addr end = status ? (addr | (LOUPE_PAGE_SIZE - 1)) + 1 : memory->window.end;
        size_t part = end - addr < len ? (size_t)(end - addr) : len;
        if (!status)
            memcpy(out, memory->window.bytes + (addr - memory->window.start), part);
        else if (status == LOUPE_EFAULT)
            status = read_within_page(memory, addr, out, part);
        if (status)
            return status;
        addr += part;
        out += part;
        len -= part;
    }
    return LOUPE_OK;
}

const uint8_t *loupe_memory_view(struct loupe_memory *memory, loupe_addr addr, size_t len,
                                 void *bounce) {
    const uint8_t *bytes = loupe_memory_peek(memory, addr, len);
    if (!bytes && len && !move_window(memory, addr))
        bytes = loupe_memory_peek(memory, addr, len);
    if (bytes)
        return bytes;
    return loupe_memory_read(memory, addr, bounce, len) ? NULL : bounce;
}

enum loupe_status loupe_memory_read_u32(struct loupe_memory *memory, loupe_addr addr,
                                        uint32_t *ret) {
    uint32_t value;
    enum loupe_status status = loupe_memory_read(memory, addr, &value, sizeof(value));
    if (!status)
        *ret = value;
    return status;
}

enum loupe_status loupe_memory_read_u64(struct loupe_memory *memory, loupe_addr addr,
                                        uint64_t *ret) {
    uint64_t value;
    enum loupe_status status = loupe_memory_read(memory, addr, &value, sizeof(value));
    if (!status)
        *ret = value;
    return status;
}

enum loupe_status loupe_memory_read_word_anywhere(struct loupe_memory *memory, loupe_addr addr,
                                                  uint64_t *ret) {
    if (memory->machine.pointer_size == 8)
        return loupe_memory_read_u64(memory, addr, ret);
    uint32_t value;
    enum loupe_status status = loupe_memory_read_u32(memory, addr, &value);
    if (!status)
        *ret = value;
    return status;
}

enum loupe_status loupe_memory_read_pointer(struct loupe_memory *memory, loupe_addr addr,
                                            loupe_addr *ret) {
    uint64_t word;
    enum loupe_status status = loupe_memory_read_word(memory, addr, &word);
    if (!status)
        *ret = loupe_memory_strip(memory, word);
    return status;
}

enum loupe_status loupe_memory_read_string(struct loupe_memory *memory, loupe_addr addr, char *dst,
                                           size_t cap, size_t *length_ret) {
    for (size_t length = 0; length < cap; length++) {
        enum loupe_status status = loupe_memory_read(memory, addr + length, dst + length, 1);
        if (status)
            return status;
        if (!dst[length]) {
            if (length_ret)
                *length_ret = length;
            return LOUPE_OK;
        }
    }
    if (cap)
        dst[cap - 1] = '\0';
    return LOUPE_ELIMIT;
}

/* ---- What else the reader can tell ---- */

loupe_addr loupe_memory_strip(const struct loupe_memory *memory, loupe_addr addr) {
    return memory->ops->strip ? memory->ops->strip(memory->ctx, addr) : addr;
}

bool loupe_memory_interrupted(const struct loupe_memory *memory) {
    return memory->ops->interrupted && memory->ops->interrupted(memory->ctx);
}

enum loupe_status loupe_memory_find_symbol(const struct loupe_memory *memory, const char *name,
                                           loupe_addr *ret) {
    if (!memory->ops->find_symbol)
        return LOUPE_EFAULT;
    return memory->ops->find_symbol(memory->ctx, name, ret);
}

bool loupe_memory_name_address(const struct loupe_memory *memory, loupe_addr addr, char *dst,
                               size_t cap, uint64_t *offset_ret) {
    dst[0] = '\0';
    return memory->ops->name_address &&
           memory->ops->name_address(memory->ctx, addr, dst, cap, offset_ret) == LOUPE_OK;
}
