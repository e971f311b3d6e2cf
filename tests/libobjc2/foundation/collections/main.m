/*
 * An object in a collection of its own, with gnustep-base and ARC on libobjc2.
 *
 *     array, dictionary, set, counted, ordered, table, pointers, associated:
 *
 *     array
 *      |
 *      v
 *    Album --_photos--> NSMutableArray --[1]--> O
 *
 *     guard                                       weak_table, weak_set: the same
 *      |
 *      v
 *    Album --_photos--> NSPointerArray - -[0]- -> O
 *
 * Rings      Album._photos, the element or value; of `associated` by an associated array.
 * Near miss  guard: opaque pointers; weak_table, weak_set: weak values, weak elements.
 */
#import "watched.h"

#include <objc/runtime.h>

@interface Album : Watched {
@public
    id _photos;
}
@end

@implementation Album
@end

static Album *make(id photos, Album *album) {
    album->_photos = photos;
    return album;
}

static Album *put_in_array(Album *album) {
    return make([NSMutableArray arrayWithObjects:@"cover", album, nil], album);
}

static Album *put_in_dictionary(Album *album) {
    return make(@{@"cover" : album, @"a longer key" : @"back"}, album);
}

static Album *put_in_set(Album *album) {
    return make([NSMutableSet setWithObject:album], album);
}

static Album *put_in_counted_set(Album *album) {
    return make([NSCountedSet setWithObjects:album, album, nil], album);
}

static Album *put_in_ordered_set(Album *album) {
    return make([NSMutableOrderedSet orderedSetWithObject:album], album);
}

static Album *put_in_table(Album *album, NSMapTable *table) {
    [table setObject:album forKey:@"a longer key"];
    return make(table, album);
}

static Album *put_in_pointers(Album *album, NSPointerArray *pointers) {
    [pointers addPointer:(__bridge void *)album];
    return make(pointers, album);
}

static Album *put_in_weak_set(Album *album) {
    NSHashTable *table = [NSHashTable weakObjectsHashTable];
    [table addObject:album];
    return make(table, album);
}

static Album *associate(Album *album) {
    objc_setAssociatedObject(album, "photos", [NSMutableArray arrayWithObject:album],
                             OBJC_ASSOCIATION_RETAIN);
    return album;
}

#define SHAPES(X)                                                                                  \
    X(array, put_in_array([Album new]))                                                            \
    X(dictionary, put_in_dictionary([Album new]))                                                  \
    X(set, put_in_set([Album new]))                                                                \
    X(counted, put_in_counted_set([Album new]))                                                    \
    X(ordered, put_in_ordered_set([Album new]))                                                    \
    X(table, put_in_table([Album new], [NSMapTable strongToStrongObjectsMapTable]))                \
    X(pointers, put_in_pointers([Album new], [NSPointerArray strongObjectsPointerArray]))          \
    X(associated, associate([Album new]))                                                          \
    X(guard, put_in_pointers(                                                                      \
                 [Album new],                                                                      \
                 [NSPointerArray pointerArrayWithOptions:NSPointerFunctionsOpaqueMemory |          \
                                                         NSPointerFunctionsOpaquePersonality]))    \
    X(weak_table, put_in_table([Album new], [NSMapTable strongToWeakObjectsMapTable]))             \
    X(weak_set, put_in_weak_set([Album new]))

#define DECLARE(name, make) __unsafe_unretained Album *name;
#define MAKE(name, make)                                                                           \
    @autoreleasepool {                                                                             \
        Album *album = make;                                                                       \
        name = album;                                                                              \
        [kept addObject:album];                                                                    \
    }
#define KEEP(name, make) FIXTURE_KEEP(name);

int main(void) {
    NSMutableArray *kept = [NSMutableArray array];
    SHAPES(DECLARE)
    SHAPES(MAKE)
    SHAPES(KEEP)
    loupe_fixture_ready();
    @autoreleasepool {
        [kept removeAllObjects];
    }
    return watched_verdict(8);
}
