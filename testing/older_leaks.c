#include "older_leaks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINGERPRINT = 16 };

/* Ended by a NUL; NULL: none. */
static char *read_whole(FILE *file) {
    long size = !fseek(file, 0, SEEK_END) ? ftell(file) : 0;
    char *text = size > 0 ? calloc((size_t)size + 1, 1) : NULL;
    rewind(file);
    if (text && fread(text, 1, (size_t)size, file) != (size_t)size) {
        free(text);
        text = NULL;
    }
    return text;
}

/* The length of the line, its end included. */
static size_t length_of(const char *line) {
    const char *end = strchr(line, '\n');
    return end ? (size_t)(end - line) + 1 : strlen(line);
}

static bool is_told(const char *line, const char *news) {
    char fingerprint[FINGERPRINT + 1] = "";
    if (length_of(line) <= FINGERPRINT || *line == '#')
        return false;
    memcpy(fingerprint, line, FINGERPRINT);
    return strstr(news, fingerprint) != NULL;
}

/* Whether both say the same behind the fingerprint. */
static bool are_alike(const char *line, const char *other) {
    size_t length = length_of(line);
    return length > FINGERPRINT && length == length_of(other) &&
           memcmp(line + FINGERPRINT, other + FINGERPRINT, length - FINGERPRINT) == 0;
}

static bool is_left_out(const char *line, const char *all, const char *news) {
    bool is_it = is_told(line, news);
    for (const char *at = all; *at && !is_it; at += length_of(at))
        is_it = are_alike(line, at) && is_told(at, news);
    return is_it;
}

bool loupe_leave_out(const char *baseline, const char *news) {
    FILE *file = fopen(baseline, "re");
    char *text = file ? read_whole(file) : NULL;
    if (file)
        fclose(file);
    file = text ? fopen(baseline, "we") : NULL;
    for (const char *at = text; file && *at; at += length_of(at)) {
        if (!is_left_out(at, text, news))
            fwrite(at, 1, length_of(at), file);
    }
    free(text);
    return file && !fclose(file);
}
