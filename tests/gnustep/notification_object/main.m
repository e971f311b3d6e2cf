/*
 * Notifications retain their object and their user info; the center retains no observer.
 *
 *     seed                                           info: the same by the user info, a dictionary
 *      :
 *      v
 *    Station ==_last==> GSNotification --object--> O
 *
 *     guard
 *      |
 *      v
 *    Station ==_center==> NSNotificationCenter - -observer- -> O
 *
 * Rings      Station._last, the notification's object or user info.
 * Near miss  guard: it observes itself, by a selector.
 */
#import "watched.h"

@interface Station : Watched {
@public
    NSNotification *_last;
    NSNotificationCenter *_center;
}
- (void)hear:(NSNotification *)notification;
@end

@implementation Station
- (void)hear:(NSNotification *)notification {
    _last = [notification retain];
}
- (void)dealloc {
    [_center removeObserver:self];
    [_last release];
    [_center release];
    [super dealloc];
}
@end

static Station *make_station(void) {
    Station *station = [[Station alloc] init];
    station->_center = [[NSNotificationCenter alloc] init];
    [station->_center addObserver:station selector:@selector(hear:) name:nil object:nil];
    return station;
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    Station *seed = make_station(), *info = make_station(), *guard = make_station();
    [seed->_center postNotificationName:@"News" object:seed];
    [info->_center postNotificationName:@"News"
                                 object:nil
                               userInfo:[NSDictionary dictionaryWithObject:info forKey:@"from"]];
    [guard->_center postNotificationName:@"News" object:nil];
    [pool drain];
    [seed release];
    [info release];
    FIXTURE_KEEP(seed);
    FIXTURE_KEEP(info);
    FIXTURE_KEEP(guard);
    loupe_fixture_ready();
    [guard release];
    return watched_verdict(2);
}
