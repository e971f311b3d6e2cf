/*
 * verb.h - what can be asked, in a terminal and in LLDB: the one table of it.
 *
 * From here come the tool's command line and help, `loupe verbs --json`, the tab key's offers, the
 * manual pages, the option lists of docs/commands.md and, by lldb_commands/verbs.json, the commands
 * of LLDB. verbs/list.h says how to add a verb, verbs/options.h how to add an option.
 *
 * The table is C because the tool is: it needs nothing to be built but a compiler, and a mistake in
 * it does not compile. LLDB's commands have to work where nothing is built, so the file they read
 * is kept in the tree: `ninja -C build write_verbs` makes it of the tool's table, and the test
 * tree.verbs_are_written compares them.
 */
#ifndef LOUPE_VERBS_VERB_H
#define LOUPE_VERBS_VERB_H

#include "verbs/list.h"
#include "verbs/options.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_query;

/* ---- Verbs ---- */

enum verb_number {
#define VERB(name, kind) VERB_##name,
    LOUPE_VERBS(VERB)
#undef VERB
        VERB_COUNT
};

/* A set of verbs, of one; and of all. */
#define ON(name) (UINT64_C(1) << VERB_##name)
#define EVERY    (SERVED - 1)
/* In the set of an option in a terminal: the tools of `loupe serve` have it as an argument. */
#define SERVED (UINT64_C(1) << 63)

struct verb {
    const char *name; /* "leaks" */
    const char *summary;
    const char *help;     /* paragraphs, each one line; the first is what tools of a server say */
    const char *terminal; /* what stands behind it in a terminal, "FILE PATTERN"; NULL: not there */
    const char *lldb;     /* the same in LLDB, "<pattern>"; NULL: not there */
    const char *needs;    /* "file", "stop", "process" that runs, or "" */
    const char *keys;     /* of its JSON, besides those that all answers have */
    const char *next;     /* verbs that make sense after it */
    bool is_global;       /* its own command in LLDB, not one of `loupe` */
    bool takes_expression; /* in LLDB: the rest of the line, which LLDB must not parse */
    bool shows_roots;      /* so that the variables at their places are to be named */
    struct {
        const char *line, *why; /* in LLDB; where it is not there, in a terminal */
    } examples[16];             /* ended by one without a line */

    /* What `loupe serve` needs to know of it: a question about a whole heap is a tool there. */
    struct {
        bool is_none;            /* it writes files, or has no answer in JSON */
        const char *title;       /* NULL: the summary */
        const char *list;        /* of the answer, that is shown page by page; NULL: none is */
        const char *list_of_one; /* the same with an object, where it is another */
        unsigned page;           /* rows, unless told */
        bool needs_operand;      /* or a class, though the terminal also knows other ways */
    } tool;

    /* In a terminal: either the words behind the verb, */
    int (*command)(const char **words, unsigned count);
    /* or a question about so many files and operands; it prints the answer and returns the status.
     */
    int (*run)(struct heap_query *query);
    /* The same about an operand and a target, without a snapshot of its whole heap. NULL: there is
     * no such question. */
    int (*run_on_target)(struct heap_query *query);
    unsigned files, most_files; /* most_files 0: no more than files */
    unsigned least_operands, most_operands;
};

#define VERB(name, kind) extern const struct verb verb_##name;
LOUPE_VERBS(VERB)
#undef VERB

extern const struct verb *const verbs[VERB_COUNT];

/* ---- Options ---- */

enum verb_value {
    VALUE_FLAG,
    VALUE_TEXT,
    VALUE_FILE,
    VALUE_FOLDER,
    VALUE_CLASS, /* a class's name, with * for any text */
    VALUE_ENUM,  /* one of those that the help lists */
    VALUE_EXPRS, /* an expression; may be given more than once */
    VALUE_COUNT, /* a whole number above 0 */
    VALUE_NUMBER,
    VALUE_SECONDS
};

/* What was given in a terminal; NULL and 0 where it was not. Times are microseconds. */
struct verb_values {
#define VERB_TYPE_FLAG           bool
#define VERB_TYPE_TEXT           const char *
#define VERB_TYPE_FILE           const char *
#define VERB_TYPE_FOLDER         const char *
#define VERB_TYPE_CLASS          const char *
#define VERB_TYPE_ENUM           const char *
#define VERB_TYPE_COUNT          uint64_t
#define VERB_TYPE_NUMBER         uint64_t
#define VERB_TYPE_SECONDS        uint64_t
#define OPTION(field, kind, ...) VERB_TYPE_##kind field;
#define ONLY_SAID(...)
    LOUPE_OPTIONS(OPTION, ONLY_SAID)
#undef OPTION
#undef ONLY_SAID
    bool has_limit;
};

enum { VERB_NO_FIELD = 0xffff };

struct verb_option {
    const char *name; /* "max-rings" */
    char letter, key; /* 0: none; key: where LLDB parses the line */
    enum verb_value kind;
    const char *value, *fallback, *help;
    uint64_t in_terminal, in_lldb; /* sets of verbs */
    size_t field;                  /* in struct verb_values, or VERB_NO_FIELD */
};

#define OPTION(...)    +1
#define ONLY_SAID(...) +1
enum { VERB_OPTION_COUNT = 0 LOUPE_OPTIONS(OPTION, ONLY_SAID) };
#undef OPTION
#undef ONLY_SAID

/* All of them, ended by one without a name. */
extern const struct verb_option verb_options[VERB_OPTION_COUNT + 1];

#endif
