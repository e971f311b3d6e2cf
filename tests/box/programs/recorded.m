/*
 * recorded.m - libloupe_record, inserted, and the helper: who allocated what leaked, and who counted.
 */
#import <Foundation/Foundation.h>
#include "loupe_helper.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed;

static void expect(const char *answer, const char *text, int line) {
    if (strstr(answer, text))
        return;
    printf("line %d: no %s in %.4000s\n", line, text, answer);
    failed = 1;
}
#define EXPECT(answer, text) expect(answer, text, __LINE__)

@interface Kept : NSObject {
  @public
    Kept *_next;
}
@end
@implementation Kept
@end

__attribute__((noinline)) void make_ring(void) {
    Kept *kept = [Kept new];
    kept->_next = kept;
}

__attribute__((noinline)) void *by_realloc(void) {
    return realloc(malloc(10), 5000);
}

int main(void) {
    @autoreleasepool {
        make_ring();
        free(by_realloc());
        const char *leaks = loupe_leaks();
        EXPECT(leaks, "\"Kept\"");
        EXPECT(leaks, "make_ring");
    }
    return failed;
}
