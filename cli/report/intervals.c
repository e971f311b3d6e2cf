#include "report/intervals.h"

#include <math.h>

static const double z = 1.959963984540054; /* of the normal distribution, for 95 % */

struct interval interval_of_share(uint32_t found, uint32_t of) {
    double n = of, p = found / n, around = 1 + z * z / n;
    double middle = (p + z * z / (2 * n)) / around;
    double half = z * sqrt(p * (1 - p) / n + z * z / (4 * n * n)) / around;
    return (struct interval){middle - half, middle + half};
}

struct interval interval_of_median(const uint64_t *sorted, uint32_t count) {
    if (!count)
        return (struct interval){0, 0};
    double half = z * sqrt((double)count) / 2;
    double low = floor((double)count / 2 - half), high = ceil((double)count / 2 + half);
    uint32_t first = low > 0 ? (uint32_t)low : 0;
    uint32_t last = high < count - 1 ? (uint32_t)high : count - 1;
    return (struct interval){(double)sorted[first], (double)sorted[last]};
}
