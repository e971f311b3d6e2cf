/*
 * failures.m - calls of the kernel that fail, one in each question, from the first of a name to the
 * last, and then all of them: the helper answers each time, calls nothing whole that is not, and
 * gives everything back.
 */
#import <Foundation/Foundation.h>
#include "loupe_helper.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void host_box_let_fail(const char *call, unsigned after);
void host_box_let_always_fail(const char *call);
int host_box_has_failed(void);
unsigned host_box_rights_held(void);

@interface Link : NSObject
@property(nonatomic, strong) Link *next;
@end
@implementation Link
@end

@interface Lost : Link
@end
@implementation Lost
@end

@interface OnStack : NSObject
@end
@implementation OnStack
@end

static const char *const calls[] = {
    "task_info",        "task_threads",     "thread_info",     "thread_suspend",
    "thread_get_state", "mach_vm_allocate", "mach_vm_protect", "mach_vm_read_overwrite",
    "mach_vm_region_recurse", "mach_vm_region_recurse, grown", "mach_vm_region_recurse, back"};

static const char *call;
static int number; /* so many calls of it before the one that fails */
static int failures;

static void check(bool holds, const char *what, const char *answer) {
    if (holds)
        return;
    failures++;
    printf("%s %d: %s: %.1500s\n", call, number, what, answer);
}

/* ---- A thread with the only reference to an object ---- */

static volatile bool has_begun, is_over;
static volatile uintptr_t turns;

static void *hold(void *ignored) {
    OnStack *held = [OnStack new];
    (void)ignored;
    has_begun = true;
    while (!is_over) {
        turns++;
        usleep(100);
    }
    __asm__ volatile("" : : "r"((__bridge void *)held) : "memory");
    return NULL;
}

static bool goes_on(void) {
    uintptr_t before = turns;
    for (unsigned i = 0; i < 20000 && turns == before; i++)
        usleep(1000);
    return turns != before;
}

/* ---- Questions ---- */

static Lost *asked_about;

static const char *ask_leaks(void) {
    return loupe_leaks();
}

static const char *ask_cycles(void) {
    return loupe_retain_cycles((__bridge void *)asked_about);
}

static const char *ask_stacks(void) {
    return loupe_backtraces();
}

static bool is_whole(const char *answer) {
    return strstr(answer, "\"status\":\"ok\"");
}

static void check_leaks(const char *answer) {
    check(strstr(answer, "\"status\":") != NULL, "no status", answer);
    bool told_lost = strstr(answer, "\"class\":\"Lost\"");
    check(!is_whole(answer) || told_lost, "whole, but the lost ring is not told", answer);
    check(!is_whole(answer) || !strstr(answer, "\"class\":\"OnStack\""),
          "whole, but tells of what a thread holds", answer);
}

static void check_cycles(const char *answer) {
    check(strstr(answer, "\"status\":") != NULL, "no status", answer);
    check(!is_whole(answer) || strstr(answer, "\"knots_found\":1"),
          "whole, but there is no ring", answer);
}

/* Text for people. A thread about which the kernel tells nothing has ended. */
static void check_stacks(const char *answer) {
    bool told_both = strstr(answer, "Thread 0 ") && strstr(answer, "Thread 1 ");
    check(told_both || strstr(answer, "There may be more threads") ||
              strstr(answer, "error: ") == answer || strcmp(call, "thread_info") == 0,
          "a thread is missing, and nothing says so", answer);
}

static const struct {
    const char *(*ask)(void);
    void (*check)(const char *answer);
} questions[] = {{ask_leaks, check_leaks}, {ask_cycles, check_cycles}, {ask_stacks, check_stacks}};

enum { ALWAYS = -1 }; /* as number */

/* False: the question makes fewer calls. */
static bool ask(size_t question) {
    unsigned rights = host_box_rights_held();
    if (number == ALWAYS)
        host_box_let_always_fail(call);
    else
        host_box_let_fail(call, (unsigned)number);
    const char *answer = questions[question].ask();
    bool came_to_it = host_box_has_failed();
    host_box_let_fail(NULL, 0);
    questions[question].check(answer);
    check(host_box_rights_held() == rights, "rights to ports are kept", "");
    check(goes_on(), "the other thread stands still", "");
    return came_to_it;
}

