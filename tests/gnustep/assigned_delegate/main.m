/*
 * What properties say about ivars of manual retain/release. Only clang describes them.
 *
 *     seed                                            guard
 *      :                                                |
 *      v                                                v
 *    Screen ==_download==> Download ==_delegate==> O   Screen ==_loader==> Loader - -_delegate- -> O
 *
 * Ring       Screen._download, Download._delegate: both properties retain.
 * Near miss  guard: the property of Loader assigns.
 */
#import "watched.h"

@interface Download : Watched {
    id _delegate;
}
@property(nonatomic, retain) id delegate;
@end

@interface Loader : Watched {
    id _delegate;
}
@property(nonatomic, assign) id delegate;
@end

@interface Screen : Watched {
    Download *_download;
    Loader *_loader;
}
@property(nonatomic, retain) Download *download;
@property(nonatomic, retain) Loader *loader;
@end

@implementation Download
@synthesize delegate = _delegate;
- (void)dealloc {
    [_delegate release];
    [super dealloc];
}
@end

@implementation Loader
@synthesize delegate = _delegate;
@end

@implementation Screen
@synthesize download = _download, loader = _loader;
- (void)dealloc {
    [_download release];
    [_loader release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Screen *seed = [[Screen alloc] init], *guard = [[Screen alloc] init];
    seed.download = [[[Download alloc] init] autorelease];
    seed.download.delegate = seed;
    guard.loader = [[[Loader alloc] init] autorelease];
    guard.loader.delegate = guard;
    [pool drain];
    [seed release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(2);
}
