/* Whole answers: a drawn heap in, the line of JSON out. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "loupe.h"

#include <stdarg.h>
#include <stdlib.h>

static struct drawn_heap heap;
static struct drawn_world w;

static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

/* ---- Asking ---- */

static struct drawn_text ask(const struct loupe_question *question) {
    struct drawn_text text = {0};
    struct loupe_memory memory;
    drawn_memory(&heap, &memory);
    loupe_answer(&memory, &drawn_chunks, question, drawn_text_sink(&text));
    loupe_memory_deinit(&memory);
    return text;
}

/*
 * Addresses by their order of appearance, 0xA 0xB ...; quotes as '; what the reader cost is cut
 * off.
 */
static char *normalised(struct drawn_text answer) {
    enum { MAX = 26 };
    char *seen[MAX], *out = calloc(1, answer.length + 1), *to = out;
    size_t lengths[MAX];
    unsigned count = 0;
    char *stats = strstr(answer.text, ",\"stats\"");
    if (stats)
        *stats = '\0';
    for (char *from = answer.text; *from;) {
        if (strncmp(from, "0x", 2) != 0 || (from > answer.text && from[-1] == '+')) {
            *to++ = *from == '"' ? '\'' : *from;
            from++;
            continue;
        }
        size_t length = 2 + strspn(from + 2, "0123456789abcdef");
        unsigned i = 0;
        while (i < count && (lengths[i] != length || memcmp(seen[i], from, length) != 0))
            i++;
        if (i == count && count < MAX) {
            seen[count] = from;
            lengths[count++] = length;
        }
        *to++ = '0';
        *to++ = 'x';
        *to++ = (char)('A' + i);
        from += length;
    }
    return out;
}

static char *normalised_answer(const struct loupe_question *question) {
    struct drawn_text text = ask(question);
    char *answer = normalised(text);
    free(text.text);
    return answer;
}

static void check_answer(enum loupe_query query, loupe_addr address, const char *want) {
    struct loupe_question question = {.query = query, .address = address, .engine = "drawn"};
    struct drawn_text text = ask(&question);
    char *got = normalised(text);
    CHECK_STR(got, want);
    free(got);
    free(text.text);
}

/* ---- value ---- */

static void check_value(loupe_addr address, const char *class_name, const char *value) {
    char want[300];
    snprintf(want, sizeof(want),
             "{'loupe':1,'query':'value','engine':'drawn','status':'ok','abi':'apple',"
             "'pointer_size':8,'class':%s,'value':%s,'not_followed':[]",
             class_name, value);
    check_answer(LOUPE_QUERY_VALUE, address, want);
}

static void test_value_of_an_object_and_of_a_word(void) {
    open_world();
    loupe_addr shift = drawn_alloc(&heap, 16);
    drawn_symbol_add(&heap, "objc_debug_taggedpointer_slot_shift", shift);
    drawn_class(&w, "NSDate", "NSObject", "none _time d");
    loupe_addr date = drawn_object(&w, "NSDate");
    drawn_put_word(&heap, date + 8, 0x41c582144e200000); /* 721692828.25 */
    check_value(date, "'NSDate'", "'2023-11-14T22:13:48.25Z'");
    check_value(drawn_object(&w, "NSObject"), "'NSObject'", "null");
    check_value(0x6115, "'NSString'", "'\\'a\\''");
    check_value(0x6111, "null", "null");
    close_world();
}

/* ---- strong-refs ---- */

static void test_strong_refs_of_an_object_with_two_strong_ivars(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _a @; weak _b @; strong _c @; none _d @");
    loupe_addr owner = drawn_object(&w, "Owner"), other = drawn_object(&w, "NSObject");
    drawn_set(&w, owner, "_a", owner);
    drawn_set(&w, owner, "_b", other);
    drawn_set(&w, owner, "_c", other);
    drawn_set(&w, owner, "_d", other);
    check_answer(LOUPE_QUERY_STRONG_REFS, owner,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'object':'0xA',"
                 "'objects':{'0xA':{'class':'Owner','kind':'object','size':40,'retain_count':1},"
                 "'0xB':{'class':'NSObject','kind':'object','size':8,'retain_count':1}},"
                 "'edges':[{'from':'0xA','to':'0xA','kind':'ivar','name':'_a','path':'_a',"
                 "'offset':8,'slot':'0xC','ownership':'strong'},"
                 "{'from':'0xA','to':'0xB','kind':'ivar','name':'_c','path':'_c','offset':24,"
                 "'slot':'0xD','ownership':'strong'}],'not_followed':[]");
    close_world();
}

