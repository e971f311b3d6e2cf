/* What a page draws, as JSON: things by number, findings, amounts. Keys are those of page.js. */
#include "pictures/heap_picture.h"
#include "pictures/page/page.h"

#include "answers/leak_words.h"
#include "answers/texts.h"
#include "pictures/page/page_prices.h"
#include "mistakes/patterns.h"
#include "pictures/page/trim.h"

#include <string.h>

/*
 * So much is in a page at most; what is beyond is counted in it. Longer names are cut. Bytes of
 * findings, of which a heap leaves less, and of each of the lists beside them.
 */
enum {
    MOST_FINDINGS = 400,
    MOST_PIECES = 14,
    MOST_LINE = 200,
    MOST_NOTES = 100,
    FINDING_BYTES = 2200000,
    FINDING_BYTES_BESIDE_HEAP = 900000,
    LIST_BYTES = 500000,
    SMALL_FINDING = 3000 /* what a finding is left by those before it */
};

struct data {
    struct loupe_json json;
    const struct picture *picture;
    uint32_t *numbers; /* by thing: its number in the page, or PICTURE_NONE */
    uint32_t *order;   /* things, by their numbers in the page */
    uint32_t thing_count;
    struct page_prices prices;
    const struct loupe_pattern **patterns; /* those of findings */
    uint32_t pattern_count;
};

/* ---- Texts ---- */

/* Not in the middle of a character. */
static size_t cut_at(struct loupe_span text, size_t most) {
    while (most && ((unsigned char)text.bytes[most] & 0xc0) == 0x80)
        most--;
    return most;
}

void page_put_text(struct loupe_json *json, struct loupe_span text, size_t most) {
    char cut[1100];
    if (text.length <= most || most > 1000) {
        loupe_json_span(json, text);
        return;
    }
    size_t length = cut_at(text, most);
    memcpy(cut, text.bytes, length);
    length += loupe_format(cut + length, sizeof(cut) - length, "… (%zu bytes)", text.length);
    loupe_json_span(json, (struct loupe_span){cut, length});
}

static void put_name(struct data *data, const char *key, struct loupe_span text) {
    if (!text.length)
        return;
    loupe_json_key(&data->json, key);
    page_put_text(&data->json, text, PAGE_MOST_NAME);
}

static void put_amount(struct data *data, const char *key, uint64_t amount) {
    if (amount)
        loupe_json_put_uint(&data->json, key, amount);
}

/* ---- Things ---- */

static uint32_t number_of(struct data *data, uint32_t thing) {
    if (data->numbers[thing] == PICTURE_NONE) {
        data->order[data->thing_count] = thing;
        data->numbers[thing] = data->thing_count++;
    }
    return data->numbers[thing];
}

static void put_thing_number(struct data *data, const char *key, uint32_t thing) {
    if (thing != PICTURE_NONE)
        loupe_json_put_uint(&data->json, key, number_of(data, thing));
}

static void put_thing(struct data *data, const struct picture_thing *thing) {
    struct loupe_json *json = &data->json;
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", thing->address);
    put_name(data, "name", picture_name(thing, data->picture->arena));
    put_name(data, "kind", thing->kind);
    put_name(data, "value", thing->value);
    put_amount(data, "size", thing->size);
    if (thing->has_retain_count)
        loupe_json_put_uint(json, "retains", thing->retain_count);
    put_name(data, "file", picture_file_name(thing->place.file));
    put_amount(data, "line", thing->place.line);
    put_name(data, "function", thing->place.function);
    if (!thing->place.file.length)
        put_name(data, "code", thing->symbol);
    if (thing->lines != PICTURE_NONE)
        loupe_json_put_uint(json, "lines", thing->lines);
    loupe_json_end_object(json);
}

static void put_things(struct data *data) {
    loupe_json_key(&data->json, "things");
    loupe_json_begin_array(&data->json);
    for (uint32_t i = 0; i < data->thing_count; i++)
        put_thing(data, &data->picture->things[data->order[i]]);
    loupe_json_end_array(&data->json);
}

/* ---- Findings ---- */

