#include "edges/details/describe.h"

#include "blocks/byref.h"
#include "edges/kinds/edges_ivar.h"
#include "edges/kinds/own_dealloc.h"
#include "graph/likely_owners.h"
#include "recorded/recorded.h"
#include "runtime/freed.h"
#include "runtime/values/object_values.h"
#include "scene/place_in_image.h"

#include <string.h>

static const struct loupe_class *class_of(struct loupe_walk *walk, const struct loupe_graph *graph,
                                          uint32_t node) {
    return loupe_walk_node_class(walk, loupe_graph_node(graph, node));
}

/* A class object is called by its own name, not by that of its metaclass. They are the same. */
static struct loupe_span class_name(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    const struct loupe_class *cls = class_of(ctx, graph, node);
    return loupe_span_of(cls ? cls->name : "__block variable");
}

static bool is_kind_of(void *ctx, const struct loupe_graph *graph, uint32_t node,
                       const char *name) {
    struct loupe_walk *walk = ctx;
    const struct loupe_class *cls = class_of(walk, graph, node), *level;
    struct loupe_class_chain chain = loupe_class_chain(cls);
    if (loupe_node_kind(loupe_graph_node(graph, node)) == LOUPE_NODE_BLOCK &&
        strcmp(name, "block") == 0)
        return true;
    while ((level = loupe_class_chain_next(walk->target, &chain))) {
        if (strcmp(level->name, name) == 0)
            return true;
    }
    return false;
}

static void label_edge(struct loupe_walk *walk, struct loupe_node from,
                       const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    memset(ret, 0, sizeof(*ret));
    loupe_edge_sources[edge->source]->label(walk, from.address, loupe_walk_node_class(walk, from),
                                            edge, ret);
}

/* Only of ivars that nothing tells of but the way they are written. */
static enum loupe_doubt doubt_of(struct loupe_walk *walk, struct loupe_node from,
                                 const struct loupe_edge *edge) {
    static const enum loupe_doubt by_dealloc[] = {[LOUPE_DEALLOC_SAYS_NOTHING] = LOUPE_NO_DOUBT,
                                                  [LOUPE_DEALLOC_NEVER_TOUCHES] = LOUPE_SOME_DOUBT,
                                                  [LOUPE_DEALLOC_AND_NAME_SPEAK] =
                                                      LOUPE_MUCH_DOUBT};
    if (edge->source != LOUPE_IVAR_SOURCE || edge->detail != LOUPE_SLOT_MANUAL)
        return LOUPE_NO_DOUBT;
    return by_dealloc[loupe_own_dealloc_says(walk, loupe_walk_node_class(walk, from),
                                             edge->offset)];
}

static enum loupe_doubt doubt(void *ctx, const struct loupe_graph *graph, uint32_t from,
                              uint32_t edge_id) {
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    return doubt_of(ctx, loupe_graph_node(graph, from), &edge);
}

enum loupe_doubt loupe_describe_reference(struct loupe_walk *walk, struct loupe_node from,
                                          const struct loupe_edge *edge,
                                          struct loupe_edge_label *ret) {
    const struct loupe_edge_source *source = loupe_edge_sources[edge->source];
    enum loupe_doubt found = LOUPE_NO_DOUBT;
    label_edge(walk, from, edge, ret);
    if (edge->ownership != LOUPE_STRONG && source->assumption)
        ret->assumption = source->assumption(edge);
    if (edge->ownership == LOUPE_ASSUMED)
        found = doubt_of(walk, from, edge);
    ret->doubt = loupe_doubt_text(found);
    return found;
}

static void label(void *ctx, const struct loupe_graph *graph, uint32_t from, uint32_t edge_id,
                  struct loupe_edge_label *ret) {
    struct loupe_edge edge = loupe_graph_edge(graph, edge_id);
    loupe_describe_reference(ctx, loupe_graph_node(graph, from), &edge, ret);
}

/* ---- References that own nothing ---- */

static const char *reason_of_ivar(uint32_t reason) {
    if (reason == LOUPE_SLOT_ASSIGNED)
        return "manual retain/release: its property assigns";
    return reason == LOUPE_SLOT_NOT_KEPT ? "manual retain/release: its class does not retain it"
                                         : "the ivar is unsafe_unretained";
}

