/* loupe show: what is in an object, what it holds and who refers to it. */
#include "amounts.h"
#include "capture.h"
#include "heap_question.h"
#include "report/report_show.h"
#include "report/report_snapshot.h"
#include "show_stack.h"
#include "show_trace.h"
#include "show_values.h"
#include "snapshot/collections.h"
#include "snapshot/native.h"
#include "snapshot/referrers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_ITEMS = 30, TEXT_CAP = 160, WHOLE_TEXT_CAP = 1 << 24, MOST_ROOTS_SHOWN = 8 };

struct show {
    const struct heap_query *query;
    const struct loupe_snapshot *snapshot;
    struct loupe_shown_object object;
    struct loupe_tracer tracer;
    struct loupe_vector referrers;
    struct value_room room;
    uint32_t nested;
};

static uint32_t width_of(struct loupe_span name) {
    return (uint32_t)name.length;
}

static void indent(unsigned depth) {
    printf("%*s", (int)(2 * depth), "");
}

/* ---- The first lines ---- */

static void show_count(const struct show *show) {
    uint64_t count;
    if (!show->snapshot->native)
        return;
    switch (loupe_native_retain_count(show->snapshot, show->object.node, &count)) {
    case LOUPE_COUNT_KNOWN:
        printf(", retain count %s", cli_count(count));
        break;
    case LOUPE_COUNT_IMMORTAL:
        printf(", never freed");
        break;
    default:
        break;
    }
}

static void show_head(const struct show *show) {
    const struct loupe_dominators *dominators = show->object.dominators;
    uint32_t node = show->object.node, owner = dominators->immediate[node];
    show_target(show->snapshot, loupe_snapshot_address(show->snapshot, node), show->room);
    printf("\n  %s", cli_bytes(loupe_columns_size(&show->snapshot->columns, node)));
    if (owner == LOUPE_NO_NODE)
        printf(", %s", show->snapshot->native ? "unreachable" : "garbage");
    else
        printf(", keeps %s in %s object%s alive", cli_bytes(dominators->retained[node]),
               cli_count(dominators->counts[node]), dominators->counts[node] == 1 ? "" : "s");
    show_count(show);
    printf("\n");
    if (owner < show->snapshot->columns.nodes) {
        printf("  kept alive by ");
        show_target(show->snapshot, loupe_snapshot_address(show->snapshot, owner), show->room);
        printf(" alone\n");
    }
    show_allocation(show->snapshot, node, "  ");
}

/* ---- Fields ---- */

static uint32_t widest_name(const struct show *show, uint32_t node) {
    enum { MOST_WIDTH = 32 };
    struct loupe_field_cursor cursor = loupe_fields_begin(show->snapshot, node);
    struct loupe_field field;
    uint32_t widest = 0;
    while (loupe_fields_next(&cursor, &field)) {
        if (width_of(field.name) > widest)
            widest = width_of(field.name);
    }
    return widest < MOST_WIDTH ? widest : MOST_WIDTH;
}

static void show_fields(struct show *show, uint32_t node, uint32_t depth);

/* How a field of a native heap refers to its object, where it does not own it. */
static const char *note_of(const struct show *show, uint32_t node,
                           const struct loupe_field *field) {
    uint32_t link = loupe_field_link(show->snapshot, node, field);
    uint8_t kind = link == LOUPE_NO_EDGE ? LOUPE_LINK_STRONG : show->snapshot->columns.kinds[link];
    return kind == LOUPE_LINK_WEAK ? " (weak)" : kind == LOUPE_LINK_UNOWNED ? " (unretained)" : "";
}

/* " (Mail.m:57)": where it is declared, where that is known. */
static struct words place_of(const struct show *show, const struct loupe_field *field) {
    struct words place = words_of_field(show->snapshot, field);
    return *place.text ? words_say(" (%s)", place.text) : place;
}

/* A value, and below it the fields of an object that says nothing of itself. The levels are at
 * most LOUPE_SHOW_MOST_DEPTH. */
static void show_below(struct show *show, struct loupe_value value, const char *note,
                       uint32_t level, uint32_t depth) {
    uint32_t node;
    bool said = show_value(show->snapshot, value, show->room);
    printf("%s\n", note);
    if (!said && level < show->object.depth && value.type == LOUPE_VALUE_OBJECT && value.bits &&
        loupe_snapshot_find(show->snapshot, value.bits, &node) &&
        show->nested++ < LOUPE_SHOW_MOST_NESTED)
        show_fields(show, node, depth);
}

