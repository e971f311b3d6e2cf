/*
 * reply.h - where an answer's text stands until the next call.
 */
#ifndef LOUPE_HELPER_REPLY_H
#define LOUPE_HELPER_REPLY_H

#include "base/json.h"

/* Gives the last answer's memory back. */
void loupe_reply_clear(void);
/* Appends to the answer; LOUPE_ENOMEM when it cannot grow. */
struct loupe_sink loupe_reply_sink(void);
/* The answer, NUL-ended; NULL while it is empty. */
const char *loupe_reply_text(void);

#endif
