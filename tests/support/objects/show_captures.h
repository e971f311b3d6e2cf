/*
 * show_captures.h - captures as a short text, so that tests are tables: "S32 R40 D48+4".
 */
#ifndef LOUPE_TESTS_SHOW_CAPTURES_H
#define LOUPE_TESTS_SHOW_CAPTURES_H

#include "blocks/captures.h"

/*
 * A letter (S strong, B block, R byref, W weak, U unretained, D data, ? unknown) and the offset of
 * each capture; for data and unknown also "+" and the size; "!" behind unknown bytes that may own
 * something. Static storage, overwritten by the next call.
 */
const char *show_captures(const struct loupe_captures *captures);

/* Conflicts: offset, what was kept and what was discarded: "40:U(symbol)/S(layout)". */
const char *show_conflicts(const struct loupe_captures *captures);

#endif
