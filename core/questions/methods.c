/* methods: which methods of the runtime's classes addresses of code belong to, and where the code
 * of one is that was asked for by its name. */
#include "questions/answering.h"

#include "report/objects/report_methods.h"
#include "runtime/class_walk.h"

/* Whose method is wanted: the class by its name, that of the object, or the object, which is one.
 */
static enum loupe_status class_asked_about(struct loupe_answering *answering,
                                           const struct loupe_class **ret) {
    struct loupe_target *target = &answering->target;
    const char *name = answering->request.class_name;
    struct loupe_object object;
    enum loupe_status status;
    *ret = NULL;
    if (answering->question->address) {
        status = loupe_object_at(target, answering->question->address, &object, &answering->error);
        return status ? status : loupe_object_meant_class(target, &object, ret, &answering->error);
    }
    status = name ? loupe_class_named(target, name, ret) : LOUPE_OK;
    if (status)
        return loupe_answering_fail(answering, status);
    return *ret ? LOUPE_OK : loupe_fail_no_class(target, name ? name : "", &answering->error);
}

/* The metaclass has what is sent to the class itself. */
static enum loupe_status find_named(struct loupe_answering *answering,
                                    struct loupe_methods_of_selector *ret) {
    struct loupe_target *target = &answering->target;
    const struct loupe_class *meta;
    const char *selector = answering->request.selector;
    *ret = (struct loupe_methods_of_selector){.selector = selector};
    enum loupe_status status = class_asked_about(answering, &ret->cls);
    if (status)
        return status;
    status = loupe_method_answering(target, ret->cls, selector, &ret->of_instances);
    if (status)
        return loupe_answering_fail(answering, status);
    status = loupe_class_at(target, ret->cls->isa, &meta, &answering->error);
    if (status)
        return status;
    status = loupe_method_answering(target, meta, selector, &ret->of_itself);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

static enum loupe_status find_places(struct loupe_answering *answering,
                                     struct loupe_code_place **ret) {
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
    *ret = places;
    enum loupe_status status = loupe_methods_around(target, places, request->code_count);
    return status ? loupe_answering_fail(answering, status) : LOUPE_OK;
}

enum loupe_status loupe_answer_methods(struct loupe_answering *answering) {
    const struct loupe_request *request = &answering->request;
    struct loupe_methods_of_selector named;
    struct loupe_code_place *places = NULL;
    enum loupe_status status =
        request->code_count || !request->selector ? find_places(answering, &places) : LOUPE_OK;
    if (!status && request->selector)
        status = find_named(answering, &named);
    if (status)
        return status;
    loupe_answering_begin_report(answering);
    loupe_report_methods(answering->json, &answering->target, places, request->code_count);
    if (request->selector)
        loupe_report_methods_named(answering->json, &answering->target, &named);
    loupe_answering_end_report(answering, 0, 0);
    return LOUPE_OK;
}
