/*
 * mapping.h - a Java or Android heap under the names that its programmers wrote: R8 and ProGuard
 * make them short, and write a mapping file of what was what:
 *
 *     com.shop.Cart -> a.b:
 *         java.util.List items -> a
 *         13:17:void add(com.shop.Item):20:24 -> a
 */
#ifndef LOUPE_MAPPING_H
#define LOUPE_MAPPING_H

#include "snapshot/snapshot.h"

struct loupe_mapped {
    uint32_t classes, fields; /* that have another name now */
    uint32_t ambiguous;       /* fields and methods whose short name stands for several: they keep
                                 it */
};

/*
 * The original stays what it was and has to last as long; the mapping may go. Classes, their
 * fields, and methods of stack frames are renamed, arrays of such classes, too. What the mapping
 * does not have keeps its name. Paths that were stored by rules are left out, for rules go by
 * names. LOUPE_EUSAGE: the text has no class, so that it is no mapping; LOUPE_ENOMEM.
 */
enum loupe_status loupe_snapshot_rename(const struct loupe_snapshot *original,
                                        struct loupe_span mapping,
                                        const struct loupe_chunk_ops *chunks,
                                        struct loupe_snapshot *ret, struct loupe_mapped *mapped);

#endif
