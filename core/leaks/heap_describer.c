/* What nodes and links of a native snapshot are called, and how often they are retained. */
#include "cycles/system_classes.h"
#include "leaks/heap_graph.h"
#include "runtime/abi.h"
#include "snapshot/values/native_names.h"
#include "snapshot/recorded_stacks.h"

#include <string.h>

/* ---- Classes ---- */

/* The class of a snapshot that blocks have is that of their function, and stands below their own.
 */
static struct loupe_span block_name(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t own = snapshot->class_table[snapshot->classes[node]].superclass;
    return loupe_snapshot_class_name(snapshot, own == LOUPE_NONE ? snapshot->classes[node] : own);
}

bool loupe_native_is_memory(const struct loupe_snapshot *snapshot, uint32_t node) {
    uint32_t number = snapshot->classes[node];
    return snapshot->class_table[number].kind == LOUPE_CLASS_RAW &&
           loupe_is_class_of_memory(loupe_snapshot_class_name(snapshot, number));
}

static bool is_memory(const void *ctx, uint32_t node) {
    const struct loupe_snapshot *snapshot = ctx;
    return snapshot->native && loupe_native_is_memory(snapshot, node);
}

struct loupe_others loupe_memory_apart(const struct loupe_snapshot *snapshot) {
    return (struct loupe_others){.ctx = snapshot, .has = is_memory};
}

struct loupe_span loupe_native_class_name(const struct loupe_snapshot *snapshot, uint32_t node) {
    enum loupe_node_kind kind = loupe_native_node_kind(snapshot, node);
    if (kind == LOUPE_NODE_BYREF)
        return loupe_span_of("__block variable");
    if (kind == LOUPE_NODE_BLOCK)
        return block_name(snapshot, node);
    uint32_t class_number = loupe_snapshot_class_at(snapshot, node);
    return loupe_snapshot_class_name(snapshot, class_number == LOUPE_NONE ? snapshot->classes[node]
                                                                          : class_number);
}

static struct loupe_span class_name(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    const struct loupe_heap_graph *heap = ctx;
    (void)graph;
    return loupe_native_class_name(heap->snapshot, loupe_heap_graph_node(heap, node));
}

const struct loupe_abi *loupe_heap_abi(const struct loupe_snapshot *snapshot) {
    return snapshot->native
               ? loupe_abi_named(loupe_snapshot_string(snapshot, snapshot->native->abi))
               : NULL;
}

/* Older files of heaps with libobjc2 do not say it: there it is the same for all. */
const struct loupe_tagging *loupe_heap_tagging(const struct loupe_snapshot *snapshot) {
    static const struct loupe_tagging none = {.form = LOUPE_TAGS_NONE},
                                      gnustep = {.form = LOUPE_TAGS_GNUSTEP};
    if (snapshot->native && snapshot->native->tagging)
        return snapshot->native->tagging;
    return loupe_heap_abi(snapshot) == &loupe_abi_gnustep2 && snapshot->address_size == 8 ? &gnustep
                                                                                          : &none;
}

bool loupe_heap_has_weak_references(const struct loupe_snapshot *snapshot) {
    const struct loupe_abi *abi = loupe_heap_abi(snapshot);
    return !abi || !abi->without_weak_references;
}

bool loupe_native_is_kind_of(const struct loupe_snapshot *snapshot, uint32_t node,
                             const char *name) {
    uint32_t level = snapshot->classes[node];
    /* Cap: the note of too many fields. */
    for (unsigned i = 0; i < LOUPE_MOST_SUPERCLASSES && level < snapshot->class_count; i++) {
        if (loupe_span_equals(loupe_snapshot_class_name(snapshot, level), name))
            return true;
        level = snapshot->class_table[level].superclass;
    }
    return loupe_native_node_kind(snapshot, node) == LOUPE_NODE_BLOCK && strcmp(name, "block") == 0;
}

