/*
 * Leaks that people make, and near misses, each planted by a function of its own; the program knows
 * which of its things nobody can give back. It writes that down (check_leaks.c says how), waits until
 * its input ends, gives back all that something holds, and counts what is left.
 *
 * Addresses are kept in disguise, so that the truth holds nothing.
 *
 * usage: planted TRUTH
 */
#import <Foundation/Foundation.h>
#import <objc/runtime.h>

#include <memory>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vector>

static unsigned alive, leaked;

@interface Thing : NSObject {
  @public
    id next;
}
@end
@implementation Thing
- (instancetype)init {
    self = [super init];
    alive++;
    return self;
}
- (void)dealloc {
    [next release];
    alive--;
    [super dealloc];
}
@end

/* ---- The truth ---- */

static struct line {
    const char *what, *name;
    uintptr_t disguised;
} lines[256];
static unsigned line_count;

static id note(const char *what, const char *name, id object) {
    lines[line_count++] = (struct line){what, name, ~(uintptr_t)object};
    leaked += strcmp(what, "held") != 0 && [object isKindOfClass:[Thing class]];
    return object;
}

static id thing(const char *what, const char *name) {
    return note(what, name, [[Thing alloc] init]);
}

static void write_truth(const char *path) {
    FILE *file = fopen(path, "w");
    for (unsigned i = 0; file && i < line_count; i++)
        fprintf(file, "%s 0x%lx %s\n", lines[i].what, (unsigned long)~lines[i].disguised,
                lines[i].name);
    if (!file || fclose(file))
        exit(2);
}

/* ---- Leaked ---- */

#define PLANT __attribute__((noinline)) static void

PLANT leak_single(void) {
    thing("leaked", "single");
}

PLANT leak_list(void) {
    Thing *last = nil;
    for (unsigned i = 0; i < 10; i++) {
        Thing *before = thing("leaked", "list");
        before->next = last;
        last = before;
    }
}

static Thing *ring(const char *what, const char *name, unsigned length) {
    Thing *first = thing(what, name), *last = first;
    for (unsigned i = 1; i < length; i++, last = last->next)
        last->next = thing(what, name);
    last->next = [first retain];
    [first release];
    return first;
}

PLANT leak_ring(void) {
    ring("leaked", "ring", 3);
}

struct holder {
    struct holder *next;
    id object;
};

static struct holder *hold(id object, struct holder *next) {
    struct holder *made = (struct holder *)malloc(sizeof(*made));
    *made = (struct holder){next, object};
    return made;
}

/* Volatile, lest the compiler drops a block that nobody looks at. */
static void drop(void *volatile memory) {
    (void)memory;
}

PLANT leak_under_memory(void) {
    drop(hold(thing("leaked", "under_memory"), hold(thing("leaked", "under_memory_2"), NULL)));
}

PLANT leak_knot_under_memory(void) {
    drop(hold(ring("leaked", "knot_under_memory", 2), NULL));
}

/* C memory and an object that own each other. */
@interface Keeper : Thing {
  @public
    struct holder *kept;
}
@end
@implementation Keeper
@end

PLANT leak_ring_through_memory(void) {
    Keeper *keeper = note("leaked", "ring_through_memory", [[Keeper alloc] init]);
    keeper->kept = hold(keeper, NULL);
}

PLANT leak_ring_of_classes(void) {
    Thing *first = thing("leaked", "ring_of_classes");
    Keeper *second = note("leaked", "ring_of_classes_2", [[Keeper alloc] init]);
    first->next = second;
    second->next = first;
}

PLANT leak_block(void) {
    Thing *captured = thing("leaked", "captured");
    note("leaked", "block", [^{
           drop(captured);
       } copy]);
    [captured release];
}

static char association;

