#include "text/show_suspects.h"

#include "shared/amounts.h"
#include "answers/texts.h"
#include "cycles/fingerprint.h"
#include "mistakes/known_mistakes.h"
#include "text/native_words.h"
#include "text/show_knot.h"
#include "text/show_trace.h"

#include <inttypes.h>

enum { SHOWN_EQUAL = 4 };

/* "The same with 0x1f00, 0x2f00 and 3 more": the nodes of all but the first of equal ones, which
 * stand `stride` bytes from each other; nothing where there is only one. */
static void show_equal_ones(const struct loupe_snapshot *snapshot, const uint32_t *first,
                            size_t stride, uint32_t count) {
    uint32_t shown = count - 1 < SHOWN_EQUAL ? count - 1 : SHOWN_EQUAL;
    for (uint32_t i = 1; i <= shown; i++) {
        const uint32_t *node = (const uint32_t *)((const char *)first + i * stride);
        printf("%s 0x%" PRIx64, i == 1 ? "  The same with" : ",",
               loupe_snapshot_address(snapshot, *node));
    }
    if (shown < count - 1)
        printf(" and %s more", cli_count(count - 1 - shown));
    if (shown)
        printf("\n");
}

/* ": it was closed (line 3 of my.rules)": why a rule suspects something. */
static void show_reason(const struct loupe_rule *rule) {
    if (rule->reason.length)
        printf(": %s", cli_printable(rule->reason));
    printf(" (line %u of %s)", rule->line, cli_printable(loupe_file_of_rule(rule)));
}

/* ---- Leaked ones ---- */

static void show_holder(const struct loupe_leaked_suspects *leaked, uint32_t node) {
    const struct loupe_tracer *tracer = &leaked->held->question->tracer;
    uint32_t holder, link;
    if (!loupe_leaked_suspect_holder(tracer->snapshot, node, &holder, &link)) {
        printf("  " ANSWER_RELEASE_IS_MISSING "\n");
        return;
    }
    printf("  Not in a retain cycle. Held by ");
    show_link(tracer, holder, link);
    printf(" of ");
    show_object(tracer->snapshot, holder);
    printf(", which is leaked itself\n");
}

static void show_ring(struct loupe_heap_cycles *found, const struct loupe_knot_facts *knot) {
    struct knot_scene scene =
        knot_scene_of(&found->graph, &found->describer, &found->cycles, &found->arena);
    struct shown_knot shown;
    shown_knot_open(&scene, knot, &shown);
    printf("  ");
    show_knot_size(&shown);
    printf(", ");
    show_verdict(&shown);
    printf("\n");
    show_knot(&shown);
    shown_knot_close(&shown);
}

/* The ring that an object is in; nothing where it is in none. */
static int show_own_ring(const struct heap_query *query, const struct loupe_leaked_suspects *leaked,
                         uint32_t node, bool *ret_is_shown) {
    struct loupe_heap_cycles found;
    struct loupe_heap_cycles_asked asked = leaked->rings;
    asked.object = node;
    int status = loupe_heap_cycles_find(&found, &asked, &heap_chunks) ? heap_ended(query) : CLI_OK;
    const struct loupe_knot_facts *knot = status ? NULL : loupe_heap_cycles_own(&found);
    *ret_is_shown = knot;
    if (knot)
        show_ring(&found, knot);
    loupe_heap_cycles_deinit(&found);
    return status;
}

static int show_leaked_group(const struct heap_query *query,
                             const struct loupe_leaked_suspects *leaked,
                             const struct loupe_leaked_suspect *first) {
    uint32_t count = loupe_leaked_group_size(leaked, first);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    bool is_in_ring = false;
    loupe_fingerprint_text(first->fingerprint, fingerprint);
    printf("\n%s × ", cli_count(count));
    show_object(query->snapshot, first->node);
    printf("; fingerprint %s\n  leaking", fingerprint);
    show_reason(first->rule);
    printf("\n");
    int status = show_own_ring(query, leaked, first->node, &is_in_ring);
    if (!status && !is_in_ring)
        show_holder(leaked, first->node);
    show_equal_ones(query->snapshot, &first->node, sizeof(*first), count);
    return status;
}

static int show_leaked(const struct heap_query *query, const struct loupe_leaked_suspects *leaked,
                       uint32_t shown) {
    int status = CLI_OK;
    uint32_t all = leaked->count + leaked->not_looked_at;
    if (!all)
        return CLI_OK;
    printf("\n%s object%s that should be gone %s leaked: unreachable\n", cli_count(all),
           all == 1 ? "" : "s", all == 1 ? "is" : "are");
    for (uint32_t i = 0; !status && i < shown && i < leaked->group_count; i++)
        status = show_leaked_group(query, leaked, leaked->groups[i]);
    if (shown < leaked->group_count)
        printf("\n… and %s more causes (--limit 0 shows all)\n",
               cli_count(leaked->group_count - shown));
    if (leaked->not_looked_at)
        printf("incomplete: %s more were not searched\n", cli_count(leaked->not_looked_at));
    return status;
}

/* ---- Owners ---- */

