/*
 * A process that is stopped by a signal, or whose main thread a debugger holds while the others
 * run, has no stall; one that hangs after that has, once. The main loop of the child takes orders.
 */
#include "check.h"
#include "loupe_stalls.h"

#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TOLD = 't', OVER = 'o', READY = 'r', HANG = 'h' };

static int told_pipe[2], order_pipe[2];
static _Atomic(bool) was_told;

static void tell(char word) {
    if (write(told_pipe[1], &word, 1) != 1)
        _exit(3);
}

static void note(const struct loupe_stall *stall, void *context) {
    (void)context;
    if (stall->stack) {
        tell(TOLD);
        was_told = true;
    }
    if (stall->is_over)
        tell(OVER);
}

static void run_loop(void) {
    char order;
    loupe_stall_watch(1, note, NULL);
    loupe_stall_beat();
    tell(READY);
    for (;;) {
        struct pollfd orders = {.fd = order_pipe[0], .events = POLLIN};
        loupe_stall_beat();
        if (!poll(&orders, 1, 5))
            continue;
        if (read(order_pipe[0], &order, 1) != 1)
            _exit(0);
        for (int i = 0; i < 6000 && !was_told; i++)
            usleep(10000);
    }
}

/* What the child says within some milliseconds, or 0. */
static char hear(int milliseconds) {
    struct pollfd words = {.fd = told_pipe[0], .events = POLLIN};
    char word = 0;
    if (poll(&words, 1, milliseconds) == 1 && read(told_pipe[0], &word, 1) != 1)
        return 0;
    return word;
}

static void wait_for(double seconds) {
    struct timespec time = {.tv_sec = (time_t)seconds,
                            .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

static pid_t child;

static void test_process_that_a_signal_stops(void) {
    for (int i = 0; i < 2; i++) {
        CHECK_EQ(kill(child, SIGSTOP), 0);
        wait_for(2.5);
        CHECK_EQ(kill(child, SIGCONT), 0);
        CHECK_EQ(hear(300), 0);
    }
}

static void test_main_thread_that_a_debugger_holds(void) {
    if (ptrace(PTRACE_SEIZE, child, NULL, NULL)) {
        puts("skipped: this process may not trace its child");
        return;
    }
    CHECK_EQ(ptrace(PTRACE_INTERRUPT, child, NULL, NULL), 0);
    CHECK_EQ(waitpid(child, NULL, __WALL), child);
    wait_for(2.5);
    CHECK_EQ(ptrace(PTRACE_DETACH, child, NULL, NULL), 0);
    CHECK_EQ(hear(300), 0);
}

static void test_main_thread_that_hangs_after_that(void) {
    char order = HANG;
    CHECK_EQ(write(order_pipe[1], &order, 1), 1);
    CHECK_EQ(hear(60000), TOLD);
    CHECK_EQ(hear(60000), OVER);
    CHECK_EQ(hear(300), 0);
}

int main(void) {
    if (pipe(told_pipe) || pipe(order_pipe))
        return 2;
    if (!(child = fork())) {
        close(order_pipe[1]);
        run_loop();
    }
    CHECK_EQ(hear(60000), READY);
    RUN(test_process_that_a_signal_stops);
    RUN(test_main_thread_that_a_debugger_holds);
    RUN(test_main_thread_that_hangs_after_that);
    close(order_pipe[1]);
    waitpid(child, NULL, 0);
    return check_report();
}
