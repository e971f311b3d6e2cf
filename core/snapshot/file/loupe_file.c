#include "snapshot/file/loupe_file.h"

#include "snapshot/file/loupe_file_check.h"
#include "snapshot/values/values.h"

#include <string.h>

const uint8_t loupe_section_element_sizes[LOUPE_SECTION_END] = {
    [LOUPE_SECTION_FACTS] = sizeof(struct loupe_file_facts),
    [LOUPE_SECTION_ADDRESSES] = sizeof(uint64_t),
    [LOUPE_SECTION_BY_ADDRESS] = sizeof(uint32_t),
    [LOUPE_SECTION_CLASSES] = sizeof(uint32_t),
    [LOUPE_SECTION_SIZES] = sizeof(uint32_t),
    [LOUPE_SECTION_LARGE_SIZES] = sizeof(struct loupe_large_size),
    [LOUPE_SECTION_FIRST] = sizeof(uint32_t),
    [LOUPE_SECTION_TO] = sizeof(uint32_t),
    [LOUPE_SECTION_KINDS] = sizeof(uint8_t),
    [LOUPE_SECTION_SLOTS] = sizeof(uint32_t),
    [LOUPE_SECTION_CLASS_TABLE] = sizeof(struct loupe_snapshot_class),
    [LOUPE_SECTION_FIELDS] = sizeof(struct loupe_snapshot_field),
    [LOUPE_SECTION_ROOTS] = sizeof(struct loupe_snapshot_root),
    [LOUPE_SECTION_ROOT_NODES] = sizeof(uint32_t),
    [LOUPE_SECTION_THREADS] = sizeof(struct loupe_snapshot_thread),
    [LOUPE_SECTION_FRAMES] = sizeof(struct loupe_snapshot_frame),
    [LOUPE_SECTION_STRINGS] = sizeof(struct loupe_snapshot_string),
    [LOUPE_SECTION_TEXT] = sizeof(char),
    [LOUPE_SECTION_NOTES] = sizeof(struct loupe_snapshot_noted),
    [LOUPE_SECTION_CONTENT_LENGTHS] = sizeof(uint32_t),
    [LOUPE_SECTION_CONTENT_STARTS] = sizeof(uint64_t),
    [LOUPE_SECTION_CONTENTS] = sizeof(uint8_t),
    [LOUPE_SECTION_DOMINATORS] = sizeof(uint32_t),
    [LOUPE_SECTION_RETAINED] = sizeof(uint64_t),
    [LOUPE_SECTION_RETAINED_COUNTS] = sizeof(uint32_t),
    [LOUPE_SECTION_HEAPS] = sizeof(struct loupe_snapshot_heap),
    [LOUPE_SECTION_HEAP_RANGES] = sizeof(struct loupe_snapshot_heap_range),
    [LOUPE_SECTION_PATHS_FROM] = sizeof(uint32_t),
    [LOUPE_SECTION_PATH_LEVELS] = sizeof(uint8_t),
    [LOUPE_SECTION_PATH_RULES] = sizeof(uint64_t),
    [LOUPE_SECTION_NATIVE] = sizeof(struct loupe_file_native),
    [LOUPE_SECTION_LABELS] = sizeof(uint32_t),
    [LOUPE_SECTION_RETAIN_COUNTS] = sizeof(uint32_t),
    [LOUPE_SECTION_MARKS] = sizeof(uint8_t),
    [LOUPE_SECTION_CLASS_PLACES] = sizeof(uint64_t),
    [LOUPE_SECTION_LABEL_TABLE] = sizeof(struct loupe_label),
    [LOUPE_SECTION_ROOT_PLACES] = sizeof(struct loupe_root_place),
    [LOUPE_SECTION_ALLOCATORS] = sizeof(struct loupe_heap_allocator),
    [LOUPE_SECTION_NATIVE_NOTES] = sizeof(struct loupe_heap_note),
    [LOUPE_SECTION_RECORDER] = sizeof(struct loupe_recorder),
    [LOUPE_SECTION_STACKS] = sizeof(uint32_t),
    [LOUPE_SECTION_CALLS] = sizeof(struct loupe_recorded_call),
    [LOUPE_SECTION_VALUES] = sizeof(struct loupe_node_value),
    [LOUPE_SECTION_RECORDED_FRAMES] = sizeof(struct loupe_recorded_frame),
    [LOUPE_SECTION_DANGLING] = sizeof(struct loupe_dangling),
    [LOUPE_SECTION_DEBUG_NAMES] = sizeof(struct loupe_debug_name),
    [LOUPE_SECTION_DEBUG_TEXT] = sizeof(char),
    [LOUPE_SECTION_POINTERS] = sizeof(struct loupe_pointer_ivar),
    [LOUPE_SECTION_TAGGING] = sizeof(struct loupe_tagging),
    [LOUPE_SECTION_FIELD_TEXTS] = sizeof(struct loupe_field_text),
    [LOUPE_SECTION_ITEMS] = sizeof(struct loupe_value_item),
};

