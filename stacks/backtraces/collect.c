#include "backtraces/collect.h"

#include "kernel/kernel.h"
#include "memory/machine.h"
#include "threads/listing.h"
#include "threads/stop.h"

#include <string.h>

/* Addresses of all stacks together: more than the stacks of a thousand threads have. Only what is
 * used becomes memory. A process with a limit of memory has less. */
enum { ROOM = 16 << 20, SMALL_ROOM = 64 << 10 };

void loupe_stacks_init(struct loupe_stacks *stacks, const struct loupe_chunk_ops *chunks) {
    *stacks = (struct loupe_stacks){.chunks = chunks};
    loupe_vector_init(&stacks->threads, chunks, sizeof(struct loupe_thread_stack));
}

void loupe_stacks_deinit(struct loupe_stacks *stacks) {
    loupe_chunk_put(stacks->chunks, stacks->addresses, stacks->room * sizeof(uint64_t));
    loupe_chunk_put(stacks->chunks, stacks->interrupted, stacks->room);
    loupe_vector_deinit(&stacks->threads);
    loupe_stacks_init(stacks, stacks->chunks);
}

static bool get_room(struct loupe_stacks *stacks, size_t room) {
    stacks->addresses = loupe_chunk_get(stacks->chunks, room * sizeof(uint64_t));
    stacks->interrupted = loupe_chunk_get(stacks->chunks, room);
    stacks->room = room;
    if (stacks->addresses && stacks->interrupted)
        return true;
    loupe_chunk_put(stacks->chunks, stacks->addresses, room * sizeof(uint64_t));
    loupe_chunk_put(stacks->chunks, stacks->interrupted, room);
    stacks->addresses = NULL;
    stacks->interrupted = NULL;
    stacks->room = 0;
    return false;
}

/* ---- Which threads ---- */

struct listing {
    struct loupe_stacks *stacks;
    const struct loupe_threads_wanted *wanted;
};

static enum loupe_status add_thread(struct listing *listing, uint32_t number, uint64_t id) {
    const struct loupe_threads_wanted *wanted = listing->wanted;
    struct loupe_thread_stack thread = {.id = id,
                                        .number = number,
                                        .asks = id == loupe_own_thread_id(),
                                        .registers = LOUPE_REGISTERS_NONE,
                                        .end = LOUPE_UNWIND_LOST};
    loupe_thread_name(id, thread.name, sizeof(thread.name));
    if ((wanted->only_first && number) || (wanted->id && wanted->id != id) ||
        (wanted->name && strcmp(wanted->name, thread.name) != 0))
        return LOUPE_OK;
    struct loupe_thread_stack *added = loupe_vector_add(&listing->stacks->threads);
    if (!added)
        return LOUPE_ENOMEM;
    *added = thread;
    return LOUPE_OK;
}

static enum loupe_status visit_thread(void *visitor, uint32_t number,
                                      const struct loupe_process_thread *about) {
    return add_thread(visitor, number, about->id);
}

/* Those of one thread stand side by side. */
static enum loupe_status list_given(struct listing *listing,
                                    const struct loupe_known_register *given, uint32_t count) {
    enum loupe_status status = LOUPE_OK;
    uint32_t number = 0;
    for (uint32_t i = 0; i < count && !status; i++)
        if (!i || given[i].thread != given[i - 1].thread)
            status = add_thread(listing, number++, given[i].thread);
    return status;
}

static enum loupe_status list_threads(struct loupe_stacks *stacks,
                                      const struct loupe_threads_wanted *wanted,
                                      const struct loupe_known_register *given, uint32_t count) {
    struct listing listing = {.stacks = stacks, .wanted = wanted};
    enum loupe_status status =
        count ? list_given(&listing, given, count) : loupe_threads_list(visit_thread, &listing);
    stacks->misses_threads = status == LOUPE_EFAULT;
    return status == LOUPE_EFAULT ? LOUPE_OK : status;
}

/* ---- Their registers, as a debugger says them ---- */

static bool given_frame(uint64_t id, const struct loupe_known_register *given, uint32_t count,
                        struct loupe_frame *ret) {
    ret->known = 0;
    ret->is_interrupted = true;
    for (uint32_t i = 0; i < count; i++) {
        int number = given[i].thread == id
                         ? loupe_frame_register_named(loupe_own_machine.arch, given[i].name)
                         : -1;
        if (number >= 0)
            loupe_frame_set(ret, (unsigned)number, given[i].value);
    }
    return ret->known != 0;
}

/* ---- Walking ---- */

static void walk(struct loupe_stacks *stacks, struct loupe_thread_stack *thread,
                 const struct loupe_frame *frame, enum loupe_registers_known registers) {
    struct loupe_unwound found =
        loupe_unwind_other(frame, stacks->addresses + stacks->used,
                           stacks->interrupted + stacks->used, stacks->room - stacks->used);
    thread->first = stacks->used;
    thread->count = found.count;
    thread->end = found.end;
    thread->registers = registers;
}

