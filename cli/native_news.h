/*
 * native_news.h - which leaks and retain cycles a later snapshot of an Objective-C heap has more of
 * than an earlier one, by fingerprint.
 */
#ifndef LOUPE_CLI_NATIVE_NEWS_H
#define LOUPE_CLI_NATIVE_NEWS_H

#include "base/json.h"
#include "heap_verb.h"

/* Equal leaks, or equal knots. */
struct native_new {
    uint64_t fingerprint, bytes;
    uint64_t before, now; /* how many */
    bool is_cycle;
    char what[160]; /* printable: class of the first one */
};

struct native_news {
    struct native_new *leaks, *knots; /* only those of which there are more, the largest first */
    uint32_t leak_count, knot_count;
};

/* Of query->older and query->snapshot. The exit status; to be given to native_news_deinit(). */
int native_news_find(const struct heap_query *query, struct native_news *ret);
void native_news_deinit(struct native_news *news);
/* For people. The exit status: there may be no memory. */
int native_news_show(const struct heap_query *query, const struct native_news *news);
/* "new_leaks" and "new_knots": fingerprints that the older one has not at all; "more_leaks" and
 * "more_knots": those that it has fewer of. */
void native_news_report(struct loupe_json *json, const struct native_news *news);

#endif