_Static_assert(LOUPE_LINK_KIND_COUNT <= 16, "kinds of links are packed in half a byte");

const uint8_t loupe_section_packings[LOUPE_SECTION_END] = {
    [LOUPE_SECTION_ADDRESSES] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_BY_ADDRESS] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_CLASSES] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_SIZES] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_FIRST] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_TO] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_KINDS] = LOUPE_PACKED_HALVES,
    [LOUPE_SECTION_SLOTS] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_ROOT_NODES] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_CONTENT_LENGTHS] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_CONTENT_STARTS] = LOUPE_PACKED_STEPS,
    [LOUPE_SECTION_CONTENTS] = LOUPE_PACKED_GROUPS,
    [LOUPE_SECTION_DOMINATORS] = LOUPE_PACKED_NEAR,
    [LOUPE_SECTION_RETAINED] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_RETAINED_COUNTS] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_PATHS_FROM] = LOUPE_PACKED_NEAR,
    [LOUPE_SECTION_LABELS] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_RETAIN_COUNTS] = LOUPE_PACKED_NUMBERS,
    [LOUPE_SECTION_STACKS] = LOUPE_PACKED_NUMBERS,
};

/* ---- A mapped file ---- */

/* What stands in the file of a section that is packed. */
struct packed_section {
    uint64_t size;
    uint32_t packing;
    void *unpacked; /* NULL: not so far */
};

struct mapped {
    const struct loupe_chunk_ops *chunks;
    struct loupe_file_tables tables;
    struct packed_section packed[LOUPE_SECTION_END];
    struct loupe_arena arena;
    const uint8_t **blocks; /* contents of 64 nodes each, as far as they were asked for */
    uint32_t *class_order;
    struct loupe_native_heap native;
    /* Where the contents of a node begin that was asked for last: most ask for one after another.
     */
    uint32_t asked;
    uint64_t asked_at;
};

static bool has_slots(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                      uint32_t first, uint32_t count, uint32_t *ret) {
    const struct mapped *mapped = ctx;
    const uint32_t *slots = mapped->tables.bytes[LOUPE_SECTION_SLOTS];
    if (!slots)
        return false;
    memcpy(ret, slots + snapshot->columns.first[node] + first, count * sizeof(*ret));
    return true;
}

static bool is_packed(const struct mapped *mapped, unsigned id) {
    return mapped->packed[id].packing != LOUPE_PACKED_NOT;
}

/* Where those of a block of nodes are in the section; false: not in it. */
static bool find_packed(const struct mapped *mapped, uint32_t block, struct loupe_span *ret) {
    const uint64_t *starts = mapped->tables.bytes[LOUPE_SECTION_CONTENT_STARTS];
    uint64_t end = mapped->packed[LOUPE_SECTION_CONTENTS].size, next = block + (uint64_t)1;
    if (next < mapped->tables.counts[LOUPE_SECTION_CONTENT_STARTS] && starts[next] < end)
        end = starts[next];
    if (starts[block] > end)
        return false;
    const char *all = mapped->tables.bytes[LOUPE_SECTION_CONTENTS];
    *ret = (struct loupe_span){all + starts[block], (size_t)(end - starts[block])};
    return true;
}

