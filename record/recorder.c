#include "recorder.h"

#include "block_table.h"
#include "events.h"
#include "own_lines.h"
#include "room.h"
#include "tree.h"
#include "unwind/repeat.h"

#if defined(__APPLE__)
#include <pthread.h>
#endif
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* The door for whoever reads what was recorded: see recorded/layout.h. */
__attribute__((visibility("default"))) struct loupe_record_header *loupe_record_table;

enum { DEFAULT_LIMIT = 2048, MOST_DIGITS = 7 };

/* ---- Threads ---- */

/*
 * What is kept of the last stack that was walked, since the next one is much like it. A thread has
 * one by its number and shares it with others: who finds it in use does without, which also is a
 * signal handler that interrupted its thread, or a thread of the child of a fork() whose parent had
 * it in use. Not in a thread's own variables, whose room is taken from its stack.
 */
struct last_stack {
    bool in_use;
    struct loupe_repeat walked;
    struct loupe_tree_memory frames;
};

enum { LAST_STACKS = 64 };
static struct last_stack *last_stacks;

/* What is known to be readable of the thread's own stack. On Darwin the first use of such a
 * variable allocates: it is found out each time. */
#if defined(__APPLE__)
static struct loupe_range *proved_of_thread(void) {
    return NULL;
}
static uintptr_t thread_number(void) {
    return (uintptr_t)pthread_self();
}
#else
static _Thread_local struct loupe_range proved __attribute__((tls_model("initial-exec")));

static struct loupe_range *proved_of_thread(void) {
    return &proved;
}
static uintptr_t thread_number(void) {
    return (uintptr_t)&proved;
}
#endif

/* NULL: it is in use. */
static struct last_stack *begin_stack(void) {
    uint64_t hash = thread_number() * UINT64_C(0x9e3779b97f4a7c15);
    struct last_stack *last = &last_stacks[hash >> 32 & (LAST_STACKS - 1)];
    return __atomic_exchange_n(&last->in_use, true, __ATOMIC_ACQUIRE) ? NULL : last;
}

static void end_stack(struct last_stack *last) {
    __atomic_store_n(&last->in_use, false, __ATOMIC_RELEASE);
}

/* ---- Beginning ---- */

bool loupe_recorder_begin(void) {
    loupe_room_set_limit((uint64_t)DEFAULT_LIMIT << 20);
    struct loupe_record_header *header = loupe_room_get_fenced(sizeof(*header));
    last_stacks = loupe_room_get(sizeof(*last_stacks) * LAST_STACKS);
    if (!header || !last_stacks || !loupe_block_table_init(header) || !loupe_tree_init(header)) {
        loupe_say("loupe: no allocations are recorded: out of memory\n");
        return false;
    }
    header->version = LOUPE_RECORD_VERSION;
    header->size = sizeof(*header);
    header->self = (uint64_t)(uintptr_t)header;
    memcpy(header->magic, LOUPE_RECORD_MAGIC, sizeof(header->magic));
    __atomic_store_n(&loupe_record_table, header, __ATOMIC_RELEASE);
    return true;
}

bool loupe_recorder_is_on(void) {
    return __atomic_load_n(&loupe_record_table, __ATOMIC_ACQUIRE) != NULL;
}

void loupe_recorder_limit(const char *megabytes) {
    size_t length = megabytes ? strlen(megabytes) : 0;
    uint64_t limit = 0;
    if (!megabytes)
        return;
    if (length <= MOST_DIGITS && strspn(megabytes, "0123456789") == length)
        limit = strtoull(megabytes, NULL, 10);
    if (limit)
        loupe_room_set_limit(limit << 20);
    else
        loupe_say("loupe: LOUPE_RECORD_LIMIT is not a number of megabytes; it stays 2048\n");
}

void loupe_recorder_is_bypassed(void) {
    loupe_record_table->state = LOUPE_RECORD_IS_BYPASSED;
    loupe_say("loupe: no allocations are recorded: this program has a malloc of its own, which is "
              "called in place of the recorder's\n");
}

/* ---- Blocks ---- */

enum { SKIPPED = 1 }; /* the function in the place of malloc */

static struct loupe_range allocator;

void loupe_recorder_leave_out(uintptr_t start, uintptr_t end) {
    allocator = (struct loupe_range){.start = start, .end = end};
}

/* How many innermost frames are the allocator's own; 0: all of them are. */
static size_t frames_of_allocator(const uint64_t *frames, size_t count) {
    size_t own = 0;
    while (own < count && frames[own] >= allocator.start && frames[own] < allocator.end)
        own++;
    return own < count ? own : 0;
}

static uint32_t number_of(const struct loupe_frame *frame, struct last_stack *last) {
    uint64_t frames[LOUPE_RECORD_MOST_FRAMES];
    struct loupe_unwound found =
        last ? loupe_unwind_repeated(&last->walked, frame, proved_of_thread(), SKIPPED, frames,
                                     LOUPE_RECORD_MOST_FRAMES)
             : loupe_unwind_own(frame, NULL, SKIPPED, frames, LOUPE_RECORD_MOST_FRAMES);
    size_t own = frames_of_allocator(frames, found.count);
    return loupe_tree_number(loupe_record_table, last ? &last->frames : NULL, frames + own,
                             (uint32_t)(found.count - own), found.end != LOUPE_UNWIND_OUTERMOST);
}

static uint32_t stack_of(const struct loupe_frame *frame) {
    struct last_stack *last = begin_stack();
    uint32_t stack = number_of(frame, last);
    if (last)
        end_stack(last);
    return stack;
}

void loupe_recorder_gave(void *block, const struct loupe_frame *frame) {
    loupe_block_table_expect(loupe_record_table, (uint64_t)(uintptr_t)block);
    loupe_block_table_put(loupe_record_table, (uint64_t)(uintptr_t)block, stack_of(frame));
}

/* The allocator will look at what stands before the block, and write into it: both come from memory
 * while the table does. */
uint32_t loupe_recorder_takes(void *block) {
    __builtin_prefetch((char *)block - _Alignof(max_align_t), 1);
    __builtin_prefetch(block, 1);
    return loupe_block_table_take(loupe_record_table, (uint64_t)(uintptr_t)block);
}

void loupe_recorder_keeps(void *block, uint32_t stack) {
    loupe_block_table_put(loupe_record_table, (uint64_t)(uintptr_t)block, stack);
}

/* ---- Counts ---- */

bool loupe_recorder_counts(void) {
    if (loupe_events_init(loupe_record_table))
        return true;
    loupe_say("loupe: no retains are recorded: out of memory\n");
    return false;
}

void loupe_recorder_counted(void *object, enum loupe_record_event_kind kind,
                            const struct loupe_frame *frame) {
    loupe_events_add(loupe_record_table, (uint64_t)(uintptr_t)object, kind, stack_of(frame));
}
