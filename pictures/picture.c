#include "pictures/picture.h"

#include <string.h>

void picture_init(struct picture *picture, struct loupe_arena *arena) {
    *picture = (struct picture){.arena = arena, .seed = PICTURE_NONE};
}

struct picture_thing *picture_add_thing(struct picture *picture) {
    struct picture_thing *things =
        loupe_arena_grow(picture->arena, picture->things, picture->thing_count,
                         &picture->thing_capacity, sizeof(*things));
    if (!things)
        return NULL;
    picture->things = things;
    struct picture_thing *thing = &things[picture->thing_count++];
    *thing = (struct picture_thing){.lines = PICTURE_NONE};
    return thing;
}

static struct picture_finding *add_finding(struct loupe_arena *arena,
                                           struct picture_finding **findings, uint32_t *count,
                                           uint32_t *capacity) {
    struct picture_finding *grown =
        loupe_arena_grow(arena, *findings, *count, capacity, sizeof(*grown));
    if (!grown)
        return NULL;
    *findings = grown;
    struct picture_finding *finding = &grown[(*count)++];
    *finding = (struct picture_finding){.head = PICTURE_NONE, .count = 1, .certain = true};
    return finding;
}

struct picture_finding *picture_add_finding(struct picture *picture) {
    return add_finding(picture->arena, &picture->findings, &picture->finding_count,
                       &picture->finding_capacity);
}

struct picture_finding *picture_add_owner(struct picture *picture) {
    return add_finding(picture->arena, &picture->large, &picture->large_count,
                       &picture->large_capacity);
}

enum loupe_status picture_add_note(struct picture *picture, const char *format, ...) {
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    size_t length = loupe_format_list(text, sizeof(text), format, arguments);
    va_end(arguments);
    struct loupe_span *notes = loupe_arena_grow(picture->arena, picture->notes, picture->note_count,
                                                &picture->note_capacity, sizeof(*notes));
    char *copy = loupe_arena_copy_string(picture->arena, (struct loupe_span){text, length});
    if (!notes || !copy)
        return LOUPE_ENOMEM;
    picture->notes = notes;
    notes[picture->note_count++] = (struct loupe_span){copy, length};
    return LOUPE_OK;
}

/* ---- Asking ---- */

bool picture_is_block(const struct picture_thing *thing) {
    return loupe_span_equals(thing->kind, "block");
}

/* A word of ours before one of the target. */
static struct loupe_span with_word(const char *word, struct loupe_span text,
                                   struct loupe_arena *arena) {
    size_t length = strlen(word);
    char *joined = loupe_arena_alloc(arena, length + text.length + 1);
    if (!joined)
        return text;
    memcpy(joined, word, length);
    memcpy(joined + length, text.bytes, text.length);
    return (struct loupe_span){joined, length + text.length};
}

struct loupe_span picture_name(const struct picture_thing *thing, struct loupe_arena *arena) {
    if (picture_is_block(thing))
        return loupe_span_of("block");
    if (loupe_span_equals(thing->kind, "byref") && thing->variable.length)
        return with_word("__block variable ", thing->variable, arena);
    if (loupe_span_equals(thing->kind, "class") && thing->class_name.length)
        return with_word("class ", thing->class_name, arena);
    return thing->class_name.length ? thing->class_name : loupe_span_of("object");
}

static bool are_equal(struct loupe_span a, struct loupe_span b) {
    return a.length == b.length && (!a.length || memcmp(a.bytes, b.bytes, a.length) == 0);
}

bool picture_is_element(const struct picture_arrow *arrow) {
    return loupe_span_equals(arrow->kind, "element") || loupe_span_equals(arrow->kind, "key") ||
           loupe_span_equals(arrow->kind, "value");
}

bool picture_is_kept(const struct picture_finding *finding) {
    return loupe_span_equals(finding->degree, "timer");
}

struct loupe_span picture_state(const struct picture_finding *finding) {
    return finding->degree.length ? answer_degree_word(finding->degree) : finding->verdict;
}