static bool is_kind_of(void *ctx, const struct loupe_graph *graph, uint32_t node,
                       const char *name) {
    const struct loupe_heap_graph *heap = ctx;
    (void)graph;
    return loupe_native_is_kind_of(heap->snapshot, loupe_heap_graph_node(heap, node), name);
}

/* ---- Links ---- */

static void copy_text(char ret[LOUPE_MAX_PATH], struct loupe_span text) {
    size_t length = text.length < LOUPE_MAX_PATH ? text.length : LOUPE_MAX_PATH - 1;
    memcpy(ret, text.bytes, length);
    ret[length] = '\0';
}

void loupe_native_slot_path(const struct loupe_snapshot *snapshot, const struct loupe_label *label,
                            uint32_t slot, char ret[LOUPE_MAX_PATH]) {
    struct loupe_span path = loupe_snapshot_string(snapshot, label ? label->path : LOUPE_NONE);
    bool is_indexed = label && (label->flags & LOUPE_LABEL_INDEXED);
    copy_text(ret, path);
    size_t length = strlen(ret);
    if (is_indexed)
        loupe_format(ret + length, LOUPE_MAX_PATH - length, "[%u]", slot);
    else if (!length)
        loupe_format(ret, LOUPE_MAX_PATH, "+%u", slot);
}

void loupe_native_path(const struct loupe_snapshot *snapshot, uint32_t link,
                       char ret[LOUPE_MAX_PATH]) {
    loupe_native_slot_path(snapshot, loupe_native_label(snapshot, link),
                           snapshot->native->slots[link], ret);
}

/* NULL for no text, and where there is no memory for it. */
static const char *text_of(struct loupe_heap_graph *heap, uint32_t string) {
    struct loupe_span text = loupe_snapshot_string(heap->snapshot, string);
    return text.length ? loupe_arena_copy_string(heap->arena, text) : NULL;
}

static const struct loupe_label_texts *texts_of(struct loupe_heap_graph *heap, uint32_t number) {
    struct loupe_label_texts *texts = &heap->labels[number];
    const struct loupe_label *label = &heap->snapshot->native->label_table[number];
    if (!texts->is_made)
        *texts = (struct loupe_label_texts){.declared_by = text_of(heap, label->declared_by),
                                            .assumption = text_of(heap, label->assumption),
                                            .doubt = text_of(heap, label->doubt),
                                            .evidence = text_of(heap, label->evidence),
                                            .is_made = true};
    return texts;
}

/* A name takes the place of an offset: that of a captured variable, of a member of C++, of an ivar
 * that is a pointer or has one. */
static void name_capture(const struct loupe_heap_graph *heap, uint32_t node, uint32_t link,
                         struct loupe_edge_label *ret) {
    if (!heap->names)
        return;
    const char *name = loupe_native_capture_name(heap->snapshot, node, link);
    const struct loupe_pointer_ivar *ivar =
        name ? NULL : loupe_native_pointer(heap->snapshot, node, link);
    if (!name && !ivar)
        return;
    struct loupe_span text =
        name ? loupe_span_of(name) : loupe_snapshot_string(heap->snapshot, ivar->name);
    copy_text(ret->name, text);
    copy_text(ret->path, text);
}

static void put_offset(const struct loupe_graph *graph, uint32_t from, uint32_t offset,
                       struct loupe_edge_label *ret) {
    ret->has_offset = true;
    ret->offset = offset;
    ret->slot = loupe_graph_address(graph, from) + offset;
}

static void label_word(const struct loupe_graph *graph, uint32_t from, uint32_t offset,
                       struct loupe_edge_label *ret) {
    if (offset < LOUPE_SLOT_SPECIAL)
        put_offset(graph, from, offset, ret);
    ret->assumption = "a pointer that nothing describes";
}