static void put_numbers(struct data *data, const char *key, struct picture_arrows numbers) {
    loupe_json_key(&data->json, key);
    loupe_json_begin_array(&data->json);
    for (uint32_t i = 0; i < numbers.count; i++)
        loupe_json_uint(&data->json, numbers.items[i]);
    loupe_json_end_array(&data->json);
}

static void put_arrow(struct data *data, const struct picture_arrow *arrow) {
    struct loupe_json *json = &data->json;
    loupe_json_begin_object(json);
    loupe_json_put_uint(json, "from", number_of(data, arrow->from));
    loupe_json_put_uint(json, "to", number_of(data, arrow->to));
    put_name(data, "kind", arrow->kind);
    put_name(data, "path", arrow->path);
    put_name(data, "owns", arrow->ownership);
    put_name(data, "slot", arrow->slot);
    put_name(data, "declared", arrow->declared_by);
    if (arrow->lambda.file.length) {
        put_name(data, "file", picture_file_name(arrow->lambda.file));
        put_amount(data, "line", arrow->lambda.line);
    }
    if (arrow->is_suspect)
        loupe_json_put_bool(json, "suspect", true);
    loupe_json_end_object(json);
}

static enum loupe_status put_ring(struct data *data, const struct picture_finding *finding,
                                  const struct picture_ring *ring) {
    struct loupe_json *json = &data->json;
    struct picture_pieces pieces;
    enum loupe_status status = picture_fold(data->picture, finding, ring, MOST_PIECES, &pieces);
    if (status)
        return status;
    loupe_json_begin_object(json);
    put_name(data, "fingerprint", ring->fingerprint);
    loupe_json_put_uint(json, "length", ring->length);
    if (ring->left_out) {
        loupe_json_put_uint(json, "left", ring->left_out);
        loupe_json_put_uint(json, "gap", ring->gap);
    }
    put_numbers(data, "arrows", ring->arrows);
    loupe_json_key(json, "pieces");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < pieces.count; i++) {
        const struct picture_piece *piece = &pieces.items[i];
        loupe_json_begin_array(json);
        loupe_json_uint(json, piece->first);
        loupe_json_uint(json, piece->count);
        loupe_json_uint(json, piece->folded);
        loupe_json_uint(json, piece->is_run);
        loupe_json_end_array(json);
    }
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    return LOUPE_OK;
}

/* Its lines, and how many had no room. */
static void put_diff(struct loupe_json *json, struct loupe_span diff) {
    uint64_t count = 0;
    loupe_json_key(json, "diff");
    loupe_json_begin_array(json);
    while (diff.length) {
        const char *end = memchr(diff.bytes, '\n', diff.length);
        size_t length = end ? (size_t)(end - diff.bytes) : diff.length;
        if (count++ < PAGE_MOST_DIFF)
            page_put_text(json, (struct loupe_span){diff.bytes, length}, MOST_LINE);
        length += end != NULL;
        diff = (struct loupe_span){diff.bytes + length, diff.length - length};
    }
    loupe_json_end_array(json);
    if (count > PAGE_MOST_DIFF)
        loupe_json_put_uint(json, "diff_left", count - PAGE_MOST_DIFF);
}

static void put_change(struct data *data, const struct picture_change *change) {
    static const char *const breaks[] = {"knot", "everywhere", "ring"};
    struct loupe_json *json = &data->json;
    loupe_json_begin_object(json);
    loupe_json_key(json, "text");
    page_put_text(json, change->text, PAGE_MOST_TEXT);
    loupe_json_put_string(json, "breaks", breaks[change->breaks]);
    loupe_json_put_bool(json, "enough", change->is_enough);
    loupe_json_put_bool(json, "together", change->together);
    put_numbers(data, "cut", change->cut);
    put_thing_number(data, "kept", change->kept_by);
    if (change->diff.length) {
        put_diff(json, change->diff);
        loupe_json_key(json, "tried");
        page_put_text(json, change->tried, PAGE_MOST_TEXT);
    }
    loupe_json_end_object(json);
}