const char *loupe_nonowning_reason(const struct loupe_edge *edge) {
    bool weak = edge->ownership == LOUPE_NONOWNING_WEAK;
    switch (edge->kind) {
    case LOUPE_EDGE_IVAR:
        return weak ? "the ivar is weak" : reason_of_ivar(edge->detail);
    case LOUPE_EDGE_CAPTURE:
        return weak ? "the block captured it weakly" : "the block captured it without retaining it";
    case LOUPE_EDGE_ASSOCIATION:
        return "it is associated with OBJC_ASSOCIATION_ASSIGN";
    case LOUPE_EDGE_ELEMENT:
        return weak ? "the collection holds its elements weakly"
                    : "the collection does not retain its elements";
    case LOUPE_EDGE_KEY:
        return weak ? "the table holds its keys weakly" : "the table does not retain its keys";
    case LOUPE_EDGE_VALUE:
        return weak ? "the table holds its values weakly" : "the table does not retain its values";
    default:
        return weak ? "the __block variable is weak" : "the __block variable does not retain it";
    }
}

static const char *label_nonowning(void *ctx, const struct loupe_graph *graph,
                                   const struct loupe_nonowning_ref *nonowning,
                                   struct loupe_edge_label *ret) {
    label_edge(ctx, loupe_graph_node(graph, nonowning->from), &nonowning->edge, ret);
    return loupe_nonowning_reason(&nonowning->edge);
}

/* ---- Counts and sizes ---- */

static bool read_block(struct loupe_walk *walk, loupe_addr address, struct loupe_block *ret) {
    struct loupe_target *target = walk->target;
    return loupe_block_read(target->memory, address, target->abi->block_traits(target), ret,
                            NULL) == LOUPE_OK;
}

static bool read_byref(struct loupe_walk *walk, loupe_addr address, struct loupe_byref *ret) {
    struct loupe_target *target = walk->target;
    return loupe_byref_read(target->memory, &target->arena, address,
                            target->abi->block_traits(target), ret, NULL) == LOUPE_OK;
}

static enum loupe_retain_count count_of_block(struct loupe_walk *walk, loupe_addr address,
                                              uint64_t *ret) {
    struct loupe_block block;
    if (!read_block(walk, address, &block))
        return LOUPE_COUNT_UNKNOWN;
    if (block.storage == LOUPE_BLOCK_GLOBAL)
        return LOUPE_COUNT_IMMORTAL;
    if (!block.has_retain_count)
        return LOUPE_COUNT_UNKNOWN;
    *ret = block.retain_count;
    return LOUPE_COUNT_KNOWN;
}

static enum loupe_retain_count count_of_byref(struct loupe_walk *walk, loupe_addr address,
                                              uint64_t *ret) {
    struct loupe_byref byref;
    if (!read_byref(walk, address, &byref) || !byref.has_retain_count)
        return LOUPE_COUNT_UNKNOWN;
    *ret = byref.retain_count;
    return LOUPE_COUNT_KNOWN;
}

static enum loupe_retain_count count_of_object(struct loupe_walk *walk, loupe_addr address,
                                               uint64_t *ret) {
    struct loupe_object object;
    if (loupe_object_at(walk->target, address, &object, NULL))
        return LOUPE_COUNT_UNKNOWN;
    return walk->target->abi->retain_count(walk->target, &object, ret);
}

static enum loupe_retain_count retain_count(void *ctx, const struct loupe_graph *graph,
                                            uint32_t node, uint64_t *ret) {
    loupe_addr address = loupe_graph_address(graph, node);
    switch (loupe_node_kind(loupe_graph_node(graph, node))) {
    case LOUPE_NODE_OBJECT:
        return count_of_object(ctx, address, ret);
    case LOUPE_NODE_BLOCK:
        return count_of_block(ctx, address, ret);
    case LOUPE_NODE_BYREF:
        return count_of_byref(ctx, address, ret);
    case LOUPE_NODE_CLASS:
        return LOUPE_COUNT_IMMORTAL;
    default: /* a walk makes no others */
        return LOUPE_COUNT_UNKNOWN;
    }
}

