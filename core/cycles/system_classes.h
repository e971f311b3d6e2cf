/*
 * system_classes.h - which classes come with the system, as far as their names tell.
 */
#ifndef LOUPE_SYSTEM_CLASSES_H
#define LOUPE_SYSTEM_CLASSES_H

#include "base/text.h"

/* "NSTimer", "__NSArrayM", "GSMutableArray", but not the programs' own names with three letters;
 * "Swift._ContiguousArrayStorage<any>", "closure context". */
bool loupe_is_class_of_foundation(struct loupe_span name);
/* "UIView" too, but not "UIDGenerator", which may be anybody's. */
bool loupe_is_class_of_system(struct loupe_span name);
/* Foundation's, and what GNUstep's consists of: it retains what its actions are about. */
bool loupe_is_undo_manager(struct loupe_span name);
bool loupe_is_part_of_undo_manager(struct loupe_span name);
/* Of C++: what captures, a lambda or what std::bind makes, by itself or in something else. */
bool loupe_is_class_of_closure(struct loupe_span name);
/* Memory that is no object: "(raw memory)", or known by its shape alone. */
bool loupe_is_class_of_memory(struct loupe_span name);

#endif
