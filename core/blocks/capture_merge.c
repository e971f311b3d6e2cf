#include "blocks/capture_merge.h"

static const enum loupe_evidence evidence_of[LOUPE_SOURCE_COUNT] = {
    [LOUPE_SOURCE_SYMBOL] = LOUPE_EVIDENCE_SYMBOL,
    [LOUPE_SOURCE_GENERIC] = LOUPE_EVIDENCE_GENERIC,
    [LOUPE_SOURCE_LAYOUT] = LOUPE_EVIDENCE_LAYOUT,
};

struct merge {
    struct loupe_arena *arena;
    const struct loupe_merge_input *input;
    struct loupe_captures *captures;
    uint32_t item_capacity, conflict_capacity;
    uint32_t at;                       /* the next byte to cover */
    uint32_t next[LOUPE_SOURCE_COUNT]; /* the next claim of each source */
    uint32_t next_region;
};

/* What is decided about a word or some bytes. */
struct verdict {
    enum loupe_capture_kind kind;
    enum loupe_evidence by; /* whose word decided; 0: nobody's */
    uint32_t evidence;
    struct loupe_span type;
};

bool loupe_merge_input_add_layout(struct loupe_arena *arena, struct loupe_merge_input *input,
                                  const struct loupe_layout *layout) {
    input->layout_end =
        layout->end == LOUPE_LAYOUT_BAD_BYTE ? input->start + layout->size : input->end;
    return loupe_claims_add_layout(arena, &input->claims[LOUPE_SOURCE_LAYOUT], input->start, layout,
                                   input->pointer_size);
}

/* ---- Output ---- */

static bool add_conflict(struct merge *merge, uint32_t offset, const struct verdict *kept,
                         enum loupe_capture_kind discarded, enum loupe_capture_source source) {
    struct loupe_captures *captures = merge->captures;
    struct loupe_capture_conflict *conflicts =
        loupe_arena_grow(merge->arena, captures->conflicts, captures->conflict_count,
                         &merge->conflict_capacity, sizeof(*conflicts));
    if (!conflicts)
        return false;
    captures->conflicts = conflicts;
    conflicts[captures->conflict_count++] =
        (struct loupe_capture_conflict){.offset = offset,
                                        .kept = kept->kind,
                                        .discarded = discarded,
                                        .kept_by = kept->by,
                                        .discarded_by = evidence_of[source]};
    return true;
}

static bool add_item(struct merge *merge, uint32_t size, const struct verdict *verdict) {
    struct loupe_captures *captures = merge->captures;
    struct loupe_capture *items = loupe_arena_grow(merge->arena, captures->items, captures->count,
                                                   &merge->item_capacity, sizeof(*items));
    if (!items)
        return false;
    captures->items = items;
    items[captures->count++] = (struct loupe_capture){.offset = merge->at,
                                                      .size = size,
                                                      .kind = verdict->kind,
                                                      .evidence = verdict->evidence,
                                                      .type = verdict->type};
    merge->at += size;
    return true;
}

/* ---- Input at one place ---- */

static const struct loupe_claim *next_claim(const struct merge *merge,
                                            enum loupe_capture_source source) {
    const struct loupe_claims *claims = &merge->input->claims[source];
    return merge->next[source] < claims->count ? &claims->items[merge->next[source]] : NULL;
}

static const struct loupe_claim *claim_here(const struct merge *merge,
                                            enum loupe_capture_source source) {
    const struct loupe_claim *claim = next_claim(merge, source);
    return claim && claim->offset == merge->at ? claim : NULL;
}

static bool any_claim_here(const struct merge *merge) {
    for (unsigned source = 0; source < LOUPE_SOURCE_COUNT; source++) {
        if (claim_here(merge, source))
            return true;
    }
    return false;
}

static const struct loupe_cxx_region *region_here(struct merge *merge) {
    const struct loupe_merge_input *input = merge->input;
    while (merge->next_region < input->region_count &&
           input->regions[merge->next_region].end <= merge->at)
        merge->next_region++;
    if (merge->next_region == input->region_count ||
        input->regions[merge->next_region].start > merge->at)
        return NULL;
    return &input->regions[merge->next_region];
}

/* ---- Words that a source claims ---- */

/*
 * What a layout's claim is where the more trusted source names everything that is owned, and does
 * not name this. Code under manual retain/release marks its unretained objects strong. Under ARC
 * every object would be named, so that the word is something else that the compiler failed to
 * describe: C++ `this`, a vtable pointer, a bit-field, or all is shifted by one of them.
 */
