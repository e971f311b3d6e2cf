/*
 * A program on GNUstep that grows: a cache that is never emptied, a list of observers that none leaves,
 * a variable of the file with a dictionary, and a list that was as long before. Says "ready" before it grows and after, and waits each time until
 * its input goes on.
 */
#import <Foundation/Foundation.h>

#include <stdio.h>

#define THING(name)                                                                                \
    @interface name : NSObject                                                                     \
    @end                                                                                           \
    @implementation name                                                                           \
    @end

THING(Thumbnail)
THING(Screen)
THING(Row)

enum { AT_FIRST = 3, LATER = 40 };

@interface Store : NSObject {
  @public
    NSMutableDictionary *_thumbnailCache;
    NSMutableArray *_observers, *_rows;
}
@end

@implementation Store
- (void)dealloc {
    [_thumbnailCache release];
    [_observers release];
    [_rows release];
    [super dealloc];
}
@end

/* It has a text, so that memory grows in which nothing else does. */
@interface Preview : NSObject {
    NSMutableString *_title;
}
@end
@implementation Preview
- (id)init {
    self = [super init];
    _title = [[NSMutableString alloc] initWithString:@"untitled"];
    return self;
}
- (void)dealloc {
    [_title release];
    [super dealloc];
}
@end

static Store *store;
static NSMutableDictionary *previews;

static void add(NSMutableArray *list, Class kind) {
    id added = [[kind alloc] init];
    [list addObject:added];
    [added release];
}

static void grow(unsigned from, unsigned to) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    for (unsigned i = from; i < to; i++) {
        Thumbnail *thumbnail = [[Thumbnail alloc] init];
        [store->_thumbnailCache setObject:thumbnail forKey:[NSNumber numberWithInt:(int)i]];
        [thumbnail release];
        Preview *preview = [[Preview alloc] init];
        [previews setObject:preview forKey:[NSNumber numberWithInt:(int)i]];
        [preview release];
        add(store->_observers, [Screen class]);
    }
    [pool release];
}

static void wait_for_a_look(void) {
    puts("ready");
    fflush(stdout);
    getchar();
}

int main(void) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    store = [[Store alloc] init];
    previews = [[NSMutableDictionary alloc] init];
    store->_thumbnailCache = [[NSMutableDictionary alloc] init];
    store->_observers = [[NSMutableArray alloc] init];
    store->_rows = [[NSMutableArray alloc] init];
    for (unsigned i = 0; i < LATER; i++)
        add(store->_rows, [Row class]);
    grow(0, AT_FIRST);
    wait_for_a_look();
    grow(AT_FIRST, LATER);
    wait_for_a_look();
    [store release];
    [previews release];
    [pool release];
    return 0;
}
