/* Lines of ivars from descriptions of classes as gcc and clang write them, whole and damaged. */
#include "check.h"
#include "memory/drawn_heap.h"
#include "image/dwarf/ivar_lines.h"

#include <string.h>

#define SPAN(text)                                                                                 \
    { .bytes = (text), .length = sizeof(text) - 1 }
#define OPERANDS     "\0\1\1\1\1\0\0\0\1\0\0\1"
#define LINE_BASE    "\1\1\1\373\016\015" OPERANDS
#define OBJECTIVE_C  "\020"
#define C_LANGUAGE   "\014"
#define NO_MORE_KIND "\0\0"

/* gcc, version 4: a class whose first member is its superclass, one that begins with its isa, and a
 * structure of C. */
static const char gcc_abbreviations[] =
    "\1\x11\1\x03\x08\x13\x0b\x10\x17" NO_MORE_KIND "\2\x13\1\x03\x08" NO_MORE_KIND
    "\3\x0d\0\x34\x19" NO_MORE_KIND "\4\x0d\0\x03\x08\x3a\x0b\x3b\x0b" NO_MORE_KIND "\0";
#define GCC_UNIT(name, language)                                                                   \
    "\x54\0\0\0" /* how long the rest is */                                                        \
    "\4\0\0\0\0\0\x08"                                                                             \
    "\1" name "\0" language "\0\0\0\0"                                                             \
    "\2Mail\0\3\4delegate\0\1\5\4_title\0\1\6\0"                                                   \
    "\2Root\0\4isa\0\1\7\4next\0\1\x08\0"                                                          \
    "\2node\0\4next\0\1\x09\0"                                                                     \
    "\0"
static const char gcc_info[] = GCC_UNIT("a.", OBJECTIVE_C);
static const char gcc_lines[] = "\x28\0\0\0\4\0\x22\0\0\0" LINE_BASE "src\0\0Mail.m\0\1\0\0\0";

/* clang, version 5: texts by number, and the class is marked as one of the runtime's. */
static const char clang_abbreviations[] =
    "\1\x11\1\x13\x0b\x10\x17\x72\x17" NO_MORE_KIND "\2\x13\1\x03\x25\346\x7f\x0b" NO_MORE_KIND
    "\3\x0d\0\x03\x25\x3a\x0b\x3b\x0b" NO_MORE_KIND "\0";
static const char clang_info[] = "\x1b\0\0\0\5\0\1\x08\0\0\0\0"
                                 "\1" OBJECTIVE_C "\0\0\0\0\x0b\0\0\0"
                                 "\2\0" OBJECTIVE_C "\3\1\0\7\0\0";
static const char clang_texts[] = "Feed\0items\0";
static const char clang_offsets[] = "Feed\0items\0\0\0\0\0\5\0\0\0";
static const char clang_lines[] =
    "\x33\0\0\0\5\0\x08\0\x2b\0\0\0" LINE_BASE "\1\1\x08\1/build\0\2\1\x08\2\x0b\1Feed.m\0\0";

struct parts {
    struct loupe_span info, abbreviations, lines, texts, offsets;
};

static const struct parts gcc = {SPAN(gcc_info), SPAN(gcc_abbreviations), SPAN(gcc_lines), SPAN(""),
                                 SPAN("")};
static const struct parts clang = {SPAN(clang_info), SPAN(clang_abbreviations), SPAN(clang_lines),
                                   SPAN(clang_texts), SPAN(clang_offsets)};

static enum loupe_status read_parts(const struct parts *parts, const struct loupe_chunk_ops *chunks,
                                    struct loupe_ivar_lines *ret) {
    struct loupe_dwarf_sections sections = {.info = parts->info,
                                            .abbreviations = parts->abbreviations,
                                            .strings = parts->texts,
                                            .line_strings = SPAN(""),
                                            .string_offsets = parts->offsets,
                                            .addresses = SPAN("")};
    struct loupe_line_sections lines = {
        .lines = parts->lines, .line_strings = SPAN(""), .strings = parts->texts};
    return loupe_ivar_lines_init(ret, &sections, &lines, chunks);
}

/* "src/Mail.m:5", or "" where nothing tells. */
static const char *place(struct loupe_ivar_lines *lines, const char *class_name, const char *ivar) {
    static char text[64];
    char path[48];
    uint32_t line;
    *text = '\0';
    if (loupe_ivar_lines_find(lines, loupe_span_of(class_name), loupe_span_of(ivar), path,
                              sizeof(path), &line))
        loupe_format(text, sizeof(text), "%s:%u", path, (unsigned)line);
    return text;
}

static void test_ivars_of_gcc(void) {
    struct loupe_ivar_lines lines;
    CHECK_EQ(read_parts(&gcc, &drawn_chunks, &lines), LOUPE_OK);
    CHECK_EQ(lines.ivars.count, 3u);
    CHECK_STR(place(&lines, "Mail", "delegate"), "src/Mail.m:5");
    CHECK_STR(place(&lines, "Mail", "_title"), "src/Mail.m:6");
    CHECK_STR(place(&lines, "Root", "next"), "src/Mail.m:8");
    CHECK_STR(place(&lines, "Root", "isa"), "");  /* the runtime's */
    CHECK_STR(place(&lines, "node", "next"), ""); /* of C: another ivar may be called that */
    CHECK_STR(place(&lines, "Mail", "view"), "");
    loupe_ivar_lines_deinit(&lines);
}

