/*
 * A program that leaks nothing, and has its runtime keep much: classes made and changed at run
 * time, caches, pools of many pages in two threads. There it says "ready" and waits until its input
 * goes on; then it gives everything back. Ends with 0 if all of that worked.
 *
 *     clean          waits
 *     clean inside   asks the helper in it for its leaks instead, and prints the answer
 *     clean alone    the same, with one thread
 *
 * Compiled for each runtime: WITHOUT_FOUNDATION has a root class only, ON_GCC brings even that.
 */
#define _GNU_SOURCE /* barriers */
#ifndef ON_GCC
#import <Foundation/Foundation.h>
#endif
#import <objc/runtime.h>

#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CLASSES = 50, AUTORELEASED = 5000, IN_THREAD = 3000, OBJECTS = 100 };

#ifdef ON_GCC
@interface NSObject {
    Class isa;
}
@end
@implementation NSObject
+ (id)alloc {
    return class_createInstance(self, 0);
}
+ (Class)class {
    return self;
}
- (id)init {
    return self;
}
- (void)release {
    object_dispose(self);
}
@end
#endif

@protocol Answering
- (int)answer;
@end

@interface Thing : NSObject {
    id _other;
}
@end
@implementation Thing
@end

@interface Thing (Added)
- (int)added;
@end
@implementation Thing (Added)
- (int)added {
    return 1;
}
@end

static int answer(id self, SEL sel) {
    (void)self;
    (void)sel;
    return 42;
}

/* ---- Classes ---- */

/* Not on GCC's runtime, where class_addMethod() leaks a copy of the name. */
static void add_methods(Class made, unsigned number) {
#ifdef ON_GCC
    (void)made;
    (void)number;
    (void)answer;
#else
    char selector[32];
    for (unsigned i = 0; i < 5; i++) {
        snprintf(selector, sizeof(selector), "answer%u_%u", number, i);
        class_addMethod(made, sel_registerName(selector), (IMP)answer, "i@:");
    }
    class_addMethod(object_getClass((id)made), @selector(added), (IMP)answer, "i@:");
    class_addMethod([NSObject class], @selector(added), (IMP)answer, "i@:");
#endif
}

static Class make_class(unsigned number) {
    char name[32];
    snprintf(name, sizeof(name), "Made%u", number);
    Class made = objc_allocateClassPair([Thing class], name, 0);
    class_addIvar(made, "_number", sizeof(int), 2, "i");
    class_addProtocol(made, @protocol(Answering));
    add_methods(made, number);
    objc_registerClassPair(made);
    return made;
}

/* Each has an instance that comes and goes, so that it is messaged. */
static bool use_classes(void) {
    bool worked = true;
    for (unsigned i = 0; i < CLASSES; i++) {
        Class made = make_class(i);
        id object = [[made alloc] init];
        worked = worked && [object added] == 1;
        [object release];
    }
    return worked;
}

/* ---- Objects ---- */

#ifdef ON_GCC
static void *push_pool(void) {
    return NULL;
}
static void pop_pool(void *pool) {
    (void)pool;
}
static void fill_pool(unsigned count) {
    (void)count;
}
#else
void *objc_autoreleasePoolPush(void);
void objc_autoreleasePoolPop(void *pool);
static void *push_pool(void) {
    return objc_autoreleasePoolPush();
}
static void pop_pool(void *pool) {
    objc_autoreleasePoolPop(pool);
}
static void fill_pool(unsigned count) {
    for (unsigned i = 0; i < count; i++)
        [[[Thing alloc] init] autorelease];
}
#endif

#if defined(ON_GCC) || defined(WITHOUT_FOUNDATION)
static void use_collections(void) {}
#else
static void use_collections(void) {
    NSMutableDictionary *table = [[NSMutableDictionary alloc] init];
    for (int i = 0; i < OBJECTS; i++) {
        Thing *thing = [[Thing alloc] init];
        id held = [NSArray arrayWithObject:thing];
        objc_setAssociatedObject(thing, "held", [NSNumber numberWithDouble:i],
                                 OBJC_ASSOCIATION_RETAIN);
        [table setObject:held forKey:[NSString stringWithFormat:@"key %d", i]];
        [thing release];
    }
    [table autorelease];
}
#endif

/* ---- Waiting ---- */

static bool wait_here(void) {
    char byte;
    return write(STDOUT_FILENO, "ready\n", 6) == 6 && read(STDIN_FILENO, &byte, 1) >= 0;
}

/* By the helper, where that is in the process. */
static bool asks_itself(void) {
    const char *(*ask)(void) = (const char *(*)(void))dlsym(RTLD_DEFAULT, "loupe_leaks");
    const char *reply = ask ? ask() : NULL;
    return reply && puts(reply) >= 0;
}

static pthread_barrier_t filled, seen;

static void *work(void *unused) {
    void *pool = push_pool();
    fill_pool(IN_THREAD);
    pthread_barrier_wait(&filled);
    pthread_barrier_wait(&seen);
    pop_pool(pool);
    return unused;
}

static bool work_and_wait(bool inside) {
    pthread_t thread;
    void *pool = push_pool();
    use_collections();
    fill_pool(AUTORELEASED);
    pop_pool(push_pool());
    pthread_create(&thread, NULL, work, NULL);
    pthread_barrier_wait(&filled);
    bool worked = inside ? asks_itself() : wait_here();
    pthread_barrier_wait(&seen);
    pthread_join(thread, NULL);
    pop_pool(pool);
    return worked;
}

/* No other thread is there, and none was. */
static bool ask_alone(void) {
    void *pool = push_pool();
    use_collections();
    fill_pool(AUTORELEASED);
    bool asked = asks_itself();
    pop_pool(pool);
    return asked;
}

int main(int argc, char **argv) {
    pthread_barrier_init(&filled, NULL, 2);
    pthread_barrier_init(&seen, NULL, 2);
    bool worked = use_classes();
    if (argc > 1 && strcmp(argv[1], "alone") == 0)
        return ask_alone() && worked ? 0 : 1;
    return work_and_wait(argc > 1 && strcmp(argv[1], "inside") == 0) && worked ? 0 : 1;
}
