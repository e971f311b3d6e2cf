/* loupe report: each heap is asked by a process of its own, so that none stops another. */
#define _DEFAULT_SOURCE /* fork(), sysconf() */

#include "base/fnv.h"
#include "shared/capture.h"
#include "shared/child.h"
#include "heaps/opened/heap_run.h"
#include "heap_verbs/summary.h"
#include "snapshot/without_stacks.h"
#include "report/parquet.h"
#include "report/rows.h"
#include "line/verb_commands.h"
#include "verbs/code.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MOST_JOBS = 64, MOST_CLASSES = 100, LONGEST_LINE = 4096 };

static const char topic[] = "report";

struct line {
    struct verb_values values;
    const char *tags[ROWS_MOST_TAGS];
    unsigned tag_count;
    const char **files;
    unsigned file_count;
    bool from_input;         /* names of files are lines of standard input */
    struct parquet *parquet; /* where rows go, in place of the output; or NULL */
};

/* ---- The line ---- */

/* Options, tags and files, of which there may be any number. */
static int take_words(struct line *line, const char **words, unsigned count) {
    const char *options[VERB_MOST_WORDS], *value;
    unsigned option_count = 0;
    struct verb_line taken = {.values = {.classes = MOST_CLASSES}};
    for (unsigned i = 0; i < count; i++) {
        bool is_option = words[i][0] == '-' && words[i][1];
        const struct verb_option *option =
            is_option ? verb_find_option(&verb_report, words[i], &value) : NULL;
        if (!is_option) {
            line->files[line->file_count++] = words[i];
            continue;
        }
        if (option_count + 2 > VERB_MOST_WORDS)
            return cli_fail(CLI_NONSENSE, topic, "too many options");
        options[option_count++] = words[i];
        if (option && option->kind != VALUE_FLAG && !value && i + 1 < count)
            options[option_count++] = value = words[++i];
        if (!option || strcmp(option->name, "tag") != 0 || !value)
            continue;
        if (line->tag_count == ROWS_MOST_TAGS || !row_is_tag(value))
            return cli_fail(CLI_NONSENSE, topic,
                            "--tag '%s' is not KEY=VALUE, or is one of more than %d",
                            cli_printable(loupe_span_of(value)), ROWS_MOST_TAGS);
        line->tags[line->tag_count++] = value;
    }
    int status = verb_take_line(&verb_report, options, option_count, 0, &taken);
    line->values = taken.values;
    line->from_input = line->file_count == 1 && strcmp(line->files[0], "-") == 0;
    return status;
}

struct job {
    pid_t process; /* 0: none */
    int from;      /* where its rows come from */
    struct cli_buffer rows;
    char *path;
    uint32_t input;
    int status;
    bool is_over, is_cut; /* is_cut: there is no memory for its rows */
};

/* ---- One heap, in its process ---- */

/* Which heap it is, by its size and its first and last bytes: a copy of a file is the same heap. */
static uint64_t fingerprint_of(const struct heap_file *file) {
    const uint64_t most = 1 << 16;
    uint64_t part = file->size < most ? file->size : most;
    if (!file->bytes)
        return 0;
    uint64_t hash = loupe_fnv_number(LOUPE_FNV_BASIS, file->size);
    hash = loupe_fnv_bytes(hash, file->bytes, (size_t)part);
    return loupe_fnv_bytes(hash, file->bytes + file->size - part, (size_t)part);
}

/* A heap dump of Java says when it was made; of everything else the file does. */
static int64_t time_of(const struct heap_file *file, const char *path) {
    static const char java[] = "JAVA PROFILE ";
    struct stat status;
    bool is_java = file->bytes && file->size > 40 && !memcmp(file->bytes, java, sizeof(java) - 1);
    const uint8_t *end = is_java ? memchr(file->bytes, 0, 32) : NULL;
    if (end) {
        uint64_t time = 0;
        for (unsigned i = 0; i < 8; i++)
            time = time << 8 | end[5 + i];
        return (int64_t)time;
    }
    return stat(path, &status) ? INT64_MIN : (int64_t)status.st_mtime * 1000;
}

