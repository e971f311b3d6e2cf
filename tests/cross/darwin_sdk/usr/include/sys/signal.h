#pragma once
#include <_types.h>

#define SIGHUP    1
#define SIGINT    2
#define SIGQUIT   3
#define SIGILL    4
#define SIGTRAP   5
#define SIGABRT   6
#define SIGFPE    8
#define SIGKILL   9
#define SIGBUS    10
#define SIGSEGV   11
#define SIGSYS    12
#define SIGPIPE   13
#define SIGALRM   14
#define SIGTERM   15
#define SIGURG    16
#define SIGSTOP   17
#define SIGTSTP   18
#define SIGCONT   19
#define SIGCHLD   20
#define SIGXCPU   24
#define SIGXFSZ   25
#define SIGVTALRM 26
#define SIGPROF   27
#define SIGUSR1   30
#define SIGUSR2   31

#define SIG_BLOCK    1
#define SIG_UNBLOCK  2
#define SIG_SETMASK  3
#define SA_ONSTACK   0x0001
#define SA_RESTART   0x0002
#define SA_RESETHAND 0x0004
#define SA_NODEFER   0x0010
#define SA_SIGINFO   0x0040
#define SIG_DFL      ((void (*)(int))0)
#define SIG_IGN      ((void (*)(int))1)
#define SIG_ERR      ((void (*)(int)) - 1)

typedef int sig_atomic_t;
union sigval {
    int sival_int;
    void *sival_ptr;
};
/* Why there was a SIGBUS. */
#define BUS_ADRALN 1
#define BUS_ADRERR 2
#define BUS_OBJERR 3

typedef struct __siginfo {
    int si_signo, si_errno, si_code;
    pid_t si_pid;
    uid_t si_uid;
    int si_status;
    void *si_addr;
    union sigval si_value;
    long si_band;
    unsigned long __pad[7];
} siginfo_t;
struct sigaction {
    union {
        void (*__sa_handler)(int);
        void (*__sa_sigaction)(int, siginfo_t *, void *);
    } __sigaction_u;
    sigset_t sa_mask;
    int sa_flags;
};
#define sa_handler   __sigaction_u.__sa_handler
#define sa_sigaction __sigaction_u.__sa_sigaction
typedef struct {
    void *ss_sp;
    size_t ss_size;
    int ss_flags;
} stack_t;
#define MINSIGSTKSZ 32768
#define SIGSTKSZ    131072
