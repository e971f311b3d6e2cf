#include "pictures/heap_picture.h"

#include "base/map.h"
#include "base/sort.h"

#include <string.h>

/* What a page has room for, and how finely what one object keeps alive is shown. */
enum { MOST_TILES = 9000, MOST_STEPS = 24000, MOST_CHILDREN = 60, MOST_FOLDS = 8 };

struct making {
    const struct heap_picture_source *source;
    struct loupe_arena *arena;
    struct heap_picture *picture;
    struct loupe_dominated rows;
    uint32_t *heap; /* tiles that can be opened, the one that retains most first */
    uint32_t waiting;
    struct loupe_class_total *folds; /* by class, while one object's children are looked at */
    uint64_t *fold_others;           /* by class, in the same way */
    uint32_t *touched;               /* classes of which folds has something */
    uint64_t least;                  /* what retains less is folded */
};

/* ---- Tiles that wait to be opened ---- */

static bool is_before(const struct making *making, uint32_t a, uint32_t b) {
    const struct heap_tile *tiles = making->picture->tiles;
    if (tiles[a].retained != tiles[b].retained)
        return tiles[a].retained > tiles[b].retained;
    return a < b;
}

static void push(struct making *making, uint32_t tile) {
    uint32_t *heap = making->heap, at = making->waiting++;
    for (; at && is_before(making, tile, heap[(at - 1) / 2]); at = (at - 1) / 2)
        heap[at] = heap[(at - 1) / 2];
    heap[at] = tile;
}

static uint32_t pop(struct making *making) {
    uint32_t *heap = making->heap, top = heap[0], last = heap[--making->waiting], at = 0;
    for (uint32_t child; (child = 2 * at + 1) < making->waiting; at = child) {
        if (child + 1 < making->waiting && is_before(making, heap[child + 1], heap[child]))
            child++;
        if (!is_before(making, heap[child], last))
            break;
        heap[at] = heap[child];
    }
    heap[at] = last;
    return top;
}

/* ---- What an object keeps alive ---- */

/* The largest children, sorted; the others are folded by class. */
struct children {
    uint32_t nodes[MOST_CHILDREN];
    uint32_t count;
};

static uint64_t retained_by(const struct making *making, uint32_t node) {
    return making->source->dominators->retained[node];
}

static bool is_larger(const void *ctx, const void *a, const void *b) {
    const struct making *making = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t of_x = retained_by(making, x), of_y = retained_by(making, y);
    return of_x != of_y ? of_x > of_y : x < y;
}

static void fold_node(struct making *making, uint32_t node, uint32_t *touched_count) {
    uint32_t class_number = making->source->snapshot->classes[node];
    struct loupe_class_total *fold = &making->folds[class_number];
    if (!fold->count)
        making->touched[(*touched_count)++] = class_number;
    fold->count++;
    fold->retained += retained_by(making, node);
    fold->bytes += making->source->dominators->counts[node]; /* here: objects, not bytes */
    making->fold_others[class_number] += loupe_dominators_others(making->source->dominators, node);
}

/* Keeps the largest in a sorted list as long as the list is; what falls out of it is folded. */
static void sort_children(struct making *making, const uint32_t *nodes, uint32_t count,
                          struct children *children, uint32_t *touched_count) {
    children->count = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = nodes[i];
        bool is_full = children->count == MOST_CHILDREN;
        uint32_t last = children->count ? children->nodes[children->count - 1] : 0;
        if (retained_by(making, node) < making->least ||
            (is_full && !is_larger(making, &node, &last))) {
            fold_node(making, node, touched_count);
            continue;
        }
        if (is_full) {
            fold_node(making, last, touched_count);
            children->count--;
        }
        uint32_t at = children->count++;
        for (; at && is_larger(making, &node, &children->nodes[at - 1]); at--)
            children->nodes[at] = children->nodes[at - 1];
        children->nodes[at] = node;
    }
}

static bool is_larger_fold(const void *ctx, const void *a, const void *b) {
    const struct making *making = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    uint64_t of_x = making->folds[x].retained, of_y = making->folds[y].retained;
    return of_x != of_y ? of_x > of_y : x < y;
}