static void test_an_object_may_be_asked_about_by_a_tagged_address(void) {
    drawn_world_init(&w, &heap, DRAWN_ARM64E);
    drawn_class(&w, "Owner", "NSObject", "strong _a @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner | UINT64_C(0x0b) << 56);
    check_answer(LOUPE_QUERY_STRONG_REFS, owner | UINT64_C(0x05) << 56,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'object':'0xA',"
                 "'objects':{'0xA':{'class':'Owner','kind':'object','size':16,'retain_count':1}},"
                 "'edges':[{'from':'0xA','to':'0xA','kind':'ivar','name':'_a','path':'_a',"
                 "'offset':8,'slot':'0xB','ownership':'strong'}],'not_followed':[]");
    close_world();
}

static void test_strong_refs_say_why_an_ivar_is_assumed(void) {
    open_world();
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject", "none _a @");
    drawn_properties(&w, "Owner", "a T@,&,N,V_a");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    check_answer(LOUPE_QUERY_STRONG_REFS, owner,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'object':'0xA',"
                 "'objects':{'0xA':{'class':'Owner','kind':'object','size':16,'retain_count':1}},"
                 "'edges':[{'from':'0xA','to':'0xA','kind':'ivar','name':'_a','path':'_a',"
                 "'offset':8,'slot':'0xB','ownership':'assumed',"
                 "'assumption':'manual retain/release: its property "
                 "retains','manual':true}],'not_followed':[]");
    close_world();
}

/* ---- retain-cycles ---- */

static void test_retain_cycles_of_an_object_and_its_block(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _handler @?");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_handler", drawn_block_of(&w, "s", owner));
    check_answer(
        LOUPE_QUERY_RETAIN_CYCLES, owner,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,'seed':'0xA',"
        "'objects':{'0xA':{'class':'Owner','kind':'object','size':16,'retain_count':1},"
        "'0xB':{'class':'__NSMallocBlock__','kind':'block','size':40,'retain_count':1}},"
        "'knots_found':1,'possible_found':0,'knots':[{'fingerprint':'c5c706f451cbf47f','objects':2,"
        "'edges':2,'contains_seed':true,'certain':true,'degree':'unowned','severity':'error',"
        "'verdict':'leaked',"
        "'verdict_reason':null,'verdict_example':null,"
        "'counts':{'retains':2,'inside':2,'outside':0,'unexplained':0,'excess':0,"
        "'assumed':0,'not_counted':0},'held_by':[],"
        "'rings':[{'fingerprint':'ecc3f9730e3c62dc','length':2,'shortest':true,"
        "'certain':true,'edges':[{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xC','ownership':'strong'},"
        "{'from':'0xB','to':'0xA','kind':'capture','name':null,'path':'+0x20',"
        "'offset':32,'slot':'0xD','ownership':'strong'}]}],"
        "'all_rings':true,'fixes':[{"
        "'do':'capture-weakly','subjects':["
        "{'do':'capture-weakly','edge':{'from':'0xB','to':'0xA','kind':'capture','name':null,"
        "'path':'+0x20','offset':32,'slot':'0xD','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':1,"
        "'edge':{'from':'0xB','to':'0xA','kind':'capture','name':null,"
        "'path':'+0x20','offset':32,'slot':'0xD','ownership':'strong'},"
        "'reason':'a block captures its "
        "owner','breaks':'knot','everywhere':null,'frees':true,'kept_by':null,"
        "'against':[],'enough':true,'together':false,'parallel':0,'with':[]},"
        "{"
        "'do':'set-to-nil','subjects':["
        "{'do':'set-to-nil','edge':{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xC','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':2,"
        "'edge':{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xC','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'knot','everywhere':'knot',"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'"
        "with':[]}],"
        "'fixes_left_out':0}],'not_followed':[],'hidden':[]");
    close_world();
}

