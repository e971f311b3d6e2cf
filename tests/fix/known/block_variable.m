/* A __block variable keeps what it holds, since there is ARC. */
#import "known.h"

@interface Player : Counted
@property (nonatomic, copy) void (^ended)(void);
@property (nonatomic) int plays;
- (void)prepare;
@end

@implementation Player
- (void)prepare {
    __block Player *blockSelf = self;
    self.ended = ^{
        blockSelf.plays++;
    };
}
@end

void known_mistake(void) {
    Player *player = [[Player alloc] init];
    [player prepare];
    player.ended();
    assert(player.plays == 1);
}
