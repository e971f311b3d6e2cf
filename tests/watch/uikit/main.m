/*
 * What people do with screens, on the double of UIKit. The first argument says what is done, the second
 * whether the screens are as they should be (clean) or make the classic mistake (leaked):
 *
 *     PhotoScreen --_onDone--> block --self--> PhotoScreen
 *
 * Its view has a subview. Main waits until everything is due, then prints "done". With a third argument
 * it stays until it is killed.
 */
#import "UIKit.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static BOOL isLeaking, isSlow;

@interface PhotoScreen : UIViewController
@property(nonatomic, copy) void (^onDone)(void);
@property(nonatomic, strong) UIView *header;
@property(nonatomic, strong) id model;
@property(nonatomic) BOOL stays;
- (BOOL)willDealloc;
@end

@implementation PhotoScreen

- (BOOL)willDealloc {
    return !self.stays;
}

- (void)viewDidLoad {
    [super viewDidLoad];
    self.header = [[UIView alloc] init];
    [self.view addSubview:self.header];
    if (isLeaking)
        self.onDone = ^{
            [self.header removeFromSuperview];
        };
}

- (BOOL)isViewLoaded {
    if (isSlow)
        usleep(70000);
    return super.isViewLoaded;
}

/* Calls super at its end, as many do. */
- (void)viewDidDisappear:(BOOL)animated {
    [super viewDidDisappear:animated];
}

@end

@interface Store : NSObject
@property(nonatomic, strong) id kept;
+ (Store *)shared;
@end

@implementation Store
+ (Store *)shared {
    static Store *store;
    if (!store)
        store = [[Store alloc] init];
    return store;
}
@end

static void waitSeconds(double seconds) {
    usleep((useconds_t)(seconds * 1000000));
}

/* Of loupe_watch_list(). What only dies when another takes its place waits on, with a new deadline. */
static bool isAllTold(const char *list) {
    const long longAgo = 1500;
    const char waiting[] = "\"state\":\"waiting\",\"age_ms\":", left[] = ",\"left_ms\":";
    if (strcmp(list, "null") == 0 || strstr(list, "\"state\":\"died\""))
        return false;
    while ((list = strstr(list, waiting))) {
        char *end;
        long age = strtol(list + strlen(waiting), &end, 10);
        if (age < longAgo || strtol(end + strlen(left), NULL, 10) < 0)
            return false;
        list = end;
    }
    return true;
}

/* And until everything that is due by then has been told, however busy the machine is. */
static void waitUntilAllIsTold(double seconds) {
    enum { MOST_TURNS = 60000 };
    const char *(*loupe_watch_list)(void);
    void *found = dlsym(RTLD_DEFAULT, "loupe_watch_list");
    waitSeconds(seconds);
    if (!found)
        return;
    memcpy(&loupe_watch_list, &found, sizeof(found));
    for (int turns = 0; turns < MOST_TURNS && !isAllTold(loupe_watch_list()); turns++)
        waitSeconds(0.01);
}

static UIWindow *window;
static UINavigationController *navigation;

static void makeWindow(void) {
    navigation = [[UINavigationController alloc]
        initWithRootViewController:[[UIViewController alloc] init]];
    window = [[UIWindow alloc] init];
    window.rootViewController = navigation;
}

static PhotoScreen *pushScreen(void) {
    PhotoScreen *screen = [[PhotoScreen alloc] init];
    [navigation pushViewController:screen animated:YES];
    return screen;
}

static void pop(void) {
    pushScreen();
    [navigation popViewControllerAnimated:YES];
}

/* A machine that is busy with other things while what is to go with a screen is looked for. */
static void popSlowly(void) {
    isSlow = YES;
    pop();
}

static void popToRoot(void) {
    pushScreen();
    pushScreen();
    [navigation popToRootViewControllerAnimated:YES];
}

static void popTo(void) {
    UIViewController *first = navigation.topViewController;
    pushScreen();
    pushScreen();
    [navigation popToViewController:first animated:YES];
}

static void swipe(void) {
    pushScreen();
    [navigation swipeBegins];
    [navigation swipeIsFinished];
}

/* Back and forth: the screen stays. */
static void swipeHalfWay(void) {
    @autoreleasepool {
        pushScreen();
        [navigation swipeBegins];
    }
    waitSeconds(0.3);
    [navigation swipeIsCancelled];
}

static void dismiss(void) {
    [navigation presentViewController:[[PhotoScreen alloc] init] animated:YES completion:nil];
    [navigation dismissViewControllerAnimated:YES completion:nil];
}

