/* The fixes of an answer, numbered. */
#include "fix/changes/choice.h"

#include "answers/texts.h"
#include "cycles/system_classes.h"
#include "fix/source/tokens.h"

#include <string.h>

static const struct json_value *entries_of(const struct json_value *root) {
    const struct json_value *leaks = json_member(root, "leaks");
    return leaks->kind == JSON_ARRAY ? leaks : json_member(root, "knots");
}

/* Of an entry: a leak has a retain cycle or none. */
static const struct json_value *fixes_of(const struct json_value *entry) {
    const struct json_value *knot = json_member(entry, "knot");
    return json_member(knot->kind == JSON_OBJECT ? knot : entry, "fixes");
}

bool fix_is_such_answer(const struct json_value *root) {
    return entries_of(root)->kind == JSON_ARRAY;
}

/* Whether one before it, of the same entry, says the same. */
static bool is_said(const struct answer *answer, const struct json_value *fixes,
                    const struct json_value *fix, const char *text) {
    uint32_t seen = 0;
    /* Cap: fixes without a letter are counted. */
    for (const struct json_value *before = fixes->first; before != fix && seen < FIX_MOST_LETTERS;
         before = before->next, seen++) {
        char other[ANSWER_LONGEST_FIX];
        answer_fix_text(answer, before, other, sizeof(other));
        if (strcmp(text, other) == 0)
            return true;
    }
    return false;
}

bool fix_is_missing_release(const struct fix_choice *choice) {
    return choice->fix == choice->found && json_uint(choice->found, "missing_releases") > 0;
}

bool fix_is_hint(const struct fix_choice *choice) {
    return choice->fix == choice->found && !fix_is_missing_release(choice);
}

/* Of a leak that is nobody's cycle, and of a class of the program. */
static bool misses_release(const struct json_value *entry) {
    return json_uint(entry, "missing_releases") > 0 &&
           json_member(entry, "knot")->kind != JSON_OBJECT &&
           fix_can_be_name(json_text(entry, "class")) &&
           !loupe_is_class_of_system(json_text(entry, "class"));
}

/* Of a leak that is nobody's cycle, and of a class of C++: no "(raw memory)", "X (make_shared)" or
 * "X[]", and no "module.Class" of Swift. */
static bool misses_delete(const struct json_value *entry) {
    struct loupe_span name = json_text(entry, "class");
    return loupe_span_equals(json_text(json_member(entry, "object"), "kind"), "raw") &&
           json_member(entry, "knot")->kind != JSON_OBJECT && name.length &&
           !json_uint(entry, "missing_releases") && !loupe_span_contains(name, "(") &&
           !loupe_span_contains(name, "[") && !loupe_span_contains(name, " of ") &&
           !loupe_span_contains(name, ".");
}

/* The entry itself is what is to be mended. */
static bool see_entry(struct fix_choice *choice,
                      bool (*see)(const struct fix_choice *choice, void *context), void *context) {
    struct loupe_span name = json_text(choice->found, "class");
    choice->fix = choice->found;
    if (fix_is_missing_release(choice))
        loupe_format(choice->text, sizeof(choice->text), ANSWER_ADD_RELEASE_OF, (int)name.length,
                     name.bytes);
    else
        loupe_format(choice->text, sizeof(choice->text), ANSWER_DELETE_OF, (int)name.length,
                     name.bytes);
    return see(choice, context);
}

uint32_t fix_each_choice(const struct answer *answer,
                         bool (*see)(const struct fix_choice *choice, void *context),
                         void *context) {
    struct fix_choice choice = {.entry = 0};
    uint32_t left_out = 0;
    JSON_EACH(entry, entries_of(answer->root)) {
        const struct json_value *fixes = fixes_of(entry);
        choice.entry++;
        choice.found = entry;
        choice.letter = 'a';
        if ((misses_release(entry) || misses_delete(entry)) && !see_entry(&choice, see, context))
            return left_out;
        JSON_EACH(fix, fixes) {
            if (choice.letter > 'z') {
                left_out++;
                continue;
            }
            choice.fix = fix;
            answer_fix_text(answer, fix, choice.text, sizeof(choice.text));
            if (is_said(answer, fixes, fix, choice.text))
                continue;
            if (!see(&choice, context))
                return left_out;
            choice.letter++;
        }
    }
    return left_out;
}
