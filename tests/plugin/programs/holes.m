/*
 * Objects around memory that cannot be read: four pages, the second protected, the fourth unmapped.
 * It stops twice, before that is done to the pages and after.
 *
 *      seed ── _first ──> first (page 1) ── _left ──> beyond (page 3) ── _left ──> first
 *        ├──── _edge ───> edge, whose last word is on page 2 ── _left ──> seed
 *        ├──── _hidden ─> on page 2
 *        └──── _gone ───> on page 4
 */
#import <Foundation/Foundation.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

@interface Pair : NSObject {
  @public
    id _left, _right;
}
@end
@implementation Pair
@end

@interface Seed : NSObject {
  @public
    Pair *_first, *_edge, *_hidden, *_gone;
}
@end
@implementation Seed
@end

enum { LEFT = 1, PAIR_WORDS = 3 }; /* of the words of a pair: isa, _left, _right */

/* ARC is told nothing of what follows: nothing here is ever released. */
static void **place_pair(char *place) {
    void *model = (__bridge_retained void *)[[Pair alloc] init];
    memcpy(place, model, PAIR_WORDS * sizeof(void *));
    return (void **)(void *)place;
}

__attribute__((noinline)) void heap_ready(Seed *seed) {
    __asm__ volatile("" : : "r"(seed) : "memory");
}

int main(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    /* Far from where debuggers and allocators map: nothing must fill the hole. */
    char *pages = mmap((void *)(UINT64_C(3) << 40), 4 * page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED)
        return 1;
    Seed *seed = [[Seed alloc] init];
    void **first = place_pair(pages), **beyond = place_pair(pages + 2 * page);
    void **edge = place_pair(pages + page - 2 * sizeof(void *));
    void *members[] = {first, edge, place_pair(pages + page + 64), place_pair(pages + 3 * page)};
    memcpy((void **)(__bridge void *)seed + 1, members, sizeof(members));
    first[LEFT] = beyond;
    beyond[LEFT] = first;
    edge[LEFT] = (__bridge_retained void *)seed;
    heap_ready(seed);
    if (mprotect(pages + page, page, PROT_NONE) || munmap(pages + 3 * page, page))
        return 1;
    heap_ready(seed);
    _exit(0);
}