static void test_retain_cycles_through_a_block_variable(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _handler @?");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_handler", drawn_block_of(&w, "r", drawn_byref_of(&w, 3, owner)));
    check_answer(
        LOUPE_QUERY_RETAIN_CYCLES, owner,
        "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,'seed':'0xA',"
        "'objects':{'0xA':{'class':'Owner','kind':'object','size':16,'retain_count':1},"
        "'0xB':{'class':'__NSMallocBlock__','kind':'block','size':40,'retain_count':1},"
        "'0xC':{'class':'__block variable','kind':'byref','size':48,'retain_count':1}},"
        "'knots_found':1,'possible_found':0,'knots':[{'fingerprint':'6fdbbc9561e5bbe3','objects':3,"
        "'edges':3,'contains_seed':true,'certain':true,'degree':'unowned','severity':'error',"
        "'verdict':'leaked',"
        "'verdict_reason':null,'verdict_example':null,"
        "'counts':{'retains':3,'inside':3,'outside':0,'unexplained':0,'excess':0,"
        "'assumed':0,'not_counted':0},'held_by':[],"
        "'rings':[{'fingerprint':'d7abc39721e76e6d','length':3,'shortest':true,"
        "'certain':true,'edges':[{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xD','ownership':'strong'},"
        "{'from':'0xB','to':'0xC','kind':'capture','name':null,'path':'+0x20',"
        "'offset':32,'slot':'0xE','ownership':'strong'},"
        "{'from':'0xC','to':'0xA','kind':'byref','name':null,'path':'+0x28','offset':40,"
        "'slot':'0xF','ownership':'strong'}]}],"
        "'all_rings':true,'fixes':["
        "{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0xC','to':'0xA','kind':'byref','name':null,"
        "'path':'+0x28','offset':40,'slot':'0xF','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':1,"
        "'edge':{'from':'0xC','to':'0xA','kind':'byref','name':null,'path':'+0x28',"
        "'offset':40,'slot':'0xF','ownership':'strong'},"
        "'reason':'a block captures its owner','breaks':'knot','everywhere':null,"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'"
        "with':[]},"
        "{"
        "'do':'make-weak','subjects':["
        "{'do':'make-weak','edge':{'from':'0xC','to':'0xA','kind':'byref','name':null,"
        "'path':'+0x28','offset':40,'slot':'0xF','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':2,"
        "'edge':{'from':'0xB','to':'0xC','kind':'capture','name':null,'path':'+0x20',"
        "'offset':32,'slot':'0xE','ownership':'strong'},"
        "'reason':'a block keeps its __block variable','breaks':'knot','everywhere':null,"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'"
        "with':[]},"
        "{"
        "'do':'set-to-nil','subjects':["
        "{'do':'set-to-nil','edge':{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xD','ownership':'strong'}}],"
        "'reach':'knot','conditions':[],'rank':3,"
        "'edge':{'from':'0xA','to':'0xB','kind':'ivar','name':'_handler',"
        "'path':'_handler','offset':8,'slot':'0xD','ownership':'strong'},"
        "'reason':'part of the cycle','breaks':'knot','everywhere':'knot',"
        "'frees':true,'kept_by':null,'against':[],'enough':true,'together':false,'parallel':0,'"
        "with':[]}],'fixes_"
        "left_out':0}],"
        "'not_followed':[],'hidden':[]");
    close_world();
}

static void test_retain_cycles_of_an_object_that_is_in_none(void) {
    open_world();
    check_answer(LOUPE_QUERY_RETAIN_CYCLES, drawn_object(&w, "NSObject"),
                 "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'seed':'0xA',"
                 "'objects':{'0xA':{'class':'NSObject','kind':'object','size':8,'retain_count':1}},"
                 "'knots_found':0,'possible_found':0,'knots':[],'not_followed':[],'hidden':[]");
    close_world();
}

/* Only what failed is written beside a tally. */
static void test_tally_takes_the_place_of_the_answer(void) {
    open_world();
    drawn_class(&w, "Owner", "NSObject", "strong _handler @?");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_handler", drawn_block_of(&w, "s", owner));
    struct loupe_tally tally = {.certain_knots = 77};
    struct loupe_question question = {
        .query = LOUPE_QUERY_RETAIN_CYCLES, .address = owner, .engine = "drawn", .tally = &tally};
    struct drawn_text text = ask(&question);
    CHECK(!text.text);
    CHECK_EQ(tally.certain_knots, 1);
    CHECK(tally.complete);
    question.limit = 1;
    text = ask(&question);
    CHECK(!text.text);
    CHECK_EQ(tally.certain_knots, 0);
    CHECK(!tally.complete);
    question.address = 8;
    text = ask(&question);
    CHECK(text.text && strstr(text.text, "\"status\":\"error\""));
    free(text.text);
    close_world();
}

