#include "recorded_here.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

/* ---- This process as a target ---- */

static enum loupe_status read_here(void *ctx, loupe_addr addr, void *dst, size_t len) {
    struct iovec here = {dst, len}, there = {(void *)(uintptr_t)addr, len};
    (void)ctx;
    return process_vm_readv(getpid(), &here, 1, &there, 1, 0) == (ssize_t)len ? LOUPE_OK
                                                                              : LOUPE_EFAULT;
}

static enum loupe_status find_here(void *ctx, const char *name, loupe_addr *ret) {
    (void)ctx;
    *ret = (loupe_addr)(uintptr_t)dlsym(RTLD_DEFAULT, name);
    return *ret ? LOUPE_OK : LOUPE_EFAULT;
}

static const struct loupe_reader_ops ops = {.read = read_here, .find_symbol = find_here};

/* Not by malloc, whose blocks are counted. */
static void *get(void *ctx, size_t size) {
    (void)ctx;
    void *pages = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return pages == MAP_FAILED ? NULL : pages;
}

static void put(void *ctx, void *chunk, size_t size) {
    (void)ctx;
    munmap(chunk, size);
}

static const struct loupe_chunk_ops chunks = {.get = get, .put = put};

static struct loupe_memory memory;
static struct loupe_recorded recorded;
static bool is_open;

const struct loupe_record_header *recorded_look(void) {
    const struct loupe_machine machine = {.pointer_size = 8, .arch = LOUPE_ARCH_X86_64};
    if (is_open)
        loupe_recorded_close(&recorded);
    else
        loupe_memory_init(&memory, &ops, NULL, machine, &chunks);
    loupe_memory_forget(&memory);
    is_open = loupe_recorded_open(&recorded, &memory, &chunks);
    if (is_open)
        return &recorded.header;
    fprintf(stderr, "nothing is recorded in this process\n");
    _Exit(1);
}

/* ---- Questions ---- */

uint64_t recorded_blocks(void) {
    const struct loupe_record_header *header = recorded_look();
    uint64_t count = 0;
    for (uint32_t level = header->oldest_level; level <= header->level; level++) {
        const uint64_t *slots =
            (const uint64_t *)(uintptr_t)header->tables[level - LOUPE_RECORD_FIRST_LEVEL];
        for (uint64_t i = 0; i < UINT64_C(1) << level; i++)
            count += (slots[i] & LOUPE_RECORD_STACK_MASK) != 0;
    }
    return count;
}

static uint32_t stack_of(const void *block) {
    return loupe_recorded_stack(&recorded, (loupe_addr)(uintptr_t)block);
}

bool recorded_is_there(const void *block) {
    return stack_of(block) != 0;
}

bool recorded_is_from(const void *block, void *(*function)(size_t size)) {
    loupe_addr frames[LOUPE_RECORD_MOST_FRAMES];
    bool whole;
    uint32_t count =
        loupe_recorded_frames(&recorded, stack_of(block), frames, LOUPE_RECORD_MOST_FRAMES, &whole);
    for (uint32_t i = 0; i < count; i++) {
        Dl_info about;
        void *start;
        memcpy(&start, &function, sizeof(start));
        if (dladdr((void *)(uintptr_t)(frames[i] - 1), &about) && about.dli_saddr == start)
            return true;
    }
    return false;
}
