#include "show_trace.h"

#include "amounts.h"
#include "cli.h"
#include "held_suspects.h"
#include "show_stack.h"
#include "native_words.h"

#include <inttypes.h>
#include <string.h>

enum { SHOWN_OF_RUN = 2 }; /* steps of a run that are shown before the rest is folded */

/* ---- Objects and links ---- */

static uint32_t thread_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    for (uint32_t i = 0; i < snapshot->thread_count; i++) {
        if (snapshot->threads[i].node == node)
            return i;
    }
    return LOUPE_NONE;
}

void show_object(const struct loupe_snapshot *snapshot, uint32_t node) {
    char value[80];
    struct loupe_span text = {value,
                              loupe_snapshot_show_value(snapshot, node, value, sizeof(value))};
    if (snapshot->native) {
        printf("%s%s%s", words_in_full(snapshot, node).text, text.length ? " " : "",
               cli_printable(text));
        return;
    }
    uint32_t is_class = loupe_snapshot_class_at(snapshot, node);
    uint32_t number = is_class == LOUPE_NONE ? snapshot->classes[node] : is_class;
    uint32_t thread = thread_of(snapshot, node);
    printf("%s%s 0x%" PRIx64, is_class == LOUPE_NONE ? "" : "class ",
           cli_printable(loupe_snapshot_class_name(snapshot, number)),
           loupe_snapshot_address(snapshot, node));
    if (thread != LOUPE_NONE)
        printf(" \"%s\"",
               cli_printable(loupe_snapshot_string(snapshot, snapshot->threads[thread].name)));
    else if (text.length)
        printf(" %s", cli_printable(text));
    struct loupe_span heap = loupe_snapshot_heap_name(snapshot, node);
    if (heap.length)
        printf(" in %s", cli_printable(heap));
}

static void show_native_link(const struct loupe_snapshot *snapshot, uint32_t from, uint32_t link) {
    const struct loupe_label *label = loupe_native_label(snapshot, link);
    if (label && label->declared_by != LOUPE_NONE)
        printf("%s.", cli_printable(loupe_snapshot_string(snapshot, label->declared_by)));
    struct words path = words_of_link(snapshot, from, link);
    struct words kind = words_of_link_kind(snapshot, link);
    printf("%s", path.text);
    if ((!label || label->kind != LOUPE_EDGE_IVAR) && strcmp(path.text, kind.text) != 0)
        printf(" (%s)", kind.text);
}

void show_link(const struct loupe_tracer *tracer, uint32_t from, uint32_t link) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    struct loupe_link_name name;
    if (snapshot->native) {
        show_native_link(snapshot, from, link);
        return;
    }
    loupe_snapshot_name_link(snapshot, from, link, &name);
    switch (name.kind) {
    case LOUPE_LINK_NAME_FIELD:
    case LOUPE_LINK_NAME_STATIC:
        printf("%s.%s%s", cli_printable(loupe_snapshot_class_name(snapshot, name.declared_by)),
               cli_printable(name.name), name.kind == LOUPE_LINK_NAME_STATIC ? " (static)" : "");
        break;
    case LOUPE_LINK_NAME_ELEMENT:
        printf("[%s]", cli_count(name.index));
        break;
    case LOUPE_LINK_NAME_CONSTANT:
        printf("constant [%" PRIu32 "] of the class", name.index);
        break;
    case LOUPE_LINK_NAME_SPECIAL:
        printf("its %s", cli_printable(name.name));
        break;
    default:
        printf("a reference whose name is not known");
    }
}

/* ---- Roots ---- */

static void show_frame(const struct loupe_snapshot *snapshot,
                       const struct loupe_snapshot_frame *frame) {
    struct loupe_span source = loupe_snapshot_string(snapshot, frame->source);
    printf("%s.%s(", cli_printable(loupe_snapshot_string(snapshot, frame->class_name)),
           cli_printable(loupe_snapshot_string(snapshot, frame->method)));
    printf("%s", source.length ? cli_printable(source) : "unknown source");
    if (frame->line > 0)
        printf(":%" PRId32, frame->line);
    printf(")");
}

void show_root_words(const struct loupe_tracer *tracer, uint32_t number) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    const struct loupe_snapshot_root *root = &snapshot->roots[number];
    const struct loupe_snapshot_frame *frame = loupe_snapshot_root_frame(snapshot, number);
    printf("%s", snapshot->native
                     ? words_of_root(snapshot, number).text
                     : loupe_snapshot_root_kind_name((enum loupe_root_kind)root->kind));
    if (!snapshot->native && root->thread < snapshot->thread_count) {
        struct loupe_span name =
            loupe_snapshot_string(snapshot, snapshot->threads[root->thread].name);
        printf(" of thread \"%s\"", cli_printable(name));
    }
    if (frame) {
        printf(" in ");
        show_frame(snapshot, frame);
    }
}

static void show_root(const struct loupe_tracer *tracer, const struct loupe_trace *trace) {
    printf("  ┬ ");
    show_root_words(tracer, trace->root);
    if (trace->root_rule)
        printf("\n  │ known: %s", cli_printable(trace->root_rule->reason));
    printf("\n");
}