/* ---- ivar-layout ---- */

static void test_ivar_layout_of_an_object(void) {
    open_world();
    drawn_class(&w, "Base", "NSObject", "strong _name @\"NSString\"; none _c c");
    drawn_class(&w, "Owner", "Base", "s.w _st {S=\"o\"@\"n\"q\"w\"@}; none _u @; none _i i");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_name", owner);
    drawn_set_word(&w, owner, "_st", 0, owner);
    check_answer(
        LOUPE_QUERY_IVAR_LAYOUT, owner,
        "{'loupe':1,'query':'ivar-layout','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,"
        "'class':{'name':'Owner','address':'0xA','superclass':'Base','instance_size':60,"
        "'arc':true},'levels':[{'class':'Owner','instance_start':17,'instance_size':60,"
        "'strong_layout':'01','weak_layout':'21',"
        "'ivars':[{'name':'_st','offset':24,'size':24,"
        "'type':'{S=\\'o\\'@\\'n\\'q\\'w\\'@}','written_type':'struct S',"
        "'ownership':'strong','value':null,"
        "'fields':[{'path':'_st.o','offset':24,'size':8,'type':'@','ownership':'strong',"
        "'value':'0xB'},{'path':'_st.n','offset':32,'size':8,'type':'q','ownership':'none',"
        "'value':null},{'path':'_st.w','offset':40,'size':8,'type':'@','ownership':'weak',"
        "'value':'0xC'}]},"
        "{'name':'_u','offset':48,'size':8,'type':'@','written_type':'id',"
        "'ownership':'unretained',"
        "'value':'0xC','fields':[]},"
        "{'name':'_i','offset':56,'size':4,'type':'i','written_type':'int',"
        "'ownership':'none','value':null,"
        "'fields':[]}]},{'class':'Base','instance_start':8,'instance_size':17,"
        "'strong_layout':'01','weak_layout':null,"
        "'ivars':[{'name':'_name','offset':8,'size':8,'type':'@\\'NSString\\'',"
        "'written_type':'NSString *',"
        "'ownership':'strong','value':'0xB','fields':[]},"
        "{'name':'_c','offset':16,'size':1,'type':'c','written_type':'char',"
        "'ownership':'none','value':null,"
        "'fields':[]}]},{'class':'NSObject','instance_start':0,'instance_size':8,"
        "'strong_layout':null,'weak_layout':null,"
        "'ivars':[{'name':'isa','offset':0,'size':8,'type':'#','written_type':'Class',"
        "'ownership':'none',"
        "'value':'0xD','fields':[]}]}],'not_followed':[]");
    close_world();
}

static void test_ivar_layout_of_a_class(void) {
    open_world();
    w.manual = true;
    loupe_addr cls = drawn_class(&w, "Owner", "NSObject", "none _a @")->address;
    check_answer(LOUPE_QUERY_IVAR_LAYOUT, cls,
                 "{'loupe':1,'query':'ivar-layout','engine':'drawn','status':'ok','abi':'apple',"
                 "'pointer_size':8,'class':{'name':'Owner','address':'0xA','superclass':'NSObject',"
                 "'instance_size':16,'arc':false},"
                 "'levels':[{'class':'Owner','instance_start':8,'instance_size':16,"
                 "'strong_layout':null,'weak_layout':null,"
                 "'ivars':[{'name':'_a','offset':8,'size':8,'type':'@','written_type':'id',"
                 "'ownership':'assumed',"
                 "'value':null,'fields':[]}]},{'class':'NSObject','instance_start':0,"
                 "'instance_size':8,'strong_layout':null,'weak_layout':null,"
                 "'ivars':[{'name':'isa','offset':0,'size':8,'type':'#','written_type':'Class',"
                 "'ownership':'none',"
                 "'value':null,'fields':[]}]}],'not_followed':[]");
    close_world();
}

/* The member of an ivar-layout answer from its name on, up to the end of the ivar. */
static void check_ivar(loupe_addr cls, const char *name, const char *expected) {
    struct loupe_question question = {.query = LOUPE_QUERY_IVAR_LAYOUT, .address = cls};
    char *text = normalised_answer(&question), *found = strstr(text, name), *end;
    CHECK(found);
    if (found && (end = strstr(found, "]}")))
        end[2] = '\0';
    CHECK_STR(found ? found : text, expected);
    free(text);
}

