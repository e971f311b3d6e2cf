/*
 * dot.h - a picture for Graphviz.
 */
#ifndef LOUPE_PICTURES_DOT_H
#define LOUPE_PICTURES_DOT_H

#include "base/json.h"
#include "pictures/picture.h"

/*
 * A complete file. Each finding is a cluster; solid arrows are known to own, dashed ones assumed
 * to, gray ones come from outside; red is what the best change takes away, if it is enough. No more
 * than 30 objects are drawn, and what is folded or left out is counted, unless all of them are
 * wanted. LOUPE_ENOMEM, or the sink's failure.
 */
enum loupe_status picture_write_dot(const struct picture *picture, bool all,
                                    struct loupe_sink sink);

#endif
