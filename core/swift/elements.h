/* elements.h - words of the storage of collections, in this folder alone. */
#ifndef LOUPE_SWIFT_ELEMENTS_H
#define LOUPE_SWIFT_ELEMENTS_H

#include "swift/lowering.h"
#include "swift/place.h"

/* What the computed slots say of a word. */
void loupe_swift_take_slot(const struct loupe_swift_lowering *lowering, uint64_t offset,
                           struct loupe_swift_place *ret);
/* A word of a collection's storage. False: it is none, or no element is there. */
bool loupe_swift_place_in_storage(struct loupe_swift_lowering *lowering,
                                  const struct loupe_swift_word_place *word,
                                  struct loupe_swift_place *ret);

#endif
