/*
 * loupe completion: scripts for shells, and what they ask at each press of the tab key:
 * `loupe completion offers WORDS...`, the last of which is begun. A line for each offer, with what
 * is said beside it behind a tab; ":files" and ":folders" leave it to the shell.
 */
#include "completion/completion_scripts.h"
#include "heaps/opened/heap_run.h"
#include "line/verb_commands.h"

#include <stdlib.h>
#include <string.h>

struct place {
    const struct verb *verb;
    const char **words; /* behind the verb, the begun one left out */
    unsigned count;
    const char *begun;
    const char *prefix; /* of what is begun, that offers repeat: "--format=" */
    size_t prefix_length;
    const char *file; /* the first word that is no option, or NULL */
};

static bool begins(const char *text, const char *begun) {
    return strncmp(text, begun, strlen(begun)) == 0;
}

static void offer(const struct place *place, const char *word, const char *about) {
    if (begins(word, place->begun))
        printf("%.*s%s\t%s\n", (int)place->prefix_length, place->prefix, word, about);
}

/* ---- Words, options, values ---- */

static void offer_verbs(const struct place *place) {
    for (unsigned i = 0; i < VERB_COUNT; i++) {
        if (verbs[i]->terminal)
            offer(place, verbs[i]->name, verbs[i]->summary);
    }
}

static void offer_options(const struct place *place) {
    for (const struct verb_option *option = verb_options; option->name; option++) {
        char word[40];
        loupe_format(word, sizeof(word), "--%s", option->name);
        if (verb_takes(place->verb, option))
            offer(place, word, option->help);
    }
}

/* count|size|retained */
static void offer_choices(const struct place *place, const char *choices) {
    while (*choices) {
        char word[40];
        size_t length = strcspn(choices, "|");
        loupe_format(word, sizeof(word), "%.*s", (int)length, choices);
        offer(place, word, "");
        choices += length + (choices[length] == '|');
    }
}

/* ---- Classes of a heap ---- */

/* Names are the program's own, and will stand on a line that a shell reads. */
static bool is_harmless(struct loupe_span name) {
    static const char taken[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_$.:@/-";
    for (size_t i = 0; i < name.length; i++) {
        if (!name.bytes[i] || !strchr(taken, name.bytes[i]))
            return false;
    }
    return name.length && name.length < 200;
}

static void offer_classes_of(const struct place *place, const struct loupe_snapshot *snapshot) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        struct loupe_span name = loupe_snapshot_class_name(snapshot, i);
        char word[200];
        if (!is_harmless(name))
            continue;
        loupe_format(word, sizeof(word), "%.*s", (int)name.length, name.bytes);
        offer(place, word, "class");
    }
}

static void offer_classes(const struct place *place) {
    const char *words[] = {place->file, "--timeout", "5"};
    struct heap_run run;
    struct heap_file *files = place->file ? calloc(1, sizeof(*files)) : NULL;
    if (files && !heap_run_parse(&run, &verb_heap, words, 3) && !heap_run_begin_time(&run) &&
        !heap_run_open(&run, files)) {
        offer_classes_of(place, &files->snapshot);
        heap_run_close(&run, files);
    }
    free(files);
}

/* ---- What stands where ---- */

static void offer_values(const struct place *place, const struct verb_option *option) {
    if (option->kind == VALUE_ENUM)
        offer_choices(place, option->value);
    else if (option->kind == VALUE_CLASS)
        offer_classes(place);
    else if (option->kind == VALUE_FILE)
        puts(":files");
    else if (option->kind == VALUE_FOLDER)
        puts(":folders");
}

static void offer_operands(const struct place *place, unsigned before) {
    const char *name = place->verb->terminal;
    for (const char *next; before && (next = strchr(name, ' ')) != NULL; before--)
        name = next + 1;
    if (before && !place->verb->most_files)
        return;
    if (begins(name, "PATTERN"))
        offer_classes(place);
    else if (begins(name, "[COMMAND]"))
        offer_verbs(place);
    else if (begins(name, "TOPIC"))
        offer_choices(place, "layout|symbol|ivar-layout|encoding|flags");
    else if (strchr(name, '|'))
        offer_choices(place, name);
    else if (!begins(name, "OBJECT") && !begins(name, "[OBJECT]") && *name)
        puts(":files");
}

/* Walks over the words before the begun one. Some shells have the '=' of --name=VALUE for a word.
 */
static void offer_at(struct place *place) {
    const struct verb_option *wanting = NULL;
    unsigned others = 0;
    for (unsigned i = 0; i < place->count; i++) {
        const char *word = place->words[i], *value;
        bool is_option = word[0] == '-' && word[1];
        if (strcmp(word, "=") == 0)
            continue;
        if (!wanting && !is_option && !others++)
            place->file = word;
        const struct verb_option *option =
            !wanting && is_option ? verb_find_option(place->verb, word, &value) : NULL;
        wanting = option && option->kind != VALUE_FLAG && !value ? option : NULL;
    }
    const char *value = NULL;
    const struct verb_option *attached = !wanting && *place->begun == '-'
                                             ? verb_find_option(place->verb, place->begun, &value)
                                             : NULL;
    if (value) {
        place->prefix = place->begun;
        place->prefix_length = (size_t)(value - place->begun);
        place->begun = value;
        offer_values(place, attached);
    } else if (wanting) {
        place->begun += strcmp(place->begun, "=") == 0;
        offer_values(place, wanting);
    } else if (*place->begun == '-') {
        offer_options(place);
    } else {
        offer_operands(place, others);
    }
}

static int offers(const char **words, unsigned count) {
    struct place place = {.begun = count ? words[count - 1] : "", .prefix = ""};
    if (count <= 1) {
        offer_verbs(&place);
        return CLI_OK;
    }
    place.verb = verb_named(words[0]);
    place.words = words + 1;
    place.count = count - 2;
    if (place.verb)
        offer_at(&place);
    return CLI_OK;
}

int cli_completion(const char **words, unsigned count) {
    struct verb_line line = {.word_count = 0};
    if (count && strcmp(words[0], "offers") == 0)
        return offers(words + 1, count - 1);
    int status = verb_take_line(&verb_completion, words, count, 1, &line);
    if (status)
        return status;
    if (line.values.help) {
        verb_print_help(&verb_completion);
        return CLI_OK;
    }
    for (const struct completion_script *script = completion_scripts; script->name; script++) {
        if (line.word_count && strcmp(line.words[0], script->name) == 0)
            return fputs(script->text, stdout) < 0 ? CLI_FAILURE : CLI_OK;
    }
    return cli_fail(CLI_NONSENSE, "completion", "missing SHELL: bash, zsh or fish");
}
