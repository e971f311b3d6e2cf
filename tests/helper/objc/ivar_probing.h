/*
 * ivar_probing.h - reads what the helper's probe of an object says. Shared by its tests with ARC,
 * without, and in Objective-C++.
 */
#ifndef LOUPE_TESTS_IVAR_PROBING_H
#define LOUPE_TESTS_IVAR_PROBING_H

#include "check.h"
#include "loupe_helper.h"

#include <stdlib.h>

/* The part of an answer that is about one class; static memory, until the next call. */
static const char *level_named(const char *answer, const char *class_name) {
    static char level[1 << 16];
    char start[128];
    snprintf(start, sizeof(start), "{\"class\":\"%s\",\"method\":", class_name);
    const char *at = strstr(answer, start);
    if (!at) {
        printf("    no level %s in %s\n", class_name, answer);
        return "";
    }
    const char *end = strstr(at + 1, "{\"class\":");
    size_t length = end ? (size_t)(end - at) : strlen(at);
    snprintf(level, sizeof(level), "%.*s", (int)length, at);
    return level;
}

static const char *probe_of(const void *object, const char *class_name) {
    return level_named(loupe_dispose_probe(object), class_name);
}

/* "strong", "weak", or "none" for an ivar that stayed silent. */
static const char *ownership_in(const char *level, const char *path) {
    static char ownership[16];
    char start[128];
    snprintf(start, sizeof(start), "{\"path\":\"%s\",", path);
    const char *at = strstr(level, start);
    if (!at)
        return "none";
    sscanf(strstr(at, "\"ownership\":"), "\"ownership\":\"%15[a-z]", ownership);
    return ownership;
}

static bool was_made(const char *level) {
    bool made = strstr(level, "\"skipped\":null") != NULL;
    if (!made)
        printf("    not made: %s\n", level);
    return made;
}

static bool was_skipped(const char *level, const char *reason) {
    char wanted[256];
    snprintf(wanted, sizeof(wanted), "\"skipped\":\"%s", reason);
    bool skipped = strstr(level, wanted) != NULL && strstr(level, "\"ivars\":null") != NULL;
    if (!skipped)
        printf("    not skipped because %s: %s\n", reason, level);
    return skipped;
}

#endif
