/*
 * disowned.h - assumed references that own nothing, as retain counts tell.
 *
 * Without a record of ownership every ivar with an object in it is a reference that may own it. An
 * object that counts just as many retains as references are known to own it has none left for those
 * that are only assumed to: a delegate that an array keeps is not kept by who calls it as well.
 * Known are the strong references and those that a property says to retain or copy.
 *
 * More references known than retains counted is a contradiction, from which nothing follows; and
 * fewer prove nothing, since local variables, globals and objects that were not walked retain too.
 * So no reference is ever shown to own: only not to.
 */
#ifndef LOUPE_DISOWNED_H
#define LOUPE_DISOWNED_H

#include "graph/describer.h"
#include "cycles/knots.h"

/*
 * Makes the assumed references to members of knots that own nothing LOUPE_DISOWNED and hides them;
 * *count_ret is how many. The knots are those of before, so that they have
 * to be found again if there were any. Looks at nothing when no knot has an assumed reference; else
 * takes three passes over the graph and 4 bytes a node meanwhile.
 */
enum loupe_status loupe_disowned_hide(struct loupe_graph *graph, const struct loupe_knots *knots,
                                      const struct loupe_describer *describer, uint64_t *count_ret);

#endif