static enum loupe_capture_kind demote(const struct merge *merge, enum loupe_capture_kind claimed) {
    if (claimed == LOUPE_CAPTURE_UNKNOWN)
        return LOUPE_CAPTURE_UNKNOWN;
    if (claimed != LOUPE_CAPTURE_STRONG || merge->input->mode == LOUPE_MODE_ARC)
        return LOUPE_CAPTURE_DATA;
    return merge->input->mode == LOUPE_MODE_MANUAL ? LOUPE_CAPTURE_UNRETAINED
                                                   : LOUPE_CAPTURE_UNKNOWN;
}

static struct verdict credit(enum loupe_capture_kind kind, uint32_t evidence,
                             enum loupe_evidence by) {
    return (struct verdict){.kind = kind, .by = by, .evidence = evidence | by};
}

static struct verdict judge_layout_claim(const struct merge *merge,
                                         enum loupe_capture_kind claimed) {
    const struct loupe_merge_input *input = merge->input;
    bool is_unretained = claimed == LOUPE_CAPTURE_UNRETAINED;
    if (is_unretained && !input->symbol_names_unretained)
        return credit(claimed, 0, LOUPE_EVIDENCE_LAYOUT);
    if (input->symbol_names_all_owned)
        return credit(demote(merge, claimed), 0, LOUPE_EVIDENCE_SYMBOL);
    if (input->generic_names_all_owned && !is_unretained)
        return credit(demote(merge, claimed), 0, LOUPE_EVIDENCE_GENERIC);
    return credit(claimed, 0, LOUPE_EVIDENCE_LAYOUT);
}

/* The layout calls the objects in a C++ object strong also where the code is no ARC: then the
 * object's own code decides what it owns. Symbols of ARC's C++ blocks say that they are ARC's. */
static struct verdict judge_member(const struct merge *merge, enum loupe_capture_kind claimed) {
    bool is_certain = claimed != LOUPE_CAPTURE_STRONG || merge->input->mode == LOUPE_MODE_ARC;
    return is_certain ? credit(claimed, 0, LOUPE_EVIDENCE_LAYOUT)
                      : credit(LOUPE_CAPTURE_UNKNOWN, 0, LOUPE_EVIDENCE_SYMBOL);
}

/* What a claim can be of a block that owns nothing. Those that capture __block variables without
 * owning them, noescape ones, hold the plain address of the variable. */
static enum loupe_capture_kind without_ownership(enum loupe_capture_kind claimed) {
    if (claimed == LOUPE_CAPTURE_STRONG || claimed == LOUPE_CAPTURE_BLOCK)
        return LOUPE_CAPTURE_UNRETAINED;
    return claimed == LOUPE_CAPTURE_BYREF ? LOUPE_CAPTURE_DATA : claimed;
}

static struct verdict judge_claim(struct merge *merge, enum loupe_capture_kind claimed,
                                  enum loupe_capture_source source) {
    enum loupe_capture_kind possible = without_ownership(claimed);
    if (!merge->input->owns && possible != claimed)
        return credit(possible, evidence_of[source], LOUPE_EVIDENCE_FLAGS);
    const struct loupe_cxx_region *region = region_here(merge);
    if (source != LOUPE_SOURCE_LAYOUT)
        return credit(claimed, 0, evidence_of[source]);
    if (!region)
        return judge_layout_claim(merge, claimed);
    struct verdict verdict = judge_member(merge, claimed);
    verdict.type = region->type;
    return verdict;
}

/* Layouts do not tell blocks from other objects. */
static bool agrees(enum loupe_capture_kind kept, enum loupe_capture_kind claimed,
                   enum loupe_capture_source source) {
    return kept == claimed || (source == LOUPE_SOURCE_LAYOUT && kept == LOUPE_CAPTURE_BLOCK &&
                               claimed == LOUPE_CAPTURE_STRONG);
}

static bool judge_next_claim(struct merge *merge, enum loupe_capture_kind claimed,
                             enum loupe_capture_source source, struct verdict *verdict) {
    enum loupe_capture_kind possible = merge->input->owns ? claimed : without_ownership(claimed);
    if (!verdict->by)
        *verdict = judge_claim(merge, claimed, source);
    else if (agrees(verdict->kind, possible, source))
        verdict->evidence |= evidence_of[source];
    bool is_settled = agrees(verdict->kind, claimed, source) ||
                      (merge->input->expects_claims && agrees(verdict->kind, possible, source));
    return is_settled || add_conflict(merge, merge->at, verdict, claimed, source);
}

/* Claims that begin inside the word before: another source had something else there. */
static bool drop_covered_claims(struct merge *merge, const struct verdict *kept) {
    for (unsigned source = 0; source < LOUPE_SOURCE_COUNT; source++) {
        const struct loupe_claim *claim;
        while ((claim = next_claim(merge, source)) && claim->offset < merge->at) {
            if (!add_conflict(merge, claim->offset, kept, claim->kind, source))
                return false;
            merge->next[source]++;
        }
    }
    return true;
}