static void dismissItself(void) {
    PhotoScreen *screen = [[PhotoScreen alloc] init];
    [navigation presentViewController:screen animated:YES completion:nil];
    [screen dismissViewControllerAnimated:YES completion:nil];
}

/* Two above each other go together; the lower one hears nothing of it. */
static void dismissTwo(void) {
    UIViewController *lower = [[PhotoScreen alloc] init];
    [navigation presentViewController:lower animated:YES completion:nil];
    [lower presentViewController:[[UIViewController alloc] init] animated:YES completion:nil];
    [navigation dismissViewControllerAnimated:YES completion:nil];
}

static void dismissNavigation(void) {
    UIViewController *screen = [[PhotoScreen alloc] init];
    UIViewController *wrapper =
        [[UINavigationController alloc] initWithRootViewController:screen];
    [navigation presentViewController:wrapper animated:YES completion:nil];
    [screen dismissViewControllerAnimated:YES completion:nil];
}

static void setControllers(void) {
    pushScreen();
    UIViewController *first = navigation.viewControllers.firstObject;
    [navigation setViewControllers:@[ first, [[UIViewController alloc] init] ] animated:YES];
}

static void setControllersAtOnce(void) {
    pushScreen();
    navigation.viewControllers = @[ navigation.viewControllers.firstObject ];
}

/* In place of the navigation, which goes. */
static void setRoot(UIViewController *root) {
    window.rootViewController = root;
    navigation = nil;
}

static void tabs(void) {
    UITabBarController *tabBar = [[UITabBarController alloc] init];
    UIViewController *stays = [[UIViewController alloc] init];
    setRoot(tabBar);
    tabBar.viewControllers = @[ stays, [[PhotoScreen alloc] init] ];
    (void)[tabBar.viewControllers[1] view];
    tabBar.viewControllers = @[ stays ];
}

static void tabsAnimated(void) {
    UITabBarController *tabBar = [[UITabBarController alloc] init];
    UIViewController *stays = [[UIViewController alloc] init], *goes = [[PhotoScreen alloc] init];
    setRoot(tabBar);
    [tabBar setViewControllers:@[ stays, goes ] animated:NO];
    (void)goes.view;
    [tabBar setViewControllers:@[ stays ] animated:YES];
}

static void switchTab(void) {
    UITabBarController *tabBar = [[UITabBarController alloc] init];
    @autoreleasepool {
        setRoot(tabBar);
        tabBar.viewControllers = @[ [[PhotoScreen alloc] init], [[PhotoScreen alloc] init] ];
        tabBar.selectedIndex = 1;
    }
    waitSeconds(0.3);
    tabBar.selectedIndex = 0;
}

static void turnPage(void) {
    UIPageViewController *pages = [[UIPageViewController alloc] init];
    setRoot(pages);
    for (int i = 0; i < 2; i++) {
        UIViewController *page = i ? [[UIViewController alloc] init] : [[PhotoScreen alloc] init];
        (void)page.view;
        [pages setViewControllers:@[ page ] direction:0 animated:YES completion:nil];
    }
}

static void split(void) {
    UISplitViewController *splits = [[UISplitViewController alloc] init];
    UIViewController *master = [[UIViewController alloc] init], *detail = [[PhotoScreen alloc] init];
    setRoot(splits);
    (void)detail.view;
    splits.viewControllers = @[ master, detail ];
    splits.viewControllers = @[ master, [[UIViewController alloc] init] ];
}

static void collapsedSplit(void) {
    UISplitViewController *splits = [[UISplitViewController alloc] init];
    window.rootViewController = splits;
    splits.viewControllers = @[ navigation ];
    splits.collapsed = YES;
    [Store shared].kept = pushScreen(); /* as the split view does */
    [navigation popViewControllerAnimated:YES];
}

static void newRoot(void) {
    pushScreen();
    setRoot([[UIViewController alloc] init]);
}

static void child(void) {
    UIViewController *container = [[UIViewController alloc] init];
    setRoot(container);
    UIViewController *content = [[PhotoScreen alloc] init];
    [container addChildViewController:content];
    [container.view addSubview:content.view];
    [content.view removeFromSuperview];
    [content removeFromParentViewController];
}

/* Kept on purpose, and shown again: not known to the rules, so it is told who holds it. */
static void singleton(void) {
    [Store shared].kept = pushScreen();
    [navigation popViewControllerAnimated:YES];
}

static void pushedAgain(void) {
    [Store shared].kept = pushScreen();
    [navigation popViewControllerAnimated:YES];
    [navigation pushViewController:[Store shared].kept animated:YES];
}

static void pushedAgainLate(void) {
    @autoreleasepool {
        singleton();
    }
    waitUntilAllIsTold(0.8);
    [navigation pushViewController:[Store shared].kept animated:YES];
    waitSeconds(1.5);
}

