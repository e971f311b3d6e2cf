#include "backtraces/backtraces.h"

#include "runtime/abi.h"

enum loupe_status loupe_backtraces_write_error(bool as_text, const struct loupe_envelope *envelope,
                                               const struct loupe_error *err,
                                               struct loupe_sink sink) {
    if (as_text) {
        char text[sizeof(err->message) + 32];
        size_t length = loupe_format(text, sizeof(text), "error: %s\n", err->message);
        return sink.write(sink.ctx, text, length);
    }
    struct loupe_json json;
    loupe_json_init(&json, sink);
    loupe_report_error(&json, envelope, err);
    return loupe_json_finish(&json);
}

static enum loupe_status write_stacks(const struct loupe_backtraces_question *question,
                                      const struct loupe_stacks *stacks,
                                      struct loupe_naming *naming,
                                      const struct loupe_envelope *envelope, uint64_t started,
                                      struct loupe_sink sink) {
    if (question->as_text)
        return loupe_stacks_write_text(stacks, naming, envelope, started, sink);
    struct loupe_json json;
    loupe_json_init(&json, sink);
    loupe_stacks_write_json(stacks, naming, envelope, started, &json);
    return loupe_json_finish(&json);
}

static enum loupe_status answer(const struct loupe_backtraces_question *question,
                                struct loupe_images *images, struct loupe_target *target,
                                struct loupe_stacks *stacks, struct loupe_sink sink) {
    struct loupe_envelope envelope = {
        .query = "backtraces", .engine = "helper", .pointer_size = sizeof(void *)};
    struct loupe_request request;
    struct loupe_error err;
    struct loupe_naming naming;
    uint64_t started = loupe_report_clock(target->memory);
    enum loupe_status status =
        loupe_request_decode(question->arguments, &target->arena, &request, &err);
    if (status)
        return loupe_backtraces_write_error(question->as_text, &envelope, &err, sink);
    status = loupe_stacks_take(stacks, &question->wanted, question->own, request.registers,
                               request.register_count);
    if (!status && loupe_abi_detect(target, NULL) == LOUPE_OK)
        envelope.abi = target->abi->name;
    if (!status)
        status = loupe_naming_init(&naming, stacks, images, target);
    if (status) {
        loupe_fail(&err, status, 0, "out of memory while reading the stacks");
        return loupe_backtraces_write_error(question->as_text, &envelope, &err, sink);
    }
    status = write_stacks(question, stacks, &naming, &envelope, started, sink);
    loupe_naming_deinit(&naming);
    return status;
}

enum loupe_status loupe_backtraces_answer(const struct loupe_backtraces_question *question,
                                          struct loupe_images *images, struct loupe_memory *memory,
                                          const struct loupe_chunk_ops *chunks,
                                          struct loupe_sink sink) {
    struct loupe_target target;
    struct loupe_stacks stacks;
    loupe_target_init(&target, memory, chunks);
    loupe_stacks_init(&stacks, chunks);
    enum loupe_status status = answer(question, images, &target, &stacks, sink);
    loupe_stacks_deinit(&stacks);
    loupe_target_deinit(&target);
    return status;
}
