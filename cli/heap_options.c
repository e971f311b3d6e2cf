/* What the options of the commands about whole heaps are called, and how their values are read. */
#include "heap_verb.h"

#include <stdlib.h>
#include <string.h>

enum value_kind { FLAG, TEXT, NUMBER, SECONDS };

static const struct option {
    const char *name, *short_name;
    enum value_kind kind;
    unsigned bit;  /* enum heap_option; 0: for all verbs */
    size_t offset; /* in struct heap_options */
    const char *value, *help;
} options[] = {
    {"--sort", NULL, TEXT, HEAP_OPTION_SORT, offsetof(struct heap_options, sort),
     "count|size|retained", "which comes first"},
    {"--class", NULL, TEXT, HEAP_OPTION_CLASS, offsetof(struct heap_options, class_pattern),
     "PATTERN", "only classes of that name; * stands for any text"},
    {"--subclasses", NULL, FLAG, HEAP_OPTION_SUBCLASSES, offsetof(struct heap_options, subclasses),
     "", "those that inherit from them, too"},
    {"--paths", "-n", NUMBER, HEAP_OPTION_PATHS, offsetof(struct heap_options, paths), "N",
     "so many paths"},
    {"--to-class", NULL, TEXT, HEAP_OPTION_TO_CLASS, offsetof(struct heap_options, to_class),
     "PATTERN", "to instances of that class"},
    {"--exclude", NULL, TEXT, HEAP_OPTION_EXCLUDE, offsetof(struct heap_options, exclude), "FILE",
     "the same"},
    {"--rules", NULL, TEXT, HEAP_OPTION_RULES, offsetof(struct heap_options, rules), "FILE",
     "rules before those that come with loupe (docs/rules.md)"},
    {"--count-as", NULL, TEXT, HEAP_OPTION_COUNT_AS, offsetof(struct heap_options, count_as),
     "TOOL", "count as another tool does, for comparing: mat, visualvm, haha"},
    {"--limit", "-n", NUMBER, HEAP_OPTION_LIMIT, offsetof(struct heap_options, limit), "N",
     "show so many; 0: all"},
    {"--max-rings", NULL, NUMBER, HEAP_OPTION_RINGS, offsetof(struct heap_options, max_rings), "N",
     "so many rings of each knot, of Objective-C heaps"},
    {"--group", NULL, TEXT, HEAP_OPTION_GROUP, offsetof(struct heap_options, group), "stack",
     "add up by who allocated them (docs/recording.md)"},
    {"--known", NULL, FLAG, HEAP_OPTION_KNOWN, offsetof(struct heap_options, known), "",
     "show the known leaks of libraries, too (docs/leaks.md)"},
    {"--html", NULL, TEXT, HEAP_OPTION_DRAW, offsetof(struct heap_options, html), "FILE",
     "write a page for browsers instead of text"},
    {"--dot", NULL, TEXT, HEAP_OPTION_DRAW, offsetof(struct heap_options, dot), "FILE",
     "write a drawing for Graphviz instead of text"},
    {"--format", NULL, TEXT, HEAP_OPTION_DRAW, offsetof(struct heap_options, format), "FORMAT",
     "for CI, to the output: github, sarif, junit; also html, dot"},
    {"--append", NULL, FLAG, HEAP_OPTION_DRAW, offsetof(struct heap_options, append), "",
     "with --format: behind the reports that the output has"},
    {"--filters", NULL, TEXT, HEAP_OPTION_GATES, offsetof(struct heap_options, filters), "FILE",
     "hide rings by what FILE lists (docs/ci.md); none hides nothing"},
    {"--baseline", NULL, TEXT, HEAP_OPTION_GATES, offsetof(struct heap_options, baseline), "FILE",
     "only what is not in FILE"},
    {"--write-baseline", NULL, TEXT, HEAP_OPTION_GATES,
     offsetof(struct heap_options, write_baseline), "FILE", "record in FILE what there is"},
    {"--allow-incomplete", NULL, FLAG, HEAP_OPTION_GATES,
     offsetof(struct heap_options, allow_incomplete), "",
     "do not fail because the answer is incomplete"},
    {"--fail-if-found", NULL, FLAG, HEAP_OPTION_FAIL, offsetof(struct heap_options, fail_if_found),
     "", "exit with 1 if there is one"},
    {"--names", NULL, TEXT, 0, offsetof(struct heap_options, names), "FILE",
     "names of blocks and what they capture, by a debugger (docs/leaks.md)"},
    {"--program", NULL, TEXT, 0, offsetof(struct heap_options, program), "FILE",
     "the executable of a core, where it is not where it was"},
    {"--sysroot", NULL, TEXT, 0, offsetof(struct heap_options, sysroot), "FOLDER",
     "where the files of a core's images are looked for first"},
    {"--redact", NULL, FLAG, HEAP_OPTION_REDACT, offsetof(struct heap_options, redact), "",
     "leave out texts of the program's data"},
    {"--dump", NULL, NUMBER, 0, offsetof(struct heap_options, dump), "N",
     "which heap dump of a file that holds several; the last unless told"},
    {"--timeout", NULL, SECONDS, 0, offsetof(struct heap_options, timeout), "SECONDS",
     "end after that, with an incomplete answer"},
    {"--max-pause", NULL, SECONDS, 0, offsetof(struct heap_options, max_pause), "SECONDS",
     "so long a process may stand still, 0: as long as it takes; 5, or LOUPE_MAX_PAUSE, unless "
     "told"},
    {"--output", "-o", TEXT, 0, offsetof(struct heap_options, output), "FILE",
     "write the answer there"},
    {"--json", "-j", FLAG, 0, offsetof(struct heap_options, json), "", "one line of JSON"},
    {"--help", "-h", FLAG, 0, offsetof(struct heap_options, help), "", "this"},
};