static void lateFree(void) {
    @autoreleasepool {
        singleton();
    }
    waitUntilAllIsTold(0.8);
    [Store shared].kept = nil;
    waitUntilAllIsTold(0.4);
}

/* A screen that was never shown, and a view of one that is, which is in no window yet. */
static void keptForLater(void) {
    PhotoScreen *screen = pushScreen();
    screen.header = [[UIView alloc] init];
    [Store shared].kept = [[UIViewController alloc] init];
    pushScreen();
    [navigation popViewControllerAnimated:YES];
}

/* The view outlives its screen: a cell that is used again. */
static void keptView(void) {
    [Store shared].kept = pushScreen().header;
    [navigation popViewControllerAnimated:YES];
}

static void reusedView(void) {
    keptView();
    [navigation.topViewController.view addSubview:[Store shared].kept];
}

@interface ActionScreen : UIViewController
- (void)close:(id)sender;
@end

@implementation ActionScreen
- (void)close:(id)sender {
    [Store shared].kept = sender; /* as UIKit does until the next action */
    [self.navigationController popViewControllerAnimated:YES];
}
@end

static void action(void) {
    ActionScreen *screen = [[ActionScreen alloc] init];
    UIControl *button = [[UIControl alloc] init];
    [screen.view addSubview:button];
    [navigation pushViewController:screen animated:YES];
    [button sendAction:@selector(close:) to:screen];
}

/* The sender of the last action may live no longer when another one is sent. */
static void actionElsewhere(void) {
    @autoreleasepool {
        action();
    }
    ActionScreen *screen = [[ActionScreen alloc] init];
    UIControl *other = [[UIControl alloc] init];
    [navigation.topViewController.view addSubview:other];
    id kept = [Store shared].kept;
    [other sendAction:@selector(close:) to:screen];
    [Store shared].kept = kept;
}

static void touch(void) {
    UITouch *finger = [[UITouch alloc] init];
    PhotoScreen *screen = pushScreen();
    finger.view = screen.header;
    [Store shared].kept = screen.header;
    [navigation popViewControllerAnimated:YES];
}

/* What was touched last may live no longer when something else is touched. */
static void touchElsewhere(void) {
    UITouch *finger = [[UITouch alloc] init];
    @autoreleasepool {
        touch();
        finger.view = navigation.view;
    }
}

static void collapsedSplitTwice(void) {
    @autoreleasepool {
        collapsedSplit();
    }
    waitSeconds(0.6);
    @autoreleasepool {
        pop();
    }
}

/* A view of each class that the system keeps, in a screen that goes. */
static void spared(void) {
    static const char *const names[] = {
        "UITextField", "UIFieldEditor", "_UITextContainerView", "UINavigationBar", "UISwitch",
        "_UIVisualEffectBackdropView", "_UIAlertControllerActionView", "UIAlertView"};
    NSMutableArray *kept = [[NSMutableArray alloc] init];
    UIView *view = pushScreen().view;
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        UIView *spared = [[objc_getClass(names[i]) alloc] init];
        [view addSubview:spared];
        [kept addObject:spared];
    }
    [Store shared].kept = kept;
    [navigation popViewControllerAnimated:YES];
}

/* Its actions come from a store of the system; kept, it is like any other controller. */
static void showAlert(id kept) {
    UIViewController *alert = [[UIAlertController alloc] init];
    UIView *button = [[_UIAlertControllerActionView alloc] init];
    [alert.view addSubview:button];
    [navigation presentViewController:alert animated:YES completion:nil];
    [navigation dismissViewControllerAnimated:YES completion:nil];
    [Store shared].kept = kept ? alert : button;
}

static void alert(void) {
    showAlert(nil);
}

static void keptAlert(void) {
    showAlert(navigation);
}

/* A text view of the web, which a thread of its own lets go after a second and more. */
static void webView(void) {
    UIView *web = [[UIWebView alloc] init];
    [pushScreen().view addSubview:web];
    [Store shared].kept = web;
    [navigation popViewControllerAnimated:YES];
}

/* A table that uses its cells again: those that scrolled away wait in a store of the table's. */
static void cells(void) {
    UITableView *table = [[UITableView alloc] init];
    UIView *view = pushScreen().view;
    [view addSubview:table];
    for (int i = 0; i < 20; i++)
        [table scrollTo:(NSUInteger)i];
    waitSeconds(0.4);
}

static void cellsGo(void) {
    @autoreleasepool {
        cells();
    }
    [navigation popViewControllerAnimated:YES];
}

