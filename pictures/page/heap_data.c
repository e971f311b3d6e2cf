/* A whole heap as JSON for the program of a page. Keys are those of page_heap.js. */
#include "pictures/heap_picture.h"
#include "pictures/page/page.h"

#include "base/fnv.h"
#include "base/map.h"
#include "snapshot/values/native_names.h"

/* Longer names are cut. Where all texts together would fill the page they are cut still more, and
 * in the end left out. */
enum {
    MOST_CLASSES = 3000,
    LONGEST = 160,
    SHORTEST = 8,
    MOST_TEXT = 700000,
    MOST_CUT_TEXT = 1000000,
    LONGEST_VALUE = 60
};

struct heap_data {
    const struct heap_picture *heap;
    struct loupe_json *json;
    struct loupe_arena *arena;
    /* By name, its number in the page, or PICTURE_NONE. Class 3 has two of them: 6 is that of its
     * instances, 7 that of the class itself. */
    uint32_t *class_numbers;
    uint32_t *class_order; /* names by their numbers */
    uint32_t class_count;
    struct loupe_map field_numbers; /* hash of a name -> number */
    struct loupe_span *fields;
    uint32_t field_count;
    size_t text; /* bytes that names take so far */
};

static const struct loupe_snapshot *snapshot_of(const struct heap_data *data) {
    return data->heap->source->snapshot;
}

static void put_name(struct heap_data *data, struct loupe_span name) {
    size_t most = data->text < MOST_TEXT ? LONGEST : SHORTEST;
    if (data->text >= MOST_CUT_TEXT && name.length > SHORTEST)
        name = loupe_span_of("…");
    data->text += page_text_size(name, most);
    page_put_text(data->json, name, most);
}

static uint32_t number_of_name(struct heap_data *data, uint32_t name) {
    if (data->class_numbers[name] == PICTURE_NONE) {
        data->class_order[data->class_count] = name;
        data->class_numbers[name] = data->class_count++;
    }
    return data->class_numbers[name];
}

static uint32_t number_of_class(struct heap_data *data, uint32_t class_number) {
    return number_of_name(data, 2 * class_number);
}

/* What a node is called by: a class object by the class that it is. */
static uint32_t class_of_node(struct heap_data *data, uint32_t node) {
    uint32_t is = loupe_snapshot_class_at(snapshot_of(data), node);
    return number_of_name(data,
                          is != LOUPE_NONE ? 2 * is + 1 : 2 * snapshot_of(data)->classes[node]);
}

/* ---- Lists of numbers ---- */

static void begin_list(struct heap_data *data, const char *key) {
    loupe_json_key(data->json, key);
    loupe_json_begin_array(data->json);
}

/* Of a member that is called by a number. */
static void put_key(struct heap_data *data, uint32_t number) {
    char key[16];
    loupe_format(key, sizeof(key), "%u", (unsigned)number);
    loupe_json_key(data->json, key);
}

static void put_optional(struct heap_data *data, uint32_t number) {
    loupe_json_int(data->json, number == PICTURE_NONE ? -1 : (int64_t)number);
}

static void put_address(struct heap_data *data, uint32_t node) {
    if (node == LOUPE_NO_NODE)
        loupe_json_string(data->json, "");
    else
        loupe_json_address(data->json, loupe_snapshot_address(snapshot_of(data), node));
}

/* ---- Classes ---- */

static void put_classes(struct heap_data *data) {
    const struct heap_picture *heap = data->heap;
    uint32_t shown = heap->class_count < MOST_CLASSES ? heap->class_count : MOST_CLASSES;
    struct loupe_class_total left = {0};
    begin_list(data, "classes");
    for (uint32_t i = 0; i < heap->class_count; i++) {
        const struct loupe_class_total *total = &heap->totals[heap->classes[i]];
        if (i >= shown) {
            left.count += total->count;
            left.bytes += total->bytes;
            continue;
        }
        loupe_json_begin_array(data->json);
        loupe_json_uint(data->json, number_of_class(data, heap->classes[i]));
        loupe_json_uint(data->json, total->count);
        loupe_json_uint(data->json, total->bytes);
        loupe_json_uint(data->json, total->retained);
        loupe_json_end_array(data->json);
    }
    loupe_json_end_array(data->json);
    begin_list(data, "classes_left");
    loupe_json_uint(data->json, heap->class_count - shown);
    loupe_json_uint(data->json, left.count);
    loupe_json_uint(data->json, left.bytes);
    loupe_json_end_array(data->json);
}

/* ---- Tiles ---- */

