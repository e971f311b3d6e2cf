/* A picture of a graph in, the whole answer out. What stands here is what the format looks like. */
#include "check.h"
#include "drawn_graph.h"
#include "report_cycles.h"

#include <stdlib.h>

static struct drawn_graph drawn;

static char *answer_text(const struct loupe_cycles_options *options, uint64_t limit) {
    struct drawn_text text = {0};
    struct loupe_arena arena;
    struct loupe_cycles cycles;
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(drawn_graph_build(&drawn, limit), LOUPE_OK);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, options, &arena, &cycles), LOUPE_OK);
    struct loupe_envelope envelope = {
        .query = "retain-cycles", .engine = "drawn", .abi = "apple", .pointer_size = 8};
    struct loupe_cycles_answer answer = {.envelope = &envelope,
                                         .graph = &drawn.graph,
                                         .describer = &drawn.describer,
                                         .options = options,
                                         .cycles = &cycles,
                                         .memory = &drawn.memory,
                                         .findings = &drawn.findings,
                                         .arena = &arena};
    struct loupe_json json;
    loupe_json_init(&json, drawn_text_sink(&text));
    CHECK_EQ(loupe_report_cycles(&json, &answer), LOUPE_OK);
    CHECK_EQ(loupe_json_finish(&json), LOUPE_OK);
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
    return text.text;
}

static void check_answer(const char *picture, const char *want) {
    struct loupe_cycles_options options = {0};
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    char *got = answer_text(&options, 0);
    CHECK_STR(got, want);
    free(got);
}

#define ENVELOPE(status)                                                                           \
    "{\"loupe\":1,\"query\":\"retain-cycles\",\"engine\":\"drawn\",\"status\":\"" status           \
    "\",\"abi\":\"apple\",\"pointer_size\":8,"
#define STATS(objects, edges)                                                                      \
    "\"stats\":{\"objects\":" #objects ",\"edges\":" #edges ",\"reads\":0,\"bytes\":0,\"ms\":"     \
    "null}}"
#define OBJECT(address, class, kind, size, retain_count)                                           \
    "\"" address "\":{\"class\":\"" class "\",\"kind\":\"" kind "\",\"size\":" #size               \
                                          ",\"retain_count\":" #retain_count "}"
#define EDGE(from, to, kind, path, offset, slot)                                                   \
    "{\"from\":\"" from "\",\"to\":\"" to "\",\"kind\":\"" kind "\",\"name\":\"" path              \
    "\",\"path\":\"" path "\",\"offset\":" #offset ",\"slot\":\"" slot                             \
    "\",\"ownership\":\"strong\"}"
#define FIX(edge, reason, breaks)                                                                  \
    "{\"edge\":" edge ",\"reason\":\"" reason "\",\"breaks\":\"" breaks                            \
    "\",\"parallel\":0,\"with\":[]}"

static void test_tree_has_no_knot(void) {
    check_answer(
        "A=1 A.b->B A.c->C",
        ENVELOPE("ok") "\"seed\":\"0x1000\","
                       "\"objects\":{" OBJECT("0x1000", "A", "object", 32,
                                              1) "},"
                                                 "\"knots_found\":0,\"knots\":[],"
                                                 "\"not_followed\":[],\"hidden\":[]," STATS(3, 2));
}

static void test_block_and_its_owner(void) {
    check_answer(
        "A._handler->block block{self}->A",
        ENVELOPE(
            "ok") "\"seed\":\"0x1000\","
                  "\"objects\":{" OBJECT("0x1000", "A", "object", 24, 1) "," OBJECT(
                      "0x2000", "block", "block", 24,
                      1) "},"
                         "\"knots_found\":1,\"knots\":[{\"fingerprint\":\"b227f86ba4f385b6\","
                         "\"objects\":2,\"edges\":2,\"contains_seed\":true,\"certain\":true,"
                         "\"verdict\":\"leaked\",\"verdict_reason\":null,\"verdict_example\":null,"
                         "\"counts\":{\"retains\":2,\"inside\":2,\"outside\":0,\"unexplained\":0,"
                         "\"excess\":0,"
                         "\"assumed\":0,\"not_counted\":0},\"held_by\":[],"
                         "\"rings\":[{\"fingerprint\":\"05cb747ce612a6f9\",\"length\":2,"
                         "\"shortest\":true,"
                         "\"certain\":true,\"edges\":[" EDGE(
                             "0x1000", "0x2000", "ivar", "_handler", 8,
                             "0x1008") "," EDGE("0x2000", "0x1000", "capture", "self", 8,
                                                "0x2008") "]}],"
                                                          "\"fixes\":[" FIX(
                                                              EDGE("0x2000", "0x1000", "capture",
                                                                   "self", 8, "0x2008"),
                                                              "a block captures self",
                                                              "knot") "," FIX(EDGE("0x1000",
                                                                                   "0x2000", "ivar",
                                                                                   "_handler", 8,
                                                                                   "0x1008"),
                                                                              "part of the ring",
                                                                              "knot") "],\"fixes_"
                                                                                      "left_out\":"
                                                                                      "0}],"
                                                                                      "\"not_"
                                                                                      "followed\":["
                                                                                      "],"
                                                                                      "\"hidden\":["
                                                                                      "]," STATS(
                                                                                          2, 2));
}

int main(void) {
    RUN(test_tree_has_no_knot);
    RUN(test_block_and_its_owner);
    return check_report();
}
