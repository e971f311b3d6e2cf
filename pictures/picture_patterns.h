/*
 * picture_patterns.h - the patterns that come with loupe, in the findings of a picture.
 */
#ifndef LOUPE_PICTURES_PICTURE_PATTERNS_H
#define LOUPE_PICTURES_PICTURE_PATTERNS_H

#include "mistakes/patterns.h"
#include "pictures/picture.h"

/* Those that come with loupe. LOUPE_ENOMEM. */
enum loupe_status patterns_read_shipped(struct loupe_arena *arena, struct loupe_patterns *ret);
/* The same; none when there is no memory. */
struct loupe_patterns patterns_shipped(struct loupe_arena *arena);

/*
 * Notes the patterns in all findings of a picture: the one that the answer names, which was found
 * in the graph. Of answers to which names were added later, such as those of LLDB, it is looked
 * for.
 */
void picture_find_patterns(struct picture *picture, const struct loupe_patterns *patterns);

#endif
