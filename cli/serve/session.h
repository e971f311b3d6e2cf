/*
 * session.h - a client and what it asked: one line after the other.
 */
#ifndef LOUPE_SERVE_SESSION_H
#define LOUPE_SERVE_SESSION_H

#include "serve/call.h"
#include "serve/input.h"
#include "serve/message.h"

struct serve_session {
    struct serve_input input;
    struct opened_set opened;
    uint64_t seconds;   /* a question may take, unless told */
    const char *within; /* a folder that files have to be in, as realpath() names it; or NULL */
    unsigned version;   /* number among those that are spoken, oldest first; 0: none agreed upon */
};

/* Answers until the input is over or nobody reads the answers. */
void serve_session_run(struct serve_session *session);

/* ---- tool_call.c ---- */

/* tools/call: an answer, or none when the client takes it back. meanwhile: what to do with other
 * lines. */
void serve_tool_call(struct serve_session *session, const struct serve_message *message,
                     struct opened_meanwhile *meanwhile, struct loupe_arena *arena,
                     struct serve_reply *reply);
/* Whether the version that was agreed upon has a thing. */
bool serve_has_structured_content(const struct serve_session *session);

#endif