static struct heap_tile *add_tile(struct making *making, uint32_t parent) {
    struct heap_tile *tile = &making->picture->tiles[making->picture->tile_count++];
    *tile = (struct heap_tile){
        .parent = parent, .node = LOUPE_NO_NODE, .class_number = LOUPE_NONE, .step = PICTURE_NONE};
    return tile;
}

/* The classes of which most is folded have a tile each, the others one together. */
static void add_folds(struct making *making, uint32_t parent, uint32_t touched_count) {
    loupe_sort(making->touched, touched_count, sizeof(*making->touched), is_larger_fold, making);
    struct heap_tile *tile = NULL;
    for (uint32_t i = 0; i < touched_count; i++) {
        struct loupe_class_total *fold = &making->folds[making->touched[i]];
        if (i < MOST_FOLDS) {
            tile = add_tile(making, parent);
            tile->class_number = making->touched[i];
        } else if (i == MOST_FOLDS) {
            tile = add_tile(making, parent);
        }
        tile->folded += (uint32_t)fold->count;
        tile->retained += fold->retained;
        tile->objects += fold->bytes;
        tile->others += making->fold_others[making->touched[i]];
        *fold = (struct loupe_class_total){0};
        making->fold_others[making->touched[i]] = 0;
    }
}

static void open_tile(struct making *making, uint32_t parent) {
    const struct loupe_dominators *dominators = making->source->dominators;
    const struct heap_tile *opened = &making->picture->tiles[parent];
    uint32_t row = opened->node == LOUPE_NO_NODE ? dominators->nodes : opened->node;
    uint32_t first = making->rows.first[row], touched_count = 0;
    struct children children;
    sort_children(making, &making->rows.of[first], making->rows.first[row + 1] - first, &children,
                  &touched_count);
    for (uint32_t i = 0; i < children.count; i++) {
        uint32_t node = children.nodes[i];
        struct heap_tile *tile = add_tile(making, parent);
        tile->node = node;
        tile->class_number = making->source->snapshot->classes[node];
        tile->retained = retained_by(making, node);
        tile->objects = dominators->counts[node];
        tile->others = loupe_dominators_others(dominators, node);
        if (tile->objects > 1)
            push(making, making->picture->tile_count - 1);
    }
    add_folds(making, parent, touched_count);
}

/* So small that it would not be seen is 1/20,000 of the whole, or less than 64 bytes. */
static void make_tree(struct making *making) {
    const struct loupe_dominators *dominators = making->source->dominators;
    struct heap_tile *all = add_tile(making, PICTURE_NONE);
    for (uint32_t i = making->rows.first[dominators->nodes];
         i < making->rows.first[dominators->nodes + 1]; i++) {
        all->retained += retained_by(making, making->rows.of[i]);
        all->objects += dominators->counts[making->rows.of[i]];
        all->others += loupe_dominators_others(dominators, making->rows.of[i]);
    }
    making->least = all->retained / 20000 > 64 ? all->retained / 20000 : 0;
    push(making, 0);
    /* Cap: the page says of each that was not opened how to ask. */
    while (making->waiting &&
           making->picture->tile_count + MOST_CHILDREN + MOST_FOLDS + 1 <= MOST_TILES)
        open_tile(making, pop(making));
}

/* ---- Paths ---- */

/* Steps from an object up to a root or to a step that is there; or one more than there is room. */
static uint32_t new_steps(const struct making *making, const struct loupe_map *known,
                          uint32_t node) {
    uint32_t count = 0, most = MOST_STEPS - making->picture->step_count, step;
    while (node != LOUPE_NO_NODE && count <= most && !loupe_map_find(known, node, &step)) {
        count++;
        node = loupe_path_before(making->source->shortest, node);
    }
    return count;
}

static enum loupe_status add_steps(struct making *making, struct loupe_map *known, uint32_t node,
                                   uint32_t *ret) {
    const struct loupe_shortest *shortest = making->source->shortest;
    uint32_t behind = PICTURE_NONE, known_step = PICTURE_NONE;
    *ret = PICTURE_NONE;
    while (node != LOUPE_NO_NODE && !loupe_map_find(known, node, &known_step)) {
        uint32_t number = making->picture->step_count++;
        uint32_t before = loupe_path_before(shortest, node);
        making->picture->steps[number] = (struct heap_step){
            .node = node,
            .before = PICTURE_NONE,
            .root = before == LOUPE_NO_NODE ? loupe_path_root(shortest, node) : PICTURE_NONE};
        if (loupe_map_put(known, node, number))
            return LOUPE_ENOMEM;
        if (behind != PICTURE_NONE)
            making->picture->steps[behind].before = number;
        else
            *ret = number;
        behind = number;
        known_step = PICTURE_NONE;
        node = before;
    }
    if (behind != PICTURE_NONE)
        making->picture->steps[behind].before = known_step;
    else
        *ret = known_step;
    return LOUPE_OK;
}

