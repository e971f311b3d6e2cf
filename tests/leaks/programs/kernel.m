/*
 * Things that the kernel alone holds: by the data of epolls, the value of a timer, and by bytes in a
 * pipe, which nobody sees. Writes down where they are, says "ready", waits until its input ends, and
 * takes them back from the kernel.
 *
 * Addresses are kept in disguise, so that the truth holds nothing.
 *
 * usage: kernel TRUTH SNAPSHOT; the second one is what the helper saves of it
 */
#define _GNU_SOURCE
#import <Foundation/Foundation.h>

#include "loupe_helper.h"

#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

@interface Thing : NSObject
@property(nonatomic, retain) Thing *next;
@end
@implementation Thing
- (void)dealloc {
    [_next release];
    [super dealloc];
}
@end

static FILE *truth;

static Thing *thing(const char *name) {
    Thing *made = [[Thing alloc] init];
    fprintf(truth, "%s 0x%lx\n", name, (unsigned long)made);
    return made;
}

#define PLANT __attribute__((noinline)) static void

/* The second one is the first one's alone. A number is an item's data, too. */
PLANT hold_by_epoll(int poll, int event) {
    struct epoll_event watched = {.events = EPOLLIN}, counted = {.events = EPOLLIN, .data.fd = 7};
    Thing *made = thing("epoll");
    made.next = thing("behind_epoll");
    [made.next release];
    watched.data.ptr = made;
    if (epoll_ctl(poll, EPOLL_CTL_ADD, event, &watched) ||
        epoll_ctl(poll, EPOLL_CTL_ADD, eventfd(0, 0), &counted))
        exit(2);
    watched.data.ptr = NULL;
}

PLANT hold_by_timer(void) {
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR1};
    struct itimerspec later = {.it_value.tv_sec = 100000};
    event.sigev_value.sival_ptr = thing("timer");
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &later, NULL))
        exit(2);
}

PLANT hold_by_pipe(int end) {
    Thing *made = thing("pipe");
    if (write(end, &made, sizeof(made)) != sizeof(made))
        exit(2);
}

/* Whose requests hold words that nobody tells; where programs may have one. */
PLANT begin_ring(void) {
    static char parameters[256];
    long ring = syscall(SYS_io_uring_setup, 8, parameters);
    if (ring >= 0)
        fprintf(truth, "io_uring %ld\n", ring);
}

/* Where words of the functions above may be. */
__attribute__((noinline)) static void scrub(void) {
    volatile char room[1 << 15];
    for (size_t i = 0; i < sizeof(room); i++)
        room[i] = 0;
}

int main(int count, char **arguments) {
    int ends[2], poll = epoll_create1(0), event = eventfd(1, 0);
    struct epoll_event got;
    Thing *sent;
    truth = count == 3 ? fopen(arguments[1], "w") : NULL;
    if (!truth || poll < 0 || event < 0 || pipe(ends))
        return 2;
    setvbuf(truth, NULL, _IONBF, 0);
    hold_by_epoll(poll, event);
    hold_by_timer();
    hold_by_pipe(ends[1]);
    begin_ring();
    scrub();
    fclose(truth);
    if (strstr(loupe_snapshot(arguments[2]), "\"error\""))
        return 2;
    puts("ready");
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    if (epoll_wait(poll, &got, 1, 0) != 1 || read(ends[0], &sent, sizeof(sent)) != sizeof(sent))
        return 1;
    [(Thing *)got.data.ptr release];
    [sent release];
    return 0;
}
