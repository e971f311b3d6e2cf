/* The commands about whole heaps: how their lines are read, what they share. */
#define _DEFAULT_SOURCE /* timers */

#include "draw/heap_drawing.h"
#include "shared/amounts.h"
#include "shared/capture.h"
#include "heaps/handles.h"
#include "heaps/heap_answer.h"
#include "heaps/heap_freed.h"
#include "heaps/opened/heap_run.h"
#include "shared/look.h"
#include "heaps/names.h"
#include "heaps/progress.h"
#include "heap_verbs/summary.h"
#include "text/native_text.h"
#include "shared/output.h"
#include "shared/refusal.h"
#include "leaks/heap_graph.h"
#include "report/heaps/report_snapshot.h"
#include "snapshot/without_stacks.h"
#include "snapshot/native.h"
#include "line/verb_commands.h"
#include "report/class_words.h"
#include "heaps/opened/watchdog.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

/* ---- The line ---- */

enum { LONGEST_PAUSE = 5000000 }; /* microseconds that a process stands still (default) */

static int take_defaults(const struct verb *verb, struct verb_values *ret) {
    const char *pause = getenv("LOUPE_MAX_PAUSE");
    ret->max_pause = LONGEST_PAUSE;
    if (pause && *pause && !verb_parse_seconds(pause, &ret->max_pause))
        return cli_fail(CLI_NONSENSE, verb->name, "LOUPE_MAX_PAUSE cannot be '%s'",
                        cli_printable(loupe_span_of(pause)));
    return CLI_OK;
}

/* First the files, then the operands. */
static void share_words(struct heap_run *run, const struct verb_line *line) {
    struct heap_query *query = &run->query;
    const struct verb *verb = query->verb;
    unsigned most = verb->most_files ? verb->most_files : verb->files;
    for (unsigned i = 0; i < line->word_count; i++) {
        if (query->file_count < most)
            run->paths[query->file_count++] = line->words[i];
        else
            query->operands[query->operand_count++] = line->words[i];
    }
    query->file = query->file_count ? run->paths[query->file_count - 1] : NULL;
}

static int check_options(struct heap_query *query) {
    const struct verb_values *options = &query->options;
    const char *topic = query->verb->name;
    if (options->append && !options->format)
        return cli_fail(CLI_NONSENSE, topic, "--append goes with --format github, sarif or junit");
    if (options->format && options->json)
        return cli_fail(CLI_NONSENSE, topic,
                        "--json and --format each write a document to the output: take one");
    if (options->color && !look_set_color(options->color))
        return cli_fail(CLI_NONSENSE, topic, "--color takes auto, always or never, not '%s'",
                        cli_printable(loupe_span_of(options->color)));
    query->policy =
        options->count_as ? loupe_link_policy_named(options->count_as) : loupe_link_policies;
    if (!query->policy)
        return cli_fail(CLI_NONSENSE, topic,
                        "--count-as takes loupe, mat, visualvm or haha, not '%s'",
                        cli_printable(loupe_span_of(options->count_as)));
    return CLI_OK;
}

int heap_run_parse(struct heap_run *run, const struct verb *verb, const char **words,
                   unsigned count) {
    struct verb_line line = {.word_count = 0};
    unsigned most = (verb->most_files ? verb->most_files : verb->files) + verb->most_operands;
    *run = (struct heap_run){.query = {.verb = verb}};
    int status = take_defaults(verb, &line.values);
    if (!status)
        status = verb_take_line(verb, words, count, most, &line);
    run->query.options = line.values;
    if (status || line.values.help)
        return status;
    if (line.word_count < verb->files + verb->least_operands)
        return verb_fail_missing(verb, line.word_count);
    share_words(run, &line);
    return check_options(&run->query);
}

bool heap_asks_target(const struct heap_query *query) {
    return query->verb->run_on_target && query->operand_count &&
           (query->options.json || query->verb->run == heap_verb_needs_target);
}

/* Nothing of an incomplete answer may pass for a good one in a script. */
static int status_of(const struct heap_query *query) {
    if (query->options.allow_incomplete)
        return CLI_OK;
    bool is_incomplete = loupe_snapshot_is_incomplete(query->snapshot) ||
                         (query->older && loupe_snapshot_is_incomplete(query->older));
    return is_incomplete ? CLI_INCOMPLETE : CLI_OK;
}

