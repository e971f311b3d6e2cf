/* An object that dies while it is watched, and another one that takes its place. */
#import <Foundation/Foundation.h>

@interface Screen : NSObject {
    int _size[4];
}
@end
@implementation Screen
@end

@interface Sheet : NSObject {
    int _size[4];
}
@end
@implementation Sheet
@end

int is_made(void *screen) {
    return screen != NULL;
}

int is_gone(void *place, Sheet *sheet) {
    return place == (void *)sheet;
}

int main(void) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    Screen *screen = [Screen new];
    void *place = screen;
    Sheet *sheet;
    is_made(screen);
    [screen release];
    sheet = [Sheet new];
    [sheet retain];
    is_gone(place, sheet);
    [sheet release];
    [sheet release];
    [pool release];
    return 0;
}