static void associate(id host, id guest) {
    objc_setAssociatedObject(host, &association, guest, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    [guest release];
}

PLANT leak_association(void) {
    associate(thing("leaked", "host"), thing("leaked", "guest"));
}

PLANT leak_collection(void) {
    NSMutableArray *array = note("leaked", "array", [[NSMutableArray alloc] init]);
    for (unsigned i = 0; i < 5; i++)
        [array addObject:[thing("leaked", "element") autorelease]];
    NSMutableDictionary *values = note("leaked", "dictionary", [[NSMutableDictionary alloc] init]);
    [values setObject:[thing("leaked", "value") autorelease] forKey:@"key"];
}

struct Box {
    id object;
    std::shared_ptr<Box> other;
};

PLANT leak_cxx(void) {
    drop(new std::vector<id>{thing("leaked", "of_vector"), thing("leaked", "of_vector_2")});
    auto box = std::make_shared<Box>();
    box->object = thing("leaked", "of_shared_pointers");
    box->other = std::make_shared<Box>();
    box->other->other = box;
}

static id weak_reference;

PLANT leak_with_weak_reference(void) {
    objc_storeWeak(&weak_reference, thing("leaked", "weak"));
}

/* ---- Held ---- */

static id global;
static struct holder *list;
static char *middle;
static std::vector<id> vector;
static std::shared_ptr<Box> shared;
static __thread id of_thread;
static pthread_key_t key;

PLANT hold_by_variables(void) {
    global = thing("held", "global");
    associate(global, thing("held", "guest_of_global"));
    list = hold(thing("held", "of_list"), hold(thing("held", "of_list_2"), NULL));
    struct holder *part = (struct holder *)calloc(8, sizeof(*part));
    part[7].object = thing("held", "by_pointer_into_the_middle");
    middle = (char *)&part[3];
    vector = {thing("held", "of_vector")};
    shared = std::make_shared<Box>();
    shared->object = thing("held", "of_shared_pointer");
    of_thread = thing("held", "thread_local");
    pthread_key_create(&key, NULL);
    pthread_setspecific(key, thing("held", "thread_specific"));
}

/* That the runtime knows of it retains nothing. */
PLANT leak_what_is_only_assigned(void) {
    static char assigned;
    objc_setAssociatedObject(global, &assigned, thing("leaked", "assigned"),
                             OBJC_ASSOCIATION_ASSIGN);
}

static NSMutableArray *array;

PLANT hold_by_collection(void) {
    array = note("held", "array", [[NSMutableArray alloc] init]);
    [array addObject:thing("held", "element")];
    [[array objectAtIndex:0] release];
}

PLANT hold_by_pool(void) {
    [thing("held", "autoreleased") autorelease];
}

static int to_thread[2];
static pthread_barrier_t barrier;

static void *hold_on_another_stack(void *unused) {
    id volatile object = thing("held", "on_another_stack");
    char byte;
    pthread_barrier_wait(&barrier);
    if (read(to_thread[0], &byte, 1) < 0)
        exit(2);
    [object release];
    return unused;
}

static void give_back(void) {
    objc_setAssociatedObject(global, &association, nil, OBJC_ASSOCIATION_RETAIN_NONATOMIC);
    [global release];
    [list->object release];
    [list->next->object release];
    [(((struct holder *)(void *)middle) + 4)->object release];
    [vector[0] release];
    [shared->object release];
    [of_thread release];
    [(id)pthread_getspecific(key) release];
    [array release];
}

/* ---- Words that are left over ---- */

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(int count, char **arguments) {
    pthread_t other;
    if (count != 2 || pipe(to_thread) || pthread_barrier_init(&barrier, NULL, 2))
        return 2;
    @autoreleasepool {
        leak_single();
        leak_list();
        leak_ring();
        leak_under_memory();
        leak_knot_under_memory();
        leak_ring_through_memory();
        leak_ring_of_classes();
        leak_block();
        leak_association();
        leak_collection();
        leak_cxx();
        leak_with_weak_reference();
        hold_by_variables();
        leak_what_is_only_assigned();
        hold_by_collection();
    }
    void *volatile stale = thing("stale", "by_a_word_that_is_left_over");
    void *volatile stale_ring = ring("leaked", "ring_by_a_word_that_is_left_over", 2);
    id volatile local = thing("held", "local");
    if (pthread_create(&other, NULL, hold_on_another_stack, NULL))
        return 2;
    pthread_barrier_wait(&barrier);
    @autoreleasepool {
        hold_by_pool();
        scrub();
        write_truth(arguments[1]);
        puts("ready");
        fflush(stdout);
        getchar();
    }
    drop(stale);
    drop(stale_ring);
    [local release];
    if (write(to_thread[1], "", 1) != 1)
        return 2;
    pthread_join(other, NULL);
    give_back();
    if (alive != leaked)
        fprintf(stderr, "%u things are left, %u leaked\n", alive, leaked);
    return alive == leaked ? 0 : 1;
}
