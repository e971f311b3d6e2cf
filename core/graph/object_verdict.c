#include "graph/object_verdict.h"

#include "base/text.h"

#define MANY(number) (unsigned long long)(number), (number) == 1 ? "" : "s"

const char *loupe_object_verdict_name(enum loupe_object_verdict_kind kind) {
    static const char *const names[] = {[LOUPE_OBJECT_UNCLEAR] = "unknown",
                                        [LOUPE_OBJECT_HELD] = "held",
                                        [LOUPE_OBJECT_LEAKED] = "leaked",
                                        [LOUPE_OBJECT_OVER_RELEASED] = "over-released"};
    return names[kind];
}

/* ---- Sums ---- */

static uint64_t certain_owners(const struct loupe_incoming *incoming) {
    uint64_t not_certain = incoming->assumed + incoming->shared;
    uint64_t found = incoming->edges_found > not_certain ? incoming->edges_found - not_certain : 0;
    return found + incoming->owned_by_roots;
}

static uint64_t possible_owners(const struct loupe_incoming *incoming) {
    return incoming->edges_found - incoming->shared + incoming->owned_by_roots;
}

static uint64_t count_unexplained(const struct loupe_incoming *incoming,
                                  const struct loupe_object_evidence *evidence) {
    uint64_t owners = possible_owners(incoming);
    return evidence->known == LOUPE_COUNT_KNOWN && evidence->retains > owners
               ? evidence->retains - owners
               : 0;
}

/* Words that own nothing by themselves are those of pools, which were counted as owners. */
static uint64_t words_of_roots(const struct loupe_incoming *incoming, bool without_stacks) {
    uint64_t words = loupe_words_without_stacks(incoming);
    if (!without_stacks)
        words += incoming->words[LOUPE_ROOT_STACK] + incoming->words[LOUPE_ROOT_REGISTER];
    return words;
}

bool loupe_object_needs_search(const struct loupe_incoming *incoming,
                               const struct loupe_object_evidence *evidence) {
    return count_unexplained(incoming, evidence) > words_of_roots(incoming, false);
}

/* ---- Holders ---- */

struct holders {
    bool rooted, certainly_rooted; /* some is reached from a root; by a reference known to own it */
    bool all_close_rings;          /* for certain */
    bool in_memory_reached_without_stacks; /* a word stands in memory that a root keeps which is no
                                              stack */
};

static struct holders look_at_holders(const struct loupe_graph *graph,
                                      const struct loupe_incoming *incoming) {
    struct holders ret = {.all_close_rings = incoming->edge_count > 0};
    for (uint32_t i = 0; i < incoming->edge_count; i++) {
        const struct loupe_incoming_edge *held = &incoming->edges[i];
        bool rooted = held->path.root != LOUPE_NO_ROOT;
        ret.rooted |= rooted;
        ret.certainly_rooted |=
            rooted && loupe_graph_edge_facts(graph, held->edge)->ownership == LOUPE_STRONG;
        ret.all_close_rings &= !rooted && held->closing == LOUPE_CLOSES_A_RING;
    }
    for (uint32_t i = 0; i < incoming->memory_count; i++)
        ret.in_memory_reached_without_stacks |= incoming->memory[i].is_reached_without_stacks;
    return ret;
}

/* ---- The verdict ---- */

static void conclude(struct loupe_object_verdict *verdict, enum loupe_object_verdict_kind kind,
                     const char *format, ...) __attribute__((format(printf, 3, 4)));

static void conclude(struct loupe_object_verdict *verdict, enum loupe_object_verdict_kind kind,
                     const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verdict->kind = kind;
    loupe_format_list(verdict->reason, sizeof(verdict->reason), format, arguments);
    va_end(arguments);
}

