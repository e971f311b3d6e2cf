#include "drawn_native.h"

#include "check.h"
#include "graphs/drawn_graph.h"
#include "drawn_heap.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_ADDRESS = 0x10010, SPACE = 16 };

void drawn_native_init(struct drawn_native *drawn) {
    memset(drawn, 0, sizeof(*drawn));
    drawn->next_address = FIRST_ADDRESS;
    memset(drawn->stacks, 0xff, sizeof(drawn->stacks));
    drawn->snapshot.strings = drawn->strings;
    drawn->snapshot.text = drawn->text;
}

uint32_t drawn_native_string(struct drawn_native *drawn, const char *text) {
    struct loupe_snapshot *snapshot = &drawn->snapshot;
    size_t length = strlen(text);
    for (uint32_t i = 0; i < snapshot->string_count; i++) {
        if (loupe_span_equals(loupe_snapshot_string(snapshot, i), text))
            return i;
    }
    if (snapshot->string_count == DRAWN_NATIVE_TABLE ||
        length > sizeof(drawn->text) - snapshot->text_size)
        abort();
    memcpy(drawn->text + snapshot->text_size, text, length);
    drawn->strings[snapshot->string_count] = (struct loupe_snapshot_string){
        .offset = (uint32_t)snapshot->text_size, .length = (uint32_t)length};
    snapshot->text_size += length;
    return snapshot->string_count++;
}

uint32_t drawn_native_class(struct drawn_native *drawn, const char *name,
                            enum loupe_class_kind kind, uint32_t superclass) {
    uint32_t number = drawn->snapshot.class_count++;
    if (number == DRAWN_NATIVE_TABLE)
        abort();
    drawn->class_table[number] =
        (struct loupe_snapshot_class){.name = drawn_native_string(drawn, name),
                                      .superclass = superclass,
                                      .node = LOUPE_NO_NODE,
                                      .kind = kind};
    return number;
}

uint32_t drawn_native_node(struct drawn_native *drawn, uint32_t class_number, uint32_t size) {
    uint32_t node = drawn->snapshot.columns.nodes++;
    if (node == DRAWN_NATIVE_NODES)
        abort();
    drawn->addresses[node] = drawn->next_address;
    drawn->next_address += (size + SPACE + 15) & ~15u;
    drawn->classes[node] = class_number;
    drawn->sizes[node] = size;
    drawn->by_address[node] = node;
    drawn->retain_counts[node] = 1;
    return node;
}

uint32_t drawn_native_label(struct drawn_native *drawn, struct loupe_label label) {
    uint32_t number = drawn->native.label_count++;
    if (number == DRAWN_NATIVE_TABLE)
        abort();
    drawn->label_table[number] = label;
    return number;
}

uint32_t drawn_native_ivar(struct drawn_native *drawn, const char *name, const char *declared_by) {
    uint32_t string = drawn_native_string(drawn, name);
    return drawn_native_label(
        drawn,
        (struct loupe_label){.name = string,
                             .path = string,
                             .declared_by =
                                 declared_by ? drawn_native_string(drawn, declared_by) : LOUPE_NONE,
                             .assumption = LOUPE_NONE,
                             .doubt = LOUPE_NONE,
                             .evidence = LOUPE_NONE,
                             .kind = LOUPE_EDGE_IVAR,
                             .flags = LOUPE_LABEL_HAS_OFFSET});
}

void drawn_native_link(struct drawn_native *drawn, uint32_t from, uint32_t to,
                       enum loupe_link_kind kind, uint32_t label, uint32_t slot) {
    if (drawn->added_count == DRAWN_NATIVE_LINKS)
        abort();
    drawn->added[drawn->added_count++] = (struct drawn_native_link){
        .from = from, .to = to, .kind = (uint8_t)kind, .label = label, .slot = slot};
}

