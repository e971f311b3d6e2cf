/*
 * memory.h - the only door between the core and the target's memory.
 *
 * "Target" is the process whose objects we examine: another process or a core file
 * (plugin/target_reader.cpp), the process we run in (helper/self_reader.c), a heap drawn by a test
 * (tests/support/memory/drawn_heap.c). The core cannot tell which. Target and host are little
 * endian.
 *
 * What every reader promises:
 *  - read() fills all of dst and returns LOUPE_OK, or returns a failure and leaves dst unspecified.
 *    It never returns part of a range. It is called with len > 0 and a range that does not wrap.
 *  - It takes no lock that the target may hold and allocates nothing from the target's heap.
 *  - The target stands still from the start of a question to its end, but for the memory that
 *    loupe_memory_leave_out_stack() names.
 *
 * What loupe_memory adds, once for all readers: memory fetched in large pieces and kept (if the
 * host likes, by pages at first); a piece that cannot be had whole is fetched by pages; ranges that
 * cross pieces; a budget; counts for reports. The host owns the reader and keeps it alive. Not
 * thread safe.
 */
#ifndef LOUPE_MEMORY_H
#define LOUPE_MEMORY_H

#include "base/target/pieces.h"
#include "base/target/process.h"

#include <string.h>

enum {
    LOUPE_MAX_RUN = 16,             /* pieces that one read fetches where much was needed already */
    LOUPE_UNUSED_STACK = 64 * 1024, /* bytes below a stack pointer that are left out */
    LOUPE_RED_ZONE = 128 /* bytes below it that most 64-bit programs may use all the same */
};

enum loupe_arch { LOUPE_ARCH_UNKNOWN, LOUPE_ARCH_X86_64, LOUPE_ARCH_ARM64, LOUPE_ARCH_OTHER };

/* What is true of the whole target. */
struct loupe_machine {
    uint8_t pointer_size; /* 4 or 8 */
    enum loupe_arch arch; /* LOUPE_ARCH_OTHER for every 32-bit one */
    bool no_red_zone;     /* as on arm64, but for Apple's: nothing below a stack pointer is used */
};

struct loupe_reader_ops {
    enum loupe_status (*read)(void *ctx, loupe_addr addr, void *dst, size_t len);
    /* The following may be NULL. */

    /* A window around addr, valid until the question ends. False: use read(). */
    bool (*window)(void *ctx, loupe_addr addr, struct loupe_window *ret);
    /*
     * The region of one protection around addr, page aligned: *end_ret excludes its end. False when
     * addr is known to be unreadable. NULL: nothing is known, every read is a try.
     */
    bool (*region)(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret);
    /* The address of a symbol, local ones too, by its C name (no leading underscore of Mach-O). */
    enum loupe_status (*find_symbol)(void *ctx, const char *name, loupe_addr *ret);
    /* The symbol that covers addr, by its C name, cut to cap - 1 bytes, and addr's offset in it. */
    enum loupe_status (*name_address)(void *ctx, loupe_addr addr, char *dst, size_t cap,
                                      uint64_t *offset_ret);
    /* The line of source that the code at addr was made from, its path cut to cap - 1 bytes. False:
     * nothing tells. */
    bool (*line_of_address)(void *ctx, loupe_addr addr, char *path, size_t cap, uint32_t *line_ret);
    /* The line of source in which a class declares an ivar, the same way. */
    bool (*line_of_ivar)(void *ctx, struct loupe_span class_name, struct loupe_span ivar,
                         char *path, size_t cap, uint32_t *line_ret);
    /* addr without its pointer signature and tag bits. NULL: addresses carry none. */
    loupe_addr (*strip)(void *ctx, loupe_addr addr);
    /* True when the person at the host wants the question to end now. */
    bool (*interrupted)(void *ctx);
    /* A clock that only moves forward, for reports and time limits. */
    uint64_t (*microseconds)(void *ctx);
    /* What the process consists of, with the reader's ctx. */
    const struct loupe_process_ops *process;
    /* Up to where memory from addr on is known to be zeroes, or is what process->unread() tells of,
     * without a look at it; addr: nothing is known. */
    loupe_addr (*zeroes)(void *ctx, loupe_addr addr);
    /* A call of read() costs about as little as to copy a page. */
    bool calls_are_cheap;
};

/*
 * What a question spends its time on. What comes after a phase still has some: a walk that takes
 * all of it would be for nothing.
 */
