/* Options and other words of a line, by the table of verbs. */
#include "line/verb_line.h"

#include "line/did_you_mean.h"

#include <stdlib.h>
#include <string.h>

/* ---- What there is ---- */

const struct verb *verb_named(const char *name) {
    for (unsigned i = 0; i < VERB_COUNT; i++) {
        if (verbs[i]->terminal && strcmp(verbs[i]->name, name) == 0)
            return verbs[i];
    }
    return NULL;
}

bool verb_takes(const struct verb *verb, const struct verb_option *option) {
    unsigned number = 0;
    while (verbs[number] != verb)
        number++;
    return option->in_terminal >> number & 1u;
}

static const struct verb_option *option_of_letter(const struct verb *verb, char letter) {
    for (const struct verb_option *option = verb_options; option->name; option++) {
        if (letter && option->letter == letter && verb_takes(verb, option))
            return option;
    }
    return NULL;
}

char verb_letter(const struct verb *verb, const struct verb_option *option) {
    return option_of_letter(verb, option->letter) == option ? option->letter : 0;
}

const struct verb_option *verb_find_option(const struct verb *verb, const char *word,
                                           const char **value_ret) {
    *value_ret = NULL;
    if (word[1] != '-')
        return word[1] && !word[2] ? option_of_letter(verb, word[1]) : NULL;
    for (const struct verb_option *option = verb_options; option->name; option++) {
        size_t length = strlen(option->name);
        if (!verb_takes(verb, option) || strncmp(word + 2, option->name, length) != 0)
            continue;
        const char *end = word + 2 + length;
        if (*end == '=')
            *value_ret = end + 1;
        if (*end == '=' || !*end)
            return option;
    }
    return NULL;
}

/* ---- Values ---- */

bool verb_parse_seconds(const char *text, uint64_t *ret) {
    char *end;
    double seconds = strtod(text, &end);
    bool is_number = *text >= '0' && *text <= '9' && !*end;
    if (!is_number || !(seconds >= 0 && seconds <= 1e6))
        return false;
    *ret = (uint64_t)(seconds * 1e6 + 0.5);
    return true;
}

static int set_option(const struct verb *verb, const struct verb_option *option, const char *value,
                      struct verb_values *ret) {
    char *place = (char *)ret + option->field;
    uint64_t number;
    if (option->kind == VALUE_FLAG) {
        *(bool *)(void *)place = true;
    } else if (option->kind < VALUE_COUNT) {
        *(const char **)(void *)place = value;
    } else if (option->kind == VALUE_SECONDS ? verb_parse_seconds(value, &number)
                                             : cli_parse_number(value, UINT32_MAX, &number)) {
        *(uint64_t *)(void *)place = number;
        ret->has_limit |= option->field == offsetof(struct verb_values, limit);
    } else {
        return cli_misuse(verb->name, "--%s cannot be '%s'", option->name,
                          cli_printable(loupe_span_of(value)));
    }
    return CLI_OK;
}

/* ---- The line ---- */

static int fail_unknown(const struct verb *verb, const char *word) {
    struct guess guess = guess_of(word);
    for (const struct verb_option *option = verb_options; option->name; option++) {
        char spelled[40];
        loupe_format(spelled, sizeof(spelled), "--%s", option->name);
        if (verb_takes(verb, option))
            guess_offer(&guess, spelled);
    }
    return cli_misuse(verb->name, "unknown option %s%s", cli_printable(loupe_span_of(word)),
                      guess_hint(&guess));
}

static int take_option(const struct verb *verb, const char **words, unsigned count, unsigned *at,
                       struct verb_values *ret) {
    const char *value;
    const struct verb_option *option = verb_find_option(verb, words[*at], &value);
    if (!option)
        return fail_unknown(verb, words[*at]);
    bool is_flag = option->kind == VALUE_FLAG;
    if (is_flag && value)
        return cli_misuse(verb->name, "--%s takes no value", option->name);
    if (!is_flag && !value && *at + 1 < count)
        value = words[++*at];
    if (!is_flag && (!value || !*value))
        return cli_misuse(verb->name, "--%s needs a value", option->name);
    return set_option(verb, option, value, ret);
}

int verb_take_line(const struct verb *verb, const char **words, unsigned count, unsigned most,
                   struct verb_line *ret) {
    bool options_ended = false;
    for (unsigned at = 0; at < count; at++) {
        const char *word = words[at];
        if (!options_ended && strcmp(word, "--") == 0) {
            options_ended = true;
        } else if (!options_ended && word[0] == '-' && word[1]) {
            int status = take_option(verb, words, count, &at, &ret->values);
            if (status)
                return status;
        } else if (ret->word_count == most) {
            return cli_misuse(verb->name, "unexpected argument '%s'",
                              cli_printable(loupe_span_of(word)));
        } else {
            ret->words[ret->word_count++] = word;
        }
    }
    return CLI_OK;
}

void verb_take_places(const struct verb *verb, const char **words, unsigned count,
                      struct verb_values *ret) {
    for (unsigned at = 0; at < count && strcmp(words[at], "--") != 0; at++) {
        const char *value = NULL;
        const struct verb_option *option =
            words[at][0] == '-' ? verb_find_option(verb, words[at], &value) : NULL;
        if (!option)
            continue;
        if (option->kind != VALUE_FLAG && !value && at + 1 < count)
            value = words[++at];
        if (option->field == offsetof(struct verb_values, json))
            ret->json = true;
        else if (option->field == offsetof(struct verb_values, output))
            ret->output = value;
    }
}

int verb_fail_missing(const struct verb *verb, unsigned given) {
    const char *names = verb->terminal, *last = names;
    for (const char *space = names; (space = strchr(space, ' ')) != NULL;)
        last = ++space;
    while (given-- && names < last)
        names = strchr(names, ' ') + 1;
    if (*names == '[' && last[0] != '[')
        names = last;
    return cli_fail(CLI_NONSENSE, verb->name, "missing %.*s (usage: loupe %s %s)",
                    (int)strcspn(names, " "), names, verb->name, verb->terminal);
}
