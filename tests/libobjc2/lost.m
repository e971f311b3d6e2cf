/*
 * What is lost, and what only looks so, on a gnustep-base with ARC on libobjc2. Writes down what
 * there is, says "ready", waits until its input ends.
 *
 * usage: lost TRUTH kinds | observers | moved_table | retained_ring
 *
 *   kinds          a ring through each of many classes of the Foundation, made in a pool that is
 *                  gone: all are lost
 *   observers      blocks that the default center holds, and one that is retained and removed
 *   moved_table    the same where the center's table is such as no version has
 *   retained_ring  two that hold each other, one of them retained once more
 */
#import <Foundation/Foundation.h>

#include "truth.h"

#include <malloc.h>
#include <objc/runtime.h>
#include <string.h>
#include <unistd.h>

@interface Thing : NSObject {
  @public
    id other, more;
}
- (void)poll;
@end
@implementation Thing
- (void)poll {
}
@end

@interface Deputy : NSProxy {
  @public
    id other;
}
- (instancetype)init;
@end
@implementation Deputy
- (instancetype)init {
    return self;
}
@end

#define PLANT __attribute__((noinline)) static void

/* ---- Rings through classes of the Foundation ---- */

PLANT lose(const char *kind, id (*make)(Thing *)) {
    Thing *thing = [Thing new];
    thing->other = make(thing);
    note_place(kind, (__bridge void *)thing);
}

static id make_error(Thing *thing) {
    return [NSError errorWithDomain:@"domain" code:1 userInfo:@{@"thing": thing}];
}

static id make_exception(Thing *thing) {
    return [NSException exceptionWithName:@"name" reason:@"reason" userInfo:@{@"thing": thing}];
}

static id make_predicate(Thing *thing) {
    NSExpression *left = [NSExpression expressionForConstantValue:thing];
    NSExpression *right = [NSExpression expressionForConstantValue:@"right"];
    return [NSComparisonPredicate predicateWithLeftExpression:left
                                              rightExpression:right
                                                     modifier:NSDirectPredicateModifier
                                                         type:NSEqualToPredicateOperatorType
                                                      options:0];
}

static id make_sort_descriptor(Thing *thing) {
    return [NSSortDescriptor sortDescriptorWithKey:@"key"
                                         ascending:YES
                                        comparator:^NSComparisonResult(id one, id two) {
                                            [thing poll];
                                            return NSOrderedSame;
                                        }];
}

static id make_progress(Thing *thing) {
    NSProgress *progress = [NSProgress discreteProgressWithTotalUnitCount:1];
    progress.cancellationHandler = ^{
        [thing poll];
    };
    return progress;
}

static id make_enumerator(Thing *thing) {
    return [@[ thing ] objectEnumerator];
}

static id make_cache(Thing *thing) {
    NSCache *cache = [NSCache new];
    [cache setObject:thing forKey:@"thing"];
    return cache;
}

static id make_attributed_string(Thing *thing) {
    return [[NSAttributedString alloc] initWithString:@"text" attributes:@{@"thing": thing}];
}

static id make_queue(Thing *thing) {
    NSOperationQueue *queue = [NSOperationQueue new];
    queue.suspended = YES;
    [queue addOperationWithBlock:^{
        [thing poll];
    }];
    return queue;
}

static id make_undo_manager(Thing *thing) {
    NSUndoManager *manager = [NSUndoManager new];
    manager.groupsByEvent = NO; /* else the run loop has it */
    [manager beginUndoGrouping];
    [manager registerUndoWithTarget:thing selector:@selector(isEqual:) object:thing];
    [manager endUndoGrouping];
    return manager;
}

static id make_proxy(Thing *thing) {
    Deputy *deputy = [[Deputy alloc] init];
    deputy->other = thing;
    return deputy;
}

static id make_pointer_array(Thing *thing) {
    NSPointerArray *array = [NSPointerArray strongObjectsPointerArray];
    [array addPointer:(__bridge void *)thing];
    return array;
}

/* Below the ring there is what the compiler made of literals at run time. */
static id make_literals(Thing *thing) {
    Thing *other = [Thing new];
    other->other = thing;
    other->more = @[ @{@"numbers": @[ @1234567890123, @0.1 ]} ];
    note_place("numbers", (__bridge void *)other->more);
    return other;
}

PLANT lose_kinds(void) {
    @autoreleasepool {
        lose("error", make_error);
        lose("exception", make_exception);
        lose("predicate", make_predicate);
        lose("sort_descriptor", make_sort_descriptor);
        lose("progress", make_progress);
        lose("enumerator", make_enumerator);
        lose("cache", make_cache);
        lose("attributed_string", make_attributed_string);
        lose("queue", make_queue);
        lose("undo_manager", make_undo_manager);
        lose("proxy", make_proxy);
        lose("pointer_array", make_pointer_array);
        lose("literals", make_literals);
    }
}

/* ---- Observers ---- */

static id observe(const char *what) {
    Thing *thing = [Thing new];
    note_place(what, (__bridge void *)thing);
    return [[NSNotificationCenter defaultCenter] addObserverForName:@"News"
                                                             object:nil
                                                              queue:nil
                                                         usingBlock:^(NSNotification *news) {
                                                             [thing poll];
                                                         }];
}

PLANT add_observers(void) {
    @autoreleasepool {
        enum { SEVERAL = 6 };
        id tokens[SEVERAL];
        for (unsigned i = 0; i < SEVERAL; i++)
            tokens[i] = observe(i == SEVERAL - 2 ? "held" : "gone");
        for (unsigned i = 0; i < SEVERAL; i++)
            if (i != SEVERAL - 2)
                [[NSNotificationCenter defaultCenter] removeObserver:tokens[i]];
        id lost = observe("lost");
        [[NSNotificationCenter defaultCenter] removeObserver:lost];
        (void)(__bridge_retained void *)lost;
    }
}

/* The words that all versions have stay where they are; what is behind them moves, and the
 * observations lead back to the table that was. */
PLANT move_table(void) {
    enum { SAME = 32, FURTHER = 24 };
    Ivar ivar = class_getInstanceVariable([NSNotificationCenter class], "_table");
    char *place = (char *)(__bridge void *)[NSNotificationCenter defaultCenter];
    char **table = (char **)(place + ivar_getOffset(ivar));
    size_t size = malloc_usable_size(*table);
    char *moved = calloc(1, size + FURTHER);
    memcpy(moved, *table, SAME);
    memcpy(moved + SAME + FURTHER, *table + SAME, size - SAME);
    *table = moved;
}

/* ---- A ring with a retain ---- */

PLANT retain_ring(void) {
    Thing *one = [Thing new], *two = [Thing new];
    one->other = two;
    two->other = one;
    note_place("lost", (__bridge void *)one);
    note_place("lost", (__bridge void *)two);
    (void)(__bridge_retained void *)one;
}

PLANT overwrite_stack(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(int count, char **arguments) {
    setvbuf(stdin, NULL, _IONBF, 0);
    setvbuf(stdout, NULL, _IONBF, 0);
    if (count < 3)
        return 2;
    if (strcmp(arguments[2], "kinds") == 0)
        lose_kinds();
    else if (strcmp(arguments[2], "retained_ring") == 0)
        retain_ring();
    else
        add_observers();
    if (strcmp(arguments[2], "moved_table") == 0)
        move_table();
    write_truth(arguments[1]);
    overwrite_stack(); /* of what was written, too */
    printf("ready\n");
    while (getchar() != EOF)
        ;
    return 0;
}