static bool freed(void *ctx, loupe_addr address, struct loupe_freed *ret) {
    struct loupe_walk *walk = ctx;
    return loupe_freed_at(walk->target, address, ret);
}

static struct loupe_recorded *recorded(void *ctx) {
    struct loupe_walk *walk = ctx;
    return loupe_recorded_of(walk->target);
}

/* Only instances have words before them. */
static uint32_t allocated(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    struct loupe_walk *walk = ctx;
    struct loupe_recorded *stacks = recorded(ctx);
    bool is_object = loupe_node_kind(loupe_graph_node(graph, node)) == LOUPE_NODE_OBJECT;
    uint32_t words_before = is_object ? walk->target->abi->words_before_object : 0;
    return stacks ? loupe_recorded_stack_of_object(stacks, loupe_graph_address(graph, node),
                                                   words_before)
                  : 0;
}

/* The counts of objects and blocks stand in their first words, far from each other. */
static void expect(void *ctx, const struct loupe_graph *graph, uint32_t node) {
    const struct loupe_walk *walk = ctx;
    const uint8_t *bytes =
        loupe_memory_peek(walk->target->memory, loupe_graph_address(graph, node), 1);
    if (bytes)
        loupe_prefetch(bytes);
}

static bool size(void *ctx, const struct loupe_graph *graph, uint32_t node, uint64_t *ret) {
    struct loupe_walk *walk = ctx;
    loupe_addr address = loupe_graph_address(graph, node);
    struct loupe_block block;
    struct loupe_byref byref;
    switch (loupe_node_kind(loupe_graph_node(graph, node))) {
    case LOUPE_NODE_BLOCK:
        return read_block(walk, address, &block) && (*ret = block.size, true);
    case LOUPE_NODE_BYREF:
        return read_byref(walk, address, &byref) && (*ret = byref.size, true);
    default:
        break;
    }
    *ret = class_of(walk, graph, node)->instance_size;
    return true;
}

static bool block_function(void *ctx, const struct loupe_graph *graph, uint32_t node,
                           uint64_t *id_ret, char *dst, size_t cap) {
    struct loupe_walk *walk = ctx;
    struct loupe_block block;
    uint64_t offset;
    if (loupe_node_kind(loupe_graph_node(graph, node)) != LOUPE_NODE_BLOCK ||
        !read_block(walk, loupe_graph_address(graph, node), &block))
        return false;
    *id_ret = block.invoke;
    return (loupe_memory_name_address(walk->target->memory, block.invoke, dst, cap, &offset) &&
            offset == 0) ||
           loupe_place_in_image(walk->target->memory, block.invoke, dst, cap);
}

static size_t value(void *ctx, const struct loupe_graph *graph, uint32_t node, char *dst,
                    size_t cap) {
    struct loupe_walk *walk = ctx;
    struct loupe_object object;
    if (loupe_node_kind(loupe_graph_node(graph, node)) != LOUPE_NODE_OBJECT ||
        loupe_object_at(walk->target, loupe_graph_address(graph, node), &object, NULL))
        return 0;
    return loupe_object_value(walk->target, &object, dst, cap);
}

static bool declared(void *ctx, const struct loupe_edge_label *label, char *path, size_t cap,
                     uint32_t *line_ret) {
    struct loupe_walk *walk = ctx;
    return label->declared_by &&
           loupe_memory_line_of_ivar(walk->target->memory, loupe_span_of(label->declared_by),
                                     loupe_span_of(label->name), path, cap, line_ret);
}

struct loupe_describer loupe_describe(struct loupe_walk *walk) {
    return (struct loupe_describer){.ctx = walk,
                                    .class_name = class_name,
                                    .is_kind_of = is_kind_of,
                                    .label = label,
                                    .doubt = doubt,
                                    .label_nonowning = label_nonowning,
                                    .retain_count = retain_count,
                                    .freed = freed,
                                    .recorded = recorded,
                                    .allocated = allocated,
                                    .block_function = block_function,
                                    .declared = declared,
                                    .value = value,
                                    .expect = expect,
                                    .size = size};
}
