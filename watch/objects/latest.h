/*
 * latest.h - objects that calls were about last, one for each rule `spare last`: the system keeps
 * them until the next such call. While one is the latest, neither it nor what is to die with it is
 * overdue.
 */
#ifndef LOUPE_WATCH_LATEST_H
#define LOUPE_WATCH_LATEST_H

#include "objc.h"

enum { WATCH_MOST_LATEST = 64 };

/* place: below WATCH_MOST_LATEST. An object that cannot be watched is not remembered. */
void watch_latest_set(unsigned place, watch_id object);

/* By its hidden address (expectations.h). Sends no message. */
bool watch_is_latest(uintptr_t hidden);

/* In a copy of the process: as watch_hide_sensors(). */
void watch_latest_hide(void);

#endif
