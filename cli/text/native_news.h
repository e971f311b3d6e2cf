/*
 * native_news.h - which leaks and retain cycles a later snapshot of an Objective-C heap has more of
 * than an earlier one, for people.
 */
#ifndef LOUPE_CLI_NATIVE_NEWS_H
#define LOUPE_CLI_NATIVE_NEWS_H

#include "heap_questions/heap_news.h"
#include "heaps/heap_verb.h"

/* The exit status: there may be no memory. */
int native_news_show(const struct heap_query *query, const struct loupe_heap_news *news);

#endif
