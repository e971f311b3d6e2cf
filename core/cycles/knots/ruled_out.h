/*
 * ruled_out.h - assumed references that own nothing, as retain counts tell.
 *
 * Without a record of ownership every ivar with an object in it is a reference that may own it. An
 * object that counts just as many retains as references are known to own it has none left for those
 * that are only assumed to: a delegate that an array keeps is not kept by who calls it as well.
 * Known are the strong references and those that a property says to retain or copy.
 *
 * More references known than retains counted is a contradiction, from which nothing follows; and
 * fewer prove nothing, since local variables, globals and objects that were not walked retain too.
 * So no reference is ever shown to own: only not to.
 *
 * Where there is some doubt of a reference (describer.h), references of which there is none come
 * first: if those and the known ones are as many as the retains, nothing is left for it. Where one
 * ivar of several objects leads to it, more of them than there are retains left, none of these owns
 * it: code retains what it sets there, or it does not. Of which there is much doubt owns nothing.
 */
#ifndef LOUPE_RULED_OUT_H
#define LOUPE_RULED_OUT_H

#include "graph/describer.h"
#include "cycles/knots/knots.h"

/* How many references were hidden: by retain counts alone; by what -dealloc never touches. */
struct loupe_ruled_out {
    uint64_t by_counts, by_dealloc;
};

/*
 * Makes the assumed references to members of knots that own nothing LOUPE_DISOWNED and hides them;
 * *ret is how many. The knots are those of before, so that they have to be found again if there
 * were any. Looks at nothing when no knot has an assumed reference; else takes three passes over
 * the graph and 8 bytes a node meanwhile, 16 for each ivar and node that there is some doubt of.
 */
enum loupe_status loupe_ruled_out_hide(struct loupe_graph *graph, const struct loupe_knots *knots,
                                       const struct loupe_describer *describer,
                                       struct loupe_ruled_out *ret);

#endif
