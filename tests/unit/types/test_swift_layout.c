/* Types of Swift by their mangled names, and where values of them have references. The sizes are
 * those that the compiler of 6.0.3 gives the same declarations (x86-64, Linux). */
#include "check.h"
#include "memory/drawn_heap.h"
#include "swift/layout.h"
#include "swift/places.h"
#include "swift/symbol_names.h"

#include <string.h>

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_target target;
static struct loupe_swift_lowering lowering;
static struct loupe_swift_layout layout;

enum { MODULE = 0, PROTOCOL = 3, CLASS = 16, STRUCT = 17, ENUM = 18 };

static void begin(void) {
    drawn_heap_init(&heap, 8);
    heap.machine.arch = LOUPE_ARCH_X86_64;
}

/* What was read before may have been drawn anew. */
static void open_memory(void) {
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    loupe_swift_lowering_init(&lowering, &target);
}

static void close_memory(void) {
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
}

static void end(void) {
    drawn_heap_deinit(&heap);
}

static void put_relative(loupe_addr place, loupe_addr to) {
    drawn_put_u32(&heap, place, (uint32_t)(to - place));
}

static loupe_addr put_context(uint32_t flags, loupe_addr parent, const char *name) {
    loupe_addr context = drawn_alloc(&heap, 96);
    drawn_put_u32(&heap, context, flags);
    if (parent)
        put_relative(context + 4, parent);
    put_relative(context + 8, drawn_string(&heap, name));
    return context;
}

/* The name of a type in which each "%" is a reference to the next of the descriptors. */
static loupe_addr put_name(const char *text, const loupe_addr *descriptors) {
    loupe_addr name = drawn_alloc(&heap, 128), at = name;
    for (; *text; text++) {
        char c = *text == '%' ? '\1' : *text;
        drawn_put(&heap, at++, &c, 1);
        if (*text == '%') {
            put_relative(at, *descriptors++);
            at += 4;
        }
    }
    return name;
}

struct drawn_case {
    const char *name, *type; /* NULL: a case without a payload */
    loupe_addr of[3];
    uint32_t flags;
};

/* Fields of a structure, or cases of an enum, those with payloads first. */
static void put_records(loupe_addr descriptor, uint32_t shape, const struct drawn_case *cases,
                        uint32_t count) {
    loupe_addr records = drawn_alloc(&heap, 16 + 12 * count);
    uint32_t payloads = 0;
    put_relative(descriptor + 16, records);
    drawn_put_u32(&heap, records + 8, shape | 12 << 16);
    drawn_put_u32(&heap, records + 12, count);
    for (uint32_t i = 0; i < count; i++) {
        loupe_addr record = records + 16 + 12 * (loupe_addr)i;
        drawn_put_u32(&heap, record, cases[i].flags);
        if (cases[i].type)
            put_relative(record + 4, put_name(cases[i].type, cases[i].of));
        put_relative(record + 8, drawn_string(&heap, cases[i].name));
        payloads += cases[i].type != NULL;
    }
    drawn_put_u32(&heap, descriptor + 20, shape == 0 ? count : payloads);
    drawn_put_u32(&heap, descriptor + 24, shape == 0 ? 0 : count - payloads);
}

static bool lower_at(const char *name, const loupe_addr *of, loupe_addr address) {
    loupe_addr place = put_name(name, of);
    open_memory();
    struct loupe_swift_value value = {.type =
                                          loupe_swift_read_type(&target, &lowering.types, place),
                                      .address = address,
                                      .path = "it"};
    bool is_known =
        value.type != LOUPE_NO_SWIFT_TYPE && loupe_swift_lower(&lowering, &value, &layout);
    close_memory();
    return is_known;
}

static bool lower(const char *name, loupe_addr of) {
    return lower_at(name, &of, 0);
}

#define CHECK_SLOT(number, at, owns, called)                                                       \
    do {                                                                                           \
        CHECK(lowering.slot_count > (number));                                                     \
        CHECK_EQ(lowering.slots[number].offset, at);                                               \
        CHECK_EQ(lowering.slots[number].ownership, owns);                                          \
        CHECK_STR(loupe_swift_path(&lowering, &lowering.slots[number]), called);                   \
    } while (0)