static void show_fields(struct show *show, uint32_t node, uint32_t depth) {
    struct loupe_field_cursor cursor = loupe_fields_begin(show->snapshot, node);
    uint32_t widest = widest_name(show, node), level = LOUPE_NONE;
    struct loupe_field field;
    while (loupe_fields_next(&cursor, &field)) {
        if (field.declared_by != level) {
            indent(depth);
            printf("%s", field.is_static ? "static fields of " : "");
            show_text(loupe_snapshot_class_name(show->snapshot, field.declared_by));
            printf("\n");
        }
        level = field.declared_by;
        indent(depth + 1);
        show_text(field.name);
        for (uint32_t i = width_of(field.name); i < widest; i++)
            putchar(' ');
        printf(" = ");
        struct words note = words_say("%s%s", note_of(show, node, &field),
                                      depth == 1 ? place_of(show, &field).text : "");
        if (field.is_known)
            show_below(show, field.value, note.text, depth / 2 + 1, depth + 2);
        else
            printf("(%s, not kept in this file)%s\n", loupe_value_type_name(field.type), note.text);
    }
}

/* ---- Items ---- */

struct items {
    struct show *show;
    uint64_t count, shown;
};

static bool show_item(void *ctx, const struct loupe_item *item) {
    struct items *items = ctx;
    struct show *show = items->show;
    items->count++;
    if (show->object.limit && items->shown >= show->object.limit)
        return true;
    items->shown++;
    printf("    ");
    if (item->key.type != LOUPE_VALUE_NONE) {
        show_value(show->snapshot, item->key, show->room);
        printf(" → ");
    } else if (item->name.length) {
        show_text(item->name);
        printf(" ");
    } else {
        printf("[%" PRIu64 "] ", item->index);
    }
    show_below(show, item->value, "", 1, 3);
    return true;
}

static enum loupe_status show_items(struct show *show) {
    static const char *const words[] = {[LOUPE_NO_COLLECTION] = "Array of",
                                        [LOUPE_LIST] = "List of",
                                        [LOUPE_SET] = "Set of",
                                        [LOUPE_MAP] = "Map of"};
    const struct loupe_snapshot *snapshot = show->snapshot;
    struct loupe_collection collection;
    struct items items = {.show = show};
    uint32_t node = show->object.node;
    bool is_array =
        snapshot->class_table[snapshot->classes[node]].kind == LOUPE_CLASS_OBJECT_ARRAYS;
    if (!loupe_collection_of(snapshot, node, &collection) && !is_array)
        return LOUPE_OK;
    printf("\n%s", words[collection.kind]);
    if (collection.has_count)
        printf(" %s", cli_count(collection.count));
    if (collection.capacity)
        printf(" in %s places", cli_count(collection.capacity));
    printf(collection.has_count || collection.capacity ? "\n" : " objects\n");
    enum loupe_status status =
        loupe_collection_each(snapshot, &heap_chunks, node, show_item, &items);
    if (items.shown < items.count)
        printf("    %s more (--limit 0 shows all)\n", cli_count(items.count - items.shown));
    return status;
}

/* ---- References ---- */

static void show_other_links(const struct show *show) {
    const struct loupe_columns *columns = &show->snapshot->columns;
    uint32_t node = show->object.node;
    uint64_t count = 0, shown = 0;
    for (uint32_t link = columns->first[node]; link < columns->first[node + 1]; link++) {
        if (!loupe_is_other_link(show->snapshot, node, link))
            continue;
        if (!count++)
            printf("\nOther references it has\n");
        if (show->object.limit && shown >= show->object.limit)
            continue;
        shown++;
        printf("    ");
        show_link(&show->tracer, node, link);
        printf(" → ");
        show_target(show->snapshot, loupe_snapshot_address(show->snapshot, columns->to[link]),
                    show->room);
        printf("\n");
    }
    if (shown < count)
        printf("    %s more (--limit 0 shows all)\n", cli_count(count - shown));
}

static void show_referrer(const struct show *show, const struct loupe_referrer *referrer) {
    bool is_element = referrer->name.kind == LOUPE_LINK_NAME_ELEMENT;
    printf("    %s × ", cli_count(referrer->count));
    if (is_element) {
        show_text(loupe_snapshot_class_name(show->snapshot, referrer->class_number));
        printf("[*]");
    } else {
        show_link(&show->tracer, referrer->node, referrer->link);
    }
    if (referrer->kind != LOUPE_LINK_STRONG)
        printf(" (%s)", loupe_link_kind_name((enum loupe_link_kind)referrer->kind));
    printf(", %s", referrer->count == 1 ? "of " : "the first of ");
    show_target(show->snapshot, loupe_snapshot_address(show->snapshot, referrer->node), show->room);
    printf("\n");
}