/* "Registry.sessions keeps 612.4 MB, 83 % of what is alive: 1,533,458 Session". */
static void show_owner(const struct loupe_share_suspects *suspects,
                       const struct loupe_share_suspect *suspect) {
    const struct loupe_snapshot *snapshot = suspects->question->tracer.snapshot;
    const struct loupe_owner *owner = &suspect->owner;
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(suspect->fingerprint, fingerprint);
    if (owner->count > 1)
        printf("\n%s %s keep %s, %u %% of what is alive; fingerprint %s\n", cli_count(owner->count),
               cli_printable(loupe_snapshot_class_name(snapshot, owner->held_class)),
               cli_bytes(owner->retained), suspect->percent, fingerprint);
    else
        printf("\n%s keeps %s, %u %% of what is alive",
               cli_printable(loupe_span_of(suspect->culprit)), cli_bytes(owner->retained),
               suspect->percent);
    if (owner->count == 1 && owner->held_class != LOUPE_NO_NODE)
        printf(": %s × %s", cli_count(owner->held_count),
               cli_printable(loupe_snapshot_class_name(snapshot, owner->held_class)));
    if (owner->count == 1)
        printf("; fingerprint %s\n", fingerprint);
    show_trace(&suspects->question->tracer, &suspect->trace, suspects->dominators);
}

static void show_owners(const struct loupe_share_suspects *suspects) {
    if (!suspects->count) {
        printf("\nNo %sobject, and no %sclass of objects, keeps %u %% of the %s alive\n",
               suspects->hidden ? "other " : "", suspects->hidden ? "other " : "",
               suspects->percent, cli_bytes(suspects->alive));
        return;
    }
    printf("\nWhat keeps %u %% or more of the %s that are alive, whether it should or not:\n",
           suspects->percent, cli_bytes(suspects->alive));
    for (uint32_t i = 0; i < suspects->count; i++)
        show_owner(suspects, &suspects->items[i]);
}

/* ---- Held ones ---- */

static void show_known_mistake(const struct loupe_pattern *pattern) {
    if (pattern)
        printf("  " ANSWER_KNOWN_MISTAKE "%s\n", cli_printable(pattern->name));
}

static void show_group(const struct heap_query *query, const struct loupe_causes *causes,
                       const struct loupe_patterns *mistakes,
                       const struct loupe_held_suspect *first) {
    const struct loupe_held_suspects *suspects = &causes->held;
    const struct loupe_snapshot *snapshot = query->snapshot;
    bool is_shown;
    uint32_t begin = (uint32_t)(first - suspects->items),
             end = loupe_held_suspects_end(suspects, begin);
    char fingerprint[LOUPE_FINGERPRINT_TEXT];
    loupe_fingerprint_text(first->trace.fingerprint, fingerprint);
    printf("\n%s × %s, %s%sfingerprint %s\n", cli_count(end - begin),
           cli_printable(loupe_snapshot_class_name(snapshot, snapshot->classes[first->node])),
           first->rule->reason.length ? cli_printable(first->rule->reason) : "",
           first->rule->reason.length ? "; " : "", fingerprint);
    if (first->trace.level == LOUPE_LEVEL_LATE)
        printf("  Held only over unretained references, untyped pointers, soft references or known "
               "library "
               "leaks\n");
    if (first->trace.level == LOUPE_LEVEL_STACK)
        printf("  Held only from the stack of running code\n");
    show_trace(&suspects->question->tracer, &first->trace, suspects->dominators);
    if (first->trace.level == LOUPE_LEVEL_STACK && snapshot->native)
        show_own_ring(query, &causes->leaked, first->node, &is_shown);
    show_known_mistake(loupe_known_mistake_of_trace(mistakes, snapshot, &first->trace));
    show_equal_ones(snapshot, &first->node, sizeof(*first), end - begin);
}

/* ---- All of them ---- */

/* "; no owner over 10 %": nothing keeps so much of the heap. */
static struct words no_owner(const struct loupe_share_suspects *owners) {
    return owners->count ? words_say("%s", "")
                         : words_say("; no owner over %u %%", owners->percent);
}

int show_causes(const struct heap_query *query, const struct loupe_causes *causes, uint32_t most,
                const struct loupe_patterns *mistakes) {
    const struct loupe_held_suspects *suspects = &causes->held;
    uint32_t groups = suspects->group_count, shown = most && most < groups ? most : groups;
    int status = CLI_OK;
    if (suspects->count)
        printf("%s object%s should be gone but %s held (%s distinct cause%s); %s %s object%s, %s "
               "alive\n",
               cli_count(suspects->count), suspects->count == 1 ? "" : "s",
               suspects->count == 1 ? "is" : "are", cli_count(suspects->group_count),
               suspects->group_count == 1 ? "" : "s",
               suspects->count == 1 ? "it keeps" : "they keep", cli_count(suspects->total.objects),
               suspects->total.objects == 1 ? "" : "s", cli_bytes(suspects->total.bytes));
    else
        printf("No %ssuspects (%s rules%s)\n", causes->hidden ? "other " : "",
               cli_count(suspects->question->rules.count), no_owner(&causes->owners).text);
    for (uint32_t i = 0; i < shown; i++)
        show_group(query, causes, mistakes, suspects->groups[i]);
    if (shown < suspects->group_count)
        printf("\n… and %s more causes (--limit 0 shows all)\n",
               cli_count(suspects->group_count - shown));
    if (suspects->by_others)
        printf("\n%s more should be gone and %s held by these only\n",
               cli_count(suspects->by_others), suspects->by_others == 1 ? "is" : "are");
    if (query->snapshot->native)
        status = show_leaked(query, &causes->leaked, most ? most : UINT32_MAX);
    else if (suspects->not_held)
        printf("\n%s object%s that should be gone will be freed: %s\n",
               cli_count(suspects->not_held), suspects->not_held == 1 ? "" : "s",
               suspects->not_held == 1 ? "it is garbage" : "they are garbage");
    show_owners(&causes->owners);
    if (causes->hidden)
        printf("\nHidden by the baseline: %s cause%s\n", cli_count(causes->hidden),
               causes->hidden == 1 ? "" : "s");
    return status;
}
