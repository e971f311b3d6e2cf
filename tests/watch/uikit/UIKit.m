#import "UIKit.h"

/* ---- Views ---- */

@implementation UIView {
    __weak UIView *_superview;
    NSMutableArray *_subviewCache;
}

@synthesize superview = _superview;

- (instancetype)init {
    self = [super init];
    if (self)
        _subviewCache = [[NSMutableArray alloc] init];
    return self;
}

- (NSArray *)subviews {
    return [NSArray arrayWithArray:_subviewCache];
}

- (UIWindow *)window {
    UIView *view = self;
    while (view && ![view isKindOfClass:[UIWindow class]])
        view = view.superview;
    return (UIWindow *)view;
}

- (void)moveToWindow {
    [self didMoveToWindow];
    for (UIView *view in self.subviews)
        [view moveToWindow];
}

- (void)didMoveToWindow {
}

- (void)addSubview:(UIView *)view {
    [view removeFromSuperview];
    view->_superview = self;
    [_subviewCache addObject:view];
    [view moveToWindow];
}

- (void)removeFromSuperview {
    UIView *superview = self.superview, *kept = self;
    _superview = nil;
    if (superview) {
        [superview->_subviewCache removeObject:kept];
        [kept moveToWindow];
    }
}

@end

@implementation UIControl

- (void)sendAction:(SEL)action to:(id)target {
    [[UIApplication sharedApplication] sendAction:action to:target from:self forEvent:nil];
}

@end

@implementation UISwitch
@end

@implementation UITextField
@end

@implementation UIFieldEditor
@end

@implementation _UITextContainerView
@end

@implementation UINavigationBar
@end

@implementation _UIVisualEffectBackdropView
@end

@implementation _UIAlertControllerActionView
@end

@implementation UIAlertView
@end

@implementation UIWebView
@end

@implementation UITableViewCell
@end

@implementation UITableView {
    NSMutableDictionary *_reusableTableCells;
}

- (void)scrollTo:(NSUInteger)row {
    if (!_reusableTableCells)
        _reusableTableCells = [[NSMutableDictionary alloc] init];
    NSMutableArray *waiting = [_reusableTableCells objectForKey:@"cell"];
    if (!waiting) {
        waiting = [[NSMutableArray alloc] init];
        [_reusableTableCells setObject:waiting forKey:@"cell"];
    }
    UITableViewCell *old = _visibleCell;
    _visibleCell = row % 3 || !waiting.count ? [[UITableViewCell alloc] init] : [waiting lastObject];
    [waiting removeObject:_visibleCell];
    [old removeFromSuperview];
    if (old)
        [waiting addObject:old];
    [self addSubview:_visibleCell];
}

@end

@implementation UITouch
@end

@implementation UIApplication

+ (UIApplication *)sharedApplication {
    static UIApplication *application;
    if (!application)
        application = [[UIApplication alloc] init];
    return application;
}

- (BOOL)sendAction:(SEL)action to:(id)target from:(id)sender forEvent:(id)event {
    (void)event;
    [target performSelector:action withObject:sender];
    return YES;
}

@end

/* ---- Controllers ---- */

@interface UIViewController () {
@public
    NSMutableArray *_childViewControllers;
    UIViewController *_childModalViewController;
    __weak UIViewController *_presenting;
    BOOL _isBeingDismissed, _isMovingFromParent;
}
- (void)appear;
- (void)disappearMoving:(BOOL)isMoving dismissed:(BOOL)isDismissed;
@end

@implementation UIViewController {
    UIView *_view;
    __weak UIViewController *_parentViewController;
}

- (instancetype)init {
    self = [super init];
    if (self)
        _childViewControllers = [[NSMutableArray alloc] init];
    return self;
}

- (UIView *)view {
    if (!_view) {
        _view = [[UIView alloc] init];
        [self viewDidLoad];
    }
    return _view;
}

- (void)setView:(UIView *)view {
    _view = view;
}

- (BOOL)isViewLoaded {
    return _view != nil;
}

- (NSArray *)childViewControllers {
    return [NSArray arrayWithArray:_childViewControllers];
}

- (UIViewController *)parentViewController {
    return _parentViewController;
}

