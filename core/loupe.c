#include "loupe.h"

#include "edges/edges.h"
#include "edges/surroundings.h"
#include "questions/answering.h"
#include "runtime/abi.h"
#include "runtime/freed.h"

/* ---- Arguments ---- */

/* Where the asking thread's stack ends, red zone included. */
static enum loupe_status leave_out_stack(struct loupe_answering *answering) {
    struct loupe_memory *memory = answering->target.memory;
    loupe_addr pointer = answering->request.stack_pointer;
    loupe_addr red_zone = memory->machine.pointer_size == 8 ? LOUPE_RED_ZONE : 0;
    if (!answering->request.has_stack_pointer)
        return LOUPE_OK;
    if (pointer < red_zone)
        return loupe_detail(&answering->error, LOUPE_DETAIL_ARGUMENT,
                            loupe_fail(&answering->error, LOUPE_EUSAGE, 0,
                                       "an argument that makes no sense: stack-pointer 0x%llx",
                                       (unsigned long long)pointer));
    loupe_memory_leave_out_stack(memory, pointer - red_zone);
    return LOUPE_OK;
}

static enum loupe_status take_arguments(struct loupe_answering *answering) {
    enum loupe_status status =
        loupe_request_decode(answering->question->arguments, &answering->target.arena,
                             &answering->request, &answering->error);
    return status ? status : leave_out_stack(answering);
}

/* ---- The object ---- */

/* An address inside of an object is no object, but it is not without meaning. */
static void say_where_it_is(struct loupe_answering *answering) {
    struct loupe_target *target = &answering->target;
    loupe_addr address = answering->question->address;
    struct loupe_surroundings around;
    struct loupe_freed freed;
    if ((loupe_freed_at(target, address, &freed) && freed.certain) ||
        !loupe_surroundings_find(target, address, &around))
        return;
    bool is_block = loupe_object_kind(&around.object) == LOUPE_NODE_BLOCK;
    loupe_fail(&answering->error, LOUPE_ENOTOBJECT, address,
               "0x%llx is not an object: it is %u bytes into the %s 0x%llx%s%s",
               (unsigned long long)address, around.offset,
               is_block ? "block" : around.object.cls->name,
               (unsigned long long)around.object.address, around.path[0] == '+' ? "" : ", at ",
               around.path[0] == '+' ? "" : around.path);
    answering->error.detail = LOUPE_DETAIL_INSIDE_OBJECT;
}

/* The object that the question is about. */
static enum loupe_status find_object(struct loupe_answering *answering) {
    enum loupe_status status = loupe_object_at(&answering->target, answering->question->address,
                                               &answering->object, &answering->error);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT)
        say_where_it_is(answering);
    return status;
}

/* ---- What questions need ---- */

static enum loupe_status begin_walk(struct loupe_answering *answering) {
    struct loupe_walk *walk = &answering->walk;
    loupe_walk_init(walk, &answering->target);
    /* What owns nothing is no owner in disguise either. */
    walk->explains = answering->request.explains || answering->request.searched_count;
    enum loupe_status status = loupe_given_add(&walk->given, &answering->request);
    if (!status)
        status = loupe_walk_seed(walk, &answering->graph, &answering->object);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

static enum loupe_status walk_and_answer(struct loupe_answering *answering,
                                         loupe_answer_fn *answer) {
    uint64_t limit = answering->question->limit;
    loupe_graph_init(&answering->graph, answering->target.chunks,
                     limit ? limit : LOUPE_DEFAULT_LIMIT, &answering->target.findings);
    enum loupe_status status = begin_walk(answering);
    if (!status)
        status = answer(answering);
    loupe_graph_deinit(&answering->graph);
    return status;
}

static enum loupe_status answer_question(struct loupe_answering *answering) {
    const struct loupe_question_kind *kind = loupe_question_kind(answering->question->query);
    if (!kind)
        return loupe_fail(&answering->error, LOUPE_EUSAGE, 0,
                          "a question that Loupe does not know");
    enum loupe_status status = loupe_abi_detect(&answering->target, &answering->error);
    if (!status && kind->need != LOUPE_NEEDS_RUNTIME)
        status = find_object(answering);
    if (status)
        return status;
    return kind->need == LOUPE_NEEDS_WALK ? walk_and_answer(answering, kind->answer)
                                          : kind->answer(answering);
}

enum loupe_status loupe_answer(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                               const struct loupe_question *question, struct loupe_sink sink) {
    struct loupe_json json;
    struct loupe_answering answering = {
        .question = question, .json = &json, .started = loupe_report_clock(memory)};
    loupe_json_init(&json, sink);
    loupe_target_init(&answering.target, memory, chunks);
    enum loupe_status status = take_arguments(&answering);
    if (!status)
        status = answer_question(&answering);
    if (status) {
        struct loupe_envelope envelope = loupe_answering_envelope(&answering);
        loupe_report_error(&json, &envelope, &answering.error);
    }
    enum loupe_status written = loupe_json_finish(&json);
    loupe_target_deinit(&answering.target);
    return written ? written : status;
}