enum loupe_phase { LOUPE_PHASE_WALK, LOUPE_PHASE_SEARCH, LOUPE_PHASE_REPORT };

struct loupe_memory {
    const struct loupe_reader_ops *ops;
    void *ctx;
    struct loupe_machine machine;
    struct loupe_window window;          /* the last one used; empty when start == end */
    loupe_addr unused_start, unused_end; /* what is left out; empty when equal */
    struct loupe_pieces pieces;          /* what was fetched */
    uint32_t short_reads; /* so many of the next reads fetch one piece, not several */
    /*
     * Misses that still fetch one page only, since most questions prove small. 0 at first; a host
     * whose reads cost by the byte, not by the call, gives some.
     */
    uint32_t page_reads;
    uint64_t bytes_left; /* budget of bytes asked of the reader; LOUPE_ELIMIT when it is used up */
    uint64_t started, limit; /* of the question, by the host's clock; limit 0: it has no end */
    enum loupe_phase phase;
    uint64_t phase_end; /* by the host's clock; 0: none */
    uint64_t reserved;  /* microseconds that the search will need for what was walked */
    bool unwanted;      /* the person does not want to wait any more */
    bool late;          /* the phase is to end */
    uint32_t moves;     /* of the window */
    uint64_t reads;     /* times the reader was asked */
    uint64_t bytes;     /* bytes that it moved */
};

/* The region of readers whose windows are all that can be read: pieces, which take memory, are
 * never tried. */
bool loupe_no_region(void *ctx, loupe_addr addr, loupe_addr *start_ret, loupe_addr *end_ret);

/* ops, ctx and chunks stay the caller's and must outlive the memory. The budget starts unlimited.
 */
void loupe_memory_init(struct loupe_memory *memory, const struct loupe_reader_ops *ops, void *ctx,
                       struct loupe_machine machine, const struct loupe_chunk_ops *chunks);
void loupe_memory_deinit(struct loupe_memory *memory);

/* Drops what was cached: the target may have moved. */
void loupe_memory_forget(struct loupe_memory *memory);

/*
 * Leaves out the stack below end (rounded down to a word), which no function uses: it cannot be
 * read, whatever the reader says. Old frames stand there, and where the helper answers its own one,
 * with copies of what it reads: an answer from there would differ between hosts, and from one
 * question to the next. Takes the place of what was left out before.
 */
void loupe_memory_leave_out_stack(struct loupe_memory *memory, loupe_addr end);

static inline bool loupe_memory_is_left_out(const struct loupe_memory *memory, loupe_addr addr) {
    return addr >= memory->unused_start && addr < memory->unused_end;
}

/* Up to where nothing but zeroes stands that can be read, for who would look at all of it; addr:
 * that is not known. */
static inline loupe_addr loupe_memory_zeroes_end(const struct loupe_memory *memory,
                                                 loupe_addr addr) {
    return memory->ops->zeroes ? memory->ops->zeroes(memory->ctx, addr) : addr;
}

/* All of the range, or a failure: LOUPE_EFAULT, LOUPE_ELIMIT, LOUPE_ENOMEM. len may be 0. */
enum loupe_status loupe_memory_read(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                    size_t len);

/*
 * The same for much memory of which each word is looked at once: what is at hand is copied, and of
 * the rest, which the reader is asked for, nothing is kept.
 */
enum loupe_status loupe_memory_read_once(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                         size_t len);

/*
 * The same for a few bytes of each page of much memory: a reader whose calls are cheap is asked for
 * no more than them, and nothing is kept. Others have it as loupe_memory_read().
 */
enum loupe_status loupe_memory_read_few(struct loupe_memory *memory, loupe_addr addr, void *dst,
                                        size_t len);

/* Only for loupe_memory_next_word(). */
loupe_addr loupe_memory_skip_pages(struct loupe_memory *memory, loupe_addr at, loupe_addr end);

/* For who looks at all words of much memory, one by one: the next from at on that is not in a page
 * which cannot be read or is known to be zeroes; end: there is none. */
static inline loupe_addr loupe_memory_next_word(struct loupe_memory *memory, loupe_addr at,
                                                loupe_addr end) {
    return at % LOUPE_PAGE_SIZE || at >= end ? at : loupe_memory_skip_pages(memory, at, end);
}

/*
 * The bytes of a range, in place where the range lies in one window or piece, else copied to bounce
 * (len bytes long). Valid until the next call on this memory. NULL when loupe_memory_read() fails.
 */
const uint8_t *loupe_memory_view(struct loupe_memory *memory, loupe_addr addr, size_t len,
                                 void *bounce);

