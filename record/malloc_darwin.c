/*
 * Told by libmalloc of every block: it calls malloc_logger, which MallocStackLogging uses too.
 * Types and arguments are those of libmalloc's private stack_logging.h. Inserted by
 * DYLD_INSERT_LIBRARIES.
 *
 * A realloc() is told after it was done: in between another thread may have got the old address.
 */
#include "counts.h"
#include "recorder.h"

#include <dlfcn.h>
#include <mach-o/loader.h>
#include <stdlib.h>
#include <string.h>

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

/* ---- Beginning ---- */

/* How far the code of an image reaches from its header on; 0: it has none. */
static uint64_t size_of_code(const struct mach_header_64 *header) {
    const char *command = (const char *)(header + 1);
    for (uint32_t i = 0; i < header->ncmds; i++) {
        struct segment_command_64 segment;
        memcpy(&segment, command, sizeof(struct load_command));
        if (segment.cmd == LC_SEGMENT_64) {
            memcpy(&segment, command, sizeof(segment));
            if (strcmp(segment.segname, SEG_TEXT) == 0)
                return segment.vmsize;
        }
        command += segment.cmdsize;
    }
    return 0;
}

/* Stacks begin inside of libmalloc, some functions deep. */
static void leave_out_allocator(void) {
    Dl_info about;
    if (dladdr((const void *)&malloc_logger, &about) && about.dli_fbase)
        loupe_recorder_leave_out((uintptr_t)about.dli_fbase,
                                 (uintptr_t)about.dli_fbase + size_of_code(about.dli_fbase));
}

/* The classes of all images are known by now: the runtime learns of them when it begins, before any
 * image does, and dyld has loaded them by then. */
static void count(const char *classes) {
    if (!classes || !*classes || !loupe_recorder_counts())
        return;
    loupe_counts_choose(classes);
    loupe_counts_begin();
}

__attribute__((constructor)) static void begin(void) {
    if (!loupe_recorder_begin())
        return;
    loupe_recorder_limit(getenv("LOUPE_RECORD_LIMIT"));
    leave_out_allocator();
    other_logger = malloc_logger;
    malloc_logger = note;
    count(getenv("LOUPE_RECORD"));
}
