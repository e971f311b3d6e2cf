#include "drawn_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void require(bool ok, const char *what, const char *where) {
    if (!ok) {
        fprintf(stderr, "drawn graph: %s at \"%s\"\n", what, where);
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

/* ---- Drawing ---- */

void drawn_graph_init(struct drawn_graph *drawn) {
    *drawn = (struct drawn_graph){.chunks = &drawn_chunks};
}

void drawn_graph_deinit(struct drawn_graph *drawn) {
    drawn_graph_unbuild(drawn);
    for (uint32_t i = 0; i < drawn->text_count; i++)
        free(drawn->texts[i]);
    free(drawn->texts);
    free(drawn->nodes);
    free(drawn->edges);
}

/* The number of the owned copy of a text. */
static uint32_t intern(struct drawn_graph *drawn, const char *text, size_t length) {
    for (uint32_t i = 0; i < drawn->text_count; i++) {
        if (strlen(drawn->texts[i]) == length && memcmp(drawn->texts[i], text, length) == 0)
            return i;
    }
    drawn->texts =
        grow(drawn->texts, drawn->text_count, &drawn->text_capacity, sizeof(*drawn->texts));
    char *copy = calloc(1, length + 1);
    require(copy != NULL, "no memory", text);
    memcpy(copy, text, length);
    drawn->texts[drawn->text_count] = copy;
    return drawn->text_count++;
}

static const char *own_part(struct drawn_graph *drawn, const char *text, size_t length) {
    uint32_t number = intern(drawn, text, length); /* before ->texts is looked at: it may move */
    return drawn->texts[number];
}

static const char *own(struct drawn_graph *drawn, const char *text) {
    return own_part(drawn, text, strlen(text));
}

uint32_t drawn_graph_add_node(struct drawn_graph *drawn, const char *name, const char *class_name) {
    drawn->nodes =
        grow(drawn->nodes, drawn->node_count, &drawn->node_capacity, sizeof(*drawn->nodes));
    drawn->nodes[drawn->node_count] =
        (struct drawn_node){.name = own(drawn, name),
                            .class_name = own(drawn, class_name),
                            .address = 0x1000 * ((loupe_addr)drawn->node_count + 1),
                            .kind = LOUPE_NODE_OBJECT,
                            .retain_count = DRAWN_COUNT_REFERENCES};
    return drawn->node_count++;
}

void drawn_graph_add_edge(struct drawn_graph *drawn, uint32_t from, uint32_t to,
                          enum loupe_edge_kind kind, enum loupe_ownership ownership,
                          const char *path) {
    drawn->edges =
        grow(drawn->edges, drawn->edge_count, &drawn->edge_capacity, sizeof(*drawn->edges));
    drawn->edges[drawn->edge_count++] =
        (struct drawn_edge){.from = from,
                            .to = to,
                            .kind = kind,
                            .ownership = ownership,
                            .path = own(drawn, path),
                            .offset = 8 * ++drawn->nodes[from].edges};
    drawn->nodes[to].references++;
}

static uint32_t node_named(struct drawn_graph *drawn, const char *name, size_t length) {
    require(length > 0, "a name is missing", name);
    for (uint32_t i = 0; i < drawn->node_count; i++) {
        if (strlen(drawn->nodes[i].name) == length &&
            memcmp(drawn->nodes[i].name, name, length) == 0)
            return i;
    }
    const char *copy = own_part(drawn, name, length);
    return drawn_graph_add_node(drawn, copy, copy);
}

static size_t name_length(const char *text) {
    return strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
}

/* How each kind of reference is drawn. The path of those in brackets keeps what is in them. */
static const struct {
    char open, close; /* close 0: the path ends at the arrow */
    enum loupe_edge_kind kind;
} marks[] = {
    {'.', 0, LOUPE_EDGE_IVAR},  {'{', '}', LOUPE_EDGE_CAPTURE},   {'[', ']', LOUPE_EDGE_ELEMENT},
    {'&', 0, LOUPE_EDGE_BYREF}, {'@', 0, LOUPE_EDGE_ASSOCIATION}, {'!', 0, LOUPE_EDGE_TARGET},
};

static const char *find_arrow(const char *word, const char *end) {
    for (const char *p = word; p + 1 < end; p++) {
        if (strchr("-~+=%", *p) && p[1] == '>')
            return p;
    }
    return NULL;
}

static void draw_edge(struct drawn_graph *drawn, const char *word, const char *arrow,
                      const char *end) {
    size_t length = name_length(word);
    const char *mark = word + length, *path = mark + (mark < arrow), *path_end = arrow;
    enum loupe_edge_kind kind = *arrow == '=' ? LOUPE_EDGE_VALUE : LOUPE_EDGE_IVAR;
    bool known = mark == arrow;
    for (size_t i = 0; mark < arrow && i < sizeof(marks) / sizeof(*marks); i++) {
        if (*mark != marks[i].open)
            continue;
        known = true;
        kind = marks[i].kind;
        if (kind == LOUPE_EDGE_ELEMENT)
            path = mark; /* "[3]" */
        else if (marks[i].close)
            path_end--;
    }
    require(known, "no reference", word);
    uint32_t from = node_named(drawn, word, length);
    uint32_t to = node_named(drawn, arrow + 2, (size_t)(end - arrow - 2));
    if (kind == LOUPE_EDGE_CAPTURE)
        drawn->nodes[from].kind = LOUPE_NODE_BLOCK;
    if (kind == LOUPE_EDGE_BYREF)
        drawn->nodes[from].kind = LOUPE_NODE_BYREF;
    const char *text = own_part(drawn, path, (size_t)(path_end - path));
    enum loupe_ownership ownership = *arrow == '~'   ? LOUPE_ASSUMED
                                     : *arrow == '+' ? LOUPE_DECLARED
                                                     : LOUPE_STRONG;
    drawn_graph_add_edge(drawn, from, to, kind, ownership, text);
    if (*arrow == '%') {
        drawn->edges[drawn->edge_count - 1].shared = true;
        drawn->nodes[to].references--;
    }
}

static void draw_class(struct drawn_graph *drawn, uint32_t node, const char *text,
                       const char *end) {
    const char *super = memchr(text, '<', (size_t)(end - text));
    const char *class_end = super ? super : end;
    drawn->nodes[node].class_name = own_part(drawn, text, (size_t)(class_end - text));
    if (super)
        drawn->nodes[node].superclass = own_part(drawn, super + 1, (size_t)(end - super - 1));
}

static void draw_word(struct drawn_graph *drawn, const char *word, const char *end) {
    const char *arrow = find_arrow(word, end);
    if (arrow) {
        draw_edge(drawn, word, arrow, end);
        return;
    }
    size_t length = name_length(word);
    uint32_t node = node_named(drawn, word, length);
    const char *rest = word + length;
    if (*rest == ':') {
        draw_class(drawn, node, rest + 1, end);
    } else if (*rest == '=') {
        drawn->nodes[node].retain_count = rest[1] == '?'   ? DRAWN_COUNT_UNKNOWN
                                          : rest[1] == '!' ? DRAWN_COUNT_IMMORTAL
                                                           : strtoll(rest + 1, NULL, 10);
    } else {
        require(rest == end, "not a word of a picture", word);
    }
}

void drawn_graph_draw(struct drawn_graph *drawn, const char *picture) {
    while (*picture) {
        size_t length = strcspn(picture, " \n");
        if (length)
            draw_word(drawn, picture, picture + length);
        picture += length + (picture[length] != '\0');
    }
}

/* ---- Walking ---- */

static int by_source(const void *a, const void *b) {
    const struct drawn_edge *x = *(struct drawn_edge *const *)a,
                            *y = *(struct drawn_edge *const *)b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return x < y ? -1 : x > y;
}

static void index_edges(struct drawn_graph *drawn) {
    drawn->by_source = calloc(drawn->edge_count + 1, sizeof(*drawn->by_source));
    drawn->first_by_source = calloc(drawn->node_count + 1, sizeof(*drawn->first_by_source));
    require(drawn->by_source && drawn->first_by_source, "no memory", "");
    for (uint32_t i = 0; i < drawn->edge_count; i++) {
        drawn->by_source[i] = &drawn->edges[i];
        drawn->first_by_source[drawn->edges[i].from + 1]++;
    }
    qsort(drawn->by_source, drawn->edge_count, sizeof(*drawn->by_source), by_source);
    for (uint32_t i = 0; i < drawn->node_count; i++)
        drawn->first_by_source[i + 1] += drawn->first_by_source[i];
}

static uint32_t tag_of(struct drawn_graph *drawn, const struct drawn_node *node) {
    return loupe_node_tag(node->kind, intern(drawn, node->class_name, strlen(node->class_name)));
}

static enum loupe_status expand(void *ctx, struct loupe_graph *graph) {
    struct drawn_graph *drawn = ctx;
    uint32_t from = drawn_graph_drawn(drawn, loupe_graph_open_next(graph));
    for (uint32_t i = drawn->first_by_source[from]; i < drawn->first_by_source[from + 1]; i++) {
        const struct drawn_edge *edge = drawn->by_source[i];
        const struct drawn_node *target = &drawn->nodes[edge->to];
        uint32_t to;
        if (!loupe_graph_find(graph, target->address, &to)) {
            enum loupe_status status =
                loupe_graph_add_node(graph, target->address, tag_of(drawn, target), &to);
            if (status == LOUPE_ELIMIT)
                continue;
            if (status)
                return status;
        }
        struct loupe_edge added = {.to = to,
                                   .offset = edge->offset,
                                   .detail = intern(drawn, edge->path, strlen(edge->path)),
                                   .kind = (uint8_t)edge->kind,
                                   .ownership = (uint8_t)edge->ownership,
                                   .shared = edge->shared};
        enum loupe_status status = loupe_graph_add_edge(graph, &added);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

/* ---- Describing ---- */

static const struct drawn_node *described(void *ctx, uint32_t node) {
    const struct drawn_graph *drawn = ctx;
    return &drawn->nodes[drawn_graph_drawn(drawn, node)];
}

static struct loupe_span class_name(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    (void)graph;
    return loupe_span_of(described(ctx, node)->class_name);
}

static bool is_kind_of(void *ctx, const struct loupe_graph *graph, uint32_t node,
                       const char *name) {
    (void)graph;
    const struct drawn_node *drawn = described(ctx, node);
    return strcmp(drawn->class_name, name) == 0 ||
           (drawn->superclass && strcmp(drawn->superclass, name) == 0);
}

static void label(void *ctx, const struct loupe_graph *graph, uint32_t from, uint32_t edge_id,
                  struct loupe_edge_label *ret) {
    struct drawn_graph *drawn = ctx;
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    const char *path = drawn->texts[edge.detail];
    *ret = (struct loupe_edge_label){.has_offset = edge.kind != LOUPE_EDGE_ASSOCIATION,
                                     .offset = edge.offset,
                                     .manual = edge.ownership == LOUPE_DECLARED,
                                     .slot = described(ctx, from)->address + edge.offset};
    loupe_format(ret->path, sizeof(ret->path), "%s", path);
    loupe_format(ret->name, sizeof(ret->name), "%.*s", (int)strcspn(path, ".["), path);
    drawn->labels++;
}

static enum loupe_retain_count retain_count(void *ctx, const struct loupe_graph *graph,
                                            uint32_t node, uint64_t *ret) {
    (void)graph;
    const struct drawn_node *drawn = described(ctx, node);
    if (drawn->retain_count == DRAWN_COUNT_UNKNOWN)
        return LOUPE_COUNT_UNKNOWN;
    if (drawn->retain_count == DRAWN_COUNT_IMMORTAL)
        return LOUPE_COUNT_IMMORTAL;
    *ret = drawn->retain_count == DRAWN_COUNT_REFERENCES ? drawn->references
                                                         : (uint64_t)drawn->retain_count;
    return LOUPE_COUNT_KNOWN;
}

static bool size(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *ret) {
    (void)graph;
    *ret = 16 + 8 * (uint64_t)described(ctx, node)->edges;
    return true;
}

/* ---- Building ---- */

enum loupe_status drawn_graph_build(struct drawn_graph *drawn, uint64_t limit) {
    drawn_heap_init(&drawn->heap, 8);
    drawn_memory(&drawn->heap, &drawn->memory);
    drawn->findings = (struct loupe_findings){0};
    drawn->describer = (struct loupe_describer){.ctx = drawn,
                                                .class_name = class_name,
                                                .is_kind_of = is_kind_of,
                                                .label = label,
                                                .retain_count = retain_count,
                                                .size = size};
    loupe_map_init(&drawn->by_address, &drawn_chunks);
    for (uint32_t i = 0; i < drawn->node_count; i++)
        loupe_map_put(&drawn->by_address, drawn->nodes[i].address, i);
    index_edges(drawn);
    loupe_graph_init(&drawn->graph, drawn->chunks, limit, &drawn->findings);
    uint32_t seed;
    enum loupe_status status = loupe_graph_add_node(&drawn->graph, drawn->nodes[0].address,
                                                    tag_of(drawn, &drawn->nodes[0]), &seed);
    struct loupe_expander expander = {.ctx = drawn, .expand = expand};
    return status ? status : loupe_graph_build(&drawn->graph, &drawn->memory, &expander);
}

void drawn_graph_unbuild(struct drawn_graph *drawn) {
    if (!drawn->by_source)
        return;
    loupe_graph_deinit(&drawn->graph);
    loupe_map_deinit(&drawn->by_address);
    loupe_memory_deinit(&drawn->memory);
    drawn_heap_deinit(&drawn->heap);
    free(drawn->by_source);
    free(drawn->first_by_source);
    drawn->by_source = NULL;
    drawn->first_by_source = NULL;
}

/* ---- Looking ---- */

uint32_t drawn_graph_id_of(const struct drawn_graph *drawn, uint32_t drawn_node) {
    for (uint32_t id = 0; id < loupe_graph_node_count(&drawn->graph); id++) {
        if (loupe_graph_address(&drawn->graph, id) == drawn->nodes[drawn_node].address)
            return id;
    }
    return LOUPE_NO_NODE;
}

uint32_t drawn_graph_id(const struct drawn_graph *drawn, const char *name) {
    for (uint32_t i = 0; i < drawn->node_count; i++) {
        if (strcmp(drawn->nodes[i].name, name) == 0)
            return drawn_graph_id_of(drawn, i);
    }
    return LOUPE_NO_NODE;
}

uint32_t drawn_graph_drawn(const struct drawn_graph *drawn, uint32_t node) {
    uint32_t index = 0;
    bool known =
        loupe_map_find(&drawn->by_address, loupe_graph_address(&drawn->graph, node), &index);
    require(known, "a node that was not drawn", "");
    return index;
}

static size_t write_edge(const struct drawn_graph *drawn, uint32_t from, uint32_t id, char *dst,
                         size_t cap) {
    static const char opens[LOUPE_EDGE_KIND_COUNT] = {[LOUPE_EDGE_IVAR] = '.',
                                                      [LOUPE_EDGE_CAPTURE] = '{',
                                                      [LOUPE_EDGE_BYREF] = '&',
                                                      [LOUPE_EDGE_ASSOCIATION] = '@',
                                                      [LOUPE_EDGE_TARGET] = '!'};
    struct loupe_edge edge = loupe_graph_edge(&drawn->graph, id);
    const char open[] = {opens[edge.kind], '\0'};
    const char *arrow = edge.ownership == LOUPE_ASSUMED    ? "~>"
                        : edge.ownership == LOUPE_DECLARED ? "+>"
                        : edge.kind == LOUPE_EDGE_VALUE    ? "=>"
                                                           : "->";
    return loupe_format(dst, cap, "%s%s%s%s%s%s", drawn->nodes[drawn_graph_drawn(drawn, from)].name,
                        open, drawn->texts[edge.detail], edge.kind == LOUPE_EDGE_CAPTURE ? "}" : "",
                        arrow, drawn->nodes[drawn_graph_drawn(drawn, edge.to)].name);
}

const char *drawn_graph_edge(const struct drawn_graph *drawn, uint32_t from, uint32_t edge) {
    static char text[256];
    write_edge(drawn, from, edge, text, sizeof(text));
    return text;
}

const char *drawn_graph_ring(const struct drawn_graph *drawn, const struct loupe_ring *ring) {
    static char text[4096];
    size_t length = 0;
    for (uint32_t i = 0; i < ring->length && length + 1 < sizeof(text); i++) {
        length += loupe_format(text + length, sizeof(text) - length, i ? " " : "");
        length += write_edge(drawn, loupe_ring_from(&drawn->graph, ring, i), ring->edges[i],
                             text + length, sizeof(text) - length);
    }
    return text;
}

uint64_t drawn_random(uint64_t *state) {
    *state += 0x9e3779b97f4a7c15u; /* splitmix64 (Steele, Lea, Flood 2014) */
    uint64_t z = *state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
