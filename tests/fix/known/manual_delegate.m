/* A delegate that is retained, by the usual setter of code without ARC. */
#import "known.h"

@interface Grid : Counted {
    id delegate;
}
- (void)setDelegate:(id)aDelegate;
- (int)rows;
@end
@interface GridOwner : Counted {
    Grid *grid;
}
- (int)numberOfRows;
- (Grid *)grid;
@end
@implementation Grid
- (void)setDelegate:(id)aDelegate {
    [aDelegate retain];
    [delegate release];
    delegate = aDelegate;
}
- (int)rows {
    return [delegate numberOfRows];
}
- (void)dealloc {
    [delegate release];
    [super dealloc];
}
@end
@implementation GridOwner
- (id)init {
    if ((self = [super init])) {
        grid = [[Grid alloc] init];
        [grid setDelegate:self];
    }
    return self;
}
- (int)numberOfRows {
    return 5;
}
- (Grid *)grid {
    return grid;
}
- (void)dealloc {
    [grid release];
    [super dealloc];
}
@end

void known_mistake(void) {
    GridOwner *owner = [[GridOwner alloc] init];
    assert([[owner grid] rows] == 5);
    [owner release];
}