static bool unpack_nodes(const uint32_t *lengths, uint32_t from, uint32_t end,
                         struct loupe_span packed, uint8_t *dst) {
    const uint8_t *bytes = (const uint8_t *)packed.bytes;
    uint64_t at = 0, before = 0;
    for (uint32_t node = from; node < end; node++) {
        uint32_t length = lengths[node] == LOUPE_NONE ? 0 : lengths[node];
        for (uint32_t i = 0; i < length; i += LOUPE_GROUP) {
            size_t part = length - i < LOUPE_GROUP ? length - i : LOUPE_GROUP;
            if (!loupe_unpack_group(bytes, packed.length, &at, &before, dst, part))
                return false;
            dst += part;
        }
    }
    return true;
}

/* Bytes of the nodes from one to the end; more than so many packed ones make: UINT64_MAX. */
static uint64_t unpacked_size(const uint32_t *lengths, uint32_t from, uint32_t end,
                              uint64_t packed) {
    uint64_t size = 0;
    for (uint32_t node = from; node < end; node++)
        size += lengths[node] == LOUPE_NONE ? 0 : lengths[node];
    return size > packed * LOUPE_GROUP ? UINT64_MAX : size;
}

/* The contents of 64 nodes, which stay unpacked; NULL: they are damaged, or there is no memory. */
static const uint8_t *block_of(struct mapped *mapped, uint32_t nodes, uint32_t block) {
    const uint32_t *lengths = mapped->tables.bytes[LOUPE_SECTION_CONTENT_LENGTHS];
    uint32_t from = block * LOUPE_CONTENT_STEP,
             end = nodes - from < LOUPE_CONTENT_STEP ? nodes : from + LOUPE_CONTENT_STEP;
    struct loupe_span packed;
    if (mapped->blocks[block])
        return mapped->blocks[block];
    if (!find_packed(mapped, block, &packed))
        return NULL;
    uint64_t size = unpacked_size(lengths, from, end, packed.length);
    uint8_t *bytes = size == UINT64_MAX ? NULL : loupe_arena_alloc(&mapped->arena, size + 1);
    if (!bytes || !unpack_nodes(lengths, from, end, packed, bytes))
        return NULL;
    mapped->blocks[block] = bytes;
    return bytes;
}

/* Bytes of contents before a node: in its block where they are packed, else in all of them. */
static uint64_t place_of_contents(struct mapped *mapped, const uint32_t *lengths, uint32_t node,
                                  uint64_t block_at) {
    uint32_t from = node - node % LOUPE_CONTENT_STEP;
    bool goes_on = mapped->asked >= from && mapped->asked <= node;
    uint64_t at = goes_on ? mapped->asked_at : block_at;
    for (uint32_t i = goes_on ? mapped->asked : from; i < node; i++)
        at += lengths[i] == LOUPE_NONE ? 0 : lengths[i];
    mapped->asked = node;
    mapped->asked_at = at;
    return at;
}

static bool has_contents(void *ctx, const struct loupe_snapshot *snapshot, uint32_t node,
                         const uint8_t **ret, uint64_t *len_ret) {
    struct mapped *mapped = ctx;
    const uint32_t *lengths = mapped->tables.bytes[LOUPE_SECTION_CONTENT_LENGTHS];
    const uint64_t *starts = mapped->tables.bytes[LOUPE_SECTION_CONTENT_STARTS];
    const uint8_t *contents = mapped->tables.bytes[LOUPE_SECTION_CONTENTS];
    uint64_t size = mapped->tables.counts[LOUPE_SECTION_CONTENTS];
    if (!lengths || !starts || !contents || lengths[node] == LOUPE_NONE)
        return false;
    *len_ret = lengths[node];
    if (mapped->blocks) {
        const uint8_t *block = block_of(mapped, snapshot->columns.nodes, node / LOUPE_CONTENT_STEP);
        *ret = block ? block + place_of_contents(mapped, lengths, node, 0) : NULL;
        return block;
    }
    uint64_t at = place_of_contents(mapped, lengths, node, starts[node / LOUPE_CONTENT_STEP]);
    *ret = contents + at;
    return at <= size && lengths[node] <= size - at; /* not looked at before somebody asks */
}

