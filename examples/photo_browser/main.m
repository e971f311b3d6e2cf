/*
 * A small photo browser that leaks. It opens three screens, closes them, and then looks whether they
 * are gone, as many apps do in debug builds. None of them is:
 *
 *     PhotoScreen      keeps a block that captured self
 *     AlbumScreen      keeps a grid that keeps its delegate
 *     SlideShowScreen  keeps a repeating timer that keeps its target
 *
 * Break on screenShouldBeGone and ask: retain-cycles screen
 */
#import "Screen.h"

#include <stdio.h>

void screenShouldBeGone(__unsafe_unretained Screen *screen) {
    printf("%s should be gone, but is still alive\n", screen.title.UTF8String);
}

static void openAndClose(Screen *screen, Navigator *navigator) {
    [navigator push:screen];
    [navigator pop];
}

int main(void) {
    Navigator *navigator = [[Navigator alloc] init];
    __weak Screen *closed[3];
    @autoreleasepool {
        Screen *screens[] = {
            [[PhotoScreen alloc] initWithTitle:@"Photo"],
            [[AlbumScreen alloc] initWithTitle:@"Album"],
            [[SlideShowScreen alloc] initWithTitle:@"Slide show"],
        };
        for (int i = 0; i < 3; i++) {
            openAndClose(screens[i], navigator);
            closed[i] = screens[i];
        }
    }
    for (int i = 0; i < 3; i++) {
        const void *alive = (__bridge const void *)closed[i];
        if (alive)
            screenShouldBeGone((__bridge Screen *)alive);
    }
    return 0;
}
