/*
 * Objects that do not live and die like others: they count themselves, outlive their -dealloc, change
 * their class, forward messages, refuse weak references. Without ARC, for the double of Apple's runtime,
 * libobjc2 and GCC's runtime.
 */
#import <Foundation/Foundation.h>
#include "check.h"
#include "loupe_watch.h"

#include <objc/runtime.h>
#include <string.h>
#include <time.h>

#if defined(__GNU_LIBOBJC__)
#define HAS_WEAK_REFERENCES 0
#else
#define HAS_WEAK_REFERENCES 1
#endif

/* ---- What is reported ---- */

static int events[3];
static char lastText[4096];

static void note(const struct loupe_watch_report *report, void *unused) {
    (void)unused;
    snprintf(lastText, sizeof(lastText), "%s", report->text);
    __atomic_add_fetch(&events[report->event], 1, __ATOMIC_SEQ_CST);
}

static void awaitOneMore(enum loupe_watch_event event, int before) {
    struct timespec rest = {0, 10000000};
    int i;
    for (i = 0; i < 1000 && __atomic_load_n(&events[event], __ATOMIC_SEQ_CST) == before; i++)
        nanosleep(&rest, NULL);
    CHECK(events[event] == before + 1);
}

static void expectReport(const void *object, const char *words) {
    int before = events[LOUPE_WATCH_LEAK];
    CHECK(!loupe_expect_dead(object));
    awaitOneMore(LOUPE_WATCH_LEAK, before);
    if (!strstr(lastText, words)) {
        printf("%s\nis without: %s\n", lastText, words);
        exit(1);
    }
}

static void watchShortly(id object) {
    CHECK(loupe_watch((const void *)object, 0.1) == LOUPE_WATCH_OK);
}

static void refused(id object, const char *why) {
    CHECK(loupe_watch((const void *)object, 0.1) == LOUPE_WATCH_REFUSED);
    if (!strstr(loupe_watch_problem(), why)) {
        printf("%s\nis without: %s\n", loupe_watch_problem(), why);
        exit(1);
    }
}

/* ---- One that counts its references itself ---- */

@interface Counted : NSObject {
    unsigned references;
    BOOL isDying;
}
@end

@implementation Counted

- (id)init {
    self = [super init];
    references = 1;
    return self;
}

- (id)retain {
    references++;
    return self;
}

- (oneway void)release {
    if (--references == 0) {
        isDying = YES;
        [self dealloc];
    }
}

- (NSUInteger)retainCount {
    return references;
}

- (BOOL)allowsWeakReference {
    return !isDying;
}

- (BOOL)retainWeakReference {
    references += !isDying;
    return !isDying;
}

@end

/* libobjc2 clears no weak reference when such an object dies. */
static void testOwnCounts(void) {
    Counted *counted = [[Counted alloc] init];
#if defined(__GNUSTEP_RUNTIME__)
    refused(counted, "its class counts references itself");
#else
    const void *address = (const void *)counted;
    int late = events[LOUPE_WATCH_LATE];
    watchShortly(counted);
    [counted release];
    CHECK(loupe_expect_dead(address));
    counted = [[Counted alloc] init];
    address = (const void *)counted;
    watchShortly([counted retain]);
    [counted release];
    expectReport(address, "Counted");
    [counted release];
    awaitOneMore(LOUPE_WATCH_LATE, late);
#endif
}

/* ---- One that lives on behind its -dealloc, to be used again ---- */

@interface Pooled : NSObject
- (void)end;
@end

static id pool;

@implementation Pooled

- (void)dealloc {
    pool = self;
    return;
    [super dealloc];
}

- (void)end {
    [super dealloc];
}

@end

static void testResurrected(void) {
    Pooled *pooled = [[Pooled alloc] init];
    const void *address = (const void *)pooled;
    int late = events[LOUPE_WATCH_LATE];
    watchShortly(pooled);
    [pooled release];
    CHECK(pool == pooled);
#if defined(__GNUSTEP_RUNTIME__)
    CHECK(loupe_expect_dead(address)); /* its weak references are cleared before -dealloc */
    CHECK(events[LOUPE_WATCH_LATE] == late);
    refused(pool, "it is being deallocated");
    [pool end];
#elif HAS_WEAK_REFERENCES
    expectReport(address, "Pooled");
    int again = events[LOUPE_WATCH_AGAIN];
    loupe_watch_forget(address);
    awaitOneMore(LOUPE_WATCH_AGAIN, again);
    CHECK(events[LOUPE_WATCH_LATE] == late);
    refused(pool, "it is being deallocated");
    [pool end];
#else
    expectReport(address, "Pooled");
    [pool end];
    awaitOneMore(LOUPE_WATCH_LATE, late);
#endif
    pool = nil;
}