static void test_array_of_numbers_is_one_member(void) {
    open_world();
    loupe_addr cls =
        drawn_class(&w, "Buffer", "NSObject", "none _b [5000C]; none _g [2[3s]]")->address;
    check_ivar(cls, "_b'",
               "_b','offset':8,'size':5000,'type':'[5000C]','written_type':'unsigned char[5000]',"
               "'ownership':'none',"
               "'value':null,'fields':[{'path':'_b[0]','offset':8,'size':1,'type':'C',"
               "'ownership':'none','value':null,'count':5000}]}");
    check_ivar(cls, "_g'",
               "_g','offset':5008,'size':12,'type':'[2[3s]]','written_type':'short[2][3]',"
               "'ownership':'none',"
               "'value':null,'fields':[{'path':'_g[0][0]','offset':5008,'size':2,"
               "'type':'s','ownership':'none','value':null,'count':3},"
               "{'path':'_g[1][0]','offset':5014,'size':2,'type':'s',"
               "'ownership':'none','value':null,'count':3}]}");
    close_world();
}

static void test_a_class_by_a_name_that_there_is_none_of(void) {
    open_world();
    struct loupe_question question = {.query = LOUPE_QUERY_IVAR_LAYOUT, .arguments = "class Buffe"};
    char *none = normalised_answer(&question);
    CHECK(strstr(none, "the runtime has no class 'Buffe'"));
    free(none);
    close_world();
}

/* The ivar's own ownership, out of an answer that lists its first members. */
static void check_ownership(loupe_addr cls, const char *name, const char *expected) {
    struct loupe_question question = {.query = LOUPE_QUERY_IVAR_LAYOUT, .address = cls};
    char *text = normalised_answer(&question), *found = strstr(text, name);
    found = found ? strstr(found, "'ownership':'") : NULL;
    CHECK(found);
    if (found) {
        found += strlen("'ownership':'");
        found[strcspn(found, "'")] = '\0';
        CHECK_STR(found, expected);
    }
    free(text);
}

static void test_ownership_of_an_array_does_not_depend_on_its_length(void) {
    open_world();
    loupe_addr cls =
        drawn_class(&w, "Table", "NSObject",
                    "none _long [17000@]; none _pairs [9000{P=\"n\"q\"o\"@}]; none _n [20000q];"
                    "none _x i")
            ->address;
    check_ownership(cls, "_long'", "unretained");
    check_ownership(cls, "_pairs'", "unretained");
    check_ownership(cls, "_n'", "none");
    w.manual = true;
    loupe_addr manual = drawn_class(&w, "Manual", "NSObject", "none _long [17000@]")->address;
    check_ownership(manual, "_long'", "assumed");
    close_world();
}

static void test_bit_fields_say_which_bits(void) {
    open_world();
    loupe_addr cls =
        drawn_class(&w, "Flags", "NSObject", "none _s {?=\"a\"b3\"b\"b7\"c\"C}")->address;
    check_ivar(cls, "_s'",
               "_s','offset':8,'size':4,'type':'{?=\\'a\\'b3\\'b\\'b7\\'c\\'C}',"
               "'written_type':'struct {\\u2026}','ownership':'none',"
               "'value':null,'fields':[{'path':'_s.a','offset':8,'size':1,'type':'b3',"
               "'ownership':'none','value':null,'bit_offset':0,'bit_width':3},"
               "{'path':'_s.b','offset':8,'size':2,'type':'b7','ownership':'none','value':null,"
               "'bit_offset':3,'bit_width':7},{'path':'_s.c','offset':10,'size':1,'type':'C',"
               "'ownership':'none','value':null}]}");
    close_world();
}

static void test_members_beyond_the_limit_are_counted(void) {
    open_world();
    loupe_addr cls = drawn_class(&w, "Table", "NSObject", "none _long [17000@]")->address;
    struct loupe_question question = {.query = LOUPE_QUERY_IVAR_LAYOUT, .address = cls};
    char *text = normalised_answer(&question);
    CHECK(strstr(text, "'path':'_long[16383]'"));
    CHECK(!strstr(text, "'path':'_long[16384]'"));
    CHECK(strstr(text, "],'fields_left_out':616}"));
    free(text);
    close_world();
}

/* ---- block-layout ---- */

