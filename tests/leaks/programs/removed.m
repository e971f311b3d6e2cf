/*
 * A program on GNUstep that puts the first object of a ring into a collection, or has something of
 * the Foundation know it, and takes it out again: nothing holds the ring then, whatever the memory
 * still has behind the last element. One ring of each class; of Kept, the first stays inside. Then
 * it stops itself.
 */
#import <Foundation/Foundation.h>

#include <signal.h>
#include <string.h>

@interface Half : NSObject {
  @public
    id other;
}
@end
@implementation Half
- (void)hear:(id)ignored {
    (void)ignored;
}
@end

#define RING(name)                                                                                 \
    @interface name : Half                                                                         \
    @end                                                                                           \
    @implementation name                                                                           \
    @end
RING(FromOrderedSet)
RING(FromArray)
RING(FromDictionary)
RING(FromSet)
RING(FromCountedSet)
RING(FromMapTable)
RING(FromHashTable)
RING(FromPointerArray)
RING(FromCache)
RING(FromThread)
RING(FromCenter)
RING(FromNotificationQueue)
RING(FromUndoManager)
RING(FromRunLoop)
RING(FromTimedPerformers)
RING(FromPool)
RING(FromText)
RING(Kept)

static id collections[16];
static unsigned collection_count;

static id keep(id collection) {
    return collections[collection_count++] = [collection retain];
}

static id ring(Class class) {
    Half *first = [[class new] autorelease], *second = [[class new] autorelease];
    first->other = [second retain];
    second->other = [first retain];
    return first;
}

static void take_from_rows(void) {
    NSMutableOrderedSet *set = keep([NSMutableOrderedSet orderedSetWithObject:@"first"]);
    NSMutableArray *array = keep([NSMutableArray arrayWithObject:@"first"]);
    NSPointerArray *pointers = keep([NSPointerArray strongObjectsPointerArray]);
    id object = ring([FromOrderedSet class]);
    [set addObject:ring([Kept class])];
    [set addObject:object];
    [set removeObject:object];
    [array addObject:ring([FromArray class])];
    [array removeLastObject];
    [pointers addPointer:@"first"];
    [pointers addPointer:ring([FromPointerArray class])];
    [pointers setCount:1];
}

static void take_from_tables(void) {
    NSMutableDictionary *dictionary = keep([NSMutableDictionary dictionaryWithObject:@"a"
                                                                              forKey:@"b"]);
    NSMutableSet *set = keep([NSMutableSet setWithObject:@"a"]);
    NSCountedSet *counted = keep([NSCountedSet setWithObject:@"a"]);
    NSMapTable *map = keep([NSMapTable strongToStrongObjectsMapTable]);
    NSHashTable *hashes = keep([NSHashTable hashTableWithOptions:0]);
    NSCache *cache = keep([[NSCache new] autorelease]);
    id object;
    [dictionary setObject:ring([FromDictionary class]) forKey:@"key"];
    [dictionary removeObjectForKey:@"key"];
    [set addObject:object = ring([FromSet class])];
    [set removeObject:object];
    [counted addObject:object = ring([FromCountedSet class])];
    [counted removeObject:object];
    [map setObject:ring([FromMapTable class]) forKey:@"key"];
    [map removeObjectForKey:@"key"];
    [hashes addObject:object = ring([FromHashTable class])];
    [hashes removeObject:object];
    [cache setObject:ring([FromCache class]) forKey:@"key"];
    [cache removeObjectForKey:@"key"];
}

static void take_from_foundation(void) {
    NSMutableDictionary *of_thread = [[NSThread currentThread] threadDictionary];
    NSNotificationCenter *center = [NSNotificationCenter defaultCenter];
    NSNotificationQueue *queue = [NSNotificationQueue defaultQueue];
    NSNotification *notification;
    id object = ring([FromCenter class]);
    [of_thread setObject:ring([FromThread class]) forKey:@"key"];
    [of_thread removeObjectForKey:@"key"];
    [center addObserver:object selector:@selector(hear:) name:@"news" object:nil];
    [center removeObserver:object];
    notification = [NSNotification notificationWithName:@"news"
                                                 object:ring([FromNotificationQueue class])];
    [queue enqueueNotification:notification postingStyle:NSPostWhenIdle];
    [queue dequeueNotificationsMatching:notification coalesceMask:NSNotificationCoalescingOnName];
}

static void take_from_plans(void) {
    NSUndoManager *undo = keep([[NSUndoManager new] autorelease]);
    NSMutableAttributedString *text =
        keep([[[NSMutableAttributedString alloc] initWithString:@"text"] autorelease]);
    id object = ring([FromRunLoop class]);
    [undo registerUndoWithTarget:ring([FromUndoManager class]) selector:@selector(hear:) object:nil];
    [undo removeAllActions];
    [[NSRunLoop currentRunLoop] performSelector:@selector(hear:)
                                         target:object
                                       argument:nil
                                          order:1
                                          modes:[NSArray arrayWithObject:NSDefaultRunLoopMode]];
    [[NSRunLoop currentRunLoop] cancelPerformSelectorsWithTarget:object];
    object = ring([FromTimedPerformers class]);
    [object performSelector:@selector(hear:) withObject:nil afterDelay:1000];
    [NSObject cancelPreviousPerformRequestsWithTarget:object];
    ring([FromPool class]);
    [text addAttribute:@"key" value:ring([FromText class]) range:NSMakeRange(1, 2)];
    [text removeAttribute:@"key" range:NSMakeRange(0, 4)];
}

/* Where the frames before stood. */
static void __attribute__((noinline)) wipe_stack(void) {
    volatile char room[1 << 16];
    memset((void *)room, 0, sizeof(room));
}

int main(void) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    take_from_rows();
    take_from_tables();
    take_from_foundation();
    take_from_plans();
    [pool drain];
    wipe_stack();
    raise(SIGSTOP);
    return 0;
}
