#include "serve/message.h"

#include "shared/cli.h"

#include <stdarg.h>
#include <string.h>

/* ---- What is asked ---- */

static bool is_id(const struct json_value *value) {
    return value->kind == JSON_TEXT || value->kind == JSON_NUMBER;
}

static bool has_member(const struct json_value *value, const char *name) {
    JSON_EACH(item, value) {
        if (loupe_span_equals(item->key, name))
            return true;
    }
    return false;
}

static struct serve_message nonsense(const struct json_value *id, const char *problem) {
    return (struct serve_message){.kind = SERVE_NONSENSE, .id = id, .problem = problem};
}

struct serve_message serve_message_of(const struct json_value *value) {
    if (value->kind != JSON_OBJECT)
        return nonsense(NULL, "a message is an object");
    const struct json_value *id = json_member(value, "id"), *known = is_id(id) ? id : NULL;
    const struct json_value *params = json_member(value, "params");
    if (!loupe_span_equals(json_text(value, "jsonrpc"), "2.0"))
        return nonsense(known, "\"jsonrpc\" is not \"2.0\"");
    bool is_answer = has_member(value, "result") || has_member(value, "error");
    if (is_answer && !has_member(value, "method"))
        return (struct serve_message){.kind = SERVE_RESPONSE, .id = known};
    if (json_member(value, "method")->kind != JSON_TEXT)
        return nonsense(known, "\"method\" is not a text");
    if (has_member(value, "id") && !known)
        return nonsense(NULL, "\"id\" is neither a text nor a number");
    if (has_member(value, "params") && params->kind != JSON_OBJECT)
        return nonsense(known, "\"params\" is not an object");
    return (struct serve_message){.kind = known ? SERVE_REQUEST : SERVE_NOTIFICATION,
                                  .id = known,
                                  .method = json_text(value, "method"),
                                  .params = params};
}

bool serve_same_id(const struct json_value *a, const struct json_value *b) {
    return a->kind == b->kind && a->text.length == b->text.length &&
           !memcmp(a->text.bytes, b->text.bytes, a->text.length);
}

/* ---- Answers ---- */

void serve_reply_init(struct serve_reply *reply, bool is_batch) {
    *reply = (struct serve_reply){.is_batch = is_batch};
    loupe_json_init(&reply->json, cli_answer_sink());
}

void serve_reply_end(struct serve_reply *reply) {
    if (!reply->has_any)
        return;
    if (reply->is_batch)
        loupe_json_end_array(&reply->json);
    loupe_json_finish(&reply->json);
    cli_end_answer();
    fflush(stdout);
}

static void begin(struct serve_reply *reply, const struct json_value *id) {
    struct loupe_json *json = &reply->json;
    if (reply->is_batch && !reply->has_any)
        loupe_json_begin_array(json);
    reply->has_any = true;
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "jsonrpc", "2.0");
    loupe_json_key(json, "id");
    if (!id)
        loupe_json_null(json);
    else if (id->kind == JSON_TEXT)
        loupe_json_span(json, id->text);
    else
        loupe_json_value(json, id->text);
}

void serve_begin_result(struct serve_reply *reply, const struct json_value *id) {
    begin(reply, id);
    loupe_json_key(&reply->json, "result");
    loupe_json_begin_object(&reply->json);
}

void serve_end_result(struct serve_reply *reply) {
    loupe_json_end_object(&reply->json);
    loupe_json_end_object(&reply->json);
}

void serve_send_error(struct serve_reply *reply, const struct json_value *id, enum serve_error code,
                      const char *format, ...) {
    struct loupe_json *json = &reply->json;
    char message[600];
    va_list arguments;
    va_start(arguments, format);
    loupe_format_list(message, sizeof(message), format, arguments);
    va_end(arguments);
    begin(reply, id);
    loupe_json_key(json, "error");
    loupe_json_begin_object(json);
    loupe_json_key(json, "code");
    loupe_json_int(json, code);
    loupe_json_put_string(json, "message", message);
    loupe_json_end_object(json);
    loupe_json_end_object(json);
}
