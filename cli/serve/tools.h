/*
 * tools.h - what a client can call: the verbs about heaps, and what is made of several.
 *
 * A verb that asks about a whole heap is a tool by being in verbs/, its options where these are
 * SERVED. Only `open`, which is `heap` in short, `propose_patch`, which is `fix` without writing
 * anything, and `before_after`, which asks several verbs, are the server's own.
 */
#ifndef LOUPE_SERVE_TOOLS_H
#define LOUPE_SERVE_TOOLS_H

#include "base/json.h"
#include "base/text.h"
#include "verbs/verb.h"

enum tool_argument {
    ARGUMENT_FILE,
    ARGUMENT_BEFORE,
    ARGUMENT_AFTER,
    ARGUMENT_OBJECT,
    ARGUMENT_SQL,
    ARGUMENT_CLASS,
    ARGUMENT_FINGERPRINT,
    ARGUMENT_MAX_GROWTH,
    ARGUMENT_FIX,
    ARGUMENT_SOURCE,
    ARGUMENT_LIMIT,
    ARGUMENT_CURSOR,
    ARGUMENT_PROGRAM,
    ARGUMENT_SYSROOT,
    ARGUMENT_TIMEOUT,
    ARGUMENT_COUNT_AS,
    ARGUMENT_OWN_COUNT, /* and on: those of verb_options */
    ARGUMENT_COUNT = ARGUMENT_OWN_COUNT + VERB_OPTION_COUNT
};

enum argument_kind { ARGUMENT_IS_TEXT, ARGUMENT_IS_NUMBER, ARGUMENT_IS_FLAG };

struct tool_argument_facts {
    char name[32];
    const char *description; /* NULL: what the option's help says */
    enum argument_kind kind;
    char option[34]; /* of the verb; empty: it stands in another place, or is not for it */
    bool is_path;
    uint64_t least, most; /* of a number */
};

struct tool_argument_facts tool_argument(enum tool_argument argument);
/* The texts that an argument can be, with bars between them; NULL: any. */
const char *tool_choices(enum tool_argument argument);

struct tool {
    const char *name, *title;
    const char *description; /* its first paragraph */
    const struct verb *verb; /* that answers; NULL: several do */
    unsigned verb_number;
    bool takes[ARGUMENT_COUNT], needs[ARGUMENT_COUNT];
    char class_option[34];   /* of the verb, for ARGUMENT_CLASS; empty: an operand */
    const char *list;        /* of the answer, that is shown page by page; NULL: none is */
    const char *list_of_one; /* the same with an object, where it is another */
    unsigned page;           /* rows, unless told */
    bool needs_subject;      /* ARGUMENT_OBJECT or ARGUMENT_CLASS */
    bool has_whole_texts;    /* of the answer: a part of a patch is none */
};

enum { TOOL_LARGEST_PAGE = 500 };
/* What a JSON number keeps everywhere. */
#define TOOL_LARGEST_NUMBER (((uint64_t)1 << 53) - 1)

/* False: there is none. */
bool tool_named(struct loupe_span name, struct tool *ret);

/* The members of the result of tools/list; what a version of the protocol does not know yet can be
 * left out. */
void tools_list(struct loupe_json *json, bool with_annotations, bool with_output);
/* "file, class (optional), ...": for messages. */
void tool_name_arguments(const struct tool *tool, char *dst, size_t cap);

#endif
