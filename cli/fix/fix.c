/* loupe fix: the fixes of a saved answer or of the leaks of a heap, and one of them as a patch. */
#define _GNU_SOURCE

#include "fix/fix.h"

#include "draw/drawing.h"
#include "fix/made.h"
#include "fix/reviews.h"
#include "fix/verify.h"
#include "line/verb_commands.h"
#include "verbs/code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { LARGEST_ANSWER = 1 << 30, NUMBER_ROOM = 24 };

static const uint64_t default_trial = UINT64_C(600) * 1000 * 1000; /* in microseconds */

struct run {
    const char *path, *folder, *wanted; /* "1a", or NULL: all are listed */
    const char *verified_by;            /* a command; NULL: it is not tried */
    uint64_t trial_time;
    bool applies, forces, in_json, is_applied;
    struct heap_run *heap; /* that is asked about its leaks; NULL: the answer is a file's */
    struct heap_file *files;
    int64_t asked; /* when the answer was saved, or its program was built */
    struct loupe_arena arena;
    struct answer answer;
    struct loupe_json json;
    struct fix_choice choice; /* without a fix: not found */
    struct fix_made made;
    const char *format;   /* "diff", "sarif", "github-review", "html" */
    int status;           /* of what was written */
    struct fix_made *all; /* for the latter: the first of each entry that can be written */
    uint32_t all_count, all_capacity;
    bool is_verified; /* it was tried */
    struct fix_verified verified;
    struct fix_reason reason;
};

/* ---- The answer ---- */

static bool read_file(struct run *run, struct loupe_span *ret) {
    struct stat about = {.st_mode = 0};
    FILE *file = fopen(run->path, "rb");
    if (!file || fstat(fileno(file), &about) || !S_ISREG(about.st_mode)) {
        const char *why = !file                    ? strerror(errno)
                          : S_ISDIR(about.st_mode) ? strerror(EISDIR)
                                                   : "is not a plain file";
        if (file)
            fclose(file);
        return fix_refuse(&run->reason, "%s: %s", cli_printable(loupe_span_of(run->path)), why);
    }
    bool fits = about.st_size <= LARGEST_ANSWER;
    char *bytes = fits ? loupe_arena_alloc(&run->arena, (size_t)about.st_size + 1) : NULL;
    size_t size = bytes ? fread(bytes, 1, (size_t)about.st_size, file) : 0;
    fclose(file);
    run->asked = about.st_mtime;
    *ret = (struct loupe_span){bytes, size};
    return bytes ||
           fix_refuse(&run->reason, "%s is too large", cli_printable(loupe_span_of(run->path)));
}

/* The leaks of the heap, as an answer in JSON, which also has what is in the question's way. */
static bool ask_heap(struct run *run, struct loupe_span *ret) {
    struct capture capture, messages;
    struct stat about;
    size_t length = 0, unused;
    capture_begin(&messages, CAPTURED_MESSAGES);
    capture_begin(&capture, CAPTURED_ANSWERS);
    heap_run_ask(run->heap, run->files);
    char *text = capture_end(&capture, &length);
    free(capture_end(&messages, &unused));
    char *copy =
        text ? loupe_arena_copy_string(&run->arena, (struct loupe_span){text, length}) : NULL;
    free(text);
    run->asked = stat(run->path, &about) ? INT64_MAX : about.st_mtime; /* of a process: now */
    *ret = (struct loupe_span){copy, length};
    return copy || fix_refuse(&run->reason, "out of memory");
}

static bool open_answer(struct run *run) {
    struct loupe_span bytes;
    const struct json_value *root;
    struct loupe_error err = {0};
    if (!(run->heap ? ask_heap(run, &bytes) : read_file(run, &bytes)))
        return false;
    enum loupe_status status = json_read(bytes, &run->arena, &root, &err);
    if (!status && loupe_span_equals(json_text(root, "status"), "error")) {
        struct loupe_span message = json_text(json_member(root, "error"), "message");
        return fix_refuse(&run->reason, "%s", cli_printable(message));
    }
    if (status == LOUPE_EUSAGE || (!status && !fix_is_such_answer(root)))
        return fix_refuse(&run->reason,
                          "%s is not an answer of retain-cycles, cycles or leaks in JSON",
                          cli_printable(loupe_span_of(run->path)));
    if (status || answer_open(&run->answer, root, &run->arena))
        return fix_refuse(&run->reason, "out of memory");
    return true;
}

