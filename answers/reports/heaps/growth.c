/* The report of diff: what a heap has more and less of than an earlier one. */
#include "answers/amounts.h"
#include "answers/parts/heap_text.h"
#include "answers/reports/heaps/news.h"
#include "answers/reports/parts.h"
#include "answers/reports/report.h"
#include "answers/texts.h"

enum { SIZE_WIDTH = 14, COUNT_WIDTH = 12, SHOWN_REUSED = 5 };

/* ---- Numbers with a sign ---- */

static bool is_negative(const struct json_value *number) {
    return number->kind == JSON_NUMBER && loupe_span_starts_with(number->text, "-");
}

static uint64_t amount_of(const struct json_value *number) {
    struct json_value digits = *number;
    if (is_negative(number))
        digits.text = (struct loupe_span){number->text.bytes + 1, number->text.length - 1};
    return json_number(&digits);
}

/* "+1.2 MB", "-24 bytes". */
static void bytes_text(const struct json_value *of, char *dst, size_t cap) {
    const struct json_value *delta = json_member(of, "size_delta");
    size_t length = loupe_format(dst, cap, "%s", is_negative(delta) ? "-" : "+");
    answer_bytes_text(amount_of(delta), dst + length, cap - length);
}

/* ---- The table ---- */

static void say_number_right(struct answer_lines *lines, uint64_t number) {
    char text[ANSWER_LONGEST_AMOUNT];
    answer_number_text(number, text, sizeof(text));
    answer_say_right(lines, text, COUNT_WIDTH);
}

static void say_column_heads(struct answer_lines *lines, bool of_runs) {
    answer_say_right(lines, "size", SIZE_WIDTH);
    answer_say_right(lines, of_runs ? "more" : "new", COUNT_WIDTH);
    answer_say_right(lines, of_runs ? "fewer" : "gone", COUNT_WIDTH);
    answer_say_right(lines, of_runs ? "in both" : "still", COUNT_WIDTH);
    answer_end_line(lines);
}

/* From each snapshot to the next: ": +3 +2 +4". */
static void say_steps(struct answer_lines *lines, const struct json_value *steps) {
    bool always = steps->count > 1;
    if (!steps->count)
        return;
    answer_say(lines, ":");
    JSON_EACH(step, steps) {
        uint64_t amount = amount_of(step);
        answer_say(lines, " %s%llu", is_negative(step) ? "-" : "+", (unsigned long long)amount);
        always &= amount && !is_negative(step);
    }
    answer_say(lines, "%s", always ? "  ◀── each time" : "");
}

static void say_row(struct answer_lines *lines, const struct json_value *row) {
    char text[ANSWER_LONGEST_AMOUNT + 1];
    bytes_text(row, text, sizeof(text));
    answer_say_right(lines, text, SIZE_WIDTH);
    say_number_right(lines, json_uint(row, "new"));
    say_number_right(lines, json_uint(row, "gone"));
    say_number_right(lines, json_uint(row, "still"));
    answer_say(lines, "  ");
    answer_say_class_of(lines, row);
    say_steps(lines, json_member(row, "steps"));
    answer_end_line(lines);
}

/* As many as before: they are other objects, which tells nobody that anything grew. */
static bool is_exchanged(const struct json_value *row) {
    return json_uint(row, "new") == json_uint(row, "gone") &&
           !amount_of(json_member(row, "size_delta"));
}

static void say_table(struct answer_lines *lines, bool with_exchanged) {
    const struct json_value *root = lines->answer->root, *rows = json_member(root, "classes");
    uint64_t left_out = 0, changed = json_uint(root, "changed");
    if (rows->count)
        say_column_heads(lines, json_is_true(root, "runs"));
    JSON_EACH(row, rows) {
        if (!with_exchanged && is_exchanged(row))
            left_out++;
        else
            say_row(lines, row);
    }
    if (left_out) {
        answer_say(lines, "  … and ");
        answer_say_number(lines, left_out);
        answer_say(lines, " %s as many new as gone, of the same size (--limit 0 shows all)",
                   left_out == 1 ? "class with" : "classes with");
        answer_end_line(lines);
    }
    if (rows->count < changed) {
        answer_say(lines, "  … and ");
        answer_say_number(lines, changed - rows->count);
        answer_say(lines, " more classes that changed (--limit 0 shows all)");
        answer_end_line(lines);
    }
}

/* Of the first line; nothing of zero. Whether it said something. */
static bool say_part(struct answer_lines *lines, uint64_t count, const char *word, bool is_next) {
    if (!count)
        return false;
    answer_say(lines, "%s", is_next ? ", " : "");
    answer_say_number(lines, count);
    answer_say(lines, "%s", word);
    return true;
}

static void say_total(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *total = json_member(root, "total");
    bool of_runs = json_is_true(root, "runs");
    char text[ANSWER_LONGEST_AMOUNT + 1];
    bytes_text(total, text, sizeof(text));
    answer_say(lines, "%s%s ", text, of_runs ? " from run to run:" : ":");
    bool is_any = say_part(lines, json_uint(total, "new"), of_runs ? " more" : " new", false);
    is_any |= say_part(lines, json_uint(total, "gone"), of_runs ? " fewer" : " gone", is_any);
    if (!of_runs)
        is_any |= say_part(lines, json_uint(total, "still"), " still there", is_any);
    answer_say(lines, "%s%s", is_any ? "" : "no change", of_runs ? ", by class" : "");
    answer_end_line(lines);
}

/* ---- Which objects are the same ---- */

