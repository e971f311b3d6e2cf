/* The tables of a snapshot, as arrays that nobody changes any more. */
#include "base/sort.h"
#include "blocks/block.h"
#include "heap/values.h"

#include <string.h>

/* ---- What a snapshot keeps: arrays, which are given back one by one ---- */

enum { MOST_ARRAYS = 43 };

struct loupe_kept_array {
    void *items;
    size_t size;
};

struct kept {
    const struct loupe_chunk_ops *chunks;
    struct loupe_native_heap native;
    struct loupe_tagging tagging;
    struct loupe_kept_array arrays[MOST_ARRAYS];
    unsigned count;
    bool failed;               /* for want of memory */
    const uint64_t *addresses; /* by node */
    uint32_t *retain_counts;   /* the same */
    uint32_t heap_nodes, outside;
    uint32_t *outside_order;         /* outside nodes by address */
    const uint32_t *content_lengths; /* by node; LOUPE_NONE: it has none */
    const uint64_t *content_starts;  /* of each 64th node */
    const uint8_t *contents;
};

static void *keep(struct kept *kept, void *items, size_t size) {
    if (items && kept->count < MOST_ARRAYS)
        kept->arrays[kept->count++] = (struct loupe_kept_array){.items = items, .size = size};
    else
        kept->failed = true;
    return items;
}

static void *new_array(struct kept *kept, uint32_t count, size_t element) {
    size_t size = ((size_t)count + 1) * element;
    void *items = keep(kept, loupe_chunk_get(kept->chunks, size), size);
    if (items)
        memset((char *)items + (size_t)count * element, 0, element);
    return items;
}

static void *flatten(struct kept *kept, struct loupe_vector *vector) {
    size_t size = loupe_vector_flat_size(vector->element_size, vector->count);
    return keep(kept, loupe_vector_flatten(vector), size);
}

static void deinit(void *ctx) {
    struct kept *kept = ctx;
    for (unsigned i = 0; i < kept->count; i++)
        loupe_chunk_put(kept->chunks, kept->arrays[i].items, kept->arrays[i].size);
    loupe_chunk_put(kept->chunks, kept, sizeof(*kept));
}

/* ---- Asked of the snapshot ---- */

static bool slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node, uint32_t first,
                  uint32_t count, uint32_t *ret) {
    const struct kept *kept = ctx;
    memcpy(ret, kept->native.slots + snapshot->columns.first[node] + first, count * sizeof(*ret));
    return true;
}

