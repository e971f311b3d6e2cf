#include "text/show_reuse.h"

#include "shared/amounts.h"
#include "snapshot/recorded_stacks.h"

#include <inttypes.h>

enum { SHOWN_CLASSES = 5 };

static void show_classes(const struct loupe_difference *difference, uint32_t changed, bool sure) {
    uint32_t classes = 0;
    for (uint32_t i = 0; i < changed; i++) {
        const struct loupe_class_difference *row = &difference->classes[i];
        uint64_t count = sure ? row->reused : row->maybe_reused;
        if (count && classes++ < SHOWN_CLASSES)
            printf("%s%s %s", classes > 1 ? ", " : ": ", cli_count(count),
                   cli_printable(row->name));
    }
    if (classes > SHOWN_CLASSES)
        printf(" and %s more classes", cli_count(classes - SHOWN_CLASSES));
    printf("\n");
}

static void show_processes(const struct heap_query *query) {
    uint64_t before = query->older->native->process, now = query->snapshot->native->process;
    if (before && now && before != now)
        printf("note: these are two processes, %" PRIu64 " and %" PRIu64
               ": an address in both need not be the same object\n",
               before, now);
}

void show_reuse(const struct heap_query *query, const struct loupe_difference *difference,
                uint32_t changed) {
    const struct loupe_class_difference *total = &difference->total;
    if (!difference->tells_reuse) {
        show_processes(query);
        return;
    }
    if (total->reused) {
        printf("%s of the new ones stand%s where another of the class was freed",
               cli_count(total->reused), total->reused == 1 ? "s" : "");
        show_classes(difference, changed, true);
    }
    if (total->maybe_reused) {
        printf("%s of those still there may be new ones at the same address, with other neighbours",
               cli_count(total->maybe_reused));
        show_classes(difference, changed, false);
    }
    if (total->still)
        printf(
            "note: an object replaced by an equal one at the same address counts as still there%s; "
            "class totals are right\n",
            loupe_snapshot_has_recorder(query->snapshot) ? ""
                                                         : " (libloupe_record tells some apart)");
}
