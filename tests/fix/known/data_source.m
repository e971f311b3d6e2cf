/* A view keeps its data source; the property says nothing of how it holds. */
#import "known.h"

@protocol GridDataSource
- (int)numberOfItems;
@end

@interface GridView : Counted
@property (nonatomic) id<GridDataSource> dataSource;
- (int)draw;
@end
@implementation GridView
- (int)draw {
    return [self.dataSource numberOfItems];
}
@end

@interface GridScreen : Counted <GridDataSource>
@property (nonatomic, strong) GridView *grid;
@end
@implementation GridScreen
- (int)numberOfItems {
    return 9;
}
@end

void known_mistake(void) {
    GridScreen *screen = [[GridScreen alloc] init];
    screen.grid = [[GridView alloc] init];
    screen.grid.dataSource = screen;
    assert([screen.grid draw] == 9);
}