/* Nothing holds what is gone: what leads there will be used by mistake. */
static void judge_freed(struct loupe_object_verdict *verdict, const struct loupe_incoming *incoming,
                        uint64_t owners) {
    uint64_t found = possible_owners(incoming) + incoming->ruled_out_found;
    enum loupe_object_verdict_kind kind =
        owners ? LOUPE_OBJECT_OVER_RELEASED : LOUPE_OBJECT_UNCLEAR;
    if (found)
        conclude(verdict, kind, "it was freed, and %llu reference%s to it remain%s", MANY(found),
                 found == 1 ? "s" : "");
    else
        conclude(verdict, kind, "it was freed");
}

/* Where the count says nothing. False: it does. */
static bool judge_without_count(struct loupe_object_verdict *verdict,
                                const struct loupe_object_evidence *evidence, bool rooted) {
    if (evidence->only_looks_like)
        conclude(verdict, LOUPE_OBJECT_UNCLEAR,
                 "it only looks like an object: no allocation begins where its would");
    else if (evidence->known == LOUPE_COUNT_IMMORTAL)
        conclude(verdict, LOUPE_OBJECT_HELD, "it is never freed");
    else if (evidence->known == LOUPE_COUNT_KNOWN)
        return false;
    else if (rooted)
        conclude(
            verdict, LOUPE_OBJECT_HELD,
            "a root reaches it; its retain count is unknown, so a missing release would not show");
    else
        conclude(verdict, LOUPE_OBJECT_UNCLEAR, "its retain count is unknown");
    return true;
}

/* That nobody could own some of its retains. */
static void say_leaked(struct loupe_object_verdict *verdict,
                       const struct loupe_object_evidence *evidence, uint64_t unexplained,
                       uint64_t words) {
    uint64_t megabytes = evidence->searched_bytes >> 20;
    uint64_t missing = unexplained - words;
    conclude(verdict, LOUPE_OBJECT_LEAKED,
             "%s missing: %llu of its %llu retain%s %s no owner (no %s pointer to it in %llu MB of "
             "writable memory)",
             missing == 1 ? "a release is" : "releases are", (unsigned long long)missing,
             MANY(evidence->retains), missing == 1 ? "has" : "have", words ? "further" : "other",
             (unsigned long long)(megabytes ? megabytes : 1));
}

static const char lost[] = "all that holds it is itself unreachable";

static const char *const held_by_leaks[] = {
    [LOUPE_IN_LEAKED_KNOT] = "only a retain cycle keeps it alive",
    [LOUPE_BELOW_LEAK] = "all that holds it is itself leaked"};

static const char owned_by_data[] = "a pointer in global or thread-local data may own it";

/* All retains may be owned by references that were found; one of them by another owner where it is
 * only assumed to be. */
static void judge_explained(struct loupe_object_verdict *verdict,
                            const struct loupe_incoming *incoming, const struct holders *holders,
                            bool one_may_be_anothers) {
    if (holders->all_close_rings && !incoming->owned_by_roots)
        conclude(verdict, LOUPE_OBJECT_LEAKED, "%s", held_by_leaks[LOUPE_IN_LEAKED_KNOT]);
    else if (holders->certainly_rooted)
        conclude(verdict, LOUPE_OBJECT_HELD, "its references own all its retains");
    else if (holders->rooted)
        conclude(verdict, LOUPE_OBJECT_HELD, "its references are only assumed to own it");
    else if (incoming->owned_by_roots)
        conclude(verdict, LOUPE_OBJECT_HELD, "until an autorelease pool is drained");
    else if (one_may_be_anothers && words_of_roots(incoming, true))
        conclude(verdict, LOUPE_OBJECT_HELD, "%s", owned_by_data);
    else if (incoming->edges_found)
        conclude(verdict, LOUPE_OBJECT_UNCLEAR,
                 "no root that was searched reaches its holders: ask about these");
    else
        conclude(verdict, LOUPE_OBJECT_UNCLEAR, "its retain count is 0");
}