/* ---- The list ---- */

static bool list_choice(const struct fix_choice *choice, void *context) {
    struct run *run = context;
    char name[NUMBER_ROOM];
    loupe_format(name, sizeof(name), "%u%c", (unsigned)choice->entry, choice->letter);
    if (run->in_json) {
        loupe_json_begin_object(&run->json);
        loupe_json_put_string(&run->json, "fix", name);
        loupe_json_put_string(&run->json, "text", choice->text);
        loupe_json_end_object(&run->json);
    } else {
        printf("%-4s %s\n", name, cli_printable(loupe_span_of(choice->text)));
    }
    return true;
}

static bool take_choice(const struct fix_choice *choice, void *context) {
    struct run *run = context;
    char name[NUMBER_ROOM];
    loupe_format(name, sizeof(name), "%u%c", (unsigned)choice->entry, choice->letter);
    if (strcmp(name, run->wanted) != 0)
        return true;
    run->choice = *choice;
    return false;
}

/* ---- One ---- */

/* The time of the program counts where the answer names it and it is older. */
static int64_t time_of_program(struct run *run) {
    struct stat about;
    char *path = loupe_arena_copy_string(&run->arena, json_text(run->answer.root, "program"));
    bool is_older = path && *path && stat(path, &about) == 0 && about.st_mtime < run->asked;
    return is_older ? about.st_mtime : run->asked;
}

static bool try_change(struct run *run) {
    struct fix_trial trial = {.folder = run->folder,
                              .change = &run->made.change,
                              .choice = &run->choice,
                              .command = run->verified_by,
                              .timeout = run->trial_time ? run->trial_time : default_trial};
    run->is_verified = fix_verify(&trial, &run->arena, &run->verified, &run->reason);
    return run->is_verified;
}

/* Whether nothing that was tried speaks against it. */
static bool helps(const struct run *run) {
    return !run->is_verified || run->verified.outcome == FIX_GONE;
}

static bool choose_and_patch(struct run *run) {
    fix_each_choice(&run->answer, take_choice, run);
    if (!run->choice.fix)
        return fix_refuse(&run->reason, "%s has no fix %s: `loupe fix %s` lists them",
                          cli_printable(loupe_span_of(run->path)),
                          cli_printable(loupe_span_of(run->wanted)),
                          cli_printable(loupe_span_of(run->path)));
    if (!fix_make(&run->answer, &run->choice, run->folder, &run->arena, &run->made, &run->reason) ||
        (run->verified_by && !try_change(run)))
        return false;
    run->is_applied =
        run->applies && helps(run) &&
        fix_apply(&run->made, run->folder, run->forces ? INT64_MAX : time_of_program(run),
                  &run->arena, &run->reason);
    return run->is_applied || !run->applies || !helps(run);
}

/* ---- Several ---- */

/* Whether an entry has its fix, and does not take several together. */
static bool has_its_fix(const struct run *run, const struct fix_choice *choice) {
    const struct fix_choice *last = run->all_count ? &run->all[run->all_count - 1].choice : NULL;
    return last && last->entry == choice->entry &&
           !(json_is_true(last->fix, "together") && json_is_true(choice->fix, "together"));
}

/* The one that was named, or the first of its entry that can be written. */
static bool gather(const struct fix_choice *choice, void *context) {
    struct run *run = context;
    struct fix_made made;
    char name[NUMBER_ROOM];
    loupe_format(name, sizeof(name), "%u%c", (unsigned)choice->entry, choice->letter);
    if ((!run->wanted && has_its_fix(run, choice)) ||
        (run->wanted && strcmp(name, run->wanted) != 0) ||
        !fix_make(&run->answer, choice, run->folder, &run->arena, &made, &run->reason))
        return true;
    run->all = loupe_arena_grow(&run->arena, run->all, run->all_count, &run->all_capacity,
                                sizeof(*run->all));
    if (!run->all) {
        run->all_count = 0;
        return fix_refuse(&run->reason, "out of memory");
    }
    run->all[run->all_count++] = made;
    return true;
}

