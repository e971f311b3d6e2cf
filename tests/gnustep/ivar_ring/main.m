/*
 * Two objects that retain each other, and two of which one forgets to.
 *
 *     seed
 *      :
 *      v
 *    Screen ==_download==> Download ==_delegate==> Screen, the same
 *
 *     guard
 *      |
 *      v
 *    Screen ==_download==> Download - -_owner- -> Screen, the same
 *
 * Ring       Screen._download, Download._delegate: assumed, the runtime keeps no ownership.
 * Near miss  guard: the way back is no object to the compiler, so that nobody retains it.
 */
#import "watched.h"

@class Screen;

@interface Download : Watched {
@public
    Screen *_delegate;
    void *_owner;
}
@end

@interface Screen : Watched {
@public
    Download *_download;
}
@end

@implementation Download
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@implementation Screen
- (void)dealloc {
    [_download release];
    [super dealloc];
}
@end

static Screen *make_screen(BOOL leaks) {
    Screen *screen = [[Screen alloc] init];
    screen->_download = [[Download alloc] init];
    if (leaks)
        screen->_download->_delegate = [screen retain];
    else
        screen->_download->_owner = screen;
    return screen;
}

int main(void) {
    Screen *seed = make_screen(YES), *guard = make_screen(NO);
    [seed release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(2);
}