#define PUT_COLUMN(data, key, items, count, put)                                                   \
    do {                                                                                           \
        begin_list(data, key);                                                                     \
        for (uint32_t i_ = 0; i_ < (count); i_++)                                                  \
            put(data, &(items)[i_]);                                                               \
        loupe_json_end_array((data)->json);                                                        \
    } while (0)

static void put_parent(struct heap_data *data, const struct heap_tile *tile) {
    put_optional(data, tile->parent);
}

static void put_tile_class(struct heap_data *data, const struct heap_tile *tile) {
    if (tile->node != LOUPE_NO_NODE)
        loupe_json_uint(data->json, class_of_node(data, tile->node));
    else if (tile->class_number != LOUPE_NONE)
        loupe_json_uint(data->json, number_of_class(data, tile->class_number));
    else
        loupe_json_int(data->json, -1);
}

static void put_tile_address(struct heap_data *data, const struct heap_tile *tile) {
    put_address(data, tile->node);
}

static void put_tile_size(struct heap_data *data, const struct heap_tile *tile) {
    uint64_t size = tile->node == LOUPE_NO_NODE
                        ? 0
                        : loupe_columns_size(&snapshot_of(data)->columns, tile->node);
    loupe_json_uint(data->json, size);
}

static void put_retained(struct heap_data *data, const struct heap_tile *tile) {
    loupe_json_uint(data->json, tile->retained);
}

static void put_objects(struct heap_data *data, const struct heap_tile *tile) {
    loupe_json_uint(data->json, tile->objects);
}

static void put_others(struct heap_data *data, const struct heap_tile *tile) {
    loupe_json_uint(data->json, tile->others);
}

static void put_folded(struct heap_data *data, const struct heap_tile *tile) {
    loupe_json_uint(data->json, tile->folded);
}

static void put_tile_step(struct heap_data *data, const struct heap_tile *tile) {
    put_optional(data, tile->step);
}

/* The text of strings and the like: {tile: text}. */
static void put_values(struct heap_data *data) {
    char value[LONGEST_VALUE + 1];
    loupe_json_key(data->json, "values");
    loupe_json_begin_object(data->json);
    /* Cap: previews of texts; what they are of is there. */
    for (uint32_t i = 0; i < data->heap->tile_count && data->text < MOST_TEXT; i++) {
        uint32_t node = data->heap->tiles[i].node;
        size_t length = node == LOUPE_NO_NODE ? 0
                                              : loupe_snapshot_show_value(snapshot_of(data), node,
                                                                          value, sizeof(value));
        if (!length)
            continue;
        put_key(data, i);
        loupe_json_span(data->json, (struct loupe_span){value, length});
        data->text += page_text_size((struct loupe_span){value, length}, length);
    }
    loupe_json_end_object(data->json);
}

/* What memory without a class is called, under the number of a tile or a step. */
static void put_memory_name(struct heap_data *data, uint32_t number, uint32_t node) {
    const struct heap_picture_source *source = data->heap->source;
    char name[LONGEST_VALUE + 1];
    size_t length = node == LOUPE_NO_NODE || !source->memory_name
                        ? 0
                        : source->memory_name(source->ctx, node, name, sizeof(name));
    if (!length)
        return;
    put_key(data, number);
    loupe_json_span(data->json, (struct loupe_span){name, length});
    data->text += page_text_size((struct loupe_span){name, length}, length);
}

static void put_memory(struct heap_data *data) {
    loupe_json_key(data->json, "memory");
    loupe_json_begin_object(data->json);
    /* Cap: previews of texts; what they are of is there. */
    for (uint32_t i = 0; i < data->heap->tile_count && data->text < MOST_TEXT; i++)
        put_memory_name(data, i, data->heap->tiles[i].node);
    loupe_json_end_object(data->json);
}

static void put_tiles(struct heap_data *data) {
    const struct heap_picture *heap = data->heap;
    loupe_json_key(data->json, "tiles");
    loupe_json_begin_object(data->json);
    PUT_COLUMN(data, "parent", heap->tiles, heap->tile_count, put_parent);
    PUT_COLUMN(data, "name", heap->tiles, heap->tile_count, put_tile_class);
    PUT_COLUMN(data, "address", heap->tiles, heap->tile_count, put_tile_address);
    PUT_COLUMN(data, "size", heap->tiles, heap->tile_count, put_tile_size);
    PUT_COLUMN(data, "retained", heap->tiles, heap->tile_count, put_retained);
    PUT_COLUMN(data, "objects", heap->tiles, heap->tile_count, put_objects);
    PUT_COLUMN(data, "others", heap->tiles, heap->tile_count, put_others);
    PUT_COLUMN(data, "folded", heap->tiles, heap->tile_count, put_folded);
    PUT_COLUMN(data, "step", heap->tiles, heap->tile_count, put_tile_step);
    put_values(data);
    put_memory(data);
    loupe_json_end_object(data->json);
}

