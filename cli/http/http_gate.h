/*
 * http_gate.h - who may ask: programs that run on this machine and know a token that was printed.
 *
 * A browser brings the token, which stands in the fragment of the address, by a POST, and gets a
 * cookie for it. Cookies do not tell ports apart: this one is for a path that nobody else knows, so
 * that a browser does not hand it to another server of this machine.
 */
#ifndef LOUPE_CLI_HTTP_GATE_H
#define LOUPE_CLI_HTTP_GATE_H

#include "http/http_request.h"

enum { HTTP_SECRET_SIZE = 33 /* 128 bits as hex, and a NUL */ };

struct http_gate {
    char token[HTTP_SECRET_SIZE], cookie[HTTP_SECRET_SIZE], path[HTTP_SECRET_SIZE];
    unsigned port, wrong_tokens;
};

/* False: the system has no random numbers. */
bool http_gate_init(struct http_gate *gate, unsigned port);
/* Whether it names this server, by number or as localhost, and is of no other site's page. */
bool http_gate_is_ours(const struct http_gate *gate, const struct http_request *request);
/* After some wrong ones there is no right one any more. */
bool http_gate_takes_token(struct http_gate *gate, struct loupe_span token);
bool http_gate_has_cookie(const struct http_gate *gate, const struct http_request *request);

#endif
