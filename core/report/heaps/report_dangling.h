/*
 * report_dangling.h - references to what was freed, as JSON (docs/protocol.md).
 */
#ifndef LOUPE_REPORT_DANGLING_H
#define LOUPE_REPORT_DANGLING_H

#include "base/json.h"
#include "leaks/dangling.h"

/* "dangling" and "dangling_found", into an object that is open. most 0: all groups. */
void loupe_report_dangling(struct loupe_json *json, const struct loupe_snapshot *snapshot,
                           const struct loupe_dangling_groups *groups, uint32_t most);

#endif
