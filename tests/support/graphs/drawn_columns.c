#define _POSIX_C_SOURCE 200809L

#include "drawn_columns.h"

#include "drawn_graph.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_SIZE = 16 };

static void *grow(void *items, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return items;
    *capacity = *capacity ? 2 * *capacity : 64;
    items = realloc(items, *capacity * size);
    if (!items)
        abort();
    return items;
}

void drawn_columns_init(struct drawn_columns *drawn) {
    memset(drawn, 0, sizeof(*drawn));
}

void drawn_columns_clear(struct drawn_columns *drawn) {
    drawn->nodes = drawn->link_count = drawn->root_count = 0;
}

static void unbuild(struct drawn_columns *drawn) {
    free((void *)drawn->columns.first);
    free((void *)drawn->columns.to);
    free((void *)drawn->columns.kinds);
    memset(&drawn->columns, 0, sizeof(drawn->columns));
}

void drawn_columns_deinit(struct drawn_columns *drawn) {
    unbuild(drawn);
    free(drawn->names);
    free(drawn->sizes);
    free(drawn->links);
    free(drawn->roots);
}

/* ---- Piece by piece ---- */

static uint32_t add_node(struct drawn_columns *drawn) {
    uint32_t sizes = drawn->node_capacity;
    drawn->names = grow(drawn->names, drawn->nodes, &drawn->node_capacity, NAME_SIZE);
    drawn->sizes = grow(drawn->sizes, drawn->nodes, &sizes, sizeof(*drawn->sizes));
    drawn->names[drawn->nodes][0] = '\0';
    drawn->sizes[drawn->nodes] = 1;
    return drawn->nodes++;
}

uint32_t drawn_columns_add_nodes(struct drawn_columns *drawn, uint32_t count) {
    uint32_t first = drawn->nodes;
    for (uint32_t i = 0; i < count; i++)
        add_node(drawn);
    return first;
}

void drawn_columns_link(struct drawn_columns *drawn, uint32_t from, uint32_t to,
                        enum loupe_link_kind kind) {
    drawn->links =
        grow(drawn->links, drawn->link_count, &drawn->link_capacity, sizeof(*drawn->links));
    drawn->links[drawn->link_count++] = (struct drawn_link){from, to, (uint8_t)kind};
}

void drawn_columns_root(struct drawn_columns *drawn, uint32_t node) {
    drawn->roots =
        grow(drawn->roots, drawn->root_count, &drawn->root_capacity, sizeof(*drawn->roots));
    drawn->roots[drawn->root_count++] = node;
}

/* ---- Pictures ---- */

static uint32_t find_node(const struct drawn_columns *drawn, const char *name) {
    uint32_t node = 0;
    while (node < drawn->nodes && strcmp(drawn->names[node], name))
        node++;
    return node;
}

static uint32_t named_node(struct drawn_columns *drawn, const char *name) {
    uint32_t node = find_node(drawn, name);
    if (node == drawn->nodes) {
        add_node(drawn);
        snprintf(drawn->names[node], NAME_SIZE, "%s", name);
    }
    return node;
}

uint32_t drawn_columns_node(const struct drawn_columns *drawn, const char *name) {
    uint32_t node = find_node(drawn, name);
    if (node < drawn->nodes)
        return node;
    fprintf(stderr, "no node %s is drawn\n", name);
    exit(2);
}

static enum loupe_link_kind kind_of_mark(char mark) {
    switch (mark) {
    case '-':
        return LOUPE_LINK_STRONG;
    case '~':
        return LOUPE_LINK_WEAK;
    case '^':
        return LOUPE_LINK_CLASS;
    case '*':
        return LOUPE_LINK_LIBRARY;
    default:
        fprintf(stderr, "no link is drawn with %c\n", mark);
        exit(2);
    }
}

static void draw_link(struct drawn_columns *drawn, char *word, char *head) {
    enum loupe_link_kind kind = kind_of_mark(head[-1]);
    head[-1] = '\0';
    uint32_t from = named_node(drawn, word);
    drawn_columns_link(drawn, from, named_node(drawn, head + 1), kind);
}

static void draw_word(struct drawn_columns *drawn, char *word) {
    char *head = strchr(word + 1, '>'), *size = strchr(word, '=');
    if (*word == '>') {
        drawn_columns_root(drawn, named_node(drawn, word + 1));
    } else if (size) {
        *size = '\0';
        uint32_t node = named_node(drawn, word);
        drawn->sizes[node] = (uint32_t)strtoul(size + 1, NULL, 10);
    } else if (head) {
        draw_link(drawn, word, head);
    } else {
        fprintf(stderr, "cannot draw %s\n", word);
        exit(2);
    }
}

void drawn_columns_draw(struct drawn_columns *drawn, const char *picture) {
    char *copy = strdup(picture), *rest = NULL;
    for (char *word = strtok_r(copy, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        draw_word(drawn, word);
    free(copy);
}

/* ---- Columns ---- */

static void *get(size_t count, size_t size) {
    void *items = calloc(count + 1, size);
    if (!items)
        abort();
    return items;
}

void drawn_columns_build(struct drawn_columns *drawn) {
    unbuild(drawn);
    uint32_t *first = get(drawn->nodes + 1, sizeof(*first));
    uint32_t *to = get(drawn->link_count, sizeof(*to));
    uint8_t *kinds = get(drawn->link_count, 1);
    for (uint32_t i = 0; i < drawn->link_count; i++)
        first[drawn->links[i].from + 1]++;
    for (uint32_t node = 0; node < drawn->nodes; node++)
        first[node + 1] += first[node];
    uint32_t *next = get(drawn->nodes, sizeof(*next));
    memcpy(next, first, drawn->nodes * sizeof(*next));
    for (uint32_t i = 0; i < drawn->link_count; i++) {
        uint32_t place = next[drawn->links[i].from]++;
        to[place] = drawn->links[i].to;
        kinds[place] = drawn->links[i].kind;
    }
    free(next);
    drawn->columns = (struct loupe_columns){.first = first,
                                            .to = to,
                                            .kinds = kinds,
                                            .sizes = drawn->sizes,
                                            .roots = drawn->roots,
                                            .nodes = drawn->nodes,
                                            .root_count = drawn->root_count};
}

/* ---- Random ones ---- */

static uint32_t below(uint64_t *random, uint32_t limit) {
    return (uint32_t)(drawn_random(random) % limit);
}

void drawn_columns_random(struct drawn_columns *drawn, uint64_t *random, uint32_t max_nodes) {
    drawn_columns_clear(drawn);
    uint32_t nodes = 1 + below(random, max_nodes);
    uint32_t links = below(random, nodes * (1 + below(random, 4)) + 2);
    drawn_columns_add_nodes(drawn, nodes);
    uint32_t reach = 1 + below(random, nodes); /* links far and near */
    for (uint32_t i = 0; i < links; i++) {
        uint32_t from = below(random, nodes), to = (from + below(random, 2 * reach)) % nodes;
        bool is_weak = below(random, 12) == 0;
        drawn_columns_link(drawn, from, to, is_weak ? LOUPE_LINK_WEAK : LOUPE_LINK_STRONG);
    }
    for (uint32_t node = 0; node < nodes; node++)
        drawn->sizes[node] = 1 + below(random, 100);
    for (uint32_t roots = below(random, 4) + (nodes > 3); roots; roots--)
        drawn_columns_root(drawn, below(random, nodes));
}
