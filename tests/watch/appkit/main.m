/*
 * Windows of GNUstep's real AppKit, by the first argument:
 *
 *     clean     a window with views is closed and dies
 *     leaked    the same, but a view of it retains it
 *     view      a view of it is kept by a global variable
 *     many      five hundred windows
 *     open      nothing is closed: a window with tabs, a table and a popup stays open, with a view that
 *               its controller keeps for later
 *     screen    a controller's view was in that window, is taken off, and retains its controller
 *
 * A second argument keeps the program there at its end.
 */
#import <AppKit/AppKit.h>

#include <stdio.h>
#include <string.h>
#include <unistd.h>

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

@interface Later : NSViewController {
@public
    NSView *_header;
}
@end

@implementation Later
@end

static NSWindow *opened;
static Later *controller;

/* A bit of everything that keeps views which are in no window. */
static void openOne(void) {
    NSRect frame = NSMakeRect(0, 0, 100, 50);
    NSTabView *tabs = [[[NSTabView alloc] initWithFrame:frame] autorelease];
    NSScrollView *scroll = [[[NSScrollView alloc] initWithFrame:frame] autorelease];
    NSTableView *table = [[[NSTableView alloc] initWithFrame:frame] autorelease];
    NSPopUpButton *popUp = [[[NSPopUpButton alloc] initWithFrame:frame pullsDown:NO] autorelease];
    int i;
    opened = makeWindow();
    for (i = 0; i < 2; i++) {
        NSTabViewItem *item = [[[NSTabViewItem alloc] initWithIdentifier:@"tab"] autorelease];
        [item setView:[[[NSView alloc] initWithFrame:frame] autorelease]];
        [tabs addTabViewItem:item];
    }
    [scroll setDocumentView:table];
    [popUp addItemWithTitle:@"one"];
    controller = [[Later alloc] initWithNibName:nil bundle:nil];
    controller->_header = [[NSView alloc] initWithFrame:frame];
    [controller setView:[[[NSView alloc] initWithFrame:frame] autorelease]];
    [[controller view] addSubview:tabs];
    [[controller view] addSubview:scroll];
    [[controller view] addSubview:popUp];
    [[opened contentView] addSubview:[controller view]];
    [opened orderFront:nil];
}

static void leaveScreen(void) {
    Later *screen = [[Later alloc] initWithNibName:nil bundle:nil];
    Panel *panel = [[[Panel alloc] initWithFrame:NSMakeRect(0, 0, 10, 10)] autorelease];
    [screen setView:panel];
    [[opened contentView] addSubview:panel];
    panel->_owner = [screen retain];
    [panel removeFromSuperview];
    [screen release];
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
    NSAutoreleasePool *inner = [[NSAutoreleasePool alloc] init];
    if (strcmp(mode, "open") == 0 || strcmp(mode, "screen") == 0)
        openOne();
    if (strcmp(mode, "screen") == 0)
        leaveScreen();
    [inner release];
    for (i = 0; i < times && !opened; i++)
        closeOne(mode);
    [[NSRunLoop currentRunLoop] runUntilDate:[NSDate dateWithTimeIntervalSinceNow:1.0]];
    [NSThread sleepForTimeInterval:0.5];
    printf("done\n");
    [pool release];
    if (count > 2) {
        fflush(stdout);
        pause();
    }
    return 0;
}
