/*
 * tools.h - what a client can call: the verbs about heaps, and what is made of several.
 *
 * To add one: its line in the table of tools.c, and in docs/serve.md. What verbs and options mean
 * is said in verbs/.
 */
#ifndef LOUPE_SERVE_TOOLS_H
#define LOUPE_SERVE_TOOLS_H

#include "base/json.h"
#include "base/text.h"

enum tool_argument {
    ARGUMENT_FILE,
    ARGUMENT_BEFORE,
    ARGUMENT_AFTER,
    ARGUMENT_OBJECT,
    ARGUMENT_SQL,
    ARGUMENT_CLASS,
    ARGUMENT_SUBCLASSES,
    ARGUMENT_SORT,
    ARGUMENT_COUNT_AS,
    ARGUMENT_FINGERPRINT,
    ARGUMENT_MAX_GROWTH,
    ARGUMENT_LIMIT,
    ARGUMENT_CURSOR,
    ARGUMENT_PROGRAM,
    ARGUMENT_SYSROOT,
    ARGUMENT_TIMEOUT,
    ARGUMENT_COUNT
};

enum argument_kind { ARGUMENT_IS_TEXT, ARGUMENT_IS_NUMBER, ARGUMENT_IS_FLAG };

struct tool_argument_facts {
    const char *name;
    const char *description; /* NULL: what the option's help says */
    enum argument_kind kind;
    const char *option; /* of the verb; NULL: it stands in another place, or is not for it */
    bool is_path;
    uint64_t most; /* of a number */
};

extern const struct tool_argument_facts tool_arguments[ARGUMENT_COUNT];

/* The texts that an argument can be, with bars between them; NULL: any. */
const char *tool_choices(enum tool_argument argument);

struct tool {
    const char *name, *title;
    const char *description;  /* NULL: the first paragraph of the verb's help */
    const char *verb;         /* that answers; NULL: several do */
    unsigned takes, needs;    /* sets of 1u << enum tool_argument */
    const char *class_option; /* of the verb, for ARGUMENT_CLASS; NULL: an operand */
    const char *list;         /* of the answer, that is shown page by page */
    const char *list_of_one;  /* the same with an object, where it is another */
    unsigned page;            /* rows, unless told */
    bool needs_subject;       /* ARGUMENT_OBJECT or ARGUMENT_CLASS */
};

enum { TOOL_LARGEST_PAGE = 500 };

/* NULL: there is none. */
const struct tool *tool_named(struct loupe_span name);
static inline bool tool_takes(const struct tool *tool, enum tool_argument argument) {
    return tool->takes >> argument & 1u;
}

/* The members of the result of tools/list; what a version of the protocol does not know yet can be
 * left out. */
void tools_list(struct loupe_json *json, bool with_annotations, bool with_output);
/* "file, class (optional), ...": for messages. */
void tool_name_arguments(const struct tool *tool, char *dst, size_t cap);

#endif
