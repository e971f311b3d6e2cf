/* Knots and leaks of an answer: rings, who holds them, what to change. */
#include "pictures/answer_reader.h"

#include "answers/texts.h"
#include "base/fnv.h"

#include <string.h>

/* ---- Arrows: each reference once, however many rings go along it ---- */

struct gathering {
    struct answer_reader *reader;
    struct picture_finding *finding;
    struct loupe_map numbers; /* reference -> arrow */
    uint32_t capacity;
};

static uint64_t key_of(const struct json_value *edge) {
    struct loupe_span slot = json_text(edge, "slot");
    uint64_t key = loupe_fnv_span(LOUPE_FNV_BASIS, json_text(edge, "from"));
    key = loupe_fnv_span(key, json_text(edge, "to"));
    key = loupe_fnv_span(key, json_text(edge, "kind"));
    return loupe_fnv_span(key, slot.length ? slot : json_text(edge, "path"));
}

static enum loupe_status gather(struct gathering *gathering, const struct json_value *edge,
                                uint32_t *ret) {
    struct picture_finding *finding = gathering->finding;
    uint64_t key = key_of(edge);
    if (loupe_map_find(&gathering->numbers, key, ret))
        return LOUPE_OK;
    struct picture_arrow *arrows =
        loupe_arena_grow(gathering->reader->picture->arena, finding->arrows, finding->arrow_count,
                         &gathering->capacity, sizeof(*arrows));
    if (!arrows)
        return LOUPE_ENOMEM;
    finding->arrows = arrows;
    arrows[finding->arrow_count] = (struct picture_arrow){0};
    enum loupe_status status = answer_arrow(gathering->reader, edge, &arrows[finding->arrow_count]);
    *ret = finding->arrow_count++;
    return status ? status : loupe_map_put(&gathering->numbers, key, *ret);
}

