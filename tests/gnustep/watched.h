/*
 * watched.h - what every GNUstep fixture uses: the place to stop, and the truth check.
 *
 * A fixture builds a heap of Watched objects, stops, gives up its own references, and then compares
 * how many are still alive with how many its picture says must leak.
 */
#ifndef LOUPE_TESTS_GNUSTEP_WATCHED_H
#define LOUPE_TESTS_GNUSTEP_WATCHED_H

#import <Foundation/Foundation.h>

@interface Watched : NSObject
@end

/* Does nothing. A debugger breaks here; the fixture's locals are one frame up. */
void loupe_fixture_ready(void);

/* Prints what is alive; the exit status of main, which may be called again then. */
int watched_verdict(unsigned leaked);

/* So many steps (steps.h) of each object that is alive; a debugger calls it. With LOUPE_FIXTURE_STEPS
 * in the environment the truth check begins with it. */
void fixture_go_on(unsigned steps);

/* How many were alive at the last verdict. */
unsigned watched_leaked(void);

/*
 * Gives the local variable a place in memory that holds its value at the stop, whatever the compiler
 * makes of it.
 */
#define FIXTURE_KEEP(variable) __asm__ volatile("" : : "r"(&(variable)) : "memory")

#endif