/* Those of a class are the contents of its object. */
static bool has_static_value(void *ctx, const struct loupe_snapshot *snapshot,
                             uint32_t class_number, uint32_t field, struct loupe_value *ret) {
    const uint8_t *bytes;
    uint64_t length, offset = 0;
    if (class_number >= snapshot->class_count)
        return false;
    const struct loupe_snapshot_class *entry = &snapshot->class_table[class_number];
    if (field >= entry->static_fields || entry->node == LOUPE_NO_NODE ||
        !has_contents(ctx, snapshot, entry->node, &bytes, &length))
        return false;
    const struct loupe_snapshot_field *fields =
        &snapshot->fields[entry->first_field + entry->instance_fields];
    for (uint32_t i = 0; i < field; i++)
        offset += loupe_value_size(fields[i].type, snapshot->address_size);
    uint32_t size = loupe_value_size(fields[field].type, snapshot->address_size);
    if (!size || offset + size > length)
        return false;
    *ret = loupe_value_decode(fields[field].type, snapshot->address_size, bytes + offset);
    return true;
}

static size_t blocks_size(const struct mapped *mapped) {
    return mapped->tables.counts[LOUPE_SECTION_CONTENT_STARTS] * sizeof(*mapped->blocks);
}

static size_t unpacked_bytes(const struct mapped *mapped, unsigned id) {
    return mapped->tables.counts[id] * loupe_section_element_sizes[id] + sizeof(uint64_t);
}

static void deinit(void *ctx) {
    struct mapped *mapped = ctx;
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END; id++)
        if (mapped->packed[id].unpacked)
            loupe_chunk_put(mapped->chunks, mapped->packed[id].unpacked,
                            unpacked_bytes(mapped, id));
    if (mapped->blocks)
        loupe_chunk_put(mapped->chunks, mapped->blocks, blocks_size(mapped));
    loupe_arena_deinit(&mapped->arena);
    if (mapped->class_order)
        loupe_numbers_put(mapped->chunks, &mapped->class_order,
                          (uint32_t)mapped->tables.counts[LOUPE_SECTION_CLASS_TABLE]);
    loupe_chunk_put(mapped->chunks, mapped, sizeof(*mapped));
}

static const struct loupe_snapshot_ops ops = {.slots = has_slots,
                                              .contents = has_contents,
                                              .static_value = has_static_value,
                                              .deinit = deinit};

/* ---- Checking ---- */

static bool is_little_endian(void) {
    const uint16_t one = 1;
    uint8_t low;
    memcpy(&low, &one, 1);
    return low == 1;
}

static size_t entry_size(const struct loupe_file_header *header) {
    return header->version == LOUPE_PLAIN_FILE_VERSION ? sizeof(struct loupe_plain_section)
                                                       : sizeof(struct loupe_file_section);
}

static struct loupe_file_section entry_at(const struct loupe_file_header *header,
                                          const uint8_t *bytes, uint32_t number) {
    struct loupe_file_section section;
    struct loupe_plain_section plain;
    const uint8_t *entry = bytes + sizeof(*header) + (size_t)number * entry_size(header);
    if (header->version != LOUPE_PLAIN_FILE_VERSION) {
        memcpy(&section, entry, sizeof(section));
        return section;
    }
    memcpy(&plain, entry, sizeof(plain));
    return (struct loupe_file_section){.id = plain.id,
                                       .element_size = plain.element_size,
                                       .offset = plain.offset,
                                       .count = plain.count,
                                       .size = plain.element_size >
                                                       UINT64_MAX / (plain.count + !plain.count)
                                                   ? UINT64_MAX
                                                   : plain.count * plain.element_size};
}

