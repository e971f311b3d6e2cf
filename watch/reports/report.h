/*
 * report.h - what is said when an object lives too long, or dies after all, and where it is said.
 */
#ifndef LOUPE_WATCH_REPORT_H
#define LOUPE_WATCH_REPORT_H

#include "objects/expectations.h"
#include "loupe_watch.h"

/* Where to: as loupe_watch_report_to() says. NULL, or why not. */
const char *watch_report_to(const char *where);

void watch_report_to_callback(void (*callback)(const struct loupe_watch_report *report,
                                               void *context),
                              void *context);

/* Each false with *problem (of the given size) set; what was read before stays then. */
bool watch_read_filters(const char *file, char *problem, unsigned size);
bool watch_read_baseline(const char *file, char *problem, unsigned size);

/* One line about the library itself, where reports go: "loupe: ...". */
void watch_tell(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
