/* ivar-layout: the ivars of an object or a class, what they own, and what stands in them. */
#include "questions/answering.h"

#include "edges/details/ivar_owners.h"
#include "report/objects/report_ivars.h"

enum loupe_status loupe_answer_ivar_layout(struct loupe_answering *answering) {
    struct loupe_ivar_report report;
    struct loupe_walk *walk = &answering->walk;
    enum loupe_status status =
        loupe_ivar_report_make(&answering->target, &answering->object, &report, &answering->error);
    if (status)
        return status;
    loupe_walk_init(walk, &answering->target);
    walk->explains = true;
    status = loupe_ivar_owners_find(walk, report.cls, &report.owners);
    if (status)
        return loupe_fail_at(&answering->error, status, report.cls->address);
    loupe_answering_begin_report(answering);
    loupe_answering_report_freed(answering);
    loupe_ivar_report_write(answering->json, &report);
    loupe_answering_end_report(answering, 1, 0);
    return LOUPE_OK;
}
