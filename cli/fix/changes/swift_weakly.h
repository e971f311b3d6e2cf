/*
 * swift_weakly.h - Swift: a property that becomes a weak var; a closure that captures self weakly,
 * and ends early where that is gone.
 *
 * The class has to be declared once below the folder, and the property or the closure that is put
 * into it to be there once.
 */
#ifndef LOUPE_CLI_FIX_SWIFT_WEAKLY_H
#define LOUPE_CLI_FIX_SWIFT_WEAKLY_H

#include "fix/changes/patch.h"

/* Names as an answer has them, "App.Cache<Swift.Int>"; they can be anything. */
struct fix_swift_property {
    struct loupe_span class_name, name;
    struct loupe_span held; /* the class of what it has */
    struct loupe_span file; /* of a closure, where its line is known */
    uint64_t line;          /* 0: it is not */
    bool is_self;           /* what is captured is called so */
};

/* False: what speaks against it. */
bool fix_swift_weak_var(const char *folder, const struct fix_swift_property *property,
                        struct loupe_arena *arena, struct fix_change *ret,
                        struct fix_reason *reason);
bool fix_swift_weak_self(const char *folder, const struct fix_swift_property *property,
                         struct loupe_arena *arena, struct fix_change *ret,
                         struct fix_reason *reason);

#endif
