#include "drawn_snapshot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define STORAGE "Storage"

enum { DEFAULT_SIZE = 16, MAX_NAME = 64 };

static void require(bool ok, const char *what, const char *where) {
    if (!ok) {
        fprintf(stderr, "drawn snapshot: %s at \"%s\"\n", what, where);
        abort();
    }
}

static void *grow(void *items, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    *capacity = *capacity ? *capacity * 2 : 16;
    items = realloc(items, *capacity * size);
    require(items != NULL, "no memory", "");
    return items;
}

void drawn_snapshot_init(struct drawn_snapshot *drawn) {
    *drawn = (struct drawn_snapshot){0};
    drawn_graph_init(&drawn->drawn);
}

void drawn_snapshot_unbuild(struct drawn_snapshot *drawn) {
    while (drawn->table_count)
        free(drawn->tables[--drawn->table_count]);
    drawn->snapshot = (struct loupe_snapshot){0};
}

void drawn_snapshot_deinit(struct drawn_snapshot *drawn) {
    drawn_snapshot_unbuild(drawn);
    drawn_graph_deinit(&drawn->drawn);
    free(drawn->words);
    free(drawn->roots);
    free(drawn->sizes);
    free(drawn->marks);
    free(drawn->raw);
}

/* ---- Drawing ---- */

/* The nodes that were named since have no attributes yet. */
static void make_room(struct drawn_snapshot *drawn) {
    uint32_t nodes = drawn->drawn.node_count, old = drawn->attribute_capacity;
    if (nodes <= old)
        return;
    uint32_t room = nodes + 64;
    drawn->sizes = realloc(drawn->sizes, room * sizeof(*drawn->sizes));
    drawn->marks = realloc(drawn->marks, room);
    drawn->raw = realloc(drawn->raw, room);
    require(drawn->sizes && drawn->marks && drawn->raw, "no memory", "");
    memset(drawn->marks + old, 0, room - old);
    memset(drawn->raw + old, 0, room - old);
    for (uint32_t i = old; i < room; i++)
        drawn->sizes[i] = DEFAULT_SIZE;
    drawn->attribute_capacity = room;
}

uint32_t drawn_snapshot_node(const struct drawn_snapshot *drawn, const char *name) {
    for (uint32_t i = 0; i < drawn->drawn.node_count; i++) {
        if (strcmp(drawn->drawn.nodes[i].name, name) == 0)
            return i;
    }
    require(false, "no node of that name", name);
    return 0;
}

static uint32_t node_named(struct drawn_snapshot *drawn, const char *name, size_t length) {
    char text[MAX_NAME] = "";
    require(length > 0 && length < sizeof(text), "no name", name);
    memcpy(text, name, length);
    for (uint32_t i = 0; i < drawn->drawn.node_count; i++) {
        if (strcmp(drawn->drawn.nodes[i].name, text) == 0)
            return i;
    }
    uint32_t node = drawn_graph_add_node(&drawn->drawn, text, text);
    make_room(drawn);
    return node;
}

static size_t name_length(const char *text) {
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

void drawn_snapshot_root(struct drawn_snapshot *drawn, uint32_t node, enum loupe_root_kind kind) {
    drawn->roots =
        grow(drawn->roots, drawn->root_count, &drawn->root_capacity, sizeof(*drawn->roots));
    drawn->roots[drawn->root_count++] = (struct loupe_snapshot_root){
        .node = node, .kind = kind, .thread = LOUPE_NONE, .frame = LOUPE_NONE};
}

static bool draw_root(struct drawn_snapshot *drawn, const char *word, const char *end) {
    static const struct {
        const char *name;
        enum loupe_root_kind kind;
    } kinds[] = {{"global>", LOUPE_ROOT_GLOBAL},     {"tls>", LOUPE_ROOT_THREAD_LOCAL},
                 {"pool>", LOUPE_ROOT_POOL},         {"stack>", LOUPE_ROOT_STACK},
                 {"register>", LOUPE_ROOT_REGISTER}, {"memory>", LOUPE_ROOT_OTHER_MEMORY}};
    for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
        size_t length = strlen(kinds[i].name);
        if (strncmp(word, kinds[i].name, length) != 0)
            continue;
        drawn_snapshot_root(drawn, node_named(drawn, word + length, (size_t)(end - word) - length),
                            kinds[i].kind);
        return true;
    }
    return false;
}

