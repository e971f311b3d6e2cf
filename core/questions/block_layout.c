/* block-layout: what a block captures, and who owns it. */
#include "questions/answering.h"

#include "report/objects/report_block.h"
#include "runtime/abi.h"

static struct loupe_span name_class(void *ctx, loupe_addr address) {
    struct loupe_object object;
    if (loupe_object_at(ctx, address, &object, NULL))
        return (struct loupe_span){0};
    return loupe_span_of(object.cls->name);
}

enum loupe_status loupe_answer_block_layout(struct loupe_answering *answering) {
    struct loupe_target *target = &answering->target;
    struct loupe_class_namer namer = {.name = name_class, .ctx = target};
    const struct loupe_object *object = &answering->object;
    struct loupe_block_report report;
    if (object->cls->kind != LOUPE_INSTANCE_BLOCK)
        return loupe_detail(&answering->error, LOUPE_DETAIL_NO_BLOCK,
                            loupe_fail(&answering->error, LOUPE_ENOTOBJECT, object->address,
                                       "0x%llx is not a block: it is of class %s",
                                       (unsigned long long)object->address, object->cls->name));
    enum loupe_status status =
        loupe_block_report_make(target, target->abi->block_traits(target), namer, object->address,
                                &report, &answering->error);
    if (status)
        return status;
    loupe_answering_begin_report(answering);
    loupe_answering_report_freed(answering);
    loupe_block_report_write(answering->json, &report);
    loupe_answering_end_report(answering, 1, 0);
    return LOUPE_OK;
}
