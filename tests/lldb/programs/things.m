/*
 * Things that can be asked about wrongly: nil, numbers, freed memory, what is no object; and a
 * function that never comes back. Stops in thingsReady(), one frame below -[Thing ask].
 */
#import <Foundation/Foundation.h>

#include <sched.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct Pair {
    id first;
    int number;
};

@interface Thing : NSObject {
  @public
    Thing *_next;
    Thing *_none;
    int _number;
    struct Pair _pair;
    void (^_handler)(void);
}
@property (nonatomic, strong) Thing *computed;
@end

@interface Thing ()
- (void)ask;
@end

void thingsReady(void) {
    __asm__ volatile("");
}

volatile int keepRunning;
volatile int spinning;

/* For an expression that does not end. */
long spin(void) {
    spinning = 1;
    while (spinning) {
    }
    return 0;
}

volatile int numCalls;

/* Called by expressions alone, which it tells. */
void *calledByExpressions(void) {
    numCalls++;
    return NULL;
}

@implementation Thing

- (void)ask {
    thingsReady();
}

@end

static Thing *makeThing(void) {
    Thing *thing = [[Thing alloc] init];
    thing->_next = [[Thing alloc] init];
    thing->_next->_next = thing;
    thing->_number = 7;
    thing->_pair.first = thing->_next;
    return thing;
}

int main(void) {
    Thing *thing = makeThing();
    Thing *none = nil;
    void (^noBlock)(void) = nil;
    int number = 42;
    double ratio = 0.5;
    const char *text = "not an object, but readable bytes";
    struct Pair pair = {thing, 3};
    id things[2] = {thing, thing->_next};
    uintptr_t address = (uintptr_t)(__bridge void *)thing;
    void *wild = (void *)(uintptr_t)0x5a5a5a5a5a50;
    uint64_t *freed = malloc(64);
    memset(freed, 0x5a, 64);
    thing->_handler = ^{
        (void)thing->_number;
    };
    thing->_next->_handler = ^{
        (void)pair.number;
    };

    [thing ask];

    while (keepRunning)
        sched_yield();
    free(freed);
    return none != nil || noBlock != nil || number + ratio + text[0] + (double)address == 0 || wild == things;
}
