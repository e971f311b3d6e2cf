/*
 * report.h - the whole report about the answer to a question: what a command of LLDB prints, and a
 * verb of the tool about one object.
 *
 * Of retain-cycles, cycles, strong-refs, with --incoming too, ivar-layout, block-layout, history,
 * trees (lldb_commands/reporting/trees.py) and
 * backtraces; of the verbs about a whole heap: diff, find, heap, leaks, path, retained, show,
 * suspects, threads, and cycles of Java; of "allocated", an answer to strong-refs, where its object
 * was allocated.
 */
#ifndef LOUPE_ANSWERS_REPORT_H
#define LOUPE_ANSWERS_REPORT_H

#include "answers/parts/knot_text.h"

struct answer_report {
    struct loupe_span asked; /* what was typed for the object; empty: a bare address */
    uint32_t width;          /* columns of the terminal; 0: no table is too wide */
    uint64_t most;           /* lines of a list that is not cut by its question; 0: all */
    bool shows_known;        /* each leak that libraries are known to make */
    bool is_whole;           /* no value is cut */
    bool with_exchanged;     /* of diff: classes with as many new objects as gone ones, too */
    /* The known mistake of a knot, if it shows one. NULL: nobody knows. */
    struct answer_knot_notes (*notes)(const void *ctx, const struct json_value *knot);
    const void *ctx;
};

/* LOUPE_EUSAGE: there is no report about answers of that kind; LOUPE_ENOMEM; the sink's failure. */
enum loupe_status answer_say_report(struct answer_lines *lines, const struct answer_report *report);

/* Onto the line: its first one, of retain-cycles, without colours. */
void answer_say_headline(struct answer_lines *lines, struct loupe_span asked);
/* Lines behind it: what a file of filters had a part in. */
void answer_say_filters(struct answer_lines *lines);
/* Onto the line: "2 retain cycles (1 leaked) and 4 possible". */
void answer_say_found(struct answer_lines *lines);

#endif
