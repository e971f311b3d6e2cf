/*
 * own_stack.h - a stack for a question, so that one can be asked with little stack left: on the
 * small stacks that programs give their threads and signal handlers, and near the end of a large
 * one. A question needs about 40 KB.
 */
#ifndef LOUPE_HELPER_OWN_STACK_H
#define LOUPE_HELPER_OWN_STACK_H

/*
 * Calls run(ctx) on pages of the helper's own, with a page before them that nobody can touch. They
 * are on record (memory/pages.h) and come back with the question's other memory. Without memory,
 * or on a machine that it does not know, it calls run on the stack that there is.
 */
void loupe_run_on_own_stack(void (*run)(void *ctx), void *ctx);

#endif
