/*
 * counters.h - what LLVM counts of code that is compiled to be counted, kept beyond the process.
 *
 * Such an image has its counters in a segment of their own (../product.cmake). With
 * BOX_COVERAGE=DIR in the environment a file of that folder is mapped there, one for all processes
 * and their copies: nobody has to write anything when a process ends, whichever way it does.
 * ../coverage.py reads them.
 */
#ifndef LOUPE_BOX_COUNTERS_H
#define LOUPE_BOX_COUNTERS_H

#include "image.h"

/* For a segment that is mapped already, and holds nothing but zeros. */
void box_counters_share(const struct box_image *image, const struct macho_segment *segment);

#endif