/* At most two elements of an array stand in a byte of it. */
static bool is_size_right(const struct loupe_file_section *section) {
    if (section->packing == LOUPE_PACKED_NOT)
        return section->count == section->size / section->element_size &&
               section->size % section->element_size == 0;
    return section->count / 2 <= section->size || (section->packing == LOUPE_PACKED_GROUPS &&
                                                   section->count / LOUPE_GROUP <= section->size);
}

static const char *check_section(const struct loupe_file_section *section, uint64_t size) {
    if (section->element_size != loupe_section_element_sizes[section->id])
        return "a section has elements of an unknown size";
    if (section->packing >= LOUPE_PACKING_END ||
        (section->packing == LOUPE_PACKED_GROUPS && section->id != LOUPE_SECTION_CONTENTS))
        return "a section is packed in an unknown way";
    if (section->offset % LOUPE_SECTION_ALIGNMENT || section->offset > size ||
        section->size > size - section->offset || !is_size_right(section))
        return "a section does not lie in it";
    return NULL;
}

/* NULL, or what is wrong. */
static const char *find_sections(struct mapped *mapped, const uint8_t *bytes, uint64_t size) {
    struct loupe_file_header header;
    memcpy(&header, bytes, sizeof(header));
    if (header.size > size)
        return "it is cut off";
    if (header.sections > (size - sizeof(header)) / entry_size(&header))
        return "its table of sections does not fit into it";
    for (uint32_t i = 0; i < header.sections; i++) {
        struct loupe_file_section section = entry_at(&header, bytes, i);
        if (!section.id || section.id >= LOUPE_SECTION_END)
            continue; /* of a newer Loupe, which may be passed over */
        const char *problem = check_section(&section, size);
        if (problem)
            return problem;
        if (mapped->tables.bytes[section.id])
            return "a section is there twice";
        mapped->tables.bytes[section.id] = bytes + section.offset;
        mapped->tables.counts[section.id] = section.count;
        mapped->packed[section.id] =
            (struct packed_section){.size = section.size, .packing = section.packing};
    }
    return NULL;
}

/* ---- Unpacking ---- */

static enum loupe_status unpack_section(struct mapped *mapped, unsigned id) {
    struct packed_section *packed = &mapped->packed[id];
    const uint8_t *bytes = mapped->tables.bytes[id];
    struct loupe_packer packer = {.packing = packed->packing,
                                  .element = loupe_section_element_sizes[id]};
    packed->unpacked = loupe_chunk_get(mapped->chunks, unpacked_bytes(mapped, id));
    if (!packed->unpacked)
        return LOUPE_ENOMEM;
    mapped->tables.bytes[id] = packed->unpacked;
    return loupe_unpack(bytes, packed->size, packer, mapped->tables.counts[id], packed->unpacked)
               ? LOUPE_OK
               : LOUPE_EUSAGE;
}

/* All but the contents. LOUPE_EUSAGE: one is damaged. */
static enum loupe_status unpack_sections(struct mapped *mapped) {
    enum loupe_status status = LOUPE_OK;
    /* Cap: all of a table. */
    for (unsigned id = 1; id < LOUPE_SECTION_END && !status; id++)
        if (is_packed(mapped, id) && id != LOUPE_SECTION_CONTENTS)
            status = unpack_section(mapped, id);
    if (status || !is_packed(mapped, LOUPE_SECTION_CONTENTS) ||
        !mapped->tables.bytes[LOUPE_SECTION_CONTENT_STARTS])
        return status;
    mapped->blocks = loupe_chunk_get(mapped->chunks, blocks_size(mapped));
    if (!mapped->blocks)
        return LOUPE_ENOMEM;
    memset(mapped->blocks, 0, blocks_size(mapped));
    return LOUPE_OK;
}

