/*
 * A unit test on GNUstep, which counts references by hand: a controller and a view that keep each other
 * live on until one of them lets go.
 */
#import <Foundation/Foundation.h>

#include "loupe_watch.h"

#include <assert.h>

@interface Part : NSObject {
@public
    id _other;
}
@end

@implementation Part
- (void)dealloc {
    [_other release];
    [super dealloc];
}
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Part *alone = [[Part alloc] init];
    assert(loupe_watch(alone, 0.2) == LOUPE_WATCH_OK);
    [alone release];
    assert(loupe_expect_dead(alone));

    Part *first = [[Part alloc] init], *second = [[Part alloc] init];
    first->_other = second;
    second->_other = [first retain];
    assert(loupe_watch(first, 0.2) == LOUPE_WATCH_OK);
    [first release];
    assert(!loupe_expect_dead(first)); /* the report has the ring: first, second */
    second->_other = nil;
    [first release];
    [pool release];
    return 0;
}