uint32_t drawn_native_root(struct drawn_native *drawn, uint32_t node, enum loupe_root_kind kind) {
    uint32_t number = drawn->snapshot.columns.root_count++;
    if (number == DRAWN_NATIVE_TABLE)
        abort();
    drawn->roots[number] = (struct loupe_snapshot_root){
        .node = node, .kind = kind, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
    drawn->root_places[number] = (struct loupe_root_place){.image = LOUPE_NONE, .name = LOUPE_NONE};
    drawn->root_nodes[number] = node;
    return number;
}

uint32_t drawn_native_thread(struct drawn_native *drawn, const char *name) {
    uint32_t number = drawn->snapshot.thread_count++;
    if (number == DRAWN_NATIVE_TABLE)
        abort();
    drawn->threads[number] = (struct loupe_snapshot_thread){
        .node = LOUPE_NO_NODE, .name = drawn_native_string(drawn, name), .serial = number + 1};
    return number;
}

uint32_t drawn_native_call(struct drawn_native *drawn, const char *function, bool is_foreign,
                           uint32_t caller) {
    struct loupe_native_heap *native = &drawn->native;
    uint32_t number = native->call_count++;
    if (number == DRAWN_NATIVE_TABLE)
        abort();
    drawn->calls[number] = (struct loupe_recorded_call){.frame = number, .caller = caller};
    drawn->frames[number] =
        (struct loupe_recorded_frame){.address = 0x500 + number,
                                      .function = drawn_native_string(drawn, function),
                                      .image = LOUPE_NONE,
                                      .file = LOUPE_NONE,
                                      .flags = is_foreign ? LOUPE_FRAME_FOREIGN : 0};
    native->frame_count = native->call_count;
    native->recorder = &drawn->recorder;
    native->stacks = drawn->stacks;
    native->calls = drawn->calls;
    native->frames = drawn->frames;
    return number;
}

/* By node, those of a node as they were added. */
static void sort_links(struct drawn_native *drawn) {
    uint32_t nodes = drawn->snapshot.columns.nodes, used = 0;
    for (uint32_t node = 0; node < nodes; node++) {
        drawn->first[node] = used;
        for (uint32_t i = 0; i < drawn->added_count; i++) {
            const struct drawn_native_link *link = &drawn->added[i];
            if (link->from != node)
                continue;
            drawn->to[used] = link->to;
            drawn->kinds[used] = link->kind;
            drawn->labels[used] = link->label;
            drawn->slots[used++] = link->slot;
        }
    }
    drawn->first[nodes] = used;
}

static bool slots_of(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     uint32_t first, uint32_t count, uint32_t *ret) {
    const struct drawn_native *drawn = ctx;
    memcpy(ret, drawn->slots + snapshot->columns.first[node] + first, count * sizeof(*ret));
    return true;
}

void drawn_native_build(struct drawn_native *drawn) {
    static const struct loupe_snapshot_ops ops = {.slots = slots_of};
    struct loupe_snapshot *snapshot = &drawn->snapshot;
    struct loupe_columns *columns = &snapshot->columns;
    sort_links(drawn);
    columns->first = drawn->first;
    columns->to = drawn->to;
    columns->kinds = drawn->kinds;
    columns->sizes = drawn->sizes;
    columns->roots = drawn->root_nodes;
    snapshot->addresses = drawn->addresses;
    snapshot->by_address = drawn->by_address;
    snapshot->classes = drawn->classes;
    snapshot->class_table = drawn->class_table;
    snapshot->class_order = drawn->class_order;
    snapshot->roots = drawn->roots;
    snapshot->threads = drawn->threads;
    snapshot->address_size = snapshot->reference_size = 8;
    snapshot->format = LOUPE_NONE;
    snapshot->native = &drawn->native;
    snapshot->ops = &ops;
    snapshot->ctx = drawn;
    for (uint32_t i = 0; i < columns->nodes; i++)
        snapshot->bytes += drawn->sizes[i];
    drawn->native.slots = drawn->slots;
    drawn->native.labels = drawn->labels;
    drawn->native.retain_counts = drawn->retain_counts;
    drawn->native.marks = drawn->marks;
    drawn->native.class_places = drawn->class_places;
    drawn->native.label_table = drawn->label_table;
    drawn->native.root_places = drawn->root_places;
    drawn->native.abi = drawn_native_string(drawn, "gcc");
    drawn->native.program = LOUPE_NONE;
    CHECK_EQ(loupe_snapshot_order_classes(snapshot, &drawn_chunks, drawn->class_order), LOUPE_OK);
    CHECK(loupe_columns_are_valid(columns));
}

/* ---- At random ---- */

enum { CLASSES = 12, LABELS = 24, STACKS = 10 };

/* Words of a node come in the order in which they stand, each once. */
static uint32_t next_word(const struct drawn_native *drawn, uint32_t from) {
    uint32_t words = 0;
    for (uint32_t i = 0; i < drawn->added_count; i++)
        words += drawn->added[i].from == from && drawn->added[i].label == LOUPE_NONE;
    return 8 * words;
}

static void draw_link(struct drawn_native *drawn, uint64_t *random, const uint32_t *labels,
                      uint32_t from, uint32_t to) {
    bool is_raw = drawn->class_table[drawn->classes[from]].kind == LOUPE_CLASS_RAW;
    uint32_t label = (uint32_t)(drawn_random(random) % LABELS), word = next_word(drawn, from);
    enum loupe_link_kind kind = drawn_random(random) % 6 == 0 ? LOUPE_LINK_WEAK : LOUPE_LINK_STRONG;
    if (!is_raw && drawn_random(random) % 4)
        drawn_native_link(drawn, from, to, kind, labels[label], 8 + 8 * label);
    else if (word < drawn->sizes[from])
        drawn_native_link(drawn, from, to, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, word);
}

static void draw_links(struct drawn_native *drawn, uint64_t *random, const uint32_t *labels,
                       uint32_t nodes) {
    for (uint32_t i = 0; i < 3 * nodes; i++)
        draw_link(drawn, random, labels, (uint32_t)(drawn_random(random) % nodes),
                  (uint32_t)(drawn_random(random) % nodes));
}

static void draw_stacks(struct drawn_native *drawn, uint64_t *random, uint32_t nodes) {
    uint32_t caller = LOUPE_NONE;
    for (uint32_t i = 0; i < STACKS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "function%u", i);
        uint32_t call = drawn_native_call(drawn, name, i % 3 == 0, caller);
        caller = (uint32_t)(drawn_random(random) % (call + 1));
    }
    for (uint32_t i = 0; i < nodes; i += 2)
        drawn->stacks[i] = (uint32_t)(drawn_random(random) % STACKS);
}

