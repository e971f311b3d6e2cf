/* The table itself: all verbs and all options, in the order of their lists. */
#include "verbs/verb.h"

const struct verb *const verbs[VERB_COUNT] = {
#define VERB(name, kind) &verb_##name,
    LOUPE_VERBS(VERB)
#undef VERB
};

const struct verb_option verb_options[] = {
#define OPTION(field, kind, name, letter, key, value, fallback, terminal, lldb, help)              \
    {name,     letter, key,      VALUE_##kind, value,                                              \
     fallback, help,   terminal, lldb,         offsetof(struct verb_values, field)},
#define ONLY_SAID(kind, name, letter, key, value, fallback, terminal, lldb, help)                  \
    {name, letter, key, VALUE_##kind, value, fallback, help, terminal, lldb, VERB_NO_FIELD},
    LOUPE_OPTIONS(OPTION, ONLY_SAID)
#undef OPTION
#undef ONLY_SAID
        {.name = NULL}};
