#import "watched.h"

#include <stdio.h>

static unsigned alive;

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
    return alive == leaked ? 0 : 1;
}