void drawn_native_random(struct drawn_native *drawn, uint64_t *random, uint32_t most_nodes) {
    uint32_t labels[LABELS], nodes = 2 + (uint32_t)(drawn_random(random) % (most_nodes - 1));
    drawn_native_init(drawn);
    for (uint32_t i = 0; i < CLASSES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "Class%u", i);
        drawn_native_class(drawn, name, i % 4 == 3 ? LOUPE_CLASS_RAW : LOUPE_CLASS_INSTANCES,
                           i % 4 == 3 || i < 4 ? LOUPE_NONE : i - 4);
    }
    for (uint32_t i = 0; i < LABELS; i++) {
        char name[16], declared_by[16];
        snprintf(name, sizeof(name), "_ivar%u", i);
        snprintf(declared_by, sizeof(declared_by), "Class%u", i % CLASSES);
        labels[i] = drawn_native_ivar(drawn, name, i % 3 ? declared_by : NULL);
        if (i % 5 == 0)
            drawn->label_table[labels[i]].flags |= LOUPE_LABEL_INDEXED;
    }
    for (uint32_t i = 0; i < nodes; i++)
        drawn_native_node(drawn, (uint32_t)(drawn_random(random) % CLASSES),
                          8 * (1 + (uint32_t)(drawn_random(random) % 16)));
    draw_links(drawn, random, labels, nodes);
    if (drawn_random(random) % 2)
        draw_stacks(drawn, random, nodes);
    for (uint32_t i = 0; i < 1 + nodes / 10; i++)
        drawn_native_root(drawn, (uint32_t)(drawn_random(random) % nodes), LOUPE_ROOT_GLOBAL);
}
