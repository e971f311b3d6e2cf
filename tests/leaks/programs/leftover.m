/* Objects that only words lead to which a system call does not use: below a waiting thread's stack pointer, and
 * in a register. One of them is also in a collection that a global keeps. And two that a notification center knows,
 * which does not retain its observers. Says "ready", and waits. */
#import <Foundation/Foundation.h>

#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

@interface Item : NSObject {
@public
    id _other;
}
@end

@implementation Item
- (void)dealloc {
    [_other release];
    [super dealloc];
}
@end

@interface Below : Item
@end
@implementation Below
@end

@interface InRegister : Item
@end
@implementation InRegister
@end

@interface Kept : Item
@end
@implementation Kept
@end

@interface Ring : Item
@end
@implementation Ring
@end

@interface Observing : Item
- (void)told:(NSNotification *)of;
@end
@implementation Observing
- (void)told:(NSNotification *)of {
    (void)of;
}
@end

@interface Shelf : Item
@end
@implementation Shelf
@end

Shelf *shelf;
/* In disguise, so that these hold nothing. */
struct {
    uintptr_t below, kept, ring, in_register;
} hidden;

static int nothing[2], has_begun;
static long thread_id;

static void make_ring(void) {
    Ring *one = [Ring new], *two = [Ring new];
    one->_other = two;
    two->_other = one;
    hidden.ring = ~(uintptr_t)one;
}

static void make_observers(void) {
    Observing *one = [Observing new], *two = [Observing new];
    one->_other = two;
    two->_other = one;
    [[NSNotificationCenter defaultCenter] addObserver:one selector:@selector(told:) name:@"Saved" object:nil];
}

static void make_all(void) {
    NSAutoreleasePool *pool = [NSAutoreleasePool new];
    Kept *kept = [Kept new];
    NSMutableArray *items = [NSMutableArray new];
    shelf = [Shelf new];
    shelf->_other = items;
    [items addObject:kept];
    [kept release];
    hidden.kept = ~(uintptr_t)kept;
    hidden.below = ~(uintptr_t)[Below new];
    hidden.in_register = ~(uintptr_t)[InRegister new];
    make_ring();
    make_observers();
    [pool release];
}

/* Reads from a pipe that nobody writes to; the call takes three arguments, in rdi, rsi and rdx. */
static void *wait_for_nothing(void *unused) {
    char byte;
    long got;
    (void)unused;
    thread_id = syscall(SYS_gettid);
    __atomic_store_n(&has_begun, 1, __ATOMIC_RELEASE);
    __asm__ volatile("movq 0(%[hidden]), %%rax\n notq %%rax\n movq %%rax, -56(%%rsp)\n"
                     "movq 8(%[hidden]), %%rax\n notq %%rax\n movq %%rax, -64(%%rsp)\n"
                     "movq 16(%[hidden]), %%rax\n notq %%rax\n movq %%rax, -80(%%rsp)\n"
                     "movq 24(%[hidden]), %%r9\n notq %%r9\n"
                     "xorl %%eax, %%eax\n syscall\n xorl %%r9d, %%r9d\n"
                     : "=&a"(got)
                     : [hidden] "r"(&hidden), "D"((long)nothing[0]), "S"(&byte), "d"(1L)
                     : "rcx", "r9", "r11", "memory");
    return NULL;
}

/* Writes over what functions that came back have left. */
static void __attribute__((noinline)) clear_stack(void) {
    volatile char bytes[1 << 14];
    unsigned i;
    for (i = 0; i < sizeof(bytes); i++)
        bytes[i] = 0;
}

/* Whether the thread sleeps: it does so in its call alone. */
static int is_waiting(void) {
    char path[64], text[256] = "", *name_end;
    FILE *file;
    snprintf(path, sizeof(path), "/proc/self/task/%ld/stat", thread_id);
    file = fopen(path, "r");
    if (!file)
        return 1;
    text[fread(text, 1, sizeof(text) - 1, file)] = 0;
    fclose(file);
    name_end = strrchr(text, ')');
    return !name_end || strncmp(name_end, ") S", 3) == 0;
}

int all_is_there(void) {
    return has_begun;
}

int main(void) {
    pthread_t thread;
    make_all();
    if (pipe(nothing) || pthread_create(&thread, NULL, wait_for_nothing, NULL))
        return 1;
    while (!__atomic_load_n(&has_begun, __ATOMIC_ACQUIRE))
        usleep(1000);
    while (!is_waiting())
        usleep(1000);
    clear_stack();
    all_is_there();
    puts("ready");
    fflush(stdout);
    getchar();
    return 0;
}
