/* References that own nothing: why they keep nothing alive. */
#include "answers/reports/parts.h"

#include "report/class_words.h"

enum { SHOWN = 10 };

/* "_delegate  ivar, weak". */
static void say_reference(struct answer_lines *lines, const struct json_value *edge) {
    answer_say_path(lines, edge);
    answer_say(lines, "  ");
    answer_say_kind(lines, edge);
}

static void say_reason(struct answer_lines *lines, const struct json_value *item) {
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(item, "reason"));
}

static void say_line(struct answer_lines *lines, const char *text) {
    answer_say(lines, "%s", text);
    answer_end_line(lines);
}

/* ---- Of one object ---- */

static void say_outgoing(struct answer_lines *lines, const struct json_value *items) {
    JSON_EACH(item, items) {
        const struct json_value *edge = json_member(item, "edge");
        answer_say(lines, "  ");
        say_reference(lines, edge);
        answer_say(lines, " %s ", lines->glyphs->arrow);
        answer_say_thing_in_full(lines, json_text(edge, "to"));
        say_reason(lines, item);
        answer_end_line(lines);
    }
}

void answer_say_unowned(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *known = json_member(root, "not_owned"),
                            *others = json_member(root, "not_counted");
    if (known->count)
        say_line(lines, "Non-owning, known:");
    say_outgoing(lines, known);
    if (others->kind != JSON_ARRAY)
        return;
    say_line(lines, others->count ? "Not counted:"
                                  : "Not counted: nothing; no ivar, capture, association or "
                                    "element of it is weak or unretained");
    say_outgoing(lines, others);
}

/* ---- To one object ---- */

static bool are_alike(const struct answer *answer, const struct json_value *one,
                      const struct json_value *other) {
    const struct json_value *a = json_member(one, "edge"), *b = json_member(other, "edge");
    return json_texts_equal(answer_path(a), answer_path(b)) &&
           json_uint(a, "offset") == json_uint(b, "offset") &&
           json_texts_equal(json_text(a, "kind"), json_text(b, "kind")) &&
           json_texts_equal(json_text(a, "ownership"), json_text(b, "ownership")) &&
           json_texts_equal(answer_class(answer, json_text(a, "from")),
                            answer_class(answer, json_text(b, "from"))) &&
           json_texts_equal(json_text(one, "reason"), json_text(other, "reason"));
}

struct sort {
    const struct json_value *first;
    uint64_t count;
};

static struct sort *sort_of(const struct answer *answer, struct sort *sorts, uint32_t count,
                            const struct json_value *item) {
    for (uint32_t i = 0; i < count; i++) {
        if (are_alike(answer, sorts[i].first, item))
            return &sorts[i];
    }
    return NULL;
}

static void say_sort(struct answer_lines *lines, const struct sort *sort) {
    const struct json_value *edge = json_member(sort->first, "edge");
    answer_say(lines, "  ");
    say_reference(lines, edge);
    answer_say(lines, "  of ");
    answer_say_thing_in_full(lines, json_text(edge, "from"));
    if (sort->count > 1) {
        answer_say(lines, " and ");
        answer_say_number(lines, sort->count - 1);
        answer_say(lines, " more like it");
    }
    say_reason(lines, sort->first);
    answer_end_line(lines);
}

/* In the order of the first ones; verbose, each for itself. Only those that are shown get room:
 * what is of no sort among them counts as more. */
static enum loupe_status say_references_to(struct answer_lines *lines,
                                           const struct json_value *items, const char *found) {
    bool verbose = lines->look.verbose;
    uint32_t room = verbose ? items->count : SHOWN, count = 0;
    uint64_t shown = 0, all = json_uint(lines->answer->root, found);
    struct sort *sorts =
        loupe_arena_alloc_array(lines->answer->arena, (size_t)room + 1, sizeof(*sorts));
    if (!sorts)
        return LOUPE_ENOMEM;
    JSON_EACH(item, items) {
        struct sort *sort = verbose ? NULL : sort_of(lines->answer, sorts, count, item);
        if (!sort && count == room)
            continue;
        if (!sort) {
            sort = &sorts[count++];
            *sort = (struct sort){.first = item};
        }
        sort->count++;
        shown++;
    }
    for (uint32_t i = 0; i < count; i++)
        say_sort(lines, &sorts[i]);
    if (all > shown) {
        answer_say(lines, "  and ");
        answer_say_count(lines, all - shown, "more reference");
        answer_end_line(lines);
    }
    return LOUPE_OK;
}

