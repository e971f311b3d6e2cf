#include "latest.h"

#include "sensor.h"

#include <pthread.h>
#include <stdlib.h>

struct latest {
    void *sensor;
    uintptr_t hidden;
};

static struct latest *places[WATCH_MOST_LATEST];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Sensors are armed and disarmed without the lock: the runtime may send messages then. */
void watch_latest_set(unsigned place, watch_id object) {
    struct latest *latest = calloc(1, sizeof(*latest)), *before;
    if (!latest || watch_why_immortal(object) || watch_sensor_arm(&latest->sensor, object)) {
        free(latest);
        return;
    }
    latest->hidden = ~(uintptr_t)object;
    pthread_mutex_lock(&lock);
    before = places[place];
    places[place] = latest;
    pthread_mutex_unlock(&lock);
    if (before)
        watch_sensor_disarm(&before->sensor);
    free(before);
}

bool watch_is_latest(uintptr_t hidden) {
    bool is_found = false;
    pthread_mutex_lock(&lock);
    /* Cap: all of a table; more rules are refused. */
    for (unsigned i = 0; i < WATCH_MOST_LATEST && !is_found; i++)
        is_found = places[i] && places[i]->hidden == hidden &&
                   watch_sensor_is_alive(&places[i]->sensor, (watch_id)~hidden);
    pthread_mutex_unlock(&lock);
    return is_found;
}

void watch_latest_hide(void) {
    /* Cap: all of a table; more rules are refused. */
    for (unsigned i = 0; i < WATCH_MOST_LATEST; i++) {
        if (places[i])
            places[i]->sensor = NULL;
    }
}
