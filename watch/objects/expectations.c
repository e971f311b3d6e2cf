#include "expectations.h"

#include "clock.h"
#include "expectation_table.h"
#include "latest.h"
#include "sensor.h"

/* ---- Expecting ---- */

/* The one that stands for the object; one whose object died makes room for the new object there. */
static uint32_t standing(watch_id object) {
    uint32_t *slot = watch_find_slot(object), number = slot ? *slot : WATCH_NONE;
    if (number == WATCH_NONE || (watch_is_expected(number) && watch_is_alive(watch_at(number))))
        return number;
    watch_forget_address(number);
    return WATCH_NONE;
}

/* A new expectation, not yet to be found; or the number of the one that there is. */
static struct watch_expectation *begin(watch_id object, uint32_t *ret_number) {
    pthread_mutex_lock(&watch_table.lock);
    struct watch_expectation *made = NULL;
    *ret_number = standing(object);
    if (*ret_number == WATCH_NONE && (*ret_number = watch_take_free()) != WATCH_NONE) {
        made = watch_at(*ret_number);
        *made = (struct watch_expectation){
            .hidden = ~(uintptr_t)object, .parent = WATCH_NONE, .state = WATCH_ARMING};
    }
    pthread_mutex_unlock(&watch_table.lock);
    return made;
}

/* One that is to die with another is looked at with it, so that the report about that one counts
 * it: the two are published one after the other, at ticks of their own. */
static watch_time due_with(uint32_t parent, watch_time now, watch_time delay) {
    if (parent == WATCH_NONE)
        return now + delay;
    const struct watch_expectation *above = watch_at(parent);
    if (above->state != WATCH_PENDING && above->state != WATCH_OVERDUE)
        return now + delay;
    return above->due > now ? above->due : now;
}

/* Another thread may have been faster with the same object: the number of the one that counts. */
static uint32_t publish(uint32_t number, watch_time delay, uint32_t parent) {
    struct watch_expectation *expectation = watch_at(number);
    uint32_t other = standing(watch_object_of(expectation));
    if (other != WATCH_NONE || !watch_reserve_slot() ||
        !watch_number_heap_reserve(&watch_table.pending))
        return other;
    expectation->armed = watch_clock_now();
    expectation->due = due_with(parent, expectation->armed, delay);
    expectation->state = WATCH_PENDING;
    if (parent != WATCH_NONE && watch_at(parent)->state != WATCH_FREE) {
        expectation->parent = parent;
        watch_at(parent)->kin++;
    }
    watch_put_by_address(number);
    watch_number_heap_push(&watch_table.pending, number);
    return number;
}

uint32_t watch_expect(watch_id object, watch_time delay, uint16_t reason, uint32_t parent,
                      bool *ret_is_new, const char **problem) {
    uint32_t number, counts_now = WATCH_NONE;
    *ret_is_new = false;
    *problem = watch_why_immortal(object);
    if (*problem)
        return WATCH_NONE;
    struct watch_expectation *made = begin(object, &number);
    if (!made) {
        *problem = number == WATCH_NONE ? watch_why_no_room() : NULL;
        return number;
    }
    made->reason = reason;
    made->cls = ~(uintptr_t)watch_objc()->object_getClass(object);
    *problem = watch_sensor_arm(&made->sensor, object);
    bool is_armed = !*problem;
    pthread_mutex_lock(&watch_table.lock);
    if (is_armed)
        counts_now = publish(number, delay, parent);
    pthread_mutex_unlock(&watch_table.lock);
    if (counts_now == number) {
        *ret_is_new = true;
        watch_clock_wake();
        return number;
    }
    if (is_armed)
        watch_sensor_disarm(&made->sensor);
    pthread_mutex_lock(&watch_table.lock);
    watch_give_back(number);
    pthread_mutex_unlock(&watch_table.lock);
    if (is_armed && counts_now == WATCH_NONE)
        *problem = WATCH_OUT_OF_MEMORY;
    return counts_now;
}

static enum watch_fate fate_of(uint32_t number) {
    switch (watch_at(number)->state) {
    case WATCH_PENDING:
    case WATCH_OVERDUE:
        return watch_is_alive(watch_at(number)) ? WATCH_AWAITED : WATCH_DIED;
    case WATCH_REPORTED:
    case WATCH_SILENT:
    case WATCH_BELOW:
        return watch_at(number)->is_reported || watch_at(number)->state == WATCH_BELOW
                   ? WATCH_LIVES
                   : WATCH_AWAITED;
    default:
        return WATCH_UNKNOWN;
    }
}

enum watch_fate watch_fate_of(const void *object) {
    pthread_mutex_lock(&watch_table.lock);
    uint32_t *slot = watch_find_slot((watch_id)(uintptr_t)object);
    enum watch_fate fate = slot                                                    ? fate_of(*slot)
                           : watch_is_remembered_dead((watch_id)(uintptr_t)object) ? WATCH_DIED
                                                                                   : WATCH_UNKNOWN;
    pthread_mutex_unlock(&watch_table.lock);
    return fate;
}

static void withdraw(uint32_t number) {
    uint8_t *state = &watch_at(number)->state;
    if (*state >= WATCH_PENDING && *state <= WATCH_SILENT)
        *state = *state == WATCH_REPORTED ? WATCH_USED_AGAIN : WATCH_WITHDRAWN;
}

static bool is_below(uint32_t number, uint32_t parent) {
    while (number != WATCH_NONE && number != parent)
        number = watch_at(number)->parent;
    return number == parent;
}

/* With all that was to die with it. */
void watch_withdraw(watch_id object) {
    if (!watch_may_be_expected(object))
        return;
    pthread_mutex_lock(&watch_table.lock);
    uint32_t found = standing(object);
    for (uint32_t number = 0; found != WATCH_NONE && number < watch_table.used; number++) {
        if (watch_at(number)->state != WATCH_FREE && is_below(number, found))
            withdraw(number);
    }
    pthread_mutex_unlock(&watch_table.lock);
}

static void note_death_of(struct watch_expectation *expectation) {
    watch_sensor_note_death(&expectation->sensor);
    if (expectation->state == WATCH_PENDING || expectation->state == WATCH_OVERDUE)
        expectation->died = watch_clock_now();
}

void watch_note_death(watch_id object) {
    if (!watch_may_be_expected(object))
        return;
    pthread_mutex_lock(&watch_table.lock);
    uint32_t *slot = watch_find_slot(object);
    if (slot)
        note_death_of(watch_at(*slot));
    pthread_mutex_unlock(&watch_table.lock);
}

/* ---- All of them ---- */

void watch_hide_sensors(void) {
    for (uint32_t number = 0; number < watch_table.used; number++)
        watch_at(number)->sensor = NULL;
    watch_latest_hide();
}

bool watch_visit_all(void (*visit)(const struct watch_expectation *expectation, uintptr_t object,
                                   bool is_alive, void *context),
                     void *context) {
    if (pthread_mutex_trylock(&watch_table.lock))
        return false;
    for (uint32_t number = 0; number < watch_table.used && !watch_table.ends_all; number++) {
        const struct watch_expectation *expectation = watch_at(number);
        if (expectation->state >= WATCH_PENDING && expectation->state <= WATCH_SILENT)
            visit(expectation, ~expectation->hidden, watch_is_alive(expectation), context);
    }
    pthread_mutex_unlock(&watch_table.lock);
    return true;
}
