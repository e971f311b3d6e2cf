/*
 * hprof_write.h - writes the snapshot of an Objective-C heap as the heap dump of a Java virtual
 * machine, so that tools for those (Eclipse MAT, VisualVM, Android Studio) open it.
 *
 * What becomes of what (docs/exports.md says it for people):
 *   object, block, byref   an instance; ivars and captures are fields by name, strong and assumed
 *                          ones references, weak and unowned ones numbers; words that lead
 *                          somewhere and that nothing describes are references named +24
 *   elements, values       an array behind the field (elements)
 *   raw memory, storage    an array of references, as many as it has words, nil where it has none
 *   class object           a class; associated objects and the like are its static fields
 *   retain count, size     fields (retain count) and (size) of every instance
 *   roots                  by their nature: globals are JNI globals, words on stacks Java frames
 * A class above all others, loupe.Object, declares the fields in brackets. Objects have the ids
 * that are their addresses; what the program does not have (threads, arrays of elements) has odd
 * ones. In front of all that stands what Java has no words for: hprof_own.h.
 */
#ifndef LOUPE_HPROF_WRITE_H
#define LOUPE_HPROF_WRITE_H

#include "base/json.h"
#include "snapshot/native.h"

/* The class that every class of such a dump inherits from, and its fields: how readers know one. */
#define LOUPE_HPROF_TOP_CLASS     "loupe.Object"
#define LOUPE_HPROF_RETAINS_FIELD "(retain count)"
#define LOUPE_HPROF_SIZE_FIELD    "(size)"
#define LOUPE_HPROF_ARRAY_FIELD   "(elements)"

/*
 * snapshot->native is there. Some 40 bytes a class and field, 8 for each field of the largest
 * instance, and what loupe_file_write() needs. LOUPE_ENOMEM, LOUPE_ETIMEOUT, or the sink's failure.
 */
enum loupe_status loupe_hprof_write(const struct loupe_snapshot *snapshot,
                                    const struct loupe_chunk_ops *chunks, struct loupe_sink sink);

#endif
