/*
 * apple_tags.h - values that Apple's Foundation keeps in pointers themselves.
 *
 * Tags and where they stand: objc-internal.h of objc4-951. What the 60 bits beside a tag say is
 * what LLDB's formatters of Foundation take them for (NSString.cpp, Cocoa.cpp, NSIndexPath.cpp of
 * LLVM 22); types of numbers are the canonical ones of CFNumber.c in swift-corelibs-foundation.
 */
#ifndef LOUPE_APPLE_TAGS_H
#define LOUPE_APPLE_TAGS_H

#include "base/tagging.h"
#include "snapshot/values/value_text.h"

enum loupe_apple_tag {
    LOUPE_APPLE_STRING = 2,
    LOUPE_APPLE_NUMBER = 3,
    LOUPE_APPLE_INDEX_PATH = 4,
    LOUPE_APPLE_OBJECT_ID = 5,
    LOUPE_APPLE_DATE = 6,
    LOUPE_APPLE_NO_TAG = 7 /* an address, or a word of another kind */
};

/* One of the above, or a tag whose values are not known. */
unsigned loupe_apple_tag(const struct loupe_tagging *tagging, uint64_t word);

/* The name that programs use for the class of such words; NULL: it is not known. */
const char *loupe_apple_tag_class(unsigned tag);

/* What the word says, a string without its quotes. False: it says nothing that is known. */
bool loupe_put_apple_tagged(const struct loupe_tagging *tagging, uint64_t word,
                            struct loupe_value_text *text);

#endif