/* ---- Steps ---- */

static void put_step_class(struct heap_data *data, const struct heap_step *step) {
    loupe_json_uint(data->json, class_of_node(data, step->node));
}

static void put_step_address(struct heap_data *data, const struct heap_step *step) {
    put_address(data, step->node);
}

static void put_before(struct heap_data *data, const struct heap_step *step) {
    put_optional(data, step->before);
}

static void name_link(const struct heap_picture_source *source, uint32_t node, uint32_t link,
                      struct loupe_link_name *ret) {
    loupe_snapshot_name_link(source->snapshot, node, link, ret);
    const char *capture = loupe_native_capture_name(source->snapshot, node, link);
    const struct loupe_pointer_ivar *pointer = loupe_native_pointer(source->snapshot, node, link);
    if (capture)
        ret->name = loupe_span_of(capture);
    else if (pointer)
        ret->name = loupe_snapshot_string(source->snapshot, pointer->name);
}

/* Elements by -1 - index, named references by the number of their name. */
static void put_field(struct heap_data *data, const struct heap_step *step) {
    const struct heap_picture_source *source = data->heap->source;
    struct loupe_link_name name = {.kind = LOUPE_LINK_NAME_UNKNOWN};
    uint32_t number = 0;
    if (step->before != PICTURE_NONE) {
        uint32_t from = data->heap->steps[step->before].node;
        uint32_t link = loupe_path_link(source->columns, source->policy->paths,
                                        source->policy->late, from, step->node);
        if (link != LOUPE_NO_EDGE)
            name_link(source, from, link, &name);
    }
    if (name.kind == LOUPE_LINK_NAME_ELEMENT) {
        loupe_json_int(data->json, -1 - (int64_t)name.index);
        return;
    }
    uint64_t key = loupe_fnv_span(LOUPE_FNV_BASIS, name.name);
    if (name.name.length && !loupe_map_find(&data->field_numbers, key, &number) &&
        !loupe_map_put(&data->field_numbers, key, data->field_count)) {
        number = data->field_count;
        data->fields[data->field_count++] = name.name;
    }
    loupe_json_uint(data->json, number);
}

static int at_most(struct loupe_span text, size_t most) {
    return (int)(text.length < most ? text.length : most);
}

/* The variable's name in a native heap, or of the register; empty: not known. */
static struct loupe_span root_name(const struct loupe_snapshot *snapshot, uint32_t root) {
    const char *name = "", *where = "";
    if (!snapshot->native)
        return (struct loupe_span){"", 0};
    if (loupe_native_root_name(snapshot, root, &name, &where) && *name)
        return loupe_span_of(name);
    return loupe_snapshot_string(snapshot, snapshot->native->root_places[root].name);
}

/* The file name of the image that a root is in; empty: none, or it is not known. */
static struct loupe_span root_image(const struct loupe_snapshot *snapshot, uint32_t root) {
    return picture_file_name(
        snapshot->native
            ? loupe_snapshot_string(snapshot, snapshot->native->root_places[root].image)
            : (struct loupe_span){"", 0});
}

/* "cache (global)", "global in libobjc.so.4", or what kind it is of alone. */
static void put_root(struct heap_data *data, uint32_t root) {
    const struct loupe_snapshot *snapshot = snapshot_of(data);
    const char *kind =
        loupe_snapshot_root_kind_name((enum loupe_root_kind)snapshot->roots[root].kind);
    struct loupe_span name = root_name(snapshot, root), image = root_image(snapshot, root);
    char text[2 * LONGEST];
    if (name.length)
        loupe_format(text, sizeof(text), "%.*s (%s)", at_most(name, LONGEST), name.bytes, kind);
    else if (image.length)
        loupe_format(text, sizeof(text), "%s in %.*s", kind, at_most(image, LONGEST), image.bytes);
    else
        loupe_format(text, sizeof(text), "%s", kind);
    page_put_text(data->json, loupe_span_of(text), sizeof(text));
}

/* {step: what holds it} */
static void put_roots(struct heap_data *data) {
    const struct loupe_snapshot *snapshot = snapshot_of(data);
    loupe_json_key(data->json, "roots");
    loupe_json_begin_object(data->json);
    for (uint32_t i = 0; i < data->heap->step_count; i++) {
        uint32_t root = data->heap->steps[i].root;
        if (data->heap->steps[i].before != PICTURE_NONE || root >= snapshot->columns.root_count)
            continue;
        put_key(data, i);
        put_root(data, root);
    }
    loupe_json_end_object(data->json);
}

