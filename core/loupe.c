#include "loupe.h"

#include "report/report.h"
#include "session.h"

static enum loupe_status answer_without_memory(const struct loupe_memory *memory,
                                               const struct loupe_question *question,
                                               struct loupe_sink sink) {
    struct loupe_envelope envelope = {.query = loupe_query_name(question->query),
                                      .engine = question->engine,
                                      .pointer_size = memory->machine.pointer_size};
    struct loupe_error error;
    struct loupe_json json;
    loupe_fail_at(&error, LOUPE_ENOMEM, question->address);
    loupe_json_init(&json, sink);
    loupe_report_error(&json, &envelope, &error);
    enum loupe_status written = loupe_json_finish(&json);
    return written ? written : LOUPE_ENOMEM;
}

enum loupe_status loupe_answer(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                               const struct loupe_question *question, struct loupe_sink sink) {
    struct loupe_session *session = loupe_session_open(memory, chunks, question);
    if (!session)
        return answer_without_memory(memory, question, sink);
    enum loupe_status status = loupe_session_is_survey(session)
                                   ? loupe_session_extend(session, NULL, sink)
                                   : loupe_session_ask(session, NULL, sink);
    loupe_session_close(session);
    return status;
}
