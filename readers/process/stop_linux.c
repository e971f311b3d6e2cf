/* All threads of a process stopped, and let go whatever happens. */
#define _GNU_SOURCE

#include "process/stop.h"
#include "target/reader.h"

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifndef PTRACE_EVENT_STOP
#define PTRACE_EVENT_STOP 128
#endif

enum {
    PATH_SIZE = 64,
    TEXT_SIZE = 4096,
    YIELDS = 100,         /* most threads stop at once, */
    LONGEST_WAIT = 5000,  /* and none may take many more milliseconds */
    MOST_YIELDING = 2000, /* microseconds: where many wait for a processor one yield is as many */
    MOST_STRAYS = 256,
    MOST_ROUNDS = 1000 /* of looking for threads that started meanwhile */
};

/* ---- What /proc tells ---- */

static bool read_text(const char *path, char text[TEXT_SIZE]) {
    FILE *file = fopen(path, "re");
    if (!file)
        return false;
    size_t length = fread(text, 1, TEXT_SIZE - 1, file);
    fclose(file);
    text[length] = '\0';
    return length > 0;
}

/* What follows "NAME:" at the start of a line. */
static const char *field_of(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, name, length) == 0 && line[length] == ':')
            return line + length + 1 + strspn(line + length + 1, " \t");
    }
    return NULL;
}

static bool read_status(int id, char text[TEXT_SIZE]) {
    char path[PATH_SIZE];
    snprintf(path, sizeof(path), "/proc/%d/status", id);
    return read_text(path, text);
}

bool loupe_proc_status(int process, const char *name, uint64_t *ret) {
    char text[TEXT_SIZE];
    const char *field = read_status(process, text) ? field_of(text, name) : NULL;
    if (!field || *field < '0' || *field > '9')
        return false;
    *ret = strtoull(field, NULL, 10);
    return true;
}

/* The letter of a thread's state; 0: it is gone. */
static char state_of(int id) {
    char text[TEXT_SIZE];
    const char *field = read_status(id, text) ? field_of(text, "State") : NULL;
    return field ? *field : '\0';
}

static bool has_ended(int id) {
    char state = state_of(id);
    return !state || state == 'Z' || state == 'X';
}

/* One that is being killed gives its memory back before it is a zombie. */
static bool is_ending(int id) {
    uint64_t size;
    return has_ended(id) || !loupe_proc_status(id, "VmSize", &size);
}

/* Its first thread may end before the others. */
bool loupe_process_has_ended(uint64_t process) {
    char path[PATH_SIZE];
    bool lives = false;
    snprintf(path, sizeof(path), "/proc/%llu/task", (unsigned long long)process);
    DIR *folder = opendir(path);
    for (struct dirent *entry; folder && !lives && (entry = readdir(folder));)
        lives = atoi(entry->d_name) > 0 && !is_ending(atoi(entry->d_name));
    if (folder)
        closedir(folder);
    return !lives;
}

/* ---- Why not ---- */

static enum loupe_status refuse_ended(int process, struct loupe_error *err) {
    return loupe_fail(err, LOUPE_EUSAGE, 0, "process %d has ended", process);
}

static enum loupe_status refuse_permission(int process, struct loupe_error *err) {
    uint64_t tracer = 0, user = 0;
    char text[TEXT_SIZE];
    bool is_traced = loupe_proc_status(process, "TracerPid", &tracer) && tracer;
    /* A thread of one that is being killed is refused, although the others are ours already. */
    if (is_traced && tracer == (uint64_t)getpid())
        return refuse_ended(process, err);
    if (is_traced)
        return loupe_fail(
            err, LOUPE_EUSAGE, 0,
            "process %d is traced by process %d already, as by a debugger: ask there, "
            "or end that first",
            process, (int)tracer);
    if (loupe_proc_status(process, "Uid", &user) && user != geteuid())
        return loupe_fail(err, LOUPE_EUSAGE, 0,
                          "process %d belongs to another user (%d): ask as that user or as root",
                          process, (int)user);
    if (read_text("/proc/sys/kernel/yama/ptrace_scope", text) && *text != '0')
        return loupe_fail(
            err, LOUPE_EUSAGE, 0,
            "process %d may not be read: this system lets only root and debuggers that "
            "started a program (/proc/sys/kernel/yama/ptrace_scope is %c): ask as root",
            process, *text);
    return loupe_fail(err, LOUPE_EUSAGE, 0,
                      "process %d may not be read: it, or this system, forbids it%s", process,
                      geteuid() ? ": ask as root" : ", to root too");
}

static enum loupe_status refuse_attach(int process, int problem, struct loupe_error *err) {
    if (problem == EPERM || problem == EACCES)
        return refuse_permission(process, err);
    if (problem == ESRCH)
        return refuse_ended(process, err);
    return loupe_fail(err, LOUPE_EUSAGE, 0, "process %d cannot be stopped: %s", process,
                      strerror(problem));
}

