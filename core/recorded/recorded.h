/*
 * recorded.h - reads what libloupe_record recorded in a target: the stack that allocated a block.
 *
 *     if (loupe_recorded_open(&recorded, memory, chunks) &&
 *         (stack = loupe_recorded_stack(&recorded, block)))
 *         count = loupe_recorded_frames(&recorded, stack, frames, LOUPE_RECORD_MOST_FRAMES,
 * &whole);
 *
 * The bytes are the target's and may be anything: whatever they are, this ends soon and reads
 * little (one group of at most LOUPE_RECORD_LEVEL_COUNT tables, one node per frame). How they are
 * laid out, and the names of what stands there, is in layout.h.
 */
#ifndef LOUPE_RECORDED_H
#define LOUPE_RECORDED_H

#include "base/target/target.h"
#include "base/vector.h"
#include "recorded/layout.h"

enum loupe_recorded_state {
    LOUPE_RECORDED_ON,
    LOUPE_RECORDED_BYPASSED,     /* nothing: the program's own malloc is called in its place */
    LOUPE_RECORDED_OTHER_VERSION /* it cannot be read: it is of another version than this */
};

struct loupe_recorded {
    struct loupe_memory *memory; /* the caller's */
    enum loupe_recorded_state state;
    struct loupe_record_header header; /* of another version: zeroed but for that */
    struct loupe_vector shown;         /* of uint32_t: loupe_recorded_show() */
};

/* "on" and so on. Static storage. */
const char *loupe_recorded_state_name(enum loupe_recorded_state state);

/*
 * Finds the recorder by its symbol, or, where only its library is known to be loaded, by a search
 * of what can be written. False: there is none, or what stands there is damaged; then there is
 * nothing to close. chunks must outlive it.
 */
bool loupe_recorded_open(struct loupe_recorded *recorded, struct loupe_memory *memory,
                         const struct loupe_chunk_ops *chunks);
void loupe_recorded_close(struct loupe_recorded *recorded);

/* That of a target, opened when it is first asked for, which lasts as long. NULL: there is none. */
struct loupe_recorded *loupe_recorded_of(struct loupe_target *target);

/* The number of the stack that allocated the block that begins there. 0: not recorded. */
uint32_t loupe_recorded_stack(const struct loupe_recorded *recorded, loupe_addr block);

/*
 * The same of an object, before which its runtime may have put some words: bit n of words_before
 * says that n words are possible (runtime/abi.h); none always are.
 */
uint32_t loupe_recorded_stack_of_object(const struct loupe_recorded *recorded, loupe_addr object,
                                        uint32_t words_before);

/*
 * Return addresses of a stack, innermost first, at most cap of them. *whole_ret: none is missing.
 * Returns their count; 0: there is no such stack.
 */
uint32_t loupe_recorded_frames(const struct loupe_recorded *recorded, uint32_t stack,
                               loupe_addr *frames, uint32_t cap, bool *whole_ret);

/* One frame of a stack, and the number of what called it. False: there is no such number. */
bool loupe_recorded_node(const struct loupe_recorded *recorded, uint32_t number,
                         struct loupe_record_node *ret);

/* Notes that an answer names a stack, for its list of stacks. False: there is no memory for that.
 */
bool loupe_recorded_show(struct loupe_recorded *recorded, uint32_t stack);
/* Puts those that were noted in order, each once, into shown. */
void loupe_recorded_sort_shown(struct loupe_recorded *recorded);

#endif
