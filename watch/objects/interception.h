/*
 * interception.h - being told when methods are called.
 *
 * A method's implementation is replaced by a thunk of ours that keeps all registers in which
 * arguments come, calls watch_intercepted(), and jumps to what was there before: nothing of it is
 * left on the stack, so any signature works, exceptions pass, and the method may be taken off while
 * it runs. Thunks are code of the library; nothing is generated. Vector registers wider than 128
 * bits are kept on x86-64 where they are in use; arguments of scalable vectors (SVE) are not.
 */
#ifndef LOUPE_WATCH_INTERCEPTION_H
#define LOUPE_WATCH_INTERCEPTION_H

#include "objc.h"

/* The call of a method, before it runs. */
struct watch_call {
    watch_id self;
    watch_sel selector;
    const intptr_t *arguments; /* those behind _cmd that came in registers for whole numbers */
    unsigned argument_count;
    void *tag;
};

/* Whether methods can be intercepted on this machine; else why not. */
const char *watch_interception_problem(void);

/*
 * From now on calls of the method reach watch_method_called(): in the class, in the one that it
 * inherits the method from, and in subclasses of it that have their own. Called again it takes
 * those in that have come since. The tag comes with the calls; it is the same for all classes with
 * that selector. NULL, or why not. A class without the method is no problem: *ret_found tells.
 */
const char *watch_intercept(watch_class cls, watch_sel selector, void *tag, bool *ret_found);

/* The same for -dealloc of a root class, whose calls reach watch_note_death(). */
const char *watch_intercept_deaths(watch_class root, watch_sel dealloc);

/* Puts all implementations back, except where somebody replaced ours in between: there it only
 * passes calls on. */
void watch_intercept_end(void);

/* Of the one who intercepts; on the thread of the call. */
void watch_method_called(const struct watch_call *call);

#endif