enum { OPTION_COUNT = sizeof(options) / sizeof(options[0]) };

/* The option of a verb that a word spells. *value_ret: what follows its '=', or NULL. */
static const struct option *find_option(const struct heap_verb *verb, const char *word,
                                        const char **value_ret) {
    *value_ret = NULL;
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        if (options[i].bit && !(verb->options & options[i].bit))
            continue;
        size_t length = strlen(options[i].name);
        if (options[i].short_name && strcmp(word, options[i].short_name) == 0)
            return &options[i];
        if (strncmp(word, options[i].name, length) != 0)
            continue;
        if (word[length] == '=')
            *value_ret = word + length + 1;
        if (word[length] == '=' || !word[length])
            return &options[i];
    }
    return NULL;
}

/* At most a million seconds, and microseconds at least. */
static bool parse_seconds(const char *text, uint64_t *ret) {
    char *end;
    double seconds = strtod(text, &end);
    bool is_number = *text >= '0' && *text <= '9' && !*end;
    if (!is_number || !(seconds >= 0 && seconds <= 1e6))
        return false;
    *ret = (uint64_t)(seconds * 1e6 + 0.5);
    return true;
}

enum { LONGEST_PAUSE = 5000000 }; /* microseconds that a process stands still, unless told */

int heap_take_defaults(const struct heap_verb *verb, struct heap_options *ret) {
    const char *pause = getenv("LOUPE_MAX_PAUSE");
    ret->max_pause = LONGEST_PAUSE;
    if (pause && *pause && !parse_seconds(pause, &ret->max_pause))
        return cli_fail(CLI_NONSENSE, verb->name, "LOUPE_MAX_PAUSE cannot be '%s'",
                        cli_printable(loupe_span_of(pause)));
    return CLI_OK;
}

static int set_option(const struct heap_verb *verb, const struct option *option, const char *value,
                      struct heap_options *ret) {
    char *place = (char *)ret + option->offset;
    uint64_t number;
    if (option->kind == FLAG) {
        *(bool *)(void *)place = true;
    } else if (option->kind == TEXT) {
        *(const char **)(void *)place = value;
    } else if (option->kind == SECONDS ? parse_seconds(value, &number)
                                       : cli_parse_number(value, UINT32_MAX, &number)) {
        *(uint64_t *)(void *)place = number;
        ret->has_limit = ret->has_limit || option->bit == HEAP_OPTION_LIMIT;
    } else {
        return cli_fail(CLI_NONSENSE, verb->name, "%s cannot be '%s'", option->name,
                        cli_printable(loupe_span_of(value)));
    }
    return CLI_OK;
}

int heap_take_option(const struct heap_verb *verb, const char **words, unsigned count, unsigned *at,
                     struct heap_options *ret) {
    const char *value;
    const struct option *option = find_option(verb, words[*at], &value);
    if (!option)
        return cli_fail(CLI_NONSENSE, verb->name, "no option %s here",
                        cli_printable(loupe_span_of(words[*at])));
    if (option->kind == FLAG && value)
        return cli_fail(CLI_NONSENSE, verb->name, "%s takes no value", option->name);
    if (option->kind != FLAG && !value) {
        if (*at + 1 == count)
            return cli_fail(CLI_NONSENSE, verb->name, "%s needs a value", option->name);
        value = words[++*at];
    }
    if (option->kind != FLAG && !*value)
        return cli_fail(CLI_NONSENSE, verb->name, "%s needs a value", option->name);
    return set_option(verb, option, value, ret);
}

void heap_print_options(const struct heap_verb *verb) {
    for (unsigned i = 0; i < OPTION_COUNT; i++) {
        const struct option *option = &options[i];
        if (option->bit && !(verb->options & option->bit))
            continue;
        char spelled[64];
        const char *value, *short_name = option->short_name;
        if (short_name && find_option(verb, short_name, &value) != option)
            short_name = NULL; /* of a verb where it says something else */
        snprintf(spelled, sizeof(spelled), "%s%s%s%s%s", short_name ? short_name : "",
                 short_name ? ", " : "", option->name, *option->value ? " " : "", option->value);
        printf("  %-28s %s\n", spelled, option->help);
    }
}
