/*
 * message.h - JSON-RPC 2.0: what a line asks for, and the lines that answer it.
 */
#ifndef LOUPE_SERVE_MESSAGE_H
#define LOUPE_SERVE_MESSAGE_H

#include "base/json.h"
#include "answers/json_tree.h"

enum serve_error {
    SERVE_PARSE_ERROR = -32700,
    SERVE_INVALID_REQUEST = -32600,
    SERVE_NO_METHOD = -32601,
    SERVE_INVALID_PARAMS = -32602,
    SERVE_INTERNAL_ERROR = -32603
};

enum serve_message_kind {
    SERVE_REQUEST,
    SERVE_NOTIFICATION,
    SERVE_RESPONSE, /* to nothing: this side asks nothing */
    SERVE_NONSENSE
};

struct serve_message {
    enum serve_message_kind kind;
    const struct json_value *id; /* of nonsense too, where it has one that can be told */
    struct loupe_span method;
    const struct json_value *params; /* an object, or nothing */
    const char *problem;             /* of nonsense */
};

struct serve_message serve_message_of(const struct json_value *value);
/* Whether two ids are the same. */
bool serve_same_id(const struct json_value *a, const struct json_value *b);

/* Answers to one line. Those to a batch stand in one array, which is nothing without any. */
struct serve_reply {
    struct loupe_json json;
    bool is_batch, has_any;
};

void serve_reply_init(struct serve_reply *reply, bool is_batch);
/* Sends the line, where there is one. */
void serve_reply_end(struct serve_reply *reply);

/* {"jsonrpc","id","result":…: the result follows, as an object that is opened here. */
void serve_begin_result(struct serve_reply *reply, const struct json_value *id);
void serve_end_result(struct serve_reply *reply);
void serve_send_error(struct serve_reply *reply, const struct json_value *id, enum serve_error code,
                      const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