static void judge_unexplained(struct loupe_object_verdict *verdict,
                              const struct loupe_incoming *incoming,
                              const struct loupe_object_evidence *evidence,
                              const struct holders *holders, uint64_t unexplained) {
    if (holders->certainly_rooted)
        conclude(verdict, LOUPE_OBJECT_HELD,
                 "references own it; %llu of its %llu retain%s may have another owner",
                 (unsigned long long)unexplained, MANY(evidence->retains));
    else if (words_of_roots(incoming, true))
        conclude(verdict, LOUPE_OBJECT_HELD, "%s", owned_by_data);
    else if (holders->in_memory_reached_without_stacks)
        conclude(verdict, LOUPE_OBJECT_HELD, "a pointer in reachable non-object memory may own it");
    else if (unexplained <= words_of_roots(incoming, false))
        conclude(
            verdict, LOUPE_OBJECT_UNCLEAR,
            "stack or register values may own %llu of its %llu retain%s; if %s never released, "
            "it is a leak",
            (unsigned long long)unexplained, MANY(evidence->retains),
            unexplained == 1 ? "that is" : "these are");
    else if (!evidence->searched)
        conclude(verdict, LOUPE_OBJECT_UNCLEAR,
                 "%llu of its %llu retain%s may be owned by memory that was not searched",
                 (unsigned long long)unexplained, MANY(evidence->retains));
    else
        conclude(verdict, LOUPE_OBJECT_UNCLEAR,
                 "%llu of its %llu retain%s may be owned by non-object memory, where %llu "
                 "pointer%s to it",
                 (unsigned long long)unexplained, MANY(evidence->retains),
                 (unsigned long long)evidence->other_words,
                 evidence->other_words == 1 ? " points" : "s point");
}

void loupe_object_verdict_find(const struct loupe_graph *graph,
                               const struct loupe_incoming *incoming,
                               const struct loupe_object_evidence *evidence,
                               struct loupe_object_verdict *ret) {
    struct holders holders = look_at_holders(graph, incoming);
    uint64_t owners = certain_owners(incoming);
    uint64_t unexplained = count_unexplained(incoming, evidence);
    uint64_t words = words_of_roots(incoming, false) + evidence->other_words;
    if (evidence->was_freed) {
        judge_freed(ret, incoming, owners);
        return;
    }
    if (evidence->is_lost && evidence->known == LOUPE_COUNT_UNKNOWN) {
        conclude(ret, LOUPE_OBJECT_LEAKED, "%s", lost);
        return;
    }
    if (judge_without_count(ret, evidence, holders.rooted))
        return;
    if (owners > evidence->retains)
        conclude(ret, LOUPE_OBJECT_OVER_RELEASED,
                 "%llu reference%s it, its retain count is %llu: it will be freed while still in "
                 "use (unless its class overrides -retain)",
                 (unsigned long long)owners, owners == 1 ? " owns" : "s own",
                 (unsigned long long)evidence->retains);
    else if (evidence->searched && unexplained > words)
        say_leaked(ret, evidence, unexplained, words);
    else if (evidence->is_lost && !holders.all_close_rings)
        conclude(ret, LOUPE_OBJECT_LEAKED, "%s", lost);
    else if (evidence->leak == LOUPE_IN_LEAKED_KNOT ||
             (evidence->leak == LOUPE_BELOW_LEAK && !unexplained))
        conclude(ret, LOUPE_OBJECT_LEAKED, "%s", held_by_leaks[evidence->leak]);
    else if (unexplained)
        judge_unexplained(ret, incoming, evidence, &holders, unexplained);
    else
        judge_explained(ret, incoming, &holders, owners < evidence->retains);
}

bool loupe_object_may_be_below_leak(const struct loupe_incoming *incoming,
                                    const struct loupe_object_evidence *evidence,
                                    const struct loupe_object_verdict *verdict) {
    return evidence->searched && evidence->known == LOUPE_COUNT_KNOWN && incoming->edges_found &&
           (verdict->kind == LOUPE_OBJECT_UNCLEAR || verdict->kind == LOUPE_OBJECT_HELD);
}