/*
 * The bytes of a range where they are at hand without asking the reader, else NULL: for looking
 * ahead at what will be read later. Valid as those of loupe_memory_view().
 */
static inline const uint8_t *loupe_memory_peek(const struct loupe_memory *memory, loupe_addr addr,
                                               size_t len) {
    const struct loupe_window *window = &memory->window;
    bool inside = addr >= window->start && addr < window->end && len <= window->end - addr;
    return inside ? window->bytes + (addr - window->start) : NULL;
}

static inline enum loupe_status loupe_memory_read_u32(struct loupe_memory *memory, loupe_addr addr,
                                                      uint32_t *ret) {
    uint32_t value;
    const uint8_t *bytes = loupe_memory_peek(memory, addr, sizeof(value));
    if (!bytes) {
        enum loupe_status status = loupe_memory_read(memory, addr, &value, sizeof(value));
        if (!status)
            *ret = value;
        return status;
    }
    memcpy(ret, bytes, sizeof(*ret));
    return LOUPE_OK;
}
enum loupe_status loupe_memory_read_u64(struct loupe_memory *memory, loupe_addr addr,
                                        uint64_t *ret);
/* A word of the target's pointer size, as it stands there: signature bits included. */
enum loupe_status loupe_memory_read_word_anywhere(struct loupe_memory *memory, loupe_addr addr,
                                                  uint64_t *ret);
static inline enum loupe_status loupe_memory_read_word(struct loupe_memory *memory, loupe_addr addr,
                                                       uint64_t *ret) {
    const uint8_t *bytes = loupe_memory_peek(memory, addr, sizeof(*ret));
    if (!bytes || memory->machine.pointer_size != sizeof(*ret))
        return loupe_memory_read_word_anywhere(memory, addr, ret);
    memcpy(ret, bytes, sizeof(*ret));
    return LOUPE_OK;
}
/* A word as an address: without signature bits. */
enum loupe_status loupe_memory_read_pointer(struct loupe_memory *memory, loupe_addr addr,
                                            loupe_addr *ret);

/*
 * A string that ends in a NUL within cap bytes, with its NUL. LOUPE_ELIMIT when it is longer: dst
 * then holds its first cap - 1 bytes and a NUL. *length_ret excludes the NUL and may be NULL.
 */
enum loupe_status loupe_memory_read_string(struct loupe_memory *memory, loupe_addr addr, char *dst,
                                           size_t cap, size_t *length_ret);

/* False, and an empty path, when nothing tells of the line. cap > 0. */
bool loupe_memory_line_of_address(const struct loupe_memory *memory, loupe_addr addr, char *path,
                                  size_t cap, uint32_t *line_ret);

bool loupe_memory_line_of_ivar(const struct loupe_memory *memory, struct loupe_span class_name,
                               struct loupe_span ivar, char *path, size_t cap, uint32_t *line_ret);

loupe_addr loupe_memory_strip(const struct loupe_memory *memory, loupe_addr addr);

/* ---- Time ---- */

/* The question begins now and has so many microseconds; 0: as many as it takes. */
void loupe_memory_set_limit(struct loupe_memory *memory, uint64_t microseconds);
/* Begins what comes after the phase before, whether that was late or not. */
void loupe_memory_begin_phase(struct loupe_memory *memory, enum loupe_phase phase);
/*
 * Whether the phase is to end now; for loops that may take long, every so many steps. But
 * in the search all reads fail from then on, with LOUPE_ETIMEOUT, so that loops end which do not
 * ask: what was found stays, further names are lost.
 */
bool loupe_memory_interrupted(struct loupe_memory *memory);
/* The same, asked every so many steps of a loop over words. */
static inline bool loupe_memory_ends_at(struct loupe_memory *memory, uint64_t step) {
    enum { STEPS_BETWEEN_CHECKS = 1 << 15 };
    return step % STEPS_BETWEEN_CHECKS == STEPS_BETWEEN_CHECKS - 1 &&
           loupe_memory_interrupted(memory);
}
/* LOUPE_EFAULT when the reader knows no symbols or not this one. */
enum loupe_status loupe_memory_find_symbol(const struct loupe_memory *memory, const char *name,
                                           loupe_addr *ret);
/* False, and an empty name, when nothing covers addr. cap > 0. */
bool loupe_memory_name_address(const struct loupe_memory *memory, loupe_addr addr, char *dst,
                               size_t cap, uint64_t *offset_ret);

#endif