- (UIViewController *)presentedViewController {
    return _childModalViewController ? _childModalViewController : _parentViewController.presentedViewController;
}

- (UIViewController *)presentingViewController {
    return _presenting ? _presenting : _parentViewController.presentingViewController;
}

- (UIViewController *)containerOfClass:(Class)cls {
    UIViewController *container = _parentViewController;
    while (container && ![container isKindOfClass:cls])
        container = container.parentViewController;
    return container;
}

- (UINavigationController *)navigationController {
    return (UINavigationController *)[self containerOfClass:[UINavigationController class]];
}

- (UISplitViewController *)splitViewController {
    return (UISplitViewController *)[self containerOfClass:[UISplitViewController class]];
}

- (BOOL)isBeingDismissed {
    return _isBeingDismissed;
}

- (BOOL)isMovingFromParentViewController {
    return _isMovingFromParent;
}

- (void)viewDidLoad {
}

- (void)viewWillAppear:(BOOL)animated {
    (void)animated;
}

- (void)viewDidAppear:(BOOL)animated {
    (void)animated;
}

- (void)viewWillDisappear:(BOOL)animated {
    (void)animated;
}

- (void)viewDidDisappear:(BOOL)animated {
    (void)animated;
}

- (void)appear {
    if (_parentViewController && self.view.superview != _parentViewController.view)
        [_parentViewController.view addSubview:self.view];
    (void)self.view;
    [self viewWillAppear:YES];
    [self viewDidAppear:YES];
}

- (void)disappearMoving:(BOOL)isMoving dismissed:(BOOL)isDismissed {
    _isMovingFromParent = isMoving;
    _isBeingDismissed = isDismissed;
    [self viewWillDisappear:YES];
    [_view removeFromSuperview];
    [self viewDidDisappear:YES];
    _isMovingFromParent = _isBeingDismissed = NO;
}

- (void)addChildViewController:(UIViewController *)child {
    [child willMoveToParentViewController:self];
    child->_parentViewController = self;
    [_childViewControllers addObject:child];
}

- (void)removeFromParentViewController {
    UIViewController *parent = _parentViewController, *kept = self;
    _parentViewController = nil;
    [parent->_childViewControllers removeObject:kept];
    [kept didMoveToParentViewController:nil];
}

- (void)willMoveToParentViewController:(UIViewController *)parent {
    (void)parent;
}

- (void)didMoveToParentViewController:(UIViewController *)parent {
    (void)parent;
}

- (UIViewController *)outermost {
    return _parentViewController ? [_parentViewController outermost] : self;
}

- (void)presentViewController:(UIViewController *)presented
                     animated:(BOOL)animated
                   completion:(void (^)(void))completion {
    UIViewController *presenter = [self outermost];
    (void)animated;
    presenter->_childModalViewController = presented;
    presented->_presenting = presenter;
    [presented appear];
    if (completion)
        completion();
}

- (void)dismissViewControllerAnimated:(BOOL)animated completion:(void (^)(void))completion {
    UIViewController *presented = _childModalViewController;
    if (!presented) {
        [self.presentingViewController dismissViewControllerAnimated:animated completion:completion];
        return;
    }
    UIViewController *last = presented;
    while (last->_childModalViewController)
        last = last->_childModalViewController;
    [last disappearMoving:NO dismissed:YES];
    _childModalViewController = nil;
    if (completion)
        completion();
}

@end

@implementation UIAlertController
@end

/* ---- Containers ---- */

@implementation UINavigationController

- (instancetype)initWithRootViewController:(UIViewController *)root {
    self = [self init];
    if (self)
        [self pushViewController:root animated:NO];
    return self;
}

- (NSArray *)viewControllers {
    return self.childViewControllers;
}

- (void)setViewControllers:(NSArray *)controllers {
    [self setViewControllers:controllers animated:NO];
}

- (UIViewController *)topViewController {
    return [_childViewControllers lastObject];
}

- (void)pushViewController:(UIViewController *)controller animated:(BOOL)animated {
    (void)animated;
    [self.topViewController disappearMoving:NO dismissed:NO];
    [self addChildViewController:controller];
    [controller appear];
    [controller didMoveToParentViewController:self];
}

