/*
 * Tests that assert what Loupe knows: no retain cycle, no leak, and death in time. With a word the
 * screen makes the mistake that each of them finds; without one all of them hold.
 */
#import <Foundation/Foundation.h>

#include "loupe_testing.h"

#include <stdio.h>
#include <string.h>

@interface Screen : NSObject
@property(nonatomic, copy) void (^completion)(void);
@end

@implementation Screen
- (void)show {
}

- (void)loadWithMistake:(BOOL)mistake {
    __weak Screen *weakSelf = self;
    self.completion = mistake ? ^{
        [self show];
    } : ^{
        [weakSelf show];
    };
}
@end

static Screen *screen_of(BOOL mistake) {
    Screen *screen = [[Screen alloc] init];
    [screen loadWithMistake:mistake];
    return screen;
}

static void say(const char *message, const char *file, int line) {
    const char *name = strrchr(file, '/');
    printf("failed at %s:%d: %s\n", name ? name + 1 : file, line, message);
}

int main(int argc, char **argv) {
    BOOL mistake = argc > 1;
    int failed = 0;
    (void)argv;
    loupe_testing_on_failure(say);
    @autoreleasepool {
        Screen *screen = screen_of(mistake);
        failed += !LoupeAssertNoCycles(screen);
    }
    failed += !LoupeAssertDies(^{
        return (id)screen_of(mistake);
    });
    failed += !LoupeAssertNoLeaks(^{
        screen_of(mistake);
    });
    printf("%d of 3 failed\n", failed);
    return failed;
}
