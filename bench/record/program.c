/*
 * A program that allocates and frees, from stacks of a given depth, and says what that took. It
 * runs alone and with one recorder after the other preloaded (run.sh).
 *
 * usage: program MILLIONS FRAMES LIVE
 *
 * LIVE blocks of 16 to 512 bytes are kept; each step frees one of them and gets another one in its
 * place, from one of 64 stacks of FRAMES frames. Prints nanoseconds of the processor for one step,
 * since others may use it too, and bytes of memory that the process has after it.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static void **kept;
static unsigned long live;

static uint64_t draw(void) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return state >> 33;
}

static void *get(unsigned depth, unsigned way, size_t size);

/* Two ways down at each of the inner frames, so that 64 stacks differ; none ends by a jump. */
__attribute__((noinline)) static void *left(unsigned depth, unsigned way, size_t size) {
    void *block = get(depth, way, size);
    __asm__ volatile("" : "+r"(block) : "i"(1));
    return block;
}

__attribute__((noinline)) static void *right(unsigned depth, unsigned way, size_t size) {
    void *block = get(depth, way, size);
    __asm__ volatile("" : "+r"(block) : "i"(2));
    return block;
}

static inline void *get(unsigned depth, unsigned way, size_t size) {
    if (!depth)
        return malloc(size);
    return way >> depth & 1 ? left(depth - 1, way, size) : right(depth - 1, way, size);
}

static void step(unsigned frames) {
    uint64_t drawn = draw();
    void **place = &kept[drawn % live];
    free(*place);
    drawn = draw();
    *place = get(frames, drawn % 64, 16 + drawn / 64 % 496);
}

static uint64_t nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static unsigned long resident(void) {
    unsigned long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%lu %lu", &total, &pages) != 2)
        pages = 0;
    if (file)
        fclose(file);
    return pages * (unsigned long)sysconf(_SC_PAGESIZE);
}

int main(int argc, char **argv) {
    if (argc != 4) {
        fprintf(stderr, "usage: program MILLIONS FRAMES LIVE\n");
        return 2;
    }
    unsigned long steps = strtoul(argv[1], NULL, 10) * 1000000;
    /* main(), _start and two of the C library are frames, too. */
    unsigned frames = (unsigned)strtoul(argv[2], NULL, 10) - 5;
    live = strtoul(argv[3], NULL, 10);
    kept = calloc(live, sizeof(*kept));
    for (unsigned long i = 0; i < live; i++)
        kept[i] = get(frames, i % 64, 16 + draw() % 496);
    uint64_t began = nanoseconds();
    for (unsigned long i = 0; i < steps; i++)
        step(frames);
    printf("%.1f %lu\n", (double)(nanoseconds() - began) / (double)steps, resident());
    return 0;
}
