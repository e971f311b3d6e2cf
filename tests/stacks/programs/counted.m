/*
 * A program of libobjc2 that stops in code which the runtime calls: methods, a block, -dealloc by a
 * release, by the end of an autorelease pool and by an association, +initialize. Each place is a
 * call of loupe_fixture_ready().
 */
#import <Foundation/Foundation.h>

#include "watch.h"

#include <objc/runtime.h>

@interface Song : NSObject {
    id _next;
    __weak id _album;
}
- (id)initWithNext:(id)next album:(id)album;
- (int)play:(int)times;
@end

@implementation Song

+ (void)initialize {
    loupe_fixture_ready();
}

- (id)initWithNext:(id)next album:(id)album {
    if ((self = [super init])) {
        _next = next;
        _album = album;
    }
    return self;
}

- (int)play:(int)times {
    loupe_fixture_ready();
    return times ? [self play:times - 1] + 1 : _album != nil;
}

- (void)dealloc {
    loupe_fixture_ready();
}

@end

__attribute__((noinline)) static int call(int (^block)(int)) {
    return block(3) + 1;
}

__attribute__((noinline)) static int play_all(void) {
    static char key;
    int played = 0;
    @autoreleasepool {
        Song *album = [[Song alloc] initWithNext:nil album:nil];
        Song *last = [[Song alloc] initWithNext:nil album:album];
        Song *first = [[Song alloc] initWithNext:last album:album];
        played = [first play:2];
        played += call(^(int times) {
            loupe_fixture_ready();
            return [last play:times] + 1;
        });
        objc_setAssociatedObject(first, &key, [[Song alloc] initWithNext:nil album:last],
                                 OBJC_ASSOCIATION_RETAIN);
    }
    return played;
}

int main(void) {
    return play_all() == 0;
}
