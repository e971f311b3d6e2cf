/* Known mistakes in the findings of a picture. */
#include "pictures/picture_patterns.h"

#include "answers/json_tree.h"
#include "pictures/asset.h"

enum loupe_status patterns_read_shipped(struct loupe_arena *arena, struct loupe_patterns *ret) {
    struct loupe_error err = {0};
    /* A test reads them: what is wrong with them cannot be met here. */
    struct loupe_span text = {asset_patterns.bytes, asset_patterns.size};
    return loupe_patterns_read(text, arena, ret, &err);
}

struct loupe_patterns patterns_shipped(struct loupe_arena *arena) {
    struct loupe_patterns ret;
    return patterns_read_shipped(arena, &ret) ? (struct loupe_patterns){.items = NULL} : ret;
}

/* ---- Findings ---- */

struct seen {
    const struct picture *picture;
    const struct picture_finding *finding;
};

static uint32_t length_of(const void *ctx, uint32_t ring) {
    const struct seen *seen = ctx;
    return seen->finding->rings[ring].arrows.count;
}

static const struct picture_arrow *arrow_of(const struct seen *seen, uint32_t ring, uint32_t i) {
    return &seen->finding->arrows[seen->finding->rings[ring].arrows.items[i]];
}

static struct loupe_span class_of(const struct picture_thing *thing) {
    if (picture_is_block(thing))
        return loupe_span_of("<block>");
    return loupe_span_equals(thing->kind, "byref") ? loupe_span_of("<byref>") : thing->class_name;
}

static void step_of(const void *ctx, uint32_t ring, uint32_t i, struct loupe_pattern_step *ret) {
    const struct seen *seen = ctx;
    const struct picture_arrow *arrow = arrow_of(seen, ring, i);
    *ret = (struct loupe_pattern_step){.from = class_of(&seen->picture->things[arrow->from]),
                                       .kind = arrow->kind,
                                       .to = class_of(&seen->picture->things[arrow->to])};
}

static struct loupe_span path_of(const void *ctx, uint32_t ring, uint32_t i,
                                 char room[LOUPE_PATTERN_LONGEST_PATH]) {
    (void)room;
    return arrow_of(ctx, ring, i)->path;
}

static bool is_to_change(const void *ctx, uint32_t ring, uint32_t i) {
    const struct seen *seen = ctx;
    const struct picture_arrows *cut = &seen->finding->changes->cut;
    uint32_t arrow = seen->finding->rings[ring].arrows.items[i], at = 0;
    while (at < cut->count && cut->items[at] != arrow)
        at++;
    return at < cut->count;
}

static const struct loupe_pattern *pattern_called(const struct loupe_patterns *patterns,
                                                  struct loupe_span name) {
    for (uint32_t i = 0; i < patterns->count; i++) {
        if (json_texts_equal(patterns->items[i].name, name))
            return &patterns->items[i];
    }
    return NULL;
}

void picture_find_patterns(struct picture *picture, const struct loupe_patterns *patterns) {
    for (uint32_t i = 0; i < picture->finding_count; i++) {
        struct picture_finding *finding = &picture->findings[i];
        struct seen seen = {picture, finding};
        struct loupe_pattern_subject subject = {
            .ctx = &seen,
            .rings = finding->ring_count,
            .is_path = finding->kind == PICTURE_PATH || finding->kind == PICTURE_SUSPECT,
            .length = length_of,
            .step = step_of,
            .path = path_of,
            .is_to_change = finding->change_count ? is_to_change : NULL};
        finding->pattern = finding->mistake.length ? pattern_called(patterns, finding->mistake)
                                                   : loupe_pattern_of(patterns, &subject);
    }
}