/* A word that is no reference which owns. */
static bool draw_word(struct drawn_snapshot *drawn, const char *word, const char *end) {
    const char *arrow = word;
    while (arrow + 1 < end && !(strchr("?/^", *arrow) && arrow[1] == '>'))
        arrow++;
    if (arrow + 1 >= end)
        return false;
    size_t length = name_length(word);
    uint32_t from = node_named(drawn, word, length);
    uint32_t to = node_named(drawn, arrow + 2, (size_t)(end - arrow - 2));
    drawn->words =
        grow(drawn->words, drawn->word_count, &drawn->word_capacity, sizeof(*drawn->words));
    drawn->words[drawn->word_count++] =
        (struct drawn_word){.from = from,
                            .to = to,
                            .kind = *arrow == '?'   ? LOUPE_LINK_CONSERVATIVE
                                    : *arrow == '/' ? LOUPE_LINK_UNOWNED
                                                    : LOUPE_LINK_WEAK};
    return true;
}

static bool draw_attribute(struct drawn_snapshot *drawn, const char *word, const char *end) {
    size_t length = name_length(word);
    if (word + length == end || !length || !strchr("*#!", word[length]))
        return false;
    if (word[length] == '!' && word[length + 1] == '-') /* the target of a timer */
        return false;
    uint32_t node = node_named(drawn, word, length);
    const char *value = word + length + 1;
    if (word[length] == '!') {
        bool guessed = strncmp(value, "guessed", 7) == 0;
        require(guessed || strncmp(value, "dying", 5) == 0, "not known", word);
        drawn->marks[node] |= guessed ? LOUPE_NODE_GUESSED : LOUPE_NODE_DYING;
        return true;
    }
    drawn->sizes[node] = (uint32_t)strtoul(value, NULL, 10);
    drawn->raw[node] |= word[length] == '*';
    return true;
}

void drawn_snapshot_draw(struct drawn_snapshot *drawn, const char *picture) {
    while (*picture) {
        size_t length = strcspn(picture, " \n");
        char word[128] = "";
        require(length < sizeof(word), "too long", picture);
        memcpy(word, picture, length);
        if (length && !draw_root(drawn, word, word + length) &&
            !draw_word(drawn, word, word + length) && !draw_attribute(drawn, word, word + length))
            drawn_graph_draw(&drawn->drawn, word);
        make_room(drawn);
        picture += length + (picture[length] != '\0');
    }
}

/* ---- Tables ---- */

static void *table(struct drawn_snapshot *drawn, size_t count, size_t size) {
    void *made = calloc(count + 1, size);
    require(made != NULL && drawn->table_count < sizeof(drawn->tables) / sizeof(*drawn->tables),
            "no memory", "");
    drawn->tables[drawn->table_count++] = made;
    return made;
}

struct making {
    struct drawn_snapshot *drawn;
    struct loupe_snapshot_string *strings;
    char *text;
    struct loupe_snapshot_class *classes;
    struct loupe_label *labels;
    uint32_t *class_of;
};

enum { MOST_TEXT = 1 << 20, MOST_STRINGS = 1 << 16, MOST_LABELS = 1 << 16 };

static uint32_t add_string(struct making *m, const char *text) {
    struct loupe_snapshot *snapshot = &m->drawn->snapshot;
    size_t length = strlen(text);
    for (uint32_t i = 0; i < snapshot->string_count; i++) {
        if (m->strings[i].length == length &&
            memcmp(m->text + m->strings[i].offset, text, length) == 0)
            return i;
    }
    require(snapshot->text_size + length < MOST_TEXT && snapshot->string_count < MOST_STRINGS,
            "too much text", text);
    memcpy(m->text + snapshot->text_size, text, length);
    m->strings[snapshot->string_count] = (struct loupe_snapshot_string){
        .offset = (uint32_t)snapshot->text_size, .length = (uint32_t)length};
    snapshot->text_size += length;
    return snapshot->string_count++;
}

static uint32_t add_class(struct making *m, const char *name, const char *superclass,
                          enum loupe_class_kind kind) {
    struct loupe_snapshot *snapshot = &m->drawn->snapshot;
    uint32_t number, string = add_string(m, name);
    uint32_t above = superclass ? add_class(m, superclass, NULL, kind) : LOUPE_NONE;
    for (number = 0; number < snapshot->class_count; number++) {
        if (m->classes[number].name == string && m->classes[number].kind == (uint32_t)kind)
            break;
    }
    if (number == snapshot->class_count)
        m->classes[snapshot->class_count++] = (struct loupe_snapshot_class){
            .name = string, .superclass = LOUPE_NONE, .node = LOUPE_NO_NODE, .kind = kind};
    if (superclass)
        m->classes[number].superclass = above;
    return number;
}

