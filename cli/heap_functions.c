/* loupe functions: which functions the blocks of a heap run, for debuggers that name them. */
#include "heap_verb.h"
#include "snapshot/native.h"

#include <inttypes.h>

int heap_verb_functions(struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    int status = heap_begin_output(query);
    if (status)
        return status;
    for (uint32_t i = 0; snapshot->native && i < snapshot->class_count; i++) {
        uint64_t place = snapshot->native->class_places[i];
        if (snapshot->class_table[i].kind == LOUPE_CLASS_BLOCKS && place)
            printf("0x%" PRIx64 "\n", place);
    }
    if (loupe_snapshot_is_incomplete(snapshot))
        fprintf(stderr,
                "loupe: functions: %s is incomplete, there may be more: loupe heap says why\n",
                cli_printable(loupe_span_of(query->file)));
    return CLI_OK;
}