static const char *format_of(const struct heap_file *file, const char *path) {
    if (file->bytes && file->size > 12 && !memcmp(file->bytes, "JAVA PROFILE", 12))
        return "hprof";
    if (!file->bytes || !path[strspn(path, "0123456789")])
        return "process";
    return file->size > 4 && !memcmp(file->bytes, "\177ELF", 4) ? "core" : "snapshot";
}

/* The answer of a verb about the files that are open, as a tree in the source's arena. NULL: there
 * is none. */
static const struct json_value *ask(const struct verb *verb, struct heap_file *files,
                                    const struct line *line, const char *path,
                                    struct row_source *source) {
    const char *words[] = {path, "--json"};
    struct capture capture;
    struct heap_run run;
    struct loupe_error err = {0};
    const struct json_value *tree = NULL;
    size_t length = 0;
    if (heap_run_parse(&run, verb, words, 2))
        return NULL;
    run.query.options.has_limit = true; /* 0: all */
    run.query.options.timeout = line->values.timeout;
    run.query.options.rules = line->values.rules;
    if (heap_run_begin_time(&run))
        return NULL;
    capture_begin(&capture, CAPTURED_ANSWERS);
    heap_run_ask(&run, files);
    char *text = capture_end(&capture, &length);
    char *copy =
        text ? loupe_arena_copy_string(source->arena, (struct loupe_span){text, length}) : NULL;
    free(text);
    if (!copy || json_read((struct loupe_span){copy, length}, source->arena, &tree, &err))
        return NULL;
    return loupe_span_equals(json_text(tree, "status"), "error") ? NULL : tree;
}

/* Two of the questions ask who dominates whom: that is found once, and goes with the process. */
static void find_dominators(struct loupe_snapshot *snapshot) {
    struct loupe_dominators found;
    if (!snapshot->dominators.immediate &&
        !loupe_snapshot_dominators(snapshot, loupe_link_policies, &heap_chunks, &found))
        snapshot->dominators =
            (struct loupe_stored_dominators){found.immediate, found.retained, found.counts};
}

static int ask_all(struct heap_file *files, const struct line *line, const char *path,
                   struct row_source *source) {
    bool is_native = files[0].snapshot.native;
    find_dominators(&files[0].snapshot);
    const struct json_value *heap = ask(&verb_heap, files, line, path, source);
    const struct json_value *leaks = is_native ? ask(&verb_leaks, files, line, path, source) : NULL;
    const struct json_value *suspects = ask(&verb_suspects, files, line, path, source);
    const struct json_value *threads = ask(&verb_threads, files, line, path, source);
    if (!heap || (is_native && !leaks) || !suspects || !threads) {
        row_of_error(source, "no-answer", loupe_span_of("a question about it had no answer"));
        return CLI_INCOMPLETE;
    }
    rows_of_heap(source, heap, suspects, format_of(&files[0], path));
    if (leaks)
        rows_of_leaks(source, leaks);
    rows_of_suspects(source, suspects);
    rows_of_threads(source, threads);
    if (!loupe_span_equals(json_text(heap, "status"), "ok"))
        return CLI_INCOMPLETE;
    return source->mistakes ? CLI_FOUND : CLI_OK;
}

/* What messages call a heap of which no name may be in a row. */
static const char the_heap[] = "the heap";

/* The last line that was said, without who said it and of what. */
static struct loupe_span reason_of(const char *text) {
    const char *line = text, *end = text + strlen(text);
    while (end > text && end[-1] == '\n')
        end--;
    for (const char *at = text; at < end; at++)
        line = *at == '\n' ? at + 1 : line;
    const char *name = strstr(line, the_heap), *said = name ? name + sizeof(the_heap) - 1 : line;
    said += name && strncmp(said, ": ", 2) == 0 ? 2 : 0;
    return (struct loupe_span){said, (size_t)(end - said)};
}

