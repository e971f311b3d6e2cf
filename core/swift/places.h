/*
 * places.h - what a word of an object of Swift is, by the layout of its class, or of what a closure
 * captured.
 */
#ifndef LOUPE_SWIFT_PLACES_H
#define LOUPE_SWIFT_PLACES_H

#include "swift/layout.h"
#include "swift/place.h"

/* Where each value is that a closure captured, in turn; how many there are, 0 where that is not
 * known. */
struct loupe_swift_capture {
    uint32_t offset, size;
};
uint32_t loupe_swift_captures_at(struct loupe_swift_lowering *lowering, loupe_addr context,
                                 uint64_t size, struct loupe_swift_capture *ret, uint32_t cap);
void loupe_swift_place_at(struct loupe_swift_lowering *lowering,
                          const struct loupe_swift_word_place *word, struct loupe_swift_place *ret);

#endif