/* ---- One thread ---- */

static struct loupe_stopped_thread *thread_at(const struct loupe_stopped *stopped,
                                              uint32_t number) {
    return loupe_vector_at(&stopped->threads, number, sizeof(struct loupe_stopped_thread));
}

#if defined(__x86_64__)
/* Calls that Linux ends with EINTR when a thread was stopped, although it got no signal
 * (signal(7)): epoll_wait and its kin, semop, semtimedop, sigtimedwait, io_getevents. */
static bool is_ended_by_stops(uint64_t number) {
    static const uint16_t numbers[] = {232, 281, 441, 65, 220, 128, 208};
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i] == number)
            return true;
    return false;
}

/* At once, so that it holds when we are killed: tells the kernel to begin the call anew unless a
 * signal comes, as it does with others by itself (ERESTARTNOHAND). Not with programs of 32 bits,
 * whose calls have other numbers. */
static void resume_call(const struct loupe_stopped_thread *thread) {
    enum { RESTART_WITHOUT_HANDLER = 514 };
    struct user_regs_struct registers;
    struct iovec room = {.iov_base = &registers, .iov_len = sizeof(registers)};
    if (ptrace(PTRACE_GETREGSET, thread->id, (void *)NT_PRSTATUS, &room) ||
        room.iov_len != sizeof(registers))
        return;
    if (registers.rax != (uint64_t)-EINTR || registers.cs != 0x33 ||
        !is_ended_by_stops(registers.orig_rax))
        return;
    registers.rax = (uint64_t)-RESTART_WITHOUT_HANDLER;
    ptrace(PTRACE_SETREGSET, thread->id, (void *)NT_PRSTATUS, &room);
}
#else
static void resume_call(const struct loupe_stopped_thread *thread) {
    (void)thread;
}
#endif

static uint64_t microseconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (uint64_t)time.tv_sec * 1000000 + (uint64_t)time.tv_nsec / 1000;
}

/* How long it was, which on a busy machine is more. */
static uint64_t sleep_a_little(void) {
    uint64_t before = microseconds();
    nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    return microseconds() - before;
}

/* Takes the stop that was asked for, if it has come. A signal may have come first: then the thread
 * has stopped before its delivery, which is as good. True too: it has ended, or is another one's by
 * now, after an exec. */
static bool take_stop(struct loupe_stopped_thread *thread) {
    int status;
    pid_t got = waitpid(thread->id, &status, __WALL | WNOHANG);
    if (got <= 0)
        return got < 0 && errno != EINTR;
    if (!WIFSTOPPED(status))
        return true;
    thread->is_stopped = true;
    thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
    if (!thread->signal)
        resume_call(thread);
    return true;
}

/* One that waits in the kernel is left as it is. False: it does not stop. */
static bool wait_for_stop(struct loupe_stopped *stopped, struct loupe_stopped_thread *thread) {
    uint64_t begun = microseconds();
    /* Cap: an error: the thread does not stop. */
    for (unsigned waited = 0; waited < LONGEST_WAIT; waited++) {
        if (take_stop(thread))
            return true;
        if (stopped->interrupted && stopped->interrupted(stopped->ctx))
            return false;
        if (waited < YIELDS && microseconds() - begun < MOST_YIELDING) {
            sched_yield();
            continue;
        }
        bool is_in_kernel = state_of(thread->id) == 'D';
        if (is_in_kernel && stopped->waited >= stopped->patience)
            return true;
        uint64_t slept = sleep_a_little();
        stopped->waited += is_in_kernel ? slept : 0;
    }
    return false;
}

/* Threads that were asked to stop and had not when their process was let go: each is let go when it
 * stops, which the kernel tells by a signal. Those of us that end are let go by the kernel. */
static volatile sig_atomic_t strays[MOST_STRAYS];

static void let_strays_go(int signal_number) {
    int problem = errno, status;
    (void)signal_number;
    /* Cap: all of a table; the kernel lets go of others. */
    for (unsigned i = 0; i < MOST_STRAYS; i++) {
        if (!strays[i])
            continue;
        pid_t got = waitpid(strays[i], &status, __WALL | WNOHANG);
        if (got > 0 && WIFSTOPPED(status)) {
            int signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
            ptrace(PTRACE_DETACH, strays[i], NULL, (void *)(intptr_t)signal);
        }
        if (got)
            strays[i] = 0;
    }
    errno = problem;
}

static void let_go_later(int id) {
    struct sigaction action = {.sa_handler = let_strays_go, .sa_flags = SA_RESTART};
    unsigned i = 0;
    /* Cap: all of a table; the kernel lets go of others. */
    while (i < MOST_STRAYS && strays[i])
        i++;
    if (i == MOST_STRAYS)
        return; /* until we end */
    strays[i] = id;
    sigaction(SIGCHLD, &action, NULL);
}

