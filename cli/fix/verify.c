/* A change, tried in a copy. */
#define _GNU_SOURCE

#include "fix/verify.h"

#include "shared/cli.h"
#include "fix/tracked_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { LARGEST_REPORTS = 1 << 30, MOST_WANTED = 16, STEP_NANOSECONDS = 20 * 1000 * 1000 };

const char *fix_outcome_name(enum fix_outcome outcome) {
    static const char *const names[] = {"gone", "still-there", "command-failed", "not-asked"};
    return names[outcome];
}

/* ---- The command ---- */

static volatile sig_atomic_t interrupted;

static void note_signal(int number) {
    interrupted = number;
}

/* libloupe_leaks, in a build tree or installed. False: it is not there. */
static bool find_library(const char *tool, char ret[FIX_LONGEST_PATH]) {
    static const char *const places[] = {"../at_exit", "../lib/loupe"};
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        loupe_format(ret, FIX_LONGEST_PATH, "%.*s/%s/libloupe_leaks.so",
                     (int)(strrchr(tool, '/') - tool), tool, places[i]);
        if (access(ret, R_OK) == 0)
            return true;
    }
    return false;
}

static void set_environment(const struct fix_copy *copy) {
    char tool[FIX_LONGEST_PATH] = "", library[FIX_LONGEST_PATH], reports[FIX_LONGEST_PATH];
    const char *before = getenv("LD_PRELOAD");
    char preloaded[2 * FIX_LONGEST_PATH];
    loupe_format(reports, sizeof(reports), "%s/reports", copy->folder);
    setenv("LOUPE_LEAKS_FILE", reports, 1);
    setenv("LOUPE_LEAKS", "at-exit-of-objc", 1);
    setenv("LOUPE_LEAKS_FORMAT", "json", 1);
    unsetenv("LOUPE_LEAKS_EXIT");
    unsetenv("LOUPE_LEAKS_BASELINE");
    unsetenv("LOUPE_LEAKS_FILTERS");
    if (readlink("/proc/self/exe", tool, sizeof(tool) - 1) <= 0 || !find_library(tool, library))
        return;
    loupe_format(preloaded, sizeof(preloaded), "%s%s%s", library, before && *before ? ":" : "",
                 before ? before : "");
    setenv("LOUPE_TOOL", tool, 1);
    setenv("LD_PRELOAD", preloaded, 1);
}

/* In the copy of the working directory, where that is in the tree; else of the sources' folder.
 * What it prints goes to standard error. */
