/* A picture of a graph in, the whole answer out. What stands here is what the format looks like. */
#include "check.h"
#include "graphs/drawn_graph.h"
#include "report/objects/report_cycles.h"

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

/* want has single quotes where the answer has double ones. */
static void check_answer(const char *picture, const struct loupe_cycles_options *options,
                         uint64_t limit, const char *want) {
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, picture);
    char *got = answer_text(options, limit);
    for (char *p = got; p && *p; p++)
        *p = *p == '"' ? '\'' : *p;
    CHECK_STR(got, want);
    free(got);
}

static const struct loupe_cycles_options defaults = {0};

/* The answers keep their own lines. */
/* clang-format off */

static void test_tree_has_no_knot(void) {
    check_answer("A=1 A.b->B A.c->C", &defaults, 0,
                 "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'seed':'0x1000',"
                 "'objects':{'0x1000':{'class':'A','kind':'object','size':32,'retain_count':1}},"
                 "'knots_found':0,'possible_found':0,'knots':[],'not_followed':[],'hidden':[],"
                 "'stats':{'objects':3,'edges':2,'reads':0,'bytes':0,'ms':null,'walk_ms':null}}");
}

static void test_block_and_its_owner(void) {
    check_answer("A._handler->block block{self}->A", &defaults, 0,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,'seed':'0x1000','objects':{"
        "'0x1000':{'class':'A','kind':'object','size':24,'retain_count':1},"
        "'0x2000':{'class':'block','kind':'block','size':24,'retain_count':1}},"
        "'knots_found':1,'possible_found':0,'knots':[{'fingerprint':'a10b0d450eb331ae','objects':2,'edges':2,"
        "'contains_seed':true,'certain':true,'degree':'unowned','severity':'error',"
        "'verdict':'leaked','verdict_reason':null,'verdict_example':null,"
        "'counts':{'retains':2,'inside':2,'outside':0,'unexplained':0,'excess':0,'assumed':0,"
        "'not_counted':0},'held_by':[],"
        "'rings':[{'fingerprint':'0ef797ed364c47b8','length':2,'shortest':true,'certain':true,"
        "'edges':["
        "{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_handler','path':'_handler',"
        "'offset':8,'slot':'0x1008','ownership':'strong'},"
        "{'from':'0x2000','to':'0x1000','kind':'capture','name':'self','path':'self',"
        "'offset':8,'slot':'0x2008','ownership':'strong'}]}],'all_rings':true,"
        "'fixes':["
        "{"
        "'do':'capture-weakly','subjects':["
        "{'do':'capture-weakly','edge':{'from':'0x2000','to':'0x1000','kind':'capture','name':'self',"
        "'path':'self','offset':8,'slot':'0x2008','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':1,"
        "'edge':{'from':'0x2000','to':'0x1000','kind':'capture','name':'self','path':'self',"
        "'offset':8,'slot':'0x2008','ownership':'strong'},"
        "'reason':'a block captures self','breaks':'knot','everywhere':null,"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'with':[]},"
        "{"
        "'do':'set-to-nil','subjects':["
        "{'do':'set-to-nil','edge':{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0x1008','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':2,"
        "'edge':{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0x1008','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'knot','everywhere':'knot',"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'with':[]}],"
        "'fixes_left_out':0}],'not_followed':[],'hidden':[],"
        "'stats':{'objects':2,'edges':2,'reads':0,'bytes':0,'ms':null,'walk_ms':null}}");
}

static void test_held_knot_beside_the_seed_with_parallel_references(void) {
    check_answer("S=1 S._a->A A._b->B A._c->B B.delegate->A B=?", &defaults, 0,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,'seed':'0x1000',"
        "'objects':{'0x1000':{'class':'S','kind':'object','size':24,'retain_count':1},"
        "'0x2000':{'class':'A','kind':'object','size':32,'retain_count':2},"
        "'0x3000':{'class':'B','kind':'object','size':24,'retain_count':null}},"
        "'knots_found':1,'possible_found':0,'knots':[{'fingerprint':'dabcf76111b47197','objects':2,'edges':3,"
        "'contains_seed':false,'certain':true,'degree':'unknown','severity':'warning',"
        "'verdict':'unknown',"
        "'verdict_reason':'the retain count of an object in it is unknown',"
        "'verdict_example':'0x3000',"
        "'counts':{'retains':2,'inside':3,'outside':1,'unexplained':0,'excess':0,'assumed':0,"
        "'not_counted':1},"
        "'held_by':[{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_a','path':'_a',"
        "'offset':8,'slot':'0x1008','ownership':'strong'}],"
        "'rings':[{'fingerprint':'a3b805adaa2eab8e','length':2,'shortest':true,'certain':true,"
        "'edges':[{'from':'0x2000','to':'0x3000','kind':'ivar','name':'_b','path':'_b',"
        "'offset':8,'slot':'0x2008','ownership':'strong'},"
        "{'from':'0x3000','to':'0x2000','kind':'ivar','name':'delegate','path':'delegate',"
        "'offset':8,'slot':'0x3008','ownership':'strong'}]}],'all_rings':false,'fixes':["
        "{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0x3000','to':'0x2000','kind':'ivar','name':'delegate',"
        "'path':'delegate','offset':8,'slot':'0x3008','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':1,"
        "'edge':"
        "{'from':'0x3000','to':'0x2000','kind':'ivar','name':'delegate','path':'delegate',"
        "'offset':8,'slot':'0x3008','ownership':'strong'},"
        "'reason':'delegate is named like a reference back',"
        "'breaks':'knot','everywhere':'knot',"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'with':[]},"
        "{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0x2000','to':'0x3000','kind':'ivar','name':'_b',"
        "'path':'_b','offset':8,'slot':'0x2008','ownership':'strong'}},"
        "{'do':'make-weak','edge':{'from':'0x2000','to':'0x3000','kind':'ivar','name':'_c',"
        "'path':'_c','offset':16,'slot':'0x2010','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':2,"
        "'edge':{'from':'0x2000','to':'0x3000','kind':'ivar','name':'_b','path':'_b',"
        "'offset':8,'slot':'0x2008','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'knot','everywhere':'ring',"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':1,'with':["
        "{'from':'0x2000','to':'0x3000','kind':'ivar','name':'_c','path':'_c','offset':16,"
        "'slot':'0x2010','ownership':'strong'}]}],'fixes_left_out':0}],'not_followed':[],"
        "'hidden':[],'stats':{'objects':3,'edges':4,'reads':0,'bytes':0,'ms':null,'walk_ms':null}}");
}

