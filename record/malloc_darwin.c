/*
 * Told by libmalloc of every block: it calls malloc_logger, which MallocStackLogging uses too.
 * Types and arguments are those of libmalloc's private stack_logging.h. Inserted by
 * DYLD_INSERT_LIBRARIES.
 *
 * A realloc() is told after it was done: in between another thread may have got the old address.
 */
#include "recorder.h"

#include <stdlib.h>

enum { ALLOCATES = 2, FREES = 4, MAPS = 16 | 32 | 128 };

typedef void logger_fn(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                       uintptr_t result, uint32_t skipped_frames);

extern logger_fn *malloc_logger;

/* Who was asked before; both are told. */
static logger_fn *other_logger;

static void gave(uintptr_t block) {
    struct loupe_frame frame;
    loupe_frame_capture(&frame);
    loupe_recorder_gave((void *)block, &frame);
}

static void note(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third, uintptr_t result,
                 uint32_t skipped_frames) {
    bool moves = (type & ALLOCATES) && (type & FREES);
    if (other_logger)
        other_logger(type, zone, second, third, result, skipped_frames);
    if (type & MAPS)
        return;
    /* A realloc() that failed has no result, and its block stays. */
    if ((type & FREES) && second && (!moves || result))
        loupe_recorder_takes((void *)second);
    if ((type & ALLOCATES) && result)
        gave(result);
}

__attribute__((constructor)) static void begin(void) {
    if (!loupe_recorder_begin())
        return;
    loupe_recorder_limit(getenv("LOUPE_RECORD_LIMIT"));
    other_logger = malloc_logger;
    malloc_logger = note;
}
