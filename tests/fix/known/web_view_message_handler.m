/* A content controller keeps its message handlers. */
#import "doubles.h"
#import "known.h"

@interface WebScreen : Counted
@property (nonatomic, strong) WKUserContentController *content;
- (void)viewDidDisappear:(BOOL)animated;
@end

@implementation WebScreen
- (instancetype)init {
    if ((self = [super init])) {
        _content = [[WKUserContentController alloc] init];
        [_content addScriptMessageHandler:self name:@"app"];
    }
    return self;
}
- (void)viewDidDisappear:(BOOL)animated {
    assert(animated);
}
@end

void known_mistake(void) {
    WebScreen *screen = [[WebScreen alloc] init];
    assert([screen.content handlerForName:@"app"] == screen);
    [screen viewDidDisappear:YES];
}
