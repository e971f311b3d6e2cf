/*
 * report_ivars.h - the answer to ivar-layout: the ivars of a class and its superclasses, what they
 * own, and, for an object, what stands in them.
 */
#ifndef LOUPE_REPORT_IVARS_H
#define LOUPE_REPORT_IVARS_H

#include "base/json.h"
#include "edges/details/ivar_owners.h"
#include "runtime/object.h"

struct loupe_ivar_report {
    struct loupe_target *target;
    const struct loupe_class *cls;
    loupe_addr object; /* 0: the question was about the class */
    const struct loupe_class *levels[LOUPE_MAX_CLASS_DEPTH]; /* the class first */
    const struct loupe_class_layout *layouts[LOUPE_MAX_CLASS_DEPTH];
    uint32_t level_count;
    struct loupe_ivar_owners owners;
};

/*
 * Of an object: its class, with values; of a class object: that class. All but `owners`, which the
 * caller finds. What cannot be read is added to the target's findings. *err may be NULL.
 */
enum loupe_status loupe_ivar_report_make(struct loupe_target *target,
                                         const struct loupe_object *object,
                                         struct loupe_ivar_report *ret, struct loupe_error *err);

/* Writes "class" and "levels" into the open object. */
void loupe_ivar_report_write(struct loupe_json *json, const struct loupe_ivar_report *report);

#endif
