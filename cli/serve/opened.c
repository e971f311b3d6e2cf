#define _DEFAULT_SOURCE /* fileno(), fork(), setrlimit() */

#include "serve/opened.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

/* ---- Processes ---- */

static void forget(struct opened *opened) {
    if (opened->to >= 0)
        close(opened->to);
    if (opened->from >= 0)
        close(opened->from);
    if (opened->output)
        fclose(opened->output);
    if (opened->messages)
        fclose(opened->messages);
    free(opened->key);
    *opened = (struct opened){.to = -1, .from = -1};
}

/* Ends it, however it stands. What waitpid() says of it. */
static int end(struct opened *opened) {
    int how = 0;
    if (opened->process) {
        kill(opened->process, SIGKILL);
        while (waitpid(opened->process, &how, 0) < 0 && errno == EINTR)
            ;
    }
    forget(opened);
    return how;
}

void opened_init(struct opened_set *set, unsigned most, uint64_t most_memory) {
    *set = (struct opened_set){.most = most, .most_memory = most_memory};
    for (unsigned i = 0; i < most; i++)
        set->items[i] = (struct opened){.to = -1, .from = -1};
}

void opened_end_all(struct opened_set *set) {
    for (unsigned i = 0; i < set->most; i++)
        end(&set->items[i]);
}

/* Sanitizers reserve more than any limit. */
#if defined(__SANITIZE_ADDRESS__)
#define HAS_LIMITS false
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HAS_LIMITS false
#endif
#endif
#ifndef HAS_LIMITS
#define HAS_LIMITS true
#endif

static void limit_memory(uint64_t bytes) {
    struct rlimit limit = {.rlim_cur = (rlim_t)bytes, .rlim_max = (rlim_t)bytes};
    if (bytes && HAS_LIMITS)
        setrlimit(RLIMIT_DATA, &limit); /* what is mapped from files does not count */
}

/* In the child: nothing of the parent's is left open, so that each pipe ends with its owner. */
_Noreturn static void run_child(const struct opened_set *set, const struct opened *opened, int from,
                                int to) {
    int nothing = open("/dev/null", O_RDONLY);
    for (unsigned i = 0; i < set->most; i++) {
        if (set->items[i].process) {
            close(set->items[i].to);
            close(set->items[i].from);
        }
    }
    close(opened->to);
    close(opened->from);
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    bool is_ready = nothing >= 0 && dup2(nothing, STDIN_FILENO) >= 0 &&
                    dup2(fileno(opened->output), STDOUT_FILENO) >= 0 &&
                    dup2(fileno(opened->messages), STDERR_FILENO) >= 0;
    limit_memory(set->most_memory);
    if (is_ready)
        opened_serve(from, to, set->hides_values);
    _exit(is_ready ? CLI_OK : CLI_FAILURE);
}

static bool start(const struct opened_set *set, struct opened *opened, const char *key) {
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    opened->key = strdup(key);
    opened->output = tmpfile();
    opened->messages = tmpfile();
    bool is_ready = opened->key && opened->output && opened->messages && !pipe(down) && !pipe(up);
    opened->to = down[1];
    opened->from = up[0];
    fflush(stdout);
    pid_t process = is_ready ? fork() : -1;
    if (!process)
        run_child(set, opened, down[0], up[1]);
    int why = errno;
    if (down[0] >= 0)
        close(down[0]);
    if (up[1] >= 0)
        close(up[1]);
    if (process < 0)
        forget(opened);
    else
        opened->process = process;
    errno = why;
    return process > 0;
}

/* ---- Which one ---- */

/* The one with that key; else one that is free, or that was not used for longest, started anew. */
static struct opened *find(struct opened_set *set, const char *key) {
    struct opened *oldest = &set->items[0];
    for (unsigned i = 0; i < set->most; i++) {
        struct opened *item = &set->items[i];
        if (item->process && !strcmp(item->key, key))
            return item;
        if (item->used < oldest->used)
            oldest = item;
    }
    end(oldest);
    return start(set, oldest, key) ? oldest : NULL;
}

