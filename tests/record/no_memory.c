/*
 * A program whose memory ends: what the recorder cannot keep is counted, what it keeps is right,
 * and the program sees nothing but its own malloc fail.
 *
 * usage: no_memory [MEGABYTES]: RLIMIT_AS is so much more than what there is now; without, it stays
 */
#include "recorded_here.h"
#include "ways.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

enum { BLOCKS = 1 << 20 };

static unsigned long used_pages(void) {
    unsigned long pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file || fscanf(file, "%lu", &pages) != 1)
        exit(2);
    fclose(file);
    return pages;
}

int main(int argc, char **argv) {
    void **blocks = mmap(NULL, BLOCKS * sizeof(*blocks), PROT_READ | PROT_WRITE,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    uint64_t live = 0, wrong = 0, missing = 0, ended = 0;
    struct rlimit limit = {0};
    recorded_look();
    if (getrlimit(RLIMIT_AS, &limit))
        return 2;
    if (argc > 1) {
        rlim_t most = used_pages() * 4096 + (strtoul(argv[1], NULL, 10) << 20);
        limit.rlim_cur = most;
        if (setrlimit(RLIMIT_AS, &limit))
            return 2;
    }
    for (; live < BLOCKS && !ended; live += !ended) {
        errno = 0;
        blocks[live] = way_malloc(64);
        ended = !blocks[live];
        wrong += blocks[live] ? errno != 0 : errno != ENOMEM; /* errno is the program's */
    }
    limit.rlim_cur = limit.rlim_max; /* who reads it needs memory, too */
    if (setrlimit(RLIMIT_AS, &limit))
        return 2;
    uint64_t left_out = recorded_look()->blocks_left_out;
    for (uint64_t i = 0; i < live; i++) {
        if (!recorded_is_there(blocks[i]))
            missing++;
        else
            wrong += !recorded_is_from(blocks[i], way_malloc) && !recorded_look()->stacks_left_out;
    }
    for (uint64_t i = 0; i < live; i++)
        free(blocks[i]);
    printf("%llu blocks, malloc failed %llu times; %llu are not recorded, %llu left out are told; "
           "%llu are wrong\n",
           (unsigned long long)live, (unsigned long long)ended, (unsigned long long)missing,
           (unsigned long long)left_out, (unsigned long long)wrong);
    /* Under RLIMIT_AS malloc may be the first to fail. */
    bool was_tried = argc > 1 ? ended : left_out;
    return wrong || missing > left_out || !was_tried;
}