static void show_referrers(const struct show *show) {
    uint64_t count = show->object.other_referrers, shown = 0;
    for (uint32_t i = 0; i < show->referrers.count; i++)
        count += ((const struct loupe_referrer *)loupe_vector_at(&show->referrers, i,
                                                                 sizeof(struct loupe_referrer)))
                     ->count;
    printf("\nReferred to by %s%s\n", count ? cli_count(count) : "nothing",
           count == 1 ? " reference"
           : count    ? " references"
                      : "");
    for (uint32_t i = 0; i < show->referrers.count; i++) {
        const struct loupe_referrer *referrer =
            loupe_vector_at(&show->referrers, i, sizeof(*referrer));
        if (show->object.limit && shown >= show->object.limit)
            break;
        shown++;
        show_referrer(show, referrer);
    }
    if (shown < show->referrers.count)
        printf("    %s more kinds of references (--limit 0 shows all)\n",
               cli_count(show->referrers.count - shown));
}

static void show_roots(const struct show *show) {
    const struct loupe_snapshot *snapshot = show->snapshot;
    uint64_t count = 0;
    for (uint32_t i = 0; i < snapshot->columns.root_count; i++) {
        if (snapshot->roots[i].node != show->object.node || count++ >= MOST_ROOTS_SHOWN)
            continue;
        printf("  root: ");
        show_root_words(&show->tracer, i);
        printf("\n");
    }
    if (count > MOST_ROOTS_SHOWN)
        printf("  %s more roots\n", cli_count(count - MOST_ROOTS_SHOWN));
}

/* ---- Answers ---- */

static int print_text(struct show *show) {
    show_head(show);
    show_roots(show);
    struct loupe_field_cursor cursor = loupe_fields_begin(show->snapshot, show->object.node);
    struct loupe_field field;
    if (loupe_fields_next(&cursor, &field)) {
        printf("\n");
        show_fields(show, show->object.node, 1);
    }
    if (show_items(show))
        return heap_ended(show->query);
    show_other_links(show);
    show_referrers(show);
    show_recorder(show->snapshot);
    heap_print_notes(show->query,
                     show->object.dominators->immediate[show->object.node] == LOUPE_NO_NODE);
    return CLI_OK;
}

static int print_json(const struct show *show) {
    struct loupe_json json;
    loupe_json_init(&json, cli_answer_sink());
    loupe_report_snapshot_begin(&json, "show", show->snapshot, false);
    enum loupe_status status = loupe_report_show(&json, &show->object, &heap_chunks);
    loupe_report_snapshot_end(&json, show->snapshot);
    loupe_json_finish(&json);
    cli_end_answer();
    return status ? CLI_FAILURE : CLI_OK;
}

static uint32_t depth_of(const struct verb_values *options) {
    if (!options->depth)
        return 1;
    return options->depth < LOUPE_SHOW_MOST_DEPTH ? (uint32_t)options->depth
                                                  : LOUPE_SHOW_MOST_DEPTH;
}

static uint64_t limit_of(const struct verb_values *options) {
    if (options->has_limit)
        return options->limit;
    return options->whole ? 0 : SHOWN_ITEMS;
}

static int answer(struct show *show, const struct loupe_dominators *dominators) {
    const struct verb_values *options = &show->query->options;
    show->object.tracer = &show->tracer;
    show->object.dominators = dominators;
    show->object.referrers = &show->referrers;
    show->object.depth = depth_of(options);
    show->object.limit = limit_of(options);
    show->room.cap = options->whole ? WHOLE_TEXT_CAP : TEXT_CAP;
    show->room.text = malloc(show->room.cap);
    show->object.text = show->room.text;
    show->object.text_cap = show->room.cap;
    int status = CLI_OK;
    if (!show->room.text || loupe_referrers_find(show->snapshot, show->object.node, &heap_chunks,
                                                 &show->referrers, &show->object.other_referrers))
        status = heap_ended(show->query);
    if (!status)
        status = heap_begin_output(show->query);
    if (!status)
        status = options->json ? print_json(show) : print_text(show);
    free(show->room.text);
    return status;
}

int heap_verb_show(struct heap_query *query) {
    struct loupe_dominators dominators;
    struct show show = {.query = query, .snapshot = query->snapshot};
    int status = CLI_OK;
    if (!heap_query_object(query, query->operands[0], &show.object.node, &status))
        return status;
    if (heap_dominators(query, query->policy, &dominators))
        return heap_ended(query);
    show.tracer = heap_plain_tracer(query);
    loupe_vector_init(&show.referrers, &heap_chunks, sizeof(struct loupe_referrer));
    status = answer(&show, &dominators);
    loupe_vector_deinit(&show.referrers);
    loupe_dominators_deinit(&dominators);
    return status;
}
