/* References that a host hands over, members that it has read, and which members it is told of. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "loupe.h"
#include "types/cxx_name.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct drawn_world w;

static const char members[] =
    "none _v {vector<id, std::allocator<id>>=\"b\"^@\"e\"^@}; strong _o @";

/* An object with a vector, and one that a host could find in it. */
static loupe_addr owner, peer;
static enum loupe_query query;

static void open_world(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", members);
    owner = drawn_object(&w, "Owner");
    peer = drawn_object(&w, "NSObject");
    query = LOUPE_QUERY_STRONG_REFS;
}

static void close_world(void) {
    drawn_world_deinit(&w);
}

/* The answer to the query about the owner; %s in the arguments are owner and peer. */
static char *ask(const char *arguments) {
    char line[1024];
    struct drawn_text text = {0};
    struct loupe_memory memory;
    char from[24], to[24];
    snprintf(from, sizeof(from), "0x%llx", (unsigned long long)owner);
    snprintf(to, sizeof(to), "0x%llx", (unsigned long long)peer);
    size_t used = 0;
    for (const char *at = arguments; *at && used < sizeof(line) - 32; at++) {
        const char *put = *at == 'F' ? from : *at == 'T' ? to : NULL;
        if (put)
            used += (size_t)snprintf(line + used, sizeof(line) - used, "%s", put);
        else
            line[used++] = *at;
    }
    line[used] = '\0';
    drawn_memory(&heap, &memory);
    struct loupe_question question = {
        .query = query, .address = owner, .engine = "drawn", .arguments = line};
    loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text));
    loupe_memory_deinit(&memory);
    return text.text;
}

static void check_has(const char *arguments, const char *wanted) {
    char *answer = ask(arguments);
    if (!strstr(answer, wanted))
        printf("no %s in %s\n", wanted, answer);
    CHECK(strstr(answer, wanted) != NULL);
    free(answer);
}

static void check_lacks(const char *arguments, const char *unwanted) {
    char *answer = ask(arguments);
    CHECK(strstr(answer, unwanted) == NULL);
    free(answer);
}

static void test_given_reference_is_an_edge_with_its_evidence(void) {
    open_world();
    check_has("ref F ivar strong debug-info 0x7f00 T _v[0]",
              "\"name\":\"_v\",\"path\":\"_v[0]\",\"offset\":null,\"slot\":\"0x7f00\","
              "\"ownership\":\"strong\",\"evidence\":\"debug-info\"");
    check_has("ref F ivar strong formatter +0x8 T a%20b", "\"path\":\"a b\",\"offset\":8,");
    check_has("ref F element strong formatter - T [3]", "\"kind\":\"element\",\"name\":null");
    close_world();
}

static void test_what_nothing_tells_to_be_owned_is_assumed(void) {
    open_world();
    check_has("ref F ivar unclear debug-info 0x7f00 T _v[0]", "\"ownership\":\"assumed\"");
    check_has("ref F ivar manual debug-info 0x7f00 T _v[0]", "\"ownership\":\"assumed\"");
    close_world();
}

static void test_given_word_that_is_no_object_is_counted(void) {
    open_world();
    check_has("ref F ivar strong debug-info 0x7f00 0x10 _v[0]", "\"not_followed\":[{");
    check_lacks("ref F ivar strong debug-info 0x7f00 0x0 _v[0]", "\"evidence\"");
    close_world();
}

static void test_reference_that_the_layout_tells_is_one_edge(void) {
    open_world();
    drawn_set(&w, owner, "_o", peer);
    check_has("", "\"path\":\"_o\"");
    check_lacks("ref F ivar strong debug-info +0x18 T _o", "\"evidence\"");
    close_world();
}

static void test_references_in_one_word_elsewhere_are_one_retain(void) {
    open_world();
    check_has("ref F ivar strong debug-info 0x7f00 T a;ref F ivar strong debug-info 0x7f00 T b",
              "\"slot\":\"0x7f00\",\"ownership\":\"strong\",\"shared\":true,");
    check_lacks("ref F ivar strong debug-info 0x7f00 T a;ref F ivar strong debug-info 0x7f08 T b",
                "\"shared\"");
    check_lacks("ref F ivar strong formatter - T a;ref F ivar strong formatter - T b",
                "\"shared\"");
    close_world();
}

