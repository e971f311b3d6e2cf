/*
 * A program that knows the truth about its heap: each block of memory that anybody in it asked for,
 * and in which of them an object was made, by functions that stand in the place of malloc() and of
 * the runtime's own. It makes objects that hold one another in random ways, gives some back, leaks some
 * on purpose, writes down what there is (check_census.c has the form), saves a snapshot of itself by
 * the helper, says what that says of leaks, then "ready", and waits.
 *
 * Compiled without ARC: for GCC's runtime and for the test double of Apple's, with Foundation; for
 * libobjc2 with a root class alone. With blocks where the compiler has them.
 *
 * usage: census SEED THINGS TRUTH SNAPSHOT
 */
#define _GNU_SOURCE
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

#include "loupe_helper.h"
#include "record.h"
#include "things.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__GNUSTEP_RUNTIME__)
#define ON_LIBOBJC2 1
unsigned long object_getRetainCount_np(id object);
#elif defined(GNUSTEP)
#define ON_GNUSTEP 1
#else
#define ON_APPLE 1
#include "loupe_test_runtime.h"
#endif
#ifdef __BLOCKS__
void *_Block_copy(const void *block);
#endif

/* ---- What is known ---- */

/* Tags: what leaks; what libraries asked for while they were set up; in which word of the block an
 * object begins, from 1 on. Not 2, which would look like the header of a chunk that is mapped. */
enum { PLACES_BITS = 21, PLANTED = 1, EARLY = 4, OBJECT_SHIFT = 3, MOST_WORDS_BEFORE = 8 };

