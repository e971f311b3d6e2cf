#include "session.h"

#include "edges/details/surroundings.h"
#include "edges/roots/roots.h"
#include "loupe.h"
#include "questions/answering.h"
#include "questions/freed_object.h"
#include "report/report_unread.h"
#include "runtime/abi.h"
#include "runtime/class_walk.h"
#include "runtime/freed.h"
#include "scene/registers.h"

struct loupe_session {
    struct loupe_question question;
    struct loupe_answering answering;
    struct loupe_facts facts;   /* the facts so far */
    enum loupe_status opened;   /* a failure: all that can be answered is this error */
    struct loupe_error why_not; /* of opened */
    bool has_graph;             /* the answering's graph and walk are those of the last call */
    uint32_t followed;          /* facts that the walk knows */
    uint64_t spent, began;      /* microseconds of the calls before; when this one began */
    struct loupe_json json;     /* of the call */
    const struct loupe_chunk_ops *chunks;
};

/* ---- Opening ---- */

/* Where the asking thread's stack ends, red zone included. */
static enum loupe_status leave_out_stack(struct loupe_answering *answering) {
    struct loupe_memory *memory = answering->target.memory;
    loupe_addr pointer = answering->request.stack_pointer;
    loupe_addr red_zone = loupe_red_zone(&memory->machine);
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

static enum loupe_status find_class(struct loupe_answering *answering, loupe_addr *ret) {
    const struct loupe_class *cls;
    enum loupe_status status =
        loupe_class_named(&answering->target, answering->request.class_name, &cls);
    if (cls)
        *ret = cls->address;
    else if (!status)
        status = loupe_fail_no_class(&answering->target, answering->request.class_name,
                                     &answering->error);
    return status;
}

/* The object that the question is about, which variables may name with a tag. */
static enum loupe_status find_object(struct loupe_session *session) {
    struct loupe_answering *answering = &session->answering;
    loupe_addr *address = &session->question.address;
    enum loupe_status found =
        answering->request.class_name && !*address ? find_class(answering, address) : LOUPE_OK;
    if (found)
        return found;
    if (!loupe_is_tagged(&answering->target, *address))
        *address = loupe_address_of_word(&answering->target, *address);
    enum loupe_status status = loupe_object_at(&answering->target, answering->question->address,
                                               &answering->object, &answering->error);
    if (status == LOUPE_ENOTOBJECT || status == LOUPE_EFAULT)
        say_where_it_is(answering);
    return status ? status : loupe_answering_refuse_freed(answering);
}

/* A heap needs no runtime: one without has allocations only. */
static enum loupe_status find_runtime(struct loupe_answering *answering, enum loupe_need need) {
    enum loupe_status status = loupe_abi_detect(&answering->target, &answering->error);
    if (status != LOUPE_ENORUNTIME || need != LOUPE_NEEDS_HEAP)
        return status;
    answering->target.abi = &loupe_abi_none;
    answering->error = (struct loupe_error){0};
    return LOUPE_OK;
}

static enum loupe_status begin(struct loupe_session *session) {
    const struct loupe_question_kind *kind = loupe_question_kind(session->question.query);
    struct loupe_answering *answering = &session->answering;
    enum loupe_status status =
        loupe_request_decode(session->question.arguments, &answering->target.arena,
                             &answering->request, &answering->error);
    if (!status)
        status = leave_out_stack(answering);
    if (!status && !loupe_question_kind(session->question.query))
        status =
            loupe_fail(&answering->error, LOUPE_EUSAGE, 0, "a question that Loupe does not know");
    if (!status)
        status = find_runtime(answering, kind->need);
    if (!status && kind->need >= LOUPE_NEEDS_OBJECT && kind->need != LOUPE_NEEDS_HEAP)
        status = find_object(session);
    if (status)
        return status;
    status = loupe_facts_add(&session->facts, &answering->request);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

static struct loupe_session *open_session(struct loupe_memory *memory,
                                          const struct loupe_chunk_ops *chunks,
                                          const struct loupe_question *question) {
    struct loupe_session *session = loupe_chunk_get(chunks, sizeof(*session));
    if (!session)
        return NULL;
    *session = (struct loupe_session){.question = *question, .chunks = chunks};
    session->began = loupe_report_clock(memory);
    session->answering.question = &session->question;
    session->answering.json = &session->json;
    session->answering.limit = question->limit ? question->limit : LOUPE_DEFAULT_LIMIT;
    loupe_target_init(&session->answering.target, memory, chunks);
    loupe_facts_init(&session->facts, &session->answering.target.arena_chunks);
    session->answering.facts = &session->facts;
    session->opened = begin(session);
    session->why_not = session->answering.error;
    session->question.arguments = NULL; /* they are in the request */
    session->spent = loupe_report_clock(memory) - session->began;
    return session;
}

struct loupe_session *loupe_session_open(struct loupe_memory *memory,
                                         const struct loupe_chunk_ops *chunks,
                                         const struct loupe_question *question) {
    struct loupe_session *session = open_session(memory, chunks, question);
    if (session)
        session->answering.goes_on = true;
    return session;
}

static void drop_graph(struct loupe_session *session) {
    if (session->has_graph)
        loupe_graph_deinit(&session->answering.graph);
    session->has_graph = false;
}

void loupe_session_close(struct loupe_session *session) {
    drop_graph(session);
    loupe_target_deinit(&session->answering.target);
    loupe_chunk_put(session->chunks, session, sizeof(*session));
}

/* ---- One call ---- */

static void begin_call(struct loupe_session *session, struct loupe_sink sink) {
    struct loupe_memory *memory = session->answering.target.memory;
    loupe_json_init(&session->json, sink);
    loupe_memory_begin_phase(memory, LOUPE_PHASE_WALK);
    session->answering.target.findings = (struct loupe_findings){0};
    session->answering.error = session->why_not;
    session->began = loupe_report_clock(memory);
    session->answering.started = session->began - session->spent;
}

/* Writes the error of a call that failed. */
static enum loupe_status end_call(struct loupe_session *session, enum loupe_status status) {
    struct loupe_answering *answering = &session->answering;
    if (status && session->question.taker) {
        session->question.taker->error = answering->error;
    } else if (status) {
        loupe_answering_report_refusal(answering);
    }
    session->spent += loupe_report_clock(answering->target.memory) - session->began;
    enum loupe_status written = loupe_json_finish(&session->json);
    return written ? written : status;
}

static enum loupe_status take_facts(struct loupe_session *session, const char *facts) {
    struct loupe_answering *answering = &session->answering;
    struct loupe_request request;
    enum loupe_status status =
        loupe_request_decode(facts, &answering->target.arena, &request, &answering->error);
    if (status)
        return status;
    if (request.filter_count || request.root_count || request.register_count ||
        request.debugger_count || request.code_count || request.without_standard_filters ||
        request.explains || request.surveys || request.has_stack_pointer)
        return loupe_detail(&answering->error, LOUPE_DETAIL_ARGUMENT,
                            loupe_fail(&answering->error, LOUPE_EUSAGE, 0,
                                       "a question that is under way takes facts alone"));
    if (request.listed)
        answering->request.listed = request.listed;
    status = loupe_facts_add(&session->facts, &request);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

static enum loupe_status begin_walk(struct loupe_session *session, enum loupe_need need) {
    drop_graph(session);
    session->has_graph = true;
    session->followed = session->facts.references.count;
    return loupe_answering_begin_walk(&session->answering, need);
}

/* ---- Asking ---- */

enum loupe_status loupe_session_ask(struct loupe_session *session, const char *facts,
                                    struct loupe_sink sink) {
    const struct loupe_question_kind *kind = loupe_question_kind(session->question.query);
    enum loupe_status status = session->opened;
    begin_call(session, sink);
    if (!status)
        status = take_facts(session, facts);
    if (status)
        return end_call(session, status);
    if (kind->need >= LOUPE_NEEDS_EDGES)
        status = begin_walk(session, kind->need);
    if (!status)
        status = kind->answer(&session->answering);
    if (status)
        drop_graph(session);
    return end_call(session, status);
}

/* ---- Extending ---- */

/* Where the walk of a question begins, beside its object. */
static enum loupe_status add_seeds(struct loupe_answering *answering, enum loupe_need need) {
    struct loupe_roots roots;
    if (need != LOUPE_NEEDS_ROOTS)
        return LOUPE_OK;
    enum loupe_status status = loupe_answering_take_scene(answering);
    if (status)
        return status;
    loupe_roots_init(&roots, &answering->target);
    status = loupe_roots_add(&roots, &answering->walk, &answering->graph, &answering->scene);
    loupe_roots_deinit(&roots);
    return status;
}

/* Opens what is not open yet. Interrupted: it goes on with the next call. */
static enum loupe_status open_nodes(struct loupe_answering *answering, enum loupe_need need) {
    struct loupe_graph *graph = &answering->graph;
    struct loupe_expander expander = loupe_walk_expander(&answering->walk);
    uint32_t end = need == LOUPE_NEEDS_EDGES ? 1 : LOUPE_MAX_NODES;
    enum loupe_status status = LOUPE_OK;
    while (!status && graph->opened < graph->nodes.count && graph->opened < end) {
        status = loupe_memory_interrupted(answering->target.memory)
                     ? LOUPE_ETIMEOUT
                     : expander.expand(expander.ctx, graph);
        if (!status)
            status = loupe_graph_go_on(graph);
    }
    if (status != LOUPE_ETIMEOUT && status != LOUPE_ELIMIT)
        return status;
    loupe_findings_add(graph->findings,
                       status == LOUPE_ELIMIT ? LOUPE_FINDING_LIMIT : LOUPE_FINDING_INTERRUPTED,
                       loupe_graph_address(graph, graph->opened ? graph->opened - 1 : 0));
    return LOUPE_OK;
}

/* All objects of a heap are looked at whatever leads to them, so that all members are met at once;
 * what new facts lead to was met. */
static enum loupe_status survey_heap(struct loupe_session *session) {
    struct loupe_answering *answering = &session->answering;
    enum loupe_status status = LOUPE_OK;
    if (session->has_graph) {
        answering->walk.unread.page_size = answering->request.listed;
        loupe_unread_turn_page(&answering->walk.unread);
        return LOUPE_OK;
    }
    status = begin_walk(session, LOUPE_NEEDS_HEAP);
    if (!status)
        status = loupe_answering_look_at_heap(answering);
    if (status)
        drop_graph(session);
    return status;
}

static enum loupe_status survey(struct loupe_session *session, enum loupe_need need) {
    struct loupe_answering *answering = &session->answering;
    enum loupe_status status = LOUPE_OK;
    bool begins = !session->has_graph;
    if (need == LOUPE_NEEDS_HEAP)
        return survey_heap(session);
    if (begins)
        status = begin_walk(session, need);
    if (!status && begins)
        status = add_seeds(answering, need);
    if (!status)
        status = loupe_graph_go_on(&answering->graph);
    answering->walk.unread.page_size = answering->request.listed;
    loupe_unread_turn_page(&answering->walk.unread);
    if (!status)
        status = loupe_walk_follow_facts(&answering->walk, &answering->graph, session->followed);
    session->followed = session->facts.references.count;
    if (!status)
        status = open_nodes(answering, need);
    if (!status)
        return LOUPE_OK;
    drop_graph(session);
    return loupe_answering_fail(answering, status);
}

/* ---- Shapes ---- */

enum { MOST_SLOTS = 64 }; /* of a class that is shown: hosts look ahead by them, and need not */

static void write_shape(struct loupe_json *json, const struct loupe_walk_class *known) {
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "class", known->cls->address);
    loupe_json_key(json, "slots");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < known->shape->slot_count; i++) {
        if (known->shape->slots[i].to == LOUPE_TO_OBJECT)
            loupe_json_uint(json, known->shape->slots[i].offset);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

/* Of the classes that were met since the last time. */
static void write_shapes(struct loupe_json *json, const struct loupe_walk *walk) {
    loupe_json_key(json, "shapes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < walk->classes.count; i++) {
        struct loupe_walk_class *known =
            loupe_vector_at(&walk->classes, i, sizeof(struct loupe_walk_class));
        const struct loupe_shape *shape = known->is_shown ? NULL : known->shape;
        if (!shape || !known->cls || !shape->slot_count || shape->slot_count > MOST_SLOTS)
            continue;
        known->is_shown = true;
        write_shape(json, known);
    }
    loupe_json_end_array(json);
}

enum loupe_status loupe_session_extend(struct loupe_session *session, const char *facts,
                                       struct loupe_sink sink) {
    struct loupe_answering *answering = &session->answering;
    const struct loupe_question_kind *kind = loupe_question_kind(session->question.query);
    enum loupe_status status = session->opened;
    begin_call(session, sink);
    if (!status)
        status = take_facts(session, facts);
    if (!status && kind->need >= LOUPE_NEEDS_EDGES)
        status = survey(session, kind->need);
    if (status)
        return end_call(session, status);
    loupe_answering_begin_report(answering);
    if (session->has_graph) {
        loupe_report_unread_page(&session->json, &answering->walk.unread);
        write_shapes(&session->json, &answering->walk);
    }
    loupe_answering_end_report(
        answering, session->has_graph ? loupe_graph_node_count(&answering->graph) : 0, 0);
    return end_call(session, LOUPE_OK);
}

enum loupe_status loupe_session_begin(struct loupe_session *session, struct loupe_sink sink) {
    return session->answering.request.surveys ? loupe_session_extend(session, NULL, sink)
                                              : loupe_session_ask(session, NULL, sink);
}

bool loupe_session_lists(const struct loupe_session *session) {
    return session->has_graph && session->answering.walk.unread.objects.count;
}

/* ---- Once ---- */

static enum loupe_status answer_without_memory(const struct loupe_memory *memory,
                                               const struct loupe_question *question,
                                               struct loupe_sink sink) {
    struct loupe_envelope envelope = {.query = loupe_query_name(question->query),
                                      .engine = question->engine,
                                      .pointer_size = memory->machine.pointer_size};
    struct loupe_error error;
    struct loupe_json json;
    loupe_fail_at(&error, LOUPE_ENOMEM, question->address);
    if (question->taker) {
        question->taker->error = error;
        return LOUPE_ENOMEM;
    }
    loupe_json_init(&json, sink);
    loupe_report_error(&json, &envelope, &error);
    enum loupe_status written = loupe_json_finish(&json);
    return written ? written : LOUPE_ENOMEM;
}

enum loupe_status loupe_answer(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                               const struct loupe_question *question, struct loupe_sink sink) {
    struct loupe_session *session = open_session(memory, chunks, question);
    if (!session)
        return answer_without_memory(memory, question, sink);
    enum loupe_status status = loupe_session_begin(session, sink);
    loupe_session_close(session);
    return status;
}