static void test_two_rings_and_a_hidden_reference(void) {
    static const struct loupe_filter filters[] = {
        {.source = "B", .path = "_cache", .reason = "matches nothing"},
        {.source = "A", .path = "_cache", .target = "C", .reason = "dropped by itself"}};
    static const struct loupe_cycles_options options = {
        .max_rings = 2, .filters = filters, .filter_count = 2};
    check_answer("A._b->B B._a~>A A._cache->C C._a->A A.me->A", &options, 0,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,'seed':'0x1000',"
        "'objects':{'0x1000':{'class':'A','kind':'object','size':40,'retain_count':3},"
        "'0x2000':{'class':'B','kind':'object','size':24,'retain_count':1},"
        "'0x3000':{'class':'C','kind':'object','size':24,'retain_count':1}},"
        "'knots_found':1,'possible_found':0,'knots':[{'fingerprint':'3c84ad2b38ccb575','objects':2,'edges':3,"
        "'contains_seed':true,'certain':true,'degree':'unknown','severity':'warning',"
        "'verdict':'unknown',"
        "'verdict_reason':'references that may own nothing lead into it',"
        "'verdict_example':null,"
        "'counts':{'retains':4,'inside':3,'outside':1,'unexplained':0,'excess':0,'assumed':1,"
        "'not_counted':0},"
        "'held_by':[{'from':'0x3000','to':'0x1000','kind':'ivar','name':'_a','path':'_a',"
        "'offset':8,'slot':'0x3008','ownership':'strong'}],"
        "'rings':[{'fingerprint':'af98de05ee1465e1','length':1,'shortest':true,'certain':true,"
        "'edges':[{'from':'0x1000','to':'0x1000','kind':'ivar','name':'me','path':'me',"
        "'offset':24,"
        "'slot':'0x1018','ownership':'strong'}]},{'fingerprint':'73f6b53593059061','length':2,'"
        "shortest':true,'certain':false,"
        "'edges':[{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_b','path':'_b',"
        "'offset':8,'slot':'0x1008','ownership':'strong'},"
        "{'from':'0x2000','to':'0x1000','kind':'ivar','name':'_a','path':'_a','offset':8,"
        "'slot':'0x2008','ownership':'assumed','assumption':null}]}],'all_rings':true,"
        "'together_are_enough':true,'fixes':["
        "{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0x1000','to':'0x1000','kind':'ivar','name':'me',"
        "'path':'me','offset':24,'slot':'0x1018','ownership':'strong'}}],"
        "'reach':'ring','conditions':[],'rank':1,"
        "'edge':{'from':'0x1000','to':'0x1000','kind':'ivar','name':'me','path':'me',"
        "'offset':24,'slot':'0x1018','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'ring','everywhere':'ring',"
        "'frees':null,'kept_by':null,'against':[],'enough':false,'together':true,'parallel':0,'with':[]},{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0x2000','to':'0x1000','kind':'ivar','name':'_a',"
        "'path':'_a','offset':8,'slot':'0x2008','ownership':'assumed','assumption':null}}],"
        "'reach':'ring','conditions':[],'rank':2,"
        "'edge':"
        "{'from':'0x2000','to':'0x1000','kind':'ivar','name':'_a','path':'_a','offset':8,"
        "'slot':'0x2008','ownership':'assumed','assumption':null},"
        "'reason':'part of the cycle','breaks':'ring','everywhere':'ring',"
        "'frees':null,'kept_by':null,'against':[],'enough':false,'together':true,'parallel':0,'with':[]},{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_b',"
        "'path':'_b','offset':8,'slot':'0x1008','ownership':'strong'}}],"
        "'reach':'ring','conditions':['only-holder','frees-at-once'],'rank':3,"
        "'edge':"
        "{'from':'0x1000','to':'0x2000','kind':'ivar','name':'_b','path':'_b','offset':8,"
        "'slot':'0x1008','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'ring','everywhere':'ring',"
        "'frees':null,'kept_by':null,'against':['only-holder','frees-at-once'],'enough':false,'together':false,'parallel':0,'with':[]}],"
        "'fixes_left_out':0}],'not_followed':[],'hidden':[{'filter':'A._cache -> C','edges':1,"
        "'reason':'dropped by itself'}],"
        "'stats':{'objects':3,'edges':5,'reads':0,'bytes':0,'ms':null,'walk_ms':null}}");
}

