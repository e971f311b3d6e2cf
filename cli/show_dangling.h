/*
 * show_dangling.h - references to what was freed, in answers to leaks and find.
 */
#ifndef LOUPE_CLI_SHOW_DANGLING_H
#define LOUPE_CLI_SHOW_DANGLING_H

#include "leaks/dangling.h"

/* Nothing where there are none. */
void show_dangling(const struct loupe_snapshot *snapshot,
                   const struct loupe_dangling_groups *groups);

#endif
