/* A map table that owns both sides has an object that owns the table. */
#import "known.h"

@interface Seat : Counted
@property (nonatomic, strong) NSMapTable *players;
@end
@implementation Seat
- (instancetype)init {
    if ((self = [super init])) {
        _players = [NSMapTable strongToStrongObjectsMapTable];
        [_players setObject:self forKey:@"me"];
    }
    return self;
}
@end

void known_mistake(void) {
    Seat *seat = [[Seat alloc] init];
    assert([seat.players objectForKey:@"me"] == seat);
}
