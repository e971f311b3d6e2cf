/* A call of a tool as a line of the command line, asked, and its answer read back. */
#include "serve/call.h"
#include "shared/child.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

static bool fail(struct call *call, const char *problem, const char *detail) {
    loupe_format(call->problem, sizeof(call->problem), problem, detail);
    return false;
}

/* ---- The line ---- */

struct line {
    struct call *call;
    struct opened_question *question;
    bool no_memory;
};

static void add(struct line *line, const char *word) {
    line->question->words[line->question->word_count++] = word;
}

static void add_copy(struct line *line, struct loupe_span text) {
    const char *word = loupe_arena_copy_string(line->call->arena, text);
    line->no_memory = line->no_memory || !word;
    add(line, word ? word : "0");
}

static void add_number(struct line *line, const char *option, uint64_t number) {
    char text[24];
    size_t length = loupe_format(text, sizeof(text), "%llu", (unsigned long long)number);
    add(line, option);
    add_copy(line, (struct loupe_span){text, length});
}

static void add_option(struct line *line, enum tool_argument argument) {
    const struct call *call = line->call;
    const struct tool_argument_facts facts = tool_argument(argument);
    if (!*facts.option || (facts.kind == ARGUMENT_IS_FLAG && !call->numbers[argument]))
        return;
    add_copy(line, loupe_span_of(facts.option));
    if (facts.kind == ARGUMENT_IS_TEXT)
        add(line, call->texts[argument]);
    if (facts.kind == ARGUMENT_IS_NUMBER)
        add_copy(line, call->given[argument]->text);
}

static void add_options(struct line *line, uint64_t limit) {
    struct call *call = line->call;
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (call->given[i])
            add_option(line, (enum tool_argument)i);
    }
    add_number(line, "--timeout", call->numbers[ARGUMENT_TIMEOUT]);
    if (limit != UINT64_MAX)
        add_number(line, "--limit", limit);
    add(line, "--json");
}

