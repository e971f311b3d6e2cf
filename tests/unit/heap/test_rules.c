/*
 * Files of rules: what every form of a line means, and what is said about lines that are none.
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "rules/shipped.h"
#include "snapshot/rules/rules.h"

#include <stdlib.h>

static struct loupe_arena arena;
static struct loupe_rules rules;
static struct loupe_error error;

static enum loupe_status add(const char *text) {
    loupe_arena_init(&arena, &drawn_chunks);
    loupe_rules_init(&rules, &arena);
    error = (struct loupe_error){0};
    return loupe_rules_add(&rules, loupe_span_of(text), "here", &error);
}

static void check_span(struct loupe_span got, const char *want) {
    char text[128];
    loupe_format(text, sizeof(text), "%.*s", (int)got.length, got.bytes);
    CHECK_STR(text, want);
}

static void check_rule(const char *text, enum loupe_rule_kind kind, const char *class_name,
                       const char *field, const char *reason) {
    CHECK_EQ(add(text), LOUPE_OK);
    if (CHECK_EQ(rules.count, 1)) {
        CHECK_EQ(rules.items[0].kind, kind);
        check_span(rules.items[0].class_name, class_name);
        check_span(rules.items[0].field, field);
        check_span(rules.items[0].reason, reason);
    }
    loupe_arena_deinit(&arena);
}

static void check_message(const char *text, const char *want) {
    CHECK_EQ(add(text), LOUPE_EUSAGE);
    CHECK_STR(error.message, want);
    loupe_arena_deinit(&arena);
}

static void test_forms_of_rules(void) {
    check_rule("leaking a.B", LOUPE_RULE_LEAKING, "a.B", "", "");
    check_rule("  alive\ta.B \r\n", LOUPE_RULE_ALIVE, "a.B", "", "");
    check_rule("leaking referent of a.Key because watched", LOUPE_RULE_LEAKING_FIELD, "a.Key",
               "referent", "watched");
    check_rule("library a.B$1.this$0 because it stays  ", LOUPE_RULE_LIBRARY, "a.B$1", "this$0",
               "it stays");
    check_rule("library a.B.*", LOUPE_RULE_LIBRARY, "a.B", "*", "");
    check_rule("weak a.B.owner", LOUPE_RULE_WEAK, "a.B", "owner", "");
    check_rule("library thread GC Daemon because old", LOUPE_RULE_LIBRARY_THREAD, "GC Daemon", "",
               "old");
    check_rule("library thread.name", LOUPE_RULE_LIBRARY, "thread", "name", "");
    check_rule("part Window._root", LOUPE_RULE_PART, "Window", "_root", "");
    check_rule("part View.* to View because it knows it", LOUPE_RULE_PART, "View", "*",
               "it knows it");
}

static void check_watched(const char *text, enum loupe_rule_kind kind, const char *path,
                          const char *method, const char *except, uint32_t after_ms) {
    CHECK_EQ(add(text), LOUPE_OK);
    if (CHECK_EQ(rules.count, 1)) {
        CHECK_EQ(rules.items[0].kind, kind);
        check_span(rules.items[0].class_name, "Screen");
        check_span(rules.items[0].field, path);
        check_span(rules.items[0].method, method);
        check_span(rules.items[0].except, except);
        CHECK_EQ(rules.items[0].after_ms, after_ms);
    }
    loupe_arena_deinit(&arena);
}

static void test_rules_about_watched_objects(void) {
    check_watched("expect self of Screen on close:animated:", LOUPE_RULE_EXPECT, "self",
                  "close:animated:", "", 0);
    check_watched("expect pages of Screen on setPages: except arg1 after 2.5 when pages is not nil "
                  "because replaced",
                  LOUPE_RULE_EXPECT, "pages", "setPages:", "arg1", 2500);
    check_watched("along view.subviews* of Screen", LOUPE_RULE_ALONG, "view.subviews*", "", "", 0);
    check_watched("keep arg1 of Screen on show:", LOUPE_RULE_KEEP, "arg1", "show:", "", 0);
    check_watched("spare Screen when isShared is true", LOUPE_RULE_SPARE, "", "", "", 0);
    check_watched("spare last arg3 of Screen on send:to:from:", LOUPE_RULE_SPARE_LAST, "arg3",
                  "send:to:from:", "", 0);
    CHECK_EQ(add("expect self of Screen on close after 0.1 when a is 1 and b is 2 because gone"),
             LOUPE_OK);
    CHECK_EQ(rules.items[0].condition_count, 2);
    check_span(rules.items[0].reason, "gone");
    loupe_arena_deinit(&arena);
    CHECK_EQ(add("along page of Screen when page.owner is not self"), LOUPE_OK);
    CHECK_EQ(rules.items[0].conditions[0].is_self, true);
    CHECK_EQ(rules.items[0].conditions[0].is_not, true);
    loupe_arena_deinit(&arena);
}

static void test_what_is_no_rule_about_watched_objects(void) {
    check_message("expect Screen", "here, line 1: expected 'of' and a class after the path");
    check_message("expect self of Screen",
                  "here, line 1: expected 'on' and a method after the class");
    check_message("expect self of Screen on", "here, line 1: expected a method after 'on'");
    check_message("keep self of *Screen on show",
                  "here, line 1: expected a class by its whole name");
    check_message("keep self of Screen on show after 2",
                  "here, line 1: expected 'because' or the end of the line");
    check_message("expect self of Screen on close after soon",
                  "here, line 1: expected seconds after 'after', from 0.01 to 86400");
    check_message("expect self of Screen on close after 0",
                  "here, line 1: expected seconds after 'after', from 0.01 to 86400");
    check_message("expect self of Screen on close after 86401",
                  "here, line 1: expected seconds after 'after', from 0.01 to 86400");
    check_message(
        "leaking Screen when x is self",
        "here, line 1: expected nil, true, false, a whole number or 'outside' after 'is'");
    check_message("spare last Screen", "here, line 1: expected 'of' and a class after the path");
}

static void check_condition(uint32_t i, const char *field, int64_t value, bool is_nil,
                            bool is_not) {
    const struct loupe_rule_condition *condition = &rules.items[0].conditions[i];
    check_span(condition->field, field);
    CHECK_EQ(condition->value, value);
    CHECK_EQ(condition->is_nil, is_nil);
    CHECK_EQ(condition->is_not, is_not);
}

static void test_conditions(void) {
    CHECK_EQ(add("leaking A when x is true and y.z is not nil and n is -12 and f is false because "
                 "when and is"),
             LOUPE_OK);
    CHECK_EQ(rules.items[0].condition_count, 4);
    check_condition(0, "x", 1, false, false);
    check_condition(1, "y.z", 0, true, true);
    check_condition(2, "n", -12, false, false);
    check_condition(3, "f", 0, false, false);
    check_span(rules.items[0].reason, "when and is");
    loupe_arena_deinit(&arena);
}

static void test_conditions_about_trees(void) {
    CHECK_EQ(add("leaking A when self is outside W and b is not outside W|V\n"
                 "alive A when self is not outside W"),
             LOUPE_OK);
    CHECK_EQ(rules.tree_count, 2);
    check_span(rules.trees[0], "W");
    check_span(rules.trees[1], "W|V");
    CHECK_EQ(rules.items[0].conditions[0].tree, 1);
    CHECK_EQ(rules.items[0].conditions[1].tree, 2);
    CHECK(rules.items[0].conditions[1].is_not);
    CHECK_EQ(rules.items[1].conditions[0].tree, 1);
    loupe_arena_deinit(&arena);
    check_message("leaking A when self is outside",
                  "here, line 1: expected a class after 'outside'");
    check_message("along b of A when b is outside W",
                  "here, line 1: expected nil, true, false, self or a whole number after 'is'");
    check_message("part A.b to", "here, line 1: expected a class after 'to'");
    CHECK_EQ(add("alive A when self is outside B\nalive A when self is outside C\n"
                 "alive A when self is outside D\nalive A when self is outside E\n"
                 "alive A when self is outside F\nalive A when self is outside G\n"
                 "alive A when self is outside H\nalive A when self is outside B\n"
                 "alive A when self is outside I"),
             LOUPE_EUSAGE);
    CHECK_STR(error.message, "here, line 9: expected at most seven different classes after "
                             "'outside'");
    loupe_arena_deinit(&arena);
}

static void test_comments_and_empty_lines_are_nothing(void) {
    CHECK_EQ(add("# a\n\n   \t\nleaking A # b\n# c\nleaking B"), LOUPE_OK);
    CHECK_EQ(rules.count, 2);
    CHECK_EQ(rules.items[1].line, 6);
    loupe_arena_deinit(&arena);
    CHECK_EQ(add(""), LOUPE_OK);
    loupe_arena_deinit(&arena);
}

static void test_what_is_no_rule_is_named_by_its_line(void) {
    check_message("leaking A\nleeking B\n",
                  "here, line 2: expected 'leaking', 'alive', 'library', 'weak', 'part', 'expect', "
                  "'along', 'keep' or 'spare' first");
    check_message("leaking", "here, line 1: expected a class");
    check_message("leaking when x is nil", "here, line 1: expected a class");
    check_message("leaking a of", "here, line 1: expected a class after 'of'");
    check_message("leaking A when", "here, line 1: expected a field after 'when' or 'and'");
    check_message("leaking A when x", "here, line 1: expected 'is' after the field");
    check_message("leaking A when x = 1", "here, line 1: expected 'is' after the field");
    check_message(
        "leaking A when x is",
        "here, line 1: expected nil, true, false, a whole number or 'outside' after 'is'");
    check_message(
        "leaking A when x is 99999999999999999999",
        "here, line 1: expected nil, true, false, a whole number or 'outside' after 'is'");
    check_message("leaking A when x is 1 and",
                  "here, line 1: expected a field after 'when' or 'and'");
    check_message("leaking A when x is 1 y",
                  "here, line 1: expected 'because' or the end of the line");
    check_message("leaking A when a is 1 and b is 1 and c is 1 and d is 1 and e is 1",
                  "here, line 1: expected at most four conditions");
    check_message("library Field", "here, line 1: expected CLASS.FIELD");
    check_message("weak .x", "here, line 1: expected CLASS.FIELD");
    check_message("weak a.", "here, line 1: expected CLASS.FIELD");
    check_message("library thread", "here, line 1: expected the name of a thread");
    check_message("library a.b c", "here, line 1: expected 'because' or the end of the line");
}

static bool matches(const char *pattern, const char *text) {
    return loupe_pattern_matches(loupe_span_of(pattern), loupe_span_of(text));
}

static void test_patterns(void) {
    CHECK(matches("a.B", "a.B"));
    CHECK(!matches("a.B", "a.Bc"));
    CHECK(!matches("a.B", "a."));
    CHECK(matches("*", ""));
    CHECK(matches("*.B", "a.b.B"));
    CHECK(matches("a*b*c", "a-b-b-xc"));
    CHECK(!matches("a*b*c", "a-b-b-x"));
    CHECK(matches("**", "x"));
    CHECK(!matches("", "x"));
    CHECK(matches("a*", "a"));
}

static void test_shipped_rules_are_rules(void) {
    CHECK_EQ(add(""), LOUPE_OK);
    for (const struct shipped_rules *file = shipped_rules; file->name; file++) {
        CHECK_EQ(loupe_rules_add(&rules, loupe_span_of(file->text), file->name, &error), LOUPE_OK);
        CHECK_STR(error.message, "");
    }
    CHECK(rules.count > 50);
    for (uint32_t i = 0; i < rules.count; i++)
        CHECK(rules.items[i].reason.length);
    loupe_arena_deinit(&arena);
}

/* Any bytes end in a rule or a message. */
static void test_every_cut_of_a_rule_ends(void) {
    const char *text = "leaking a of B when c.d is not -1 and e is nil because f\nlibrary g.h";
    for (size_t length = 0; length <= strlen(text); length++) {
        char *cut = malloc(length + 1);
        memcpy(cut, text, length);
        loupe_arena_init(&arena, &drawn_chunks);
        loupe_rules_init(&rules, &arena);
        enum loupe_status status =
            loupe_rules_add(&rules, (struct loupe_span){cut, length}, "cut", &error);
        CHECK(status == LOUPE_OK || status == LOUPE_EUSAGE);
        loupe_arena_deinit(&arena);
        free(cut);
    }
}

int main(void) {
    RUN(test_forms_of_rules);
    RUN(test_conditions);
    RUN(test_conditions_about_trees);
    RUN(test_comments_and_empty_lines_are_nothing);
    RUN(test_what_is_no_rule_is_named_by_its_line);
    RUN(test_rules_about_watched_objects);
    RUN(test_what_is_no_rule_about_watched_objects);
    RUN(test_patterns);
    RUN(test_shipped_rules_are_rules);
    RUN(test_every_cut_of_a_rule_ends);
    return check_report();
}
