#include "memory_words.h"

#include "leaks/heap_graph.h"

#include <inttypes.h>

/* Of a reference from an object: one that nothing describes has an offset in place of a name. */
static struct words by_reference(const struct loupe_tracer *tracer, uint32_t from, uint32_t node) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    uint32_t link =
        loupe_path_link(&tracer->columns, tracer->policy->paths, tracer->policy->late, from, node);
    struct words owner = words_of_class(snapshot, from);
    struct words path =
        link == LOUPE_NO_EDGE ? words_say("%s", "+") : words_of_link(snapshot, from, link);
    return path.text[0] == '+' ? words_say("memory of %s 0x%" PRIx64, owner.text,
                                           loupe_snapshot_address(snapshot, from))
                               : words_say("buffer of %s in %s", path.text, owner.text);
}

bool memory_words(const struct loupe_tracer *tracer, const struct loupe_shortest *shortest,
                  uint32_t node, struct words *ret) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    uint32_t end = node, before;
    if (!snapshot->native || !loupe_native_is_memory(snapshot, node) ||
        shortest->from[node] == LOUPE_NO_NODE)
        return false;
    while ((before = loupe_path_before(shortest, end)) != LOUPE_NO_NODE &&
           loupe_native_is_memory(snapshot, before))
        end = before;
    if (before == LOUPE_NO_NODE)
        *ret = words_say("memory of %s", words_of_variable(snapshot, shortest->from[end]).text);
    else if (end == node)
        *ret = by_reference(tracer, before, node);
    else
        *ret = words_say("memory of %s 0x%" PRIx64, words_of_class(snapshot, before).text,
                         loupe_snapshot_address(snapshot, before));
    return true;
}
