/*
 * report_show.h - one object and all that is in it, as JSON.
 */
#ifndef LOUPE_REPORT_SHOW_H
#define LOUPE_REPORT_SHOW_H

#include "analysis/dominators/dominators.h"
#include "base/json.h"
#include "base/vector.h"
#include "report/report_stacks.h"
#include "snapshot/values/fields.h"
#include "snapshot/rules/trace.h"

struct loupe_shown_object {
    const struct loupe_tracer *tracer;
    const struct loupe_dominators *dominators;
    const struct loupe_vector *referrers; /* of struct loupe_referrer */
    uint64_t other_referrers;
    uint32_t node;
    uint32_t depth; /* how far the fields of objects that fields lead to are shown, from 1 */
    uint64_t limit; /* items, references and referrers that are shown; 0: all */
    struct loupe_shown_stacks *stacks; /* of the answer */
    char *text;                        /* room for the longest value */
    size_t text_cap;                   /* bytes of it */
};

enum { LOUPE_SHOW_MOST_DEPTH = 8, LOUPE_SHOW_MOST_NESTED = 2000 /* objects, of one answer */ };

/* The members of the answer to `show`, into an object that is open. LOUPE_ENOMEM. */
enum loupe_status loupe_report_show(struct loupe_json *json, const struct loupe_shown_object *shown,
                                    const struct loupe_chunk_ops *chunks);

/* "boolean", "int", "object": static storage. */
const char *loupe_value_type_name(uint32_t type);

#endif
