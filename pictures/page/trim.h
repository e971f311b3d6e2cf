/*
 * trim.h - a finding that is too large for a page, with fewer references.
 */
#ifndef LOUPE_PICTURES_TRIM_H
#define LOUPE_PICTURES_TRIM_H

#include "pictures/picture.h"

enum { PICTURE_LEAST_ARROWS = 24 };

/*
 * A finding with about `most` references, at least PICTURE_LEAST_ARROWS. Of a ring the middle is
 * left out, as answers leave it out; of rings and holders the last ones. What changes cut stays.
 * Things are the picture's. LOUPE_ENOMEM.
 */
enum loupe_status picture_trim(const struct picture *picture, const struct picture_finding *finding,
                               uint32_t most, struct picture_finding *ret);

#endif