enum loupe_status answer_say_unowned_holders(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *known = json_member(root, "not_owned"),
                            *others = json_member(root, "not_counted");
    enum loupe_status status = LOUPE_OK;
    if (known->count) {
        say_line(lines, "Non-owning, known:");
        status = say_references_to(lines, known, "not_owned_found");
    }
    if (status || others->kind != JSON_ARRAY)
        return status;
    say_line(lines, others->count ? "Not counted:"
                                  : "Not counted: nothing; no weak or unretained reference to it "
                                    "was found");
    return others->count ? say_references_to(lines, others, "not_counted_found") : LOUPE_OK;
}

/* ---- Rings that would be ---- */

static void say_short(struct answer_lines *lines, struct loupe_span address) {
    struct loupe_span name = answer_class(lines->answer, address);
    if (loupe_span_equals(json_text(answer_object(lines->answer, address), "kind"), "block"))
        name = loupe_span_of("block");
    answer_say_text(lines, name.length ? name : loupe_span_of("object"));
}

static void say_way_back(struct answer_lines *lines, const struct json_value *way) {
    uint32_t count = 0;
    if (!way->count)
        return;
    answer_say(lines, "    back by ");
    JSON_EACH(step, way) {
        if (count++ == SHOWN)
            break;
        answer_say(lines, "%s", count > 1 ? ", " : "");
        answer_say_path(lines, step);
        answer_say(lines, " %s ", lines->glyphs->arrow);
        say_short(lines, json_text(step, "to"));
    }
    if (way->count > SHOWN)
        answer_say(lines, ", ... (%u steps)", way->count);
    answer_end_line(lines);
}

static void say_weak_ring(struct answer_lines *lines, const struct json_value *item) {
    const struct json_value *edge = json_member(item, "edge");
    uint64_t count = json_uint(item, "count");
    answer_say(lines, "  ");
    say_reference(lines, edge);
    answer_say(lines, "  of ");
    answer_say_thing_in_full(lines, json_text(edge, "from"));
    answer_say(lines, " %s ", lines->glyphs->arrow);
    answer_say_thing(lines, json_text(edge, "to"));
    say_reason(lines, item);
    if (count > 1) {
        answer_say(lines, "; ");
        answer_say_number(lines, count - 1);
        answer_say(lines, " more like it");
    }
    answer_end_line(lines);
    say_way_back(lines, json_member(item, "way"));
}

void answer_say_weak_rings(struct answer_lines *lines) {
    const struct json_value *rings = json_member(lines->answer->root, "weak_rings"),
                            *sorts = json_member(rings, "sorts");
    bool one = sorts->count == 1 && json_uint(rings, "found") == 1;
    uint64_t shown = 0, all = json_uint(rings, "sorts_found");
    if (!rings->count)
        return;
    if (!sorts->count)
        say_line(lines, "Not counted: no weak or unretained reference would close a retain cycle "
                        "if it owned its object");
    else
        say_line(lines, one ? "Not counted: a reference that would close a retain cycle if it "
                              "owned its object"
                            : "Not counted: references that would close a retain cycle if they "
                              "owned their objects");
    JSON_EACH(item, sorts) {
        if (shown == SHOWN && !lines->look.verbose)
            break;
        say_weak_ring(lines, item);
        shown++;
    }
    if (sorts->count && all > shown) {
        answer_say(lines, "  and references of ");
        answer_say_count(lines, all - shown, "more sort");
        answer_end_line(lines);
    }
    if (json_member(rings, "all")->kind == JSON_FALSE)
        say_line(lines, "  (not all were searched)");
}
