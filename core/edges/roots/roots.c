#include "edges/roots/roots.h"

#include "edges/roots/pools.h"

void loupe_roots_init(struct loupe_roots *roots, struct loupe_target *target) {
    *roots = (struct loupe_roots){0};
    loupe_vector_init(&roots->items, target->chunks, sizeof(struct loupe_root));
    loupe_map_init(&roots->pools, target->chunks);
}

void loupe_roots_deinit(struct loupe_roots *roots) {
    loupe_vector_deinit(&roots->items);
    loupe_map_deinit(&roots->pools);
}

/* ---- One word ---- */

struct finder {
    struct loupe_roots *roots;
    const struct loupe_scene *scene;
    struct loupe_walk *walk;
    struct loupe_graph *graph;
    enum loupe_root_kind kind;
    uint32_t number;
};

static bool may_be_object(const struct finder *finder, uint64_t word) {
    const struct loupe_target *target = finder->walk->target;
    return word >= LOUPE_PAGE_SIZE && word % target->memory->machine.pointer_size == 0 &&
           !loupe_is_tagged(target, word);
}

static bool is_weak(const struct finder *finder, uint64_t word, loupe_addr slot) {
    struct loupe_target *target = finder->walk->target;
    return slot && target->abi->weakness && target->abi->weakness(target, word, slot) == LOUPE_WEAK;
}

/*
 * The node that a word keeps alive. LOUPE_NO_NODE: none. Only what looks like an object is one;
 * anything else is just a number, and not worth a finding.
 */
static enum loupe_status node_at(const struct finder *finder, uint64_t word, loupe_addr slot,
                                 uint32_t *ret) {
    struct loupe_object object;
    *ret = LOUPE_NO_NODE;
    bool known = loupe_graph_find(finder->graph, word, ret);
    enum loupe_status status =
        known ? LOUPE_OK : loupe_object_at(finder->walk->target, word, &object, NULL);
    bool held = !status && (known || !loupe_ranges_hold(&finder->scene->not_objects, word)) &&
                !is_weak(finder, word, slot);
    if (held && !known) {
        status = loupe_walk_seed(finder->walk, finder->graph, &object);
        held = !status;
        *ret = loupe_graph_node_count(finder->graph) - 1;
    }
    if (!held)
        *ret = LOUPE_NO_NODE;
    return status == LOUPE_ENOMEM ? status : LOUPE_OK;
}

/* A root of the node that a word leads to, if it leads to one. */
static enum loupe_status add_root(const struct finder *finder, uint64_t word,
                                  const struct loupe_root *shape) {
    uint32_t node;
    enum loupe_status status = node_at(finder, word, shape->slot, &node);
    if (status || node == LOUPE_NO_NODE)
        return status;
    struct loupe_root *root = loupe_vector_add(&finder->roots->items);
    if (!root)
        return LOUPE_ENOMEM;
    *root = *shape;
    root->node = node;
    root->number = finder->number;
    return LOUPE_OK;
}

static enum loupe_status add_entry(void *visitor, loupe_addr object, loupe_addr slot,
                                   uint32_t retains) {
    const struct finder *finder = visitor;
    struct loupe_root root = {.slot = slot, .kind = LOUPE_ROOT_POOL, .retains = retains};
    return may_be_object(finder, object)
               ? add_root(finder, loupe_address_of_word(finder->walk->target, object), &root)
               : LOUPE_OK;
}

static enum loupe_status add_word(struct finder *finder, uint64_t word, loupe_addr slot) {
    struct loupe_target *target = finder->walk->target;
    struct loupe_pool_page page;
    struct loupe_root root = {.slot = slot, .kind = finder->kind};
    if (!may_be_object(finder, word))
        return LOUPE_OK;
    word = loupe_address_of_word(target, word);
    return loupe_pool_page_at(target, word, &page)
               ? loupe_pools_visit(target, word, &finder->roots->pools, add_entry, finder)
               : add_root(finder, word, &root);
}

/* ---- Memory ---- */

/* Words are copied first: looking at where they lead moves the view. */
static enum loupe_status scan_part(struct finder *finder, loupe_addr start, size_t size) {
    uint8_t bytes[LOUPE_PAGE_SIZE];
    struct loupe_memory *memory = finder->walk->target->memory;
    uint8_t pointer_size = memory->machine.pointer_size;
    enum loupe_status status = loupe_memory_read(memory, start, bytes, size);
    if (status == LOUPE_EFAULT) {
        loupe_findings_add(&finder->walk->target->findings, LOUPE_FINDING_UNREADABLE, start);
        return LOUPE_OK;
    }
    finder->roots->scanned += size;
    for (size_t at = 0; !status && at + pointer_size <= size; at += pointer_size)
        status = add_word(finder, loupe_load_word(pointer_size, bytes + at), start + at);
    return status;
}

/* Where the part of [start, end) ends that is scanned at once: its page, up to what is left out. */
static loupe_addr end_of_part(const struct loupe_memory *memory, loupe_addr start, loupe_addr end) {
    loupe_addr page_end = (start | (LOUPE_PAGE_SIZE - 1)) + 1;
    if (end > page_end)
        end = page_end;
    bool reaches_unused = start < memory->unused_start && end > memory->unused_start;
    return reaches_unused ? memory->unused_start : end;
}

static enum loupe_status scan(struct finder *finder, loupe_addr start, loupe_addr end) {
    struct loupe_target *target = finder->walk->target;
    uint8_t pointer_size = target->memory->machine.pointer_size;
    enum loupe_status status = LOUPE_OK;
    loupe_addr at = (start + pointer_size - 1) / pointer_size * pointer_size;
    end = end / pointer_size * pointer_size;
    while (!status && at < end) {
        if (loupe_memory_interrupted(target->memory)) {
            loupe_findings_add(&target->findings, LOUPE_FINDING_INTERRUPTED, at);
            return LOUPE_OK;
        }
        if (loupe_memory_is_left_out(target->memory, at)) {
            at = target->memory->unused_end;
            continue;
        }
        loupe_addr part_end = end_of_part(target->memory, at, end);
        status = scan_part(finder, at, (size_t)(part_end - at));
        at = part_end;
    }
    return status;
}

enum loupe_status loupe_roots_add(struct loupe_roots *roots, struct loupe_walk *walk,
                                  struct loupe_graph *graph, const struct loupe_scene *scene) {
    struct finder finder = {.roots = roots, .scene = scene, .walk = walk, .graph = graph};
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; !status && i < scene->sources.count; i++) {
        const struct loupe_root_source *source = loupe_scene_source(scene, i);
        finder.kind = source->kind;
        finder.number = i;
        status = source->memory.end ? scan(&finder, source->memory.start, source->memory.end)
                                    : add_word(&finder, source->word, 0);
    }
    return status;
}