static void test_member_that_was_read_is_not_counted(void) {
    open_world();
    char line[64];
    check_has("", "\"unread\":[{\"reason\":\"C++ members\",\"kind\":\"object\",\"class\":\"Owner\","
                  "\"name\":\"_v\",\"type\":\"vector<id, std::allocator<id>>\",\"offset\":8,");
    snprintf(line, sizeof(line), "read 0x%llx", (unsigned long long)owner + 8);
    check_lacks(line, "\"unread\"");
    check_lacks(line, "C++ member");
    close_world();
}

/* ---- __block variables ---- */

/* A record of two words at 48, with helpers; the layout word. The owner is a block that has it. */
static loupe_addr draw_record(uint64_t layout) {
    loupe_addr byref = drawn_alloc(&heap, 64);
    drawn_put_word(&heap, byref + 8, byref);
    drawn_put_u32(&heap, byref + 16, 0x13000002);
    drawn_put_u32(&heap, byref + 20, 64);
    drawn_put_word(&heap, byref + 40, layout);
    drawn_put_word(&heap, byref + 48, peer);
    owner = drawn_block_of(&w, "r", byref);
    return byref;
}

/* The same question with the references of the byref, to the peer. */
static char *ask_record(loupe_addr byref, const char *format) {
    char line[256];
    snprintf(line, sizeof(line), format, (unsigned long long)byref, (unsigned long long)byref + 48);
    return ask(line);
}

/* Cycles are looked for in all that the owner leads to. */
static void test_cxx_in_a_shared_variable_is_listed_with_its_block(void) {
    open_world();
    loupe_addr byref = draw_record(0);
    char wanted[256];
    query = LOUPE_QUERY_RETAIN_CYCLES;
    snprintf(wanted, sizeof(wanted),
             "\"kind\":\"byref\",\"class\":null,\"name\":null,\"type\":null,\"offset\":48,"
             "\"arc\":null,\"guessed\":false,\"count\":1,\"example\":\"0x%llx\","
             "\"objects\":[\"0x%llx\"],\"holders\":[\"0x%llx\"]",
             (unsigned long long)byref, (unsigned long long)byref, (unsigned long long)owner);
    check_has("list 5", wanted);
    check_has("list 5", "__block variables without a layout");
    check_lacks("", "\"holders\":[\"");
    close_world();
}

static void check_record(loupe_addr byref, const char *format, unsigned edges, bool is_listed) {
    char wanted[32];
    char *answer = ask_record(byref, format);
    snprintf(wanted, sizeof(wanted), "\"edges\":%u,", edges);
    CHECK(strstr(answer, wanted) != NULL);
    CHECK_EQ(strstr(answer, "\"unread\"") != NULL, is_listed);
    free(answer);
}

static void test_what_was_read_corrects_the_layout_of_a_shared_variable(void) {
    open_world();
    query = LOUPE_QUERY_RETAIN_CYCLES;
    loupe_addr byref = draw_record(0x100);
    /* The edge to the byref, and one from it: by the layout, by the host, by both, elsewhere. */
    check_record(byref, "", 2, true);
    check_record(byref, "read 0x%2$llx", 1, false);
    check_record(byref, "ref 0x%llx byref strong debug-info +0x30 T v;read 0x%llx", 2, false);
    check_record(byref, "ref 0x%llx byref strong debug-info +0x30 T v", 2, true);
    check_record(byref, "ref 0x%llx byref strong debug-info 0x7f00 T v[0]", 3, true);
    close_world();
}

static void test_objects_are_listed_as_far_as_asked(void) {
    open_world();
    check_has("list 5", "\"objects\":[\"0x");
    check_lacks("", "\"objects\":[");
    check_lacks("list 0", "\"objects\":[");
    close_world();
}

static void test_arguments_that_make_no_sense_are_refused(void) {
    static const char *const bad[] = {"ref",
                                      "ref F",
                                      "ref F ivar strong debug-info 0x7f00 T",
                                      "ref F ivar strong debug-info 0x7f00 T a b",
                                      "ref F ivar strong debug-info 0x7f00 T ",
                                      "ref F sword strong debug-info 0x7f00 T a",
                                      "ref F ivar weak debug-info 0x7f00 T a",
                                      "ref F ivar strong rumour 0x7f00 T a",
                                      "ref F ivar strong debug-info +7 T a",
                                      "ref F ivar strong debug-info +0x100000000 T a",
                                      "ref F ivar strong debug-info 0x7f00 T a%2",
                                      "ref 0 ivar strong debug-info 0x7f00 T a",
                                      "read",
                                      "read 5",
                                      "read 0x5 0x6",
                                      "list",
                                      "list x",
                                      "list 5x",
                                      "list 99999999999",
                                      "list 1 2"};
    open_world();
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        check_has(bad[i], "\"error\":{\"code\":\"usage\"");
    close_world();
}

