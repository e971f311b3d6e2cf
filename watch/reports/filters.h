/*
 * filters.h - references that are nobody's mistake, from a file that a project keeps
 * (docs/commands.md):
 *
 *     Router._current -> Screen     # the router lives as long as the app
 */
#ifndef LOUPE_WATCH_FILTERS_H
#define LOUPE_WATCH_FILTERS_H

#include "shared/text_out.h"

#include <stdbool.h>

/* Reads a file as the arguments of a question (loupe_ask_with). False, with *problem (of the given
 * size) set. */
bool watch_filters_read(const char *file, struct watch_text *ret, char *problem, unsigned size);

#endif
