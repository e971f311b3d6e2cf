/*
 * dangling.h - references to what was freed, those that are alike together: from the same place in
 * objects of a class, to what had the same class and bears the same mark.
 */
#ifndef LOUPE_LEAKS_DANGLING_H
#define LOUPE_LEAKS_DANGLING_H

#include "base/arena.h"
#include "snapshot/native.h"

struct loupe_dangling_group {
    const struct loupe_dangling *example; /* of the holder that comes first */
    uint32_t count;
};

struct loupe_dangling_groups {
    struct loupe_dangling_group *items; /* those with most references first */
    uint32_t count;
    uint32_t references; /* in all of them */
};

/* Which are asked for. */
struct loupe_dangling_choice {
    const void *ctx;
    bool (*takes)(const void *ctx, const struct loupe_snapshot *snapshot,
                  const struct loupe_dangling *dangling);
};

/* choice NULL: all. Of a heap that is not native there are none. LOUPE_ENOMEM. */
enum loupe_status loupe_dangling_find(const struct loupe_snapshot *snapshot,
                                      const struct loupe_dangling_choice *choice,
                                      struct loupe_arena *arena, struct loupe_dangling_groups *ret);

/* Those that lead to one address. */
enum loupe_status loupe_dangling_find_to(const struct loupe_snapshot *snapshot, uint64_t address,
                                         struct loupe_arena *arena,
                                         struct loupe_dangling_groups *ret);

#endif
