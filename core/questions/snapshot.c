/* snapshot: the whole heap as a value, written to the host's file. */
#include "questions/answering.h"

#include "heap/heap_snapshot.h"
#include "report/heaps/report_heap.h"
#include "report/report_unread.h"
#include "snapshot/file/loupe_file.h"

enum loupe_status loupe_answering_look_into(struct loupe_answering *answering,
                                            struct loupe_blocks *blocks,
                                            struct loupe_snapshot *ret) {
    const struct loupe_question *question = answering->question;
    struct loupe_heap_options options = {.origin = question->of_core ? LOUPE_ORIGIN_CORE
                                                                     : LOUPE_ORIGIN_LIVE,
                                         .others_run = question->others_run,
                                         .process = question->process,
                                         .time = question->time,
                                         .program = question->program};
    return loupe_heap_snapshot_make(&answering->walk, &answering->scene, blocks, &options, ret);
}

static enum loupe_status make(struct loupe_answering *answering, struct loupe_snapshot *ret) {
    struct loupe_blocks blocks;
    enum loupe_status status = loupe_answering_take_scene(answering);
    if (status)
        return status;
    loupe_blocks_init(&blocks, answering->target.chunks);
    status = loupe_blocks_take(&blocks, &answering->target, &answering->scene);
    return status ? status : loupe_answering_look_into(answering, &blocks, ret);
}

/* Half of a snapshot would be none: says what to do next. */
static enum loupe_status fail_to_make(struct loupe_answering *answering, enum loupe_status status) {
    static const struct {
        enum loupe_status status;
        const char *text;
    } texts[] = {{LOUPE_ETIMEOUT,
                  "the time limit was reached before the whole heap was searched: raise --timeout"},
                 {LOUPE_ELIMIT,
                  "the heap has more memory than may be read, or more allocations than can "
                  "be numbered: allow more bytes"},
                 {LOUPE_ENOMEM, "out of memory while making the snapshot"}};
    for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (texts[i].status == status)
            return loupe_fail(&answering->error, status, 0, "%s", texts[i].text);
    }
    return loupe_answering_fail(answering, status);
}

enum loupe_status loupe_answering_look_at_heap(struct loupe_answering *answering) {
    struct loupe_snapshot snapshot;
    enum loupe_status status = make(answering, &snapshot);
    if (status)
        return fail_to_make(answering, status);
    loupe_snapshot_deinit(&snapshot);
    return LOUPE_OK;
}

static enum loupe_status write_file(struct loupe_answering *answering,
                                    const struct loupe_snapshot *snapshot) {
    static const struct loupe_file_results nothing;
    struct loupe_sink file = answering->question->file;
    enum loupe_status status =
        file.write ? loupe_file_write(snapshot, &nothing, answering->target.chunks, file)
                   : LOUPE_OK;
    if (!status || status == LOUPE_ENOMEM)
        return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
    return loupe_fail(&answering->error, status, 0, LOUPE_SNAPSHOT_NOT_WRITTEN);
}

enum loupe_status loupe_answering_make_snapshot(struct loupe_answering *answering,
                                                struct loupe_snapshot *ret) {
    if (answering->request.root_count)
        return loupe_detail(&answering->error, LOUPE_DETAIL_ARGUMENT,
                            loupe_fail(&answering->error, LOUPE_EUSAGE, 0,
                                       "a snapshot has all roots that there are: name none"));
    enum loupe_status status = make(answering, ret);
    return status ? fail_to_make(answering, status) : LOUPE_OK;
}

enum loupe_status loupe_answer_snapshot(struct loupe_answering *answering) {
    struct loupe_snapshot snapshot;
    enum loupe_status status = loupe_answering_make_snapshot(answering, &snapshot);
    if (status)
        return status;
    if (answering->question->taker) {
        *answering->question->taker->snapshot = snapshot;
        return LOUPE_OK;
    }
    status = write_file(answering, &snapshot);
    if (status) {
        loupe_snapshot_deinit(&snapshot);
        return status;
    }
    loupe_memory_begin_phase(answering->target.memory, LOUPE_PHASE_REPORT);
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    loupe_report_begin(answering->json, &envelope, !loupe_snapshot_is_incomplete(&snapshot));
    loupe_report_heap(answering->json, &snapshot);
    loupe_report_unread(answering->json, &answering->walk.unread);
    loupe_report_heap_notes(answering->json, &snapshot);
    loupe_answering_end_heap(answering, &snapshot);
    loupe_snapshot_deinit(&snapshot);
    return LOUPE_OK;
}