/* What a program acts on: of the answer that is an error. */
static const char *code_of(struct loupe_span answer, struct loupe_arena *arena) {
    struct loupe_error ignored;
    const struct json_value *tree;
    if (json_read(answer, arena, &tree, &ignored))
        return "unreadable";
    const struct json_value *error = json_member(tree, "error");
    if (loupe_span_equals(json_text(error, "detail"), loupe_detail_name(LOUPE_DETAIL_NO_MEMORY)))
        return "memory";
    return loupe_span_equals(json_text(error, "code"), loupe_status_name(LOUPE_ETIMEOUT))
               ? "timeout"
               : "unreadable";
}

/* What was said while something ran, as text that stays. */
struct said {
    struct capture answers, messages;
    struct loupe_span answer;
    const char *text;
};

static void begin_saying(struct said *said) {
    capture_begin(&said->answers, CAPTURED_ANSWERS);
    capture_begin(&said->messages, CAPTURED_MESSAGES);
}

static const char *keep_said(struct capture *capture, struct loupe_arena *arena,
                             size_t *length_ret) {
    char *text = capture_end(capture, length_ret);
    char *copy =
        text ? loupe_arena_copy_string(arena, (struct loupe_span){text, *length_ret}) : NULL;
    free(text);
    *length_ret = copy ? *length_ret : 0;
    return copy ? copy : "";
}

static void end_saying(struct said *said, struct loupe_arena *arena) {
    size_t length;
    said->text = keep_said(&said->messages, arena, &length);
    const char *answer = keep_said(&said->answers, arena, &length);
    said->answer = (struct loupe_span){answer, length};
}

/* The exit status. */
static int open_one(const struct line *line, const char *path, struct heap_run *run,
                    struct heap_file *files) {
    const char *words[] = {path};
    int status = files ? heap_run_parse(run, &verb_heap, words, 1) : CLI_FAILURE;
    if (status)
        return status;
    run->query.options.timeout = line->values.timeout;
    run->query.options.sysroot = line->values.sysroot;
    run->query.options.debuginfod = line->values.debuginfod;
    run->query.options.json = true; /* what fails says why, for programs too */
    run->query.called = the_heap;
    run->query.may_count_classes = true;
    status = heap_run_begin_time(run);
    return status ? status : heap_run_open(run, files);
}

/* Of what does not fit: its classes, and why there is no more. */
static void report_classes(struct row_source *source, const struct heap_run *run,
                           const struct heap_file *file) {
    static const struct json_value nothing;
    struct loupe_error ignored;
    const struct json_value *tree;
    struct said said;
    begin_saying(&said);
    heap_count_classes(run, file, file->why);
    end_saying(&said, source->arena);
    if (!json_read(said.answer, source->arena, &tree, &ignored) && json_is_true(tree, "summary"))
        rows_of_heap(source, tree, &nothing, "hprof");
    row_of_error(source, "memory", loupe_span_of(file->why));
}

/* In a process of its own. The status of the heap. */
static int report_one(const struct line *line, const struct job *job) {
    const char *path = job->path;
    struct loupe_arena arena;
    struct heap_file *files = calloc(1, sizeof(*files));
    struct row_source source = {.sink = cli_answer_sink(),
                                .time = INT64_MIN,
                                .input = job->input,
                                .file = path,
                                .tags = line->tags,
                                .tag_count = line->tag_count,
                                .with_values = line->values.with_values,
                                .most_classes = (uint32_t)line->values.classes,
                                .arena = &arena};
    struct heap_identity identity;
    struct heap_run run;
    struct said said;
    loupe_arena_init(&arena, &heap_chunks);
    begin_saying(&said);
    int status = open_one(line, path, &run, files);
    end_saying(&said, &arena);
    if (status && files && files[0].is_too_large) {
        source.heap = fingerprint_of(&files[0]);
        source.time = time_of(&files[0], path);
        report_classes(&source, &run, &files[0]);
        return CLI_INCOMPLETE;
    }
    if (status) {
        row_of_error(&source, code_of(said.answer, &arena), reason_of(said.text));
        return CLI_INCOMPLETE;
    }
    source.heap = fingerprint_of(&files[0]);
    source.time = time_of(&files[0], path);
    if (!identity_find(&files[0], &arena, &identity))
        source.identity = &identity;
    status = ask_all(files, line, path, &source);
    return source.status ? CLI_INCOMPLETE : status;
}

