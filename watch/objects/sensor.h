/*
 * sensor.h - what tells that one object has died.
 *
 * With weak references it is one of the runtime's own, in memory of ours: Apple's writes nil into
 * it, libobjc2's into a box that it leads to. GCC's runtime has none. There the -dealloc of the
 * root class is intercepted, which tells the exact moment; an object that ends on another way is
 * not noticed by that, but by its isa, and by the allocator's view when it would be reported. That
 * is weaker: memory that was given to a new object of the same class in between looks like the old
 * one.
 */
#ifndef LOUPE_WATCH_SENSOR_H
#define LOUPE_WATCH_SENSOR_H

#include "objc.h"

/*
 * Arms the sensor in *slot, whose address must not change until it is disarmed. NULL, or why the
 * object cannot be watched. On a thread of the program that runs normally, with the object alive.
 */
const char *watch_sensor_arm(void **slot, watch_id object);

/* Whether the object lives, as far as the sensor can tell. Any thread; takes no lock. */
bool watch_sensor_is_alive(void *const *slot, watch_id object);

/* Ends it; the object may be dead. */
void watch_sensor_disarm(void **slot);

/* Called by the one who learns that an object dies: what the sensor cannot tell by itself. */
void watch_sensor_note_death(void **slot);

/* A word for lists: "weak reference" or "dealloc and isa". */
const char *watch_sensor_name(void);

#endif
