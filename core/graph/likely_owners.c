/* Which assumed references own nothing. */
#include "graph/likely_owners.h"

const char *loupe_doubt_text(enum loupe_doubt doubt) {
    static const char *const texts[] = {
        [LOUPE_NO_DOUBT] = NULL,
        [LOUPE_SOME_DOUBT] = "the -dealloc of its class never touches it",
        [LOUPE_MUCH_DOUBT] = "the -dealloc of its class never touches it, and it is called like "
                             "what is not retained"};
    return texts[doubt];
}

void loupe_owner_counts_add(struct loupe_owner_counts *counts, bool is_assumed, bool is_shared,
                            enum loupe_doubt doubt) {
    if (is_assumed)
        counts->likely += doubt == LOUPE_NO_DOUBT;
    else
        counts->certain += !is_shared;
}

const char *loupe_owns_nothing_since(const struct loupe_owner_counts *counts,
                                     enum loupe_doubt doubt) {
    if (doubt == LOUPE_MUCH_DOUBT)
        return loupe_doubt_text(doubt);
    if (counts->known != LOUPE_COUNT_KNOWN || counts->retains < counts->certain)
        return NULL;
    uint64_t rest = counts->retains - counts->certain;
    if (!rest && counts->certain)
        return "others are known to own all of its retains";
    return doubt == LOUPE_SOME_DOUBT && rest <= counts->likely + counts->words
               ? loupe_doubt_text(doubt)
               : NULL;
}
