/*
 * block_probing.h - what the helper says of one block, in a few words. Shared by the tests of
 * blocks whose extended layout is wrong.
 */
#ifndef LOUPE_TESTS_BLOCK_PROBING_H
#define LOUPE_TESTS_BLOCK_PROBING_H

#include "check.h"
#include "loupe_helper.h"

/* The extended layout as it stands: "0x200", "31 60"; static memory. */
__attribute__((unused)) static const char *layout_of(const void *block) {
    static char encoding[64];
    const char *at = strstr(loupe_block_layout(block), "\"layout\":{\"encoding\":\"");
    encoding[0] = '\0';
    if (at)
        sscanf(at, "\"layout\":{\"encoding\":\"%63[^\"]", encoding);
    return encoding;
}

/* What the probe saw released: "32 strong, 48 byref"; or why it was not made. Static memory. */
static const char *released_by(const void *block) {
    static char text[512];
    const char *answer = loupe_dispose_probe(block);
    const char *reason = strstr(answer, "\"skipped\":\"");
    size_t length = 0;
    text[0] = '\0';
    if (reason) {
        sscanf(reason, "\"skipped\":\"%500[^\"]", text);
        return text;
    }
    for (const char *at = answer; (at = strstr(at, "{\"offset\":")); at++) {
        unsigned offset;
        char kind[16];
        if (sscanf(at, "{\"offset\":%u,\"size\":8,\"kind\":\"%15[a-z]", &offset, kind) == 2)
            length += (size_t)snprintf(text + length, sizeof(text) - length, "%s%u %s",
                                       length ? ", " : "", offset, kind);
    }
    return text;
}

#endif
