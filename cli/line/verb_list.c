/* loupe verbs: the table of verbs, for people and as JSON (docs/protocol.md). */
#include "line/verb_commands.h"

#include <string.h>

void verb_put_words(struct loupe_json *json, const char *key, const char *words, char between) {
    const char ends[] = {between, '\0'};
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    while (*words) {
        size_t length = strcspn(words, ends);
        loupe_json_span(json, (struct loupe_span){words, length});
        words += length + (words[length] != '\0');
    }
    loupe_json_end_array(json);
}

static void put_text_or_null(struct loupe_json *json, const char *key, const char *text) {
    loupe_json_key(json, key);
    if (text)
        loupe_json_string(json, text);
    else
        loupe_json_null(json);
}

static void put_letter(struct loupe_json *json, const char *key, char letter) {
    const char text[] = {letter, '\0'};
    put_text_or_null(json, key, letter ? text : NULL);
}

/* ---- Options ---- */

static const char *const kinds[] = {
    [VALUE_FLAG] = "flag",         [VALUE_TEXT] = "text",   [VALUE_FILE] = "file",
    [VALUE_FOLDER] = "folder",     [VALUE_CLASS] = "class", [VALUE_ENUM] = "choice",
    [VALUE_EXPRS] = "expressions", [VALUE_COUNT] = "count", [VALUE_NUMBER] = "number",
    [VALUE_SECONDS] = "seconds"};

static void put_option(struct loupe_json *json, const struct verb_option *option, char letter) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", option->name);
    put_letter(json, "letter", letter);
    put_letter(json, "key", option->key);
    put_text_or_null(json, "argument", *option->value ? option->value : NULL);
    loupe_json_put_string(json, "kind", kinds[option->kind]);
    verb_put_words(json, "choices", option->kind == VALUE_ENUM ? option->value : "", '|');
    put_text_or_null(json, "default", option->fallback);
    loupe_json_put_string(json, "help", option->help);
    loupe_json_end_object(json);
}

static void put_options(struct loupe_json *json, unsigned number, bool in_lldb) {
    const struct verb *verb = verbs[number];
    loupe_json_begin_array(json);
    for (const struct verb_option *option = verb_options; option->name; option++) {
        uint64_t takers = in_lldb ? option->in_lldb : option->in_terminal;
        if (takers >> number & 1u)
            put_option(json, option, in_lldb ? option->letter : verb_letter(verb, option));
    }
    loupe_json_end_array(json);
}

/* ---- Verbs ---- */

/* What stands behind the verb in a terminal or in LLDB, and its options there. */
static void put_host(struct loupe_json *json, const char *key, unsigned number, bool in_lldb) {
    const struct verb *verb = verbs[number];
    const char *operands = in_lldb ? verb->lldb : verb->terminal;
    loupe_json_key(json, key);
    if (!operands) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_json_key(json, "command");
    char command[40];
    loupe_format(command, sizeof(command), "%s%s", in_lldb && verb->is_global ? "" : "loupe ",
                 verb->name);
    loupe_json_string(json, command);
    loupe_json_put_string(json, "operands", operands);
    if (in_lldb)
        loupe_json_put_bool(json, "expression", verb->takes_expression);
    loupe_json_key(json, "options");
    put_options(json, number, in_lldb);
    loupe_json_end_object(json);
}

static void put_examples(struct loupe_json *json, const struct verb *verb) {
    loupe_json_key(json, "examples");
    loupe_json_begin_array(json);
    for (unsigned i = 0; verb->examples[i].line; i++) {
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "line", verb->examples[i].line);
        loupe_json_put_string(json, "why", verb->examples[i].why);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void put_verb(struct loupe_json *json, unsigned number) {
    const struct verb *verb = verbs[number];
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "name", verb->name);
    loupe_json_put_string(json, "summary", verb->summary);
    loupe_json_put_string(json, "help", verb->help);
    loupe_json_put_string(json, "needs", verb->needs);
    loupe_json_put_bool(json, "shows_roots", verb->shows_roots);
    put_host(json, "terminal", number, false);
    put_host(json, "lldb", number, true);
    put_examples(json, verb);
    verb_put_words(json, "keys", verb->keys, ' ');
    verb_put_words(json, "next", verb->next, ' ');
    loupe_json_end_object(json);
}

static void put_table(struct loupe_json *json) {
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "loupe", 1);
    loupe_json_put_string(json, "query", "verbs");
    put_text_or_null(json, "engine", NULL);
    loupe_json_put_string(json, "status", "ok");
    put_text_or_null(json, "abi", NULL);
    put_text_or_null(json, "pointer_size", NULL);
    loupe_json_key(json, "verbs");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < VERB_COUNT; i++)
        put_verb(json, i);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

int cli_verbs(const char **words, unsigned count) {
    struct verb_line line = {.word_count = 0};
    int status = verb_take_line(&verb_verbs, words, count, 0, &line);
    if (status)
        return status;
    if (line.values.help) {
        verb_print_help(&verb_verbs);
    } else if (line.values.json) {
        struct loupe_json json;
        loupe_json_init(&json, cli_answer_sink());
        put_table(&json);
        loupe_json_finish(&json);
        cli_end_answer();
    } else {
        for (unsigned i = 0; i < VERB_COUNT; i++)
            printf("%-14s %-14s %s\n", verbs[i]->name,
                   !verbs[i]->terminal ? "LLDB"
                   : verbs[i]->lldb    ? "terminal, LLDB"
                                       : "terminal",
                   verbs[i]->summary);
    }
    return CLI_OK;
}
