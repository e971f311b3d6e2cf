/*
 * signals.c - signals by Darwin's numbers (<sys/signal.h>), and how children ended by them.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/wait.h>

enum { SIGNALS = 32 };

/* By Darwin's number; 0: the host has no such signal. */
static const uint8_t of_host[SIGNALS] = {
    0,       SIGHUP,  SIGINT,    SIGQUIT, SIGILL,   SIGTRAP, SIGABRT, 0,
    SIGFPE,  SIGKILL, SIGBUS,    SIGSEGV, SIGSYS,   SIGPIPE, SIGALRM, SIGTERM,
    SIGURG,  SIGSTOP, SIGTSTP,   SIGCONT, SIGCHLD,  SIGTTIN, SIGTTOU, SIGIO,
    SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGWINCH, 0,       SIGUSR1, SIGUSR2};

static int in_darwin(int host) {
    int number = SIGNALS - 1;
    while (number && of_host[number] != host)
        number--;
    return number;
}

int host_kill(pid_t process, int number) {
    if (number < 0 || number >= SIGNALS || (number && !of_host[number])) {
        errno = EINVAL;
        return -1;
    }
    return kill(process, of_host[number]);
}

int host_pthread_kill(pthread_t thread, int number) {
    return number < 0 || number >= SIGNALS ? EINVAL : pthread_kill(thread, of_host[number]);
}

/* SIG_BLOCK is 1 there, and so on. */
int host_pthread_sigmask(int how, const uint32_t *set, uint32_t *before) {
    sigset_t host, old;
    sigemptyset(&host);
    for (int i = 1; set && i < SIGNALS; i++)
        if (*set & 1u << (i - 1) && of_host[i])
            sigaddset(&host, of_host[i]);
    int result = pthread_sigmask(how - 1, set ? &host : NULL, &old);
    if (before) {
        *before = 0;
        for (int i = 1; i < SIGNALS; i++)
            if (of_host[i] && sigismember(&old, of_host[i]) == 1)
                *before |= 1u << (i - 1);
    }
    return result;
}

/* The low seven bits of a status are the signal that ended the child. */
pid_t host_waitpid(pid_t process, int *status, int options) {
    int told = 0;
    pid_t found = waitpid(process, &told, options);
    if (found > 0 && WIFSIGNALED(told))
        told = (told & ~0x7f) | in_darwin(WTERMSIG(told));
    if (found > 0 && status)
        *status = told;
    return found;
}