static void put_memory_on_paths(struct heap_data *data) {
    loupe_json_key(data->json, "memory");
    loupe_json_begin_object(data->json);
    /* Cap: previews of texts; what they are of is there. */
    for (uint32_t i = 0; i < data->heap->step_count && data->text < MOST_TEXT; i++)
        put_memory_name(data, i, data->heap->steps[i].node);
    loupe_json_end_object(data->json);
}

static void put_steps(struct heap_data *data) {
    const struct heap_picture *heap = data->heap;
    loupe_json_key(data->json, "steps");
    loupe_json_begin_object(data->json);
    PUT_COLUMN(data, "name", heap->steps, heap->step_count, put_step_class);
    PUT_COLUMN(data, "address", heap->steps, heap->step_count, put_step_address);
    PUT_COLUMN(data, "before", heap->steps, heap->step_count, put_before);
    PUT_COLUMN(data, "field", heap->steps, heap->step_count, put_field);
    put_roots(data);
    put_memory_on_paths(data);
    loupe_json_end_object(data->json);
}

/* ---- Names, when it is known which are needed ---- */

static void put_class_name(struct heap_data *data, uint32_t name) {
    static const char word[] = "class ";
    struct loupe_span of = loupe_snapshot_class_name(snapshot_of(data), name / 2);
    char text[LONGEST + sizeof(word)];
    if (name % 2 && of.length < LONGEST) {
        size_t length = loupe_format(text, sizeof(text), "%s%.*s", word, (int)of.length, of.bytes);
        of = (struct loupe_span){text, length};
    }
    put_name(data, of);
}

static void put_names(struct heap_data *data) {
    begin_list(data, "names");
    for (uint32_t i = 0; i < data->class_count; i++)
        put_class_name(data, data->class_order[i]);
    loupe_json_end_array(data->json);
    begin_list(data, "fields");
    for (uint32_t i = 0; i < data->field_count; i++)
        put_name(data, data->fields[i]);
    loupe_json_end_array(data->json);
}

static void put_facts(struct heap_data *data) {
    const struct loupe_snapshot *snapshot = snapshot_of(data);
    struct loupe_json *json = data->json;
    loupe_json_put_uint(json, "objects", snapshot->columns.nodes);
    loupe_json_put_uint(json, "bytes", snapshot->bytes);
    loupe_json_put_uint(json, "references", snapshot->columns.first[snapshot->columns.nodes]);
    loupe_json_put_uint(json, "root_count", snapshot->columns.root_count);
    loupe_json_put_uint(json, "alive", data->heap->tiles[0].objects);
    loupe_json_put_uint(json, "others", snapshot->native ? snapshot->native->raw_blocks : 0);
    loupe_json_put_uint(json, "alive_others", data->heap->tiles[0].others);
    loupe_json_put_uint(json, "alive_bytes", data->heap->tiles[0].retained);
    loupe_json_put_uint(json, "without_path", data->heap->without_path);
    loupe_json_key(json, "format");
    page_put_text(json, loupe_snapshot_string(snapshot, snapshot->format), LONGEST);
}

static bool has_room(struct heap_data *data) {
    size_t classes = 2 * (size_t)snapshot_of(data)->class_count + 1;
    data->class_numbers =
        loupe_arena_alloc_array(data->arena, classes, sizeof(*data->class_numbers));
    data->class_order = loupe_arena_alloc_array(data->arena, classes, sizeof(*data->class_order));
    data->fields = loupe_arena_alloc_array(data->arena, (size_t)data->heap->step_count + 1,
                                           sizeof(*data->fields));
    if (!data->class_numbers || !data->class_order || !data->fields)
        return false;
    for (size_t i = 0; i < classes; i++)
        data->class_numbers[i] = PICTURE_NONE;
    data->field_count = 1; /* the first one: no name */
    return true;
}

enum loupe_status heap_picture_write(const struct heap_picture *heap, struct loupe_arena *arena,
                                     struct loupe_json *json) {
    struct heap_data data = {.heap = heap, .json = json, .arena = arena};
    if (!has_room(&data))
        return LOUPE_ENOMEM;
    loupe_map_init(&data.field_numbers, arena->chunks);
    loupe_json_key(json, "heap");
    loupe_json_begin_object(json);
    put_facts(&data);
    put_classes(&data);
    put_tiles(&data);
    put_steps(&data);
    put_names(&data);
    loupe_json_end_object(json);
    loupe_map_deinit(&data.field_numbers);
    return LOUPE_OK;
}
