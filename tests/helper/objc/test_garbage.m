/*
 * Any address may be asked about, in a live process: random ones, near misses of objects, classes
 * and blocks, edges of mappings. No fault, no change of any retain count, no trace.
 *
 * usage: test_garbage [COUNT]
 */
#include "check.h"
#include "emulated.h"
#include "loupe_helper.h"

#include <Foundation/Foundation.h>
#include <loupe_test_runtime.h>
#include <malloc.h>
#include <objc/runtime.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

OBJC_EXTERN uintptr_t _objc_rootRetainCount(id object);

enum { OBJECTS = 64 };

@interface Node : NSObject
@property(nonatomic, strong) Node *next;
@property(nonatomic, weak) Node *previous;
@property(nonatomic, copy) void (^handler)(void);
@property(nonatomic, strong) NSArray *list;
@end
@implementation Node
@end

static NSMutableArray *nodes;
static uintptr_t places[4 * OBJECTS + 64];
static unsigned place_count;

static void add_place(const void *place) {
    places[place_count++] = (uintptr_t)place;
}

static void build(void) {
    nodes = [NSMutableArray array];
    for (unsigned i = 0; i < OBJECTS; i++) {
        Node *node = [Node new];
        __weak Node *weak = node;
        __block Node *variable = i % 2 ? node : nil;
        node.previous = nodes.lastObject;
        node.next = nodes.firstObject;
        node.list = i % 5 ? nil : @[ node, @"text" ];
        node.handler = ^{
            (void)weak;
            (void)variable;
        };
        [nodes addObject:node];
        add_place((__bridge void *)node);
        add_place((__bridge void *)node.handler);
        add_place((__bridge void *)node.list);
    }
    add_place((__bridge void *)nodes);
    add_place((__bridge void *)[Node class]);
    add_place((__bridge void *)object_getClass([Node class]));
    add_place((__bridge void *)@"constant");
    add_place((void *)(uintptr_t)add_place);
    add_place(places);
    add_place(&nodes);
}

/* Mappings with edges: unreadable pages behind readable ones, a file behind its end. */
static void add_edges(void) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(pages + page, page, PROT_NONE);
    for (char *edge = pages; edge <= pages + 3 * page; edge += page)
        add_place(edge);
    char name[] = "/tmp/loupe-garbage-XXXXXX";
    int file = mkstemp(name);
    unlink(name);
    if (ftruncate(file, (off_t)page) == 0) {
        char *mapped = mmap(NULL, 2 * page, PROT_READ, MAP_PRIVATE, file, 0);
        add_place(mapped + page);
    }
    close(file);
    /* Things whose isa leads close to everything else, and blocks made of wrong words. */
    static uintptr_t fakes[sizeof(places) / sizeof(places[0])][8];
    unsigned real = place_count;
    for (unsigned i = 0; i < real && place_count < sizeof(places) / sizeof(places[0]); i += 7) {
        fakes[i][0] = places[i] + (i % 3) * 8;
        fakes[i][1] = 0xffffffffffffffff;
        fakes[i][3] = places[i];
        if (i % 2)
            memcpy(fakes[i], (void *)places[1], 2 * sizeof(uintptr_t)); /* a block's isa and flags */
        add_place(fakes[i]);
    }
}

static uint64_t state = 0x9e3779b97f4a7c15;

static uint64_t random_word(void) {
    state ^= state << 13;
    state ^= state >> 7;
    return state ^= state << 17;
}

static uintptr_t next_address(void) {
    uint64_t word = random_word();
    switch (word % 8) {
    case 0:
        return (uintptr_t)random_word();
    case 1:
        return (uintptr_t)(random_word() & 0x7fffffffffff);
    case 2:
        return (uintptr_t)(random_word() % 65536);
    case 3:
        return (uintptr_t)places[random_word() % place_count] ^ (uintptr_t)1 << word / 8 % 64;
    default:
        return places[random_word() % place_count] + (uintptr_t)(random_word() % 257) - 128;
    }
}

static const char *const queries[] = {"block-layout", "ivar-layout", "strong-refs", "retain-cycles",
                                      "dispose-probe"};
enum { QUERIES = sizeof(queries) / sizeof(queries[0]) }; /* and incoming-refs */

/* Small walks, so that one question does not go through all there is. */
static const char *ask(uintptr_t address, unsigned number) {
    const void *place = (const void *)address;
    if (number % (QUERIES + 1) < QUERIES)
        return loupe_ask(queries[number % (QUERIES + 1)], place, 8, 0, 0, 0);
    char roots[128];
    uintptr_t other = next_address();
    snprintf(roots, sizeof(roots), "root given 0x%lx;scan data 0x%lx 0x%lx", address, other,
             other + 256);
    return loupe_ask_with("incoming-refs", place, 8, 0, 0, 0, roots);
}

static void ask_about(uintptr_t address, unsigned number) {
    const char *answer = ask(address, number);
    if (answer[0] != '{' || strstr(answer, "\"code\":\"internal\""))
        CHECK_STR(answer, "an answer");
}

struct trace {
    uint64_t counts; /* a hash of all retain counts */
    size_t live_objects, live_byrefs, heap, mapped;
    int next_file;
};

static struct trace take_trace(void) {
    struct trace trace = {.live_objects = loupe_test_live_object_count(),
                          .live_byrefs = loupe_test_live_byref_count()};
    for (unsigned i = 0; i < OBJECTS; i++)
        trace.counts = trace.counts * 31 + _objc_rootRetainCount((__bridge id)(void *)places[3 * i]);
    trace.mapped = bytes_mapped();
    trace.next_file = dup(0);
    close(trace.next_file);
    trace.heap = mallinfo2().uordblks;
    return trace;
}

int main(int argc, char **argv) {
    unsigned count = argc > 1 ? (unsigned)atoi(argv[1]) : (unsigned)check_share(20000);
    unsigned objects = 0;
    @autoreleasepool {
        build();
        add_edges();
        check_current = "garbage";
        ask_about(places[0], 3); /* its reply stays mapped until the next call */
        take_trace();            /* makes stdio and the like allocate */
        struct trace before = take_trace();
        for (unsigned i = 0; i < count; i++)
            ask_about(next_address(), i);
        for (unsigned i = 0; i < place_count; i++)
            for (unsigned question = 0; question <= QUERIES; question++)
                ask_about(places[i], question);
        ask_about(places[0], 3);
        struct trace after = take_trace();
        CHECK_EQ(after.counts, before.counts);
        CHECK_EQ(after.live_objects, before.live_objects);
        CHECK_EQ(after.live_byrefs, before.live_byrefs);
        CHECK_EQ(after.heap, before.heap);
        CHECK_EQ(after.mapped, before.mapped);
        CHECK_EQ(after.next_file, before.next_file);
        for (Node *node in nodes)
            objects += loupe_count_cycles((__bridge void *)node) != UINT32_MAX;
        CHECK_EQ(objects, OBJECTS);
    }
    printf("%u addresses\n", count);
    return check_report();
}
