/*
 * Frees objects and puts others of their class in the same places, on purpose. Says "ready", does so
 * when it gets a line, says "ready" again and waits until its input ends; ends with 0 if all of them
 * stand where it wanted them.
 *
 * The classes say what happens to their only instance, but for the Parts they own.
 */
#import <Foundation/Foundation.h>

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

@interface Part : NSObject
@end
@implementation Part
@end

@interface Pair : NSObject {
  @public
    id first, second;
}
@end
@implementation Pair
- (void)dealloc {
    [first release];
    [second release];
    [super dealloc];
}
@end

#define PAIR(name)                                                                                 \
    @interface name : Pair                                                                         \
    @end                                                                                           \
    @implementation name                                                                           \
    @end

PAIR(Untouched)       /* lives on */
PAIR(OneChanged)      /* lives on, one of its two parts is another one */
PAIR(BothChanged)     /* lives on, both of its parts are others */
PAIR(OtherParts)      /* freed and replaced, the old parts live on */
PAIR(EqualElsewhere)  /* freed with its parts, all replaced in place, by other code */
PAIR(EqualAgain)      /* the same by the same code */
PAIR(MovedHolder)     /* lives on; has given its Leaf away */
@interface Leaf : NSObject /* freed and replaced, and held by another one now */
@end
@implementation Leaf
@end

static Pair *untouched, *one_changed, *both_changed, *other_parts, *elsewhere, *again;
static Pair *holders[2];
static id kept[8];
static bool as_planned = true;

#define NOINLINE __attribute__((noinline))

NOINLINE static Pair *make(Class kind) {
    Pair *made = [[kind alloc] init];
    made->first = [[Part alloc] init];
    made->second = [[Part alloc] init];
    return made;
}

NOINLINE static Pair *make_otherwise(Class kind) {
    Pair *made = [[kind alloc] init];
    made->first = [[Part alloc] init];
    made->second = [[Part alloc] init];
    return made;
}

/* What free() took last is what malloc() gives next: that is checked. */
static void expect(uintptr_t wanted, id got) {
    as_planned &= wanted == (uintptr_t)got;
}

static void replace_equal(Pair **where, Pair *(*maker)(Class)) {
    Class kind = [*where class];
    uintptr_t was = (uintptr_t)*where, first = (uintptr_t)(*where)->first,
              second = (uintptr_t)(*where)->second;
    [*where release]; /* the parts first, in their order, then the pair */
    *where = maker(kind);
    expect(was, *where);
    as_planned &= ((uintptr_t)(*where)->first == first && (uintptr_t)(*where)->second == second) ||
                  ((uintptr_t)(*where)->first == second && (uintptr_t)(*where)->second == first);
}

/* What a runtime allocates when a class gets a message for the first time is there afterwards. */
static void warm_up(Class kind) {
    Pair *pair = make(kind);
    [[pair->first retain] release];
    [pair release];
}

NOINLINE static void begin(void) {
    Class kinds[] = {[Untouched class],      [OneChanged class], [BothChanged class],
                     [OtherParts class],     [MovedHolder class], [EqualElsewhere class],
                     [EqualAgain class]};
    Pair **places[] = {&untouched, &one_changed, &both_changed, &other_parts};
    [[[Leaf alloc] init] release];
    for (unsigned i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        warm_up(kinds[i]);
    for (unsigned i = 0; i < 4; i++)
        *places[i] = make(kinds[i]);
    elsewhere = make([EqualElsewhere class]);
    for (unsigned i = 0; i < 2; i++)
        holders[i] = make([MovedHolder class]);
    [holders[0]->first release];
    holders[0]->first = [[Leaf alloc] init];
}

/* By one call, whose stack is the same each time. */
NOINLINE static void make_again(unsigned round) {
    if (round)
        replace_equal(&again, make_otherwise);
    else
        again = make_otherwise([EqualAgain class]);
}

NOINLINE static void change(void) {
    kept[0] = one_changed->first;
    one_changed->first = [[Part alloc] init];
    kept[1] = both_changed->first;
    kept[2] = both_changed->second;
    both_changed->first = [[Part alloc] init];
    both_changed->second = [[Part alloc] init];

    uintptr_t was = (uintptr_t)other_parts;
    kept[3] = [other_parts->first retain];
    kept[4] = [other_parts->second retain];
    [other_parts release];
    other_parts = make([OtherParts class]);
    expect(was, other_parts);

    replace_equal(&elsewhere, make_otherwise);

    was = (uintptr_t)holders[0]->first;
    [holders[0]->first release];
    holders[0]->first = nil;
    [holders[1]->first release];
    kept[5] = [[Part alloc] init]; /* where the other holder's part was, which was freed last */
    holders[1]->first = [[Leaf alloc] init];
    expect(was, holders[1]->first);
}

int main(void) {
    char line[16];
    begin();
    for (unsigned round = 0; round < 2; round++) {
        make_again(round);
        if (round)
            change();
        printf("ready\n");
        fflush(stdout);
        if (!fgets(line, sizeof(line), stdin) && !round)
            return 2;
    }
    if (!as_planned)
        fprintf(stderr, "malloc gave other places out than this test needs\n");
    return as_planned ? 0 : 1;
}