static void describe(struct loupe_heap_graph *heap, const struct loupe_graph *graph, uint32_t from,
                     const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    uint32_t link = loupe_heap_graph_link(heap, from, edge);
    memset(ret, 0, sizeof(*ret));
    if (link == LOUPE_NO_EDGE)
        return;
    loupe_native_path(heap->snapshot, link, ret->path);
    const struct loupe_label *label = loupe_native_label(heap->snapshot, link);
    if (!label) {
        label_word(graph, from, edge->offset, ret);
        name_capture(heap, loupe_heap_graph_node(heap, from), link, ret);
        return;
    }
    copy_text(ret->name, loupe_snapshot_string(heap->snapshot, label->name));
    name_capture(heap, loupe_heap_graph_node(heap, from), link, ret);
    if (label->flags & LOUPE_LABEL_HAS_OFFSET)
        put_offset(graph, from, edge->offset, ret);
    else if (heap->live)
        ret->slot = heap->live->slot(heap->live->ctx, loupe_heap_graph_node(heap, from), link);
    ret->manual = label->flags & LOUPE_LABEL_MANUAL;
    const struct loupe_label_texts *texts = texts_of(heap, edge->detail);
    ret->is_part = label->flags & LOUPE_LABEL_PART;
    if (label->kind == LOUPE_EDGE_CAPTURE)
        ret->closure = texts->declared_by;
    else
        ret->declared_by = texts->declared_by;
    ret->evidence = texts->evidence;
    if (edge->ownership != LOUPE_STRONG)
        ret->assumption = texts->assumption;
    if (edge->ownership == LOUPE_ASSUMED)
        ret->doubt = texts->doubt;
}

static void label_edge(void *ctx, const struct loupe_graph *graph, uint32_t from, uint32_t edge_id,
                       struct loupe_edge_label *ret) {
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    describe(ctx, graph, from, &edge, ret);
}

/* Of files of older versions it is not known. */
static const char *label_nonowning(void *ctx, const struct loupe_graph *graph,
                                   const struct loupe_nonowning_ref *nonowning,
                                   struct loupe_edge_label *ret) {
    describe(ctx, graph, nonowning->from, &nonowning->edge, ret);
    return ret->assumption ? ret->assumption : "it does not retain what it points to";
}

static bool declared(void *ctx, const struct loupe_edge_label *label, char *path, size_t cap,
                     uint32_t *line_ret) {
    const struct loupe_heap_graph *heap = ctx;
    const struct loupe_debug_names *names = &heap->snapshot->names;
    const struct loupe_debug_name *found =
        heap->names && label->declared_by
            ? loupe_debug_ivar(names, loupe_span_of(label->declared_by), loupe_span_of(label->name))
            : NULL;
    if (!found)
        return false;
    loupe_format(path, cap, "%s", loupe_debug_text(names, found->where));
    *line_ret = found->number;
    return true;
}

static enum loupe_doubt doubt(void *ctx, const struct loupe_graph *graph, uint32_t from,
                              uint32_t edge_id) {
    const struct loupe_heap_graph *heap = ctx;
    uint32_t number = loupe_graph_edge_facts(graph, edge_id)->detail;
    (void)from;
    if (number >= heap->snapshot->native->label_count)
        return LOUPE_NO_DOUBT;
    uint8_t doubts = heap->snapshot->native->label_table[number].doubts;
    return doubts <= LOUPE_MUCH_DOUBT ? (enum loupe_doubt)doubts : LOUPE_NO_DOUBT;
}

/* ---- Counts and sizes ---- */

enum loupe_retain_count loupe_native_retain_count(const struct loupe_snapshot *snapshot,
                                                  uint32_t node, uint64_t *ret) {
    uint32_t count = snapshot->native->retain_counts[node];
    switch (count) {
    case LOUPE_RETAINS_UNKNOWN:
    case LOUPE_RETAINS_MOST:
        return LOUPE_COUNT_UNKNOWN;
    case LOUPE_RETAINS_IMMORTAL:
        return LOUPE_COUNT_IMMORTAL;
    case LOUPE_RETAINS_IMPOSSIBLE:
        return LOUPE_COUNT_IMPOSSIBLE;
    default:
        *ret = count;
        return LOUPE_COUNT_KNOWN;
    }
}