/* ---- The snapshot ---- */

static void show_sections(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    const uint64_t *counts = mapped->tables.counts;
    struct loupe_file_facts facts;
    memcpy(&facts, sections[LOUPE_SECTION_FACTS], sizeof(facts));
    ret->columns = (struct loupe_columns){
        .first = sections[LOUPE_SECTION_FIRST],
        .to = sections[LOUPE_SECTION_TO],
        .kinds = sections[LOUPE_SECTION_KINDS],
        .sizes = sections[LOUPE_SECTION_SIZES],
        .roots = sections[LOUPE_SECTION_ROOT_NODES],
        .large = sections[LOUPE_SECTION_LARGE_SIZES],
        .nodes = (uint32_t)counts[LOUPE_SECTION_ADDRESSES],
        .root_count = (uint32_t)counts[LOUPE_SECTION_ROOTS],
        .large_count = (uint32_t)counts[LOUPE_SECTION_LARGE_SIZES],
    };
    ret->addresses = sections[LOUPE_SECTION_ADDRESSES];
    ret->by_address = sections[LOUPE_SECTION_BY_ADDRESS];
    ret->classes = sections[LOUPE_SECTION_CLASSES];
    ret->class_table = sections[LOUPE_SECTION_CLASS_TABLE];
    ret->fields = sections[LOUPE_SECTION_FIELDS];
    ret->roots = sections[LOUPE_SECTION_ROOTS];
    ret->threads = sections[LOUPE_SECTION_THREADS];
    ret->frames = sections[LOUPE_SECTION_FRAMES];
    ret->strings = sections[LOUPE_SECTION_STRINGS];
    ret->text = sections[LOUPE_SECTION_TEXT];
    ret->text_size = counts[LOUPE_SECTION_TEXT];
    ret->class_count = (uint32_t)counts[LOUPE_SECTION_CLASS_TABLE];
    ret->field_count = (uint32_t)counts[LOUPE_SECTION_FIELDS];
    ret->thread_count = (uint32_t)counts[LOUPE_SECTION_THREADS];
    ret->frame_count = (uint32_t)counts[LOUPE_SECTION_FRAMES];
    ret->string_count = (uint32_t)counts[LOUPE_SECTION_STRINGS];
    ret->heaps = sections[LOUPE_SECTION_HEAPS];
    ret->heap_count = (uint32_t)counts[LOUPE_SECTION_HEAPS];
    ret->heap_ranges = sections[LOUPE_SECTION_HEAP_RANGES];
    ret->heap_range_count = (uint32_t)counts[LOUPE_SECTION_HEAP_RANGES];
    ret->address_size = (uint8_t)facts.address_size;
    ret->reference_size = (uint8_t)facts.reference_size;
    ret->bytes = facts.bytes;
    ret->time = facts.time;
    ret->format = facts.format;
    ret->is_big_endian = facts.flags & LOUPE_FILE_BIG_ENDIAN;
    memcpy(ret->notes, sections[LOUPE_SECTION_NOTES],
           counts[LOUPE_SECTION_NOTES] * sizeof(ret->notes[0]));
    if (sections[LOUPE_SECTION_DOMINATORS] && sections[LOUPE_SECTION_RETAINED] &&
        sections[LOUPE_SECTION_RETAINED_COUNTS])
        ret->dominators =
            (struct loupe_stored_dominators){.immediate = sections[LOUPE_SECTION_DOMINATORS],
                                             .retained = sections[LOUPE_SECTION_RETAINED],
                                             .counts = sections[LOUPE_SECTION_RETAINED_COUNTS]};
}

