/*
 * pulse.h - the turns of the main thread's run loop, whichever it has.
 */
#ifndef LOUPE_STACKS_PULSE_H
#define LOUPE_STACKS_PULSE_H

#include "stalls/stall_clock.h"

/* What the program itself says, on its main thread. */
void loupe_pulse_beat(void);
void loupe_pulse_rest(void);

/*
 * Looks for a loop, if none is known yet, and asks the one that has to be asked for its next turn.
 * On the watching thread, at every tick. May send messages and take locks.
 */
void loupe_pulse_tick(void);

/* The turn, whether a loop is known, whether it rests. */
struct loupe_stall_signs loupe_pulse_signs(void);

#endif
