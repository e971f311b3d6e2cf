/*
 * older_leaks.h - a baseline of what leaked before, but for what leaks more since.
 */
#ifndef LOUPE_TESTING_OLDER_LEAKS_H
#define LOUPE_TESTING_OLDER_LEAKS_H

#include <stdbool.h>

/*
 * Takes the lines out of a baseline whose fingerprint the news have. A leak may have several lines,
 * which say the same of it; the news have one of its fingerprints. False: it was not written.
 */
bool loupe_leave_out(const char *baseline, const char *news);

#endif
