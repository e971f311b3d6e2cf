/*
 * tagging.h - how a runtime keeps small values in pointers themselves: what has to be known of one
 * process to read those of its words. A snapshot's file has it as it stands here.
 */
#ifndef LOUPE_TAGGING_H
#define LOUPE_TAGGING_H

#include <stdint.h>

enum loupe_tag_form {
    LOUPE_TAGS_NONE,    /* no words that are values, or they are not understood */
    LOUPE_TAGS_GNUSTEP, /* libobjc2 with gnustep-base */
    LOUPE_TAGS_LOW,     /* Apple's: in bits 0 to 3, macOS on x86_64 */
    LOUPE_TAGS_HIGH,    /* in bits 60 to 63: arm64 before objc4-818, simulators on x86_64 */
    LOUPE_TAGS_SPLIT,   /* bit 63 says that there is one, bits 0 to 2 which: arm64 */
    LOUPE_TAG_FORM_COUNT
};

enum { LOUPE_BASIC_TAGS = 8 };

struct loupe_tagging {
    uint64_t obfuscator;                   /* each word is exclusive-or this */
    uint8_t permutation[LOUPE_BASIC_TAGS]; /* of LOUPE_TAGS_SPLIT: by tag, what stands for it */
    uint32_t form;
    uint32_t reserved;
};

#endif
