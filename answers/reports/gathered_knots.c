/* Knots in the order of a report. */
#include "answers/reports/gathered_knots.h"

enum { GROUPS_SHOWN = 20 };

uint64_t answer_knots_of(const struct json_value *knot) {
    uint64_t count = json_uint(knot, "count");
    return count ? count : 1;
}

static uint64_t without(uint64_t all, uint64_t some) {
    return all > some ? all - some : 0;
}

struct answer_found answer_found_of(const struct json_value *root) {
    const struct json_value *knots = json_member(root, "knots"),
                            *baseline = json_member(root, "baseline");
    struct answer_found found = {.is_new = json_has(root, "baseline")};
    JSON_EACH(knot, knots) {
        struct loupe_span verdict = json_text(knot, "verdict");
        bool is_certain = json_member(knot, "certain")->kind != JSON_FALSE;
        uint64_t count = answer_knots_of(knot);
        found.described += count;
        if (!is_certain)
            found.possible += count;
        else if (loupe_span_equals(verdict, "leaked"))
            found.leaked += count;
        else if (loupe_span_equals(verdict, "held"))
            found.held += count;
    }
    if (json_has(root, "possible_found"))
        found.possible =
            without(json_uint(root, "possible_found"), json_uint(baseline, "hidden_possible"));
    uint64_t total = without(json_uint(root, "knots_found"), json_uint(baseline, "hidden_knots"));
    total = total > knots->count ? total : knots->count;
    found.certain = without(total, found.possible);
    return found;
}

/* ---- Frameworks ---- */

/* Whether only framework classes take part. One of the asked object never counts as such. */
static bool is_framework_alone(const struct answer *answer, const struct json_value *knot) {
    bool has_any = false;
    if (json_is_true(knot, "contains_seed"))
        return false;
    JSON_EACH(ring, json_member(knot, "rings")) {
        JSON_EACH(edge, json_member(ring, "edges")) {
            has_any = true;
            if (!answer_is_set(
                    json_member(answer_object(answer, json_text(edge, "from")), "framework")))
                return false;
        }
    }
    return has_any;
}

/* ---- Those that are alike ---- */

struct gathering {
    const struct answer_lines *lines;
    struct answer_gathered *gathered;
    struct loupe_map groups; /* hash of fingerprint and verdict -> group */
};

static uint64_t hash_of(struct loupe_span text, uint64_t hash) {
    for (size_t i = 0; i < text.length; i++)
        hash = (hash ^ (unsigned char)text.bytes[i]) * 0x100000001b3u;
    return hash;
}

static bool are_alike(const struct json_value *a, const struct json_value *b) {
    return json_texts_equal(json_text(a, "fingerprint"), json_text(b, "fingerprint")) &&
           json_texts_equal(json_text(a, "verdict"), json_text(b, "verdict"));
}

static enum loupe_status add(struct gathering *gathering, const struct json_value *knot) {
    struct answer_gathered *gathered = gathering->gathered;
    struct loupe_span fingerprint = json_text(knot, "fingerprint");
    uint64_t key = hash_of(json_text(knot, "verdict"), hash_of(fingerprint, 0xcbf29ce484222325u));
    bool can_join = fingerprint.length && !gathering->lines->look.verbose;
    uint32_t number;
    bool is_known = can_join && loupe_map_find(&gathering->groups, key, &number);
    if (is_known && are_alike(gathered->groups[number].first, knot)) {
        struct answer_alike *group = &gathered->groups[number];
        group->second = group->count++ == 1 ? knot : group->second;
        return LOUPE_OK;
    }
    gathered->groups[gathered->count] = (struct answer_alike){.first = knot, .count = 1};
    number = gathered->count++;
    return can_join && !is_known ? loupe_map_put(&gathering->groups, key, number) : LOUPE_OK;
}

/* ---- The order ---- */

enum turn { ASKED, OTHERS, FRAMEWORKS, TURN_COUNT };

static enum turn turn_of(const struct answer *answer, const struct json_value *knot) {
    if (json_is_true(knot, "contains_seed"))
        return ASKED;
    return is_framework_alone(answer, knot) ? FRAMEWORKS : OTHERS;
}

static enum loupe_status take(struct gathering *gathering, const struct json_value *knot,
                              enum turn turn) {
    bool verbose = gathering->lines->look.verbose;
    if (!verbose && answer_is_set(json_member(knot, "told"))) {
        gathering->gathered->told++;
        return LOUPE_OK;
    }
    if (!verbose && turn == FRAMEWORKS) {
        gathering->gathered->folded++;
        return LOUPE_OK;
    }
    return add(gathering, knot);
}

static enum loupe_status take_all(struct gathering *gathering) {
    const struct answer *answer = gathering->lines->answer;
    enum loupe_status status = LOUPE_OK;
    for (int turn = ASKED; turn < TURN_COUNT; turn++) {
        JSON_EACH(knot, json_member(answer->root, "knots")) {
            if (!status && (int)turn_of(answer, knot) == turn)
                status = take(gathering, knot, (enum turn)turn);
        }
    }
    return status;
}

static void count_further(const struct answer_lines *lines, struct answer_gathered *gathered) {
    bool all = lines->look.verbose || gathered->count <= GROUPS_SHOWN;
    gathered->shown = all ? gathered->count : GROUPS_SHOWN;
    for (uint32_t i = gathered->shown; i < gathered->count; i++)
        gathered->further += gathered->groups[i].count;
}

enum loupe_status answer_gather_knots(const struct answer_lines *lines,
                                      struct answer_gathered *ret) {
    const struct answer *answer = lines->answer;
    const struct json_value *root = answer->root, *knots = json_member(root, "knots");
    struct gathering gathering = {.lines = lines, .gathered = ret};
    *ret = (struct answer_gathered){
        .groups =
            loupe_arena_alloc_array(answer->arena, (size_t)knots->count + 1, sizeof(*ret->groups)),
        .unshown = without(without(json_uint(root, "knots_found"),
                                   json_uint(json_member(root, "baseline"), "hidden_knots")),
                           answer_found_of(root).described)};
    if (!ret->groups)
        return LOUPE_ENOMEM;
    loupe_map_init(&gathering.groups, answer->arena->chunks);
    enum loupe_status status = take_all(&gathering);
    loupe_map_deinit(&gathering.groups);
    count_further(lines, ret);
    return status;
}
