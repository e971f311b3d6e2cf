/*
 * system.c - calls whose numbers differ between Darwin and the host: errors, flags, clocks.
 */
#include "../kernel/kernel.h"
#include "../kernel/map.h"
#include "../kernel/ports.h"
#include "../loader/image.h"
#include "../loader/initializers.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* ---- errno (<sys/errno.h>): the same up to ERANGE but for EDEADLK and EAGAIN ---- */

static int darwin_error(int host) {
    static const struct {
        int host, darwin;
    } differing[] = {
        {EAGAIN, 35},     {EDEADLK, 11},      {EINPROGRESS, 36}, {ENOTSOCK, 38},
        {EADDRINUSE, 48}, {ECONNREFUSED, 61}, {ELOOP, 62},       {ENAMETOOLONG, 63},
        {ENOTEMPTY, 66},  {ETIMEDOUT, 60},    {ENOSYS, 78},      {EOVERFLOW, 84},
        {EILSEQ, 92},     {ENOTSUP, 45},      {ECONNRESET, 54},  {EPROTO, 100},
    };
    for (size_t i = 0; i < sizeof(differing) / sizeof(differing[0]); i++)
        if (differing[i].host == host)
            return differing[i].darwin;
    return host;
}

/* The host's error becomes Darwin's when it is asked for, once. */
int *host___error(void) {
    static __thread int own;
    if (errno) {
        own = darwin_error(errno);
        errno = 0;
    }
    return &own;
}

/* ---- Files ---- */

int host_open(const char *path, int flags, int mode) {
    static const struct {
        int darwin, host;
    } known[] = {{0x1, O_WRONLY},         {0x2, O_RDWR},         {0x4, O_NONBLOCK},
                 {0x8, O_APPEND},         {0x200, O_CREAT},      {0x400, O_TRUNC},
                 {0x800, O_EXCL},         {0x100, O_NOFOLLOW},   {0x20000, O_NOCTTY},
                 {0x100000, O_DIRECTORY}, {0x1000000, O_CLOEXEC}};
    int host = 0, left = flags;
    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (flags & known[i].darwin) {
            host |= known[i].host;
            left &= ~known[i].darwin;
        }
    if (left)
        box_fail("open(%s) with flags %#x", path, (unsigned)left);
    return open(path, host, mode);
}

/*
 * SIGPIPE is sent to the process, not to the thread that writes, unless the file is told not to
 * (xnu-10063: dofilewrite(), F_SETNOSIGPIPE). There it is told to what was opened; here to the
 * descriptor, so that a copy of it does not know.
 */
enum { FILES = 1024 };
static _Atomic(bool) sends_no_signal[FILES];

static ssize_t write_as_darwin(int file, const void *bytes, size_t size) {
    const struct timespec now = {0};
    sigset_t pipe, before, waiting;
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    pthread_sigmask(SIG_BLOCK, &pipe, &before);
    ssize_t written = write(file, bytes, size);
    int error = errno;
    bool is_broken = written < 0 && error == EPIPE;
    if (is_broken && !sigpending(&waiting) && sigismember(&waiting, SIGPIPE) == 1)
        sigtimedwait(&pipe, NULL, &now);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (is_broken && !(file >= 0 && file < FILES && sends_no_signal[file]))
        kill(getpid(), SIGPIPE);
    errno = error;
    return written;
}

/* For programs that test what then happens it may fail in three ways (host_box_let_fail()). */
ssize_t host_write(int file, const void *bytes, size_t size) {
    int error = box_kernel_is_to_fail("write")                ? ENOSPC
                : box_kernel_is_to_fail("write, interrupted") ? EINTR
                                                              : 0;
    if (error) {
        errno = error;
        return -1;
    }
    return write_as_darwin(file, bytes,
                           box_kernel_is_to_fail("write, in part") ? (size + 1) / 2 : size);
}

/* <sys/stat.h>, with inodes of 64 bits. */
struct darwin_stat {
    int32_t device;
    uint16_t mode, links;
    uint64_t inode;
    uint32_t user, group;
    int32_t special;
    struct timespec read, written, changed, born;
    int64_t size, blocks;
    int32_t block_size;
    uint32_t flags, generation;
    int32_t spare;
    int64_t spares[2];
};
_Static_assert(sizeof(struct darwin_stat) == 144, "struct stat");