/* ---- Processes ---- */

_Noreturn static void run_child(const struct line *line, const struct job *job, int to) {
    struct capture rows;
    size_t length;
    if (!child_begin())
        _exit(CLI_INCOMPLETE);
    capture_begin(&rows, CAPTURED_ANSWERS);
    int status = report_one(line, job);
    char *text = capture_end(&rows, &length);
    _exit(text && child_send(to, text, length) ? status : CLI_INCOMPLETE);
}

static bool start(const struct line *line, struct job *job, const char *path, uint32_t input) {
    int ends[2] = {-1, -1};
    *job = (struct job){.from = -1, .path = strdup(path), .input = input};
    if (!job->path || pipe(ends))
        return false;
    fflush(stdout);
    job->process = fork();
    if (job->process == 0) {
        close(ends[0]); /* so that it ends when nobody reads */
        run_child(line, job, ends[1]);
    }
    job->from = ends[0];
    close(ends[1]);
    return job->process > 0;
}

/* A process that died could say nothing itself. */
static void tell_death(const struct line *line, struct job *job) {
    char text[120];
    job->rows.length = 0;
    struct row_source source = {.sink = cli_buffer_sink(&job->rows),
                                .time = INT64_MIN,
                                .input = job->input,
                                .file = job->path,
                                .tags = line->tags,
                                .tag_count = line->tag_count,
                                .with_values = line->values.with_values};
    int signal_number = WIFSIGNALED(job->status) ? WTERMSIG(job->status) : 0;
    size_t length =
        loupe_format(text, sizeof(text),
                     job->is_cut ? "out of memory"
                     : signal_number == SIGKILL
                         ? "the process that read it was killed, as it is where memory ends"
                         : "the process that read it ended by signal %d",
                     signal_number);
    row_of_error(&source, "killed", (struct loupe_span){text, length});
}

static void write_rows(const struct line *line, struct loupe_span rows) {
    if (line->parquet)
        parquet_add(line->parquet, rows);
    if (!line->parquet || line->values.ndjson)
        fwrite(rows.bytes, 1, rows.length, stdout);
}

/* Copies what it wrote. Its status. */
static int finish(const struct line *line, struct job *job) {
    bool died = !WIFEXITED(job->status) || job->is_cut;
    int status = died ? CLI_INCOMPLETE : WEXITSTATUS(job->status);
    if (died)
        tell_death(line, job);
    if (job->rows.length)
        write_rows(line, cli_buffer_text(&job->rows));
    cli_buffer_deinit(&job->rows);
    free(job->path);
    *job = (struct job){.process = 0};
    return status;
}

/* What it has to say now; at the end, how it ended. */
static void read_job(struct job *job) {
    char part[1 << 16];
    struct loupe_sink sink = cli_buffer_sink(&job->rows);
    ssize_t got = read(job->from, part, sizeof(part));
    if (got < 0 && errno == EINTR)
        return;
    if (got > 0) {
        job->is_cut |= sink.write(sink.ctx, part, (size_t)got) != LOUPE_OK;
        return;
    }
    close(job->from);
    while (waitpid(job->process, &job->status, 0) < 0 && errno == EINTR)
        ;
    job->is_over = true;
}