bool picture_same_sort(const struct picture *picture, const struct picture_arrow *a,
                       const struct picture_arrow *b) {
    return are_equal(picture->things[a->from].class_name, picture->things[b->from].class_name) &&
           are_equal(a->kind, b->kind) && (picture_is_element(a) || are_equal(a->path, b->path));
}

struct loupe_span picture_file_name(struct loupe_span path) {
    for (size_t at = path.length; at; at--) {
        if (path.bytes[at - 1] == '/')
            return (struct loupe_span){path.bytes + at, path.length - at};
    }
    return path;
}

/* ---- Folding ---- */

enum { SHORTEST_RUN = 4 };

struct folding {
    const struct picture *picture;
    const struct picture_finding *finding;
    const struct picture_ring *ring;
    struct picture_pieces *pieces;
};

static const struct picture_arrow *arrow_at(const struct folding *folding, uint32_t i) {
    return &folding->finding->arrows[folding->ring->arrows.items[i]];
}

static bool is_same_step(const struct folding *folding, uint32_t a, uint32_t b) {
    const struct picture_thing *things = folding->picture->things;
    const struct picture_arrow *x = arrow_at(folding, a), *y = arrow_at(folding, b);
    return picture_same_sort(folding->picture, x, y) &&
           are_equal(things[x->to].class_name, things[y->to].class_name);
}

static void add_piece(const struct folding *folding, uint32_t first, uint32_t count,
                      uint64_t folded, bool is_run) {
    folding->pieces->items[folding->pieces->count++] =
        (struct picture_piece){.first = first, .count = count, .folded = folded, .is_run = is_run};
}

/* Equal steps that follow `first`, itself among them; not across what the answer left out. */
static uint32_t run_length(const struct folding *folding, uint32_t first, uint32_t most) {
    if (most == UINT32_MAX)
        return 1; /* all of it is wanted */
    const struct picture_ring *ring = folding->ring;
    uint32_t end = ring->left_out && first < ring->gap ? ring->gap : ring->arrows.count;
    uint32_t at = first + 1;
    while (at < end && is_same_step(folding, first, at))
        at++;
    return at - first;
}

static void fold_runs(const struct folding *folding, uint32_t most) {
    const struct picture_ring *ring = folding->ring;
    for (uint32_t i = 0; i < ring->arrows.count;) {
        if (ring->left_out && i == ring->gap)
            add_piece(folding, i, 0, ring->left_out, false);
        uint32_t run = run_length(folding, i, most);
        if (run < SHORTEST_RUN) {
            add_piece(folding, i++, 1, 0, false);
            continue;
        }
        /* The first and the last of the run tell how it goes on. */
        add_piece(folding, i, 1, 0, false);
        add_piece(folding, i + 1, run - 2, run - 2, true);
        add_piece(folding, i + run - 1, 1, 0, false);
        i += run;
    }
}

static uint64_t arrows_of(const struct picture_piece *piece) {
    return piece->folded ? piece->folded : piece->count;
}

/* Puts what is between the first and the last pieces into one. */
static void fold_middle(struct picture_pieces *pieces, uint32_t most) {
    uint32_t before = most / 2, after = most - before - 1;
    struct picture_piece *middle = &pieces->items[before];
    uint32_t last = pieces->count - after;
    struct picture_piece folded = {.first = middle->first};
    for (uint32_t i = before; i < last; i++) {
        folded.count += pieces->items[i].count;
        folded.folded += arrows_of(&pieces->items[i]);
    }
    *middle = folded;
    memmove(middle + 1, &pieces->items[last], after * sizeof(*middle));
    pieces->count = most;
}

enum loupe_status picture_fold(const struct picture *picture, const struct picture_finding *finding,
                               const struct picture_ring *ring, uint32_t most,
                               struct picture_pieces *ret) {
    struct folding folding = {picture, finding, ring, ret};
    ret->count = 0;
    ret->items = loupe_arena_alloc_array(picture->arena, (size_t)ring->arrows.count + 1,
                                         sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    fold_runs(&folding, most);
    if (ret->count > most)
        fold_middle(ret, most);
    return LOUPE_OK;
}