static void test_types_of_one_or_two_words(void) {
    static const struct {
        const char *name;
        uint64_t size;
        unsigned slots;
    } types[] = {{"Si", 8, 0},
                 {"Sb", 1, 0},
                 {"SS", 16, 1},
                 {"SSSg", 16, 1},
                 {"SiSg", 9, 0},
                 {"SbSg", 1, 0},
                 {"SbSgSg", 1, 0},
                 {"yycSg", 16, 1},
                 {"ySi_SStc", 16, 1},
                 {"yyXC", 8, 0},
                 {"SaySiG", 8, 1},
                 {"SDySSSiGSg", 8, 1},
                 {"Si_Sbt", 9, 0},
                 {"Sb_Sit", 16, 0},
                 {"yp", 32, 3},
                 {"ypSg", 32, 3},
                 {"yXl", 8, 1},
                 {"yXlSgXw", 8, 1},
                 {"s5UInt8V", 1, 0},
                 {"Bi1_", 1, 0},
                 {"SvSg", 8, 0},
                 {"ScTyyts5NeverOG", 8, 1},
                 {"s5Error_p", 8, 1},
                 {"SH_p", 40, 3},
                 {"SnySiG", 16, 0},
                 {"SsSg", 32, 1},
                 {"SiSSIegyg_Sg", 16, 1},
                 {"SiIegy_13stdoutClosure_SSIegg_06stderrB0tSg", 32, 2},
                 {"IetMy_", 8, 0},
                 {"Si_SS4namet", 24, 1}};
    begin();
    for (unsigned i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        bool is_known = lower(types[i].name, 0);
        CHECK(is_known);
        if (!is_known || layout.size != types[i].size || lowering.slot_count != types[i].slots)
            CHECK_STR(types[i].name, "as large, with as many references");
    }
    end();
}

static void test_references_by_their_ownership(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    CHECK(lower("%", cls));
    CHECK_SLOT(0, 0, LOUPE_SWIFT_STRONG, "it");
    CHECK(lower("%SgXw", cls));
    CHECK_SLOT(0, 0, LOUPE_SWIFT_WEAK, "it");
    CHECK(lower("%Xo", cls));
    CHECK_SLOT(0, 0, LOUPE_SWIFT_UNOWNED, "it");
    CHECK(lower("%SgXu", cls));
    CHECK_SLOT(0, 0, LOUPE_SWIFT_UNMANAGED, "it");
    CHECK(lower("yycSg", cls));
    CHECK_SLOT(0, 8, LOUPE_SWIFT_STRONG, "it");
    CHECK(lowering.slots[0].is_closure);
    CHECK(lower("%z_Xx", cls)); /* the box of a variable */
    CHECK_EQ(layout.size, 8);
    end();
}

static void test_structures(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr style = put_context(STRUCT, module, "Style"),
               pair = put_context(STRUCT, module, "P");
    const struct drawn_case of_pair[] = {{"flag", "Sb", {0}, 0}, {"owner", "%Sg", {cls}, 0}};
    const struct drawn_case of_style[] = {
        {"width", "Sd", {0}, 0}, {"pair", "%", {pair}, 0}, {"last", "Sb", {0}, 0}};
    put_records(pair, 0, of_pair, 2);
    put_records(style, 0, of_style, 3);
    CHECK(lower("%", style));
    CHECK_EQ(layout.size, 25);
    CHECK_EQ(layout.align, 8);
    CHECK_EQ(lowering.slot_count, 1);
    CHECK_SLOT(0, 16, LOUPE_SWIFT_STRONG, "it.pair.owner");
    CHECK(!lowering.slots[0].is_part);
    CHECK(lower("%Sg", style)); /* the reference says that there is none */
    CHECK_EQ(layout.size, 25);
    CHECK(lower("%_Sit", style));
    CHECK_EQ(layout.size, 40);
    CHECK_SLOT(0, 16, LOUPE_SWIFT_STRONG, "it.0.pair.owner");
    end();
}

/* enum State { running(Screen, Int), failed(Error), done(Screen), idle } */
static loupe_addr put_state(loupe_addr module, loupe_addr cls) {
    loupe_addr state = put_context(ENUM, module, "State");
    const struct drawn_case cases[] = {{"running", "%_Sit", {cls}, 0},
                                       {"failed", "s5Error_p", {0}, 0},
                                       {"done", "%", {cls}, 0},
                                       {"idle", NULL, {0}, 0}};
    put_records(state, 3, cases, 4);
    return state;
}

