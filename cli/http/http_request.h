/*
 * http_request.h - one request of HTTP/1.1, of any bytes: as much of the protocol as browsers need
 * to ask for a page and to post a question, and nothing else. A connection has one request.
 */
#ifndef LOUPE_CLI_HTTP_REQUEST_H
#define LOUPE_CLI_HTTP_REQUEST_H

#include "base/text.h"

enum { HTTP_LARGEST_HEAD = 8 << 10, HTTP_LARGEST_BODY = 64 << 10 };
enum { HTTP_LARGEST_REQUEST = HTTP_LARGEST_HEAD + HTTP_LARGEST_BODY };

enum http_state {
    HTTP_MORE, /* bytes are to come */
    HTTP_WHOLE,
    HTTP_BAD,
    HTTP_TOO_LARGE
};

/* Parts of the bytes; a field that is not there is empty. */
struct http_request {
    struct loupe_span method, path, body;
    struct loupe_span host, origin, fetch_site, cookie;
};

enum http_state http_read_request(const char *bytes, size_t length, struct http_request *ret);

#endif
