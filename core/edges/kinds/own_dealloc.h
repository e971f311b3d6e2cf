/*
 * own_dealloc.h - what the -dealloc of a class tells of an ivar that the class declares.
 *
 * In code that retains by hand, an ivar that its class's own -dealloc never touches is seldom
 * owned: who retains also releases. That it is touched tells little, since setting it to nil and
 * asking it to forget its delegate touch it, too. So this speaks against an assumed reference,
 * never for one, and not for certain: -dealloc of a class that leaks forgets an ivar that it owns.
 * Names tell more: delegates, owners, parents, controllers, managers and targets are most often not
 * retained.
 *
 * -dealloc is read (code/reading.h), and each method of the same class whose selector it names,
 * since self may be who gets the message, the setter of the ivar among them. What a superclass does
 * in turn is not. Where anything is not known nothing is told.
 */
#ifndef LOUPE_OWN_DEALLOC_H
#define LOUPE_OWN_DEALLOC_H

#include "edges/edges.h"

enum loupe_dealloc_says {
    LOUPE_DEALLOC_SAYS_NOTHING,  /* it touches the ivar, or may; or there is none */
    LOUPE_DEALLOC_NEVER_TOUCHES, /* the ivar */
    LOUPE_DEALLOC_AND_NAME_SPEAK /* it never touches it, and its name is that of one not owned */
};

/*
 * Of the ivar at an offset of the instances of a class, inherited ones too. Looked up once for all
 * ivars of the class that declares it, and kept in the walk. Without memory nothing is told.
 */
enum loupe_dealloc_says loupe_own_dealloc_says(struct loupe_walk *walk,
                                               const struct loupe_class *cls, uint32_t offset);

#endif
