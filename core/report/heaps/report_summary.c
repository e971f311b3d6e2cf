#include "report/heaps/report_summary.h"

#include "base/numbers.h"
#include "base/sort.h"
#include "report/class_words.h"
#include "report/heaps/report_snapshot.h"

#include <string.h>

struct order {
    const struct loupe_hprof_summary *summary;
    const struct loupe_summary_asked *asked;
};

static uint64_t key_of(const struct order *order, uint32_t class_number) {
    const struct loupe_class_sum *sum = &order->summary->sums[class_number];
    return order->asked->by_count ? sum->count : sum->bytes;
}

/* What is largest first; equal ones by name, so that two runs print the same. */
static bool is_before(const void *ctx, const void *one, const void *other) {
    const struct order *order = ctx;
    uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;
    uint64_t x = key_of(order, a), y = key_of(order, b);
    struct loupe_span left = loupe_snapshot_class_name(&order->summary->classes, a),
                      right = loupe_snapshot_class_name(&order->summary->classes, b);
    size_t shorter = left.length < right.length ? left.length : right.length;
    int names = shorter ? memcmp(left.bytes, right.bytes, shorter) : 0;
    if (x != y)
        return x > y;
    if (names)
        return names < 0;
    return left.length != right.length ? left.length < right.length : a < b;
}

static uint32_t percent_of(uint64_t bytes, uint64_t of) {
    return of ? (uint32_t)((double)bytes / (double)of * 100) : 0;
}

static bool is_asked(const struct order *order, uint32_t class_number) {
    const struct loupe_summary_asked *asked = order->asked;
    const struct loupe_class_sum *sum = &order->summary->sums[class_number];
    return sum->count &&
           (!asked->percent || percent_of(sum->bytes, order->summary->bytes) >= asked->percent) &&
           (!asked->class_pattern ||
            loupe_class_name_matches(
                loupe_snapshot_class_name(&order->summary->classes, class_number),
                asked->class_pattern));
}

static void put_row(struct loupe_json *json, const struct order *order, uint32_t class_number) {
    const struct loupe_class_sum *sum = &order->summary->sums[class_number];
    loupe_json_begin_object(json);
    if (order->asked->percent)
        loupe_json_put_string(json, "kind", "class");
    loupe_json_put_text(json, "class",
                        loupe_snapshot_class_name(&order->summary->classes, class_number));
    loupe_json_put_uint(json, "count", sum->count);
    loupe_json_put_uint(json, "size", sum->bytes);
    loupe_json_put_string(json, "retained", NULL);
    if (order->asked->percent)
        loupe_json_put_uint(json, "share", percent_of(sum->bytes, order->summary->bytes));
    else
        loupe_json_put_string(json, "unreachable", NULL);
    loupe_json_end_object(json);
}

static void put_rows(struct loupe_json *json, const struct order *order, const uint32_t *classes,
                     uint32_t count) {
    uint64_t limit = order->asked->limit;
    loupe_json_put_uint(json, "found", count);
    loupe_json_key(json, order->asked->percent ? "suspects" : "classes");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count && (!limit || i < limit); i++)
        put_row(json, order, classes[i]);
    loupe_json_end_array(json);
}

static uint32_t count_classes(const struct loupe_hprof_summary *summary) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < summary->classes.class_count; i++)
        count += summary->sums[i].count > 0;
    return count;
}

static void put_totals(struct loupe_json *json, const struct order *order) {
    const struct loupe_hprof_summary *summary = order->summary;
    loupe_json_put_bool(json, "summary", true);
    loupe_json_put_text(json, "format",
                        loupe_snapshot_string(&summary->classes, summary->classes.format));
    loupe_json_put_uint(json, "class_count", count_classes(summary));
    loupe_json_put_uint(json, "unnamed", summary->unnamed.count);
    if (order->asked->percent)
        loupe_json_put_uint(json, "percent", order->asked->percent);
}

enum loupe_status loupe_report_summary(struct loupe_json *json,
                                       const struct loupe_hprof_summary *summary,
                                       const struct loupe_chunk_ops *chunks,
                                       const struct loupe_summary_asked *asked) {
    struct order order = {summary, asked};
    uint32_t all = summary->classes.class_count, count = 0;
    uint32_t *classes = loupe_numbers_get(chunks, all);
    for (uint32_t i = 0; classes && i < all; i++) {
        if (is_asked(&order, i))
            classes[count++] = i;
    }
    bool has_room = classes;
    loupe_report_summary_begin(json, asked->verb, summary, asked->because != NULL);
    if (has_room) {
        loupe_sort(classes, count, sizeof(*classes), is_before, &order);
        put_totals(json, &order);
        put_rows(json, &order, classes, count);
        loupe_numbers_put(chunks, &classes, all);
    }
    loupe_report_summary_end(json, summary, asked->because);
    return has_room ? LOUPE_OK : LOUPE_ENOMEM;
}
