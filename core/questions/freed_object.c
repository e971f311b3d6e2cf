#include "questions/freed_object.h"

#include "report/heaps/report_dangling.h"
#include "runtime/abi.h"
#include "snapshot/snapshot.h"

/* ---- Refusing ---- */

static bool is_about_owners(const struct loupe_answering *answering) {
    enum loupe_query query = answering->question->query;
    return query == LOUPE_QUERY_INCOMING_REFS || query == LOUPE_QUERY_RETAIN_CYCLES;
}

enum loupe_status loupe_answering_refuse_freed(struct loupe_answering *answering) {
    loupe_addr address = answering->question->address;
    struct loupe_freed freed;
    if (!is_about_owners(answering) || !loupe_freed_at(&answering->target, address, &freed) ||
        !freed.certain ||
        (freed.mark == LOUPE_FREED_ZOMBIE &&
         answering->question->query == LOUPE_QUERY_INCOMING_REFS))
        return LOUPE_OK;
    return loupe_freed_refuse(&freed, address, &answering->error);
}

/* ---- Who still points there ---- */

static void write_refusal(struct loupe_answering *answering, struct loupe_memory_owners *owners,
                          const struct loupe_dangling_groups *groups, const char *why_not) {
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    struct loupe_freed freed;
    loupe_freed_at(&answering->target, answering->question->address, &freed);
    struct loupe_freed_object object = {.why = loupe_span_of(loupe_freed_text(freed.mark)),
                                        .was = loupe_span_of(freed.was),
                                        .owners = owners,
                                        .why_not_searched = why_not,
                                        .groups = groups};
    loupe_report_begin_error(answering->json, &envelope, &answering->error);
    loupe_report_freed_object(answering->json, &object);
    loupe_report_end(answering->json);
}

/* The walk of a question that was refused never began. */
static enum loupe_status take_heap(struct loupe_answering *answering, struct loupe_snapshot *ret) {
    struct loupe_error refused = answering->error;
    loupe_walk_init(&answering->walk, &answering->target);
    loupe_walk_believe(&answering->walk, answering->facts);
    enum loupe_status status = loupe_answering_make_snapshot(answering, ret);
    answering->error = refused;
    return status;
}

static void search_and_write(struct loupe_answering *answering) {
    struct loupe_snapshot snapshot;
    struct loupe_memory_owners owners;
    struct loupe_dangling_groups groups;
    if (take_heap(answering, &snapshot)) {
        write_refusal(answering, NULL, NULL, LOUPE_NO_WHOLE_HEAP);
        return;
    }
    loupe_memory_owners_init(&owners, &snapshot, answering->target.chunks);
    owners.symbols = answering->target.memory;
    if (loupe_dangling_find_to(&snapshot, answering->question->address, &answering->target.arena,
                               &groups))
        write_refusal(answering, NULL, NULL, "out of memory");
    else
        write_refusal(answering, &owners, &groups, NULL);
    loupe_memory_owners_deinit(&owners);
    loupe_snapshot_deinit(&snapshot);
}

void loupe_answering_report_refusal(struct loupe_answering *answering) {
    struct loupe_envelope envelope = loupe_answering_envelope(answering);
    bool is_freed = answering->error.detail == LOUPE_DETAIL_FREED && is_about_owners(answering);
    const char *why_not = is_freed ? loupe_answering_why_no_heap(answering) : NULL;
    if (!is_freed)
        loupe_report_error(answering->json, &envelope, &answering->error);
    else if (why_not)
        write_refusal(answering, NULL, NULL, why_not);
    else
        search_and_write(answering);
}

enum loupe_status loupe_answering_report_dangling(struct loupe_answering *answering,
                                                  struct loupe_memory_owners *owners) {
    struct loupe_dangling_groups groups;
    enum loupe_status status = loupe_dangling_find_to(
        owners->snapshot, answering->question->address, &answering->target.arena, &groups);
    if (!status)
        loupe_report_dangling(answering->json, owners, &groups, 0);
    return status;
}

/* ---- Without a question ---- */

bool loupe_was_freed(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                     loupe_addr address, enum loupe_freed_mark *ret) {
    struct loupe_target target;
    struct loupe_freed freed = {.certain = false};
    loupe_target_init(&target, memory, chunks);
    if (!loupe_abi_detect(&target, NULL) && loupe_freed_at(&target, address, &freed))
        *ret = freed.mark;
    loupe_target_deinit(&target);
    return freed.certain;
}
