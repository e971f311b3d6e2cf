/* A library that asked libmalloc to be told of blocks before the recorder does. */
#include <stdint.h>

typedef void logger(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third,
                    uintptr_t result, uint32_t skipped_frames);

extern logger *malloc_logger;

_Atomic(unsigned) logged_blocks;

static void note(uint32_t type, uintptr_t zone, uintptr_t second, uintptr_t third, uintptr_t result,
                 uint32_t skipped_frames) {
    (void)type, (void)zone, (void)second, (void)third, (void)skipped_frames;
    logged_blocks += result != 0;
}

__attribute__((constructor)) static void begin(void) {
    malloc_logger = note;
}
