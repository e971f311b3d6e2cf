/* Which of many objects of one class are looked at, where all of them should have died. */
#include "reports/repeated.h"
#include "check.h"

static char one[] = "0123456789abcdef", other[] = "fedcba9876543210";

/* How many of so many more are looked at. */
static unsigned looked_at(struct watch_repeated *entry, unsigned count) {
    unsigned looked = 0;
    for (unsigned i = 0; i < count; i++) {
        if (watch_repeated_is_enough(entry)) {
            entry->reported++;
        } else {
            watch_repeated_add(entry, one, "Screen");
            looked++;
        }
    }
    return looked;
}

int main(void) {
    struct watch_repeated *entry = watch_repeated_find(1, 2);
    CHECK(looked_at(entry, 32) == 32);
    CHECK(looked_at(entry, 31) == 0);
    CHECK(looked_at(entry, 1) == 1); /* the 64th */
    CHECK(looked_at(entry, 250000 - 64) == 11);
    CHECK(watch_repeated_find(1, 2)->reported == 250000);
    CHECK(watch_repeated_find(1, 3)->reported == 0);
    CHECK(watch_repeated_find(2, 2)->reported == 0);

    entry = watch_repeated_find(1, 2);
    watch_repeated_add(entry, other, "Screen");
    CHECK(looked_at(entry, 100) == 100);

    entry = watch_repeated_find(3, 3); /* what it was is not known */
    watch_repeated_add(entry, "", "Screen");
    CHECK(looked_at(entry, 100) == 100);
    return 0;
}
