/*
 * weak_ptr.h - C++: a member that is a std::shared_ptr becomes a std::weak_ptr, which is locked
 * where it is used; a lambda captures a std::weak_ptr, and ends early where what it points to is
 * gone.
 *
 * Both are found by the names of classes alone: the only such member, the only lambda of that
 * function which captures such a variable.
 */
#ifndef LOUPE_CLI_FIX_WEAK_PTR_H
#define LOUPE_CLI_FIX_WEAK_PTR_H

#include "fix/changes/patch.h"

/* Classes as an answer has them, "app::Child (make_shared)"; they can be anything. */
struct fix_shared {
    struct loupe_span owner, held;
};

/* False: what speaks against it. */
bool fix_member_to_weak_ptr(const char *folder, const struct fix_shared *shared,
                            struct loupe_arena *arena, struct fix_change *ret,
                            struct fix_reason *reason);
/* owner: "Screen::listen()::{lambda()#1} (std::function)". */
bool fix_capture_weak_ptr(const char *folder, const struct fix_shared *shared,
                          struct loupe_arena *arena, struct fix_change *ret,
                          struct fix_reason *reason);

#endif
