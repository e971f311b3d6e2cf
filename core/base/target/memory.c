#include "base/target/memory.h"

enum {
    PAGES_PER_PIECE = LOUPE_PIECE_SIZE / LOUPE_PAGE_SIZE,
    SHORT_READS = 8 /* reads of one piece after a longer one has failed */
};

/* ---- Life ---- */

bool loupe_no_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret) {
    (void)ctx;
    (void)addr;
    (void)start_ret;
    (void)end_ret;
    return false;
}

void loupe_memory_init(struct loupe_memory *memory, const struct loupe_reader_ops *ops, void *ctx,
                       struct loupe_machine machine, const struct loupe_chunk_ops *chunks) {
    *memory =
        (struct loupe_memory){.ops = ops, .ctx = ctx, .machine = machine, .bytes_left = UINT64_MAX};
    loupe_pieces_init(&memory->pieces, chunks);
}

void loupe_memory_deinit(struct loupe_memory *memory) {
    loupe_pieces_deinit(&memory->pieces);
}

void loupe_memory_forget(struct loupe_memory *memory) {
    const struct loupe_chunk_ops *chunks = memory->pieces.arena.chunks;
    loupe_pieces_deinit(&memory->pieces);
    loupe_pieces_init(&memory->pieces, chunks);
    memory->short_reads = 0;
    memory->window = (struct loupe_window){0};
}

/* ---- What is left out ---- */

void loupe_memory_leave_out_stack(struct loupe_memory *memory, loupe_addr end) {
    end -= end % sizeof(uint64_t);
    memory->unused_start = end > LOUPE_UNUSED_STACK ? end - LOUPE_UNUSED_STACK : 0;
    memory->unused_end = end;
    memory->window = (struct loupe_window){0};
}