static enum loupe_retain_count retain_count(void *ctx, const struct loupe_graph *graph,
                                            uint32_t node, uint64_t *ret) {
    const struct loupe_heap_graph *heap = ctx;
    (void)graph;
    return loupe_native_retain_count(heap->snapshot, loupe_heap_graph_node(heap, node), ret);
}

static bool size(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *ret) {
    const struct loupe_heap_graph *heap = ctx;
    uint32_t number = loupe_heap_graph_node(heap, node);
    (void)graph;
    if (!heap->live || !heap->live->size(heap->live->ctx, number, ret))
        *ret = loupe_columns_size(&heap->snapshot->columns, number);
    return true;
}

static size_t value(void *ctx, const struct loupe_graph *graph, uint32_t node, char *dst,
                    size_t cap) {
    const struct loupe_heap_graph *heap = ctx;
    (void)graph;
    return loupe_snapshot_say_value(heap->snapshot, loupe_heap_graph_node(heap, node), dst, cap);
}

static void about(void *ctx, const struct loupe_graph *graph, uint32_t node,
                  struct loupe_json *json) {
    const struct loupe_heap_graph *heap = ctx;
    (void)graph;
    if (heap->memory)
        heap->memory->put_owner(heap->memory->ctx, loupe_heap_graph_node(heap, node), json);
}

/* Numbers of stacks begin at 1. */
static uint32_t allocated(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    const struct loupe_heap_graph *heap = ctx;
    uint32_t stack = loupe_snapshot_stack(heap->snapshot, loupe_heap_graph_node(heap, node));
    (void)graph;
    if (!heap->shown_stacks || stack == LOUPE_NONE)
        return 0;
    loupe_mark(heap->shown_stacks, stack);
    return stack + 1;
}

/* Of a block's function, as the source knew it: the class of the block is called after it. */
static struct loupe_span symbol_of(const struct loupe_snapshot *snapshot, uint32_t node) {
    static const char prefix[] = "block ";
    uint32_t number = snapshot->classes[node];
    struct loupe_span name = loupe_snapshot_class_name(snapshot, number);
    if (snapshot->class_table[number].kind != LOUPE_CLASS_BLOCKS ||
        !loupe_span_starts_with(name, prefix))
        return (struct loupe_span){NULL, 0};
    return (struct loupe_span){name.bytes + sizeof(prefix) - 1, name.length - (sizeof(prefix) - 1)};
}

static bool written(void *ctx, const struct loupe_graph *graph, uint32_t node,
                    struct loupe_written *ret) {
    const struct loupe_heap_graph *heap = ctx;
    uint32_t at = loupe_heap_graph_node(heap, node);
    (void)graph;
    *ret = (struct loupe_written){.line = 0};
    bool is_written = heap->names && loupe_native_written(heap->snapshot, at, ret);
    ret->symbol = symbol_of(heap->snapshot, at);
    return is_written || ret->symbol.length;
}

static bool block_function(void *ctx, const struct loupe_graph *graph, uint32_t node,
                           uint64_t *id_ret, char *dst, size_t cap) {
    const struct loupe_heap_graph *heap = ctx;
    uint32_t at = loupe_heap_graph_node(heap, node);
    struct loupe_span symbol = symbol_of(heap->snapshot, at);
    (void)graph;
    if (!symbol.length)
        return false;
    *id_ret = heap->snapshot->classes[at];
    loupe_format(dst, cap, "%.*s", (int)symbol.length, symbol.bytes);
    return true;
}

struct loupe_describer loupe_describe_heap(struct loupe_heap_graph *graph) {
    return (struct loupe_describer){
        .ctx = graph,
        .class_name = class_name,
        .is_kind_of = is_kind_of,
        .label = label_edge,
        .doubt = doubt,
        .label_nonowning = label_nonowning,
        .retain_count = retain_count,
        .allocated = loupe_snapshot_has_recorder(graph->snapshot) ? allocated : NULL,
        .written = written,
        .declared = declared,
        .block_function = block_function,
        .value = value,
        .about = about,
        .size = size};
}
