/*
 * The C API, with the library linked in: what it refuses, what it reports, and what unit tests ask.
 */
#import <Foundation/Foundation.h>
#include "check.h"
#include "loupe_watch.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

@interface Node : NSObject
@property(nonatomic, strong) id next;
@end

@implementation Node
@end

@interface Refuser : NSObject
@end

@implementation Refuser
- (BOOL)allowsWeakReference {
    return NO;
}
@end

/* Watches itself while it dies. */
@interface LastWill : NSObject
@end

static enum loupe_watch_result lastWill;

@implementation LastWill
- (void)dealloc {
    lastWill = loupe_watch((__bridge void *)self, 0.05);
}
@end

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int events[3], notLookedAt;
static char lastText[4096], lastFingerprint[32];

static void note(const struct loupe_watch_report *report, void *context) {
    pthread_mutex_lock(&lock);
    CHECK(context == events);
    CHECK(report->json && strstr(report->json, "\"query\":\"watch\""));
    events[report->event]++;
    notLookedAt += strstr(report->text, "Not searched: 32 of its class") != NULL;
    snprintf(lastText, sizeof(lastText), "%s", report->text);
    if (report->fingerprint)
        snprintf(lastFingerprint, sizeof(lastFingerprint), "%s", report->fingerprint);
    pthread_mutex_unlock(&lock);
}

static int count(enum loupe_watch_event event) {
    pthread_mutex_lock(&lock);
    int number = events[event];
    pthread_mutex_unlock(&lock);
    return number;
}

static void refused(const void *object, double seconds, const char *why) {
    CHECK(loupe_watch(object, seconds) == LOUPE_WATCH_REFUSED);
    if (!strstr(loupe_watch_problem(), why)) {
        printf("refused: %s\n", loupe_watch_problem());
        exit(1);
    }
}

static void testRefusals(void) {
    Node *node = [[Node alloc] init];
    const void *object = (__bridge void *)node;
    refused(NULL, 1, "nil");
    refused(object, 0, "from 0.01 seconds to a day");
    refused(object, -1, "from 0.01 seconds to a day");
    refused(object, 0.0 / (events[0] + 0.0), "from 0.01 seconds to a day");
    refused((__bridge void *)[Node class], 1, "it is a class");
    refused((__bridge void *)[[Refuser alloc] init], 1, "its class refuses");
    refused((const void *)3, 1, "tagged pointer");
    @autoreleasepool {
        (void)[[LastWill alloc] init];
    }
    CHECK(lastWill == LOUPE_WATCH_REFUSED);
    CHECK(loupe_watch_rules("/nowhere/rules") == LOUPE_WATCH_REFUSED);
    CHECK(strstr(loupe_watch_problem(), "No such file"));
    CHECK(loupe_watch_report_to("/nowhere/reports") == LOUPE_WATCH_REFUSED);
    CHECK(loupe_watch_baseline("/nowhere/baseline") == LOUPE_WATCH_REFUSED);
    CHECK(strcmp(loupe_watch_problem(), "the baseline /nowhere/baseline cannot be read: "
                                        "No such file or directory") == 0);
    CHECK(!strstr(loupe_watch_list(), "\"state\""));
}

static Node *ring(void) {
    Node *first = [[Node alloc] init], *second = [[Node alloc] init];
    first.next = second;
    second.next = first;
    return first;
}

static void testTests(void) {
    const void *dead, *leaked;
    Node *kept;
    @autoreleasepool {
        Node *node = [[Node alloc] init];
        dead = (__bridge void *)node;
        CHECK(loupe_watch(dead, 0.3) == LOUPE_WATCH_OK);
        kept = ring();
        leaked = (__bridge void *)kept;
        CHECK(loupe_watch(leaked, 0.3) == LOUPE_WATCH_OK);
        CHECK(loupe_watch(leaked, 9) == LOUPE_WATCH_OK); /* keeps its deadline */
        CHECK(strstr(loupe_watch_list(), "\"state\":\"waiting\""));
    }
    CHECK(loupe_expect_dead(dead));
    CHECK(!loupe_expect_dead(leaked));
    CHECK(count(LOUPE_WATCH_LEAK) == 1);
    CHECK(strstr(lastText, "Retain cycle of 2 objects, held: "));
    CHECK(strstr(loupe_watch_list(), "\"state\":\"reported\""));
    CHECK(loupe_expect_dead(dead));
    kept.next = nil;
    kept = nil;
    for (int i = 0; i < 2000 && !count(LOUPE_WATCH_LATE); i++)
        usleep(10000);
    CHECK(count(LOUPE_WATCH_LATE) == 1);
    CHECK(!strstr(loupe_watch_list(), "\"state\""));
}

/* An address stands for the object that died there, until a new one there is watched. */
static void testNewObjectAtDeadAddress(void) {
    const void *dead;
    @autoreleasepool {
        Node *node = [[Node alloc] init];
        dead = (__bridge void *)node;
        CHECK(loupe_watch(dead, 0.2) == LOUPE_WATCH_OK);
    }
    CHECK(loupe_expect_dead(dead));
    Node *kept[64], *again = nil;
    for (int i = 0; i < 64 && !again; i++) {
        kept[i] = [[Node alloc] init];
        again = (__bridge void *)kept[i] == dead ? kept[i] : nil;
    }
    CHECK(again);
    CHECK(loupe_expect_dead(dead));
    int before = count(LOUPE_WATCH_LEAK);
    CHECK(loupe_watch(dead, 0.1) == LOUPE_WATCH_OK);
    CHECK(!loupe_expect_dead(dead));
    CHECK(count(LOUPE_WATCH_LEAK) == before + 1);
    loupe_watch_forget(dead);
    for (int i = 0; i < 2000 && !count(LOUPE_WATCH_AGAIN); i++)
        usleep(10000);
    CHECK(count(LOUPE_WATCH_AGAIN) == 1);
    CHECK(again.next == nil);
}

