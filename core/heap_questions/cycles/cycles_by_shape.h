/*
 * cycles_by_shape.h - the retain cycles of a heap whose objects a collector frees, as an answer:
 * those of one shape are one entry.
 */
#ifndef LOUPE_CYCLES_BY_SHAPE_H
#define LOUPE_CYCLES_BY_SHAPE_H

#include "base/json.h"
#include "cycles/knots/knot_shapes.h"

/* The keys of the answer, into an object that is open. most: entries; 0 is all. */
void loupe_report_cycles_by_shape(struct loupe_json *json, struct loupe_knot_shapes *shapes,
                                  uint32_t most);

#endif