/* ---- Questions ---- */

/* A question ends itself when its time is over; a process that does not is ended after that. */
enum { SECONDS_OF_GRACE = 20 };

static bool send_all(int to, const void *bytes, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t sent = write(to, (const char *)bytes + done, length - done);
        if (sent < 0 && errno != EINTR)
            return false;
        done += sent > 0 ? (size_t)sent : 0;
    }
    return true;
}

static bool send_word(int to, const char *word) {
    return send_all(to, word, strlen(word) + 1);
}

static bool send_question(int to, const struct opened_question *question) {
    uint32_t length = (uint32_t)strlen(question->verb->name) + 1;
    for (unsigned i = 0; i < question->word_count; i++)
        length += (uint32_t)strlen(question->words[i]) + 1;
    bool sent = send_all(to, &length, sizeof(length)) && send_word(to, question->verb->name);
    for (unsigned i = 0; i < question->word_count && sent; i++)
        sent = send_word(to, question->words[i]);
    return sent;
}

static int64_t now_in_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits for the status of the answer, and meanwhile reads what else there is. */
static enum opened_end wait_for(const struct opened *opened, struct opened_meanwhile *meanwhile,
                                int64_t until, int *status_ret) {
    for (;;) {
        struct pollfd waiting[] = {{.fd = opened->from, .events = POLLIN},
                                   {.fd = meanwhile->descriptor, .events = POLLIN}};
        int64_t left = until - now_in_milliseconds();
        int ready = left > 0 ? poll(waiting, 2, left < 60000 ? (int)left : 60000) : 0;
        if (left <= 0)
            return OPENED_TOO_SLOW;
        if (ready <= 0)
            continue;
        if (waiting[0].revents)
            return read(opened->from, status_ret, sizeof(*status_ret)) == sizeof(*status_ret)
                       ? OPENED_ANSWERED
                       : OPENED_DIED;
        if (waiting[1].revents && !meanwhile->read(meanwhile))
            return OPENED_UNWANTED;
    }
}

static enum loupe_status read_back(FILE *file, struct loupe_arena *arena, struct loupe_span *ret) {
    off_t size = lseek(fileno(file), 0, SEEK_END);
    char *text = size >= 0 ? loupe_arena_alloc(arena, (size_t)size + 1) : NULL;
    if (!text)
        return LOUPE_ENOMEM;
    ssize_t got = pread(fileno(file), text, (size_t)size, 0);
    *ret = (struct loupe_span){text, got > 0 ? (size_t)got : 0};
    return LOUPE_OK;
}

static enum loupe_status read_answer(const struct opened *opened, struct loupe_arena *arena,
                                     struct opened_answer *ret) {
    if (lseek(fileno(opened->output), 0, SEEK_END) > OPENED_LARGEST_ANSWER) {
        ret->end = OPENED_TOO_LARGE;
        return LOUPE_OK;
    }
    enum loupe_status status = read_back(opened->output, arena, &ret->output);
    return status ? status : read_back(opened->messages, arena, &ret->messages);
}

enum loupe_status opened_ask(struct opened_set *set, const struct opened_question *question,
                             struct opened_meanwhile *meanwhile, struct loupe_arena *arena,
                             struct opened_answer *ret) {
    struct opened *opened = find(set, question->key);
    *ret = (struct opened_answer){.end = OPENED_NO_PROCESS};
    if (!opened)
        return LOUPE_OK;
    opened->used = ++set->uses;
    int64_t until = now_in_milliseconds() + (int64_t)(question->seconds + SECONDS_OF_GRACE) * 1000;
    ret->end = send_question(opened->to, question)
                   ? wait_for(opened, meanwhile, until, &ret->status)
                   : OPENED_DIED;
    if (ret->end == OPENED_ANSWERED)
        return read_answer(opened, arena, ret);
    int how = end(opened);
    ret->status = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    return LOUPE_OK;
}
