/*
 * properties.h - a declaration of a property, as tokens, and the ivar that it has.
 */
#ifndef LOUPE_CLI_FIX_PROPERTIES_H
#define LOUPE_CLI_FIX_PROPERTIES_H

#include "fix/source/classes.h"

enum fix_owning {
    FIX_SAYS_NOTHING,
    FIX_RETAINS, /* strong, retain */
    FIX_COPIES,
    FIX_ASSIGNS, /* assign, unsafe_unretained */
    FIX_WEAK
};

/* Tokens: "@property", the brackets of its attributes (both 0: none), its type, the ";". */
struct fix_property {
    uint32_t at, open, close, type, end;
    enum fix_owning owning;
    uint32_t ownership;  /* the token that says it; 0: none */
    bool is_never_nil;   /* nonnull, null_resettable */
    const char *problem; /* why its attributes are not understood; NULL: they are */
};

/* at: "@property"; end: of the class. False: it has no end. */
bool fix_read_property(const struct fix_source *source, uint32_t at, uint32_t end,
                       struct fix_property *ret);

/* By @synthesize and @dynamic of the class, else by the name that a compiler gives. */
bool fix_property_has_ivar(const struct fix_classes *classes, struct loupe_span property,
                           struct loupe_span ivar);

/* ---- Between two tokens ---- */

/* The first that is such a text; to: none is. */
uint32_t fix_find_token(const struct fix_source *source, uint32_t from, uint32_t to,
                        const char *text);

/* Whether one of them is in an #if. */
bool fix_is_conditional(const struct fix_source *source, uint32_t from, uint32_t to);

#endif
