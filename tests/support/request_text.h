/*
 * request_text.h - a request as the text that a front end would have sent for it: for tests of the
 * decoder. In the order in which struct loupe_request has its fields; addresses are written in
 * lower case, bytes that are not plain as %XX in upper case, as the commands write them.
 */
#ifndef LOUPE_TESTS_REQUEST_TEXT_H
#define LOUPE_TESTS_REQUEST_TEXT_H

#include "request/request.h"

/* Ended by a NUL; the caller frees it. */
char *request_text(const struct loupe_request *request);

#endif