static enum loupe_status make_paths(struct making *making, struct loupe_map *known) {
    /* Long ways that do not fit take time to find out: after some of them nobody tries. */
    enum { MOST_REFUSED = 64 };
    struct heap_picture *picture = making->picture;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < picture->tile_count && !status; i++) {
        struct heap_tile *tile = &picture->tiles[i];
        if (tile->node == LOUPE_NO_NODE ||
            loupe_path_level(making->source->shortest, tile->node) == LOUPE_LEVEL_NONE)
            continue;
        if (picture->without_path >= MOST_REFUSED ||
            new_steps(making, known, tile->node) > MOST_STEPS - picture->step_count)
            picture->without_path++;
        else
            status = add_steps(making, known, tile->node, &tile->step);
    }
    return status;
}

/* ---- Classes ---- */

static bool retains_more(const void *ctx, const void *a, const void *b) {
    const struct loupe_class_total *totals = ctx;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return totals[x].retained != totals[y].retained ? totals[x].retained > totals[y].retained
                                                    : x < y;
}

static enum loupe_status make_classes(struct making *making) {
    const struct heap_picture_source *source = making->source;
    struct heap_picture *picture = making->picture;
    uint32_t count = source->snapshot->class_count;
    loupe_histogram_count(&source->snapshot->columns, source->snapshot->classes, NULL, count,
                          picture->totals);
    enum loupe_status status = loupe_histogram_add_retained(
        source->dominators, source->snapshot->classes, count, source->chunks, picture->totals);
    for (uint32_t i = 0; i < count; i++) {
        if (picture->totals[i].count)
            picture->classes[picture->class_count++] = i;
    }
    loupe_sort(picture->classes, picture->class_count, sizeof(*picture->classes), retains_more,
               picture->totals);
    return status;
}

static bool has_room(struct making *making) {
    struct heap_picture *picture = making->picture;
    size_t classes = (size_t)making->source->snapshot->class_count + 1;
    struct loupe_arena *arena = making->arena;
    picture->totals = loupe_arena_alloc_array(arena, classes, sizeof(*picture->totals));
    picture->classes = loupe_arena_alloc_array(arena, classes, sizeof(*picture->classes));
    picture->tiles = loupe_arena_alloc_array(arena, MOST_TILES, sizeof(*picture->tiles));
    picture->steps = loupe_arena_alloc_array(arena, MOST_STEPS, sizeof(*picture->steps));
    making->heap = loupe_arena_alloc_array(arena, MOST_TILES, sizeof(*making->heap));
    making->folds = loupe_arena_alloc_array(arena, classes, sizeof(*making->folds));
    making->fold_others = loupe_arena_alloc_array(arena, classes, sizeof(*making->fold_others));
    making->touched = loupe_arena_alloc_array(arena, classes, sizeof(*making->touched));
    return picture->totals && picture->classes && picture->tiles && picture->steps &&
           making->heap && making->folds && making->fold_others && making->touched;
}

enum loupe_status heap_picture_make(const struct heap_picture_source *source,
                                    struct loupe_arena *arena, struct heap_picture *ret) {
    struct making making = {.source = source, .arena = arena, .picture = ret};
    struct loupe_map known;
    *ret = (struct heap_picture){.source = source};
    if (!has_room(&making))
        return LOUPE_ENOMEM;
    enum loupe_status status = make_classes(&making);
    if (status)
        return status;
    status = loupe_dominated_find(source->dominators, source->chunks, &making.rows);
    if (status)
        return status;
    make_tree(&making);
    loupe_dominated_deinit(&making.rows);
    loupe_map_init(&known, arena->chunks);
    status = make_paths(&making, &known);
    loupe_map_deinit(&known);
    return status;
}
