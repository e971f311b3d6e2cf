/* Who still points to what was freed is the question after a crash there. */
#include "heaps/heap_freed.h"

#include "heaps/heap_answer.h"
#include "report/heaps/report_dangling.h"
#include "report/heaps/report_snapshot.h"

#include <stdlib.h>

static bool find(const struct heap_query *query, uint64_t address, struct loupe_arena *arena,
                 struct loupe_dangling_groups *groups, struct loupe_freed_object *ret) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    ret->groups = groups;
    if (!snapshot->native || loupe_dangling_find_to(snapshot, address, arena, groups))
        return false;
    if (groups->count) {
        const struct loupe_dangling *example = groups->items[0].example;
        ret->why = loupe_snapshot_string(snapshot, example->why);
        ret->was = loupe_snapshot_string(snapshot, example->was);
        return true;
    }
    ret->why = loupe_span_of(loupe_freed_text(query->freed.mark));
    return query->freed.mark != LOUPE_FREED_NO_MARK && query->freed.address == address;
}

static void write_refusal(const struct heap_query *query, uint64_t address,
                          const struct loupe_freed_object *object) {
    struct loupe_error error;
    struct loupe_json json;
    loupe_detail(&error, LOUPE_DETAIL_FREED,
                 loupe_fail(&error, LOUPE_ENOTOBJECT, address, "0x%llx was freed: %s",
                            (unsigned long long)address, cli_printable(object->why)));
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin_error(&json, query->verb->name, &error);
    loupe_report_freed_object(&json, object);
    loupe_json_end_object(&json);
    loupe_json_finish(&json);
    cli_end_answer();
}

static int refuse(const struct heap_query *query, uint64_t address,
                  const struct loupe_freed_object *object) {
    struct capture capture;
    size_t length = 0;
    if (query->options.json)
        write_refusal(query, address, object);
    capture_begin(&capture, CAPTURED_ANSWERS);
    write_refusal(query, address, object);
    char *text = capture_end(&capture, &length);
    int status = text ? heap_answer_say(query, (struct loupe_span){text, length}, NULL)
                      : heap_fail(query, LOUPE_ENOMEM, "out of memory");
    free(text);
    return status;
}

bool heap_refuse_freed(const struct heap_query *query, uint64_t address, int *status_ret) {
    struct loupe_dangling_groups groups;
    struct loupe_memory_owners owners;
    struct loupe_freed_object object = {.owners = &owners};
    struct loupe_arena arena;
    loupe_arena_init(&arena, &heap_chunks);
    loupe_memory_owners_init(&owners, query->snapshot, &heap_chunks);
    bool was_freed = find(query, address, &arena, &groups, &object);
    if (was_freed)
        *status_ret = refuse(query, address, &object);
    loupe_memory_owners_deinit(&owners);
    loupe_arena_deinit(&arena);
    return was_freed;
}