static void let_go(const struct loupe_stopped_thread *thread) {
    if (thread->is_stopped)
        ptrace(PTRACE_DETACH, thread->id, NULL, (void *)(intptr_t)thread->signal);
    else
        let_go_later(thread->id);
}

static bool is_known(const struct loupe_stopped *stopped, int id) {
    for (uint32_t i = 0; i < stopped->threads.count; i++)
        if (thread_at(stopped, i)->id == id)
            return true;
    return false;
}

static enum loupe_status stop_thread(struct loupe_stopped *stopped, int id,
                                     struct loupe_error *err) {
    if (ptrace(PTRACE_SEIZE, id, NULL, NULL)) {
        int problem = errno;
        bool is_gone = problem == ESRCH || has_ended(id);
        return is_gone ? LOUPE_OK : refuse_attach(stopped->process, problem, err);
    }
    struct loupe_stopped_thread *thread = loupe_vector_add(&stopped->threads);
    if (!thread)
        return loupe_reader_out_of_memory(err);
    *thread = (struct loupe_stopped_thread){.id = id};
    ptrace(PTRACE_INTERRUPT, id, NULL, NULL);
    return LOUPE_OK;
}

static enum loupe_status refuse_to_wait(const struct loupe_stopped *stopped, int id,
                                        struct loupe_error *err) {
    if (stopped->interrupted && stopped->interrupted(stopped->ctx))
        return loupe_fail(err, LOUPE_ETIMEOUT, 0,
                          "the time limit was reached before process %d had stopped",
                          stopped->process);
    if (has_ended(id))
        return refuse_attach(stopped->process, ESRCH, err);
    return loupe_fail(err, LOUPE_EUSAGE, 0,
                      "thread %d of process %d does not stop: it waits in the kernel (state %c)",
                      id, stopped->process, state_of(id) ? state_of(id) : '?');
}

/* ---- All of them ---- */

/* Stops those that are not known yet. *found_ret: how many. */
static enum loupe_status stop_round(struct loupe_stopped *stopped, uint32_t *found_ret,
                                    struct loupe_error *err) {
    char path[PATH_SIZE];
    uint32_t before = stopped->threads.count;
    enum loupe_status status = LOUPE_OK;
    snprintf(path, sizeof(path), "/proc/%d/task", stopped->process);
    DIR *folder = opendir(path);
    if (!folder)
        return refuse_attach(stopped->process, ESRCH, err);
    for (struct dirent *entry; !status && (entry = readdir(folder));) {
        int id = atoi(entry->d_name);
        if (id > 0 && !is_known(stopped, id))
            status = stop_thread(stopped, id, err);
    }
    closedir(folder);
    for (uint32_t i = before; !status && i < stopped->threads.count; i++)
        if (!wait_for_stop(stopped, thread_at(stopped, i)))
            status = refuse_to_wait(stopped, thread_at(stopped, i)->id, err);
    *found_ret = stopped->threads.count - before;
    return status;
}

static bool is_ours(int id) {
    uint64_t tracer;
    return state_of(id) == 't' && loupe_proc_status(id, "TracerPid", &tracer) &&
           tracer == (uint64_t)getpid();
}

static bool is_still_one(struct loupe_stopped_thread *thread) {
    if (!thread->is_stopped && !take_stop(thread))
        return true; /* it waits in the kernel */
    return thread->is_stopped && is_ours(thread->id);
}

/* Threads that ended before they stopped are none any more; and when one that was not stopped yet
 * begins another program, it takes the number of the first, and runs. How many were forgotten. */
static uint32_t forget_strayed(struct loupe_stopped *stopped) {
    uint32_t kept = 0, before = stopped->threads.count;
    for (uint32_t i = 0; i < before; i++)
        if (is_still_one(thread_at(stopped, i)))
            *thread_at(stopped, kept++) = *thread_at(stopped, i);
    stopped->threads.count = kept;
    return before - kept;
}

/* A thread that has stopped starts no others: when a round finds none, there are none. */
enum loupe_status loupe_stop_process(struct loupe_stopped *stopped, struct loupe_error *err) {
    uint32_t found = 1;
    enum loupe_status status = LOUPE_OK;
    for (unsigned i = 0; !status && found; i++) {
        status = i < MOST_ROUNDS
                     ? stop_round(stopped, &found, err)
                     : loupe_fail(err, LOUPE_EUSAGE, 0,
                                  "process %d starts threads faster than they can be stopped",
                                  stopped->process);
        if (!status)
            found += forget_strayed(stopped);
    }
    if (!status && !stopped->threads.count)
        status = refuse_attach(stopped->process, ESRCH, err);
    if (status)
        loupe_let_go(stopped);
    return status;
}

void loupe_let_go(struct loupe_stopped *stopped) {
    for (uint32_t i = 0; i < stopped->threads.count; i++)
        let_go(thread_at(stopped, i));
    stopped->threads.count = 0;
    let_strays_go(SIGCHLD); /* which may have stopped before anybody would be told */
}
