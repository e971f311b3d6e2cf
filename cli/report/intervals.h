/*
 * intervals.h - within what a share or a median of all lies, by those that were seen: 95 %
 * intervals.
 */
#ifndef LOUPE_REPORT_INTERVALS_H
#define LOUPE_REPORT_INTERVALS_H

#include <stdint.h>

struct interval {
    double low, high;
};

/* Wilson's score interval of `found` in `of` (> 0). */
struct interval interval_of_share(uint32_t found, uint32_t of);
/* Of the median, by the ranks between which it lies; of few values all of them. count 0: none. */
struct interval interval_of_median(const uint64_t *sorted, uint32_t count);

#endif
