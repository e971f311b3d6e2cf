/*
 * A screen on GNUstep that is closed. By the first argument:
 *
 *     clean     it dies
 *     leaked    Screen --_loader--> Loader --_owner--> Screen, nobody opens it
 *     late      the same, opened half a second after it was due
 *     shown     closed, shown again before it is due, closed at last
 *     reused    many die, each at the address of the one before
 */
#import <Foundation/Foundation.h>
#include <string.h>
#include <unistd.h>

@class Screen;

@interface Loader : NSObject {
@public
    Screen *_owner;
}
@end

@implementation Loader
@end

@interface Screen : NSObject {
    Loader *_loader;
}
- (Loader *)loader;
- (void)show;
- (void)close;
@end

@implementation Screen

- (id)init {
    self = [super init];
    _loader = [[Loader alloc] init];
    return self;
}

- (void)dealloc {
    [_loader release];
    [super dealloc];
}

- (Loader *)loader {
    return _loader;
}

- (void)show {
}

- (void)close {
}

@end

static void wait(double seconds) {
    usleep((useconds_t)(seconds * 1000000));
}

static void reuse(void) {
    unsigned i;
    for (i = 0; i < 20000; i++) {
        Screen *screen = [[Screen alloc] init];
        [screen close];
        [screen release];
    }
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    const char *mode = count > 1 ? arguments[1] : "";
    Screen *screen = [[Screen alloc] init];
    BOOL isLeaked = strcmp(mode, "leaked") == 0 || strcmp(mode, "late") == 0;
    if (isLeaked)
        [screen loader]->_owner = [screen retain];
    [screen close];
    if (strcmp(mode, "shown") == 0) {
        [screen show];
        wait(0.5);
        [screen close];
    }
    [screen release];
    if (strcmp(mode, "reused") == 0)
        reuse();
    [pool release];
    wait(0.5);
    if (strcmp(mode, "late") == 0) {
        [screen loader]->_owner = nil;
        [screen release];
        wait(0.5);
    }
    return 0;
}
