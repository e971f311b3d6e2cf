/*
 * heap_news.h - which leaks and knots a later snapshot of a heap has more of than an earlier one,
 * by fingerprint.
 */
#ifndef LOUPE_HEAP_NEWS_H
#define LOUPE_HEAP_NEWS_H

#include "base/json.h"
#include "heap_questions/cycles/heap_cycles.h"
#include "heap_questions/heap_question.h"

/* Equal leaks, or equal knots. */
struct loupe_heap_new {
    uint64_t fingerprint, bytes; /* of a knot of Objective-C: objects */
    uint64_t before, now;        /* how many; of Java heaps what is new alone is told */
    bool is_cycle;
    uint32_t number;        /* in the later snapshot: the order where all else is equal */
    struct loupe_span what; /* the class of the first one, as people call it */
};

/* Only those of which there are more. Of Objective-C heaps the largest first; of Java heaps as
 * suspects and cycles have them. */
struct loupe_heap_news {
    struct loupe_heap_new *leaks, *knots;
    uint32_t leak_count, knot_count;
};

/* asked: of both; its snapshot and object are not looked at. All in the arena; names are the later
 * snapshot's. LOUPE_ENOMEM, LOUPE_ETIMEOUT. */
enum loupe_status loupe_native_news_find(struct loupe_heap_news *news,
                                         const struct loupe_heap_cycles_asked *asked,
                                         const struct loupe_snapshot *older,
                                         const struct loupe_snapshot *newer,
                                         struct loupe_arena *arena);
/* Of Java heaps. A collector frees knots by itself, so what leaks is what rules say should be gone
 * and something holds. In the newer question's arena. */
enum loupe_status loupe_java_news_find(struct loupe_heap_news *news,
                                       struct loupe_heap_question *older,
                                       struct loupe_heap_question *newer);

/* "new_leaks" and "new_knots": fingerprints that the older one has not at all; "more_leaks" and
 * "more_knots": those that it has fewer of. */
void loupe_report_heap_news(struct loupe_json *json, const struct loupe_heap_news *news,
                            bool is_native);

#endif
