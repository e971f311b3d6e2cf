/*
 * stalled.c - libloupe_stalls, inserted, with LOUPE_STALLS=0.1: a run loop as CoreFoundation has
 * one, which the library asks for an observer, hangs until the file that is standard error here
 * says so.
 */
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef void observer_function(void *observer, unsigned long activity, void *info);

enum { BEFORE_WAITING = 32, AFTER_WAITING = 64 };

static char loop, observer, modes;
static _Atomic(observer_function *) called;
static _Atomic(int) is_added;
static char text[1 << 16];

const void *const kCFRunLoopCommonModes = &modes;

void *CFRunLoopGetMain(void) {
    return &loop;
}

void *CFRunLoopObserverCreate(void *allocator, unsigned long activities, unsigned char repeats,
                              long order, observer_function *call, void *context) {
    (void)allocator, (void)activities, (void)repeats, (void)order, (void)context;
    called = call;
    return &observer;
}

void CFRunLoopAddObserver(void *to, void *added, const void *mode) {
    is_added = to == &loop && added == &observer && mode == &modes;
}

static void be(unsigned long activity) {
    observer_function *call = called;
    call(&observer, activity, NULL);
}

/* Whether the file says that, in a minute. */
static int says(const char *path, const char *what) {
    for (int i = 0; i < 6000; i++) {
        FILE *file = fopen(path, "r");
        size_t length = file ? fread(text, 1, sizeof(text) - 1, file) : 0;
        text[length] = '\0';
        if (file)
            fclose(file);
        if (strstr(text, what))
            return 1;
        usleep(10000);
    }
    return 0;
}

__attribute__((noinline)) static int hang(const char *path) {
    int is_told = says(path, " s so far\n") && says(path, " main + ");
    __asm__ volatile("" ::: "memory");
    return is_told;
}

static int failed;

static void check(int holds, const char *what) {
    if (holds)
        return;
    printf("%s is missing in:\n%s\n", what, text);
    failed = 1;
}

int main(int count, char **arguments) {
    const char *path = count > 1 ? arguments[1] : "box_stalled.text";
    unlink(path);
    int file = open(path, O_RDWR | O_CREAT, 0600);
    if (file < 0 || dup2(file, STDERR_FILENO) < 0)
        return 2;
    for (int i = 0; i < 6000 && !is_added; i++)
        usleep(10000);
    if (!is_added) {
        printf("nobody wants to observe the run loop\n");
        return 1;
    }
    be(AFTER_WAITING);
    check(hang(path), "that it hangs");
    check(strstr(text, " % of the time. Frames common to ") != NULL, "what it does");
    check(strstr(text, " hang + ") != NULL, "where it hangs");
    be(BEFORE_WAITING);
    check(says(path, " s, over now\n"), "that it came back");
    unlink(path);
    return failed;
}
