/* An object that is associated keeps what it is associated with. */
#import "known.h"

#import <objc/runtime.h>

static char key;

@class Panel;
@interface Shadow : Counted
@property (nonatomic, strong) Panel *panel;
@end
@implementation Shadow
@end

@interface Panel : Counted
@end
@implementation Panel
@end

void known_mistake(void) {
    Panel *panel = [[Panel alloc] init];
    Shadow *shadow = [[Shadow alloc] init];
    shadow.panel = panel;
    objc_setAssociatedObject(panel, &key, shadow, OBJC_ASSOCIATION_RETAIN);
    assert(((Shadow *)objc_getAssociatedObject(panel, &key)).panel == panel);
}
