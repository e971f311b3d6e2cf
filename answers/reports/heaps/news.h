/*
 * news.h - which leaks and retain cycles there are more of than before, as an answer to diff has
 * them.
 */
#ifndef LOUPE_ANSWERS_NEWS_H
#define LOUPE_ANSWERS_NEWS_H

#include "answers/lines.h"

/* Lines: of "more_leaks" and "more_knots", the largest first. */
void answer_say_news(struct answer_lines *lines);

#endif
