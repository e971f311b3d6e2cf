#include "explain/explain.h"

#include "verbs/code.h"

#include <string.h>

static const struct explain_topic *const topics[] = {
    &explain_layout, &explain_symbol, &explain_ivar_layout, &explain_encoding, &explain_flags,
};

enum { TOPIC_COUNT = sizeof(topics) / sizeof(topics[0]) };

void cli_explain_examples(void) {
    for (unsigned i = 0; i < TOPIC_COUNT; i++)
        printf("  loupe explain %s\n      %s\n", topics[i]->example, topics[i]->summary);
}

static void print_help(void) {
    fputs("usage: loupe explain TOPIC ... [--json] [--pointer-size 4|8]\n"
          "\n"
          "Explains what compilers write into programs about blocks, ivars and types. Paste what "
          "you\n"
          "saw in a debugger:\n"
          "\n",
          stdout);
    cli_explain_examples();
    fputs("\n"
          "  --json, -j           one line of JSON instead of a table\n"
          "  --pointer-size 4|8   of the program that it comes from; (default: 8)\n"
          "  --help, -h           with a topic: more examples and the options of that topic\n",
          stdout);
}

/* "layout, symbol or flags" */
static const char *list_topics(void) {
    static char list[128];
    size_t used = 0;
    for (unsigned i = 0; i < TOPIC_COUNT; i++) {
        const char *joint = i == 0 ? "" : i + 1 == TOPIC_COUNT ? " or " : ", ";
        used += loupe_format(list + used, sizeof(list) - used, "%s%s", joint, topics[i]->name);
    }
    return list;
}

static const struct explain_topic *find_topic(const char *name) {
    for (unsigned i = 0; i < TOPIC_COUNT; i++) {
        if (strcmp(topics[i]->name, name) == 0)
            return topics[i];
    }
    return NULL;
}

int cli_explain(const char **words, unsigned count) {
    if (count && (strcmp(words[0], "--help") == 0 || strcmp(words[0], "-h") == 0)) {
        print_help();
        return CLI_OK;
    }
    unsigned topic_at = cli_leading_options(words, count);
    if (topic_at == count)
        return cli_misuse("explain", "say what: %s", list_topics());
    const char *name = words[topic_at];
    const struct explain_topic *topic = find_topic(name);
    if (!topic)
        return cli_misuse("explain", "no topic '%s': take %s", cli_printable(loupe_span_of(name)),
                          list_topics());
    memmove(words + 1, words, topic_at * sizeof(*words)); /* its options begin behind it */
    struct cli_arguments arguments;
    unsigned allowed = topic->options | CLI_OPTION_JSON | CLI_OPTION_HELP;
    int status = cli_parse_arguments(topic->title, words + 1, count - 1, allowed, &arguments);
    if (status)
        return status;
    if (arguments.given & CLI_OPTION_HELP) {
        fputs(topic->help, stdout);
        return CLI_OK;
    }
    return topic->run(topic, &arguments);
}

int explain_no_memory(const struct explain_topic *topic) {
    return cli_fail(CLI_FAILURE, topic->title, "out of memory");
}
