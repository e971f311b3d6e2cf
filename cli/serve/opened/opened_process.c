/* The other side of opened.h: a process that has files open, and answers about them. */
#define _POSIX_C_SOURCE 200809L /* read() */

#include "fix/fix.h"
#include "serve/opened/opened.h"
#include "shared/child.h"
#include "shared/output.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_WORD_BYTES = 1 << 20 };

static bool read_all(int from, void *to, size_t length) {
    for (size_t done = 0; done < length;) {
        ssize_t got = read(from, (char *)to + done, length - done);
        if (got <= 0 && !(got < 0 && errno == EINTR))
            return false;
        done += got > 0 ? (size_t)got : 0;
    }
    return true;
}

static bool read_line(int from, char *text, uint32_t *length_ret) {
    return read_all(from, length_ret, sizeof(*length_ret)) && *length_ret <= MOST_WORD_BYTES &&
           read_all(from, text, *length_ret);
}

struct kept {
    struct heap_file files[HEAP_MOST_FILES];
    bool are_open, hide_values;
};

static int open_files(struct kept *kept, struct heap_run *run) {
    if (kept->hide_values && heap_asks_target(&run->query))
        return cli_fail(
            CLI_FAILURE, run->query.verb->name,
            "without values (--no-values) a core itself is not asked: ask without object");
    int status = heap_run_open(run, kept->files);
    for (unsigned i = 0; !status && kept->hide_values && i < run->query.file_count; i++) {
        if (heap_file_hide_values(&kept->files[i]))
            status = cli_fail(CLI_FAILURE, run->query.verb->name, "out of memory");
    }
    return status;
}

/* The question about the heap that a line is: `fix` asks for the leaks of the file behind "--". */
static int parse(struct heap_run *run, const struct verb *verb, const char **words,
                 unsigned count) {
    static const char *leaks[] = {NULL, "--json"};
    if (verb != &verb_fix)
        return heap_run_parse(run, verb, words, count);
    for (unsigned i = 0; i + 1 < count; i++) {
        if (strcmp(words[i], "--") == 0)
            leaks[0] = words[i + 1];
    }
    return heap_run_parse(run, &verb_leaks, leaks, 2);
}

/* The first question opens the files; all have the same. */
static int answer(struct kept *kept, const char **words, unsigned count) {
    const struct verb *verb = verb_named(words[0]);
    struct heap_run run;
    int status = parse(&run, verb, words + 1, count - 1);
    if (!status)
        status = heap_run_begin_time(&run);
    if (!status && !kept->are_open) {
        status = open_files(kept, &run);
        kept->are_open = !status;
    }
    if (status)
        return status;
    return verb == &verb_fix ? fix_of_heap(words + 1, count - 1, &run, kept->files)
                             : heap_run_ask(&run, kept->files);
}

static int answer_line(struct kept *kept, const char *text, uint32_t length) {
    const char *words[HEAP_MOST_FILES + 24];
    unsigned count = 0;
    for (const char *at = text; at < text + length && count < sizeof(words) / sizeof(words[0]);
         at += strlen(at) + 1)
        words[count++] = at;
    return answer(kept, words, count);
}

/* What was said to a line: an answer in JSON, or text. */
struct said {
    int status;
    char *answer, *text, *messages;
    size_t answer_length, text_length, messages_length;
    bool is_too_large;
};

static struct said say(struct kept *kept, const char *line, uint32_t length) {
    struct capture output, messages;
    struct said said;
    capture_begin(&messages, CAPTURED_MESSAGES);
    capture_begin(&output, CAPTURED_ANSWERS);
    output.buffer.most = OPENED_LARGEST_ANSWER;
    messages.buffer.most = OPENED_LARGEST_ANSWER;
    bool is_kept = cli_output_keep();
    said.status = answer_line(kept, line, length);
    said.text = is_kept ? cli_output_kept(&said.text_length) : NULL;
    said.answer = capture_end(&output, &said.answer_length);
    said.is_too_large =
        output.buffer.is_too_large || (said.text && said.text_length > OPENED_LARGEST_ANSWER);
    if (!said.text || (!said.answer && !said.is_too_large))
        said.status = cli_fail(CLI_FAILURE, NULL, "out of memory");
    said.messages = capture_end(&messages, &said.messages_length);
    return said;
}

/* Answered, and sent. False: nobody listens. */
static bool serve_line(struct kept *kept, const char *line, uint32_t length, int to) {
    struct said said = say(kept, line, length);
    bool is_text = !said.answer_length && said.text;
    size_t output = is_text ? said.text_length : said.answer ? said.answer_length : 0;
    size_t messages = said.messages ? said.messages_length : 0;
    struct opened_head head = {.status = said.status,
                               .output =
                                   said.is_too_large ? OPENED_LARGEST_ANSWER + 1 : (uint32_t)output,
                               .messages = said.is_too_large ? 0 : (uint32_t)messages};
    bool is_sent =
        child_send(to, &head, sizeof(head)) &&
        (said.is_too_large || (child_send(to, is_text ? said.text : said.answer, head.output) &&
                               child_send(to, said.messages, head.messages)));
    free(said.answer);
    free(said.text);
    free(said.messages);
    return is_sent;
}

void opened_serve(int from, int to, bool hides_values) {
    struct kept *kept = calloc(1, sizeof(*kept));
    char *text = malloc(MOST_WORD_BYTES + 1);
    uint32_t length;
    bool is_heard = kept && text;
    if (kept)
        kept->hide_values = hides_values;
    while (is_heard && read_line(from, text, &length)) {
        text[length] = '\0';
        is_heard = serve_line(kept, text, length, to);
    }
    free(text);
    free(kept);
}
