#include "recorder.h"

#include "block_table.h"
#include "room.h"
#include "tree.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The door for whoever reads what was recorded: see recorded/layout.h. */
__attribute__((visibility("default"))) struct loupe_record_header *loupe_record_table;

enum { DEFAULT_LIMIT = 2048, MOST_DIGITS = 7 };

static void say(const char *text) {
    ssize_t written = write(STDERR_FILENO, text, strlen(text));
    (void)written;
}

bool loupe_recorder_begin(void) {
    loupe_room_set_limit((uint64_t)DEFAULT_LIMIT << 20);
    struct loupe_record_header *header = loupe_room_get_fenced(sizeof(*header));
    if (!header || !loupe_block_table_init(header) || !loupe_tree_init(header)) {
        say("loupe: no allocations are recorded: there is no memory for it\n");
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
        say("loupe: LOUPE_RECORD_LIMIT is no number of megabytes; it stays 2048\n");
}

void loupe_recorder_is_bypassed(void) {
    loupe_record_table->state = LOUPE_RECORD_IS_BYPASSED;
    say("loupe: no allocations are recorded: this program has a malloc of its own, which is "
        "called in place of the recorder's\n");
}

/* ---- Threads ---- */

/* What a thread keeps of its last stack, since the next one is much like it. */
struct last_stack {
    bool in_use; /* a signal handler may come in between */
    struct loupe_range proved;
    struct loupe_tree_memory frames;
};

/* NULL: none can be had. On Darwin the first use of a thread's own variable allocates. */
#if defined(__APPLE__)
static struct last_stack *begin_stack(void) {
    return NULL;
}
#else
static _Thread_local struct last_stack own __attribute__((tls_model("initial-exec")));

static struct last_stack *begin_stack(void) {
    if (own.in_use)
        return NULL;
    own.in_use = true;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return &own;
}
#endif

static void end_stack(struct last_stack *last) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (last)
        last->in_use = false;
}

/* ---- Blocks ---- */

void loupe_recorder_gave(void *block, const struct loupe_frame *frame) {
    enum { SKIPPED = 1 }; /* the function in the place of malloc */
    struct loupe_record_header *header = loupe_record_table;
    uint64_t frames[LOUPE_RECORD_MOST_FRAMES];
    struct last_stack *last = begin_stack();
    struct loupe_unwound found = loupe_unwind_own(frame, last ? &last->proved : NULL, SKIPPED,
                                                  frames, LOUPE_RECORD_MOST_FRAMES);
    uint32_t stack = loupe_tree_number(header, last ? &last->frames : NULL, frames,
                                       (uint32_t)found.count, found.end != LOUPE_UNWIND_OUTERMOST);
    end_stack(last);
    loupe_block_table_put(header, (uint64_t)(uintptr_t)block, stack);
}

uint32_t loupe_recorder_takes(void *block) {
    return loupe_block_table_take(loupe_record_table, (uint64_t)(uintptr_t)block);
}

void loupe_recorder_keeps(void *block, uint32_t stack) {
    loupe_block_table_put(loupe_record_table, (uint64_t)(uintptr_t)block, stack);
}