/* Before the libraries do anything. */
static void begin(void) {
    record_here = mmap(NULL, record_size(PLACES_BITS), PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    record_here->bits = PLACES_BITS;
    record_tag = EARLY;
    record_clears = true;
}
__attribute__((section(".preinit_array"), used)) static void (*first_of_all)(void) = begin;

/* An object begins there, until its block is given back. */
static id note(id object) {
    union {
        id object;
        uintptr_t address;
    } both = {.object = object};
    for (unsigned words = 0; words < MOST_WORDS_BEFORE; words++) {
        struct record_place *place =
            record_find(record_here, both.address - words * sizeof(void *));
        if (place) {
            record_set_tag(place, (record_tag_of(place) & (PLANTED | EARLY)) | (words + 1) << OBJECT_SHIFT);
            break;
        }
    }
    return object;
}

#ifdef ON_GNUSTEP

/* NSAllocateObject() gives each object its class by it, and NSDeallocateObject() takes it away. */
Class object_setClass(id object, Class cls) {
    static Class (*real)(id, Class);
    if (!real)
        real = (Class(*)(id, Class))dlsym(RTLD_NEXT, "object_setClass");
    note(object);
    return real(object, cls);
}

#elif defined(ON_LIBOBJC2)

id class_createInstance(Class cls, size_t extra) {
    static id (*real)(Class, size_t);
    if (!real)
        real = (id(*)(Class, size_t))dlsym(RTLD_NEXT, "class_createInstance");
    return note(real(cls, extra));
}

#endif

static unsigned long counted(id object) {
#ifdef ON_LIBOBJC2
    return (unsigned long)object_getRetainCount_np(object);
#else
    return (unsigned long)[object retainCount];
#endif
}

/* ---- Things ---- */

static Thing *new_thing(Class cls) {
    Thing *thing = note([[cls alloc] init]);
    thing->bytes = pick(3) ? malloc(1 + pick(200)) : NULL;
    return thing;
}

static void hold_in_block(Thing *holder, Thing *held) {
#ifdef __BLOCKS__
    unsigned number = pick(1000);
    holder->held = note((id)_Block_copy(^{
        held->bytes = (void *)(uintptr_t)number;
    }));
#else
    holder->first = holder->first ? holder->first : [held retain];
#endif
}

enum { COLLECTIONS = 4 };

static void hold_in_collection_of(unsigned kind, Thing *holder, Thing *held) {
#ifndef ON_LIBOBJC2
    unsigned more = pick(40);
    switch (kind) {
    case 0:
        holder->held = note([[NSMutableArray alloc] init]);
        [holder->held addObject:held];
        while (more--)
            [holder->held addObject:held];
        break;
    case 1:
        holder->held = note([[NSMutableDictionary alloc] init]);
        [holder->held setObject:held forKey:@"key"];
        break;
    case 2:
        holder->held = note([[NSMutableSet alloc] init]);
        [holder->held addObject:held];
        break;
    default:
        holder->held = note([[NSArray alloc] initWithObjects:held, held, nil]);
        break;
    }
#else
    (void)kind;
    holder->first = holder->first ? holder->first : [held retain];
#endif
}

static void hold_in_collection(Thing *holder, Thing *held) {
    hold_in_collection_of(pick(COLLECTIONS), holder, held);
}

static void hold_text(Thing *holder) {
#ifndef ON_LIBOBJC2
    char text[64];
    snprintf(text, sizeof(text), "text that is longer than a pointer, %u", pick(100000));
    holder->held = note([[NSString alloc] initWithUTF8String:text]);
#else
    (void)holder;
#endif
}

/* ---- What is held ---- */

static Thing **things;
static unsigned count;

/* References lead to things that were made later, so that none keeps itself. */
static void fill(Thing *thing, unsigned number) {
    unsigned left = count - number - 1;
    if (!left)
        return;
    thing->first = pick(2) ? [things[number + 1 + pick(left)] retain] : nil;
    if ([thing class] == [LargeThing class])
        for (int i = 0; i < 20; i++)
            ((LargeThing *)thing)->many[i] =
                pick(2) ? [things[number + 1 + pick(left)] retain] : nil;
    switch (pick(6)) {
    case 0:
        hold_in_collection(thing, things[number + 1 + pick(left)]);
        break;
    case 1:
        hold_in_block(thing, things[number + 1 + pick(left)]);
        break;
    case 2:
        hold_text(thing);
        break;
    default:
        break;
    }
}

static void make_all(void) {
    for (unsigned i = count; i-- > 0;)
        things[i] = new_thing(pick(8) ? [Thing class] : [LargeThing class]);
    for (unsigned i = 0; i < count; i++)
        fill(things[i], i);
}

/* Libraries keep what they make when something is used first; and GCC's runtime loses the name of each
 * method that is added to a class, as to a collection's, where the selector is known. */
static void use_all_classes(void) {
    unsigned all = count;
    count = 100;
    make_all();
    for (unsigned kind = 0; kind < COLLECTIONS; kind++) {
        Thing *holder = new_thing([Thing class]);
        hold_in_collection_of(kind, holder, things[0]);
        [holder release];
    }
    for (unsigned i = 0; i < count; i++) {
        [things[i] release];
        things[i] = nil;
    }
    count = all;
}

/* Those of which nothing else knows: in each round others, so that their memory is used again. */
static void exchange_some(char *is_alone) {
    for (unsigned i = 0; i < count; i++) {
        if (!is_alone[i] || pick(3))
            continue;
        [things[i] release];
        things[i] = pick(2) ? new_thing([Thing class]) : nil;
    }
}

static void give_some_back(void) {
    char *is_alone = calloc(count, 1);
    for (unsigned round = 0; round < 3; round++) {
        for (unsigned i = 0; i < count; i++)
            is_alone[i] = things[i] && counted(things[i]) == 1;
        exchange_some(is_alone);
    }
    free(is_alone);
}

/* ---- What leaks ---- */

enum { LEAKS_OF_A_KIND = 25 };

__attribute__((noinline)) static void plant(void) {
    for (unsigned i = 0; i < LEAKS_OF_A_KIND; i++) {
        Thing *alone = new_thing([Thing class]); /* that holds one that is held */
        alone->first = [things[count - 1] retain];
        Thing *list = new_thing([LargeThing class]);
        list->first = new_thing([Thing class]);
        ((LargeThing *)list)->many[19] = new_thing([Thing class]);
        Thing *ring = new_thing([Thing class]);
        ring->first = new_thing([Thing class]);
        ring->first->first = ring;
        Thing *collected = new_thing([Thing class]);
        hold_in_collection(collected, collected);
        Thing *captured = new_thing([Thing class]);
        hold_in_block(captured, captured);
        hold_text(new_thing([Thing class]));
        void **memory = malloc(48);
        memory[5] = new_thing([Thing class]);
        void **memory_ring = malloc(64);
        memory_ring[7] = malloc(40);
        *(void **)memory_ring[7] = &memory_ring[3]; /* in its middle */
    }
}

/* Words that lead to what leaks stand where functions were at work that have returned. */
__attribute__((noinline)) static void clear_stack(void) {
    volatile char stale[1 << 16];
    for (unsigned i = 0; i < sizeof(stale); i++)
        stale[i] = 0;
}

static void plant_leaks(void) {
    record_tag = PLANTED;
    plant();
    record_tag = 0;
    clear_stack();
}

/* ---- The truth, written without a use of malloc() ---- */

static int truth;
static char text[1 << 16];
static size_t length;

static void flush_text(void) {
    for (size_t done = 0; done < length;) {
        ssize_t wrote = write(truth, text + done, length - done);
        if (wrote <= 0)
            _exit(3);
        done += (size_t)wrote;
    }
    length = 0;
}

static void write_line(const char *what, uint64_t address, uint64_t number, const char *name) {
    length += (size_t)snprintf(text + length, sizeof(text) - length, "%s 0x%llx %llu %s\n", what,
                               (unsigned long long)address, (unsigned long long)number, name);
    if (length > sizeof(text) - 512)
        flush_text();
}

static void write_object(uint64_t address) {
    union {
        uintptr_t address;
        id object;
    } both = {.address = address};
    const char *name = object_getClassName(both.object);
    bool is_thing = strcmp(name, "Thing") == 0 || strcmp(name, "LargeThing") == 0,
         is_literal = strstr(name, "MallocBlock") != NULL;
    write_line(is_thing ? "thing" : is_literal ? "literal" : "object", address,
               is_thing ? counted(both.object) : 0, name);
}

static void write_truth(const char *path) {
    truth = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (uint32_t i = 0; i < record_places(record_here); i++) {
        const struct record_place *place = &record_here->places[i];
        uint64_t address = record_address(place);
        uint32_t tag = record_tag_of(place);
        if (!record_is_live(place))
            continue;
        write_line(tag & PLANTED ? "leaked" : tag & EARLY ? "early" : "block", address, record_asked(place), "");
        if (tag >> OBJECT_SHIFT)
            write_object(address + ((tag >> OBJECT_SHIFT) - 1) * sizeof(void *));
    }
#ifdef ON_APPLE /* its allocation cannot be replaced, but it counts what it has */
    write_line("objects", 0, loupe_test_live_object_count(), "");
#endif
    flush_text();
    close(truth);
}

static bool say(const char *words) {
    for (size_t left = strlen(words); left;) {
        ssize_t wrote = write(1, words, left);
        if (wrote <= 0)
            return false;
        words += wrote;
        left -= (size_t)wrote;
    }
    return true;
}

int main(int argument_count, char **arguments) {
    if (argument_count != 5)
        return 2;
#ifdef ON_GNUSTEP
    [[NSAutoreleasePool alloc] init];
#endif
    state = strtoul(arguments[1], NULL, 10) * 2654435761u + 1;
    count = (unsigned)atoi(arguments[2]);
    things = calloc(count, sizeof(*things));
    use_all_classes();
    record_tag = 0;
    make_all();
    give_some_back();
    plant_leaks();
    write_truth(arguments[3]);
    loupe_snapshot_with(arguments[4], 0, LOUPE_ASK_OTHERS_WAIT, NULL);
    const char *answer = loupe_ask_with("leaks", NULL, 0, 0, 0, LOUPE_ASK_OTHERS_WAIT, NULL);
    if (record_here->full || !say(answer) || !say("\nready\n"))
        return 1;
    pause();
    return 0;
}
