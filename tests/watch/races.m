/*
 * usage: races SECONDS [LEAKS_ONE_IN]
 * Objects that die on other threads at every step of arming, expiring and reporting; as many screens as
 * there is time for, of which one in a thousand leaks, or as few as are asked for: each is told once, and
 * nothing grows.
 */
#import <Foundation/Foundation.h>
#include "loupe_watch.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { THREADS = 3 };

static long leaksOneIn = 1000;

@interface Screen : NSObject
@property(nonatomic, strong) id part;
@end

@implementation Screen
@end

static _Atomic(long) made, leaked, told, late, lateWanted;
static _Atomic(bool) isOver;

static void note(const struct loupe_watch_report *report, void *unused) {
    (void)unused;
    if (report->event == LOUPE_WATCH_LEAK)
        told++;
    else if (report->event == LOUPE_WATCH_LATE)
        late++;
}

static void makeOne(unsigned *seed) {
    Screen *screen = [[Screen alloc] init];
    long number = made++;
    double seconds = 0.01 + (double)(rand_r(seed) % 20) / 1000;
    screen.part = [[Screen alloc] init];
    bool leaks = number % leaksOneIn == leaksOneIn - 1;
    if (leaks) {
        leaked++;
        ((Screen *)screen.part).part = screen;
    }
    if (loupe_watch((__bridge void *)screen, leaks ? 0.01 : seconds + 5) != LOUPE_WATCH_OK) {
        printf("refused: %s\n", loupe_watch_problem());
        exit(1);
    }
    if (number % 7 == 0)
        loupe_watch_forget((__bridge void *)screen.part);
    if (number % 64 == 0)
        usleep(rand_r(seed) % 1000);
}

/* Those that die about when they are due: never told but as late, if at all. */
static void makeClose(unsigned *seed) {
    @autoreleasepool {
        Screen *screen = [[Screen alloc] init];
        loupe_watch((__bridge void *)screen, 0.01);
        usleep(rand_r(seed) % 30000);
    }
}

static void *makeScreens(void *number) {
    unsigned seed = (unsigned)(uintptr_t)number;
    while (!isOver) {
        @autoreleasepool {
            makeOne(&seed);
        }
    }
    return NULL;
}

static void *makeCloseOnes(void *number) {
    unsigned seed = (unsigned)(uintptr_t)number;
    while (!isOver)
        makeClose(&seed);
    return NULL;
}

static long residentPages(void) {
    long size = 0, resident = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (file && fscanf(file, "%ld %ld", &size, &resident) != 2)
        resident = 0;
    if (file)
        fclose(file);
    return resident;
}

int main(int count, char **arguments) {
    int seconds = count > 1 ? atoi(arguments[1]) : 2;
    pthread_t threads[THREADS + 1];
    leaksOneIn = count > 2 ? atol(arguments[2]) : leaksOneIn;
    loupe_watch_on_leak(note, NULL);
    for (uintptr_t i = 0; i < THREADS; i++)
        pthread_create(&threads[i], NULL, makeScreens, (void *)(i + 1));
    pthread_create(&threads[THREADS], NULL, makeCloseOnes, (void *)99);
    sleep((unsigned)seconds);
    isOver = true;
    for (int i = 0; i <= THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 1200 && told - late < leaked; i++)
        usleep(50000);
    printf("%ld screens, %ld leaked, %ld told, %ld late, %ld pages\n", made, leaked, told, late,
           residentPages());
    return told - late == leaked ? 0 : 1;
}
