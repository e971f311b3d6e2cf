/* The links of a list go both ways, and both own. */
#import "known.h"

@interface Station : Counted
@property (strong) Station *next;
@property (strong) Station *previous;
@end
@implementation Station
@end

void known_mistake(void) {
    Station *first = [[Station alloc] init], *last = first;
    for (int i = 0; i < 3; i++) {
        Station *station = [[Station alloc] init];
        station.previous = last;
        last.next = station;
        last = station;
    }
    assert(last.previous.previous.previous == first);
}