static void put_pattern_number(struct data *data, const struct loupe_pattern *pattern) {
    uint32_t number = 0;
    if (!pattern)
        return;
    while (number < data->pattern_count && data->patterns[number] != pattern)
        number++;
    if (number == data->pattern_count)
        data->patterns[data->pattern_count++] = pattern;
    loupe_json_put_uint(&data->json, "pattern", number);
}

/* The sentence of its degree or its verdict. */
static struct loupe_span state_of(const struct picture_finding *finding) {
    struct loupe_span sentence = answer_degree_sentence(finding->degree);
    if (finding->kind == PICTURE_SUSPECT)
        return finding->reason.length ? finding->reason : loupe_span_of("held");
    return sentence.length ? sentence : answer_verdict_sentence(finding->verdict);
}

/* References from what was not searched; of what nothing leads to those are releases that somebody
 * forgot. */
static void put_unseen(struct data *data, const struct picture_finding *finding) {
    char text[ANSWER_LONGEST_VERDICT];
    if (!finding->held_unseen || !loupe_span_equals(finding->verdict, "leaked")) {
        put_amount(data, "unseen", finding->held_unseen);
        return;
    }
    size_t length = answer_missing_besides_cycle(finding->held_unseen, text, sizeof(text));
    loupe_json_put_text(&data->json, "forgotten", (struct loupe_span){text, length});
}

static void put_facts(struct data *data, const struct picture_finding *finding) {
    static const char *const kinds[] = {"knot", "leak", "suspect", "path", "owner"};
    struct loupe_json *json = &data->json;
    loupe_json_put_string(json, "kind", kinds[finding->kind]);
    put_name(data, "fingerprint", finding->fingerprint);
    put_name(data, "verdict", finding->verdict);
    put_name(data, "degree", finding->degree);
    put_name(data, "state", state_of(finding));
    loupe_json_put_string(json, "severity", loupe_severity_name(finding->severity));
    put_name(data, "reason", finding->reason);
    put_name(data, "root", finding->root);
    put_name(data, "culprit", finding->culprit);
    put_name(data, "held", finding->held_class);
    put_amount(data, "percent", finding->percent);
    loupe_json_put_uint(json, "count", finding->count);
    put_amount(data, "objects", finding->objects);
    put_amount(data, "others", finding->others);
    put_amount(data, "edges", finding->edges);
    put_amount(data, "bytes", finding->bytes);
    put_amount(data, "outside", finding->held_outside);
    put_amount(data, "holders_left", finding->holders_left);
    put_amount(data, "rings_left", finding->rings_left);
    put_unseen(data, finding);
    put_thing_number(data, "head", finding->head);
    loupe_json_put_bool(json, "certain", finding->certain);
    loupe_json_put_bool(json, "all", finding->all_rings);
    put_pattern_number(data, finding->pattern);
}