static void show_native(struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    const uint64_t *counts = mapped->tables.counts;
    struct loupe_file_native about;
    if (!sections[LOUPE_SECTION_NATIVE])
        return;
    memcpy(&about, sections[LOUPE_SECTION_NATIVE], sizeof(about));
    mapped->native =
        (struct loupe_native_heap){.slots = sections[LOUPE_SECTION_SLOTS],
                                   .labels = sections[LOUPE_SECTION_LABELS],
                                   .retain_counts = sections[LOUPE_SECTION_RETAIN_COUNTS],
                                   .marks = sections[LOUPE_SECTION_MARKS],
                                   .class_places = sections[LOUPE_SECTION_CLASS_PLACES],
                                   .label_table = sections[LOUPE_SECTION_LABEL_TABLE],
                                   .root_places = sections[LOUPE_SECTION_ROOT_PLACES],
                                   .allocators = sections[LOUPE_SECTION_ALLOCATORS],
                                   .notes = sections[LOUPE_SECTION_NATIVE_NOTES],
                                   .label_count = (uint32_t)counts[LOUPE_SECTION_LABEL_TABLE],
                                   .allocator_count = (uint32_t)counts[LOUPE_SECTION_ALLOCATORS],
                                   .note_count = (uint32_t)counts[LOUPE_SECTION_NATIVE_NOTES],
                                   .abi = about.abi,
                                   .program = about.program,
                                   .origin = about.origin,
                                   .process = about.process,
                                   .raw_blocks = about.raw_blocks,
                                   .raw_bytes = about.raw_bytes};
    mapped->native.dangling = sections[LOUPE_SECTION_DANGLING];
    mapped->native.dangling_count = (uint32_t)counts[LOUPE_SECTION_DANGLING];
    mapped->native.values = sections[LOUPE_SECTION_VALUES];
    mapped->native.value_count = (uint32_t)counts[LOUPE_SECTION_VALUES];
    mapped->native.tagging = sections[LOUPE_SECTION_TAGGING];
    mapped->native.items = sections[LOUPE_SECTION_ITEMS];
    mapped->native.item_count = (uint32_t)counts[LOUPE_SECTION_ITEMS];
    mapped->native.field_texts = sections[LOUPE_SECTION_FIELD_TEXTS];
    mapped->native.field_text_count = (uint32_t)counts[LOUPE_SECTION_FIELD_TEXTS];
    mapped->native.pointers = sections[LOUPE_SECTION_POINTERS];
    mapped->native.pointer_count = (uint32_t)counts[LOUPE_SECTION_POINTERS];
    mapped->native.recorder = sections[LOUPE_SECTION_RECORDER];
    mapped->native.stacks = sections[LOUPE_SECTION_STACKS];
    mapped->native.calls = sections[LOUPE_SECTION_CALLS];
    mapped->native.frames = sections[LOUPE_SECTION_RECORDED_FRAMES];
    mapped->native.call_count = (uint32_t)counts[LOUPE_SECTION_CALLS];
    mapped->native.frame_count = (uint32_t)counts[LOUPE_SECTION_RECORDED_FRAMES];
    ret->native = &mapped->native;
    ret->names = (struct loupe_debug_names){.entries = sections[LOUPE_SECTION_DEBUG_NAMES],
                                            .text = sections[LOUPE_SECTION_DEBUG_TEXT],
                                            .text_size = counts[LOUPE_SECTION_DEBUG_TEXT],
                                            .count = (uint32_t)counts[LOUPE_SECTION_DEBUG_NAMES]};
}

static bool order_classes(struct mapped *mapped, struct loupe_snapshot *snapshot) {
    mapped->class_order = loupe_numbers_get(mapped->chunks, snapshot->class_count);
    snapshot->class_order = mapped->class_order;
    return mapped->class_order &&
           !loupe_snapshot_order_classes(snapshot, mapped->chunks, mapped->class_order);
}

