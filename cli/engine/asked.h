/*
 * asked.h - one question that a debugger has put, which may stay open (core/session.h); the same as
 * plugin/target_session.h.
 */
#ifndef LOUPE_CLI_ENGINE_ASKED_H
#define LOUPE_CLI_ENGINE_ASKED_H

#include "engine/kept_file.h"
#include "piped/piped.h"
#include "shared/buffer.h"
#include "session.h"

struct engine_asked {
    struct loupe_memory memory;
    struct loupe_question question;
    struct loupe_session *session; /* NULL: none is open */
    bool stays_open;
    struct engine_kept_file file;
    char *query, *arguments, *path; /* texts of the question */
};

/* Takes the body of OPEN. NULL, or why it cannot be put: then nothing is open. */
const char *engine_asked_open(struct engine_asked *asked, struct loupe_piped_reader *reader,
                              struct loupe_wire_body *body, struct cli_buffer *answer);

/* Takes the body of ASK or EXTEND. NULL, or why there is no answer. */
const char *engine_asked_more(struct engine_asked *asked, bool extend, struct loupe_wire_body *body,
                              struct cli_buffer *answer);

/* Whether it is to stay open, and there is anything to go on with. */
bool engine_asked_goes_on(const struct engine_asked *asked);
void engine_asked_close(struct engine_asked *asked);

#endif
