/*
 * report_methods.h - the answer to methods: which methods addresses of code belong to, and where
 * the code of one is.
 */
#ifndef LOUPE_REPORT_METHODS_H
#define LOUPE_REPORT_METHODS_H

#include "base/json.h"
#include "runtime/methods.h"

/* "methods":[...], in the order of the places. */
void loupe_report_methods(struct loupe_json *json, struct loupe_target *target,
                          const struct loupe_code_place *places, uint32_t count);

/* Which methods answer to a selector: sent to instances of a class, and to the class itself. */
struct loupe_methods_of_selector {
    const struct loupe_class *cls;
    const char *selector;
    struct loupe_answering_method of_instances, of_itself;
};

/* "named":{...} */
void loupe_report_methods_named(struct loupe_json *json, struct loupe_target *target,
                                const struct loupe_methods_of_selector *found);

#endif