static void test_limit_makes_the_answer_incomplete(void) {
    check_answer(
        "A=1 A.b->B B.c->C", &defaults, 2,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'incomplete','abi':'apple',"
        "'pointer_size':8,'seed':'0x1000',"
        "'objects':{'0x1000':{'class':'A','kind':'object','size':24,'retain_count':1}},"
        "'knots_found':0,'possible_found':0,'knots':[],'not_followed':[{"
        "'reason':'objects beyond the limit','count':1,'example':'0x3000','code':'limit'}],'hidden':[],"
        "'stats':{'objects':2,'edges':1,'reads':0,'bytes':0,'ms':null,'walk_ms':null}}");
}

/* clang-format on */

/* ---- Long rings, and short times ---- */

static uint32_t count_of(const char *text, const char *part) {
    uint32_t count = 0;
    while ((text = strstr(text, part))) {
        count++;
        text += strlen(part);
    }
    return count;
}

static void draw_ring(uint32_t length) {
    drawn_graph_init(&drawn);
    for (uint32_t i = 0; i < length; i++) {
        char name[16];
        loupe_format(name, sizeof(name), "n%u", i);
        drawn_graph_add_node(&drawn, name, "Node");
    }
    for (uint32_t i = 0; i < length; i++)
        drawn_graph_add_edge(&drawn, i, (i + 1) % length, LOUPE_EDGE_IVAR, LOUPE_STRONG, "next");
}

static void test_a_very_long_ring_is_shown_without_its_middle(void) {
    draw_ring(5000);
    char *got = answer_text(&defaults, 0);
    CHECK(strstr(got, "\"length\":5000,") && strstr(got, "\"edges_left_out\":904"));
    CHECK(strstr(got, "\"from\":\"0x800000\"")); /* the 2048th */
    CHECK(!strstr(got, "\"from\":\"0x900000\""));
    CHECK(count_of(got, "\"retain_count\":") < 4200);
    free(got);
    draw_ring(4000);
    got = answer_text(&defaults, 0);
    CHECK(!strstr(got, "edges_left_out"));
    free(got);
}

/* A clock whose every look takes a tenth of a second. */
static uint64_t late_microseconds(void *ctx) {
    static uint64_t now;
    (void)ctx;
    return now += 100000;
}

static void test_a_search_without_time_tells_what_it_has(void) {
    static const struct loupe_reader_ops ops = {.microseconds = late_microseconds};
    struct loupe_memory clock;
    struct loupe_arena arena;
    struct loupe_cycles cycles;
    struct loupe_cycles_options options = {.clock = &clock};
    loupe_memory_init(&clock, &ops, NULL, (struct loupe_machine){.pointer_size = 8}, &drawn_chunks);
    loupe_memory_set_limit(&clock, 1);
    loupe_memory_begin_phase(&clock, LOUPE_PHASE_SEARCH);
    drawn_graph_init(&drawn);
    drawn_graph_draw(&drawn, "A.b->B B.a->A A.c->C C.d->D D.c->C A.e->E E.e->E");
    loupe_arena_init(&arena, &drawn_chunks);
    CHECK_EQ(drawn_graph_build(&drawn, 0), LOUPE_OK);
    CHECK_EQ(loupe_cycles_find(&drawn.graph, &drawn.describer, &options, &arena, &cycles),
             LOUPE_OK);
    CHECK_EQ(cycles.knots_found, 3);
    CHECK_EQ(cycles.knot_count, 1);
    CHECK_EQ(cycles.knots[0].rings.items[0].length, 2);
    CHECK_EQ(cycles.knots[0].fixes.count, 0);
    CHECK_EQ(cycles.cut_short, 3);
    loupe_arena_deinit(&arena);
    drawn_graph_deinit(&drawn);
    loupe_memory_deinit(&clock);
}

int main(void) {
    RUN(test_tree_has_no_knot);
    RUN(test_block_and_its_owner);
    RUN(test_held_knot_beside_the_seed_with_parallel_references);
    RUN(test_two_rings_and_a_hidden_reference);
    RUN(test_limit_makes_the_answer_incomplete);
    RUN(test_a_very_long_ring_is_shown_without_its_middle);
    RUN(test_a_search_without_time_tells_what_it_has);
    return check_report();
}