static void test_cases_by_their_bits(void) {
    static const struct {
        uint64_t bits;
        const char *path; /* NULL: no payload */
    } values[] = {{0, "it.running.0"},
                  {UINT64_C(1) << 62, "it.failed"},
                  {UINT64_C(2) << 62, "it.done"},
                  {UINT64_C(3) << 62, NULL}};
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr state = put_state(module, cls), at = drawn_alloc(&heap, 16);
    CHECK(lower("%", state));
    CHECK_EQ(layout.size, 16);
    CHECK_EQ(lowering.slot_count, 3); /* of any value */
    for (unsigned i = 0; i < 4; i++) {
        drawn_put_word(&heap, at, values[i].bits | 0x20000);
        CHECK(lower_at("%", &state, at));
        CHECK(lowering.varies);
        CHECK_EQ(lowering.slot_count, values[i].path != NULL);
        if (values[i].path)
            CHECK_SLOT(0, 0, LOUPE_SWIFT_STRONG, values[i].path);
        CHECK(!values[i].path || lowering.slots[0].is_part);
    }
    end();
}

/* enum E { a(Screen), b(Screen), i(Int), c }: a number has no bits to spare. */
static void test_cases_by_a_byte_behind(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr either = put_context(ENUM, module, "E"), at = drawn_alloc(&heap, 16);
    const struct drawn_case cases[] = {
        {"a", "%", {cls}, 0}, {"b", "%", {cls}, 0}, {"i", "Si", {0}, 0}, {"c", NULL, {0}, 0}};
    put_records(either, 3, cases, 4);
    drawn_put_word(&heap, at + 8, 1);
    CHECK(lower_at("%", &either, at));
    CHECK_EQ(layout.size, 9);
    CHECK_EQ(lowering.slot_count, 1);
    CHECK_SLOT(0, 0, LOUPE_SWIFT_STRONG, "it.b");
    drawn_put_word(&heap, at + 8, 2); /* the number */
    CHECK(lower_at("%", &either, at));
    CHECK_EQ(lowering.slot_count, 0);
    CHECK(lower("%Sg", either));
    CHECK_EQ(layout.size, 9);
    end();
}

static void test_indirect_cases(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Node");
    loupe_addr link = put_context(ENUM, module, "Link");
    const struct drawn_case cases[] = {{"to", "%_%t", {cls, link}, 1}, {"end", NULL, {0}, 0}};
    put_records(link, 2, cases, 2);
    CHECK(lower("%", link));
    CHECK_EQ(layout.size, 8);
    CHECK_EQ(lowering.slot_count, 1);
    CHECK_SLOT(0, 0, LOUPE_SWIFT_STRONG, "it.to");
    end();
}

static void test_protocols(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), swift = put_context(MODULE, 0, "Swift");
    CHECK(lower("%_p", put_context(PROTOCOL, module, "Delegate"))); /* of classes alone */
    CHECK_EQ(layout.size, 16);
    CHECK_EQ(lowering.slot_count, 1);
    CHECK(lower("%_pSgXw", put_context(PROTOCOL, module, "Delegate")));
    CHECK_EQ(layout.size, 16);
    CHECK_SLOT(0, 0, LOUPE_SWIFT_WEAK, "it");
    CHECK(lower("%_p", put_context(PROTOCOL | 1 << 16, module, "Painter")));
    CHECK_EQ(layout.size, 40);
    CHECK(lower("%_p", put_context(PROTOCOL | 1 << 16, swift, "Error")));
    CHECK_EQ(layout.size, 8);
    end();
}

/* Structures in themselves, names that end nowhere, references to nothing. */
static void test_hostile_types(void) {
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), self = put_context(STRUCT, module, "S");
    const struct drawn_case of_self[] = {{"me", "%", {self}, 0}, {"again", "%", {self}, 0}};
    put_records(self, 0, of_self, 2);
    CHECK(!lower("%", self));
    CHECK(!lower("%", 0x12345));
    static const char *const names[] = {"",   "Sg",    "G",    "yyyyG", "_t",    "9Screen", "A",
                                        "AA", "SaySi", "q_Xw", "Xw",    "\1abc", "S99i",    "ySiG"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        CHECK(!lower(names[i], 0));
    end();
}

/* ---- Contexts ---- */