/* Off the screen with the top one, out of the stack with all. */
- (NSArray *)popAllAbove:(NSUInteger)count {
    NSArray *before = self.viewControllers;
    NSMutableArray *popped = [NSMutableArray array];
    [self.topViewController disappearMoving:YES dismissed:NO];
    for (NSUInteger i = before.count; i-- > count;) {
        [popped addObject:before[i]];
        [before[i] removeFromParentViewController];
    }
    [self.topViewController appear];
    return popped;
}

- (UIViewController *)popViewControllerAnimated:(BOOL)animated {
    (void)animated;
    return [self popAllAbove:_childViewControllers.count - 1].firstObject;
}

- (NSArray *)popToViewController:(UIViewController *)controller animated:(BOOL)animated {
    (void)animated;
    return [self popAllAbove:[_childViewControllers indexOfObjectIdenticalTo:controller] + 1];
}

- (NSArray *)popToRootViewControllerAnimated:(BOOL)animated {
    (void)animated;
    return [self popAllAbove:1];
}

- (void)setViewControllers:(NSArray *)controllers animated:(BOOL)animated {
    UIViewController *top = self.topViewController;
    (void)animated;
    if (top && ![controllers containsObject:top])
        [top disappearMoving:YES dismissed:NO];
    for (UIViewController *child in self.viewControllers) {
        if (![controllers containsObject:child])
            [child removeFromParentViewController];
    }
    for (UIViewController *child in controllers) {
        if (![self.viewControllers containsObject:child]) {
            [self addChildViewController:child];
            [child didMoveToParentViewController:self];
        }
    }
    [self.topViewController appear];
}

- (void)swipeBegins {
    self.topViewController->_isMovingFromParent = YES;
    [self.topViewController viewWillDisappear:YES];
}

- (void)swipeIsCancelled {
    self.topViewController->_isMovingFromParent = NO;
    [self.topViewController appear];
}

- (void)swipeIsFinished {
    UIViewController *top = self.topViewController;
    [top.view removeFromSuperview];
    [top viewDidDisappear:YES];
    top->_isMovingFromParent = NO;
    [top removeFromParentViewController];
    [self.topViewController appear];
}

@end

@implementation UITabBarController

- (NSArray *)viewControllers {
    return self.childViewControllers;
}

- (void)setViewControllers:(NSArray *)controllers {
    [self setViewControllers:controllers animated:NO];
}

- (void)setViewControllers:(NSArray *)controllers animated:(BOOL)animated {
    (void)animated;
    /* As quietly as some containers of programs: they tell the children nothing. */
    for (UIViewController *child in self.viewControllers) {
        if (![controllers containsObject:child])
            [_childViewControllers removeObject:child];
    }
    for (UIViewController *child in controllers) {
        if (![_childViewControllers containsObject:child])
            [self addChildViewController:child];
    }
    [[_childViewControllers firstObject] appear];
}

- (void)setSelectedIndex:(NSUInteger)index {
    [_childViewControllers[_selectedIndex] disappearMoving:NO dismissed:NO];
    _selectedIndex = index;
    [_childViewControllers[index] appear];
}

@end

@implementation UIPageViewController

- (NSArray *)viewControllers {
    return self.childViewControllers;
}

- (void)setViewControllers:(NSArray *)controllers
                 direction:(NSInteger)direction
                  animated:(BOOL)animated
                completion:(void (^)(BOOL finished))completion {
    (void)direction;
    (void)animated;
    [_childViewControllers removeAllObjects];
    for (UIViewController *child in controllers)
        [self addChildViewController:child];
    if (completion)
        completion(YES);
}

@end

@implementation UISplitViewController

- (NSArray *)viewControllers {
    return self.childViewControllers;
}

- (void)setViewControllers:(NSArray *)controllers {
    [_childViewControllers removeAllObjects];
    for (UIViewController *child in controllers) {
        [self addChildViewController:child];
        [child didMoveToParentViewController:self];
    }
}

@end

@implementation UIWindow

- (void)setRootViewController:(UIViewController *)root {
    UIViewController *before = _rootViewController;
    _rootViewController = root;
    [before.view removeFromSuperview];
    [self addSubview:root.view];
    [root appear];
}

@end
