/*
 * Single objects that everything leads to are leaves: what they keep for the whole program is no
 * part of an answer about one object.
 *
 *     guard
 *      |
 *      v
 *    Settings ==> NSUserDefaults, NSNotificationCenter, NSBundle, NSTimeZone, NSLocale,
 *                 NSCharacterSet, NSFileManager, NSProcessInfo, the attributes of a file
 *
 * Near miss  guard: the defaults hold it, as a value of a domain that is never saved. The walk ends
 *            at the leaves, or it would be one over all that gnustep-base has.
 */
#import "watched.h"

@interface Settings : Watched {
@public
    id _shared[9];
}
@end

@implementation Settings
@end

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Settings *guard = [[Settings alloc] init];
    id shared[] = {[NSUserDefaults standardUserDefaults],
                   [NSNotificationCenter defaultCenter],
                   [NSBundle mainBundle],
                   [NSTimeZone localTimeZone],
                   [NSLocale currentLocale],
                   [NSCharacterSet alphanumericCharacterSet],
                   [NSFileManager defaultManager],
                   [NSProcessInfo processInfo],
                   [[NSFileManager defaultManager] fileAttributesAtPath:@"/" traverseLink:NO]};
    memcpy(guard->_shared, shared, sizeof(shared));
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    [pool drain];
    return watched_verdict(0);
}