/* Beside a fix of the answer, which is this run's own. */
static bool add_text(struct run *run, const struct json_value *fix, const char *key,
                     struct loupe_span text) {
    struct json_value *member = loupe_arena_alloc(&run->arena, sizeof(*member));
    struct json_value *owner = (struct json_value *)fix;
    if (!member)
        return fix_refuse(&run->reason, "out of memory");
    *member = (struct json_value){
        .kind = JSON_TEXT, .key = loupe_span_of(key), .text = text, .next = fix->first};
    owner->first = member;
    owner->count++;
    return true;
}

/* The diffs of all its files, one after the other. */
static struct loupe_span whole_diff(struct run *run, const struct fix_made *made) {
    size_t length = 0;
    for (uint32_t i = 0; i < made->change.count; i++)
        length += made->diffs[i].length;
    char *text = loupe_arena_alloc(&run->arena, length + 1);
    length = 0;
    for (uint32_t i = 0; text && i < made->change.count; i++) {
        memcpy(text + length, made->diffs[i].bytes, made->diffs[i].length);
        length += made->diffs[i].length;
    }
    return (struct loupe_span){text, length};
}

/* The page of the answer, with the patches beside their fixes. */
static bool put_page(struct run *run) {
    const struct drawing drawing = {.format = DRAWING_HTML, .topic = "fix"};
    for (uint32_t i = 0; i < run->all_count; i++) {
        struct fix_made *made = &run->all[i];
        struct loupe_span diff = whole_diff(run, made);
        if (!diff.bytes ||
            !add_text(run, made->choice.fix, "compiler", loupe_span_of(made->compiled)) ||
            !add_text(run, made->choice.fix, "diff", diff))
            return fix_refuse(&run->reason, "out of memory");
    }
    run->status = draw_tree(run->answer.root, &run->arena, &drawing);
    return true;
}

static bool put_all(struct run *run) {
    fix_refuse(&run->reason, "no fix of the answer can be written");
    fix_each_choice(&run->answer, gather, run);
    if (!run->all_count)
        return false;
    if (strcmp(run->format, "html") == 0)
        return put_page(run);
    loupe_json_init(&run->json, cli_answer_sink());
    if (strcmp(run->format, "sarif") == 0)
        fix_put_sarif(&run->json, run->all, run->all_count, &run->arena);
    else
        fix_put_review(&run->json, run->all, run->all_count, &run->arena);
    loupe_json_finish(&run->json);
    cli_end_answer();
    return true;
}

/* ---- What is printed ---- */

static void put_patch(struct run *run, uint32_t index) {
    const struct fix_patch *patch = &run->made.change.patches[index];
    struct loupe_json *json = &run->json;
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "fix", run->wanted);
    loupe_json_put_string(json, "text", run->choice.text);
    loupe_json_put_string(json, "file", patch->file->path);
    loupe_json_put_uint(json, "line", fix_first_line(patch));
    loupe_json_put_text(json, "diff", run->made.diffs[index]);
    loupe_json_put_string(json, "rests_on", run->made.rests_on);
    loupe_json_put_string(json, "confidence", run->made.confidence);
    loupe_json_put_bool(json, "compiled", run->made.is_compiled);
    loupe_json_put_string(json, "compiler", run->made.compiled);
    loupe_json_put_bool(json, "applied", run->is_applied);
    loupe_json_end_object(json);
}

static void put_verified(struct run *run) {
    struct loupe_json *json = &run->json;
    loupe_json_key(json, "verified");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "outcome", fix_outcome_name(run->verified.outcome));
    loupe_json_put_uint(json, "status", (uint64_t)run->verified.status);
    loupe_json_put_bool(json, "timed_out", run->verified.is_timed_out);
    loupe_json_put_uint(json, "programs", run->verified.programs);
    loupe_json_put_uint(json, "leaks", run->verified.left);
    loupe_json_end_object(json);
}

