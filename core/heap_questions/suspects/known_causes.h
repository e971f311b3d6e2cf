/*
 * known_causes.h - what somebody knows already of causes that are found, as a baseline does.
 */
#ifndef LOUPE_KNOWN_CAUSES_H
#define LOUPE_KNOWN_CAUSES_H

#include "base/text.h"

struct loupe_known_causes {
    void *ctx;
    /* Asked once of each cause that is found: "suspect of", "demo.Main". */
    bool (*knows)(void *ctx, uint64_t fingerprint, const char *what, struct loupe_span name);
};

#endif
