/*
 * A program on libobjc2 that goes through what a preloaded library of Loupe's meets there: rules
 * about classes that nobody has used yet when they are read, an object whose death is waited for in
 * a run loop. Its run loop and its dates are its own, as strict as a Foundation's: their methods end
 * the program where +initialize has not run before them.
 *
 * It ends with 0 if the screen that was closed and kept lives, and the one that was let go died.
 */
#import <Foundation/Foundation.h>

#include <dlfcn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static id only_loop, only_date;

static id made(id one, const char *of) {
    if (!one) {
        fprintf(stderr, "+initialize of %s has not run\n", of);
        abort();
    }
    return one;
}

@interface NSDate : NSObject
+ (id)dateWithTimeIntervalSinceNow:(double)seconds;
@end
@implementation NSDate
+ (void)initialize {
    only_date = [NSDate new];
}
+ (id)dateWithTimeIntervalSinceNow:(double)seconds {
    return made(only_date, "NSDate");
}
@end

@interface NSRunLoop : NSObject
+ (id)currentRunLoop;
- (void)runUntilDate:(NSDate *)date;
@end
@implementation NSRunLoop
+ (void)initialize {
    only_loop = [NSRunLoop new];
}
+ (id)currentRunLoop {
    return made(only_loop, "NSRunLoop");
}
- (void)runUntilDate:(NSDate *)date {
    nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
}
@end

/* Whose class answers to a rule before anybody else has sent it a message. */
@interface Style : NSObject
+ (id)standard;
@end
static id standard;
@implementation Style
+ (void)initialize {
    standard = [Style new];
}
+ (id)standard {
    return made(standard, "Style");
}
@end

@interface Screen : NSObject
@end
@implementation Screen
- (Class)style {
    return objc_getClass("Style");
}
- (void)close {
}
@end

@interface SmallScreen : Screen
@end
@implementation SmallScreen
- (void)close {
    [super close];
}
@end

typedef bool expect_function(const void *object);
typedef int watch_function(const void *object, double seconds);

static expect_function *expect_dead;
static watch_function *watch;

static void find(const char *name, void *function) {
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof(found));
}

/* wait: for both deaths; watch: and says itself what is watched, instead of rules. */
int main(int count, char **arguments) {
    find("loupe_expect_dead", &expect_dead);
    find("loupe_watch", &watch);
    Screen *kept = [SmallScreen new], *gone = [Screen new];
    if (watch && count > 1 && strcmp(arguments[1], "watch") == 0) {
        watch(kept, 0.1);
        watch(gone, 0.1);
    }
    [kept close];
    [gone close];
    const void *address = gone;
    [gone release];
    if (expect_dead && count > 1) {
        bool died = expect_dead(address), lives = !expect_dead(kept);
        printf("died %d, lives %d\n", died, lives);
        return died && lives ? 0 : 1;
    }
    printf("done\n");
    return 0;
}