/* ---- Steps ---- */

static bool is_same_step(const struct loupe_tracer *tracer, const struct loupe_trace_step *a,
                         const struct loupe_trace_step *b) {
    const struct loupe_snapshot *snapshot = tracer->snapshot;
    if (snapshot->classes[a->node] != snapshot->classes[b->node] || a->rule != b->rule ||
        a->link_rule != b->link_rule || a->link == LOUPE_NO_EDGE || b->link == LOUPE_NO_EDGE)
        return false;
    struct loupe_link_name x, y;
    loupe_snapshot_name_link(snapshot, a->node, a->link, &x);
    loupe_snapshot_name_link(snapshot, b->node, b->link, &y);
    return x.kind == y.kind && x.declared_by == y.declared_by && x.index == y.index &&
           x.name.length == y.name.length && !memcmp(x.name.bytes, y.name.bytes, x.name.length);
}

/* How many steps from one on go along the same field of the same class. */
static uint32_t run_from(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                         uint32_t first) {
    uint32_t next = first + 1;
    while (next < trace->count && is_same_step(tracer, &trace->steps[first], &trace->steps[next]))
        next++;
    return next - first;
}

/* Of those that are meant to be alive the last one: the others stand before it. */
static bool is_worth_saying(const struct loupe_trace *trace, uint32_t i) {
    switch (trace->steps[i].expectation) {
    case LOUPE_EXPECTED_LEAKING:
        return true;
    case LOUPE_EXPECTED_ALIVE:
        for (uint32_t k = i + 1; k < trace->count; k++) {
            if (trace->steps[k].expectation == LOUPE_EXPECTED_ALIVE)
                return false;
        }
        return true;
    default:
        return false;
    }
}

static void show_expectation(const struct loupe_trace *trace, uint32_t i, const char *margin) {
    const struct loupe_trace_step *step = &trace->steps[i];
    if (!is_worth_saying(trace, i))
        return;
    bool is_leaking = step->expectation == LOUPE_EXPECTED_LEAKING;
    printf("%s%s", margin, is_leaking ? "leaking" : "meant to be alive");
    if (is_leaking)
        show_reason(step->rule);
    else if (step->rule->reason.length)
        printf(": %s", cli_printable(step->rule->reason));
    printf("\n");
}

/* Why a link is not as others: its kind, a rule, or that it is where to look. */
static void show_link_notes(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                            uint32_t i) {
    const struct loupe_trace_step *step = &trace->steps[i];
    enum loupe_link_kind kind = tracer->columns.kinds
                                    ? (enum loupe_link_kind)tracer->columns.kinds[step->link]
                                    : LOUPE_LINK_STRONG;
    bool is_plain = kind == LOUPE_LINK_STRONG || kind == LOUPE_LINK_CLASS ||
                    kind == LOUPE_LINK_LOADER || kind == LOUPE_LINK_DOMAIN ||
                    kind == LOUPE_LINK_SUPERCLASS || step->link_rule;
    if (!is_plain)
        printf("  (%s)", loupe_link_kind_name(kind));
    if (step->link_rule)
        printf("  (known leak of a library: %s)", cli_printable(step->link_rule->reason));
    if (i == trace->first_suspect)
        printf("  ◀── look here first");
    else if (step->is_suspect)
        printf("  ◀── or here");
    printf("\n");
}

static void show_step(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                      uint32_t i) {
    const struct loupe_trace_step *step = &trace->steps[i];
    printf("  ├─ ");
    show_object(tracer->snapshot, step->node);
    printf("\n");
    show_expectation(trace, i, "  │    ");
    printf("  │    ↓ ");
    show_link(tracer, step->node, step->link);
    show_link_notes(tracer, trace, i);
}

static void show_end(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                     const struct loupe_dominators *dominators) {
    const struct loupe_trace_step *step = &trace->steps[trace->count - 1];
    printf("  ╰▶ ");
    show_object(tracer->snapshot, step->node);
    printf("\n");
    show_expectation(trace, trace->count - 1, "       ");
    printf("       %s", cli_bytes(loupe_columns_size(&tracer->columns, step->node)));
    if (dominators)
        printf(", retains %s in %s object%s", cli_bytes(dominators->retained[step->node]),
               cli_count(dominators->counts[step->node]),
               dominators->counts[step->node] == 1 ? "" : "s");
    printf("\n");
    show_allocation(tracer->snapshot, step->node, "       ");
}

void show_trace(const struct loupe_tracer *tracer, const struct loupe_trace *trace,
                const struct loupe_dominators *dominators) {
    show_root(tracer, trace);
    for (uint32_t i = 0; i + 1 < trace->count;) {
        uint32_t run = run_from(tracer, trace, i);
        uint32_t shown = run > SHOWN_OF_RUN + 1 ? SHOWN_OF_RUN : run;
        for (uint32_t k = 0; k < shown; k++)
            show_step(tracer, trace, i + k);
        if (shown < run)
            printf("  ┊    … %s more of the same\n", cli_count(run - shown));
        i += run;
    }
    show_end(tracer, trace, dominators);
}
