/*
 * known.h - what the programs of known mistakes have in common: objects that are counted, and main().
 *
 * Each program is one source: it makes its mistake, uses what it made, says by assertions that it
 * works, and lets go of it. A patch of that source alone has to leave none.
 */
#ifndef LOUPE_TESTS_KNOWN_H
#define LOUPE_TESTS_KNOWN_H

#import <Foundation/Foundation.h>

#include <assert.h>

/* Alive as long as its memory is. */
@interface Counted : NSObject
@end

/* Makes it, uses it, lets it go. */
void known_mistake(void);

#endif
