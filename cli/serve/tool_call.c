/* One call of a tool, from its message to its result. */
#include "shared/buffer.h"
#include "serve/extract.h"
#include "serve/session.h"

enum { MOST_RESULT_BYTES = 96 << 10, MOST_NOTES = 20 };

/* ---- The result ---- */

static struct loupe_span next_line(struct loupe_span *text) {
    size_t length = 0;
    while (length < text->length && text->bytes[length] != '\n')
        length++;
    struct loupe_span line = {text->bytes, length};
    size_t taken = length < text->length ? length + 1 : length;
    *text = (struct loupe_span){text->bytes + taken, text->length - taken};
    return line;
}

/* What was said about the files. */
static void put_notes(struct loupe_json *json, const struct call_answer *parts, unsigned count) {
    uint32_t put = 0, more = 0;
    loupe_json_key(json, "notes");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < count; i++) {
        struct loupe_span left = parts[i].messages;
        while (left.length) {
            struct loupe_span line = next_line(&left);
            if (put == MOST_NOTES) {
                more++;
                continue;
            }
            loupe_json_span(json, line);
            put++;
        }
    }
    if (more) {
        char text[40];
        loupe_format(text, sizeof(text), "and %u more lines", more);
        loupe_json_string(json, text);
    }
    loupe_json_end_array(json);
}

static void put_commands(struct loupe_json *json, const struct call_answer *parts, unsigned count) {
    loupe_json_key(json, "commands");
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < count; i++) {
        const struct opened_question *question = &parts[i].question;
        if (!question->verb)
            continue;
        loupe_json_begin_array(json);
        loupe_json_string(json, "loupe");
        loupe_json_string(json, question->verb->name);
        for (unsigned j = 0; j < question->word_count; j++)
            loupe_json_string(json, question->words[j]);
        loupe_json_end_array(json);
    }
    loupe_json_end_array(json);
}

static bool is_error(const struct json_value *answer) {
    return loupe_span_equals(json_text(answer, "status"), "error");
}

/* LOUPE_ENOMEM. */
static enum loupe_status make_result(struct call *call, const struct json_value *answer,
                                     const struct call_answer *parts, unsigned count,
                                     struct cli_buffer *buffer) {
    struct extract extract = {.list = is_error(answer) ? NULL : call->list,
                              .first = call->first,
                              .most = call->rows,
                              .most_bytes = MOST_RESULT_BYTES,
                              .most_text = call->tool->has_whole_texts ? MOST_RESULT_BYTES : 0,
                              .arena = call->arena};
    struct loupe_json json;
    char cursor[48];
    loupe_json_init(&json, cli_buffer_sink(buffer));
    loupe_json_begin_object(&json);
    loupe_json_key(&json, "answer");
    extract_write(&extract, &json, answer);
    const char *next = extract.has_more && call->tool->takes[ARGUMENT_CURSOR]
                           ? call_cursor(call, extract.shown, cursor, sizeof(cursor))
                           : NULL;
    extract_describe(&extract, &json, next);
    put_notes(&json, parts, is_error(answer) ? 0 : count);
    call_put_next(call, &json, answer, next);
    put_commands(&json, parts, count);
    loupe_json_end_object(&json);
    enum loupe_status status = loupe_json_finish(&json);
    return extract.no_memory ? LOUPE_ENOMEM : status;
}

static void put_content(struct serve_reply *reply, struct loupe_span text, bool is_wrong) {
    struct loupe_json *json = &reply->json;
    loupe_json_key(json, "content");
    loupe_json_begin_array(json);
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "type", "text");
    loupe_json_key(json, "text");
    loupe_json_span(json, text);
    loupe_json_end_object(json);
    loupe_json_end_array(json);
    loupe_json_put_bool(json, "isError", is_wrong);
}

static void send_problem(struct serve_reply *reply, const struct json_value *id,
                         const char *problem) {
    serve_begin_result(reply, id);
    put_content(reply, loupe_span_of(problem), true);
    serve_end_result(reply);
}

static void send_result(const struct serve_session *session, struct serve_reply *reply,
                        const struct json_value *id, struct loupe_span text, bool is_wrong) {
    serve_begin_result(reply, id);
    put_content(reply, text, is_wrong);
    if (serve_has_structured_content(session)) {
        loupe_json_key(&reply->json, "structuredContent");
        loupe_json_value(&reply->json, text);
    }
    serve_end_result(reply);
}

/* ---- The call ---- */

static void answer_call(struct serve_session *session, struct call *call,
                        struct opened_meanwhile *meanwhile, const struct json_value *id,
                        struct serve_reply *reply) {
    struct call_asker asker = {.opened = &session->opened, .meanwhile = meanwhile};
    struct call_answer parts[BEFORE_AFTER_QUESTIONS] = {{.tree = NULL}};
    struct cli_buffer buffer = {.bytes = NULL};
    const struct json_value *answer = NULL;
    bool has_verb = call->tool->verb;
    bool asked = has_verb ? call_ask(call, &asker, &parts[0])
                          : call_before_after(call, &asker, parts, &answer);
    if (asker.is_unwanted)
        return;
    answer = has_verb ? parts[0].tree : answer;
    unsigned count = has_verb ? 1 : BEFORE_AFTER_QUESTIONS;
    if (!asked)
        send_problem(reply, id, call->problem);
    else if (make_result(call, answer, parts, count, &buffer))
        send_problem(reply, id, "out of memory: ask for fewer rows");
    else
        send_result(session, reply, id, cli_buffer_text(&buffer), is_error(answer));
    cli_buffer_deinit(&buffer);
}

void serve_tool_call(struct serve_session *session, const struct serve_message *message,
                     struct opened_meanwhile *meanwhile, struct loupe_arena *arena,
                     struct serve_reply *reply) {
    struct loupe_span name = json_text(message->params, "name");
    struct tool tool;
    bool is_there = tool_named(name, &tool);
    struct call *call = loupe_arena_alloc(arena, sizeof(*call));
    if (!call) {
        serve_send_error(reply, message->id, SERVE_INTERNAL_ERROR, "out of memory");
        return;
    }
    *call = (struct call){.tool = &tool, .arena = arena};
    if (!is_there)
        serve_send_error(reply, message->id, SERVE_INVALID_PARAMS,
                         "no tool '%s': tools/list has all", cli_printable(name));
    else if (call_take_arguments(call, json_member(message->params, "arguments"), session->within,
                                 session->seconds))
        answer_call(session, call, meanwhile, message->id, reply);
    else /* also of arguments that do not fit: who asked can read it, and ask better */
        send_problem(reply, message->id, call->problem);
}
