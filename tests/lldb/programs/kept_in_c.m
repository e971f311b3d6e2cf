/*
 * Objects that memory of C holds, and what nothing holds any more:
 *
 *    shelf (static) --> 96 bytes --> 48 bytes --> Book
 *    shelf (static) --> 96 bytes --> Box --_thing--> Book
 *    nothing --> Box --_thing--> Book
 *    nothing --> Book, which counts a retain that nobody will give back
 *
 * Stops in keptReady(), one frame below main. Addresses are told with all bits changed, so that no
 * word of a stack leads to what is lost.
 */
#import <Foundation/Foundation.h>

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

@interface Book : NSObject
@end

@implementation Book
@end

@interface Box : NSObject
@property (nonatomic, strong) Book *thing;
@end

@implementation Box
@end

struct row {
    long number;
    const void *book;
    char title[32];
};

static struct {
    const char *name;
    char *rows;
} shelf;

static uintptr_t inRow, inBox, inLostBox, unheld;

void keptReady(void) {
    __asm__ volatile("" : : : "memory");
}

static const void *boxed(uintptr_t *ret) {
    Box *box = [[Box alloc] init];
    box.thing = [[Book alloc] init];
    *ret = ~(uintptr_t)(__bridge const void *)box.thing;
    return (__bridge_retained const void *)box;
}

__attribute__((noinline)) static void setUp(void) {
    struct row *row = calloc(1, sizeof(*row));
    const void *box = boxed(&inBox);
    shelf.rows = calloc(1, 96);
    row->book = (__bridge_retained const void *)[[Book alloc] init];
    inRow = ~(uintptr_t)row->book;
    memcpy(shelf.rows + 16, &row, sizeof(row));
    memcpy(shelf.rows + 64, &box, sizeof(box));
    boxed(&inLostBox);
    unheld = ~(uintptr_t)(__bridge_retained const void *)[[Book alloc] init];
}

/* What was on the stack is not there any more. */
__attribute__((noinline)) static void wipeStack(void) {
    char wiped[1 << 14];
    memset(wiped, 0, sizeof(wiped));
    __asm__ volatile("" : : "r"(wiped) : "memory");
}

int main(void) {
    setUp();
    wipeStack();
    keptReady();
    return 0;
}
