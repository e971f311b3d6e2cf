/*
 * A screen on GNUstep that is closed. By the first argument:
 *
 *     clean     it dies
 *     leaked    Screen --_loader--> Loader --_owner--> Screen, nobody opens it
 *     late      the same, opened half a second after it was due
 *     shown     closed, shown again before it is due, closed at last
 *     reused    many die, each at the address of the one before
 *     thrown    exceptions pass through methods that are intercepted, and through what rules ask
 *     child     a process that the program forks goes on, and is not watched
 */
#define _GNU_SOURCE
#import <Foundation/Foundation.h>
#include <dlfcn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

@class Screen;

@interface Loader : NSObject {
@public
    Screen *_owner;
}
@end

@implementation Loader
@end

@interface Screen : NSObject {
    Loader *_loader;
}
- (Loader *)loader;
- (void)show;
- (void)close;
- (void)explode:(double)force;
- (void)touchMine;
- (id)mine;
@end

@implementation Screen

- (id)init {
    self = [super init];
    _loader = [[Loader alloc] init];
    return self;
}

- (void)dealloc {
    [_loader release];
    [super dealloc];
}

- (Loader *)loader {
    return _loader;
}

- (void)show {
}

- (void)close {
}

- (void)explode:(double)force {
    if (force > 0)
        [self explode:force - 1];
    [NSException raise:@"Explosion" format:@"%g", force];
}

- (void)touchMine {
}

/* Asked by a rule. */
- (id)mine {
    [NSException raise:@"Mine" format:@"touched"];
    return nil;
}

@end

static void pass(double seconds) {
    usleep((useconds_t)(seconds * 1000000));
}

/* A while, and until all that was due by then has been told, however busy the machine is. */
static void passAndWait(double seconds) {
    enum { MOST_TURNS = 60000 };
    const char *(*loupe_watch_list)(void);
    void *found = dlsym(RTLD_DEFAULT, "loupe_watch_list");
    int turns;
    pass(seconds);
    if (!found)
        return;
    memcpy(&loupe_watch_list, &found, sizeof(found));
    for (turns = 0; turns < MOST_TURNS; turns++) {
        const char *list = loupe_watch_list();
        if (strcmp(list, "null") && !strstr(list, "\"state\":\"waiting\"") && !strstr(list, "\"state\":\"died\""))
            return;
        pass(0.01);
    }
}

static void reuse(void) {
    unsigned i;
    for (i = 0; i < 20000; i++) {
        Screen *screen = [[Screen alloc] init];
        [screen close];
        [screen release];
    }
}

static int caught(Screen *screen, BOOL isMine) {
    NS_DURING
        if (isMine)
            [screen touchMine];
        else
            [screen explode:20];
    NS_HANDLER
        return 1;
    NS_ENDHANDLER
    return 0;
}

static int throwAll(void) {
    Screen *screen = [[Screen alloc] init];
    int i, count = 0;
    for (i = 0; i < 100; i++)
        count += caught(screen, NO) + caught(screen, YES);
    [screen close];
    [screen release];
    return count == 200 ? 0 : 1;
}

static int forkChild(void) {
    int status;
    pid_t child = fork();
    if (child == 0) {
        Screen *screen = [[Screen alloc] init];
        [screen close];
        pass(0.5);
        _exit(3);
    }
    return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 3 ? 0 : 1;
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    const char *mode = count > 1 ? arguments[1] : "";
    Screen *screen = [[Screen alloc] init];
    BOOL isLeaked = strcmp(mode, "leaked") == 0 || strcmp(mode, "late") == 0;
    if (isLeaked)
        [screen loader]->_owner = [screen retain];
    [screen close];
    if (strcmp(mode, "shown") == 0) {
        [screen show];
        pass(0.5);
        [screen close];
    }
    [screen release];
    if (strcmp(mode, "reused") == 0)
        reuse();
    if (strcmp(mode, "thrown") == 0 && throwAll())
        return 1;
    if (strcmp(mode, "child") == 0 && forkChild())
        return 1;
    [pool release];
    passAndWait(0.5);
    if (strcmp(mode, "late") == 0) {
        [screen loader]->_owner = nil;
        [screen release];
        passAndWait(0.5);
    }
    return 0;
}
