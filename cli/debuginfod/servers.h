/*
 * servers.h - which servers DEBUGINFOD_URLS names: their addresses with spaces between.
 *
 * What is asked of them says which programs somebody has, and what they send is read as a program:
 * so it has to be https, but from this machine itself.
 */
#ifndef LOUPE_CLI_SERVERS_H
#define LOUPE_CLI_SERVERS_H

#include "base/text.h"

#include <stdbool.h>

enum { MOST_SERVERS = 16, LONGEST_SERVER = 512 };

struct servers {
    struct server {
        char address[LONGEST_SERVER]; /* without a slash at its end */
        bool is_this_machine;
        bool is_given_up; /* it did not answer, and is not asked again */
    } list[MOST_SERVERS];
    unsigned count;
};

/* NULL, or why not all of the text are servers that may be asked; *word_ret is the word that this
 * is about, empty where it is about none. */
const char *servers_read(struct servers *servers, const char *text, struct loupe_span *word_ret);

#endif
