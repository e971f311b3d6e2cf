/*
 * usage: many SECONDS
 * Ten thousand screens a minute, pushed and popped under the shipped rules. One in a hundred leaks, and is
 * repaired once that was told. Each leak has to be told once and taken back once, nothing else may be told,
 * and what a tenth of the time left in the heap is all that is left at its end.
 */
#import "UIKit.h"

#include "../check.h"
#include "loupe_watch.h"

#include <malloc.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PER_MINUTE = 10000, LEAKS_ONE_IN = 100, MOST_AT_ONCE = 4096, MOST_GROWTH = 32 << 10 };

@interface Screen : UIViewController
@property(nonatomic, copy) void (^onDone)(void);
@end

@implementation Screen
- (void)viewDidLoad {
    [super viewDidLoad];
    [self.view addSubview:[[UIView alloc] init]];
}
@end

static _Atomic(long) told, late;

static void note(const struct loupe_watch_report *report, void *unused) {
    (void)unused;
    if (report->event == LOUPE_WATCH_LEAK)
        told++;
    else if (report->event == LOUPE_WATCH_LATE)
        late++;
    else
        CHECK(!"a screen is in use again");
}

/* Those that leak and were not repaired yet, the oldest first. */
static struct {
    __weak Screen *screens[MOST_AT_ONCE];
    long first, count;
} leaking;

static void plant(Screen *screen) {
    CHECK(leaking.count - leaking.first < MOST_AT_ONCE);
    screen.onDone = ^{
        [screen viewDidLoad];
    };
    leaking.screens[leaking.count++ % MOST_AT_ONCE] = screen;
}

/* As many as were told, whichever: those that were not told yet are due all the same. */
static void repair(long upTo) {
    for (; leaking.first < upTo; leaking.first++) {
        @autoreleasepool {
            Screen *screen = leaking.screens[leaking.first % MOST_AT_ONCE];
            CHECK(screen);
            screen.onDone = nil;
        }
    }
}

static void show(UINavigationController *navigation, long number) {
    @autoreleasepool {
        Screen *screen = [[Screen alloc] init];
        [navigation pushViewController:screen animated:YES];
        [navigation popViewControllerAnimated:YES];
        if (number % LEAKS_ONE_IN == LEAKS_ONE_IN - 1)
            plant(screen);
    }
}

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static BOOL isWatching(void) {
    const char *list = loupe_watch_list();
    return strcmp(list, "null") == 0 || strstr(list, "\"state\"");
}

static size_t inUse(void) {
    struct mallinfo2 all = mallinfo2();
    return all.uordblks + all.hblkhd;
}

/* Until all that was planted was told, repaired and taken back. */
static size_t settle(void) {
    double end = now() + 300;
    while (late < leaking.count || isWatching()) {
        CHECK(now() < end);
        repair(told);
        usleep(20000);
    }
    CHECK(told == leaking.count && late == told);
    return inUse();
}

static long run(UINavigationController *navigation, long first, double seconds) {
    double begun = now();
    long number = first;
    while (now() - begun < seconds) {
        show(navigation, number++);
        repair(told);
        double due = (double)(number - first) * 60 / PER_MINUTE - (now() - begun);
        if (due > 0)
            usleep((useconds_t)(due * 1e6));
    }
    return number;
}

int main(int count, char **arguments) {
    double seconds = count > 1 ? atof(arguments[1]) : 6;
    UINavigationController *navigation = [[UINavigationController alloc]
        initWithRootViewController:[[UIViewController alloc] init]];
    loupe_watch_on_leak(note, NULL);
    CHECK(loupe_watch_rules("uikit") == LOUPE_WATCH_OK);
    long number = run(navigation, 0, seconds / 10);
    size_t before = settle();
    number = run(navigation, number, seconds * 9 / 10);
    size_t after = settle();
    printf("%ld screens, %ld leaked, %ld told, %ld taken back; %zu bytes in use, before %zu\n", number,
           leaking.count, told, late, after, before);
    CHECK(after <= before + MOST_GROWTH);
    return 0;
}
