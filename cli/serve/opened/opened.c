#define _DEFAULT_SOURCE /* fork(), setrlimit() */

#include "serve/opened/opened.h"

#include "shared/child.h"

#include <errno.h>
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
    bool is_ready = child_begin();
    limit_memory(set->most_memory);
    if (is_ready)
        opened_serve(from, to, set->hides_values);
    _exit(is_ready ? CLI_OK : CLI_FAILURE);
}

static bool start(const struct opened_set *set, struct opened *opened, const char *key) {
    int down[2] = {-1, -1}, up[2] = {-1, -1};
    opened->key = strdup(key);
    bool is_ready = opened->key && !pipe(down) && !pipe(up);
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

static bool send_word(int to, const char *word) {
    return child_send(to, word, strlen(word) + 1);
}

static bool send_question(int to, const struct opened_question *question) {
    uint32_t length = (uint32_t)strlen(question->verb->name) + 1;
    for (unsigned i = 0; i < question->word_count; i++)
        length += (uint32_t)strlen(question->words[i]) + 1;
    bool sent = child_send(to, &length, sizeof(length)) && send_word(to, question->verb->name);
    for (unsigned i = 0; i < question->word_count && sent; i++)
        sent = send_word(to, question->words[i]);
    return sent;
}

static int64_t now_in_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* An answer that comes in pieces. */
struct incoming {
    struct opened_head head;
    char *bytes; /* behind the head */
    size_t got;  /* of both */
    struct loupe_arena *arena;
};

enum piece { PIECE_OF_IT, PIECE_LAST, PIECE_NONE, PIECE_NO_MEMORY };

static size_t length_of_bytes(const struct opened_head *head) {
    return head->output > OPENED_LARGEST_ANSWER ? 0 : (size_t)head->output + head->messages;
}

/* The next piece, as much as there is. What it says of lengths is the child's word. */
static enum piece take_piece(struct incoming *incoming, int from) {
    size_t of_head = sizeof(incoming->head);
    bool in_head = incoming->got < of_head;
    char *start = in_head ? (char *)&incoming->head : incoming->bytes;
    size_t at = in_head ? incoming->got : incoming->got - of_head;
    size_t all = in_head ? of_head : length_of_bytes(&incoming->head);
    ssize_t got = read(from, start + at, all - at);
    if (got <= 0)
        return got < 0 && errno == EINTR ? PIECE_OF_IT : PIECE_NONE;
    incoming->got += (size_t)got;
    if (in_head && incoming->got == of_head) {
        all = length_of_bytes(&incoming->head);
        if (incoming->head.messages > OPENED_LARGEST_ANSWER)
            return PIECE_NONE;
        incoming->bytes = loupe_arena_alloc(incoming->arena, all + 1);
        if (!incoming->bytes)
            return PIECE_NO_MEMORY;
        return all ? PIECE_OF_IT : PIECE_LAST;
    }
    return !in_head && at + (size_t)got == all ? PIECE_LAST : PIECE_OF_IT;
}

/* Waits for the answer, and meanwhile reads what else there is. LOUPE_ENOMEM. */
static enum loupe_status wait_for(const struct opened *opened, struct opened_meanwhile *meanwhile,
                                  int64_t until, struct incoming *incoming, enum opened_end *ret) {
    for (;;) {
        struct pollfd waiting[] = {{.fd = opened->from, .events = POLLIN},
                                   {.fd = meanwhile->descriptor, .events = POLLIN}};
        int64_t left = until - now_in_milliseconds();
        int ready = left > 0 ? poll(waiting, 2, left < 60000 ? (int)left : 60000) : 0;
        *ret = OPENED_TOO_SLOW;
        if (left <= 0)
            return LOUPE_OK;
        if (ready <= 0)
            continue;
        if (waiting[0].revents) {
            enum piece piece = take_piece(incoming, opened->from);
            *ret = piece == PIECE_LAST ? OPENED_ANSWERED : OPENED_DIED;
            if (piece != PIECE_OF_IT)
                return piece == PIECE_NO_MEMORY ? LOUPE_ENOMEM : LOUPE_OK;
        } else if (waiting[1].revents && !meanwhile->read(meanwhile)) {
            *ret = OPENED_UNWANTED;
            return LOUPE_OK;
        }
    }
}

static void read_answer(const struct incoming *incoming, struct opened_answer *ret) {
    const struct opened_head *head = &incoming->head;
    ret->status = head->status;
    if (head->output > OPENED_LARGEST_ANSWER) {
        ret->end = OPENED_TOO_LARGE;
        return;
    }
    ret->output = (struct loupe_span){incoming->bytes, head->output};
    ret->messages = (struct loupe_span){incoming->bytes + head->output, head->messages};
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
    struct incoming incoming = {.arena = arena};
    enum loupe_status status = LOUPE_OK;
    ret->end = OPENED_DIED;
    if (send_question(opened->to, question))
        status = wait_for(opened, meanwhile, until, &incoming, &ret->end);
    if (ret->end == OPENED_ANSWERED) {
        read_answer(&incoming, ret);
        return LOUPE_OK;
    }
    int how = end(opened); /* what it goes on to say is of this question */
    ret->status = WIFSIGNALED(how) ? WTERMSIG(how) : 0;
    return status;
}
