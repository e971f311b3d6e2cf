/* The section "Dangling references". */
#include "show_dangling.h"

#include "amounts.h"
#include "answers/texts.h"
#include "cli.h"
#include "leaks/heap_graph.h"
#include "native_words.h"

#include <inttypes.h>
#include <stdio.h>

enum { GROUPS_SHOWN = 10 };

static void show_group(const struct loupe_snapshot *snapshot,
                       const struct loupe_dangling_group *group) {
    const struct loupe_dangling *example = group->example;
    const struct loupe_label *label = &snapshot->native->label_table[example->label];
    struct loupe_span was = loupe_snapshot_string(snapshot, example->was);
    char path[LOUPE_MAX_PATH];
    loupe_native_slot_path(snapshot, label, example->slot, path);
    printf("  ");
    if (group->count > 1)
        printf("%s × ", cli_count(group->count));
    printf("%s.%s", words_of_class(snapshot, example->from).text,
           cli_printable(loupe_span_of(path)));
    struct words declared = words_of_declaration(snapshot, label);
    if (*declared.text)
        printf(" (%s)", declared.text);
    printf(" → a freed %s", was.length ? cli_printable(was) : "object");
    printf(" 0x%" PRIx64 ": %s", example->target,
           cli_printable(loupe_snapshot_string(snapshot, example->why)));
    printf(" (%s)\n", words_of_object(snapshot, example->from).text);
}

void show_dangling(const struct loupe_snapshot *snapshot,
                   const struct loupe_dangling_groups *groups) {
    if (!groups->references)
        return;
    printf("\n%s dangling reference%s, to %s (" ANSWER_CLEAR_DANGLING "):\n",
           cli_count(groups->references), groups->references == 1 ? "" : "s",
           groups->references == 1 ? "a freed object" : "freed objects");
    for (uint32_t i = 0; i < groups->count && i < GROUPS_SHOWN; i++)
        show_group(snapshot, &groups->items[i]);
    if (groups->count > GROUPS_SHOWN)
        printf("  and %s more place%s (--json has all)\n", cli_count(groups->count - GROUPS_SHOWN),
               groups->count - GROUPS_SHOWN == 1 ? "" : "s");
}