/* Without the function that was called to ask. */
static void walk_own(struct loupe_stacks *stacks, struct loupe_thread_stack *thread,
                     const struct loupe_frame *own) {
    walk(stacks, thread, own, LOUPE_REGISTERS_ALL);
    if (thread->count > 1) {
        thread->first++;
        thread->count--;
        stacks->used++;
    }
}

static void forget_walk(struct loupe_thread_stack *thread) {
    thread->count = 0;
    thread->registers = LOUPE_REGISTERS_NONE;
    thread->end = LOUPE_UNWIND_LOST;
}

/* A thread that waits, as most do, is not touched, if so much can be told that its stack is whole:
 * then no system call is broken off. */
static bool walk_waiting(struct loupe_stacks *stacks, struct loupe_thread_stack *thread) {
    struct loupe_frame frame, after;
    uint64_t wait, wait_after;
    if (!loupe_thread_waiting_at(thread->id, &frame, &wait))
        return false;
    walk(stacks, thread, &frame, LOUPE_REGISTERS_SOME);
    if (loupe_thread_waiting_at(thread->id, &after, &wait_after) && wait == wait_after)
        return thread->end == LOUPE_UNWIND_OUTERMOST;
    forget_walk(thread);
    return false;
}

static void stop_and_walk(struct loupe_stacks *stacks, struct loupe_thread_stack *thread) {
    struct loupe_frame frame;
    if (walk_waiting(stacks, thread) || loupe_thread_stop(thread->id, &frame) != LOUPE_STOP_HELD)
        return;
    walk(stacks, thread, &frame, LOUPE_REGISTERS_ALL);
    if (!loupe_thread_let_go())
        forget_walk(thread); /* it went on meanwhile: what was read is of several moments */
}

/* With the registers that a debugger says, or as far as the thread can be looked at. */
static void take_stack(struct loupe_stacks *stacks, struct loupe_thread_stack *thread,
                       const struct loupe_frame *own, const struct loupe_known_register *given,
                       uint32_t given_count, bool may_stop) {
    struct loupe_frame frame;
    if (given_count && given_frame(thread->id, given, given_count, &frame))
        walk(stacks, thread, &frame, LOUPE_REGISTERS_ALL);
    else if (!given_count && thread->asks)
        walk_own(stacks, thread, own);
    else if (may_stop)
        stop_and_walk(stacks, thread);
    stacks->used += thread->count;
}

enum loupe_status loupe_stacks_take_one(struct loupe_stacks *stacks, uint64_t id,
                                        bool only_waiting) {
    struct loupe_thread_stack thread = {.id = id, .end = LOUPE_UNWIND_LOST};
    if (!stacks->room && !get_room(stacks, SMALL_ROOM))
        return LOUPE_ENOMEM;
    struct loupe_thread_stack *added = loupe_vector_add(&stacks->threads);
    if (!added)
        return LOUPE_ENOMEM;
    forget_walk(&thread);
    loupe_thread_name(id, thread.name, sizeof(thread.name));
    if (only_waiting) {
        walk_waiting(stacks, &thread);
    } else if (loupe_stops_begin()) {
        stop_and_walk(stacks, &thread);
        loupe_stops_end();
    }
    stacks->used += thread.count;
    *added = thread;
    return LOUPE_OK;
}

enum loupe_status loupe_stacks_take(struct loupe_stacks *stacks,
                                    const struct loupe_threads_wanted *wanted,
                                    const struct loupe_frame *own,
                                    const struct loupe_known_register *given,
                                    uint32_t given_count) {
    enum loupe_status status = list_threads(stacks, wanted, given, given_count);
    if (status)
        return status;
    if (!get_room(stacks, ROOM) && !get_room(stacks, SMALL_ROOM))
        return LOUPE_ENOMEM;
    bool may_stop = !given_count && loupe_stops_begin();
    for (uint32_t i = 0; i < stacks->threads.count; i++)
        take_stack(stacks, loupe_stacks_at(stacks, i), own, given, given_count, may_stop);
    if (may_stop)
        loupe_stops_end();
    return LOUPE_OK;
}

enum loupe_status loupe_stacks_add(struct loupe_stacks *stacks,
                                   const struct loupe_thread_stack *thread,
                                   const uint64_t *addresses, const uint8_t *interrupted,
                                   size_t count) {
    if (!stacks->room && !get_room(stacks, count ? count : 1))
        return LOUPE_ENOMEM;
    struct loupe_thread_stack *added =
        count <= stacks->room - stacks->used ? loupe_vector_add(&stacks->threads) : NULL;
    if (!added)
        return LOUPE_ENOMEM;
    *added = *thread;
    added->first = stacks->used;
    added->count = count;
    memcpy(stacks->addresses + stacks->used, addresses, count * sizeof(*addresses));
    memcpy(stacks->interrupted + stacks->used, interrupted, count);
    stacks->used += count;
    return LOUPE_OK;
}
