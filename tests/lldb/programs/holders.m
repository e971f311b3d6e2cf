/*
 * Objects that are alive for good reasons, none in a ring: an app delegate in a static variable, its
 * window and root view; a service in a static variable of a function; a list that only a local
 * variable keeps; an object that an autorelease pool keeps, and one that nothing but a count does.
 * Stops in holdersReady(), one frame below run.
 */
#import <Foundation/Foundation.h>

@interface View : NSObject
@property (nonatomic, strong) NSArray *subviews;
@property (nonatomic, weak) View *superview;
@end

@implementation View
@end

@interface Window : NSObject
@property (nonatomic, strong) View *rootView;
@end

@implementation Window
@end

@interface AppDelegate : NSObject
@property (nonatomic, strong) Window *window;
@property (nonatomic, copy) void (^onQuit)(void);
@end

@implementation AppDelegate
@end

@interface Service : NSObject
@property (nonatomic, strong) id client;
@end

@implementation Service

+ (Service *)shared {
    static Service *instance;
    if (!instance)
        instance = [[Service alloc] init];
    return instance;
}

@end

static AppDelegate *shared;
View *lastView;
__weak View *watched;
__thread View *__unsafe_unretained current;
struct {
    int count;
    __strong View *views[3];
} registry;

void holdersReady(void) {
    __asm__ volatile("" : : : "memory");
}

#define KEEP(variable) __asm__ volatile("" : : "r"(&(variable)) : "memory")

static void setUp(void) {
    View *root = [[View alloc] init], *button = [[View alloc] init];
    shared = [[AppDelegate alloc] init];
    shared.window = [[Window alloc] init];
    shared.window.rootView = root;
    root.subviews = @[ button ];
    button.superview = root;
    shared.onQuit = ^{
        (void)button;
    };
    [Service shared].client = root;
    lastView = [[View alloc] init];
    registry.views[2] = [[View alloc] init];
    watched = root;
    current = button;
}

@interface View (Pool)
+ (View *)pooled;
@end

@implementation View (Pool)

+ (View *)pooled {
    return [[View alloc] init];
}

@end

/* Not taken back at once, as a caller's return would. */
static const void *autoreleased(void) {
    __autoreleasing View *view = [View pooled];
    return (__bridge const void *)view;
}

static const void *stale[32];

/* Pointers that outlive a frame: what was objects there, until a call overwrites them. */
__attribute__((noinline)) static void leaveStalePointers(void) {
    enum { WORDS = 7 * 1024, STEP = 192 };
    const void *frame[WORDS];
    for (int i = 0; i < WORDS; i++)
        frame[i] = (__bridge const void *)[View class];
    KEEP(frame);
    for (int i = 0; i < 32; i++)
        stale[i] = &frame[i * STEP];
}

static int run(void) {
    __unsafe_unretained View *root = shared.window.rootView;
    __unsafe_unretained View *button = root.subviews[0];
    __unsafe_unretained View *last = lastView, *registered = registry.views[2];
    NSArray *local = @[ [[View alloc] init] ];
    __unsafe_unretained View *inLocal = local[0];
    const void *counted = (__bridge_retained const void *)[[View alloc] init];
    KEEP(root);
    KEEP(button);
    KEEP(last);
    KEEP(registered);
    KEEP(local);
    KEEP(inLocal);
    KEEP(counted);
    const void *pooled = autoreleased();
    KEEP(pooled);
    leaveStalePointers();
    holdersReady();
    return 0;
}

int main(void) {
    @autoreleasepool {
        setUp();
        return run();
    }
}