static enum loupe_status put_finding(struct data *data, const struct picture_finding *finding) {
    struct loupe_json *json = &data->json;
    enum loupe_status status = LOUPE_OK;
    loupe_json_begin_object(json);
    put_facts(data, finding);
    loupe_json_key(json, "arrows");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < finding->arrow_count; i++)
        put_arrow(data, &finding->arrows[i]);
    loupe_json_end_array(json);
    put_numbers(data, "holders", finding->holders);
    loupe_json_key(json, "rings");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < finding->ring_count && !status; i++)
        status = put_ring(data, finding, &finding->rings[i]);
    loupe_json_end_array(json);
    loupe_json_key(json, "changes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < finding->change_count; i++)
        put_change(data, &finding->changes[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
    return status;
}

/* A finding that takes at most so many bytes, if there is one; it may have fewer references. */
static enum loupe_status fit_finding(struct data *data, const struct picture_finding *finding,
                                     size_t room, struct picture_finding *ret, size_t *price_ret) {
    enum loupe_status status = LOUPE_OK;
    uint32_t most = finding->arrow_count;
    *ret = *finding;
    *price_ret = page_price_of_finding(&data->prices, ret);
    /* Cap: as few as that, or else more_findings says it. */
    while (*price_ret > room && most > PICTURE_LEAST_ARROWS && !status) {
        most /= 2;
        status = picture_trim(data->picture, finding, most, ret);
        *price_ret = status ? 0 : page_price_of_finding(&data->prices, ret);
    }
    return status;
}

/* A list of findings, and how many bytes it may take. */
struct listed {
    const char *key, *key_of_more;
    const struct picture_finding *items;
    uint32_t count;
    size_t left;
};

/*
 * The first findings, as many as a page has room for. One that is too large is shown in part, so
 * that there is some room for each of those that follow.
 */
static enum loupe_status put_listed(struct data *data, const struct listed *listed) {
    enum loupe_status status = LOUPE_OK;
    uint32_t most = listed->count < MOST_FINDINGS ? listed->count : MOST_FINDINGS;
    size_t left = listed->left;
    uint32_t shown = 0;
    loupe_json_key(&data->json, listed->key);
    loupe_json_begin_array(&data->json);
    for (; shown < most; shown++) {
        struct picture_finding finding;
        size_t later = SMALL_FINDING * (size_t)(most - shown - 1), price;
        size_t room = left > 2 * later ? left - later : left / 2;
        status = fit_finding(data, &listed->items[shown], room, &finding, &price);
        if (status || price > left)
            break;
        left -= price;
        status = put_finding(data, &finding);
    }
    loupe_json_end_array(&data->json);
    put_amount(data, listed->key_of_more, listed->count - shown);
    return status;
}

static enum loupe_status put_findings(struct data *data) {
    const struct picture *picture = data->picture;
    struct listed findings = {"findings", "more_findings", picture->findings,
                              picture->finding_count,
                              picture->heap ? FINDING_BYTES_BESIDE_HEAP : FINDING_BYTES};
    struct listed large = {"large", "more_large", picture->large, picture->large_count,
                           LIST_BYTES / 2};
    enum loupe_status status = put_listed(data, &large);
    return status ? status : put_listed(data, &findings);
}

/* ---- The rest ---- */

static void put_lines(struct data *data) {
    struct loupe_json *json = &data->json;
    loupe_json_key(json, "lines");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < data->picture->lines_count; i++) {
        const struct picture_lines *lines = &data->picture->lines[i];
        loupe_json_begin_object(json);
        put_name(data, "file", picture_file_name(lines->place.file));
        loupe_json_put_uint(json, "line", lines->place.line);
        loupe_json_put_uint(json, "first", lines->first);
        loupe_json_key(json, "text");
        loupe_json_begin_array(json);
        for (uint32_t j = 0; j < lines->count; j++)
            page_put_text(json, lines->items[j], MOST_LINE);
        loupe_json_end_array(json);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void put_owners(struct data *data, const char *key, const char *key_of_more,
                       struct picture_owners owners) {
    struct loupe_json *json = &data->json;
    size_t price = 0;
    uint32_t i = 0;
    loupe_json_key(json, key);
    loupe_json_begin_array(json);
    for (; i < owners.count; i++) {
        price += page_price_of_thing(&data->prices, owners.items[i].thing);
        if (price > LIST_BYTES)
            break;
        loupe_json_begin_object(json);
        loupe_json_put_uint(json, "thing", number_of(data, owners.items[i].thing));
        loupe_json_put_uint(json, "retained", owners.items[i].retained);
        loupe_json_put_uint(json, "objects", owners.items[i].objects);
        put_amount(data, "others", owners.items[i].others);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
    put_amount(data, key_of_more, owners.count - i);
}

static void put_shares(struct data *data) {
    struct loupe_json *json = &data->json;
    size_t price = 0;
    uint32_t i = 0;
    loupe_json_key(json, "shares");
    loupe_json_begin_array(json);
    for (; i < data->picture->share_count; i++) {
        const struct picture_share *share = &data->picture->shares[i];
        price += page_price_of_text(share->class_name);
        if (price > LIST_BYTES)
            break;
        loupe_json_begin_array(json);
        page_put_text(json, share->class_name, PAGE_MOST_NAME);
        loupe_json_uint(json, share->count);
        loupe_json_uint(json, share->bytes);
        loupe_json_end_array(json);
    }
    loupe_json_end_array(json);
    put_amount(data, "more_shares", data->picture->share_count - i);
}

static void put_patterns(struct data *data) {
    struct loupe_json *json = &data->json;
    loupe_json_key(json, "patterns");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < data->pattern_count; i++) {
        const struct loupe_pattern *pattern = data->patterns[i];
        loupe_json_begin_object(json);
        put_name(data, "id", pattern->id);
        put_name(data, "name", pattern->name);
        loupe_json_put_text(json, "why", pattern->why);
        loupe_json_put_text(json, "before", pattern->before);
        loupe_json_put_text(json, "after", pattern->after);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void put_heading(struct data *data) {
    const struct picture *picture = data->picture;
    struct loupe_json *json = &data->json;
    loupe_json_key(json, "title");
    page_put_text(json, picture->title, PAGE_MOST_TEXT);
    put_name(data, "query", picture->query);
    put_name(data, "status", picture->status);
    loupe_json_key(json, "notes");
    loupe_json_begin_array(json);
    uint32_t notes = picture->note_count < MOST_NOTES ? picture->note_count : MOST_NOTES;
    for (uint32_t i = 0; i < notes; i++)
        page_put_text(json, picture->notes[i], PAGE_MOST_TEXT);
    loupe_json_end_array(json);
    put_amount(data, "more_notes", picture->note_count - notes);
}

/* What the page says of findings of all kinds, in the words of every output. */
static void put_texts(struct data *data) {
    static const char *const texts[][2] = {{"fix", ANSWER_FIX},
                                           {"retains_itself", ANSWER_RETAINS_ITSELF},
                                           {"fixes", ANSWER_FIXES},
                                           {"knot", ANSWER_BREAKS_KNOT},
                                           {"everywhere", ANSWER_BREAKS_EVERYWHERE},
                                           {"ring", ANSWER_BREAKS_RING}};
    loupe_json_key(&data->json, "texts");
    loupe_json_begin_object(&data->json);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        loupe_json_put_string(&data->json, texts[i][0], texts[i][1]);
    loupe_json_end_object(&data->json);
}

static enum loupe_status put_picture(struct data *data) {
    const struct picture *picture = data->picture;
    loupe_json_begin_object(&data->json);
    put_heading(data);
    put_texts(data);
    enum loupe_status status = put_findings(data);
    put_thing_number(data, "seed", picture->seed);
    put_owners(data, "owners", "more_owners", picture->owners);
    put_owners(data, "owned", "more_owned", picture->owned);
    put_shares(data);
    put_lines(data);
    put_patterns(data);
    put_things(data);
    if (!status && picture->heap)
        status = heap_picture_write(picture->heap, picture->arena, &data->json);
    loupe_json_end_object(&data->json);
    return status;
}

enum loupe_status page_write_data(const struct picture *picture, struct loupe_sink sink) {
    struct data data = {.picture = picture};
    size_t count = (size_t)picture->thing_count + 1;
    data.numbers = loupe_arena_alloc_array(picture->arena, count, sizeof(*data.numbers));
    data.order = loupe_arena_alloc_array(picture->arena, count, sizeof(*data.order));
    uint32_t *priced = loupe_arena_alloc_array(picture->arena, count, sizeof(*priced));
    data.patterns = loupe_arena_alloc_array(picture->arena, (size_t)picture->finding_count + 1,
                                            sizeof(const struct loupe_pattern *));
    if (!data.numbers || !data.order || !priced || !data.patterns)
        return LOUPE_ENOMEM;
    memset(data.numbers, 0xff, count * sizeof(*data.numbers));
    memset(priced, 0, count * sizeof(*priced));
    data.prices = (struct page_prices){.picture = picture, .shown = data.numbers, .priced = priced};
    loupe_json_init(&data.json, sink);
    enum loupe_status status = put_picture(&data);
    enum loupe_status written = loupe_json_finish(&data.json);
    return status ? status : written;
}
