/* loupe functions: which functions the blocks of a heap run, for debuggers that name them. */
#include "heap_verb.h"
#include "snapshot/native.h"

#include <inttypes.h>

static int run(struct heap_query *query) {
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

const struct heap_verb heap_verb_functions = {
    .name = "functions",
    .operands = "",
    .summary = "addresses of the functions that its blocks run, for --names",
    .help = "The address of each function that a block of an Objective-C heap runs, one in a line: "
            "what a debugger\nhas to name for --names (docs/leaks.md).",
    .options = 0,
    .files = 1,
    .least_operands = 0,
    .most_operands = 0,
    .run = run,
};
