#import "watched.h"

#include "steps.h"

#include <stdio.h>
#include <stdlib.h>

enum { MOST_IN_STEPS = 256 };

static unsigned alive, left;
/* Those that are alive and take steps, all bits inverted: they keep nothing alive. */
static uintptr_t disguised[MOST_IN_STEPS];

static void put_in_place_of(uintptr_t old, uintptr_t new) {
    unsigned i = 0;
    while (i < MOST_IN_STEPS && disguised[i] != old)
        i++;
    if (i < MOST_IN_STEPS)
        disguised[i] = new;
}

@implementation Watched

- (id)init {
    if ((self = [super init])) {
        alive++;
        put_in_place_of(0, ~(uintptr_t)self);
    }
    return self;
}

- (void)dealloc {
    alive--;
    put_in_place_of(~(uintptr_t)self, 0);
    [super dealloc];
}

@end

static void send_hash(const void *object) {
    [(id)object hash];
}

void fixture_go_on(unsigned steps) {
    for (; steps; steps--) {
        for (unsigned i = 0; i < MOST_IN_STEPS; i++) {
            if (disguised[i])
                take_step((const void *)~disguised[i], send_hash);
        }
    }
}

void loupe_fixture_ready(void) {
    __asm__ volatile("");
}

int watched_verdict(unsigned leaked) {
    const char *steps = getenv("LOUPE_FIXTURE_STEPS");
    if (steps)
        fixture_go_on((unsigned)atoi(steps));
    printf("%u alive, %u expected\n", alive, leaked);
    left = alive;
    alive = 0;
    return left == leaked ? 0 : 1;
}

unsigned watched_leaked(void) {
    return left;
}
