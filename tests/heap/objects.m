/*
 * A program on gnustep-base that knows the truth about its heap: which objects it made, what they
 * hold, which ones it gave back. After a random history it writes that down, saves a snapshot of
 * itself by the helper, says "ready", and waits.
 *
 * usage: objects SEED OBJECTS TRUTH SNAPSHOT
 */
#import <Foundation/Foundation.h>

#include "loupe_helper.h"
#include "things.h"

#include <objc/runtime.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Thing **things;
static void **given_back;
static unsigned count, given_back_count;
static Class late_class; /* in no image: the runtime has it in memory of its own */

/* References lead to things that were made later, so that none keeps itself. */
static void fill(Thing *thing, unsigned number) {
    unsigned left = count - number - 1, i;
    thing->bytes = pick(3) ? malloc(1 + pick(200)) : NULL;
    if (thing->bytes)
        memset(thing->bytes, 0, 1);
    if (!left)
        return;
    thing->first = pick(2) ? [things[number + 1 + pick(left)] retain] : nil;
    if ([thing isKindOfClass:[LargeThing class]]) {
        for (i = 0; i < 20; i++)
            ((LargeThing *)thing)->many[i] =
                pick(2) ? [things[number + 1 + pick(left)] retain] : nil;
    }
    switch (pick(6)) {
    case 0:
        thing->held = [[NSMutableArray alloc] init];
        for (i = 0; i < 3; i++)
            [thing->held addObject:things[number + 1 + pick(left)]];
        break;
    case 1:
        thing->held = [[NSMutableDictionary alloc] init];
        [thing->held setObject:things[number + 1 + pick(left)] forKey:@"key"];
        break;
    default:
        break;
    }
}

static Class pick_class(void) {
    unsigned chance = pick(16);
    return chance > 2 ? [Thing class] : chance ? [LargeThing class] : late_class;
}

/* From the last on, so that what it refers to is there. */
static void make_all(void) {
    unsigned i;
    late_class = objc_allocateClassPair([Thing class], "LateThing", 0);
    objc_registerClassPair(late_class);
    for (i = count; i-- > 0;)
        things[i] = [[pick_class() alloc] init];
    for (i = 0; i < count; i++)
        fill(things[i], i);
}

/* Those that nothing else holds. */
static void give_some_back(void) {
    unsigned i;
    for (i = 0; i < count; i++) {
        if (!things[i] || pick(3) || [things[i] retainCount] != 1)
            continue;
        given_back[given_back_count++] = things[i];
        [things[i] release];
        things[i] = nil;
    }
}

static void write_reference(FILE *truth, const void *from, const void *to, const char *path) {
    if (to)
        fprintf(truth, "reference %p %p %s\n", from, to, path);
}

static void write_thing(FILE *truth, Thing *thing) {
    unsigned i;
    fprintf(truth, "object %p %s %lu\n", thing, class_getName([thing class]),
            (unsigned long)[thing retainCount]);
    write_reference(truth, thing, thing->first, "first");
    write_reference(truth, thing, thing->held, "held");
    if (thing->bytes)
        fprintf(truth, "raw %p\n", thing->bytes);
    if ([thing isKindOfClass:[LargeThing class]]) {
        for (i = 0; i < 20; i++) {
            char path[16];
            snprintf(path, sizeof(path), "many[%u]", i);
            write_reference(truth, thing, ((LargeThing *)thing)->many[i], path);
        }
    }
    if ([thing->held isKindOfClass:[NSArray class]]) {
        for (i = 0; i < [thing->held count]; i++)
            write_reference(truth, thing->held, [thing->held objectAtIndex:i], "[]");
    } else if (thing->held) {
        write_reference(truth, thing->held, [thing->held objectForKey:@"key"], "[\"key\"]");
    }
}

static void write_truth(const char *path) {
    FILE *truth = fopen(path, "w");
    unsigned i;
    for (i = 0; i < count; i++)
        if (things[i])
            write_thing(truth, things[i]);
    for (i = 0; i < given_back_count; i++)
        fprintf(truth, "freed %p\n", given_back[i]);
    fclose(truth);
}

int main(int argc, char **argv) {
    NSAutoreleasePool *pool = [[NSAutoreleasePool alloc] init];
    if (argc != 5)
        return 2;
    state = strtoul(argv[1], NULL, 10) * 2654435761u + 1;
    count = (unsigned)atoi(argv[2]);
    things = calloc(count, sizeof(*things));
    given_back = calloc(count, sizeof(*given_back));
    make_all();
    give_some_back();
    [pool release];
    pool = [[NSAutoreleasePool alloc] init];
    write_truth(argv[3]);
    const char *answer = loupe_snapshot_with(argv[4], 0, LOUPE_ASK_OTHERS_WAIT, NULL);
    if (write(1, answer, strlen(answer)) < 0 || write(1, "\nready\n", 7) < 0)
        return 1;
    pause();
    [pool release];
    return 0;
}
