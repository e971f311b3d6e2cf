/* loupe help: what there is, and what each verb takes. */
#include "line/verb_commands.h"

#include "line/did_you_mean.h"

#include <string.h>

enum { WIDTH = 80, OPTION_COLUMN = 30, VERB_COLUMN = 28 };

/* Words of a text, folded, each line after the first indented. The first one begins at a column. */
static void print_folded(const char *text, unsigned column, unsigned indent) {
    unsigned at = column;
    while (*text) {
        size_t length = strcspn(text, " \n");
        bool folds = at > indent && at + 1 + length > WIDTH;
        if (folds)
            printf("\n%*s", (int)indent, "");
        else if (at > indent)
            putchar(' ');
        at = (folds || at <= indent ? indent : at + 1) + (unsigned)length;
        printf("%.*s", (int)length, text);
        text += length;
        if (*text == '\n') {
            text += strspn(text, "\n");
            printf("\n\n");
            at = indent;
        }
        text += strspn(text, " ");
    }
    putchar('\n');
}

static void print_row(const char *name, unsigned column, const char *text) {
    int padding = (int)column - (int)strlen(name);
    if (padding > 1)
        printf("%s%*s", name, padding, "");
    else
        printf("%s\n%*s", name, (int)column, "");
    print_folded(text, column, column);
}

static void print_verb(const struct verb *verb) {
    char name[80];
    loupe_format(name, sizeof(name), "  %s %s", verb->name, verb->terminal);
    print_row(name, VERB_COLUMN, verb->summary);
}

static void print_option(const struct verb *verb, const struct verb_option *option) {
    char name[80], letter = verb_letter(verb, option);
    size_t used = loupe_format(name, sizeof(name), "  ");
    if (letter)
        used += loupe_format(name + used, sizeof(name) - used, "-%c, ", letter);
    loupe_format(name + used, sizeof(name) - used, "--%s%s%s", option->name,
                 *option->value ? " " : "", option->value);
    print_row(name, OPTION_COLUMN, option->help);
}

/* By what people want to know; in a group in the order of the list. The last one also has what no
 * group names. */
static const struct {
    const char *title;
    uint64_t verbs;
} groups[] = {
    {"Leaks, and why objects are alive",
     ON(leaks) | ON(cycles) | ON(path) | ON(retained) | ON(suspects)},
    {"One object of a core or a process",
     ON(retain_cycles) | ON(strong_refs) | ON(ivar_layout) | ON(block_layout)},
    {"What is in the heap", ON(heap) | ON(find) | ON(show) | ON(threads) | ON(sql)},
    {"Compare, save, draw, fix", ON(diff) | ON(snapshot) | ON(draw) | ON(fix) | ON(ignore)},
    {"Many heaps", ON(report) | ON(compare)},
    {"For other programs",
     ON(serve) | ON(functions) | ON(explain) | ON(verbs) | ON(completion) | ON(help)},
};

enum { GROUP_COUNT = sizeof(groups) / sizeof(groups[0]) };

static size_t group_of(unsigned verb) {
    size_t group = 0;
    while (group + 1 < GROUP_COUNT && !(groups[group].verbs >> verb & 1))
        group++;
    return group;
}

void verb_print_overview(void) {
    fputs("usage: loupe COMMAND FILE [options] [arguments]\n\n", stdout);
    print_folded("Why are these objects alive? FILE is an ELF or Mach-O core, a saved snapshot "
                 "(.loupe), a Java or Android heap dump (.hprof), or on Linux the PID of a running "
                 "process.",
                 0, 0);
    for (size_t group = 0; group < GROUP_COUNT; group++) {
        printf("\n%s:\n", groups[group].title);
        for (unsigned i = 0; i < VERB_COUNT; i++) {
            if (verbs[i]->terminal && group_of(i) == group)
                print_verb(verbs[i]);
        }
    }
    putchar('\n');
    print_folded("loupe COMMAND --help has the options, loupe --version the version. Exit status: "
                 "0 success; 1 found (leaks, gates); 2 bad input, out of memory, a full disk, the "
                 "time limit, or an incomplete result, also where something was found.",
                 0, 0);
}

void verb_print_help(const struct verb *verb) {
    printf("usage: loupe %s%s%s [options]\n\n", verb->name, *verb->terminal ? " " : "",
           verb->terminal);
    print_folded(verb->help, 0, 0);
    putchar('\n');
    for (const struct verb_option *option = verb_options; option->name; option++) {
        if (verb_takes(verb, option))
            print_option(verb, option);
    }
    if (!verb->run)
        return;
    putchar('\n');
    print_folded(
        "FILE is an ELF or Mach-O core, a saved snapshot (.loupe), a Java or Android heap "
        "dump (.hprof), each also packed by gzip or zstd, or on Linux the PID of a running "
        "process; its first bytes say which.",
        0, 0);
}

int verb_fail_unknown(const char *name) {
    struct guess guess = guess_of(name);
    for (unsigned i = 0; i < VERB_COUNT; i++) {
        if (verbs[i]->terminal)
            guess_offer(&guess, verbs[i]->name);
    }
    return cli_fail(CLI_NONSENSE, NULL, "no command '%s'%s (see loupe --help)",
                    cli_printable(loupe_span_of(name)), guess_hint(&guess));
}

static int show(const char *name) {
    const struct verb *verb = verb_named(name);
    const char *words[] = {"--help"};
    if (!verb)
        return verb_fail_unknown(name);
    if (verb->command)
        return verb->command(words, 1); /* some have more to say */
    verb_print_help(verb);
    return CLI_OK;
}

int cli_help(const char **words, unsigned count) {
    struct verb_line line = {.word_count = 0};
    int status = verb_take_line(&verb_help, words, count, 1, &line);
    if (status)
        return status;
    if (line.values.help)
        verb_print_help(&verb_help);
    else if (line.word_count)
        return show(line.words[0]);
    else
        verb_print_overview();
    return CLI_OK;
}
