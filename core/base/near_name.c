/* Near names: by how many letters have to be added, left out, changed, or swapped with the next. */
#include "base/near_name.h"

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

/* Of two that are not too long. Three rows of the table of all their beginnings are enough. */
static unsigned distance_of(struct loupe_span from, struct loupe_span to) {
    unsigned rows[3][LOUPE_NEAR_NAME_LONGEST + 1];
    for (size_t j = 0; j <= to.length; j++)
        rows[0][j] = (unsigned)j;
    for (size_t i = 1; i <= from.length; i++) {
        unsigned *row = rows[i % 3];
        const unsigned *above = rows[(i - 1) % 3], *second = rows[(i + 1) % 3];
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= to.length; j++) {
            bool is_equal = from.bytes[i - 1] == to.bytes[j - 1];
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + !is_equal);
            if (i > 1 && j > 1 && from.bytes[i - 1] == to.bytes[j - 2] &&
                from.bytes[i - 2] == to.bytes[j - 1])
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[from.length % 3][to.length];
}

struct loupe_near_name loupe_near_name_of(struct loupe_span word) {
    return (struct loupe_near_name){.word = word, .distance = (unsigned)(word.length / 3 + 1)};
}

void loupe_near_name_offer(struct loupe_near_name *near, struct loupe_span name) {
    if (near->word.length > LOUPE_NEAR_NAME_LONGEST || name.length > LOUPE_NEAR_NAME_LONGEST)
        return;
    unsigned distance = distance_of(near->word, name);
    if (distance >= near->distance)
        return;
    near->distance = distance;
    loupe_format(near->best, sizeof(near->best), "%.*s", (int)name.length, name.bytes);
}
