/*
 * Preloaded into a released program of GNUstep: does one action again and again, from a timer of the
 * program's own run loop, and calls released_program_is_idle() each time that the action is over.
 *
 * GNUstep counts its objects itself; RELEASED_COUNTS names a file to write these counts to, so that
 * there is somebody else to compare Loupe's with. "NAME.3" has those after the third time.
 */
#import <Foundation/Foundation.h>
#import <Foundation/NSDebug.h>
#include <objc/runtime.h>
#include <stdio.h>
#include <stdlib.h>

/* The debugger stops here. */
void released_program_is_idle(int times);

__attribute__((noinline)) void released_program_is_idle(int times) {
    __asm__ volatile("" : : "r"(times));
}

/* What the programs have, of which no header is installed. */
@interface NSObject (Released)
+ (id)sharedApplication;
- (id)delegate;
- (NSArray *)windows;
- (BOOL)sendAction:(SEL)action to:(id)target from:(id)sender;
- (id)windowController;

+ (id)sharedDocumentController;
- (void)newDocument:(id)sender;
- (NSArray *)documents;
- (void)close;
- (id)inspectorsManager;
- (void)setCurrentInspector:(id)sender;

- (id)projectManager;
- (id)activeProject;
- (id)createProjectOfType:(NSString *)type path:(NSString *)path;
- (id)openProjectAt:(NSString *)path makeActive:(BOOL)flag;
- (BOOL)close:(id)sender;
@end

@interface ReleasedDriver : NSObject {
    int ticks, times;
}
@end

@implementation ReleasedDriver

+ (void)load {
    if (getenv("RELEASED_COUNTS"))
        GSDebugAllocationActive(YES);
    [[NSNotificationCenter defaultCenter]
        addObserver:[self new]
           selector:@selector(launched:)
               name:@"NSApplicationDidFinishLaunchingNotification"
             object:nil];
}

- (void)launched:(NSNotification *)notification {
    (void)notification;
    [NSTimer scheduledTimerWithTimeInterval:0.5
                                     target:self
                                   selector:@selector(tick)
                                   userInfo:nil
                                    repeats:YES];
}

static id application(void) {
    return [NSClassFromString(@"NSApplication") sharedApplication];
}

/* A person selects a few things in a document, and the inspector shows each. */
- (void)openInGorm {
    enum { SELECTIONS = 8 };
    [[NSClassFromString(@"NSDocumentController") sharedDocumentController] newDocument:nil];
    for (int i = 0; i < SELECTIONS; i++)
        [[[application() delegate] inspectorsManager] setCurrentInspector:nil];
}

- (void)closeInGorm {
    id controller = [NSClassFromString(@"NSDocumentController") sharedDocumentController];
    [[[controller documents] lastObject] close];
}

- (void)openInProjectCenter {
    id manager = [[application() delegate] projectManager];
    NSString *folder = [NSString stringWithUTF8String:getenv("RELEASED_PROJECT")];
    NSString *name = [[folder lastPathComponent] stringByAppendingPathExtension:@"pcproj"];
    if (![[NSFileManager defaultManager] fileExistsAtPath:folder])
        [[manager createProjectOfType:@"Tool" path:folder] close:nil];
    [manager openProjectAt:[folder stringByAppendingPathComponent:name] makeActive:YES];
}

- (void)closeInProjectCenter {
    [[[[application() delegate] projectManager] activeProject] close:nil];
}

- (void)openInTerminal {
    [application() sendAction:@selector(openWindow:) to:nil from:nil];
}

- (void)closeInTerminal {
    NSEnumerator *windows = [[application() windows] reverseObjectEnumerator];
    id window, shell = NSClassFromString(@"TerminalWindowController");
    while ((window = [windows nextObject]))
        if ([[window windowController] isKindOfClass:shell])
            return [window close];
}

- (void)writeCounts:(const char *)name {
    char path[1024];
    snprintf(path, sizeof path, "%s.%d", name, times);
    FILE *file = fopen(path, "w");
    Class *classes = GSDebugAllocationClassList();
    for (int i = 0; file && classes[i]; i++)
        fprintf(file, "%d %s\n", GSDebugAllocationCount(classes[i]), class_getName(classes[i]));
    NSZoneFree(NSDefaultMallocZone(), classes);
    if (file)
        fclose(file);
}

/* The program has some time after it was launched, and after each step. */
- (void)tick {
    enum { LAUNCHED = 3, OPEN = 4, CLOSE = 7, DONE = 10 };
    NSString *program = [[NSProcessInfo processInfo] processName];
    ticks = ticks < DONE ? ticks + 1 : LAUNCHED;
    if (ticks == OPEN)
        [self performSelector:NSSelectorFromString([@"openIn" stringByAppendingString:program])];
    if (ticks == CLOSE)
        [self performSelector:NSSelectorFromString([@"closeIn" stringByAppendingString:program])];
    if (ticks != DONE)
        return;
    times++;
    if (getenv("RELEASED_COUNTS"))
        [self writeCounts:getenv("RELEASED_COUNTS")];
    released_program_is_idle(times);
}

@end
