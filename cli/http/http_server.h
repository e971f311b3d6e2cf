/*
 * http_server.h - `loupe serve --http FILE`: a heap in a browser of this machine.
 *
 * It listens at 127.0.0.1 alone. A request is bounded in bytes and in time, so are connections at a
 * time; one is answered after the other. Nothing is written, and nothing but a page without
 * contents is given to who has no cookie (http_gate.h). It ends with its terminal.
 */
#ifndef LOUPE_CLI_HTTP_SERVER_H
#define LOUPE_CLI_HTTP_SERVER_H

#include "http/http_ask.h"

/* port 0: any that is free. The exit status, after a message; at the end of the terminal CLI_OK. */
int http_serve(struct http_asker *asker, unsigned port);

#endif