/* Each of the first calls, then fewer and fewer. */
static unsigned ask_with_failures(size_t question) {
    unsigned fired = 0;
    for (number = 0; ask(question); number += 1 + number / 4)
        fired++;
    number = ALWAYS;
    ask(question);
    return fired;
}

/* ---- A snapshot's file ---- */

enum { MOST_BYTES = 1 << 20, BYTES_OF_TIME = 8 };

static unsigned char whole[MOST_BYTES], written[MOST_BYTES];
static long whole_length;

/* How long it is; negative: there is none. */
static long read_file(const char *path, unsigned char bytes[MOST_BYTES]) {
    long length = 0;
    int file = open(path, O_RDONLY | O_CLOEXEC, 0);
    if (file < 0)
        return -1;
    for (long got = 1; got > 0 && length < MOST_BYTES; length += got)
        got = read(file, bytes + length, (size_t)(MOST_BYTES - length));
    close(file);
    return length;
}

static bool is_as_whole(long length) {
    unsigned others = 0;
    for (long i = 0; i < length && length == whole_length; i++)
        others += whole[i] != written[i];
    return length == whole_length && others <= BYTES_OF_TIME;
}

/* All are taken here: what the callers leave on the stack is in a snapshot, too. */
static long take_snapshot(const char *path, const char **answer_ret) {
    host_box_let_fail(call, (unsigned)number);
    *answer_ret = loupe_snapshot(path);
    return read_file(path, written);
}

/* False: it makes fewer calls. */
static bool write_with_failure(const char *path, bool is_to_be_whole) {
    const char *answer;
    long length = take_snapshot(path, &answer);
    bool came_to_it = host_box_has_failed();
    host_box_let_fail(NULL, 0);
    if (!call) {
        memcpy(whole, written, sizeof(whole));
        whole_length = length;
    }
    is_to_be_whole |= !came_to_it;
    check(is_whole(answer) == is_to_be_whole, "another status", answer);
    if (strncmp(path, "/dev/", 5) == 0)
        check(length >= 0, "what is the system's was removed", answer);
    else if (is_to_be_whole)
        check(is_as_whole(length), "not all was written", answer);
    else
        check(length < 0, "half a snapshot is left", answer);
    unlink(path);
    return came_to_it;
}

/* As it should be, until it is the same each time; then a signal comes in between, the disk takes a
 * part, the disk is full. */
static void write_with_failures(const char *path) {
    static const char *const ways[] = {NULL,   NULL, NULL, "write, interrupted", "write, in part",
                                       "write"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
        call = ways[i];
        for (number = 0; number < 3 && write_with_failure(path, !call || strlen(call) > 5);)
            number++;
        check(number > 0 || !call, "it is not called", "");
    }
    number = 0;
    write_with_failure("/dev/shm/loupe_box_failures", false);
}

__attribute__((noinline)) static void lose_a_ring(void) {
    Link *one = [Lost new], *other = [Lost new];
    one.next = other;
    other.next = one;
}

/* Over what calls have left on the stack. */
__attribute__((noinline)) static void wipe_stack(void) {
    volatile uintptr_t words[4096];
    for (unsigned i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        words[i] = 0;
}

int main(int count, char **arguments) {
    pthread_t thread;
    pthread_create(&thread, NULL, hold, NULL);
    while (!has_begun)
        usleep(1000);
    lose_a_ring();
    asked_about = [Lost new];
    asked_about.next = asked_about;
    wipe_stack();
    for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
        unsigned fired = 0;
        call = calls[i];
        for (size_t j = 0; j < sizeof(questions) / sizeof(questions[0]); j++)
            fired += ask_with_failures(j);
        printf("%s: %u failed\n", call, fired);
        check(fired > 0, "it is not called", "");
    }
    is_over = true;
    pthread_join(thread, NULL);
    if (count > 1)
        write_with_failures(arguments[1]);
    return failures != 0;
}
