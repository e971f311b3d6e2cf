/* report_unread.h - "unread": which members were not followed, for people and for debug info. */
#ifndef LOUPE_REPORT_UNREAD_H
#define LOUPE_REPORT_UNREAD_H

#include "base/json.h"
#include "edges/unread.h"

/*
 * "unread":[...], in the order in which the members were met; nothing where all was read. NULL:
 * the graph does not come from a walk.
 */
void loupe_report_unread(struct loupe_json *json, const struct loupe_unread *unread);

/* The same, [] as well, of those members alone that list objects now. */
void loupe_report_unread_page(struct loupe_json *json, const struct loupe_unread *unread);

#endif