/* Which process can answer: one that has the same files open in the same way. */
static bool make_key(struct line *line, const char *before, const char *file, bool asks_target) {
    const struct call *call = line->call;
    const char *count_as = call->texts[ARGUMENT_COUNT_AS];
    bool other_sizes = count_as && !strcmp(count_as, "visualvm");
    const char *parts[] = {file,
                           before ? before : "",
                           call->texts[ARGUMENT_PROGRAM] ? call->texts[ARGUMENT_PROGRAM] : "",
                           call->texts[ARGUMENT_SYSROOT] ? call->texts[ARGUMENT_SYSROOT] : "",
                           other_sizes ? count_as : "",
                           asks_target ? "target" : ""};
    size_t size = 24, used = 0;
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        size += strlen(parts[i]) + 1;
    char *key = loupe_arena_alloc(call->arena, size);
    if (!key)
        return false;
    used = loupe_format(key, size, "%llx", (unsigned long long)call->files);
    for (unsigned i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
        used += loupe_format(key + used, size - used, "\n%s", parts[i]);
    line->question->key = key;
    return true;
}

static bool is_core_question(const struct call *call) {
    return call->given[ARGUMENT_OBJECT] && call->tool->verb->run_on_target;
}

/* ---- Answers ---- */

static bool explain_end(struct call *call, const struct opened_answer *answer) {
    char number[16];
    loupe_format(number, sizeof(number), "%d", answer->status);
    switch (answer->end) {
    case OPENED_DIED:
        return fail(
            call,
            answer->status
                ? "the process that reads this file was ended by signal %s; please "
                  "report it with the file"
                : "the process that reads this file could not go on: it may need more memory "
                  "(loupe serve --memory)",
            number);
    case OPENED_TOO_SLOW:
        return fail(call, "the question took longer than its timeout, and was ended%s", "");
    case OPENED_TOO_LARGE:
        return fail(call, "the answer is too large: ask for a class, or fewer rows%s", "");
    case OPENED_NO_PROCESS:
        return fail(call, CHILD_NOT_STARTED, strerror(errno));
    default:
        return fail(call, "the answer was no longer wanted%s", "");
    }
}

/* The last line of the messages, without who says it. */
static void take_message(struct call *call, struct loupe_span messages) {
    while (messages.length && messages.bytes[messages.length - 1] == '\n')
        messages.length--;
    const char *line = messages.bytes;
    for (size_t i = 0; i < messages.length; i++) {
        if (messages.bytes[i] == '\n')
            line = messages.bytes + i + 1;
    }
    size_t length = (size_t)(messages.bytes + messages.length - line);
    loupe_format(call->problem, sizeof(call->problem), "%.*s", (int)(length < 480 ? length : 480),
                 line);
}

static bool read_answer(struct call *call, const struct opened_answer *answer,
                        struct call_answer *ret) {
    struct loupe_error error = {0};
    if (!answer->output.length) {
        take_message(call, answer->messages);
        return *call->problem ? false : fail(call, "there was no answer%s", "");
    }
    enum loupe_status status = json_read(answer->output, call->arena, &ret->tree, &error);
    ret->messages = answer->messages;
    if (status == LOUPE_ENOMEM)
        return fail(call, "out of memory: ask for fewer rows%s", "");
    return !status || fail(call, "the answer cannot be read: %s", error.message);
}

static bool ask(struct line *line, struct call_asker *asker, struct call_answer *ret) {
    struct call *call = line->call;
    struct opened_answer answer;
    line->question->seconds = call->numbers[ARGUMENT_TIMEOUT];
    if (line->no_memory ||
        opened_ask(asker->opened, line->question, asker->meanwhile, call->arena, &answer))
        return fail(call, "out of memory%s", "");
    asker->is_unwanted = answer.end == OPENED_UNWANTED;
    return answer.end == OPENED_ANSWERED ? read_answer(call, &answer, ret)
                                         : explain_end(call, &answer);
}

bool call_ask(struct call *call, struct call_asker *asker, struct call_answer *ret) {
    const struct tool *tool = call->tool;
    struct line line = {.call = call, .question = &ret->question};
    const char *before = call->texts[ARGUMENT_BEFORE], *class_name = call->texts[ARGUMENT_CLASS];
    const char *file = before ? call->texts[ARGUMENT_AFTER] : call->texts[ARGUMENT_FILE];
    /* One row more than is shown tells whether there is another page. A core that is asked about an
     * object limits the objects that are walked instead. */
    bool asks_target = is_core_question(call);
    ret->question.verb = tool->verb;
    add_options(&line, asks_target || !tool->list ? UINT64_MAX : call->first + call->rows + 1);
    if (class_name && *tool->class_option) {
        add(&line, tool->class_option);
        add(&line, class_name);
    }
    add(&line, "--");
    if (before)
        add(&line, before);
    add(&line, file);
    if (class_name && !*tool->class_option)
        add(&line, class_name);
    if (call->texts[ARGUMENT_OBJECT])
        add(&line, call->texts[ARGUMENT_OBJECT]);
    if (call->texts[ARGUMENT_SQL])
        add(&line, call->texts[ARGUMENT_SQL]);
    if (call->texts[ARGUMENT_FIX])
        add(&line, call->texts[ARGUMENT_FIX]);
    line.no_memory = line.no_memory || !make_key(&line, before, file, asks_target);
    return ask(&line, asker, ret);
}

bool call_ask_verb(struct call *call, struct call_asker *asker, const struct call_asked *asked,
                   struct call_answer *ret) {
    struct line line = {.call = call, .question = &ret->question};
    ret->question.verb = verb_named(asked->verb);
    add_options(&line, asked->rows);
    add(&line, "--");
    if (asked->before)
        add(&line, asked->before);
    add(&line, asked->file);
    line.no_memory = line.no_memory || !make_key(&line, asked->before, asked->file, false);
    return ask(&line, asker, ret);
}
