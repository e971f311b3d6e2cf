/*
 * report_methods.h - the answer to methods: which methods addresses of code belong to.
 */
#ifndef LOUPE_REPORT_METHODS_H
#define LOUPE_REPORT_METHODS_H

#include "base/json.h"
#include "runtime/methods.h"

/* "methods":[...], in the order of the places. */
void loupe_report_methods(struct loupe_json *json, struct loupe_target *target,
                          const struct loupe_code_place *places, uint32_t count);

#endif
