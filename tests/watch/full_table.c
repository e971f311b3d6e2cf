/* A table of expectations that is full says so, and takes more once some are given back. */
#include "check.h"
#include "objects/expectation_table.h"
#include "objects/sensor.h"

#include <string.h>

bool watch_sensor_is_alive(void *const *slot, watch_id object) {
    (void)slot;
    (void)object;
    return true;
}

int main(void) {
    uint32_t first = watch_take_free();
    CHECK(first == 0);
    CHECK(strstr(watch_why_no_room(), "memory"));
    watch_at(first)->parent = WATCH_NONE;
    watch_table.used = WATCH_MOST_CHUNKS * WATCH_PER_CHUNK;
    CHECK(watch_take_free() == WATCH_NONE);
    CHECK(strstr(watch_why_no_room(), "4,194,304 objects are watched"));
    watch_give_back(first);
    CHECK(watch_take_free() == first);
    return 0;
}