int heap_run_open(struct heap_run *run, struct heap_file *files) {
    int status = CLI_OK;
    for (unsigned i = 0; i < run->query.file_count && !status; i++)
        status = heap_file_open(&files[i], run->paths[i], &run->query);
    if (status && !files[0].is_too_large)
        heap_run_close(run, files);
    return status;
}

int heap_run_ask(struct heap_run *run, struct heap_file *files) {
    struct heap_query *query = &run->query;
    for (unsigned i = 0; i < query->file_count; i++)
        query->snapshots[i] = &files[i].snapshot;
    if (files[0].reader && heap_asks_target(query)) {
        query->target = loupe_reader_memory(files[0].reader);
        query->of_core = files[0].bytes;
        return query->verb->run_on_target(query);
    }
    query->freed = files[query->file_count - 1].freed;
    query->snapshot = &files[query->file_count - 1].snapshot;
    query->older = query->verb->files == 2 ? &files[0].snapshot : NULL;
    int status = query->verb->run(query);
    return status ? status : status_of(query);
}

void heap_run_close(const struct heap_run *run, struct heap_file *files) {
    for (unsigned i = 0; i < run->query.file_count; i++)
        heap_file_close(&files[i]);
}

/* A question that could be answered by counting classes ran out of memory: nothing was said. */
static bool ran_out;

/* What there is no memory for is counted by class. */
static int answer_files(struct heap_run *run, struct heap_file *files) {
    static const char while_asked[] = "heap that does not fit: out of memory while it was searched";
    run->query.may_count_classes = true;
    int status = heap_run_open(run, files);
    if (status && !files[0].is_too_large)
        return status;
    ran_out = false;
    if (!status)
        status = heap_run_ask(run, files);
    if (ran_out)
        heap_file_forget(&files[0]);
    if (ran_out || files[0].is_too_large)
        status = heap_count_classes(run, &files[0], ran_out ? while_asked : files[0].why);
    heap_run_close(run, files);
    handles_keep(run->query.file);
    return status;
}

static int answer(struct heap_run *run) {
    if (run->query.options.summary)
        return heap_count_classes(run, NULL, NULL);
    struct heap_file *files = calloc(HEAP_MOST_FILES, sizeof(*files));
    if (!files)
        return cli_fail(CLI_FAILURE, run->query.verb->name, "out of memory");
    int status = answer_files(run, files);
    progress_end();
    free(files);
    return status;
}

/* ---- Failures ---- */

/* Who asked for an answer in JSON gets one, also where the line was not understood. */
static int answer_refused(struct heap_query *query, const char **words, unsigned count,
                          int status) {
    verb_take_places(query->verb, words, count, &query->options);
    if (query->options.json)
        cli_put_misuse(query->verb->name, query->options.output, status);
    return status;
}

/* ---- Time ---- */

static volatile sig_atomic_t time_is_up;
const loupe_stop heap_stop = &time_is_up;

static void end_time(int signal_number) {
    (void)signal_number;
    time_is_up = 1;
}

int heap_run_begin_time(const struct heap_run *run) {
    uint64_t microseconds = run->query.options.timeout;
    struct sigaction action = {.sa_handler = end_time, .sa_flags = SA_RESTART};
    struct itimerval timer = {.it_value = {0}};
    bool works = !setitimer(ITIMER_REAL, &timer, NULL); /* of the question before */
    time_is_up = 0;
    timer.it_value.tv_sec = (time_t)(microseconds / 1000000);
    timer.it_value.tv_usec = (suseconds_t)(microseconds % 1000000);
    if (microseconds)
        works =
            works && !sigaction(SIGALRM, &action, NULL) && !setitimer(ITIMER_REAL, &timer, NULL);
    if (works)
        return CLI_OK;
    return cli_fail(CLI_FAILURE, run->query.verb->name, "no timer");
}

int heap_ended(const struct heap_query *query) {
    static const char reason[] = "question that was ended by --timeout";
    ran_out = !*heap_stop && query->may_count_classes && heap_can_count_classes(query) &&
              !query->snapshot->native;
    if (ran_out)
        return CLI_FAILURE;
    if (!*heap_stop)
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    int status = heap_answer_say_ended(query, reason);
    return status ? status : CLI_INCOMPLETE;
}