static uint32_t first_from(const struct kept *kept, const uint32_t *order, uint32_t count,
                           loupe_addr address) {
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (kept->addresses[order ? order[middle] : middle] < address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Blocks are in order, and the others by their list. */
static bool find(void *ctx, loupe_addr address, uint32_t *ret) {
    const struct kept *kept = ctx;
    const uint32_t *order = kept->outside_order;
    uint32_t place = first_from(kept, NULL, kept->heap_nodes, address);
    *ret = place;
    if (place < kept->heap_nodes && kept->addresses[place] == address)
        return true;
    place = first_from(kept, order, kept->outside, address);
    if (place == kept->outside || kept->addresses[order[place]] != address)
        return false;
    *ret = order[place];
    return true;
}

static void sort(void *ctx, uint32_t *nodes) {
    const struct kept *kept = ctx;
    const uint32_t *order = kept->outside_order;
    uint32_t block = 0, outside = 0;
    for (uint32_t i = 0; i < kept->heap_nodes + kept->outside; i++) {
        bool is_block =
            outside == kept->outside ||
            (block < kept->heap_nodes && kept->addresses[block] < kept->addresses[order[outside]]);
        nodes[i] = is_block ? block++ : order[outside++];
    }
}

static bool contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                     const uint8_t **ret, uint64_t *len_ret) {
    const struct kept *kept = ctx;
    (void)snapshot;
    if (kept->content_lengths[node] == LOUPE_NONE)
        return false;
    uint64_t at = kept->content_starts[node / LOUPE_CONTENT_STEP];
    for (uint32_t i = node - node % LOUPE_CONTENT_STEP; i < node; i++)
        at += kept->content_lengths[i] == LOUPE_NONE ? 0 : kept->content_lengths[i];
    *ret = kept->contents + at;
    *len_ret = kept->content_lengths[node];
    return true;
}

static const struct loupe_snapshot_ops ops = {
    .slots = slots, .contents = contents, .find = find, .sort = sort, .deinit = deinit};

/* ---- Links: those of each node that are described, then its other words ---- */

static uint32_t end_of_found(const struct loupe_snapshot_builder *builder, uint32_t node) {
    if (node < builder->heap_nodes)
        return builder->found.ends[node];
    return *(const uint32_t *)loupe_vector_at(&builder->outside_ends, node - builder->heap_nodes,
                                              sizeof(uint32_t));
}

static uint32_t end_of_words(const struct loupe_snapshot_builder *builder, uint32_t node) {
    return node < builder->heap_nodes ? builder->words.ends[node] : builder->words.to.count;
}

static void freeze_first(struct kept *kept, const struct loupe_snapshot_builder *builder,
                         struct loupe_columns *ret) {
    uint32_t nodes = loupe_heap_node_count(builder);
    uint32_t *first = new_array(kept, nodes, sizeof(uint32_t));
    ret->first = first;
    if (!first)
        return;
    first[0] = 0;
    for (uint32_t i = 0; i < nodes; i++)
        first[i + 1] = end_of_found(builder, i) + end_of_words(builder, i);
}

struct merged {
    const struct loupe_vector *found, *words; /* words NULL: they all have the value `word` */
    uint32_t word;
};

/* The numbers of all links, out of those that were found and the words behind them. */
static uint32_t *merge(struct kept *kept, const struct loupe_snapshot_builder *builder,
                       struct merged from) {
    uint32_t found = 0, word = 0, at = 0, nodes = loupe_heap_node_count(builder);
    uint32_t *ret =
        new_array(kept, builder->found.to.count + builder->words.to.count, sizeof(uint32_t));
    for (uint32_t i = 0; ret && i < nodes; i++) {
        for (uint32_t end = end_of_found(builder, i); found < end; found++)
            ret[at++] = *(const uint32_t *)loupe_vector_at(from.found, found, sizeof(uint32_t));
        for (uint32_t end = end_of_words(builder, i); word < end; word++)
            ret[at++] = from.words
                            ? *(const uint32_t *)loupe_vector_at(from.words, word, sizeof(uint32_t))
                            : from.word;
    }
    return ret;
}

/* Of words that are counted: behind the references of their nodes, as all words are. */
static void label_counted_words(const struct loupe_snapshot_builder *builder, uint32_t *labels,
                                uint8_t *kinds) {
    for (uint32_t i = 0; labels && kinds && i < builder->counted_words.count; i++) {
        struct loupe_counted_word *word =
            loupe_vector_at(&builder->counted_words, i, sizeof(*word));
        uint32_t link = word->link = end_of_found(builder, word->from) + word->word;
        labels[link] = word->label;
        if (word->is_unowned)
            kinds[link] = LOUPE_LINK_UNOWNED;
    }
}

static uint8_t *merge_kinds(struct kept *kept, const struct loupe_snapshot_builder *builder) {
    uint32_t found = 0, word = 0, at = 0, nodes = loupe_heap_node_count(builder);
    uint8_t *ret =
        new_array(kept, builder->found.to.count + builder->words.to.count, sizeof(uint8_t));
    for (uint32_t i = 0; ret && i < nodes; i++) {
        for (uint32_t end = end_of_found(builder, i); found < end; found++)
            ret[at++] = *(const uint8_t *)loupe_vector_at(&builder->found.kinds, found, 1);
        for (uint32_t end = end_of_words(builder, i); word < end; word++)
            ret[at++] = LOUPE_LINK_CONSERVATIVE;
    }
    return ret;
}

static uint8_t *freeze_links(struct kept *kept, struct loupe_snapshot_builder *builder,
                             struct loupe_columns *ret) {
    struct loupe_link_columns *found = &builder->found, *words = &builder->words;
    freeze_first(kept, builder, ret);
    uint8_t *kinds = merge_kinds(kept, builder);
    ret->kinds = kinds;
    loupe_vector_deinit(&found->kinds);
    uint32_t *labels =
        merge(kept, builder, (struct merged){.found = &found->labels, .word = LOUPE_NONE});
    label_counted_words(builder, labels, kinds);
    kept->native.labels = labels;
    loupe_vector_deinit(&found->labels);
    kept->native.slots =
        merge(kept, builder, (struct merged){.found = &found->slots, .words = &words->slots});
    loupe_vector_deinit(&found->slots);
    loupe_vector_deinit(&words->slots);
    ret->to = merge(kept, builder, (struct merged){.found = &found->to, .words = &words->to});
    return kinds;
}

/* What a layout says to own its object does, unless more say so than are counted. */
static void own_certain_words(const struct loupe_snapshot_builder *builder,
                              const struct loupe_snapshot *snapshot, uint8_t *kinds) {
    for (uint32_t i = 0; i < builder->counted_words.count; i++) {
        const struct loupe_counted_word *word =
            loupe_vector_at(&builder->counted_words, i, sizeof(*word));
        if (!word->is_certain || kinds[word->link] != LOUPE_LINK_CONSERVATIVE)
            continue;
        const struct loupe_counted *counted =
            loupe_heap_counted(builder, snapshot->columns.to[word->link]);
        if (counted)
            kinds[word->link] =
                counted->certain <= counted->strong ? LOUPE_LINK_STRONG : LOUPE_LINK_ASSUMED;
    }
}

/* Retain counts of memory without any are filled in where they are proved. */
static enum loupe_status freeze_held(struct kept *kept, struct loupe_snapshot_builder *builder,
                                     const struct loupe_snapshot *snapshot, uint8_t *kinds) {
    struct loupe_held held = {.snapshot = snapshot,
                              .kinds = kinds,
                              .labels = kept->native.labels,
                              .retain_counts = kept->retain_counts,
                              .marks = kept->native.marks};
    enum loupe_status status =
        kept->failed ? LOUPE_ENOMEM : loupe_heap_find_held_alone(builder, &held);
    if (!status)
        own_certain_words(builder, snapshot, kinds);
    return status;
}

/* ---- Nodes ---- */

static uint32_t size_of_outside(struct loupe_snapshot_builder *builder,
                                const struct loupe_outside_node *node) {
    const struct loupe_class *cls = loupe_heap_class_at(&builder->tables, node->class_number)->cls;
    struct loupe_target *target = builder->target;
    struct loupe_block block;
    if (node->form == LOUPE_HEAP_BLOCK)
        return loupe_block_read(target->memory, node->address, target->abi->block_traits(target),
                                &block, NULL)
                   ? 0
                   : block.size;
    return node->form == LOUPE_HEAP_OBJECT && cls ? cls->instance_size : 0;
}

static uint32_t retains_of_outside(const struct loupe_outside_node *node) {
    return node->form == LOUPE_HEAP_CLASS ? LOUPE_RETAINS_IMMORTAL : LOUPE_RETAINS_UNKNOWN;
}

/* A column of the blocks with room for what is outside. */
static void *grow(struct kept *kept, const struct loupe_snapshot_builder *builder,
                  const void *of_blocks, size_t element) {
    char *all = new_array(kept, loupe_heap_node_count(builder), element);
    if (all && builder->heap_nodes)
        memcpy(all, of_blocks, (size_t)builder->heap_nodes * element);
    return all;
}

/* The same of one of the builder's own, which has that room, or goes. */
static void *take_over(struct kept *kept, const struct loupe_snapshot_builder *builder,
                       void *of_blocks, size_t element) {
    size_t bytes = loupe_heap_column_bytes(builder, element);
    uint32_t count = loupe_heap_node_count(builder);
    if (count <= builder->room) {
        memset((char *)of_blocks + (size_t)count * element, 0, element);
        return keep(kept, of_blocks, bytes);
    }
    void *all = grow(kept, builder, of_blocks, element);
    loupe_chunk_put(kept->chunks, of_blocks, bytes);
    return all;
}

static void freeze_sizes(struct kept *kept, struct loupe_snapshot_builder *builder,
                         struct loupe_snapshot *ret) {
    const struct loupe_blocks *blocks = builder->blocks;
    uint32_t *sizes = grow(kept, builder, blocks->sizes, sizeof(uint32_t));
    struct loupe_large_size *large =
        new_array(kept, blocks->large_count, sizeof(struct loupe_large_size));
    ret->columns.sizes = sizes;
    ret->columns.large = large;
    ret->columns.large_count = blocks->large_count;
    for (uint32_t i = 0; large && i < blocks->large_count; i++) {
        large[i] = (struct loupe_large_size){.node = blocks->large[i].block,
                                             .size = blocks->large[i].size};
        ret->bytes += blocks->large[i].size;
    }
    for (uint32_t i = 0; sizes && i < builder->heap_nodes; i++)
        ret->bytes += sizes[i] == LOUPE_LARGE_SIZE ? 0 : sizes[i];
    for (uint32_t i = 0; sizes && i < builder->outside.count; i++) {
        sizes[builder->heap_nodes + i] = size_of_outside(builder, loupe_outside_at(builder, i));
        ret->bytes += sizes[builder->heap_nodes + i];
    }
}

static bool has_lower_address(const void *ctx, const void *a, const void *b) {
    const uint64_t *addresses = ctx;
    return addresses[*(const uint32_t *)a] < addresses[*(const uint32_t *)b];
}

static void freeze_nodes(struct kept *kept, struct loupe_snapshot_builder *builder,
                         struct loupe_snapshot *ret) {
    uint32_t first = builder->heap_nodes;
    uint64_t *addresses = take_over(kept, builder, builder->addresses, sizeof(uint64_t));
    uint32_t *classes = take_over(kept, builder, builder->classes, sizeof(uint32_t));
    uint32_t *retains = take_over(kept, builder, builder->retain_counts, sizeof(uint32_t));
    uint8_t *marks = take_over(kept, builder, builder->marks, sizeof(uint8_t));
    builder->addresses = NULL;
    builder->classes = builder->retain_counts = NULL;
    builder->marks = NULL;
    uint32_t *order = new_array(kept, builder->outside.count, sizeof(uint32_t));
    if (kept->failed)
        return;
    for (uint32_t i = 0; i < first; i++)
        marks[i] &= LOUPE_HEAP_PUBLIC_MARKS;
    for (uint32_t i = 0; i < builder->outside.count; i++) {
        const struct loupe_outside_node *node = loupe_outside_at(builder, i);
        addresses[first + i] = node->address;
        classes[first + i] = node->class_number;
        retains[first + i] = retains_of_outside(node);
        marks[first + i] = LOUPE_NODE_OUTSIDE;
        order[i] = first + i;
    }
    loupe_sort(order, builder->outside.count, sizeof(*order), has_lower_address, addresses);
    ret->addresses = kept->addresses = addresses;
    ret->classes = classes;
    kept->native.retain_counts = kept->retain_counts = retains;
    kept->native.marks = marks;
    kept->outside_order = order;
    kept->heap_nodes = first;
    kept->outside = builder->outside.count;
}

/* ---- Tables ---- */

static void freeze_classes(struct kept *kept, struct loupe_snapshot_builder *builder,
                           struct loupe_snapshot *ret) {
    struct loupe_heap_tables *tables = &builder->tables;
    uint32_t count = tables->class_table.count, node;
    uint64_t *places = new_array(kept, count, sizeof(uint64_t));
    for (uint32_t i = 0; places && i < count; i++) {
        struct loupe_snapshot_class *entry = loupe_heap_class_entry(tables, i);
        places[i] = loupe_heap_class_at(tables, i)->place;
        bool has_node =
            entry->kind == LOUPE_CLASS_INSTANCES && !kept->failed && find(kept, places[i], &node);
        entry->node = has_node ? node : LOUPE_NO_NODE;
    }
    kept->native.class_places = places;
    ret->class_count = count;
    ret->class_table = flatten(kept, &tables->class_table);
    uint32_t *class_order = new_array(kept, count, sizeof(uint32_t));
    ret->class_order = class_order;
    if (!kept->failed && loupe_snapshot_order_classes(ret, kept->chunks, class_order))
        kept->failed = true;
}

static void freeze_roots(struct kept *kept, struct loupe_snapshot_builder *builder,
                         struct loupe_snapshot *ret) {
    uint32_t *nodes = new_array(kept, builder->roots.count, sizeof(uint32_t));
    ret->columns.root_count = builder->roots.count;
    ret->thread_count = builder->threads.count;
    const struct loupe_snapshot_root *roots = flatten(kept, &builder->roots);
    for (uint32_t i = 0; nodes && roots && i < ret->columns.root_count; i++)
        nodes[i] = roots[i].node;
    ret->roots = roots;
    ret->columns.roots = nodes;
    ret->threads = flatten(kept, &builder->threads);
    ret->frame_count = builder->thread_frames.count;
    ret->frames = flatten(kept, &builder->thread_frames);
    kept->native.root_places = flatten(kept, &builder->root_places);
}

static void freeze_strings(struct kept *kept, struct loupe_snapshot_builder *builder,
                           struct loupe_snapshot *ret) {
    struct loupe_heap_tables *tables = &builder->tables;
    ret->string_count = tables->strings.count;
    ret->text_size = tables->text_size;
    ret->strings = flatten(kept, &tables->strings);
    ret->text =
        tables->text ? keep(kept, tables->text, tables->text_capacity) : new_array(kept, 0, 1);
    tables->text = NULL;
    tables->text_capacity = 0;
    kept->native.label_count = tables->labels.count;
    kept->native.label_table = flatten(kept, &tables->labels);
}

/* ---- Who allocated it ---- */

static void freeze_stacks(struct kept *kept, struct loupe_snapshot_builder *builder) {
    struct loupe_heap_stacks *stacks = &builder->stacks;
    struct loupe_native_heap *native = &kept->native;
    if (!stacks->recorder.count)
        return;
    for (uint32_t i = 0; i < builder->outside.count; i++) {
        uint32_t *none = loupe_vector_add(&stacks->of_blocks);
        if (!none) {
            kept->failed = true;
            return;
        }
        *none = LOUPE_NONE;
    }
    native->call_count = stacks->calls.count;
    native->frame_count = stacks->frames.count;
    native->recorder = flatten(kept, &stacks->recorder);
    native->stacks = flatten(kept, &stacks->of_blocks);
    native->calls = flatten(kept, &stacks->calls);
    native->frames = flatten(kept, &stacks->frames);
}

/* ---- Where it came from ---- */

static void freeze_allocators(struct kept *kept, struct loupe_snapshot_builder *builder) {
    struct loupe_blocks *blocks = builder->blocks;
    uint32_t count = blocks->allocators.count;
    struct loupe_heap_allocator *allocators =
        new_array(kept, count, sizeof(struct loupe_heap_allocator));
    for (uint32_t i = 0; allocators && i < count; i++) {
        const struct loupe_allocator *known = loupe_blocks_allocator(blocks, i);
        allocators[i] =
            (struct loupe_heap_allocator){.name = loupe_heap_text(&builder->tables, known->name),
                                          .why = loupe_heap_text(&builder->tables, known->doubt),
                                          .blocks = known->blocks,
                                          .bytes = known->bytes,
                                          .free_blocks = known->free_blocks,
                                          .free_bytes = known->free_bytes};
    }
    kept->native.allocators = allocators;
    kept->native.allocator_count = count;
}

static void freeze_origin(struct kept *kept, struct loupe_snapshot_builder *builder,
                          struct loupe_snapshot *ret) {
    const struct loupe_heap_options *options = builder->options;
    const struct loupe_machine *machine = &builder->target->memory->machine;
    struct loupe_native_heap *native = &kept->native;
    native->abi = loupe_heap_text(&builder->tables, builder->target->abi->name);
    native->program = loupe_heap_text(&builder->tables, options->program);
    native->origin = (uint32_t)options->origin;
    native->process = options->process;
    native->raw_blocks = builder->counts.raw;
    native->raw_bytes = builder->counts.raw_bytes;
    ret->format = loupe_heap_string(&builder->tables,
                                    loupe_span_of(builder->target->abi == &loupe_abi_none
                                                      ? "Heap without an Objective-C runtime"
                                                      : "Objective-C heap"));
    ret->time = options->time;
    ret->address_size = ret->reference_size = machine->pointer_size;
}

static void freeze_dangling(struct kept *kept, struct loupe_snapshot_builder *builder) {
    kept->native.dangling_count = builder->dangling.count;
    kept->native.dangling = flatten(kept, &builder->dangling);
    kept->native.item_count = builder->items.count;
    kept->native.items = flatten(kept, &builder->items);
}

static void freeze_notes(struct kept *kept, struct loupe_snapshot_builder *builder) {
    struct loupe_vector notes;
    loupe_vector_init(&notes, kept->chunks, sizeof(struct loupe_heap_note));
    kept->failed |= loupe_heap_note_all(builder, &notes) != LOUPE_OK;
    kept->native.note_count = notes.count;
    kept->native.notes = flatten(kept, &notes);
    loupe_vector_deinit(&notes);
}

/* ---- What stands in the objects ---- */

static enum loupe_status freeze_values(struct kept *kept, struct loupe_snapshot_builder *builder,
                                       struct loupe_snapshot *ret) {
    struct loupe_heap_values values;
    enum loupe_status status = loupe_heap_take_values(builder, &values);
    if (status) {
        loupe_heap_values_deinit(&values, kept->chunks);
        return status;
    }
    ret->field_count = values.fields.count;
    kept->native.value_count = values.texts.count;
    ret->fields = flatten(kept, &values.fields);
    kept->native.values = flatten(kept, &values.texts);
    kept->native.field_text_count = values.field_texts.count;
    kept->native.field_texts = flatten(kept, &values.field_texts);
    kept->tagging = builder->target->tagging;
    kept->native.tagging = kept->tagging.form ? &kept->tagging : NULL;
    kept->native.pointer_count = values.pointers.count;
    kept->native.pointers = flatten(kept, &values.pointers);
    kept->content_lengths =
        keep(kept, values.lengths, ((size_t)values.nodes + 1) * sizeof(*values.lengths));
    kept->content_starts = keep(kept, values.starts, loupe_heap_values_starts(&values));
    kept->contents = keep(kept, values.contents, values.size + 1);
    values.lengths = NULL;
    values.starts = NULL;
    values.contents = NULL;
    loupe_heap_values_deinit(&values, kept->chunks);
    return LOUPE_OK;
}

enum loupe_status loupe_heap_freeze(struct loupe_snapshot_builder *builder,
                                    struct loupe_snapshot *ret) {
    struct kept *kept = loupe_chunk_get(builder->chunks, sizeof(*kept));
    if (!kept)
        return LOUPE_ENOMEM;
    *kept = (struct kept){.chunks = builder->chunks};
    struct loupe_snapshot snapshot = {
        .ops = &ops, .ctx = kept, .columns = {.nodes = loupe_heap_node_count(builder)}};
    /* What takes most comes last, when what it does not need has gone. */
    freeze_allocators(kept, builder);
    enum loupe_status status = freeze_values(kept, builder, &snapshot);
    if (status) {
        deinit(kept);
        return status;
    }
    freeze_notes(kept, builder);
    freeze_sizes(kept, builder, &snapshot);
    loupe_blocks_deinit(builder->blocks);
    freeze_nodes(kept, builder, &snapshot);
    freeze_classes(kept, builder, &snapshot);
    freeze_roots(kept, builder, &snapshot);
    freeze_stacks(kept, builder);
    freeze_dangling(kept, builder);
    freeze_origin(kept, builder, &snapshot);
    freeze_strings(kept, builder, &snapshot);
    uint8_t *kinds = freeze_links(kept, builder, &snapshot.columns);
    status = freeze_held(kept, builder, &snapshot, kinds);
    if (kept->failed || builder->tables.status || status) {
        deinit(kept);
        return status ? status : LOUPE_ENOMEM;
    }
    snapshot.native = &kept->native;
    *ret = snapshot;
    return LOUPE_OK;
}
