#include "http/http_ask.h"

#include "answers/json_tree.h"
#include "verbs/code.h"

#include <inttypes.h>

#define FIRST_ASKED "heap" /* the verb that opens the file */

enum { MOST_ROWS = 1000000, NUMBER_SIZE = 24 };

static const char *const that_read[] = {"suspects", "heap", "find",    "show",   "path",
                                        "retained", "sql",  "threads", "cycles", "leaks"};

static const struct verb *verb_of(struct loupe_span name) {
    for (unsigned i = 0; i < sizeof(that_read) / sizeof(that_read[0]); i++)
        if (loupe_span_equals(name, that_read[i]))
            return verb_named(that_read[i]);
    return NULL;
}

static void add(struct opened_question *question, const char *word) {
    question->words[question->word_count++] = word;
}

/* Numbers of words stand in the arena. False: no memory. */
static bool add_number(struct opened_question *question, const char *option, uint64_t number,
                       struct loupe_arena *arena) {
    char *text = loupe_arena_alloc(arena, NUMBER_SIZE);
    if (!text)
        return false;
    loupe_format(text, NUMBER_SIZE, "%" PRIu64, number);
    add(question, option);
    add(question, text);
    return true;
}

/* NULL: it is made. Behind the "--" no word is an option. */
static const char *make_question(const struct http_asker *asker, const struct json_value *asked,
                                 struct loupe_arena *arena, struct opened_question *ret) {
    struct loupe_span operand = json_text(asked, "operand");
    uint64_t limit = json_uint(asked, "limit");
    *ret = (struct opened_question){
        .verb = verb_of(json_text(asked, "verb")), .key = asker->file, .seconds = asker->seconds};
    if (!ret->verb)
        return "no such verb";
    if (ret->verb->run_on_target && operand.length)
        ret->key = ""; /* of a core the target itself is asked, not its heap */
    if (json_is_true(asked, "json"))
        add(ret, "--json");
    if (json_is_true(asked, "page") && ret->verb == &verb_heap) {
        add(ret, "--html"); /* the one option that could name a file */
        add(ret, "-");
    }
    if (!add_number(ret, "--timeout", asker->seconds, arena) ||
        (json_has(asked, "limit") &&
         !add_number(ret, "--limit", limit < MOST_ROWS ? limit : MOST_ROWS, arena)))
        return "out of memory";
    add(ret, "--");
    add(ret, asker->file);
    if (!operand.length)
        return NULL;
    const char *word = loupe_arena_copy_string(arena, operand);
    add(ret, word ? word : "");
    return word ? NULL : "out of memory";
}

static const char *problem_of(const struct opened_answer *answer) {
    switch (answer->end) {
    case OPENED_ANSWERED:
        return NULL;
    case OPENED_DIED:
        return "the process that reads this file was ended: it may need more memory (--memory)";
    case OPENED_TOO_SLOW:
        return "the question took longer than --timeout, and was ended";
    case OPENED_TOO_LARGE:
        return "the answer is too large: ask for fewer rows";
    case OPENED_UNWANTED:
    case OPENED_NO_PROCESS:
        break;
    }
    return "no process can be started";
}

static const char *write_answer(const struct opened_answer *answer, struct cli_buffer *ret) {
    struct loupe_json json;
    const char *problem = problem_of(answer);
    loupe_json_init(&json, cli_buffer_sink(ret));
    loupe_json_begin_object(&json);
    loupe_json_put_uint(&json, "status", problem ? CLI_FAILURE : (uint64_t)answer->status);
    loupe_json_put_text(&json, "output", answer->output);
    loupe_json_put_text(&json, "messages", problem ? loupe_span_of(problem) : answer->messages);
    loupe_json_end_object(&json);
    return loupe_json_finish(&json) ? "out of memory" : NULL;
}

static int say_messages(const struct opened_answer *answer) {
    const char *problem = problem_of(answer);
    if (problem)
        return cli_fail(CLI_FAILURE, "serve", "%s", problem);
    cli_repeat(answer->messages, FIRST_ASKED, "serve");
    return answer->output.length ? CLI_OK : CLI_FAILURE; /* an incomplete one is one */
}

int http_ask_first(struct http_asker *asker) {
    struct opened_meanwhile nothing = {.descriptor = -1};
    struct opened_question question = {.verb = verb_named(FIRST_ASKED),
                                       .words = {"--limit", "1", "--", asker->file},
                                       .word_count = 4,
                                       .key = asker->file,
                                       .seconds = asker->seconds};
    struct opened_answer answer;
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    enum loupe_status failed = opened_ask(&asker->opened, &question, &nothing, &arena, &answer);
    int status = failed ? cli_fail(CLI_FAILURE, "serve", "out of memory") : say_messages(&answer);
    loupe_arena_deinit(&arena);
    return status;
}

static const char *ask(struct http_asker *asker, struct loupe_span question,
                       struct loupe_arena *arena, struct cli_buffer *ret) {
    struct opened_meanwhile nothing = {.descriptor = -1};
    struct loupe_error error = {0};
    const struct json_value *asked;
    struct opened_question line;
    struct opened_answer answer;
    if (json_read(question, arena, &asked, &error) || asked->kind != JSON_OBJECT)
        return "no question in JSON";
    const char *problem = make_question(asker, asked, arena, &line);
    if (problem)
        return problem;
    if (opened_ask(&asker->opened, &line, &nothing, arena, &answer))
        return "out of memory";
    return write_answer(&answer, ret);
}

const char *http_ask(struct http_asker *asker, struct loupe_span question, struct cli_buffer *ret) {
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    const char *problem = ask(asker, question, &arena, ret);
    loupe_arena_deinit(&arena);
    return problem;
}
