/* A layer keeps its delegate, the view that owns it; the ivar is declared in the class. */
#import "known.h"

@interface TileLayer : Counted {
    id _delegate;
}
- (void)setDelegate:(id)delegate;
- (id)delegate;
@end
@implementation TileLayer
- (void)setDelegate:(id)delegate {
    _delegate = delegate;
}
- (id)delegate {
    return _delegate;
}
@end

@interface MapView : Counted
@property (nonatomic, strong) TileLayer *layer;
@end
@implementation MapView
@end

void known_mistake(void) {
    MapView *view = [[MapView alloc] init];
    view.layer = [[TileLayer alloc] init];
    [view.layer setDelegate:view];
    assert([view.layer delegate] == view);
}