static enum loupe_status gather_list(struct gathering *gathering, const struct json_value *edges,
                                     struct picture_arrows *ret) {
    enum loupe_status status = LOUPE_OK;
    ret->items = loupe_arena_alloc_array(gathering->reader->picture->arena,
                                         (size_t)edges->count + 1, sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    JSON_EACH(edge, edges) {
        if (!status)
            status = gather(gathering, edge, &ret->items[ret->count++]);
    }
    return status;
}

/* ---- Rings ---- */

static enum loupe_status read_ring(struct gathering *gathering, const struct json_value *ring,
                                   struct picture_ring *ret) {
    ret->fingerprint = json_text(ring, "fingerprint");
    ret->length = json_uint(ring, "length");
    ret->left_out = json_uint(ring, "edges_left_out");
    enum loupe_status status = gather_list(gathering, json_member(ring, "edges"), &ret->arrows);
    ret->gap = ret->arrows.count / 2;
    if (ret->length < ret->arrows.count)
        ret->length = ret->arrows.count;
    return status;
}

static bool make_rings(struct gathering *gathering, uint32_t count) {
    struct picture_finding *finding = gathering->finding;
    finding->rings = loupe_arena_alloc_array(gathering->reader->picture->arena, (size_t)count + 1,
                                             sizeof(*finding->rings));
    return finding->rings;
}

static enum loupe_status read_rings(struct gathering *gathering, const struct json_value *rings) {
    struct picture_finding *finding = gathering->finding;
    enum loupe_status status = LOUPE_OK;
    if (!make_rings(gathering, rings->count))
        return LOUPE_ENOMEM;
    JSON_EACH(ring, rings) {
        if (!status)
            status = read_ring(gathering, ring, &finding->rings[finding->ring_count++]);
    }
    return status;
}

/* ---- Changes ---- */

static enum picture_breaks breaks_of(const struct json_value *fix) {
    if (loupe_span_equals(json_text(fix, "breaks"), "knot"))
        return PICTURE_BREAKS_KNOT;
    return loupe_span_equals(json_text(fix, "everywhere"), "knot") ? PICTURE_BREAKS_EVERYWHERE
                                                                   : PICTURE_BREAKS_RING;
}

/* What the change is called, where whoever made the answer did not say it. */
static enum loupe_status word_change(const struct gathering *gathering,
                                     const struct json_value *fix, struct loupe_span *ret) {
    char text[ANSWER_LONGEST_FIX];
    size_t length = answer_fix_text(&gathering->reader->said, fix, text, sizeof(text));
    char *copy = loupe_arena_copy_string(gathering->reader->picture->arena,
                                         (struct loupe_span){text, length});
    *ret = (struct loupe_span){copy, length};
    return copy ? LOUPE_OK : LOUPE_ENOMEM;
}

static struct picture_change *change_called(struct picture_finding *finding,
                                            struct loupe_span text) {
    for (uint32_t i = 0; i < finding->change_count; i++) {
        struct loupe_span other = finding->changes[i].text;
        if (other.length == text.length && memcmp(other.bytes, text.bytes, text.length) == 0)
            return &finding->changes[i];
    }
    return NULL;
}

/* The references of a fix: the one that it is about, and those beside it. */
static enum loupe_status cut_of(struct gathering *gathering, const struct json_value *fix,
                                struct picture_arrows *ret) {
    const struct json_value *beside = json_member(fix, "with");
    ret->items = loupe_arena_alloc_array(gathering->reader->picture->arena,
                                         (size_t)beside->count + 1, sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    enum loupe_status status =
        gather(gathering, json_member(fix, "edge"), &ret->items[ret->count++]);
    JSON_EACH(edge, beside) {
        if (!status)
            status = gather(gathering, edge, &ret->items[ret->count++]);
    }
    return status;
}

/* An ivar that has to be weak in all objects of its class takes every such reference away. */
static enum loupe_status cut_everywhere(struct gathering *gathering, struct picture_arrows *cut) {
    const struct picture_finding *finding = gathering->finding;
    struct picture *picture = gathering->reader->picture;
    uint32_t first = cut->items[0];
    cut->items = loupe_arena_alloc_array(picture->arena, finding->arrow_count, sizeof(*cut->items));
    if (!cut->items)
        return LOUPE_ENOMEM;
    cut->count = 0;
    for (uint32_t i = 0; i < finding->arrow_count; i++) {
        if (picture_same_sort(picture, &finding->arrows[i], &finding->arrows[first]))
            cut->items[cut->count++] = i;
    }
    return LOUPE_OK;
}

static enum loupe_status read_kept_by(struct gathering *gathering, const struct json_value *fix,
                                      struct picture_change *change) {
    struct loupe_span kept_by = json_text(fix, "kept_by");
    change->kept_by = PICTURE_NONE;
    return kept_by.length ? answer_thing(gathering->reader, kept_by, &change->kept_by) : LOUPE_OK;
}

/* Older answers say only whether it frees. */
static bool is_enough(const struct json_value *fix) {
    return json_is_true(fix, "enough") || json_is_true(fix, "frees");
}

static enum loupe_status read_change(struct gathering *gathering, const struct json_value *fix) {
    struct picture_finding *finding = gathering->finding;
    struct picture_change change = {.text = json_text(fix, "text"),
                                    .breaks = breaks_of(fix),
                                    .is_enough = is_enough(fix),
                                    .diff = json_text(fix, "diff"),
                                    .tried = json_text(fix, "compiler"),
                                    .together = json_is_true(fix, "together")};
    if (json_member(fix, "edge")->kind != JSON_OBJECT)
        return LOUPE_OK;
    enum loupe_status status = cut_of(gathering, fix, &change.cut);
    if (!status && !change.text.length)
        status = word_change(gathering, fix, &change.text);
    if (!status)
        status = read_kept_by(gathering, fix, &change);
    struct picture_change *same = status ? NULL : change_called(finding, change.text);
    if (same) {
        same->breaks = change.breaks < same->breaks ? change.breaks : same->breaks;
        same->together |= change.together;
        return LOUPE_OK;
    }
    if (!status && change.breaks == PICTURE_BREAKS_EVERYWHERE)
        status = cut_everywhere(gathering, &change.cut);
    finding->changes[finding->change_count++] = change;
    return status;
}

static enum loupe_status read_changes(struct gathering *gathering, const struct json_value *fixes) {
    struct picture_finding *finding = gathering->finding;
    enum loupe_status status = LOUPE_OK;
    finding->changes = loupe_arena_alloc_array(gathering->reader->picture->arena,
                                               (size_t)fixes->count + 1, sizeof(*finding->changes));
    if (!finding->changes)
        return LOUPE_ENOMEM;
    JSON_EACH(fix, fixes) {
        if (!status)
            status = read_change(gathering, fix);
    }
    return status;
}

/* ---- Knots ---- */

/* Of a command in LLDB it has more than a name. */
static struct loupe_span mistake_of(const struct json_value *knot) {
    struct loupe_span name = json_text(knot, "mistake");
    return name.length ? name : json_text(json_member(knot, "pattern"), "name");
}

static enum loupe_status read_knot(struct gathering *gathering, const struct json_value *knot) {
    struct picture_finding *finding = gathering->finding;
    const struct json_value *counts = json_member(knot, "counts");
    finding->kind = PICTURE_KNOT;
    finding->fingerprint = json_text(knot, "fingerprint");
    finding->verdict = json_text(knot, "verdict");
    finding->reason = json_text(knot, "verdict_reason");
    /* Of the other degrees its verdict says as much. */
    if (loupe_degree_named(json_text(knot, "degree")) == LOUPE_DEGREE_TIMER)
        finding->degree = json_text(knot, "degree");
    finding->objects = json_uint(knot, "objects");
    finding->edges = json_uint(knot, "edges");
    finding->bytes = json_uint(knot, "size");
    finding->count = json_uint(knot, "count") ? json_uint(knot, "count") : 1;
    finding->certain = json_member(knot, "certain")->kind != JSON_FALSE;
    finding->severity = answer_severity(knot, finding->verdict, finding->certain);
    finding->contains_seed = json_is_true(knot, "contains_seed");
    finding->all_rings = json_is_true(knot, "all_rings");
    finding->mistake = mistake_of(knot);
    finding->held_outside = json_uint(counts, "outside");
    finding->held_unseen = json_uint(counts, "unexplained");
    enum loupe_status status = read_rings(gathering, json_member(knot, "rings"));
    if (!status)
        status = read_changes(gathering, json_member(knot, "fixes"));
    if (!status)
        status = gather_list(gathering, json_member(knot, "held_by"), &finding->holders);
    return status;
}

/* What no answer describes has the class of the leak; memory without one is called as in texts. */
static void name_of_leak(struct picture_thing *thing, struct loupe_span class_name) {
    if (thing->class_name.length)
        return;
    bool is_memory = loupe_span_equals(class_name, "(raw memory)");
    thing->class_name = is_memory ? loupe_span_of("non-object") : class_name;
}

/* What is described beside a leak, and not among the objects of the answer. */
static enum loupe_status describe_beside(struct answer_reader *reader, struct loupe_span address,
                                         const struct json_value *object) {
    uint32_t ignored;
    if (object->kind != JSON_OBJECT ||
        loupe_map_find(&reader->numbers, answer_address(address), &ignored))
        return LOUPE_OK;
    return answer_describe(reader, address, object);
}

static enum loupe_status read_head(struct gathering *gathering, const struct json_value *leak) {
    struct picture_finding *finding = gathering->finding;
    struct loupe_span head = json_text(leak, "head");
    if (!head.length)
        return LOUPE_OK;
    enum loupe_status status =
        describe_beside(gathering->reader, head, json_member(leak, "object"));
    if (!status)
        status = answer_thing(gathering->reader, head, &finding->head);
    if (!status)
        name_of_leak(&gathering->reader->picture->things[finding->head], json_text(leak, "class"));
    return status;
}

/* The ring of a circle through words that nothing describes stands alone, with its members. */
static enum loupe_status read_lone_ring(struct gathering *gathering,
                                        const struct json_value *leak) {
    const struct json_value *ring = json_member(leak, "ring");
    struct picture_finding *finding = gathering->finding;
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(edge, json_member(ring, "edges")) {
        if (!status)
            status = describe_beside(gathering->reader, json_text(edge, "from"),
                                     json_member(edge, "holder"));
    }
    if (status)
        return status;
    if (!make_rings(gathering, 1))
        return LOUPE_ENOMEM;
    finding->certain = json_member(ring, "certain")->kind != JSON_FALSE;
    finding->is_untyped = true;
    return read_ring(gathering, ring, &finding->rings[finding->ring_count++]);
}

/* The innermost line of the program's own on the stack that a recorder kept. */
static struct picture_place place_of_stack(const struct answer_reader *reader, uint64_t number) {
    char key[24];
    struct picture_place place = {.line = 0};
    loupe_format(key, sizeof(key), "%llu", (unsigned long long)number);
    const struct json_value *stack = json_member(json_member(reader->answer, "stacks"), key);
    JSON_EACH(frame, json_member(stack, "frames")) {
        if (!place.file.length && !json_is_true(frame, "foreign"))
            place = (struct picture_place){.file = json_text(frame, "file"),
                                           .function = json_text(frame, "symbol"),
                                           .line = (uint32_t)json_uint(frame, "line")};
    }
    return place;
}

/* Of a leak that is in no cycle of owners: what is missing, and that to add it is enough. */
static enum loupe_status read_missing(struct gathering *gathering, const struct json_value *leak) {
    struct picture_finding *finding = gathering->finding;
    uint64_t missing = json_uint(leak, "missing_releases");
    if (!missing)
        return LOUPE_OK;
    finding->reason = loupe_span_of(missing == 1 ? ANSWER_A_RELEASE : ANSWER_RELEASES);
    finding->changes =
        loupe_arena_alloc_array(gathering->reader->picture->arena, 1, sizeof(*finding->changes));
    if (!finding->changes)
        return LOUPE_ENOMEM;
    finding->changes[0] = (struct picture_change){
        .text = loupe_span_of(missing == 1 ? ANSWER_ADD_RELEASE : ANSWER_ADD_RELEASES),
        .is_enough = true,
        .diff = json_text(leak, "diff"),
        .tried = json_text(leak, "compiler"),
        .kept_by = PICTURE_NONE};
    finding->change_count = 1;
    return LOUPE_OK;
}

static enum loupe_status read_leak(struct gathering *gathering, const struct json_value *leak) {
    struct picture_finding *finding = gathering->finding;
    const struct json_value *knot = json_member(leak, "knot"), *ring = json_member(leak, "ring");
    enum loupe_status status = LOUPE_OK;
    if (knot->kind == JSON_OBJECT)
        status = read_knot(gathering, knot);
    else if (ring->kind == JSON_OBJECT)
        status = read_lone_ring(gathering, leak);
    finding->kind =
        loupe_span_equals(json_text(leak, "kind"), "cycle") ? PICTURE_KNOT : PICTURE_LEAK;
    finding->fingerprint = json_text(leak, "fingerprint");
    finding->degree = json_text(leak, "degree");
    if (!finding->mistake.length)
        finding->mistake = json_text(leak, "mistake");
    if (!finding->verdict.length)
        finding->verdict = loupe_span_of("leaked");
    if (json_is_true(leak, "guessed"))
        finding->certain = false;
    finding->severity = answer_severity(leak, finding->verdict, finding->certain);
    finding->count = json_uint(leak, "count") ? json_uint(leak, "count") : 1;
    finding->bytes = json_uint(leak, "bytes");
    finding->others = json_uint(leak, "others");
    if (finding->kind == PICTURE_LEAK || !finding->objects)
        finding->objects = json_uint(leak, "objects");
    if (!status && knot->kind != JSON_OBJECT)
        status = read_missing(gathering, leak);
    finding->allocated = place_of_stack(gathering->reader, json_uint(leak, "allocated"));
    return status ? status : read_head(gathering, leak);
}

typedef enum loupe_status (*read_one)(struct gathering *gathering, const struct json_value *value);

static enum loupe_status read_finding(struct answer_reader *reader, const struct json_value *value,
                                      read_one read) {
    struct gathering gathering = {.reader = reader,
                                  .finding = picture_add_finding(reader->picture)};
    if (!gathering.finding)
        return LOUPE_ENOMEM;
    loupe_map_init(&gathering.numbers, reader->picture->arena->chunks);
    enum loupe_status status = read(&gathering, value);
    loupe_map_deinit(&gathering.numbers);
    return status;
}

static uint64_t likeness(struct loupe_span fingerprint, struct loupe_span verdict) {
    return loupe_fnv_span(loupe_fnv_span(LOUPE_FNV_BASIS, fingerprint), verdict);
}

/* What an answer that was read before had, with how many are alike: that is all of them. */
static enum loupe_status note_earlier(const struct picture *picture, struct loupe_map *earlier) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < picture->finding_count && !status; i++) {
        const struct picture_finding *finding = &picture->findings[i];
        if (finding->kind == PICTURE_KNOT && finding->fingerprint.length)
            status = loupe_map_put(earlier, likeness(finding->fingerprint, finding->verdict), i);
    }
    return status;
}

