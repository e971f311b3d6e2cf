/* The dance is right outside, and undone by a block inside that is stored. */
#import "known.h"

@interface Feed : Counted
@property (nonatomic, copy) void (^load)(void);
@property (nonatomic, copy) void (^show)(void);
@property (nonatomic) int shown;
- (void)begin;
@end

@implementation Feed
- (void)begin {
    __weak typeof(self) weakSelf = self;
    self.load = ^{
        __strong typeof(self) strongSelf = weakSelf;
        strongSelf.show = ^{
            strongSelf.shown++;
        };
    };
}
@end

void known_mistake(void) {
    Feed *feed = [[Feed alloc] init];
    [feed begin];
    feed.load();
    feed.show();
    assert(feed.shown == 1);
}
