/*
 * A program with a block whose dispose helper does not end: whoever probes it has to be cut off. The
 * block is made by hand, as clang would make one that captures a word.
 */
#include "../objc/made_block.h"

#include <Foundation/Foundation.h>

@interface Owner : NSObject
@property(nonatomic, copy) void (^handler)(void);
@end
@implementation Owner
@end

void __destroy_helper_block_endless(void *block);
void loupe_test_ready(void);

/* What to ask about. */
void *loupe_test_owner, *loupe_test_block;
static volatile unsigned long turns;

static void invoke(void *block) {
    (void)block;
}

static void copy(void *to, const void *from) {
    (void)to;
    (void)from;
}

void __destroy_helper_block_endless(void *block) {
    (void)block;
    for (;;)
        turns++;
}

void loupe_test_ready(void) {
    __asm__ volatile("");
}

int main(void) {
    static struct {
        unsigned long reserved, size;
        void (*copy)(void *, const void *);
        void (*dispose)(void *);
    } descriptor = {0, sizeof(struct made_block), copy, __destroy_helper_block_endless};
    static struct made_block block = {.flags = 0x03000002, /* on the heap, with helpers, one owner */
                                   .invoke = invoke,
                                   .descriptor = (const void *)&descriptor};
    Owner *owner = [Owner new];
    owner.handler = ^{
        (void)owner;
    };
    block.isa = _NSConcreteMallocBlock;
    loupe_test_owner = (__bridge void *)owner;
    loupe_test_block = &block;
    loupe_test_ready();
    return 0;
}