static void show_paths(const struct mapped *mapped, struct loupe_snapshot *ret) {
    const void *const *sections = mapped->tables.bytes;
    if (!sections[LOUPE_SECTION_PATHS_FROM] || !sections[LOUPE_SECTION_PATH_LEVELS] ||
        !sections[LOUPE_SECTION_PATH_RULES])
        return;
    ret->paths = (struct loupe_stored_paths){.from = sections[LOUPE_SECTION_PATHS_FROM],
                                             .levels = sections[LOUPE_SECTION_PATH_LEVELS]};
    memcpy(&ret->paths.rules, sections[LOUPE_SECTION_PATH_RULES], sizeof(ret->paths.rules));
}

/* Each step leads to a node that refers to the one before, and the last to a root of its node. */
bool loupe_stored_path_is_sound(const struct loupe_snapshot *snapshot,
                                const struct loupe_shortest *paths, uint32_t node) {
    const struct loupe_columns *columns = &snapshot->columns;
    if (loupe_path_level(paths, node) == LOUPE_LEVEL_NONE)
        return true;
    for (uint32_t steps = 0; steps < columns->nodes; steps++) {
        uint32_t before = loupe_path_before(paths, node);
        if (before == LOUPE_NO_NODE)
            return paths->from[node] < columns->root_count &&
                   columns->roots[paths->from[node]] == node;
        if (before >= columns->nodes ||
            loupe_path_link(columns, LOUPE_ALL_LINKS, 0, before, node) == LOUPE_NO_EDGE)
            return false;
        node = before;
    }
    return false; /* a circle */
}

bool loupe_file_is(const uint8_t *bytes, uint64_t size) {
    return size >= sizeof(struct loupe_file_header) && memcmp(bytes, LOUPE_FILE_MAGIC, 8) == 0;
}

/* What says that the file can be mapped at all. */
static const char *check_header(const uint8_t *bytes, uint64_t size) {
    struct loupe_file_header header;
    if (!loupe_file_is(bytes, size))
        return "it does not begin as one";
    memcpy(&header, bytes, sizeof(header));
    if (!is_little_endian())
        return "this machine puts the high byte first";
    if (header.version != LOUPE_FILE_VERSION && header.version != LOUPE_PLAIN_FILE_VERSION)
        return "it is of another version than 1 or 2: write it again with the loupe that reads it";
    return NULL;
}

enum loupe_status loupe_file_open(const uint8_t *bytes, uint64_t size,
                                  const struct loupe_chunk_ops *chunks, struct loupe_snapshot *ret,
                                  struct loupe_error *err) {
    struct mapped *mapped = loupe_chunk_get(chunks, sizeof(*mapped));
    if (!mapped)
        return loupe_fail(err, LOUPE_ENOMEM, 0, "out of memory: the snapshot does not fit");
    *mapped = (struct mapped){.chunks = chunks, .asked = LOUPE_NO_NODE};
    loupe_arena_init(&mapped->arena, chunks);
    struct loupe_snapshot snapshot = {.ops = &ops, .ctx = mapped};
    enum loupe_status status = LOUPE_OK;
    const char *problem = check_header(bytes, size);
    if (!problem)
        problem = find_sections(mapped, bytes, size);
    if (!problem)
        problem = loupe_file_check_counts(&mapped->tables);
    if (!problem)
        status = unpack_sections(mapped);
    if (status == LOUPE_EUSAGE)
        problem = "a section is damaged";
    if (!problem && !status) {
        show_sections(mapped, &snapshot);
        show_paths(mapped, &snapshot);
        show_native(mapped, &snapshot);
        problem = loupe_file_check(&snapshot, mapped->tables.counts[LOUPE_SECTION_TO]);
    }
    if (!problem && !status && !order_classes(mapped, &snapshot))
        status = LOUPE_ENOMEM;
    if (problem || status) {
        deinit(mapped);
        return problem
                   ? loupe_fail(err, LOUPE_EUSAGE, 0, "this snapshot cannot be read: %s", problem)
                   : loupe_fail(err, status, 0, "out of memory: the snapshot does not fit");
    }
    *ret = snapshot;
    return LOUPE_OK;
}