/* ---- Names of types ---- */

static void test_templates_over_what_may_own_are_told_by_name(void) {
    static const struct {
        const char *encoding;
        bool may_own;
    } cases[] = {
        {"{vector<id, std::allocator<id>>=\"b\"^@}", true},
        {"{vector<Peer *, std::allocator<Peer *>>=\"b\"^@}", true},
        {"{vector<Peer *__weak, std::allocator<Peer *__weak>>=\"b\"^@}", false},
        {"{vector<__weak id, std::allocator<__weak id>>=\"b\"^@}", false},
        {"{vector<__unsafe_unretained id, std::allocator<__unsafe_unretained id>>=^@}", false},
        {"{map<Peer *__weak, id, std::less<Peer *__weak>>=^@}", true},
        {"{vector<int, std::allocator<int>>=\"b\"^i}", false},
        {"{basic_string<char, std::char_traits<char>, std::allocator<char>>=*}", false},
        {"{unordered_map<std::basic_string<char>, int, std::hash<std::string>>=Q}", false},
        {"{array<unsigned long, 4>=[4Q]}", false},
        {"{unique_ptr<Impl, std::default_delete<Impl>>=^{Impl}}", true},
        {"{weak_ptr<Impl>=^{Impl}}", false},
        {"{shared_ptr<int>=\"p\"^i\"r\"{__shared_count<__gnu_cxx::_S_atomic>=^v}}", false},
        {"{function<void ()>=^?}", true},
        {"{any=\"_M_manager\"^?}", true},
        {"{Slot=\"value\"{any=^?}}", true},
        {"{many=\"any\"i}", false},
        {"{future<void>=^v}", true},
        {"{packaged_task<void ()>=^v}", true},
        {"{Slot=\"uses\"i\"peer\"@\"Peer\"}", false},
        {"{Slot=\"uses\"i\"all\"{vector<id>=^@}}", true},
        {"{Slot=\"text\"{basic_string<char>=*}\"all\"{vector<id>=^@}}", true},
        {"[3{vector<id>=^@}]", true},
        {"{Slot=\"a{vector<id>\"i}", false},
        {"{CGRect=dddd}", false},
        {"{vector<id", true},
        {"{", false},
        {"{<", false},
        {"", false},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        if (loupe_cxx_may_own(loupe_span_of(cases[i].encoding)) != cases[i].may_own)
            printf("%s\n", cases[i].encoding);
        CHECK_EQ(loupe_cxx_may_own(loupe_span_of(cases[i].encoding)), cases[i].may_own);
    }
}

static void test_pointers_to_structs_are_told_by_the_encoding(void) {
    CHECK(loupe_cxx_has_pointers(loupe_span_of("{Engine=\"part\"^{Part}}")));
    CHECK(loupe_cxx_has_pointers(loupe_span_of("{Car=\"engine\"{Engine=\"part\"^{Part}}}")));
    CHECK(!loupe_cxx_has_pointers(loupe_span_of("{Text=\"bytes\"*\"end\"^v\"o\"@}")));
    CHECK(!loupe_cxx_has_pointers(loupe_span_of("{Odd=\"^{\"i}")));
    CHECK(!loupe_cxx_has_pointers(loupe_span_of("^")));
}

int main(void) {
    RUN(test_given_reference_is_an_edge_with_its_evidence);
    RUN(test_what_nothing_tells_to_be_owned_is_assumed);
    RUN(test_given_word_that_is_no_object_is_counted);
    RUN(test_reference_that_the_layout_tells_is_one_edge);
    RUN(test_references_in_one_word_elsewhere_are_one_retain);
    RUN(test_member_that_was_read_is_not_counted);
    RUN(test_cxx_in_a_shared_variable_is_listed_with_its_block);
    RUN(test_what_was_read_corrects_the_layout_of_a_shared_variable);
    RUN(test_objects_are_listed_as_far_as_asked);
    RUN(test_arguments_that_make_no_sense_are_refused);
    RUN(test_templates_over_what_may_own_are_told_by_name);
    RUN(test_pointers_to_structs_are_told_by_the_encoding);
    return check_report();
}
