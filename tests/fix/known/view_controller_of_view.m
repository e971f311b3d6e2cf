/* A view keeps its controller, by an ivar that is said to be strong. */
#import "known.h"

@class PhotoController;
@interface PhotoView : Counted {
  @public
    __strong PhotoController *_controller;
}
@end
@implementation PhotoView
@end

@interface PhotoController : Counted
@property (strong) PhotoView *view;
@end
@implementation PhotoController
@end

void known_mistake(void) {
    PhotoController *controller = [[PhotoController alloc] init];
    controller.view = [[PhotoView alloc] init];
    controller.view->_controller = controller;
    assert(controller.view->_controller.view == controller.view);
}