static void put_error(struct run *run) {
    loupe_json_key(&run->json, "error");
    loupe_json_begin_object(&run->json);
    loupe_json_put_string(&run->json, "code", "command");
    loupe_json_put_string(&run->json, "message", run->reason.text);
    loupe_json_key(&run->json, "address");
    loupe_json_null(&run->json);
    loupe_json_key(&run->json, "detail");
    loupe_json_null(&run->json);
    loupe_json_end_object(&run->json);
}

static void put_answer(struct run *run, bool done) {
    static const char *const unknown[] = {"engine", "abi", "pointer_size"};
    struct loupe_json *json = &run->json;
    uint32_t left_out = 0;
    loupe_json_init(json, cli_answer_sink());
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", 1);
    loupe_json_put_string(json, "query", "fix");
    for (unsigned i = 0; i < sizeof(unknown) / sizeof(unknown[0]); i++) {
        loupe_json_key(json, unknown[i]);
        loupe_json_null(json);
    }
    loupe_json_put_string(json, "status", done ? "ok" : "error");
    if (!done)
        put_error(run);
    loupe_json_key(json, "choices");
    loupe_json_begin_array(json);
    if (done && !run->wanted)
        left_out = fix_each_choice(&run->answer, list_choice, run);
    loupe_json_end_array(json);
    if (left_out)
        loupe_json_put_uint(json, "choices_left_out", left_out);
    loupe_json_key(json, "patches");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; done && i < run->made.change.count; i++)
        put_patch(run, i);
    loupe_json_end_array(json);
    if (done && run->is_verified)
        put_verified(run);
    loupe_json_end_object(json);
    loupe_json_finish(json);
    cli_end_answer();
}

static void print_list(struct run *run) {
    uint32_t left_out = fix_each_choice(&run->answer, list_choice, run);
    if (left_out)
        printf("and %u more, without a letter\n", (unsigned)left_out);
}

static void print_verified(const struct run *run) {
    const struct fix_verified *verified = &run->verified;
    switch (verified->outcome) {
    case FIX_GONE:
        printf("Verified: it is gone; %u %s left in %u %s.\n", verified->left,
               verified->left == 1 ? "leak is" : "leaks are", verified->programs,
               verified->programs == 1 ? "program" : "programs");
        return;
    case FIX_STILL_THERE:
        printf("Not verified: it is still there.\n");
        return;
    case FIX_COMMAND_FAILED:
        if (verified->is_timed_out)
            printf("Not verified: the command was not done in time (--timeout).\n");
        else
            printf("Not verified: the command ended with status %d.\n", verified->status);
        return;
    default:
        printf("Not verified: no program of the command said at its end what it leaks.\n");
    }
}

/* `git apply` reads past lines that are not of a diff. */
static void print_patches(const struct run *run) {
    printf("%s: %s\nRests on: %s (confidence: %s).\n%s\n", run->wanted,
           cli_printable(loupe_span_of(run->choice.text)), run->made.rests_on, run->made.confidence,
           run->made.compiled);
    if (run->is_verified)
        print_verified(run);
    for (uint32_t i = 0; run->is_applied && i < run->made.change.count; i++)
        printf("Written to %s.\n",
               cli_printable(loupe_span_of(run->made.change.patches[i].file->path)));
    for (uint32_t i = 0; i < run->made.change.count; i++)
        fwrite(run->made.diffs[i].bytes, 1, run->made.diffs[i].length, stdout);
}

static int run_line(struct run *run) {
    bool done = open_answer(run);
    bool is_open = done, is_diff = strcmp(run->format, "diff") == 0;
    if (done)
        done = !is_diff ? put_all(run) : !run->wanted || choose_and_patch(run);
    int status = CLI_OK;
    if (!is_diff)
        status = run->status;
    else if (run->in_json)
        put_answer(run, done);
    else if (done && run->wanted)
        print_patches(run);
    else if (done)
        print_list(run);
    if (done && !helps(run))
        status = run->verified.outcome == FIX_STILL_THERE ? CLI_FOUND : CLI_FAILURE;
    if (!done)
        status = cli_fail(CLI_FAILURE, "fix", "%s", run->reason.text);
    if (is_open)
        answer_close(&run->answer);
    return status;
}

/* ---- The line ---- */

