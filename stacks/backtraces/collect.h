/*
 * collect.h - the stacks of threads of this process, as addresses: each thread stopped for the time
 * in which it is walked, none for longer, and nothing done meanwhile that could wait for it.
 */
#ifndef LOUPE_STACKS_COLLECT_H
#define LOUPE_STACKS_COLLECT_H

#include "base/vector.h"
#include "request/request.h"
#include "unwind/unwind.h"

enum { LOUPE_THREAD_NAME_SIZE = 64 };

/* What is known of a thread's registers. */
enum loupe_registers_known {
    LOUPE_REGISTERS_ALL,
    LOUPE_REGISTERS_SOME, /* only where its stack ends and its code is */
    LOUPE_REGISTERS_NONE  /* it could not be stopped */
};

struct loupe_thread_stack {
    uint64_t id;
    uint32_t number; /* in the system's order, the first thread of the process is 0 */
    bool asks;       /* it is the one that asked */
    enum loupe_registers_known registers;
    enum loupe_unwind_end end;
    size_t first, count; /* among the addresses */
    char name[LOUPE_THREAD_NAME_SIZE];
};

/* Which threads: all, unless one of these says less. */
struct loupe_threads_wanted {
    bool only_first;  /* the one that the process began with */
    uint64_t id;      /* 0: any */
    const char *name; /* NULL: any */
};

struct loupe_stacks {
    const struct loupe_chunk_ops *chunks;
    struct loupe_vector threads; /* of struct loupe_thread_stack */
    uint64_t *addresses;
    uint8_t *interrupted; /* by address: it is of an instruction that comes next */
    size_t used, room;
    bool misses_threads; /* there may be more threads than were told */
};

void loupe_stacks_init(struct loupe_stacks *stacks, const struct loupe_chunk_ops *chunks);
void loupe_stacks_deinit(struct loupe_stacks *stacks);

/*
 * Takes the stacks of the wanted threads. own is the frame of the thread that asks from which on
 * its own stack counts. A debugger that holds the threads gives their registers, and tells by them
 * which threads there are; otherwise given_count is 0. LOUPE_OK or LOUPE_ENOMEM.
 */
enum loupe_status loupe_stacks_take(struct loupe_stacks *stacks,
                                    const struct loupe_threads_wanted *wanted,
                                    const struct loupe_frame *own,
                                    const struct loupe_known_register *given, uint32_t given_count);

/*
 * Takes that of one other thread, numbered 0. only_waiting: nothing where it
 * would have to be stopped. LOUPE_OK or LOUPE_ENOMEM.
 */
enum loupe_status loupe_stacks_take_one(struct loupe_stacks *stacks, uint64_t id,
                                        bool only_waiting);

/* Adds a thread whose stack was taken before; what the thread says of its addresses is set.
 * LOUPE_OK or LOUPE_ENOMEM. */
enum loupe_status loupe_stacks_add(struct loupe_stacks *stacks,
                                   const struct loupe_thread_stack *thread,
                                   const uint64_t *addresses, const uint8_t *interrupted,
                                   size_t count);

static inline struct loupe_thread_stack *loupe_stacks_at(const struct loupe_stacks *stacks,
                                                         uint32_t index) {
    return loupe_vector_at(&stacks->threads, index, sizeof(struct loupe_thread_stack));
}

/* Which byte of the program an address of a stack is about: inside of the call, or the instruction
 * itself where the function was interrupted. index counts all addresses. */
static inline loupe_addr loupe_stacks_place(const struct loupe_stacks *stacks, size_t index) {
    return stacks->addresses[index] - !stacks->interrupted[index];
}

#endif
