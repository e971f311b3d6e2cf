/*
 * json.h - the one writer of JSON.
 *
 * Writes through a small buffer to a sink; commas are its own business. Strings may hold any bytes:
 * what is not printable ASCII is escaped by its code point, and a byte that is not UTF-8 as \u00XX,
 * XX being the byte. So the output is always ASCII and on one line, whatever a reader takes for the
 * end of a line, and rules no terminal. The first failure of the sink sticks, later calls do
 * nothing, and loupe_json_finish() returns it.
 */
#ifndef LOUPE_JSON_H
#define LOUPE_JSON_H

#include "base/status.h"
#include "base/text.h"

/* Where text goes. write() gets len > 0 bytes and returns LOUPE_OK or why it could not take them.
 */
struct loupe_sink {
    enum loupe_status (*write)(void *ctx, const char *bytes, size_t len);
    void *ctx;
};

struct loupe_json {
    struct loupe_sink sink;
    enum loupe_status status;
    bool comma; /* the next value or key needs one before it */
    size_t used;
    char buffer[1024];
};

void loupe_json_init(struct loupe_json *json, struct loupe_sink sink);
/* Hands the rest to the sink and returns the first failure. */
enum loupe_status loupe_json_finish(struct loupe_json *json);

void loupe_json_begin_object(struct loupe_json *json);
void loupe_json_end_object(struct loupe_json *json);
void loupe_json_begin_array(struct loupe_json *json);
void loupe_json_end_array(struct loupe_json *json);

/* Before each value inside an object. name is plain ASCII of ours. */
void loupe_json_key(struct loupe_json *json, const char *name);
/* The same for a name from anywhere. */
void loupe_json_key_span(struct loupe_json *json, struct loupe_span name);

void loupe_json_span(struct loupe_json *json, struct loupe_span text);
void loupe_json_string(struct loupe_json *json, const char *text); /* NULL writes null */
/* The bytes in hex, as one string: "3f 30 40". */
void loupe_json_bytes(struct loupe_json *json, struct loupe_span bytes);
void loupe_json_uint(struct loupe_json *json, uint64_t value);
void loupe_json_int(struct loupe_json *json, int64_t value);
void loupe_json_bool(struct loupe_json *json, bool value);
void loupe_json_null(struct loupe_json *json);
/* A whole value that is JSON already: what this writer wrote, or a number as a reader found it. */
void loupe_json_value(struct loupe_json *json, struct loupe_span value);
void loupe_json_address(struct loupe_json *json, loupe_addr address); /* "0x1f00" */

/* A member of the open object: its key, and its value as above. */
void loupe_json_put_string(struct loupe_json *json, const char *name, const char *text);
void loupe_json_put_text(struct loupe_json *json, const char *name,
                         struct loupe_span text); /* empty writes null */
void loupe_json_put_uint(struct loupe_json *json, const char *name, uint64_t value);
void loupe_json_put_bool(struct loupe_json *json, const char *name, bool value);
void loupe_json_put_address(struct loupe_json *json, const char *name, loupe_addr address);

#endif