/* A later one of the same fingerprint and verdict is one more of those that are alike. */
static bool is_counted(struct answer_reader *reader, struct loupe_map *known,
                       const struct json_value *knot, enum loupe_status *status_ret) {
    struct loupe_span fingerprint = json_text(knot, "fingerprint");
    uint32_t number;
    *status_ret = LOUPE_OK;
    if (!fingerprint.length)
        return false;
    uint64_t key = likeness(fingerprint, json_text(knot, "verdict"));
    if (loupe_map_find(known, key, &number)) {
        if (number >= reader->earlier)
            reader->picture->findings[number].count++;
        return true;
    }
    *status_ret = loupe_map_put(known, key, reader->picture->finding_count);
    return false;
}

enum loupe_status answer_knots(struct answer_reader *reader) {
    struct loupe_map known;
    enum loupe_status status = LOUPE_OK;
    loupe_map_init(&known, reader->picture->arena->chunks);
    status = note_earlier(reader->picture, &known);
    JSON_EACH(knot, json_member(reader->answer, "knots")) {
        if (!status && !is_counted(reader, &known, knot, &status) && !status)
            status = read_finding(reader, knot, read_knot);
    }
    loupe_map_deinit(&known);
    return status;
}

enum loupe_status answer_leaks(struct answer_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(leak, json_member(reader->answer, "leaks")) {
        if (!status)
            status = read_finding(reader, leak, read_leak);
    }
    return status;
}