static void become_command(const struct fix_copy *copy, const char *command) {
    char folder[2 * FIX_LONGEST_PATH];
    setpgid(0, 0);
    loupe_format(folder, sizeof(folder), "%s/tree/%s", copy->folder, copy->prefix);
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (chdir(folder) || dup2(nothing, STDIN_FILENO) < 0 || dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        _exit(127);
    set_environment(copy);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

static uint64_t microseconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

/* Whether it has ended; it stays a zombie, so that its number is nobody else's. */
static bool has_ended(pid_t child) {
    siginfo_t about = {.si_pid = 0};
    return waitid(P_PID, (id_t)child, &about, WEXITED | WNOHANG | WNOWAIT) || about.si_pid;
}

/* All of its group are killed when its time is over, and when it ends: nothing of it stays. */
static int wait_for(pid_t child, uint64_t timeout, bool *is_timed_out) {
    const struct timespec step = {.tv_nsec = STEP_NANOSECONDS};
    uint64_t end = microseconds_now() + timeout;
    int status = 0;
    while (!interrupted && !has_ended(child)) {
        *is_timed_out = microseconds_now() >= end;
        if (*is_timed_out)
            break;
        nanosleep(&step, NULL);
    }
    kill(-child, SIGKILL);
    while (waitpid(child, &status, 0) < 0 && errno == EINTR)
        ;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static bool run_command(const struct fix_trial *trial, const struct fix_copy *copy,
                        struct fix_verified *ret, struct fix_reason *reason) {
    const struct sigaction note = {.sa_handler = note_signal};
    struct sigaction before[2];
    sigaction(SIGINT, &note, &before[0]);
    sigaction(SIGTERM, &note, &before[1]);
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_command(copy, trial->command);
    if (child > 0) {
        setpgid(child, child);
        ret->status = wait_for(child, trial->timeout, &ret->is_timed_out);
    }
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
    if (interrupted)
        return fix_refuse(reason, "--verify was interrupted");
    return child > 0 || fix_refuse(reason, "the command was not started: %s", strerror(errno));
}

/* ---- What was said ---- */

/* Fingerprints of the entry, and of the loops that the reference is in. */
struct wanted {
    struct loupe_span items[MOST_WANTED];
    uint32_t count;
};

static void want(struct wanted *wanted, struct loupe_span fingerprint) {
    if (fingerprint.length && wanted->count < MOST_WANTED)
        wanted->items[wanted->count++] = fingerprint;
}

static bool has_edge(const struct json_value *ring, const struct json_value *edge) {
    JSON_EACH(one, json_member(ring, "edges")) {
        if (json_texts_equal(json_text(one, "from"), json_text(edge, "from")) &&
            json_texts_equal(json_text(one, "to"), json_text(edge, "to")))
            return true;
    }
    return false;
}

static const struct json_value *knot_of(const struct json_value *entry) {
    const struct json_value *knot = json_member(entry, "knot");
    return knot->kind == JSON_OBJECT ? knot : entry;
}

static struct wanted wanted_of(const struct fix_choice *choice) {
    const struct json_value *knot = knot_of(choice->found), *fix = choice->fix;
    const struct json_value *subjects = json_member(fix, "subjects");
    const struct json_value *edge = json_member(subjects->first ? subjects->first : fix, "edge");
    struct wanted wanted = {.count = 0};
    want(&wanted, json_text(choice->found, "fingerprint"));
    want(&wanted, json_text(knot, "fingerprint"));
    JSON_EACH(ring, json_member(knot, "rings")) {
        if (has_edge(ring, edge))
            want(&wanted, json_text(ring, "fingerprint"));
    }
    return wanted;
}

static bool is_wanted(const struct wanted *wanted, const struct json_value *value) {
    struct loupe_span fingerprint = json_text(value, "fingerprint");
    for (uint32_t i = 0; i < wanted->count; i++) {
        if (json_texts_equal(wanted->items[i], fingerprint))
            return true;
    }
    return false;
}

static bool is_in_entry(const struct wanted *wanted, const struct json_value *entry) {
    const struct json_value *knot = knot_of(entry);
    bool found = is_wanted(wanted, entry) || is_wanted(wanted, knot);
    JSON_EACH(ring, json_member(knot, "rings")) {
        found |= is_wanted(wanted, ring);
    }
    return found;
}

struct reports {
    struct wanted wanted;
    bool found, is_whole;
    struct fix_verified *verified;
};

static bool take_report(struct reports *reports, struct loupe_span line, struct loupe_arena *arena,
                        struct fix_reason *reason) {
    const struct json_value *root;
    struct loupe_error err = {0};
    if (json_read(line, arena, &root, &err) || !fix_is_such_answer(root))
        return fix_refuse(reason, "a report of a program is not an answer of loupe leaks --json");
    const struct json_value *leaks = json_member(root, "leaks");
    JSON_EACH(entry, leaks->kind == JSON_ARRAY ? leaks : json_member(root, "knots")) {
        reports->found |= is_in_entry(&reports->wanted, entry);
    }
    reports->verified->programs++;
    reports->verified->left += (unsigned)json_uint(root, "found");
    reports->is_whole &= loupe_span_equals(json_text(root, "status"), "ok");
    return true;
}

static bool read_reports(const struct fix_copy *copy, struct loupe_arena *arena,
                         struct loupe_span *ret, struct fix_reason *reason) {
    char path[FIX_LONGEST_PATH];
    struct stat about;
    loupe_format(path, sizeof(path), "%s/reports", copy->folder);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    *ret = (struct loupe_span){"", 0};
    if (file < 0)
        return true;
    bool fits =
        fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size <= LARGEST_REPORTS;
    char *bytes = fits ? loupe_arena_alloc(arena, (size_t)about.st_size + 1) : NULL;
    ssize_t got = bytes ? read(file, bytes, (size_t)about.st_size) : -1;
    close(file);
    *ret = (struct loupe_span){bytes, got > 0 ? (size_t)got : 0};
    return bytes || fix_refuse(reason, "the reports of the programs cannot be read");
}

static bool judge(const struct fix_trial *trial, const struct fix_copy *copy,
                  struct loupe_arena *arena, struct fix_verified *ret, struct fix_reason *reason) {
    struct reports reports = {
        .wanted = wanted_of(trial->choice), .is_whole = true, .verified = ret};
    struct loupe_span text;
    if (!read_reports(copy, arena, &text, reason))
        return false;
    for (size_t at = 0; at < text.length;) {
        const char *end = memchr(text.bytes + at, '\n', text.length - at);
        size_t length = end ? (size_t)(end - text.bytes) - at : text.length - at;
        if (length &&
            !take_report(&reports, (struct loupe_span){text.bytes + at, length}, arena, reason))
            return false;
        at += length + 1;
    }
    ret->outcome = ret->status || ret->is_timed_out ? FIX_COMMAND_FAILED
                   : reports.found                  ? FIX_STILL_THERE
                   : !ret->programs || !reports.is_whole || !reports.wanted.count ? FIX_NOT_ASKED
                                                                                  : FIX_GONE;
    return true;
}

/* ---- The whole ---- */

static bool write_change(const struct fix_trial *trial, const struct fix_copy *copy,
                         struct loupe_arena *arena, struct fix_reason *reason) {
    for (uint32_t i = 0; i < trial->change->count; i++) {
        const struct fix_patch *patch = &trial->change->patches[i];
        struct loupe_span patched = fix_patched(patch, arena);
        if (!patched.bytes)
            return fix_refuse(reason, "out of memory");
        if (!fix_write_copied(copy, patch->file->path, patched, reason))
            return false;
    }
    return true;
}

bool fix_verify(const struct fix_trial *trial, struct loupe_arena *arena, struct fix_verified *ret,
                struct fix_reason *reason) {
    struct fix_copy copy;
    *ret = (struct fix_verified){.status = 0};
    if (!fix_copy_tracked(trial->folder, &copy, reason))
        return false;
    bool done = write_change(trial, &copy, arena, reason) &&
                run_command(trial, &copy, ret, reason) && judge(trial, &copy, arena, ret, reason);
    if (!fix_remove_copy(&copy) && done)
        return fix_refuse(reason, "the copy in %s cannot be removed",
                          cli_printable(loupe_span_of(copy.folder)));
    return done;
}
