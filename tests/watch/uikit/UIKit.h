/*
 * UIKit.h - a double of the part of UIKit that decides how long screens live, on the test runtime: the
 * same class and method names, the same calls in the same order, one thread, nothing drawn.
 *
 * A controller that is taken off gets viewWillDisappear:, viewDidDisappear: and
 * didMoveToParentViewController:nil; one below it in the stack only the last. A swipe takes the top one
 * off when it is finished, and shows it again when it is cancelled.
 */
#import <Foundation/Foundation.h>

@class UIViewController, UINavigationController, UISplitViewController, UIWindow;

@interface UIView : NSObject
@property(nonatomic, readonly, weak) UIView *superview;
@property(nonatomic, readonly, copy) NSArray *subviews;
@property(nonatomic, readonly) UIWindow *window;
- (void)addSubview:(UIView *)view;
- (void)removeFromSuperview;
- (void)didMoveToWindow;
@end

@interface UIControl : UIView
- (void)sendAction:(SEL)action to:(id)target;
@end

@interface UISwitch : UIControl
@end

@interface UITextField : UIControl
@end

@interface UIFieldEditor : UIView
@end

@interface _UITextContainerView : UIView
@end

@interface UINavigationBar : UIView
@end

@interface _UIVisualEffectBackdropView : UIView
@end

@interface _UIAlertControllerActionView : UIView
@end

@interface UIAlertView : UIView
@end

@interface UIWebView : UIView
@end

@interface UITableViewCell : UIView
@end

/* Shows one row; the cell of the row before is used again or waits for that. */
@interface UITableView : UIView
@property(nonatomic, readonly) UITableViewCell *visibleCell;
- (void)scrollTo:(NSUInteger)row;
@end

@interface UIWindow : UIView
@property(nonatomic, strong) UIViewController *rootViewController;
@end

@interface UITouch : NSObject
@property(nonatomic, weak) UIView *view;
@end

@interface UIApplication : NSObject
+ (UIApplication *)sharedApplication;
- (BOOL)sendAction:(SEL)action to:(id)target from:(id)sender forEvent:(id)event;
@end

@interface UIViewController : NSObject
@property(nonatomic, strong) UIView *view;
@property(nonatomic, readonly) BOOL isViewLoaded;
@property(nonatomic, readonly, copy) NSArray *childViewControllers;
@property(nonatomic, readonly, weak) UIViewController *parentViewController;
@property(nonatomic, readonly) UIViewController *presentedViewController; /* or that of a container */
@property(nonatomic, readonly) UIViewController *presentingViewController;
@property(nonatomic, readonly) UINavigationController *navigationController;
@property(nonatomic, readonly) UISplitViewController *splitViewController;
@property(nonatomic, readonly, getter=isBeingDismissed) BOOL beingDismissed;
@property(nonatomic, readonly) BOOL isMovingFromParentViewController;
- (void)viewDidLoad;
- (void)viewWillAppear:(BOOL)animated;
- (void)viewDidAppear:(BOOL)animated;
- (void)viewWillDisappear:(BOOL)animated;
- (void)viewDidDisappear:(BOOL)animated;
- (void)addChildViewController:(UIViewController *)child;
- (void)removeFromParentViewController;
- (void)willMoveToParentViewController:(UIViewController *)parent;
- (void)didMoveToParentViewController:(UIViewController *)parent;
- (void)presentViewController:(UIViewController *)presented
                     animated:(BOOL)animated
                   completion:(void (^)(void))completion;
- (void)dismissViewControllerAnimated:(BOOL)animated completion:(void (^)(void))completion;
@end

@interface UIAlertController : UIViewController
@end

@interface UINavigationController : UIViewController
@property(nonatomic, copy) NSArray *viewControllers;
@property(nonatomic, readonly) UIViewController *topViewController;
- (instancetype)initWithRootViewController:(UIViewController *)root;
- (void)pushViewController:(UIViewController *)controller animated:(BOOL)animated;
- (UIViewController *)popViewControllerAnimated:(BOOL)animated;
- (NSArray *)popToViewController:(UIViewController *)controller animated:(BOOL)animated;
- (NSArray *)popToRootViewControllerAnimated:(BOOL)animated;
- (void)setViewControllers:(NSArray *)controllers animated:(BOOL)animated;
/* A finger, which UIKit has instead of methods. */
- (void)swipeBegins;
- (void)swipeIsCancelled;
- (void)swipeIsFinished;
@end

@interface UITabBarController : UIViewController
@property(nonatomic, copy) NSArray *viewControllers;
@property(nonatomic) NSUInteger selectedIndex;
- (void)setViewControllers:(NSArray *)controllers animated:(BOOL)animated;
@end

@interface UIPageViewController : UIViewController
@property(nonatomic, readonly, copy) NSArray *viewControllers;
- (void)setViewControllers:(NSArray *)controllers
                 direction:(NSInteger)direction
                  animated:(BOOL)animated
                completion:(void (^)(BOOL finished))completion;
@end

@interface UISplitViewController : UIViewController
@property(nonatomic, copy) NSArray *viewControllers;
@property(nonatomic, getter=isCollapsed) BOOL collapsed;
@end
