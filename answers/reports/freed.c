/* What an answer says of objects that were freed: before all that is built on them. */
#include "answers/reports/parts.h"
#include "answers/texts.h"

enum { SHOWN = 4 };

static void say_former_class(struct answer_lines *lines, const struct json_value *freed,
                             const char *before, const char *behind) {
    if (!json_text(freed, "class").length)
        return;
    answer_say(lines, "%s", before);
    answer_say_text(lines, json_text(freed, "class"));
    answer_say(lines, "%s", behind);
}

/* Behind what it is called. */
static void say_warning(struct answer_lines *lines, const struct json_value *freed, bool asked) {
    answer_say(lines, " %s freed", json_is_true(freed, "certain") ? "was" : "may have been");
    say_former_class(lines, freed, ANSWER_WAS_OF, "");
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(freed, "why"));
    answer_say(lines, "%s", asked ? "; the answer is about what is left of it" : "");
}

static void begin(struct answer_lines *lines) {
    answer_begin_whole(lines, answer_paint_cut);
}

static void end(struct answer_lines *lines) {
    answer_end_whole(lines);
    answer_end_line(lines);
}

/* A reference to what was freed. */
static void say_slot(struct answer_lines *lines, const struct json_value *slot) {
    const struct json_value *edge = json_member(slot, "edge"), *freed = json_member(slot, "freed");
    bool is_assumed = loupe_span_equals(json_text(edge, "ownership"), "assumed");
    begin(lines);
    answer_say_path(lines, edge);
    answer_say(lines, " of ");
    answer_say_text(lines, json_text(slot, "class"));
    answer_say(lines, " ");
    answer_say_text(lines, json_text(edge, "from"));
    answer_say(lines, " points to a freed object ");
    answer_say_text(lines, json_text(edge, "to"));
    say_former_class(lines, freed, " (it was of class ", ")");
    answer_say(lines, ": ");
    answer_say_text(lines, json_text(freed, "why"));
    answer_say(lines, is_assumed ? ", so it does not own it or was released too often"
                                 : ", which was released too often");
    end(lines);
}

static bool is_told_by_slot(const struct answer_lines *lines, struct loupe_span address) {
    uint32_t i = 0;
    JSON_EACH(slot, json_member(lines->answer->root, "freed_slots")) {
        struct loupe_span to = json_text(json_member(slot, "edge"), "to");
        if (i++ < SHOWN && json_texts_equal(to, address))
            return true;
    }
    return false;
}

/* Of the objects in the answer; the one that was asked about comes first, unless it is to be left
 * out. How many there are. */
static uint32_t say_objects(struct answer_lines *lines, struct loupe_span asked, bool with_asked) {
    uint32_t count = 0;
    for (int of_asked = with_asked; of_asked >= 0; of_asked--) {
        JSON_EACH(object, json_member(lines->answer->root, "objects")) {
            const struct json_value *freed = json_member(object, "freed");
            bool is_asked = json_texts_equal(object->key, asked);
            if (is_asked != of_asked || freed->kind != JSON_OBJECT ||
                (!is_asked && is_told_by_slot(lines, object->key)) || count++ >= SHOWN)
                continue;
            begin(lines);
            answer_say_thing(lines, object->key);
            say_warning(lines, freed, is_asked);
            end(lines);
        }
    }
    return count;
}

static void say_more_slots(struct answer_lines *lines, uint64_t count) {
    const struct json_value *root = lines->answer->root;
    uint64_t listed = json_member(root, "freed_slots")->count;
    begin(lines);
    answer_say(lines, "and ");
    answer_say_count(lines, count, "more reference");
    answer_say(lines, " to freed objects (--json lists ");
    if (json_uint(root, "freed_slots_found") > listed)
        answer_say_number(lines, listed);
    else
        answer_say(lines, "them");
    answer_say(lines, ")");
    end(lines);
}

static void say_more_objects(struct answer_lines *lines, uint32_t count) {
    begin(lines);
    answer_say(lines, "so %s ", count == 1 ? "was" : "were");
    answer_say_count(lines, count, "more object");
    answer_say(lines, " (--json lists them)");
    end(lines);
}

/* but NULL: to any; else to all but that one. How many there are, listed or not. */
static uint64_t say_slots(struct answer_lines *lines, const struct loupe_span *but) {
    const struct json_value *root = lines->answer->root, *slots = json_member(root, "freed_slots");
    uint64_t found = json_uint(root, "freed_slots_found"), count = 0;
    JSON_EACH(slot, slots) {
        if (but && json_texts_equal(json_text(json_member(slot, "edge"), "to"), *but))
            continue;
        if (count++ < SHOWN)
            say_slot(lines, slot);
    }
    return count + (found > slots->count ? found - slots->count : 0);
}

enum loupe_status answer_say_freed(struct answer_lines *lines) {
    const struct json_value *freed = json_member(lines->answer->root, "freed");
    struct loupe_span asked = answer_asked_object(lines->answer);
    uint32_t objects = say_objects(lines, asked, true);
    uint64_t slots = say_slots(lines, NULL);
    if (slots > SHOWN)
        say_more_slots(lines, slots - SHOWN);
    if (freed->kind == JSON_OBJECT && freed->count) {
        begin(lines);
        answer_say_text(lines, asked.length ? asked : loupe_span_of("the object"));
        say_warning(lines, freed, true);
        end(lines);
    }
    if (objects > SHOWN)
        say_more_objects(lines, objects - SHOWN);
    return lines->status;
}

void answer_say_others_freed(struct answer_lines *lines) {
    struct loupe_span asked = answer_asked_object(lines->answer);
    uint32_t objects = say_objects(lines, asked, false);
    uint64_t slots = say_slots(lines, &asked);
    if (slots > SHOWN)
        say_more_slots(lines, slots - SHOWN);
    if (objects > SHOWN)
        say_more_objects(lines, objects - SHOWN);
}
