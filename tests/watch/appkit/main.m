/*
 * Windows of GNUstep's real AppKit, by the first argument:
 *
 *     clean     a window with views is closed and dies
 *     leaked    the same, but a view of it retains it
 *     view      a view of it is kept by a global variable
 *     many      five hundred windows
 */
#import <AppKit/AppKit.h>

#include <stdio.h>
#include <string.h>

@interface Panel : NSView {
@public
    id _owner;
}
@end

@implementation Panel
@end

static NSView *kept;

static NSWindow *makeWindow(void) {
    NSWindow *window = [[NSWindow alloc] initWithContentRect:NSMakeRect(0, 0, 200, 100)
                                                   styleMask:NSTitledWindowMask
                                                     backing:NSBackingStoreBuffered
                                                       defer:YES];
    Panel *panel = [[Panel alloc] initWithFrame:NSMakeRect(0, 0, 10, 10)];
    [[window contentView] addSubview:panel];
    [panel release];
    return window;
}

static void closeOne(const char *mode) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    NSWindow *window = makeWindow();
    Panel *panel = [[[window contentView] subviews] objectAtIndex:0];
    if (strcmp(mode, "leaked") == 0)
        panel->_owner = [window retain];
    if (strcmp(mode, "view") == 0)
        kept = [panel retain];
    [window close];
    [pool release];
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    const char *mode = count > 1 ? arguments[1] : "clean";
    int i, times = strcmp(mode, "many") == 0 ? 500 : 1;
    [NSApplication sharedApplication];
    for (i = 0; i < times; i++)
        closeOne(mode);
    [[NSRunLoop currentRunLoop] runUntilDate:[NSDate dateWithTimeIntervalSinceNow:1.0]];
    [NSThread sleepForTimeInterval:0.5];
    printf("done\n");
    [pool release];
    return 0;
}