int cli_heap(const struct verb *verb, const char **words, unsigned count) {
    struct heap_run run;
    int status = heap_run_parse(&run, verb, words, count);
    if (status)
        return answer_refused(&run.query, words, count, status);
    if (run.query.options.help) {
        verb_print_help(verb);
        return CLI_OK;
    }
    const char *names = run.query.options.names;
    const char *problem = names ? names_read(names, &run.query.names) : NULL;
    if (problem)
        return heap_fail(&run.query, LOUPE_EUSAGE, "--names %s: %s",
                         cli_printable(loupe_span_of(names)), problem);
    status = heap_run_begin_time(&run);
    if (status) {
        names_deinit(&run.query.names);
        return status;
    }
    watchdog_start(&run.query);
    status = heap_wants_drawing(&run.query) ? heap_draw_answer(&run, answer) : answer(&run);
    names_deinit(&run.query.names);
    return status;
}

/* ---- What verbs share ---- */

int heap_begin_output(const struct heap_query *query) {
    const char *path = query->options.output;
    progress_end();
    watchdog_end();
    if (!path || cli_output_begin(path))
        return CLI_OK;
    return cli_fail(CLI_FAILURE, query->verb->name, "%s cannot be written: %s",
                    cli_printable(loupe_span_of(path)), strerror(errno));
}

int heap_fail(const struct heap_query *query, enum loupe_status code, const char *format, ...) {
    struct loupe_error error = {.code = code};
    va_list arguments;
    progress_end();
    va_start(arguments, format);
    vsnprintf(error.message, sizeof(error.message), format, arguments);
    va_end(arguments);
    if (query->options.json) {
        watchdog_end();
        cli_put_error(query->verb->name, query->options.output, &error);
    }
    return cli_fail(CLI_FAILURE, query->verb->name, "%s", error.message);
}

#define LISTS_OBJECTS "; `loupe find FILE CLASS` lists those of a class"

bool heap_query_object(const struct heap_query *query, const char *word, uint32_t *ret,
                       int *status_ret) {
    uint64_t address;
    if (!heap_query_address(query, word, &address, status_ret))
        return false;
    if (heap_refuse_freed(query, address, status_ret)) /* a zombie, too, still an object */
        return false;
    if (loupe_snapshot_find(query->snapshot, address, ret) ||
        loupe_snapshot_find_around(query->snapshot, address, ret))
        return true;
    *status_ret = heap_fail(query, LOUPE_ENOTOBJECT,
                            "0x%llx is not the address of an object in %s" LISTS_OBJECTS,
                            (unsigned long long)address, cli_printable(loupe_span_of(query->file)));
    return false;
}

bool heap_operand_address(const struct heap_query *query, const char *word, uint64_t *ret) {
    uint64_t number;
    struct handle handle;
    if (!handles_is_one(word, &number))
        return cli_parse_number(word, UINT64_MAX, ret);
    const char *problem = handles_find(query->file, number, &handle);
    *ret = problem ? 0 : handle.object;
    return !problem;
}

bool heap_query_address(const struct heap_query *query, const char *word, uint64_t *ret,
                        int *status_ret) {
    uint64_t number;
    struct handle handle;
    struct loupe_span typed = loupe_span_of(word);
    if (heap_operand_address(query, word, ret))
        return true;
    *status_ret = handles_is_one(word, &number)
                      ? heap_fail(query, LOUPE_EUSAGE, "there is no %s: %s", cli_printable(typed),
                                  handles_find(query->file, number, &handle))
                      : heap_fail(query, LOUPE_EUSAGE,
                                  "'%s' is not an address (such as 0x7ff0010)" LISTS_OBJECTS,
                                  cli_printable(typed));
    return false;
}

uint32_t heap_query_most(const struct heap_query *query, uint32_t unless_told) {
    uint64_t limit = query->options.limit;
    if (!query->options.has_limit)
        return unless_told;
    return limit < UINT32_MAX ? (uint32_t)limit : 0;
}

uint32_t heap_query_shown(const struct heap_query *query, uint32_t on_screen) {
    return heap_query_most(query, query->options.json ? 0 : on_screen);
}
