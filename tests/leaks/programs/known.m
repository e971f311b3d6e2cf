/*
 * A program on GNUstep that leaks what it is told to, beside what the runtime and the Foundation
 * leave behind in each program:
 *   nothing | list | elements | in_use | text | object | string | knot | proxy | value | zone
 *   loop | timer
 * At the end it stops itself with the word "stop" behind that, and asks about itself with "ask".
 */
#import <Foundation/Foundation.h>

#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

@interface Photo : NSObject
@end
@implementation Photo
@end

/* Each of them has all others: more rings than anybody counts. */
enum { MEMBERS = 9 };
@interface Member : NSObject {
  @public
    id a, b, c, d, e, f, g, h;
}
@end
@implementation Member
@end

static void make_knot(void) {
    Member *members[MEMBERS];
    unsigned i, k;
    for (i = 0; i < MEMBERS; i++)
        members[i] = [Member new];
    for (i = 0; i < MEMBERS; i++) {
        id *others = &members[i]->a; /* and those behind it */
        for (k = 0; k < MEMBERS; k++) {
            if (k != i)
                *others++ = [members[k] retain];
        }
    }
    for (i = 0; i < MEMBERS; i++)
        [members[i] release];
}

/* Three own it. */
@interface Deputy : NSProxy
- (id)init;
@end
@implementation Deputy
- (id)init {
    return self;
}
@end
static Deputy *deputy;

struct cell {
    void *element;
    struct cell *next;
};

/* As the runtime leaves lists of its own, but with the elements that are still there. */
static struct cell *list_of(unsigned count, void *(*element)(void)) {
    struct cell *list = NULL;
    while (count--) {
        struct cell *first = malloc(sizeof(*first));
        *first = (struct cell){element(), list};
        list = first;
    }
    return list;
}

static void *make_photo(void) {
    return [Photo new];
}

static void *make_number(void) {
    char *text = malloc(200);
    memset(text, 'x', 199);
    text[199] = '\0';
    return text;
}

/* It knows a photo that nobody owns. */
static NSValue *value;

static struct cell *volatile forgotten;
static id volatile object;
static char *volatile text;

/* What is leaked comes from memory that nobody had before: of what was freed there may be old words
 * that lead to it. */
static void use_up_freed_memory(void) {
    static void **kept;
    enum { LARGEST = 1024, EACH = 200, SMALL = 64, EACH_SMALL = 5000 };
    for (size_t size = 8; size <= LARGEST; size += 16) {
        for (unsigned i = 0; i < (size <= SMALL ? EACH_SMALL : EACH); i++) {
            void **block = malloc(size); /* calloc() leaves out what the thread has at hand */
            memset(block, 0, size);
            *block = kept;
            kept = block;
        }
    }
}

/* A list that is lost, of whose three elements the second is in use. */
static void *in_use;
static struct cell *list_with_one_in_use(void) {
    struct cell *list = list_of(3, make_photo);
    in_use = list->next->element;
    return list;
}

/* The run loop has it; it is not released. */
static void schedule_timer(void) {
    NSTimer *timer = [[NSTimer alloc] initWithFireDate:[NSDate distantFuture]
                                              interval:1
                                                target:[[Photo new] autorelease]
                                              selector:@selector(description)
                                              userInfo:nil
                                               repeats:YES];
    [[NSRunLoop currentRunLoop] addTimer:timer forMode:NSDefaultRunLoopMode];
}

static __attribute__((noinline)) void leak(const char *what) {
    if (strcmp(what, "list") == 0)
        forgotten = list_of(3, make_number);
    else if (strcmp(what, "elements") == 0)
        forgotten = list_of(3, make_photo);
    else if (strcmp(what, "in_use") == 0)
        forgotten = list_with_one_in_use();
    else if (strcmp(what, "text") == 0)
        text = strdup("noSuchSelectorWasEver:registered:");
    else if (strcmp(what, "object") == 0)
        object = [Photo new];
    else if (strcmp(what, "string") == 0)
        object = [[NSString alloc] initWithFormat:@"/tmp/%d/Elsewhere", 4711];
    else if (strcmp(what, "proxy") == 0)
        deputy = [[[[Deputy alloc] init] retain] retain];
    else if (strcmp(what, "value") == 0)
        value = [[NSValue valueWithNonretainedObject:[Photo new]] retain];
    else if (strcmp(what, "zone") == 0)
        [[NSTimeZone systemTimeZone] retain];
    else if (strcmp(what, "loop") == 0)
        [NSRunLoop currentRunLoop];
    else if (strcmp(what, "timer") == 0)
        schedule_timer();
    else if (strcmp(what, "knot") == 0)
        make_knot();
    forgotten = NULL;
    object = nil;
    text = NULL;
}

/* No word of what was leaked is left on the stack or, where the compiler can, in a register. */
#if __has_attribute(zero_call_used_regs)
__attribute__((zero_call_used_regs("all")))
#endif
static __attribute__((noinline)) void overwrite_stack(void) {
    volatile char room[1 << 16];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

/* About itself, the helper that is preloaded. */
static int ask(void) {
    typedef const char *leaks_function(void);
    leaks_function *leaks = (leaks_function *)dlsym(RTLD_DEFAULT, "loupe_leaks");
    if (leaks)
        puts(leaks());
    return leaks ? 0 : 2;
}

int main(int count, char **arguments) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    NSLog(@"hello");
    use_up_freed_memory();
    leak(count > 1 ? arguments[1] : "nothing");
    overwrite_stack();
    [pool drain];
    if (count > 2 && strcmp(arguments[2], "ask") == 0)
        return ask();
    if (count > 2 && strcmp(arguments[2], "stop") == 0)
        raise(SIGSTOP);
    return 0;
}