static bool cover_word(struct merge *merge) {
    struct verdict verdict = {.kind = LOUPE_CAPTURE_UNKNOWN};
    for (unsigned source = 0; source < LOUPE_SOURCE_COUNT; source++) {
        const struct loupe_claim *claim = claim_here(merge, source);
        if (!claim)
            continue;
        merge->next[source]++;
        if (!judge_next_claim(merge, claim->kind, source, &verdict))
            return false;
    }
    return add_item(merge, merge->input->pointer_size, &verdict) &&
           drop_covered_claims(merge, &verdict);
}

/* ---- Bytes that no source claims ---- */

static struct verdict judge_bytes(struct merge *merge) {
    const struct loupe_merge_input *input = merge->input;
    const struct loupe_cxx_region *region = region_here(merge);
    if (region)
        return (struct verdict){
            .kind = LOUPE_CAPTURE_UNKNOWN, .evidence = LOUPE_EVIDENCE_SYMBOL, .type = region->type};
    bool in_layout = merge->at < input->layout_end;
    struct verdict verdict = {.kind = LOUPE_CAPTURE_UNKNOWN,
                              .evidence = in_layout ? LOUPE_EVIDENCE_LAYOUT : 0};
    if (!input->owns)
        verdict.evidence |= LOUPE_EVIDENCE_FLAGS;
    if (input->symbol_names_all_owned)
        verdict.evidence |= LOUPE_EVIDENCE_SYMBOL;
    if (input->generic_names_all_owned)
        verdict.evidence |= LOUPE_EVIDENCE_GENERIC;
    bool owned_is_known =
        !input->owns || input->symbol_names_all_owned || input->generic_names_all_owned;
    if (input->symbol_names_unretained ||
        (in_layout && (owned_is_known || !input->layout_may_miss_owned)))
        verdict.kind = LOUPE_CAPTURE_DATA;
    return verdict;
}

static uint32_t nearer(uint32_t end, uint32_t border, uint32_t at) {
    return border > at && border < end ? border : end;
}

/* Up to where the same can be said. */
static uint32_t find_run_end(struct merge *merge) {
    const struct loupe_merge_input *input = merge->input;
    uint32_t end = nearer(input->end, input->layout_end, merge->at);
    for (unsigned source = 0; source < LOUPE_SOURCE_COUNT; source++) {
        const struct loupe_claim *claim = next_claim(merge, source);
        if (claim)
            end = nearer(end, claim->offset, merge->at);
    }
    if (region_here(merge) || merge->next_region < input->region_count) {
        end = nearer(end, input->regions[merge->next_region].start, merge->at);
        end = nearer(end, input->regions[merge->next_region].end, merge->at);
    }
    return end;
}

/* Bytes that the block is known not to own: those that are no whole word hold no object either. */
static bool cover_unowned_bytes(struct merge *merge, uint32_t end, const struct verdict *verdict) {
    uint32_t word = merge->input->pointer_size;
    uint32_t words_start = (merge->at + word - 1) / word * word;
    uint32_t words_end = end / word * word;
    if (words_start >= words_end)
        words_start = words_end = end;
    struct verdict data = *verdict;
    data.kind = LOUPE_CAPTURE_DATA;
    return (merge->at == words_start || add_item(merge, words_start - merge->at, &data)) &&
           (words_start == words_end || add_item(merge, words_end - words_start, verdict)) &&
           (words_end == end || add_item(merge, end - words_end, &data));
}

static bool cover_bytes(struct merge *merge) {
    struct verdict verdict = judge_bytes(merge);
    uint32_t end = find_run_end(merge);
    struct loupe_capture as_capture = {
        .kind = verdict.kind, .evidence = verdict.evidence, .type = verdict.type};
    if (verdict.kind == LOUPE_CAPTURE_UNKNOWN && !loupe_capture_may_own(&as_capture))
        return cover_unowned_bytes(merge, end, &verdict);
    return add_item(merge, end - merge->at, &verdict);
}

enum loupe_status loupe_captures_merge(struct loupe_arena *arena,
                                       const struct loupe_merge_input *input,
                                       struct loupe_captures *ret) {
    struct merge merge = {.arena = arena, .input = input, .captures = ret, .at = input->start};
    bool ok = true;
    while (ok && merge.at < input->end)
        ok = any_claim_here(&merge) ? cover_word(&merge) : cover_bytes(&merge);
    return ok ? LOUPE_OK : LOUPE_ENOMEM;
}
