/*
 * http_ask.h - a question that a page posts, as a line of the tool about one file.
 *
 * {"verb":"path","operand":"0x1000","limit":20,"json":false}: only verbs that read, and of their
 * options only those of this list. The answer is the text that the tool prints.
 */
#ifndef LOUPE_CLI_HTTP_ASK_H
#define LOUPE_CLI_HTTP_ASK_H

#include "serve/opened/opened.h"
#include "shared/buffer.h"

struct http_asker {
    struct opened_set opened; /* of one file */
    const char *file;
    uint64_t seconds; /* that a question may take */
};

/* Opens the file, before anybody asks. CLI_OK, or the exit status after a message. */
int http_ask_first(struct http_asker *asker);

/* NULL: the answer in JSON is in the buffer, {"status","output","messages"}. Else why the question
 * is none. */
const char *http_ask(struct http_asker *asker, struct loupe_span question, struct cli_buffer *ret);

#endif
