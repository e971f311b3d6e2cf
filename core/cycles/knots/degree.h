/*
 * degree.h - how sure it is that something leaks, and how grave that is: decided once, for every
 * output of every host (docs/protocol.md: "degree", "severity").
 */
#ifndef LOUPE_DEGREE_H
#define LOUPE_DEGREE_H

#include "cycles/knots/verdict.h"

enum loupe_degree {
    LOUPE_DEGREE_LOST,     /* nothing alive leads there */
    LOUPE_DEGREE_NO_OWNER, /* what leads there from outside owns nothing, by the retain counts */
    LOUPE_DEGREE_TIMER,    /* a run loop keeps it until its timer is invalidated, nothing else */
    LOUPE_DEGREE_POSSIBLE, /* unowned, if its references own; nobody records whether they do */
    LOUPE_DEGREE_HELD,     /* something outside owns it, too */
    LOUPE_DEGREE_UNKNOWN,  /* the counts do not decide it */
    LOUPE_DEGREE_COUNT
};

/* "lost", "unowned", "timer", ... Static storage. */
const char *loupe_degree_name(enum loupe_degree degree);
/* LOUPE_DEGREE_COUNT: none is called so. */
enum loupe_degree loupe_degree_named(struct loupe_span name);
/* Of a knot by its verdict. certain: no reference of it is only assumed to own. */
enum loupe_degree loupe_degree_of(enum loupe_verdict_kind verdict, bool certain);

/* What a gate lets pass is no error. */
enum loupe_severity {
    LOUPE_SEVERITY_NOTE,
    LOUPE_SEVERITY_WARNING,
    LOUPE_SEVERITY_ERROR,
    LOUPE_SEVERITY_COUNT
};

/* "note", "warning", "error". Static storage. */
const char *loupe_severity_name(enum loupe_severity severity);
/* LOUPE_SEVERITY_COUNT: none is called so. */
enum loupe_severity loupe_severity_named(struct loupe_span name);
/* certain: it is not less sure than the degree says. */
enum loupe_severity loupe_severity_of(enum loupe_degree degree, bool certain);

#endif
