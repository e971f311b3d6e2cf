/* Degrees of leaks, and how grave they are. */
#include "cycles/knots/degree.h"

static const char *const degrees[LOUPE_DEGREE_COUNT] = {
    [LOUPE_DEGREE_LOST] = "lost",   [LOUPE_DEGREE_NO_OWNER] = "unowned",
    [LOUPE_DEGREE_TIMER] = "timer", [LOUPE_DEGREE_POSSIBLE] = "possible",
    [LOUPE_DEGREE_HELD] = "held",   [LOUPE_DEGREE_UNKNOWN] = "unknown"};

const char *loupe_degree_name(enum loupe_degree degree) {
    return degrees[degree];
}

enum loupe_degree loupe_degree_named(struct loupe_span name) {
    unsigned i = 0;
    while (i < LOUPE_DEGREE_COUNT && !loupe_span_equals(name, degrees[i]))
        i++;
    return (enum loupe_degree)i;
}

enum loupe_degree loupe_degree_of(enum loupe_verdict_kind verdict, bool certain) {
    if (verdict == LOUPE_HELD)
        return LOUPE_DEGREE_HELD;
    if (verdict == LOUPE_UNCLEAR)
        return LOUPE_DEGREE_UNKNOWN;
    return certain ? LOUPE_DEGREE_NO_OWNER : LOUPE_DEGREE_POSSIBLE;
}

static const char *const severities[LOUPE_SEVERITY_COUNT] = {[LOUPE_SEVERITY_NOTE] = "note",
                                                             [LOUPE_SEVERITY_WARNING] = "warning",
                                                             [LOUPE_SEVERITY_ERROR] = "error"};

const char *loupe_severity_name(enum loupe_severity severity) {
    return severities[severity];
}

enum loupe_severity loupe_severity_named(struct loupe_span name) {
    unsigned i = 0;
    while (i < LOUPE_SEVERITY_COUNT && !loupe_span_equals(name, severities[i]))
        i++;
    return (enum loupe_severity)i;
}

enum loupe_severity loupe_severity_of(enum loupe_degree degree, bool certain) {
    bool is_leak = degree == LOUPE_DEGREE_LOST || degree == LOUPE_DEGREE_NO_OWNER;
    return is_leak && certain ? LOUPE_SEVERITY_ERROR : LOUPE_SEVERITY_WARNING;
}