static void test_block_layout_of_a_heap_block(void) {
    open_world();
    loupe_addr object = drawn_object(&w, "NSObject");
    check_answer(
        LOUPE_QUERY_BLOCK_LAYOUT, drawn_block_of(&w, "sd", object, (loupe_addr)7),
        "{'loupe':1,'query':'block-layout','engine':'drawn','status':'ok','abi':'apple',"
        "'pointer_size':8,"
        "'block':{'address':'0xA','storage':'heap','isa':'0xB','flags':'0xC',"
        "'flag_names':['NEEDS_FREE','HAS_COPY_DISPOSE','HAS_SIGNATURE',"
        "'HAS_EXTENDED_LAYOUT'],'reserved':0,'retain_count':1,'size':48,"
        "'invoke':{'address':'0xD','symbol':null,'file':null,'line':null},'descriptor':'0xE',"
        "'generic_helpers':null,'signature':'v8@?0',"
        "'prototype':'void (^)(void)','owns_captures':true},"
        "'layout':{'encoding':'30 20','ops':[{'op':'strong','count':1},"
        "{'op':'non-object-words','count':1}],'end':'ended'},"
        "'symbol':{'name':null,'used':false},"
        "'captures':[{'offset':32,'size':8,'name':null,'type':null,'kind':'strong',"
        "'value':'0xF','class':'NSObject','evidence':['layout'],'byref':null},"
        "{'offset':40,'size':8,'name':null,'type':null,'kind':'data','value':'0xG',"
        "'class':null,'evidence':['layout'],'byref':null}],'conflicts':[],'not_followed':[]");
    close_world();
}

/* ---- Errors ---- */

/* The message of an error answer, with the addresses as they are. */
static void check_message(loupe_addr address, const char *expected, ...)
    __attribute__((format(printf, 2, 3)));
static void check_message(loupe_addr address, const char *format, ...) {
    struct loupe_question question = {.query = LOUPE_QUERY_STRONG_REFS, .address = address};
    struct drawn_text answer = ask(&question);
    char expected[300], *message = strstr(answer.text, "\"message\":\"");
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(expected, sizeof(expected), format, arguments);
    va_end(arguments);
    CHECK(message);
    if (message) {
        message += strlen("\"message\":\"");
        message[strcspn(message, "\"")] = '\0';
        CHECK_STR(message, expected);
    }
    free(answer.text);
}

static void test_address_inside_an_object_says_which(void) {
    open_world();
    drawn_class(&w, "Base", "NSObject", "strong _name @");
    drawn_class(&w, "Owner", "Base", "none _kind #; none _st {S=\"n\"i\"o\"@}; none _gap [64c]");
    loupe_addr owner = drawn_object(&w, "Owner");
    loupe_addr block = drawn_block_of(&w, "sd", owner, (loupe_addr)7);
    unsigned long long shown = owner;
    drawn_set_word(&w, owner, "_kind", 0, drawn_class_named(&w, "Owner")->address);
    check_message(owner + 8,
                  "0x%llx is not an object: it is 8 bytes into the Owner 0x%llx, at _name",
                  shown + 8, shown);
    check_message(owner + 32,
                  "0x%llx is not an object: it is 32 bytes into the Owner 0x%llx, at _st.o",
                  shown + 32, shown);
    check_message(owner + 27,
                  "0x%llx is not an object: it is 27 bytes into the Owner 0x%llx, at _st.n",
                  shown + 27, shown);
    check_message(owner + 103,
                  "0x%llx is not an object: it is 103 bytes into the Owner 0x%llx, at "
                  "_gap[63]",
                  shown + 103, shown);
    check_message(block + 40, "0x%llx is not an object: it is 40 bytes into the block 0x%llx",
                  (unsigned long long)block + 40, (unsigned long long)block);
    close_world();
}

static void test_address_behind_an_object_is_in_none(void) {
    open_world();
    drawn_alloc(&heap, 64 * 1024);
    drawn_object(&w, "NSObject");
    loupe_addr behind = drawn_alloc(&heap, 64);
    check_message(behind, "0x%llx is not an object: isa 0x0: nil is not a class",
                  (unsigned long long)behind);
    close_world();
}

