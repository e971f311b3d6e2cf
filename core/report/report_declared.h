/*
 * report_declared.h - the key "declared": in which line of source a class declares an ivar.
 */
#ifndef LOUPE_REPORT_DECLARED_H
#define LOUPE_REPORT_DECLARED_H

#include "base/json.h"

enum { LOUPE_LONGEST_SOURCE_PATH = 1024 }; /* bytes with its NUL; a longer one is cut */

void loupe_report_declared(struct loupe_json *json, const char *path, uint32_t line);

#endif