/* A store of cells that all tables share lives on, and its cells in it. */
static void sharedCells(void) {
    @autoreleasepool {
        cells();
        UITableView *table = (UITableView *)navigation.topViewController.view.subviews.lastObject;
        [Store shared].kept = table.visibleCell;
    }
    [navigation popViewControllerAnimated:YES];
}

/* Says itself that it stays, as for MLeaksFinder. */
static void willNotDie(void) {
    PhotoScreen *screen = pushScreen();
    [Store shared].kept = screen;
    screen.stays = YES;
    [navigation popViewControllerAnimated:YES];
}

/* A model that is to go with its screen. */
static void keptModel(void) {
    PhotoScreen *screen = pushScreen();
    screen.model = [[NSObject alloc] init];
    [Store shared].kept = screen.model;
    [navigation popViewControllerAnimated:YES];
}

/* A screen that is shown once more at once, as half a swipe, and then goes. */
static void swipeTwice(void) {
    @autoreleasepool {
        swipeHalfWay();
    }
    waitSeconds(0.3);
    @autoreleasepool {
        [navigation swipeBegins];
    }
    [navigation swipeIsFinished];
}

/* Twelve objects from the screen to itself. */
static void longRing(void) {
    PhotoScreen *screen = pushScreen();
    NSMutableArray *last = nil;
    for (int i = 0; i < 25; i++) {
        NSMutableArray *next = [[NSMutableArray alloc] init];
        [next addObject:last ? last : (id)screen];
        last = next;
    }
    screen.model = last;
    [navigation popViewControllerAnimated:YES];
}

/* A class that the runtime makes in front of the program's, as for key-value observing. */
static void observed(void) {
    Class cls = objc_allocateClassPair([PhotoScreen class], "NSKVONotifying_PhotoScreen", 0);
    objc_registerClassPair(cls);
    object_setClass(pushScreen(), cls);
    [navigation popViewControllerAnimated:YES];
}

/* Every step in its own pool, as a turn of the run loop. */
static const struct {
    const char *name;
    void (*run)(void);
} scenarios[] = {{"pop", pop},
                 {"pop-to-root", popToRoot},
                 {"pop-to", popTo},
                 {"swipe", swipe},
                 {"swipe-half-way", swipeHalfWay},
                 {"dismiss", dismiss},
                 {"dismiss-itself", dismissItself},
                 {"dismiss-two", dismissTwo},
                 {"dismiss-navigation", dismissNavigation},
                 {"set-controllers", setControllers},
                 {"set-controllers-at-once", setControllersAtOnce},
                 {"tabs", tabs},
                 {"tabs-animated", tabsAnimated},
                 {"switch-tab", switchTab},
                 {"turn-page", turnPage},
                 {"split", split},
                 {"collapsed-split", collapsedSplit},
                 {"new-root", newRoot},
                 {"child", child},
                 {"singleton", singleton},
                 {"pushed-again", pushedAgain},
                 {"pushed-again-late", pushedAgainLate},
                 {"late-free", lateFree},
                 {"kept-for-later", keptForLater},
                 {"kept-view", keptView},
                 {"reused-view", reusedView},
                 {"action", action},
                 {"action-elsewhere", actionElsewhere},
                 {"touch", touch},
                 {"touch-elsewhere", touchElsewhere},
                 {"collapsed-split-twice", collapsedSplitTwice},
                 {"spared", spared},
                 {"alert", alert},
                 {"kept-alert", keptAlert},
                 {"web-view", webView},
                 {"cells", cellsGo},
                 {"shared-cells", sharedCells},
                 {"will-not-die", willNotDie},
                 {"kept-model", keptModel},
                 {"pop-slowly", popSlowly},
                 {"swipe-twice", swipeTwice},
                 {"long-ring", longRing},
                 {"observed", observed}};

/* Words that lead to screens stand where functions were at work that have returned: whoever looks while
 * others work there would take them for variables. */
__attribute__((noinline)) static void clearStack(void) {
    volatile char stale[1 << 16];
    for (size_t i = 0; i < sizeof(stale); i++)
        stale[i] = 0;
}

int main(int count, char **arguments) {
    isLeaking = count > 2 && strcmp(arguments[2], "leaked") == 0;
    @autoreleasepool {
        makeWindow();
    }
    for (size_t i = 0; count > 1 && i < sizeof(scenarios) / sizeof(*scenarios); i++) {
        if (strcmp(scenarios[i].name, arguments[1]) == 0) {
            @autoreleasepool {
                scenarios[i].run();
            }
            waitUntilAllIsTold(0.6);
            clearStack();
            printf("done\n");
        }
    }
    if (count > 3) {
        fflush(stdout);
        pause();
    }
    return 0;
}
