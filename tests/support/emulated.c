/* What an emulator plays otherwise than a kernel, by asking. */
#define _GNU_SOURCE /* syscall(), usleep() */

#include "emulated.h"

#if defined(__linux__)
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

bool kernel_refuses(const void *place) {
    int ends[2];
    if (pipe(ends))
        return false;
    bool refuses = write(ends[1], place, 1) < 0;
    close(ends[0]);
    close(ends[1]);
    return refuses;
}

bool kernel_tells_of_protected_pages(void) {
    size_t size = (size_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    void *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    bool tells = page != MAP_FAILED && syscall(SYS_mincore, page, size, &resident) == 0;
    if (page != MAP_FAILED)
        munmap(page, size);
    return tells;
}

/* ---- Threads ---- */

struct waiting {
    int ends[2];
    _Atomic(long) id;
    _Atomic(uintptr_t) frame;
};

static void *wait_for_byte(void *ctx) {
    struct waiting *waiting = ctx;
    char byte;
    /* Sanitizers keep variables elsewhere. */
    waiting->frame = (uintptr_t)__builtin_frame_address(0);
    waiting->id = syscall(SYS_gettid);
    return read(waiting->ends[0], &byte, 1) == 1 ? waiting : NULL;
}

/* The stack pointer of a thread in a call, of "NUMBER ARGUMENT*6 STACK CODE"; 0: it is in none. */
static uintptr_t stack_pointer_of(long id) {
    char path[64], text[512] = "";
    snprintf(path, sizeof(path), "/proc/self/task/%ld/syscall", id);
    int file = open(path, O_RDONLY);
    ssize_t length = file < 0 ? -1 : read(file, text, sizeof(text) - 1);
    if (file >= 0)
        close(file);
    char *last = length > 0 ? strrchr(text, ' ') : NULL;
    if (!last)
        return 0;
    *last = '\0';
    last = strrchr(text, ' ');
    return last ? (uintptr_t)strtoull(last, NULL, 16) : 0;
}

/* It may be on its way to where it waits. */
static bool stands_on_its_stack(const struct waiting *waiting) {
    enum { TRIES = 2000, STEP = 1000, NEAR = 65536 };
    for (int i = 0; i < TRIES; i++) {
        uintptr_t pointer = waiting->id ? stack_pointer_of(waiting->id) : 0;
        if (pointer)
            return pointer < waiting->frame + NEAR && waiting->frame < pointer + NEAR;
        usleep(STEP);
    }
    return false;
}

bool kernel_tells_of_threads(void) {
    struct waiting waiting = {.id = 0};
    pthread_t thread;
    if (pipe(waiting.ends) || pthread_create(&thread, NULL, wait_for_byte, &waiting))
        return false;
    bool tells = stands_on_its_stack(&waiting);
    if (write(waiting.ends[1], "", 1) == 1)
        pthread_join(thread, NULL);
    close(waiting.ends[0]);
    close(waiting.ends[1]);
    return tells;
}

bool kernel_has_filters(void) {
    return prctl(PR_GET_SECCOMP, 0, 0, 0, 0) >= 0;
}

size_t bytes_mapped(void) {
    unsigned long start, end;
    size_t bytes = 0;
    FILE *file = fopen("/proc/self/maps", "r");
    while (file && fscanf(file, "%lx-%lx%*[^\n]", &start, &end) == 2)
        bytes += end - start;
    if (file)
        fclose(file);
    return bytes;
}
#else
bool kernel_refuses(const void *place) {
    return !place;
}

bool kernel_tells_of_protected_pages(void) {
    return true;
}

bool kernel_tells_of_threads(void) {
    return true;
}

bool kernel_has_filters(void) {
    return true;
}

size_t bytes_mapped(void) {
    return 0;
}
#endif
