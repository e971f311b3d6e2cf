/*
 * Somebody sets the clock while the main thread is watched: it goes forward and back by an hour at
 * every look, for whoever asks the C library or the kernel. Neither makes a stall, hides one, or
 * changes how long one was.
 */
#include "check.h"
#include "loupe_stalls.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum { HOUR = 3600 };

static _Atomic(unsigned) looks, told, over;
static double length;

/* ---- The clock ---- */

static time_t set_time(void) {
    return 1700000000 + (++looks % 2 ? HOUR : -HOUR);
}

/* These take the place of the C library's, also for libraries. */
int clock_gettime(clockid_t clock, struct timespec *ret) {
    if (clock != CLOCK_REALTIME && clock != CLOCK_REALTIME_COARSE)
        return (int)syscall(SYS_clock_gettime, clock, ret);
    *ret = (struct timespec){.tv_sec = set_time()};
    return 0;
}

int gettimeofday(struct timeval *restrict ret, void *restrict zone) {
    (void)zone;
    *ret = (struct timeval){.tv_sec = set_time()};
    return 0;
}

time_t time(time_t *ret) {
    time_t now = set_time();
    if (ret)
        *ret = now;
    return now;
}

/* What the kernel is asked, past the C library. */
static void on_asked_kernel(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    struct timespec *ret = (struct timespec *)registers[REG_RSI];
    (void)number;
    (void)info;
    *ret = (struct timespec){.tv_sec = set_time()};
    registers[REG_RAX] = 0;
}

static bool take_clock_of_kernel(void) {
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, AUDIT_ARCH_X86_64, 0, 5),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_clock_gettime, 0, 3),
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[0])),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, CLOCK_REALTIME, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = {.len = sizeof(filter) / sizeof(filter[0]), .filter = filter};
    struct sigaction action = {.sa_sigaction = on_asked_kernel, .sa_flags = SA_SIGINFO};
    sigaction(SIGSYS, &action, NULL);
    return !prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) &&
           !prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program);
}

static void test_the_clock_is_set_at_every_look(void) {
    struct timespec first, second;
    CHECK_EQ(syscall(SYS_clock_gettime, CLOCK_REALTIME, &first), 0);
    clock_gettime(CLOCK_REALTIME, &second);
    CHECK_EQ(second.tv_sec - first.tv_sec == 2 * HOUR || first.tv_sec - second.tv_sec == 2 * HOUR,
             true);
}

/* ---- The watch ---- */

static void note(const struct loupe_stall *stall, void *context) {
    (void)context;
    if (stall->stack)
        told++;
    if (stall->is_over) {
        length = stall->seconds;
        over++;
    }
}

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void test_turns_that_come_back_are_no_stalls(void) {
    for (int i = 0; i < 100; i++) {
        loupe_stall_beat();
        usleep(5000);
    }
    CHECK_EQ(told, 0);
}

static void test_stall_has_its_length(void) {
    loupe_stall_beat();
    double start = seconds();
    while (!told && seconds() - start < 60)
        usleep(10000);
    double lasted = seconds() - start;
    for (int i = 0; i < 6000 && !over; i++) {
        loupe_stall_beat();
        usleep(10000);
    }
    CHECK_EQ(told, 1);
    CHECK_EQ(over, 1);
    CHECK(length >= 1 && length < lasted + 60);
}

int main(void) {
    if (!take_clock_of_kernel()) {
        puts("skipped: no system call can be taken here");
        return 77;
    }
    RUN(test_the_clock_is_set_at_every_look);
    CHECK(loupe_stall_watch(1, note, NULL));
    RUN(test_turns_that_come_back_are_no_stalls);
    RUN(test_stall_has_its_length);
    return check_report();
}