/* Some of the jobs have something to say, or ended. */
static void wait_for_one(struct job *jobs, unsigned count) {
    struct pollfd waiting[MOST_JOBS];
    for (unsigned i = 0; i < count; i++) {
        bool runs = jobs[i].process && !jobs[i].is_over;
        waiting[i] = (struct pollfd){.fd = runs ? jobs[i].from : -1, .events = POLLIN};
    }
    if (poll(waiting, count, -1) <= 0)
        return;
    for (unsigned i = 0; i < count; i++) {
        if (waiting[i].revents)
            read_job(&jobs[i]);
    }
}

/* The next name, or NULL. Lines of standard input end with their newline. */
static const char *next_path(const struct line *line, uint32_t number, char *room) {
    if (!line->from_input)
        return number < line->file_count ? line->files[number] : NULL;
    do {
        if (!fgets(room, LONGEST_LINE, stdin))
            return NULL;
        room[strcspn(room, "\n")] = '\0';
    } while (!*room);
    return room;
}

struct totals {
    bool found, failed;
    uint32_t heaps, incomplete;
};

static void count(struct totals *totals, int status) {
    totals->found |= status == CLI_FOUND;
    totals->heaps++;
    totals->incomplete += status == CLI_INCOMPLETE;
}

/* Rows come in the order of the files, whichever is read first. */
static void run_jobs(const struct line *line, unsigned job_count, struct totals *totals) {
    struct job jobs[MOST_JOBS] = {{.process = 0}};
    char room[LONGEST_LINE];
    uint32_t started = 0, finished = 0;
    const char *path = next_path(line, 0, room);
    while (path || finished < started) {
        if (path && started - finished < job_count) {
            if (!start(line, &jobs[started % job_count], path, started)) {
                totals->failed = true;
                return;
            }
            path = next_path(line, ++started, room);
            continue;
        }
        struct job *oldest = &jobs[finished % job_count];
        while (!oldest->is_over)
            wait_for_one(jobs, job_count);
        count(totals, finish(line, oldest));
        finished++;
    }
}

static unsigned jobs_of(const struct line *line) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    uint64_t jobs = line->values.jobs ? line->values.jobs
                    : processors > 0  ? (uint64_t)processors
                                      : 1;
    return jobs < MOST_JOBS ? (unsigned)jobs : MOST_JOBS;
}

static int report(struct line *line) {
    struct totals totals = {.found = false};
    const char *folder = line->values.parquet, *problem = NULL;
    if (!line->file_count)
        return verb_fail_missing(&verb_report, 0);
    line->parquet = folder ? parquet_open(folder, &problem) : NULL;
    if (!problem)
        run_jobs(line, jobs_of(line), &totals);
    if (line->parquet)
        problem = parquet_close(line->parquet);
    if (problem)
        return cli_fail(CLI_NONSENSE, topic, "--parquet %s: %s",
                        cli_printable(loupe_span_of(folder)), problem);
    if (totals.failed)
        return cli_fail(CLI_NONSENSE, topic, CHILD_NOT_STARTED, strerror(errno));
    if (fflush(stdout) || ferror(stdout))
        return cli_fail(CLI_NONSENSE, topic, "the rows cannot be written: %s", strerror(errno));
    if (totals.incomplete)
        return cli_fail(CLI_INCOMPLETE, topic,
                        "of %u heap%s %u could not be read or searched whole: see the rows",
                        totals.heaps, totals.heaps == 1 ? "" : "s", totals.incomplete);
    return totals.found && line->values.fail_if_found ? CLI_FOUND : CLI_OK;
}

int cli_report(const char **words, unsigned word_count) {
    struct line line = {.files = calloc((size_t)word_count + 1, sizeof(*line.files))};
    if (!line.files)
        return cli_fail(CLI_NONSENSE, topic, "out of memory");
    int status = take_words(&line, words, word_count);
    if (!status && line.values.help)
        verb_print_help(&verb_report);
    else if (!status)
        status = report(&line);
    free(line.files);
    return status;
}
