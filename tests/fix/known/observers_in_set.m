/* The same, in a set that is made where it is first needed. */
#import "known.h"

@interface Clock : Counted
@property (nonatomic, strong) NSMutableSet *listeners;
- (void)addListener:(id)listener;
- (int)tick;
@end

@interface Face : Counted
@property (nonatomic, strong) Clock *clock;
- (int)tick;
@end

@implementation Clock
- (void)addListener:(id)listener {
    if (!self.listeners)
        self.listeners = [NSMutableSet set];
    [self.listeners addObject:listener];
}
- (int)tick {
    int told = 0;
    for (Face *listener in self.listeners)
        told += [listener tick];
    return told;
}
@end

@implementation Face
- (int)tick {
    return 1;
}
@end

void known_mistake(void) {
    Face *face = [[Face alloc] init];
    face.clock = [[Clock alloc] init];
    [face.clock addListener:face];
    assert([face.clock tick] == 1);
}
