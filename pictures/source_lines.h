/*
 * source_lines.h - the lines of source around the places of blocks, where the file is there.
 */
#ifndef LOUPE_PICTURES_SOURCE_LINES_H
#define LOUPE_PICTURES_SOURCE_LINES_H

#include "pictures/picture.h"

/*
 * Adds them to the picture, for every place of a block in it. Names of files come from the target's
 * debug information: only plain files whose names end as those of sources are read, of at most
 * 1 MB. A file that cannot be read or is shorter than said is passed over. LOUPE_ENOMEM.
 */
enum loupe_status picture_read_lines(struct picture *picture);

#endif
