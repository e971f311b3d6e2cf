/* A coordinator keeps the one above it. */
#import "known.h"

@interface AppCoordinator : Counted
@property (nonatomic, strong) NSMutableArray *children;
- (void)childDidEnd:(id)child;
@end
@interface LoginCoordinator : Counted
@property (nonatomic, strong) AppCoordinator *parentCoordinator;
@property (nonatomic) BOOL isDone;
- (void)end;
@end

@implementation AppCoordinator
- (void)childDidEnd:(LoginCoordinator *)child {
    child.isDone = YES;
}
@end
@implementation LoginCoordinator
- (void)end {
    [self.parentCoordinator childDidEnd:self];
}
@end

void known_mistake(void) {
    AppCoordinator *app = [[AppCoordinator alloc] init];
    app.children = [[NSMutableArray alloc] init];
    LoginCoordinator *login = [[LoginCoordinator alloc] init];
    login.parentCoordinator = app;
    [app.children addObject:login];
    [login end];
    assert(login.isDone);
}
