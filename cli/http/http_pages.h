/*
 * http_pages.h - the files of page/ as texts: the page that everybody gets.
 */
#ifndef LOUPE_CLI_HTTP_PAGES_H
#define LOUPE_CLI_HTTP_PAGES_H

/* Ended by one without a name. */
extern const struct http_page {
    const char *name, *text; /* the path that it is asked for by */
} http_pages[];

#endif
