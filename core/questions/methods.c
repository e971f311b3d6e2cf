/* methods: which methods of the runtime's classes addresses of code belong to. */
#include "questions/answering.h"

#include "report/report_methods.h"

enum loupe_status loupe_answer_methods(struct loupe_answering *answering) {
    const struct loupe_request *request = &answering->request;
    struct loupe_target *target = &answering->target;
    struct loupe_code_place *places =
        loupe_arena_alloc_array(&target->arena, request->code_count, sizeof(*places));
    struct loupe_object object;
    if (!places)
        return loupe_answering_fail(answering, LOUPE_ENOMEM);
    for (uint32_t i = 0; i < request->code_count; i++)
        places[i] = (struct loupe_code_place){.address = request->code[i]};
    /* An object leads to classes that no symbol leads to. */
    if (answering->question->address)
        loupe_object_at(target, answering->question->address, &object, NULL);
    enum loupe_status status = loupe_methods_around(target, places, request->code_count);
    if (status)
        return loupe_answering_fail(answering, status);
    loupe_answering_begin_report(answering);
    loupe_report_methods(answering->json, target, places, request->code_count);
    loupe_answering_end_report(answering, 0, 0);
    return LOUPE_OK;
}