/* CLI_OK, or what was said; help is for the caller. */
static int take_line(const char **words, unsigned count, struct verb_line *line) {
    int status = verb_take_line(&verb_fix, words, count, 2, line);
    if (status || line->values.help)
        return status;
    if (!line->word_count || (line->values.verify && line->word_count < 2))
        return verb_fail_missing(&verb_fix, line->word_count);
    if (line->values.fix_format && strcmp(line->values.fix_format, "diff") != 0 &&
        (line->values.json || line->values.apply || line->values.verify))
        return cli_fail(CLI_FAILURE, "fix",
                        "--format %s goes with neither --json nor --apply nor --verify",
                        line->values.fix_format);
    return CLI_OK;
}

/* What was said last, as an answer. */
static void answer_refused(void) {
    struct run run = {.in_json = true};
    fix_refuse(&run.reason, "%s", cli_last_complaint());
    put_answer(&run, false);
}

static int answer_line(const struct verb_line *line, struct heap_run *heap,
                       struct heap_file *files) {
    struct run run = {.path = line->words[0],
                      .wanted = line->word_count > 1 ? line->words[1] : NULL,
                      .folder = line->values.source ? line->values.source : ".",
                      .applies = line->values.apply,
                      .forces = line->values.force,
                      .verified_by = line->values.verify,
                      .format = line->values.fix_format ? line->values.fix_format : "diff",
                      .trial_time = line->values.trial_time,
                      .in_json = line->values.json,
                      .heap = heap,
                      .files = files};
    loupe_arena_init(&run.arena, &cli_chunks);
    int status = run_line(&run);
    loupe_arena_deinit(&run.arena);
    return status;
}

int fix_of_heap(const char **words, unsigned count, struct heap_run *heap,
                struct heap_file *files) {
    struct verb_line line = {.word_count = 0};
    int status = take_line(words, count, &line);
    return status ? status : answer_line(&line, heap, files);
}

/* A file that begins as JSON does is an answer; anything else, a process too, is a heap. One that
 * cannot be read says so as an answer. */
static bool is_answer(const char *path) {
    char first[64];
    FILE *file = fopen(path, "rb");
    size_t length = file ? fread(first, 1, sizeof(first), file) : 0, i = 0;
    if (!file)
        return path[strspn(path, "0123456789")];
    fclose(file);
    while (i < length && strchr(" \t\r\n", first[i]))
        i++;
    return i == length || strchr("{[", first[i]);
}

/* What is in the way is said, and not as an answer of leaks. */
static int open_heap(const struct verb_line *line, struct heap_run *heap, struct heap_file *files) {
    const char *words[] = {line->words[0], "--json"};
    struct capture answer, messages;
    size_t length;
    int status = heap_run_parse(heap, &verb_leaks, words, 2);
    if (status)
        return status;
    capture_begin(&messages, CAPTURED_MESSAGES);
    capture_begin(&answer, CAPTURED_ANSWERS);
    status = heap_run_open(heap, files);
    free(capture_end(&answer, &length));
    char *said = capture_end(&messages, &length);
    if (said)
        cli_repeat((struct loupe_span){said, length}, verb_leaks.name, "fix");
    free(said);
    return status;
}

static int answer_heap(const struct verb_line *line) {
    struct heap_run heap;
    struct heap_file *files = calloc(HEAP_MOST_FILES, sizeof(*files));
    if (!files)
        return cli_fail(CLI_FAILURE, NULL, "fix: out of memory");
    int status = open_heap(line, &heap, files);
    if (!status) {
        status = answer_line(line, &heap, files);
        heap_run_close(&heap, files);
    } else if (line->values.json) {
        answer_refused();
    }
    free(files);
    return status;
}

int cli_fix(const char **words, unsigned count) {
    struct verb_line line = {.word_count = 0};
    int status = take_line(words, count, &line);
    if (status) {
        verb_take_places(&verb_fix, words, count, &line.values);
        if (line.values.json)
            answer_refused();
        return status;
    }
    if (line.values.help) {
        verb_print_help(&verb_fix);
        return CLI_OK;
    }
    return is_answer(line.words[0]) ? answer_line(&line, NULL, NULL) : answer_heap(&line);
}
