/*
 * A photo library whose main thread does what it should not: it sorts all photos there, and waits
 * for a lock that an import holds. Nothing of Loupe is in it; LOUPE_STALLS=0.4 with the preloaded
 * library says where it hangs (./run demo --stall).
 */
#import <Foundation/Foundation.h>

#include <unistd.h>

enum { IMPORT_MICROSECONDS = 1200000 };
static const NSTimeInterval sorting = 1.2;

@interface PhotoLibrary : NSObject {
    NSLock *_lock;
    double _order;
}
- (void)sortByDate:(NSTimer *)timer;
- (void)importAll;
- (void)showNewest:(NSTimer *)timer;
- (void)quit:(NSTimer *)timer;
@end

@implementation PhotoLibrary

- (id)init {
    if ((self = [super init]))
        _lock = [[NSLock alloc] init];
    return self;
}

- (void)compareAll {
    for (int i = 1; i < 100000; i++)
        _order += 1.0 / i;
}

- (void)sortByDate:(NSTimer *)timer {
    NSTimeInterval start = [NSDate timeIntervalSinceReferenceDate];
    (void)timer;
    while ([NSDate timeIntervalSinceReferenceDate] - start < sorting)
        [self compareAll];
}

- (void)importAll {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    [_lock lock];
    usleep(IMPORT_MICROSECONDS);
    [_lock unlock];
    [pool release];
}

- (void)showNewest:(NSTimer *)timer {
    (void)timer;
    [NSThread detachNewThreadSelector:@selector(importAll) toTarget:self withObject:nil];
    usleep(50000); /* the import has begun */
    [_lock lock];
    [_lock unlock];
}

- (void)quit:(NSTimer *)timer {
    (void)timer;
    exit(0);
}

@end

static void schedule(PhotoLibrary *library, NSTimeInterval delay, SEL action) {
    [NSTimer scheduledTimerWithTimeInterval:delay
                                     target:library
                                   selector:action
                                   userInfo:nil
                                    repeats:NO];
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    PhotoLibrary *library = [[PhotoLibrary alloc] init];
    schedule(library, 1, @selector(sortByDate:));
    schedule(library, 3, @selector(showNewest:));
    schedule(library, 5, @selector(quit:));
    [[NSRunLoop currentRunLoop] run];
    [pool release];
    return 0;
}