static void make_nodes(struct making *m) {
    struct drawn_snapshot *drawn = m->drawn;
    uint64_t *addresses = table(drawn, drawn->drawn.node_count, sizeof(*addresses));
    uint32_t *by_address = table(drawn, drawn->drawn.node_count, sizeof(*by_address));
    uint32_t *counts = table(drawn, drawn->drawn.node_count, sizeof(*counts));
    for (uint32_t i = 0; i < drawn->drawn.node_count; i++) {
        const struct drawn_node *node = &drawn->drawn.nodes[i];
        enum loupe_class_kind kind = drawn->raw[i]                    ? LOUPE_CLASS_RAW
                                     : node->kind == LOUPE_NODE_BLOCK ? LOUPE_CLASS_BLOCKS
                                     : node->kind == LOUPE_NODE_BYREF ? LOUPE_CLASS_BYREFS
                                     : strcmp(node->class_name, STORAGE) == 0
                                         ? LOUPE_CLASS_STORAGE
                                         : LOUPE_CLASS_INSTANCES;
        m->class_of[i] =
            add_class(m, drawn->raw[i] ? "(raw memory)" : node->class_name, node->superclass, kind);
        addresses[i] = node->address;
        by_address[i] = i;
        counts[i] = drawn->raw[i] || node->retain_count == DRAWN_COUNT_UNKNOWN
                        ? LOUPE_RETAINS_UNKNOWN
                    : node->retain_count == DRAWN_COUNT_IMMORTAL   ? LOUPE_RETAINS_IMMORTAL
                    : node->retain_count == DRAWN_COUNT_REFERENCES ? node->references
                                                                   : (uint32_t)node->retain_count;
        drawn->snapshot.bytes += drawn->sizes[i];
        drawn->native.raw_blocks += drawn->raw[i];
    }
    drawn->snapshot.addresses = addresses;
    drawn->snapshot.by_address = by_address;
    drawn->snapshot.classes = m->class_of;
    drawn->native.retain_counts = counts;
}

static uint32_t add_label(struct making *m, const struct drawn_edge *edge) {
    struct loupe_native_heap *native = &m->drawn->native;
    const struct drawn_node *from = &m->drawn->drawn.nodes[edge->from];
    bool assumed = edge->ownership != LOUPE_STRONG;
    bool element = edge->kind == LOUPE_EDGE_ELEMENT;
    struct loupe_label label = {
        .name = add_string(m, element ? "" : edge->path),
        .path = add_string(m, element ? "" : edge->path),
        .declared_by = add_string(m, from->class_name),
        .assumption = assumed ? add_string(m, "manual retain/release") : LOUPE_NONE,
        .doubt = LOUPE_NONE,
        .evidence = LOUPE_NONE,
        .kind = (uint8_t)edge->kind,
        .doubts = strcmp(edge->path, "untouched") == 0 ? LOUPE_SOME_DOUBT : LOUPE_NO_DOUBT,
        .flags = (uint8_t)((assumed ? LOUPE_LABEL_ASSUMED : 0) |
                           (edge->ownership == LOUPE_DECLARED ? LOUPE_LABEL_DECLARED : 0) |
                           (edge->shared ? LOUPE_LABEL_SHARED : 0) |
                           (element ? LOUPE_LABEL_INDEXED : LOUPE_LABEL_HAS_OFFSET))};
    for (uint32_t i = 0; i < native->label_count; i++) {
        if (memcmp(&m->labels[i], &label, sizeof(label)) == 0)
            return i;
    }
    require(native->label_count < MOST_LABELS, "too many labels", edge->path);
    m->labels[native->label_count] = label;
    return native->label_count++;
}

struct link_tables {
    uint32_t *first, *to, *slots, *labels;
    uint8_t *kinds;
    uint32_t count;
};

static void add_link(struct link_tables *t, uint32_t to, enum loupe_link_kind kind, uint32_t slot,
                     uint32_t label) {
    t->to[t->count] = to;
    t->kinds[t->count] = (uint8_t)kind;
    t->slots[t->count] = slot;
    t->labels[t->count++] = label;
}

