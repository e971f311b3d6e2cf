/*
 * filter.h - a reference that is known to close rings which are nobody's bug, or to own nothing.
 */
#ifndef LOUPE_FILTER_H
#define LOUPE_FILTER_H

#include <stdbool.h>
#include <stdint.h>

/* NULL stands for any. Classes match instances of subclasses too. */
struct loupe_filter {
    const char *source; /* class */
    const char *path;   /* as labels write it */
    const char *target; /* class */
    const char *reason; /* what a person reads */
    bool owns_nothing;  /* matches assumed references alone, and they become LOUPE_DISOWNED */
    /* Of those: from what an object has back to it, as a view's to its super view. That says
     * nothing of whether somebody still wants the object; a delegate is wanted, whoever retains it.
     */
    bool leads_back;
};

struct loupe_filters {
    const struct loupe_filter *items;
    uint32_t count;
};

#endif
