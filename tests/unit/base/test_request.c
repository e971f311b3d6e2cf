/*
 * The text that front ends send along, in typed fields. arguments.txt is read by the test of the
 * commands' encoder, too (tests/lldb/unit/engines/test_arguments.py): both sides agree on its
 * bytes.
 *
 *     test_request FILE
 */
#include "check.h"
#include "memory/drawn_heap.h"
#include "request/request.h"
#include "request_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct loupe_arena arena;
static struct loupe_request request;
static struct loupe_error error;

static enum loupe_status decode(const char *text) {
    loupe_arena_init(&arena, &drawn_chunks);
    return loupe_request_decode(text, &arena, &request, &error);
}

static void test_filters(void) {
    CHECK_EQ(decode("filter A b * why;filter * * C%20D w%3By;no-filters"), LOUPE_OK);
    CHECK_EQ(request.filter_count, 2);
    CHECK_STR(request.filters[0].source, "A");
    CHECK_STR(request.filters[0].path, "b");
    CHECK(request.filters[0].target == NULL);
    CHECK_STR(request.filters[0].reason, "why");
    CHECK(request.filters[1].source == NULL && request.filters[1].path == NULL);
    CHECK_STR(request.filters[1].target, "C D");
    CHECK_STR(request.filters[1].reason, "w;y");
    CHECK(!request.filters[1].owns_nothing);
    CHECK(request.without_standard_filters);
    loupe_arena_deinit(&arena);
}

static void test_roots_are_numbered_in_their_order(void) {
    CHECK_EQ(decode("root given 0x10;scan data 0x20 0x30;root stack 0x40"), LOUPE_OK);
    CHECK_EQ(request.root_count, 3);
    CHECK_EQ(request.roots[0].kind, LOUPE_ROOT_GIVEN);
    CHECK(!request.roots[0].is_memory);
    CHECK_EQ(request.roots[1].kind, LOUPE_ROOT_GLOBAL);
    CHECK(request.roots[1].is_memory);
    CHECK_EQ(request.roots[1].range.start, 0x20);
    CHECK_EQ(request.roots[1].range.end, 0x30);
    CHECK_EQ(request.roots[2].range.start, 0x40);
    loupe_arena_deinit(&arena);
}

static void test_registers_keep_their_order(void) {
    CHECK_EQ(decode("register 0x7 rsp 0x10;debugger 0x1 0x2;register 0x8 x%30 0x0"), LOUPE_OK);
    CHECK_EQ(request.register_count, 2);
    CHECK_EQ(request.registers[0].thread, 7);
    CHECK_STR(request.registers[0].name, "rsp");
    CHECK_EQ(request.registers[0].value, 0x10);
    CHECK_EQ(request.registers[1].thread, 8);
    CHECK_STR(request.registers[1].name, "x0");
    CHECK_EQ(request.debugger_count, 1);
    CHECK_EQ(request.debuggers[0].end, 2);
    loupe_arena_deinit(&arena);
}

static void test_facts(void) {
    CHECK_EQ(decode("ref 0x1000 ivar member debug-info +0x20 0x2000 _v%5B0%5D;read 0x1020;list 7"),
             LOUPE_OK);
    CHECK_EQ(request.fact_count, 1);
    CHECK_EQ(request.facts[0].source, 0x1000);
    CHECK_EQ(request.facts[0].kind, LOUPE_EDGE_IVAR);
    CHECK_EQ(request.facts[0].ownership, LOUPE_FACT_MEMBER);
    CHECK_STR(request.facts[0].evidence, "debug-info");
    CHECK_EQ(request.facts[0].slot, 0x1020);
    CHECK_EQ(request.facts[0].offset, 0x20);
    CHECK_EQ(request.facts[0].word, 0x2000);
    CHECK_STR(request.facts[0].path, "_v[0]");
    CHECK_EQ(request.read_count, 1);
    CHECK_EQ(request.read[0], 0x1020);
    CHECK_EQ(request.listed, 7);
    loupe_arena_deinit(&arena);
}

static void test_nothing_is_asked_by_an_empty_text(void) {
    static const char *const empty[] = {NULL, "", ";; ; "};
    for (size_t i = 0; i < sizeof(empty) / sizeof(*empty); i++) {
        CHECK_EQ(decode(empty[i]), LOUPE_OK);
        char *text = request_text(&request);
        CHECK_STR(text, "");
        free(text);
        loupe_arena_deinit(&arena);
    }
}

static void check_refused(const char *text, const char *why) {
    char message[256];
    CHECK_EQ(decode(text), LOUPE_EUSAGE);
    snprintf(message, sizeof(message), "an argument that %s: %s", why, text);
    CHECK_STR(error.message, message);
    loupe_arena_deinit(&arena);
}

static void test_arguments_that_make_no_sense_are_refused(void) {
    static const char *const wrong[] = {
        "filter A b *",
        "filter A b * why more",
        "filter * * * why",
        "filter  b * why",
        "filter A%2 b * why",
        "no-filters please",
        "explain yourself",
        "stack-pointer",
        "stack-pointer x",
        "root given",
        "root given 0x10 0x20",
        "root elsewhere 0x10",
        "scan data 0x20 0x10",
        "scan data 0x10 0x100000018",
        "scan data 0xfffffffffffff000 0xfffffffffffff008",
        "register 0x1 rsp",
        "register 0x1  0x10",
        "register 0x1 r%2 0x10",
        "register 0x1 rsp sixteen",
        "debugger 0x20 0x10",
        "ref 0x1 ivar weak debug-info 0x7f00 0x2 a",
        "ref 0x1 sword strong debug-info 0x7f00 0x2 a",
        "ref 0x1 ivar strong rumour 0x7f00 0x2 a",
        "ref 0x1 ivar strong debug-info +0x100000000 0x2 a",
        "ref 0x1 ivar strong debug-info 0x7f00 0x2 ",
        "ref 0x1 ivar strong debug-info 0x7f00 0x2 a b",
        "read 5",
        "code x",
        "code 0x1 0x2",
        "list 5x",
        "list 99999999999",
    };
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
        check_refused(wrong[i], "makes no sense");
}

static void test_unknown_arguments_are_refused(void) {
    check_refused("meaning of life", "Loupe does not know");
    check_refused("explains", "Loupe does not know");
    check_refused("Explain", "Loupe does not know");
    CHECK_EQ(decode("explain;lists 5;no-filters"), LOUPE_EUSAGE);
    CHECK_STR(error.message, "an argument that Loupe does not know: lists 5");
    loupe_arena_deinit(&arena);
}

/* Each line of the file comes back as it was. */
static void check_shared_lines(const char *path) {
    char line[1024];
    unsigned lines = 0;
    FILE *file = fopen(path, "r");
    CHECK(file != NULL);
    while (file && fgets(line, sizeof(line), file)) {
        line[strcspn(line, "\n")] = '\0';
        CHECK_EQ(decode(line), LOUPE_OK);
        char *text = request_text(&request);
        CHECK_STR(text, line);
        free(text);
        loupe_arena_deinit(&arena);
        lines++;
    }
    CHECK(lines > 10);
    if (file)
        fclose(file);
}

int main(int count, char **arguments) {
    RUN(test_filters);
    RUN(test_roots_are_numbered_in_their_order);
    RUN(test_registers_keep_their_order);
    RUN(test_facts);
    RUN(test_nothing_is_asked_by_an_empty_text);
    RUN(test_arguments_that_make_no_sense_are_refused);
    RUN(test_unknown_arguments_are_refused);
    CHECK_EQ(count, 2);
    if (count == 2)
        check_shared_lines(arguments[1]);
    return check_report();
}
