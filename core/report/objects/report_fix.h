/*
 * report_fix.h - a fix of a knot, as answers write it.
 */
#ifndef LOUPE_REPORT_FIX_H
#define LOUPE_REPORT_FIX_H

#include "report/advice.h"
#include "report/objects/report_cycles.h"

/* Who decides what the fixes of a knot mean in the source. */
struct loupe_adviser loupe_report_adviser(const struct loupe_cycles_answer *answer,
                                          const struct loupe_knot_facts *knot);

/* One of its fixes, as a value. */
void loupe_report_fix(struct loupe_json *json, const struct loupe_cycles_answer *answer,
                      const struct loupe_knot_facts *knot, uint32_t number);

#endif