static void add_links_of(struct making *m, struct link_tables *t, uint32_t node) {
    const struct drawn_snapshot *drawn = m->drawn;
    for (uint32_t i = 0; i < drawn->drawn.edge_count; i++) {
        const struct drawn_edge *edge = &drawn->drawn.edges[i];
        if (edge->from == node)
            add_link(t, edge->to,
                     edge->ownership == LOUPE_STRONG ? LOUPE_LINK_STRONG : LOUPE_LINK_ASSUMED,
                     edge->kind == LOUPE_EDGE_ELEMENT ? (uint32_t)strtoul(edge->path + 1, NULL, 10)
                                                      : edge->offset,
                     add_label(m, edge));
    }
    for (uint32_t i = 0; i < drawn->word_count; i++) {
        if (drawn->words[i].from == node)
            add_link(t, drawn->words[i].to, (enum loupe_link_kind)drawn->words[i].kind, 64 + 8 * i,
                     LOUPE_NONE);
    }
}

static void make_links(struct making *m) {
    struct drawn_snapshot *drawn = m->drawn;
    uint32_t links = drawn->drawn.edge_count + drawn->word_count;
    struct link_tables t = {
        .first = table(drawn, drawn->drawn.node_count + 1, sizeof(*t.first)),
        .to = table(drawn, links, sizeof(*t.to)),
        .slots = table(drawn, links, sizeof(*t.slots)),
        .labels = table(drawn, links, sizeof(*t.labels)),
        .kinds = table(drawn, links, sizeof(*t.kinds)),
    };
    m->labels = table(drawn, MOST_LABELS, sizeof(*m->labels));
    for (uint32_t node = 0; node < drawn->drawn.node_count; node++) {
        t.first[node] = t.count;
        add_links_of(m, &t, node);
    }
    t.first[drawn->drawn.node_count] = t.count;
    drawn->snapshot.columns = (struct loupe_columns){.first = t.first,
                                                     .to = t.to,
                                                     .kinds = t.kinds,
                                                     .sizes = drawn->sizes,
                                                     .nodes = drawn->drawn.node_count,
                                                     .root_count = drawn->root_count};
    drawn->native.slots = t.slots;
    drawn->native.labels = t.labels;
    drawn->native.label_table = m->labels;
}

static void make_roots(struct making *m) {
    struct drawn_snapshot *drawn = m->drawn;
    uint32_t *nodes = table(drawn, drawn->root_count, sizeof(*nodes));
    struct loupe_root_place *places = table(drawn, drawn->root_count, sizeof(*places));
    for (uint32_t i = 0; i < drawn->root_count; i++) {
        nodes[i] = drawn->roots[i].node;
        places[i] =
            (struct loupe_root_place){.image = LOUPE_NONE,
                                      .name = LOUPE_NONE,
                                      .retains = drawn->roots[i].kind == LOUPE_ROOT_POOL ? 1 : 0};
    }
    drawn->snapshot.columns.roots = nodes;
    drawn->snapshot.roots = drawn->roots;
    drawn->native.root_places = places;
}

void drawn_snapshot_build(struct drawn_snapshot *drawn, const char *abi) {
    static const struct loupe_snapshot_ops none = {0};
    make_room(drawn);
    drawn->snapshot = (struct loupe_snapshot){
        .address_size = 8, .reference_size = 8, .native = &drawn->native, .ops = &none};
    drawn->native = (struct loupe_native_heap){.program = LOUPE_NONE, .marks = drawn->marks};
    struct making m = {
        .drawn = drawn,
        .strings = table(drawn, MOST_STRINGS, sizeof(*m.strings)),
        .text = table(drawn, MOST_TEXT, 1),
        .classes = table(drawn, 2 * (size_t)drawn->drawn.node_count + 16, sizeof(*m.classes)),
        .class_of = table(drawn, drawn->drawn.node_count, sizeof(*m.class_of))};
    make_nodes(&m);
    make_links(&m);
    make_roots(&m);
    drawn->native.abi = add_string(&m, abi);
    drawn->native.class_places =
        table(drawn, drawn->snapshot.class_count, sizeof(*drawn->native.class_places));
    drawn->snapshot.format = add_string(&m, "drawn");
    drawn->snapshot.strings = m.strings;
    drawn->snapshot.text = m.text;
    drawn->snapshot.class_table = m.classes;
    drawn->snapshot.class_order =
        table(drawn, drawn->snapshot.class_count, sizeof(*drawn->snapshot.class_order));
    require(loupe_snapshot_order_classes(&drawn->snapshot, &drawn_chunks,
                                         (uint32_t *)(uintptr_t)drawn->snapshot.class_order) ==
                LOUPE_OK,
            "no memory", "");
    require(loupe_columns_are_valid(&drawn->snapshot.columns), "columns", "");
}