/* Retains and releases itself while it dies, which changes nothing. */
@interface Reluctant : NSObject
@end

static id visitor;

@implementation Reluctant
- (void)dealloc {
    visitor = [self retain];
    [visitor release];
    visitor = nil;
    [super dealloc];
}
@end

/* ---- One that gets another class while it is watched, as for key-value observing ---- */

@interface Node : NSObject {
@public
    id next;
}
@end

@implementation Node
@end

static Class observingClass(void) {
    static Class made;
    if (!made) {
        made = objc_allocateClassPair([Node class], "NSKVONotifying_Node", 0);
        objc_registerClassPair(made);
    }
    return made;
}

static void testObserved(void) {
    Node *node = [[Node alloc] init];
    const void *address = (const void *)node;
    watchShortly(node);
    object_setClass(node, observingClass());
    [node release];
    CHECK(loupe_expect_dead(address));
    node = [[Node alloc] init];
    address = (const void *)node;
    object_setClass(node, observingClass());
    watchShortly(node);
    object_setClass(node, [Node class]);
    [node release];
    CHECK(loupe_expect_dead(address));
    node = [[Node alloc] init];
    watchShortly(node);
    object_setClass(node, observingClass());
    expectReport(node, "loupe: Node ");
    CHECK(!strstr(lastText, "NSKVONotifying_"));
    [node release];
}

/* ---- One that is no NSObject, and forwards what it does not know ---- */

@interface Stand : NSProxy {
@public
    id target;
}
@end

static int forwarded;

@implementation Stand

- (id)forwardingTargetForSelector:(SEL)selector {
    (void)selector;
    forwarded++;
    return nil;
}

- (id)methodSignatureForSelector:(SEL)selector {
    (void)selector;
    forwarded++;
    return nil;
}

@end

static void testProxies(void) {
    Stand *stand = [Stand alloc];
    const void *address = (const void *)stand;
    watchShortly(stand);
    [stand release];
    CHECK(loupe_expect_dead(address));
    stand = [Stand alloc];
    Node *node = [[Node alloc] init];
    stand->target = node;
    node->next = stand;
    watchShortly(stand);
    expectReport(stand, "cycle of 2 objects");
    CHECK(forwarded == 0);
    [node release];
    [stand release];
}

/* ---- One that refuses ---- */

@interface Refuser : NSObject
@end

@implementation Refuser
- (BOOL)allowsWeakReference {
    return NO;
}
@end

/* Not where a runtime does not ask it, or has no weak references that could be refused. */
static void testRefusals(void) {
    Refuser *refuser = [[Refuser alloc] init];
#if HAS_WEAK_REFERENCES && !defined(__GNUSTEP_RUNTIME__)
    refused(refuser, "its class refuses");
    [refuser release];
#else
    const void *address = (const void *)refuser;
    watchShortly(refuser);
    [refuser release];
    CHECK(loupe_expect_dead(address));
#endif
    refused((id)[Refuser class], "it is a class");
    refused(nil, "it is nil");
}

/* The list is "null" while another thread has it. */
static bool isListed(const char *state) {
    const char *list = "null";
    int i;
    for (i = 0; i < 1000 && strcmp(list, "null") == 0; i++)
        list = loupe_watch_list();
    return strstr(list, state) != NULL;
}

static void testListed(void) {
    Reluctant *object = [[Reluctant alloc] init];
    CHECK(loupe_watch((const void *)object, 600) == LOUPE_WATCH_OK);
    CHECK(isListed("\"state\":\"waiting\""));
    [object release];
    CHECK(isListed("\"state\":\"died\""));
    CHECK(!isListed("\"state\":\"waiting\""));
}

int main(void) {
    loupe_watch_on_leak(note, NULL);
    testListed();
    testOwnCounts();
    testResurrected();
    Reluctant *reluctant = [[Reluctant alloc] init];
    const void *address = (const void *)reluctant;
    watchShortly(reluctant);
    [reluctant release];
    CHECK(loupe_expect_dead(address));
    testObserved();
    testProxies();
    testRefusals();
    printf("as it says\n");
    return 0;
}
