/*
 * A unit test that asserts that an object is in no retain cycle. The helper is linked into the test
 * program; no debugger is needed.
 *
 * A download keeps a completion block, and a screen that passes one which captures itself leaks. The
 * first test shows the mistake, so it expects the cycle; the second one guards the repaired screen.
 */
#import <Foundation/Foundation.h>

#include "loupe_helper.h"

#include <stdio.h>
#include <stdlib.h>

@interface Download : NSObject
@property(nonatomic, copy) void (^completion)(void);
@end

@implementation Download
@end

@interface Screen : NSObject
@property(nonatomic, strong) Download *download;
- (void)show;
@end

@implementation Screen

- (void)show {
}

/* self keeps the download, the download the block, the block self. */
- (void)loadCarelessly {
    self.download = [[Download alloc] init];
    self.download.completion = ^{
        [self show];
    };
}

- (void)loadCarefully {
    __weak Screen *weakSelf = self;
    self.download = [[Download alloc] init];
    self.download.completion = ^{
        [weakSelf show];
    };
}

@end

/* What a test would assert. When it fails, the answer of loupe_retain_cycles() says where. */
static void expect(unsigned cycles, id object, const char *test) {
    const void *address = (__bridge const void *)object;
    unsigned found = loupe_count_cycles(address);
    printf("%s: %u cycles\n", test, found);
    if (found != cycles) {
        printf("expected %u: %s\n", cycles, loupe_retain_cycles(address));
        exit(1);
    }
}

static void testScreenThatCapturesItselfLeaks(void) {
    Screen *screen = [[Screen alloc] init];
    [screen loadCarelessly];
    expect(1, screen, __func__);
    screen.download.completion = nil;
}

static void testScreenIsInNoCycle(void) {
    Screen *screen = [[Screen alloc] init];
    [screen loadCarefully];
    expect(0, screen, __func__);
}

int main(void) {
    @autoreleasepool {
        testScreenThatCapturesItselfLeaks();
        testScreenIsInNoCycle();
    }
    return 0;
}