/* The part of a window around addr, which is not left out, that holds nothing left out. */
static struct loupe_window used_part(const struct loupe_memory *memory, struct loupe_window window,
                                     loupe_addr addr) {
    if (addr < memory->unused_start && window.end > memory->unused_start)
        window.end = memory->unused_start;
    if (addr >= memory->unused_end && window.start < memory->unused_end) {
        window.bytes += memory->unused_end - window.start;
        window.start = memory->unused_end;
    }
    return window;
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

/* Target memory [start, end) to fetch with one read; it lies in `count` pieces from `base` on. */
struct run {
    loupe_addr base;
    uint32_t count;
    loupe_addr start, end;
    bool by_page; /* only the page that is wanted, for now */
};

/*
 * How many pieces the next read may fetch, 0 for a page. A walk over objects that are far apart
 * needs a page for each; where a good part of a region was needed, the rest of it will be, and what
 * counts is the number of reads.
 */
static uint32_t run_length(const struct loupe_memory *memory, loupe_addr addr,
                           loupe_addr region_start, loupe_addr region_end) {
    enum { SOME = 8, MANY = 4 }; /* an eighth, a quarter of the region's part in this cell */
    loupe_addr start = addr / LOUPE_CELL_SIZE * LOUPE_CELL_SIZE;
    loupe_addr last = start + (LOUPE_CELL_SIZE - 1);
    start = region_start > start ? region_start : start;
    last = region_end - 1 < last ? region_end - 1 : last;
    uint32_t have = loupe_pieces_count(&memory->pieces, start, last);
    uint64_t all = last / LOUPE_PIECE_SIZE - start / LOUPE_PIECE_SIZE + 1;
    if (have < all / SOME)
        return 0;
    if (memory->short_reads)
        return 1;
    return have < all / MANY ? LOUPE_MAX_RUN / 4 : LOUPE_MAX_RUN;
}

/* Whether a run may go on with the piece at addr: cells are fetched one by one. */
static bool can_go_on(const struct loupe_memory *memory, loupe_addr addr) {
    return addr % LOUPE_CELL_SIZE != 0 && !loupe_pieces_find(&memory->pieces, addr);
}

/* The run that starts with the piece of addr and stays in addr's region. False: unreadable. */
static bool plan_run(const struct loupe_memory *memory, loupe_addr addr, struct run *run) {
    loupe_addr start = addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE;
    *run = (struct run){.base = start,
                        .count = 1,
                        .start = start,
                        .end = start + LOUPE_PIECE_SIZE,
                        .by_page = memory->page_reads > 0};
    if (!memory->ops->region)
        return true;
    loupe_addr region_start, region_end;
    if (!memory->ops->region(memory->ctx, addr, &region_start, &region_end))
        return false;
    uint32_t longest = run_length(memory, addr, region_start, region_end);
    run->by_page |= longest == 0;
    while (run->count < longest && run->end < region_end && can_go_on(memory, run->end)) {
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

/* Cuts a run to its first piece. */
static void cut_run(struct run *run) {
    run->count = 1;
    if (run->end - run->base > LOUPE_PIECE_SIZE)
        run->end = run->base + LOUPE_PIECE_SIZE;
}

/* Adds the pieces of a run, with the pages that one read has filled; the others stay untried. */
static enum loupe_status add_run(struct loupe_memory *memory, const struct run *run, uint8_t *bytes,
                                 bool filled) {
    for (uint32_t i = 0; i < run->count; i++) {
        size_t offset = (size_t)i * LOUPE_PIECE_SIZE;
        struct loupe_piece piece = {.bytes = bytes + offset, .has_holes = !filled};
        if (filled)
            piece.tried = piece.readable = pages_inside(run->base + offset, run->start, run->end);
        enum loupe_status status = loupe_pieces_add(&memory->pieces, run->base + offset, &piece);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

/*
 * Fetches a run with one read. When that fails, a long run is not there throughout and the next
 * ones are short; what a single piece has is found out page by page.
 */
static enum loupe_status fetch_run(struct loupe_memory *memory, struct run *run) {
    for (;;) {
        uint8_t *bytes = loupe_pieces_room(&memory->pieces, run->base, run->count);
        if (!bytes)
            return LOUPE_ENOMEM;
        memory->short_reads -= memory->short_reads > 0;
        enum loupe_status status = ask_reader(memory, run->start, bytes + (run->start - run->base),
                                              (size_t)(run->end - run->start));
        if (status != LOUPE_OK && status != LOUPE_EFAULT && status != LOUPE_ELIMIT)
            return status;
        if (!status || run->count == 1)
            return add_run(memory, run, bytes, !status);
        cut_run(run);
        memory->short_reads = SHORT_READS;
    }
}

/* Adds a piece of which nothing is fetched yet. */
static enum loupe_status add_untried(struct loupe_memory *memory, const struct run *run) {
    struct loupe_piece piece = {.bytes = loupe_pieces_room(&memory->pieces, run->base, 1)};
    return piece.bytes ? loupe_pieces_add(&memory->pieces, run->base, &piece) : LOUPE_ENOMEM;
}

/* The piece that holds addr, fetched if it is new or left empty while the question may be small. */
static enum loupe_status find_piece(struct loupe_memory *memory, loupe_addr addr,
                                    struct loupe_piece **ret) {
    *ret = loupe_pieces_find(&memory->pieces, addr);
    if (*ret)
        return LOUPE_OK;
    struct run run;
    if (!plan_run(memory, addr, &run))
        return LOUPE_EFAULT;
    enum loupe_status status = run.by_page ? add_untried(memory, &run) : fetch_run(memory, &run);
    if (!status)
        *ret = loupe_pieces_find(&memory->pieces, addr);
    return status;
}

/*
 * The pages [*first, *end) of a piece that one read is to fetch: addr's, and around it, once the
 * question has proved large and this is not the first page that it needs here, the untried ones of
 * the same region. False: addr's is known to be unreadable.
 */
static bool plan_pages(const struct loupe_memory *memory, const struct loupe_piece *piece,
                       loupe_addr addr, unsigned *first, unsigned *end) {
    loupe_addr region_start, region_end, start = addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE;
    *first = (unsigned)((addr - start) / LOUPE_PAGE_SIZE);
    *end = *first + 1;
    if (!memory->ops->region)
        return true;
    if (!memory->ops->region(memory->ctx, addr, &region_start, &region_end))
        return false;
    if (piece->has_holes || memory->page_reads || !piece->tried)
        return true;
    unsigned free = pages_inside(start, region_start, region_end) & ~(unsigned)piece->tried;
    while (*first > 0 && free >> (*first - 1) & 1)
        --*first;
    while (*end < PAGES_PER_PIECE && free >> *end & 1)
        ++*end;
    return true;
}

/* Reads the pages [first, end) of the piece at start. Only of a single one a failure is kept. */
static enum loupe_status read_pages(struct loupe_memory *memory, struct loupe_piece *piece,
                                    loupe_addr start, unsigned first, unsigned end) {
    size_t offset = (size_t)first * LOUPE_PAGE_SIZE;
    uint16_t set = (uint16_t)((1u << end) - (1u << first));
    enum loupe_status status = ask_reader(memory, start + offset, piece->bytes + offset,
                                          (size_t)(end - first) * LOUPE_PAGE_SIZE);
    if (!status) {
        piece->readable |= set;
        loupe_pieces_filled(&memory->pieces, start, piece);
    }
    if (!status || (status == LOUPE_EFAULT && end - first == 1))
        piece->tried |= set;
    return status;
}

static enum loupe_status fetch_page(struct loupe_memory *memory, struct loupe_piece *piece,
                                    loupe_addr addr) {
    loupe_addr start = addr / LOUPE_PIECE_SIZE * LOUPE_PIECE_SIZE;
    unsigned page = (unsigned)((addr - start) / LOUPE_PAGE_SIZE);
    if (piece->tried >> page & 1)
        return piece->readable >> page & 1 ? LOUPE_OK : LOUPE_EFAULT;
    unsigned first, end;
    if (!plan_pages(memory, piece, addr, &first, &end)) {
        piece->tried |= (uint16_t)(1u << page);
        return LOUPE_EFAULT;
    }
    memory->page_reads -= memory->page_reads > 0;
    enum loupe_status status = read_pages(memory, piece, start, first, end);
    if ((status == LOUPE_EFAULT || status == LOUPE_ELIMIT) && end - first > 1) {
        piece->has_holes = true;
        status = read_pages(memory, piece, start, page, page + 1);
    }
    return status;
}

/* ---- Windows ---- */

/* Moves the window to where addr is, over as much as is known to be readable there. */
static enum loupe_status move_window(struct loupe_memory *memory, loupe_addr addr) {
    enum { MOVES_BETWEEN_CHECKS = 256 };
    struct loupe_window window;
    if (memory->phase != LOUPE_PHASE_SEARCH &&
        (memory->late ||
         (++memory->moves % MOVES_BETWEEN_CHECKS == 0 && loupe_memory_interrupted(memory))))
        return LOUPE_ETIMEOUT;
    if (loupe_memory_is_left_out(memory, addr))
        return LOUPE_EFAULT;
    if (memory->ops->window && memory->ops->window(memory->ctx, addr, &window)) {
        memory->window = used_part(memory, window, addr);
        return LOUPE_OK;
    }
    struct loupe_piece *piece;
    enum loupe_status status = find_piece(memory, addr, &piece);
    if (!status)
        status = fetch_page(memory, piece, addr);
    if (status)
        return status;
    memory->window = used_part(memory, loupe_pieces_window(&memory->pieces, addr, piece), addr);
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
    if (addr < memory->unused_end && addr + len > memory->unused_start)
        return LOUPE_EFAULT;
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

/* The piece of an address whose page was fetched; NULL: it was not. */
static const struct loupe_piece *fetched_piece(const struct loupe_memory *memory, loupe_addr addr) {
    const struct loupe_piece *piece = loupe_pieces_find(&memory->pieces, addr);
    unsigned page = (unsigned)(addr % LOUPE_PIECE_SIZE / LOUPE_PAGE_SIZE);
    return piece && piece->readable >> page & 1 ? piece : NULL;
}

/* Moves the window to an address that is not left out, if its memory is at hand. */
static bool show_at_hand(struct loupe_memory *memory, loupe_addr addr) {
    struct loupe_window window;
    if (loupe_memory_peek(memory, addr, 1))
        return true;
    if (!memory->ops->window || !memory->ops->window(memory->ctx, addr, &window)) {
        const struct loupe_piece *piece = fetched_piece(memory, addr);
        if (!piece)
            return false;
        window = loupe_pieces_window(&memory->pieces, addr, piece);
    }
    memory->window = used_part(memory, window, addr);
    return true;
}

/* How many of len bytes from an address on, which is not at hand, no page has that was fetched. */
static size_t length_to_ask_for(const struct loupe_memory *memory, loupe_addr addr, size_t len) {
    size_t part = LOUPE_PAGE_SIZE - addr % LOUPE_PAGE_SIZE;
    while (part < len && !fetched_piece(memory, addr + part))
        part += LOUPE_PAGE_SIZE;
    return part < len ? part : len;
}

loupe_addr loupe_memory_skip_pages(struct loupe_memory *memory, loupe_addr at, loupe_addr end) {
    uint8_t byte;
    while (at < end) {
        loupe_addr zeroes =
            loupe_memory_zeroes_end(memory, at) & ~(loupe_addr)(LOUPE_PAGE_SIZE - 1);
        if (zeroes <= at && loupe_memory_read(memory, at, &byte, 1) != LOUPE_EFAULT)
            return at;
        loupe_addr next = zeroes > at ? zeroes : at + LOUPE_PAGE_SIZE;
        at = next > at && next < end ? next : end;
    }
    return at;
}

enum loupe_status loupe_memory_read_once(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                         size_t len) {
    uint8_t *out = dst;
    if (len && (addr > UINT64_MAX - len ||
                (addr < memory->unused_end && addr + len > memory->unused_start)))
        return LOUPE_EFAULT;
    for (size_t part; len; addr += part, out += part, len -= part) {
        if (show_at_hand(memory, addr)) {
            uint64_t left = memory->window.end - addr;
            part = left < len ? (size_t)left : len;
            memcpy(out, memory->window.bytes + (addr - memory->window.start), part);
            continue;
        }
        part = length_to_ask_for(memory, addr, len);
        enum loupe_status status = ask_reader(memory, addr, out, part);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_memory_read_few(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                        size_t len) {
    return memory->ops->calls_are_cheap ? loupe_memory_read_once(memory, addr, dst, len)
                                        : loupe_memory_read(memory, addr, dst, len);
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

bool loupe_memory_line_of_address(const struct loupe_memory *memory, loupe_addr addr, char *path,
                                  size_t cap, uint32_t *line_ret) {
    *path = '\0';
    return memory->ops->line_of_address &&
           memory->ops->line_of_address(memory->ctx, addr, path, cap, line_ret);
}

bool loupe_memory_line_of_ivar(const struct loupe_memory *memory, struct loupe_span class_name,
                               struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret) {
    *path = '\0';
    return memory->ops->line_of_ivar &&
           memory->ops->line_of_ivar(memory->ctx, class_name, ivar, path, cap, line_ret);
}

loupe_addr loupe_memory_strip(const struct loupe_memory *memory, loupe_addr addr) {
    return memory->ops->strip ? memory->ops->strip(memory->ctx, addr) : addr;
}

/* ---- Time ---- */

static uint64_t clock_of(const struct loupe_memory *memory) {
    return memory->ops->microseconds ? memory->ops->microseconds(memory->ctx) : 0;
}

void loupe_memory_set_limit(struct loupe_memory *memory, uint64_t microseconds) {
    memory->started = clock_of(memory);
    memory->limit = memory->ops->microseconds ? microseconds : 0;
    memory->unwanted = false;
    memory->reserved = 0;
    loupe_memory_begin_phase(memory, LOUPE_PHASE_WALK);
}

void loupe_memory_begin_phase(struct loupe_memory *memory, enum loupe_phase phase) {
    static const uint64_t percents[] = {
        [LOUPE_PHASE_WALK] = 85, [LOUPE_PHASE_SEARCH] = 85, [LOUPE_PHASE_REPORT] = 100};
    enum { PATIENCE = 100000 }; /* microseconds for each phase, once it is unwanted */
    memory->phase = phase;
    memory->late = false;
    memory->phase_end = 0;
    if (memory->limit) /* a clock may begin at 0, which says that there is no end */
        memory->phase_end = memory->started + memory->limit / 100 * percents[phase] + 1;
    if (memory->unwanted && memory->ops->microseconds) {
        uint64_t end = clock_of(memory) + PATIENCE;
        if (!memory->phase_end || end < memory->phase_end)
            memory->phase_end = end;
    }
}

bool loupe_memory_interrupted(struct loupe_memory *memory) {
    if (memory->late)
        return true;
    if (!memory->unwanted && memory->ops->interrupted && memory->ops->interrupted(memory->ctx))
        memory->late = memory->unwanted = true;
    uint64_t reserved = memory->phase == LOUPE_PHASE_WALK ? memory->reserved : 0;
    if (memory->phase_end && clock_of(memory) + reserved >= memory->phase_end)
        memory->late = true;
    if (memory->late && memory->phase != LOUPE_PHASE_SEARCH)
        memory->window = (struct loupe_window){0};
    return memory->late;
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