static void say_reused_classes(struct answer_lines *lines, const char *which) {
    uint64_t classes = 0;
    JSON_EACH(row, json_member(lines->answer->root, "reused_by_class")) {
        uint64_t count = json_uint(row, which);
        if (!count || classes++ >= SHOWN_REUSED)
            continue;
        answer_say(lines, "%s", classes > 1 ? ", " : ": ");
        answer_say_number(lines, count);
        answer_say(lines, " ");
        answer_say_class_of(lines, row);
    }
    if (classes > SHOWN_REUSED) {
        answer_say(lines, " and ");
        answer_say_number(lines, classes - SHOWN_REUSED);
        answer_say(lines, " more classes");
    }
    answer_end_line(lines);
}

static void say_processes(struct answer_lines *lines, const struct json_value *processes) {
    if (processes->count != 2)
        return;
    answer_say(lines,
               "note: these are two processes, %llu and %llu: an address in both need not be the "
               "same object",
               (unsigned long long)json_number(processes->first),
               (unsigned long long)json_number(processes->first->next));
    answer_end_line(lines);
}

static void say_reuse(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root;
    uint64_t reused = json_uint(root, "reused"), maybe = json_uint(root, "maybe_reused");
    if (reused) {
        answer_say_number(lines, reused);
        answer_say(lines, " of the new ones stand%s where another of the class was freed",
                   reused == 1 ? "s" : "");
        say_reused_classes(lines, "reused");
    }
    if (maybe) {
        answer_say_number(lines, maybe);
        answer_say(lines, " of those still there may be new ones at the same address, with other "
                          "neighbours");
        say_reused_classes(lines, "maybe_reused");
    }
    if (!json_uint(json_member(root, "total"), "still"))
        return;
    answer_say(lines,
               "note: an object replaced by an equal one at the same address counts as still "
               "there%s; class totals are right",
               json_has(root, "recorded") ? "" : " (libloupe_record tells some apart)");
    answer_end_line(lines);
}

static void say_identity(struct answer_lines *lines) {
    const struct json_value *root = lines->answer->root, *total = json_member(root, "total");
    uint64_t gone = json_uint(total, "gone");
    if (json_is_true(root, "runs"))
        return;
    if (!answer_is_native(lines->answer)) {
        if (!gone || gone < json_uint(total, "still"))
            return;
        answer_say(lines, "note: most objects have other addresses now, such as after a collector "
                          "moved them: they count as new and as gone;");
        answer_end_line(lines);
        answer_say(lines, "sizes and differences are right");
        answer_end_line(lines);
    } else if (json_is_true(root, "same_process")) {
        say_reuse(lines);
    } else {
        say_processes(lines, json_member(root, "processes"));
    }
}

/* "Session: Registry.sessions (48 of the 64 searched)". */
static void say_holder(struct answer_lines *lines, const struct json_value *row) {
    const struct json_value *holder = json_member(row, "held_by");
    uint64_t count = json_uint(holder, "count"), looked_at = json_uint(holder, "searched");
    answer_say(lines, "  ");
    answer_say_class_of(lines, row);
    answer_say(lines, ": ");
    answer_say_long_text(lines, json_text(holder, "culprit"));
    if (count < looked_at) {
        answer_say(lines, " (");
        answer_say_number(lines, count);
        answer_say(lines, " of the ");
        answer_say_number(lines, looked_at);
        answer_say(lines, " searched)");
    }
    answer_end_line(lines);
}

static void say_holders(struct answer_lines *lines) {
    bool is_first = true;
    JSON_EACH(row, json_member(lines->answer->root, "classes")) {
        if (json_member(row, "held_by")->kind != JSON_OBJECT)
            continue;
        if (is_first) {
            answer_say(lines, "What holds the new ones:");
            answer_end_line(lines);
        }
        is_first = false;
        say_holder(lines, row);
    }
}

/* ---- All of it ---- */

static bool shows(const struct json_value *row, struct loupe_span mistake) {
    return json_texts_equal(json_text(row, "mistake"), mistake);
}

/* Behind its name, the classes that show it from a row on. */
static void say_classes_of(struct answer_lines *lines, const struct json_value *first,
                           struct loupe_span mistake) {
    const char *before = " (";
    for (const struct json_value *row = first; row; row = row->next) {
        if (!shows(row, mistake))
            continue;
        answer_say(lines, "%s", before);
        answer_say_class_of(lines, row);
        before = ", ";
    }
    answer_say(lines, ")");
}

/* Each once. */
static void say_mistakes(struct answer_lines *lines) {
    const struct json_value *rows = json_member(lines->answer->root, "classes");
    JSON_EACH(row, rows) {
        struct loupe_span mistake = json_text(row, "mistake");
        const struct json_value *first = rows->first;
        while (first != row && !shows(first, mistake))
            first = first->next;
        if (!mistake.length || first != row)
            continue;
        answer_say(lines, ANSWER_KNOWN_MISTAKE);
        answer_say_text(lines, mistake);
        say_classes_of(lines, row, mistake);
        answer_end_line(lines);
    }
}

enum loupe_status answer_say_growth(struct answer_lines *lines,
                                    const struct answer_report *report) {
    const struct json_value *root = lines->answer->root;
    bool has_leaks =
        json_member(root, "new_leaks")->count || json_member(root, "more_leaks")->count;
    say_total(lines);
    say_table(lines, report->with_exchanged);
    say_holders(lines);
    say_identity(lines);
    say_mistakes(lines);
    answer_say_news(lines);
    answer_say_recorder(lines);
    answer_say_heap_notes(lines, has_leaks);
    return LOUPE_OK;
}