int host_fstat(int file, struct darwin_stat *ret) {
    struct stat about;
    if (fstat(file, &about))
        return -1;
    *ret = (struct darwin_stat){
        .device = (int32_t)about.st_dev,
        .mode = (uint16_t)about.st_mode,
        .links = (uint16_t)about.st_nlink,
        .inode = about.st_ino,
        .user = about.st_uid,
        .group = about.st_gid,
        .read = about.st_atim,
        .written = about.st_mtim,
        .changed = about.st_ctim,
        .born = about.st_ctim,
        .size = about.st_size,
        .blocks = about.st_blocks,
        .block_size = (int32_t)about.st_blksize,
    };
    return 0;
}

int host_fcntl(int file, int command, uint64_t argument) {
    enum {
        SET_DESCRIPTOR = 2,
        SET_FLAGS = 4,
        NO_WAITING = 4,
        DUP_CLOEXEC = 67,
        SET_NO_SIGNAL = 73,
        GET_NO_SIGNAL = 74
    };
    if ((command == SET_NO_SIGNAL || command == GET_NO_SIGNAL) && fcntl(file, F_GETFD) < 0)
        return -1;
    if (command == SET_NO_SIGNAL) {
        if (file >= FILES)
            box_fail("fcntl(%d) of file %d", command, file);
        sends_no_signal[file] = (int)argument != 0;
        return 0;
    }
    if (command == GET_NO_SIGNAL)
        return file < FILES && sends_no_signal[file];
    if (command == DUP_CLOEXEC)
        return fcntl(file, F_DUPFD_CLOEXEC, (int)argument);
    if (command == SET_FLAGS && argument == NO_WAITING)
        return fcntl(file, F_SETFL, O_NONBLOCK);
    if (command > SET_DESCRIPTOR)
        box_fail("fcntl(%d)", command);
    return fcntl(file, command, (int)argument);
}

long host_sysconf(int name) {
    switch (name) {
    case 29:
        return (long)box_page_size;
    case 57: /* of processors that are there, and that run */
    case 58:
        return sysconf(_SC_NPROCESSORS_ONLN);
    default:
        box_fail("sysconf(%d)", name);
    }
}

/* ---- Time ---- */

int host_clock_gettime(int clock, struct timespec *ret) {
    switch (clock) {
    case 0:
        return clock_gettime(CLOCK_REALTIME, ret);
    case 4: /* raw, and two that stand while the machine sleeps */
    case 5:
    case 6:
    case 8:
    case 9:
        return clock_gettime(CLOCK_MONOTONIC, ret);
    case 12:
        return clock_gettime(CLOCK_PROCESS_CPUTIME_ID, ret);
    case 16:
        return clock_gettime(CLOCK_THREAD_CPUTIME_ID, ret);
    default:
        errno = EINVAL;
        return -1;
    }
}

uint64_t host_mach_absolute_time(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- Others ---- */

void host_bzero(void *bytes, size_t size) {
    memset(bytes, 0, size);
}

int host_getentropy(void *bytes, size_t size) {
    return getentropy(bytes, size);
}

void host_arc4random_buf(void *bytes, size_t size) {
    if (getrandom(bytes, size, 0) != (ssize_t)size)
        box_fail("no random bytes");
}

FILE *host_box_stream(int number) {
    return number == 0 ? stdin : number == 1 ? stdout : stderr;
}

char **host_box_environment(void) {
    return box_arguments.environment;
}

uint32_t host_box_task_self(void) {
    return box_task_port;
}

uint64_t host_box_page_size(void) {
    return box_page_size;
}

/* A double of a library cannot go on. */
_Noreturn void host_box_stop(const char *text, const void *address) {
    box_fail("%s (%p)", text, address);
}

/* What compilers make of setting to 0. */
void host___bzero(void *bytes, size_t size) {
    memset(bytes, 0, size);
}
