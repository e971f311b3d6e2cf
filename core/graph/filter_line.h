/*
 * filter_line.h - a line of a file of filters, as projects keep them:
 *
 *     Router._current -> Screen     # the router lives as long as the app
 *
 * CLASS.PATH -> CLASS, and CLASS[PATH]; parts that match anything are left out, or "*". The reason
 * behind the # has to be there. lldb_commands/reporting/filters.py reads the same lines where
 * nothing is built; tests/unit/graph/filter_lines.txt holds both to one meaning.
 */
#ifndef LOUPE_FILTER_LINE_H
#define LOUPE_FILTER_LINE_H

#include "base/text.h"

/* A part that matches anything is empty. */
struct loupe_filter_line {
    struct loupe_span source, path, target, reason;
};

/*
 * Reads a line, whose bytes stay where they are. Returns what is wrong with it, for people, or
 * NULL; an empty line and one of a comment have no reason then.
 */
const char *loupe_filter_line_read(struct loupe_span line, struct loupe_filter_line *ret);

#endif