static void testForgetting(void) {
    Node *node = [[Node alloc] init];
    CHECK(loupe_watch((__bridge void *)node, 0.1) == LOUPE_WATCH_OK);
    loupe_watch_forget((__bridge void *)node);
    CHECK(loupe_watch((__bridge void *)node, 0.1) == LOUPE_WATCH_OK);
    loupe_watch_stop();
    usleep(500000);
    CHECK(count(LOUPE_WATCH_LEAK) == 1);
    loupe_watch_forget((__bridge void *)node);
}

/* The fingerprint of the ring that was reported is known now. */
static void testBaseline(const char *file) {
    FILE *out = fopen(file, "w");
    CHECK(out && fprintf(out, "# known\n%s Node.next\n", lastFingerprint) > 0 && fclose(out) == 0);
    CHECK(loupe_watch_baseline(file) == LOUPE_WATCH_OK);
    Node *known = ring();
    CHECK(loupe_watch((__bridge void *)known, 0.1) == LOUPE_WATCH_OK);
    for (int i = 0; i < 2000 && !strstr(loupe_watch_list(), "\"state\":\"known\""); i++)
        usleep(10000);
    CHECK(strstr(loupe_watch_list(), "\"state\":\"known\""));
    CHECK(count(LOUPE_WATCH_LEAK) == 1);
    known.next = nil;
    known = nil;
    for (int i = 0; i < 2000 && !count(LOUPE_WATCH_LATE); i++)
        usleep(10000);
    CHECK(count(LOUPE_WATCH_LATE) == 1);
}

/* Rings that close by a reference of the filters are silent, others are not. */
static void testFilters(const char *file) {
    FILE *out = fopen(file, "w");
    CHECK(out && fprintf(out, "# ours\nOther.next -> Node  # another one\n") > 0 && fclose(out) == 0);
    CHECK(loupe_watch_filters(file) == LOUPE_WATCH_OK);
    CHECK(loupe_watch_baseline("/dev/null") == LOUPE_WATCH_OK);
    int before = count(LOUPE_WATCH_LEAK);
    @autoreleasepool {
        CHECK(loupe_watch((__bridge void *)ring(), 0.1) == LOUPE_WATCH_OK);
    }
    for (int i = 0; i < 2000 && count(LOUPE_WATCH_LEAK) == before; i++)
        usleep(10000);
    CHECK(count(LOUPE_WATCH_LEAK) == before + 1);
    out = fopen(file, "w");
    CHECK(out && fprintf(out, "Node._next -> Node  # they end it themselves\n") > 0 && fclose(out) == 0);
    CHECK(loupe_watch_filters(file) == LOUPE_WATCH_OK);
    @autoreleasepool {
        CHECK(loupe_watch((__bridge void *)ring(), 0.1) == LOUPE_WATCH_OK);
    }
    for (int i = 0; i < 2000 && !strstr(loupe_watch_list(), "\"state\":\"known\""); i++)
        usleep(10000);
    CHECK(strstr(loupe_watch_list(), "\"state\":\"known\""));
    CHECK(count(LOUPE_WATCH_LEAK) == before + 1);
    static const char *const wrong[] = {"Node.next", "* -> *  # all", "Node. -> X  # none",
                                        "Node.a b  # spaces"};
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        out = fopen(file, "w");
        CHECK(out && fprintf(out, "%s\n", wrong[i]) > 0 && fclose(out) == 0);
        CHECK(loupe_watch_filters(file) == LOUPE_WATCH_REFUSED);
        CHECK(strstr(loupe_watch_problem(), "line 1"));
    }
    remove(file);
    CHECK(loupe_watch_filters(file) == LOUPE_WATCH_REFUSED);
}

/* Its parent is retained for a while in -dealloc, which ends it all the same. */
@interface Undead : NSObject
@end

static id resurrected;

@implementation Undead
- (void)dealloc {
    resurrected = self;
    resurrected = nil;
}
@end

static void testResurrection(void) {
    const void *object;
    @autoreleasepool {
        Undead *undead = [[Undead alloc] init];
        object = (__bridge void *)undead;
        CHECK(loupe_watch(object, 0.2) == LOUPE_WATCH_OK);
    }
    CHECK(loupe_expect_dead(object));
}

@interface Frequent : NSObject
@property(nonatomic, strong) id itself;
@end

@implementation Frequent
@end

/* Each is told; what is like 32 before it costs no walk. */
static void testManyOfOneKind(void) {
    enum { LOOKED_AT = 32, MANY = LOOKED_AT + 1 };
    int before = count(LOUPE_WATCH_LEAK);
    for (int i = 0; i < MANY; i++) {
        Frequent *one = [[Frequent alloc] init];
        one.itself = one;
        CHECK(loupe_watch((__bridge void *)one, 0.05) == LOUPE_WATCH_OK);
    }
    for (int i = 0; i < 6000 && count(LOUPE_WATCH_LEAK) < before + MANY; i++)
        usleep(10000);
    CHECK(count(LOUPE_WATCH_LEAK) == before + MANY);
    CHECK(notLookedAt == MANY - LOOKED_AT);
}

int main(int argumentCount, char **arguments) {
    loupe_watch_on_leak(note, events);
    testRefusals();
    testTests();
    testForgetting();
    if (argumentCount > 1)
        testBaseline(arguments[1]);
    if (argumentCount > 2)
        testFilters(arguments[2]);
    testResurrection();
    testNewObjectAtDeadAddress();
    testManyOfOneKind();
    CHECK(loupe_watch_version() == LOUPE_WATCH_VERSION);
    printf("as it says\n");
    return 0;
}
