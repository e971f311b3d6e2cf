/*
 * causes.h - all that should be gone from a heap and is not, and who keeps most of it: the question
 * of `loupe suspects`.
 */
#ifndef LOUPE_CAUSES_H
#define LOUPE_CAUSES_H

#include "heap_questions/suspects/leaked_suspects.h"
#include "heap_questions/suspects/share_suspects.h"

struct loupe_causes_asked {
    uint32_t percent;                            /* of what is alive: an owner of so much is told */
    const struct loupe_heap_cycles_asked *rings; /* how leaked ones are asked for theirs */
    const struct loupe_heap_names *names;
    const struct loupe_known_causes *known;
    const struct loupe_patterns *mistakes;
};

struct loupe_causes {
    struct loupe_held_suspects held;
    struct loupe_leaked_suspects leaked;
    struct loupe_share_suspects owners;
    struct loupe_own_cycle_asked own; /* how a suspect is asked for its retain cycle */
    uint32_t hidden;                  /* known already: groups of all three */
};

/* In the question's arena. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_causes_find(struct loupe_causes *causes,
                                    struct loupe_heap_question *question,
                                    const struct loupe_causes_asked *asked);

/* The keys of the answer, into an object that is open; of each kind of groups those that fit.
 * most: 0 is all. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_report_causes(struct loupe_json *json, const struct loupe_causes *causes,
                                      uint32_t most);

#endif
