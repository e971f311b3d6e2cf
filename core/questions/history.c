/* history: what libloupe_record saw of the retain count of an object. */
#include "questions/answering.h"

#include "recorded/history.h"
#include "report/report_recorded.h"

static void write_events(struct loupe_json *json, struct loupe_recorded *recorded,
                         const struct loupe_history *history) {
    loupe_json_key(json, "events");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < history->events.count; i++) {
        const struct loupe_record_event *event =
            loupe_vector_at(&history->events, i, sizeof(*event));
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "kind",
                              loupe_record_event_name((enum loupe_record_event_kind)event->kind));
        loupe_report_stack_number(json, "stack", recorded, event->stack);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void report(struct loupe_answering *answering, struct loupe_recorded *recorded,
                   const struct loupe_history *history) {
    struct loupe_json *json = answering->json;
    loupe_addr object = answering->question->address;
    uint32_t words_before = answering->target.abi->words_before_object;
    uint64_t left_out = recorded ? recorded->header.events_left_out : 0;
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    loupe_report_begin(json, &envelope, !history->more && !left_out && !history->unread);
    loupe_json_put_address(json, "object", object);
    if (recorded) {
        loupe_report_allocated(json, recorded,
                               loupe_recorded_stack_of_object(recorded, object, words_before));
        write_events(json, recorded, history);
        loupe_json_put_uint(json, "more_events", history->more);
        loupe_json_put_uint(json, "events_left_out", left_out);
        loupe_json_put_uint(json, "events_unread", history->unread);
        loupe_report_stacks(json, recorded);
    }
    loupe_answering_end_report(answering, 0, 0);
}

enum loupe_status loupe_answer_history(struct loupe_answering *answering) {
    struct loupe_target *target = &answering->target;
    struct loupe_recorded *recorded = loupe_recorded_of(target);
    struct loupe_history history = {.more = 0};
    enum loupe_status status = LOUPE_OK;
    if (recorded)
        status = loupe_recorded_history(recorded, answering->question->address, target->chunks,
                                        &history);
    if (status)
        loupe_answering_fail(answering, status);
    else
        report(answering, recorded, &history);
    if (recorded)
        loupe_vector_deinit(&history.events);
    return status;
}
