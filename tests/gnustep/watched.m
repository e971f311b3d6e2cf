#import "watched.h"

#include <stdio.h>

static unsigned alive, left;

@implementation Watched

- (id)init {
    if ((self = [super init]))
        alive++;
    return self;
}

- (void)dealloc {
    alive--;
    [super dealloc];
}

@end

void loupe_fixture_ready(void) {
    __asm__ volatile("");
}

int watched_verdict(unsigned leaked) {
    printf("%u alive, %u expected\n", alive, leaked);
    left = alive;
    alive = 0;
    return left == leaked ? 0 : 1;
}

unsigned watched_leaked(void) {
    return left;
}
