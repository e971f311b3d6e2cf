/* loupe functions: which functions the blocks of a heap run and where its roots stand, for
 * debuggers that name them. */
#include "heaps/heap_verb.h"
#include "shared/output.h"
#include "snapshot/native.h"

#include <inttypes.h>

static void print_functions(const struct loupe_snapshot *snapshot, FILE *to) {
    for (uint32_t i = 0; i < snapshot->class_count; i++) {
        uint64_t place = snapshot->native->class_places[i];
        if (snapshot->class_table[i].kind == LOUPE_CLASS_BLOCKS && place)
            fprintf(to, "0x%" PRIx64 "\n", place);
    }
}

/* Those that may be variables: where it stands, what kind it is, what it holds, whose stack it is.
 */
static void print_roots(const struct loupe_snapshot *snapshot, FILE *to) {
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        const struct loupe_snapshot_root *root = &snapshot->roots[i];
        uint64_t slot = snapshot->native->root_places[i].slot;
        enum loupe_root_kind kind = (enum loupe_root_kind)root->kind;
        if (!slot || (kind != LOUPE_ROOT_GLOBAL && kind != LOUPE_ROOT_STACK))
            continue;
        fprintf(to, "root\t0x%" PRIx64 "\t%s\t0x%" PRIx64 "\t%" PRIu32 "\n", slot,
                loupe_snapshot_root_kind_name(kind), loupe_snapshot_address(snapshot, root->node),
                root->thread == LOUPE_NONE ? 0 : snapshot->threads[root->thread].serial);
    }
}

int heap_verb_functions(struct heap_query *query) {
    const struct loupe_snapshot *snapshot = query->snapshot;
    int status = heap_begin_output(query);
    if (status)
        return status;
    if (snapshot->native) {
        print_functions(snapshot, cli_output());
        print_roots(snapshot, cli_output());
    }
    if (loupe_snapshot_is_incomplete(snapshot))
        cli_note("functions: %s is incomplete, there may be more: loupe heap says why",
                 cli_printable(loupe_span_of(query->file)));
    return CLI_OK;
}
