/*
 * removers.h - the method by which a class lets something be taken out of a collection of its own.
 */
#ifndef LOUPE_CLI_FIX_REMOVERS_H
#define LOUPE_CLI_FIX_REMOVERS_H

#include "fix/source/classes.h"

/* "removeObserver" of "- (void)removeObserver:(id)observer { [_observers removeObject:observer];
 * }", which has to be the only such method of the class. False: what is in the way. */
bool fix_find_remover(const struct fix_classes *classes, struct loupe_span ivar,
                      struct loupe_span *ret, struct fix_reason *reason);

#endif