static void test_errors_name_the_address_and_the_reason(void) {
    open_world();
    loupe_addr object = drawn_object(&w, "NSObject");
    check_answer(LOUPE_QUERY_STRONG_REFS, 0,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'error',"
                 "'abi':'apple','pointer_size':8,'error':{'code':'usage',"
                 "'message':'nil has no references','address':null,'detail':'nil'}}");
    check_answer(LOUPE_QUERY_STRONG_REFS, 0xdead0004,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'error',"
                 "'abi':'apple','pointer_size':8,'error':{'code':'not-an-object',"
                 "'message':'0xA is not an object: it is not aligned to 8 bytes','address':'0xA',"
                 "'detail':'unaligned'}}");
    check_answer(
        LOUPE_QUERY_STRONG_REFS, 0x2a7,
        "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'error',"
        "'abi':'apple','pointer_size':8,'error':{'code':'not-an-object',"
        "'message':'0xA is not an object in memory: it is a tagged pointer','address':'0xA',"
        "'detail':'tagged-pointer'}}");
    check_answer(LOUPE_QUERY_STRONG_REFS, 0xdead0000,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'error',"
                 "'abi':'apple','pointer_size':8,'error':{'code':'unreadable',"
                 "'message':'0xA cannot be read','address':'0xA','detail':null}}");
    check_answer(LOUPE_QUERY_RETAIN_CYCLES, drawn_alloc(&heap, 64),
                 "{'loupe':1,'query':'retain-cycles','engine':'drawn','status':'error',"
                 "'abi':'apple','pointer_size':8,'error':{'code':'not-an-object',"
                 "'message':'0xA is not an object: isa 0xB: nil is not a class','address':'0xA',"
                 "'detail':'no-class'}}");
    check_answer(LOUPE_QUERY_BLOCK_LAYOUT, object,
                 "{'loupe':1,'query':'block-layout','engine':'drawn','status':'error',"
                 "'abi':'apple','pointer_size':8,'error':{'code':'not-an-object',"
                 "'message':'0xA is not a block: it is of class NSObject','address':'0xA',"
                 "'detail':'no-block'}}");
    close_world();
}

static void check_failure(enum loupe_status status, const char *message) {
    struct loupe_error err;
    CHECK_EQ(loupe_fail_at(&err, status, 0x1f00), status);
    CHECK_EQ(err.code, status);
    CHECK_EQ(err.address, 0x1f00);
    CHECK_STR(err.message, message);
}

static void test_failures_without_words_of_their_own_name_address_and_reason(void) {
    check_failure(LOUPE_ENOMEM, "0x1f00 cannot be searched: out of memory");
    check_failure(LOUPE_ELIMIT, "0x1f00 cannot be searched: the limit of bytes to read is reached");
    check_failure(LOUPE_EINTERNAL, "0x1f00 cannot be searched");
}

static void test_target_without_a_runtime(void) {
    drawn_heap_init(&heap, 8);
    check_answer(LOUPE_QUERY_STRONG_REFS, 0x10000,
                 "{'loupe':1,'query':'strong-refs','engine':'drawn','status':'error','abi':null,"
                 "'pointer_size':8,'error':{'code':'no-runtime',"
                 "'message':'no Objective-C runtime that Loupe knows in the "
                 "target','address':null,'detail':null}}");
    drawn_heap_deinit(&heap);
}

int main(void) {
    RUN(test_value_of_an_object_and_of_a_word);
    RUN(test_strong_refs_of_an_object_with_two_strong_ivars);
    RUN(test_an_object_may_be_asked_about_by_a_tagged_address);
    RUN(test_strong_refs_say_why_an_ivar_is_assumed);
    RUN(test_retain_cycles_of_an_object_and_its_block);
    RUN(test_retain_cycles_through_a_block_variable);
    RUN(test_retain_cycles_of_an_object_that_is_in_none);
    RUN(test_tally_takes_the_place_of_the_answer);
    RUN(test_ivar_layout_of_an_object);
    RUN(test_ivar_layout_of_a_class);
    RUN(test_array_of_numbers_is_one_member);
    RUN(test_a_class_by_a_name_that_there_is_none_of);
    RUN(test_ownership_of_an_array_does_not_depend_on_its_length);
    RUN(test_bit_fields_say_which_bits);
    RUN(test_members_beyond_the_limit_are_counted);
    RUN(test_block_layout_of_a_heap_block);
    RUN(test_address_inside_an_object_says_which);
    RUN(test_address_behind_an_object_is_in_none);
    RUN(test_errors_name_the_address_and_the_reason);
    RUN(test_failures_without_words_of_their_own_name_address_and_reason);
    RUN(test_target_without_a_runtime);
    return check_report();
}