/* What a closure captured, one behind the other: a number's byte, a text, two objects. */
static void test_captures(void) {
    struct loupe_swift_place place;
    begin();
    loupe_addr module = put_context(MODULE, 0, "feed"), cls = put_context(CLASS, module, "Screen");
    loupe_addr descriptor = drawn_alloc(&heap, 64), metadata = drawn_alloc(&heap, 32);
    loupe_addr context = drawn_alloc(&heap, 64);
    const char *const names[] = {"Sb", "SS", "%SgXw", "%"};
    drawn_put_u32(&heap, descriptor, 4);
    for (unsigned i = 0; i < 4; i++)
        put_relative(descriptor + 12 + 4 * (loupe_addr)i, put_name(names[i], &cls));
    drawn_put_word(&heap, metadata, 0x400);
    drawn_put_u32(&heap, metadata + 8, 16);
    drawn_put_word(&heap, metadata + 16, descriptor);
    open_memory();
    struct loupe_swift_word_place word = {
        .object = context, .metadata = metadata, .offset = 48, .size = 64};
    loupe_swift_place_at(&lowering, &word, &place);
    CHECK_EQ(place.kind, LOUPE_SWIFT_PLACE_CAPTURE);
    CHECK_EQ(place.ownership, LOUPE_SWIFT_STRONG);
    CHECK(!place.is_refused);
    word.offset = 40;
    loupe_swift_place_at(&lowering, &word, &place);
    CHECK_EQ(place.ownership, LOUPE_SWIFT_WEAK);
    word.offset = 24; /* how long the text is: a number, whatever it looks like */
    loupe_swift_place_at(&lowering, &word, &place);
    CHECK_EQ(place.ownership, LOUPE_SWIFT_UNMANAGED);
    word.offset = 48;
    word.size = 48; /* less than it would need */
    loupe_swift_place_at(&lowering, &word, &place);
    CHECK(place.is_refused);
    CHECK_EQ(place.ownership, LOUPE_SWIFT_STRONG);
    close_memory();
    end();
}

/* ---- Symbols, as the compiler of 6.0.3 made them ---- */

static void test_names_of_closures(void) {
    static const struct {
        const char *symbol, *name;
    } closures[] = {
        {"$s4feed10FeedScreenC4bindyyFyycfU_", "closure #1 in FeedScreen.bind()"},
        {"$s4feed10FeedScreenC4bindyyFyycfU_TA", "closure #1 in FeedScreen.bind()"},
        {"$s12closure_self12DetailScreenC4bind5title6numberySS_SitFyycfU1_TA",
         "closure #3 in DetailScreen.bind(title:number:)"},
        {"$s6nested6PlayerC10bindNestedyyFyycfU_yycfU_TA",
         "closure #1 in closure #1 in Player.bindNested()"},
        {"$s6nested6PlayerC11descriptionSSycvgSSycfU_TA", "closure #1 in Player.description"},
        {"$s7generic4leakyyFAA4BaseCySSGSicfU_TA", "closure #1 in leak()"},
        {"$s7generic10ObservableC7observeyyyxcFyycfU_", "closure #1 in Observable.observe(_:)"},
    };
    char name[256];
    for (unsigned i = 0; i < sizeof(closures) / sizeof(closures[0]); i++) {
        CHECK(loupe_swift_closure_name(closures[i].symbol, name, sizeof(name)));
        CHECK_STR(name, closures[i].name);
    }
    static const char *const others[] = {"main", "$s4feed10FeedScreenC4bindyyF", "$s",     "$sU_",
                                         "fU_",  "$s4feed10FeedScreenCMa",       "_ZN4fU_"};
    for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
        CHECK(!loupe_swift_closure_name(others[i], name, sizeof(name)));
    CHECK(loupe_swift_is_thunk("$sxIegn_xytIegnr_lTRTA"));
    CHECK(!loupe_swift_is_thunk("$s4feed10FeedScreenC4bindyyFyycfU_TA"));
}

int main(void) {
    RUN(test_types_of_one_or_two_words);
    RUN(test_references_by_their_ownership);
    RUN(test_structures);
    RUN(test_cases_by_their_bits);
    RUN(test_cases_by_a_byte_behind);
    RUN(test_indirect_cases);
    RUN(test_protocols);
    RUN(test_hostile_types);
    RUN(test_captures);
    RUN(test_names_of_closures);
    return check_report();
}
