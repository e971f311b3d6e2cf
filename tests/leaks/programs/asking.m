/*
 * Drops objects, and asks for a snapshot of itself into a file that may not be as long: the signal
 * that says so comes while the helper has all that it knows. There it says "ready" and waits until
 * its input ends; ends with 0 if all came so.
 *
 * usage: asking FILE
 */
#import <Foundation/Foundation.h>

#include "loupe_helper.h"

#include <signal.h>
#include <stdbool.h>
#include <sys/resource.h>
#include <unistd.h>

enum { DROPPED = 2000, KEPT = 2000 };

@interface Dropped : NSObject
@end
@implementation Dropped
@end

@interface Kept : NSObject
@end
@implementation Kept
@end

static id kept[KEPT];

__attribute__((noinline)) static void make_things(void) {
    for (unsigned i = 0; i < DROPPED; i++)
        [[Dropped alloc] init];
    for (unsigned i = 0; i < KEPT; i++)
        kept[i] = [[Kept alloc] init];
}

static volatile bool has_waited;

static void wait_here(int signal) {
    char byte;
    (void)signal;
    if (has_waited || write(STDOUT_FILENO, "ready\n", 6) != 6)
        return;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    has_waited = true;
}

int main(int argc, char **argv) {
    const struct rlimit longest = {.rlim_cur = 4096, .rlim_max = RLIM_INFINITY};
    if (argc != 2 || setrlimit(RLIMIT_FSIZE, &longest))
        return 2;
    signal(SIGXFSZ, wait_here);
    make_things();
    loupe_snapshot(argv[1]);
    return has_waited && kept[0] ? 0 : 1;
}
