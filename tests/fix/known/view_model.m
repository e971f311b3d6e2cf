/* What a view shows keeps the view. */
#import "known.h"

@protocol AlbumView
- (void)show:(int)photos;
@end

@interface AlbumPresenter : Counted
@property (nonatomic, strong) id<AlbumView> view;
- (void)load;
@end
@implementation AlbumPresenter
- (void)load {
    [self.view show:4];
}
@end

@interface AlbumScreen : Counted <AlbumView>
@property (nonatomic, strong) AlbumPresenter *presenter;
@property (nonatomic) int shown;
@end
@implementation AlbumScreen
- (void)show:(int)photos {
    self.shown = photos;
}
@end

void known_mistake(void) {
    AlbumScreen *screen = [[AlbumScreen alloc] init];
    screen.presenter = [[AlbumPresenter alloc] init];
    screen.presenter.view = screen;
    [screen.presenter load];
    assert(screen.shown == 4);
}
