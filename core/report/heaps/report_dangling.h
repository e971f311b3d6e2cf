/*
 * report_dangling.h - references to what was freed, as JSON (docs/protocol.md).
 */
#ifndef LOUPE_REPORT_DANGLING_H
#define LOUPE_REPORT_DANGLING_H

#include "base/json.h"
#include "leaks/dangling.h"
#include "leaks/memory_owners.h"

/* "dangling" and "dangling_found", of the owners' heap, into an object that is open. most 0: all
 * groups. */
void loupe_report_dangling(struct loupe_json *json, struct loupe_memory_owners *owners,
                           const struct loupe_dangling_groups *groups, uint32_t most);

/* What was freed, where somebody asked about it. */
struct loupe_freed_object {
    struct loupe_span why, was;                 /* as of struct loupe_dangling; was may be empty */
    struct loupe_memory_owners *owners;         /* of the heap that was searched; or NULL, and: */
    const char *why_not_searched;               /* for people */
    const struct loupe_dangling_groups *groups; /* of references to it */
};

/* "freed", "dangling" and "dangling_found", into a refusal that is open. The latter are null where
 * nothing was searched, which "dangling_reason" explains. "weak_references" is there where the heap
 * can have none. */
void loupe_report_freed_object(struct loupe_json *json, const struct loupe_freed_object *object);

#endif
