/*
 * report_snapshot.h - the envelope of answers about a whole heap.
 */
#ifndef LOUPE_REPORT_SNAPSHOT_H
#define LOUPE_REPORT_SNAPSHOT_H

#include "base/json.h"
#include "hprof/hprof_summary.h"
#include "snapshot/snapshot.h"

/* Opens the answer to a verb; what the verb has to say is put into the open object. incomplete:
 * also for other reasons than those that the snapshot knows of. */
void loupe_report_snapshot_begin(struct loupe_json *json, const char *verb,
                                 const struct loupe_snapshot *snapshot, bool incomplete);
/* What was not followed, and the end. */
void loupe_report_snapshot_end(struct loupe_json *json, const struct loupe_snapshot *snapshot);
/* The whole answer of a question that was ended before it had one. */
void loupe_report_snapshot_ended(struct loupe_json *json, const char *verb,
                                 const struct loupe_snapshot *snapshot, const char *reason);

/* The same of a heap of which only classes were counted. because: why no more was, or NULL. */
void loupe_report_summary_begin(struct loupe_json *json, const char *verb,
                                const struct loupe_hprof_summary *summary, bool incomplete);
void loupe_report_summary_end(struct loupe_json *json, const struct loupe_hprof_summary *summary,
                              const char *because);

/* Opens an answer that is an error. */
void loupe_report_snapshot_begin_error(struct loupe_json *json, const char *verb,
                                       const struct loupe_error *error);
/* The whole of one, where there is no more to say. */
void loupe_report_snapshot_error(struct loupe_json *json, const char *verb,
                                 const struct loupe_error *error);

#endif