static void test_ivars_of_clang(void) {
    struct loupe_ivar_lines lines;
    struct loupe_span class_name, name;
    CHECK_EQ(read_parts(&clang, &drawn_chunks, &lines), LOUPE_OK);
    CHECK_EQ(lines.ivars.count, 1u);
    CHECK_STR(place(&lines, "Feed", "items"), "/build/Feed.m:7");
    loupe_ivar_lines_name(&lines, 0, &class_name, &name);
    CHECK(loupe_span_equals(class_name, "Feed") && loupe_span_equals(name, "items"));
    loupe_ivar_lines_deinit(&lines);
}

static void test_units_of_c_are_passed_over(void) {
    static const char info[] = GCC_UNIT("a.", C_LANGUAGE);
    struct parts parts = gcc;
    struct loupe_ivar_lines lines;
    parts.info.bytes = info;
    CHECK_EQ(read_parts(&parts, &drawn_chunks, &lines), LOUPE_OK);
    CHECK_EQ(lines.ivars.count, 0u);
    loupe_ivar_lines_deinit(&lines);
}

/* As gcc has it of files that it compiles with -std=gnu99. */
static void test_a_name_tells_of_objective_c_too(void) {
    static const char info[] = GCC_UNIT(".m", C_LANGUAGE);
    struct parts parts = gcc;
    struct loupe_ivar_lines lines;
    parts.info.bytes = info;
    CHECK_EQ(read_parts(&parts, &drawn_chunks, &lines), LOUPE_OK);
    CHECK_STR(place(&lines, "Mail", "delegate"), "src/Mail.m:5");
    loupe_ivar_lines_deinit(&lines);
}

/* A class that many files describe is kept once. */
static void test_an_ivar_is_kept_once(void) {
    char info[2 * sizeof(gcc_info)];
    struct parts parts = gcc;
    struct loupe_ivar_lines lines;
    memcpy(info, gcc_info, sizeof(gcc_info) - 1);
    memcpy(info + sizeof(gcc_info) - 1, gcc_info, sizeof(gcc_info) - 1);
    parts.info = (struct loupe_span){info, 2 * (sizeof(gcc_info) - 1)};
    CHECK_EQ(read_parts(&parts, &drawn_chunks, &lines), LOUPE_OK);
    CHECK_EQ(lines.ivars.count, 3u);
    loupe_ivar_lines_deinit(&lines);
}

/* Whatever byte is another, what is told lies within bounds and has a line. */
static void damage(const struct parts *whole, const struct loupe_span *part, unsigned value) {
    char copy[256];
    for (size_t i = 0; i < part->length; i++) {
        struct parts parts = *whole;
        struct loupe_ivar_lines lines;
        struct loupe_span *damaged =
            (struct loupe_span *)(void *)((char *)&parts +
                                          ((const char *)part - (const char *)whole));
        memcpy(copy, part->bytes, part->length);
        copy[i] = (char)value;
        damaged->bytes = copy;
        CHECK_EQ(read_parts(&parts, &drawn_chunks, &lines), LOUPE_OK);
        for (uint32_t k = 0; k < lines.ivars.count; k++) {
            struct loupe_span class_name, name;
            char path[16];
            uint32_t line = 0;
            loupe_ivar_lines_name(&lines, k, &class_name, &name);
            CHECK(class_name.length && name.length);
            if (loupe_ivar_lines_find(&lines, class_name, name, path, sizeof(path), &line))
                CHECK(line && strlen(path) < sizeof(path));
        }
        loupe_ivar_lines_deinit(&lines);
    }
}

static void test_damaged_bytes(void) {
    static const unsigned values[] = {0, 1, 0x7f, 0x80, 0xff};
    const struct parts *all[] = {&gcc, &clang};
    for (unsigned i = 0; i < 2; i++) {
        for (unsigned k = 0; k < sizeof(values) / sizeof(values[0]); k++) {
            damage(all[i], &all[i]->info, values[k]);
            damage(all[i], &all[i]->abbreviations, values[k]);
            damage(all[i], &all[i]->lines, values[k]);
            damage(all[i], &all[i]->offsets, values[k]);
        }
    }
}

static void test_no_memory(void) {
    uint64_t fail_at = 1;
    enum loupe_status status;
    do {
        struct drawn_failing_chunks state = {.fail_at = fail_at++};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        struct loupe_ivar_lines lines;
        status = read_parts(&gcc, &chunks, &lines);
        CHECK(!status || status == LOUPE_ENOMEM);
        if (!status)
            loupe_ivar_lines_deinit(&lines);
        CHECK_EQ(state.outstanding, 0);
    } while (status);
    CHECK(fail_at > 3);
}

int main(void) {
    RUN(test_ivars_of_gcc);
    RUN(test_ivars_of_clang);
    RUN(test_units_of_c_are_passed_over);
    RUN(test_a_name_tells_of_objective_c_too);
    RUN(test_an_ivar_is_kept_once);
    RUN(test_damaged_bytes);
    RUN(test_no_memory);
    return check_report();
}
