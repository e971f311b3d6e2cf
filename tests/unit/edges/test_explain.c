/* References that own nothing, from a drawn heap to the answer: which are kept, and why. */
#include "check.h"
#include "objects/drawn_collections.h"
#include "objects/drawn_objects.h"
#include "loupe.h"

#include <stdlib.h>

static struct drawn_heap heap;
static struct drawn_world w;
static struct drawn_text text;

static void close_world(void) {
    free(text.text);
    text = (struct drawn_text){0};
    drawn_world_deinit(&w);
}

static void ask(enum loupe_query query, loupe_addr address, const char *arguments) {
    struct loupe_question question = {
        .query = query, .address = address, .engine = "drawn", .arguments = arguments};
    struct loupe_memory memory;
    free(text.text);
    text = (struct drawn_text){0};
    drawn_memory(&heap, &memory);
    CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text)), LOUPE_OK);
    loupe_memory_deinit(&memory);
}

static bool says(const char *json) {
    return strstr(text.text, json) != NULL;
}

/* How often a text stands in the answer. */
static unsigned count(const char *json) {
    unsigned found = 0;
    for (const char *at = text.text; (at = strstr(at, json)); at++)
        found++;
    return found;
}

static void test_weak_and_unretained_ivars_are_listed_with_their_reasons(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject",
                "strong _s @; weak _w @; none _u @; none _p ^v; none _n @; weak _nil @");
    loupe_addr owner = drawn_object(&w, "Owner"), other = drawn_object(&w, "NSObject");
    drawn_set(&w, owner, "_s", other);
    drawn_set(&w, owner, "_w", other);
    drawn_set(&w, owner, "_u", other);
    drawn_set(&w, owner, "_p", other);
    drawn_set(&w, owner, "_n", 0x2a7); /* a tagged pointer */
    ask(LOUPE_QUERY_STRONG_REFS, owner, "explain");
    CHECK(says("\"path\":\"_w\",\"offset\":16"));
    CHECK(says("\"ownership\":\"weak\"},\"reason\":\"the ivar is weak\"}"));
    CHECK(says("\"path\":\"_u\",\"offset\":24"));
    CHECK(says("\"ownership\":\"unretained\"},\"reason\":\"the ivar is unsafe_unretained\"}"));
    CHECK_EQ(count("\"reason\":\"the "), 2);
    CHECK_EQ(count("\"ownership\":\"strong\""), 1);
    ask(LOUPE_QUERY_STRONG_REFS, owner, NULL);
    CHECK(!says("not_counted"));
    close_world();
}

static void test_target_that_nothing_else_mentions_is_an_object_of_the_answer(void) {
    char want[64];
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "weak _w @; none _bad @");
    drawn_class(&w, "Other", "NSObject", "");
    loupe_addr owner = drawn_object(&w, "Owner"), other = drawn_object(&w, "Other");
    drawn_set(&w, owner, "_w", other);
    drawn_set(&w, owner, "_bad", 0xdead0000);
    ask(LOUPE_QUERY_STRONG_REFS, owner, "explain");
    snprintf(want, sizeof(want), "\"0x%llx\":{\"class\":\"Other\"", (unsigned long long)other);
    CHECK(says(want));
    CHECK(says("\"to\":\"0xdead0000\""));
    CHECK(says("\"edges\":[]"));
    CHECK(says("\"not_followed\":[]"));
    close_world();
}

static void test_property_that_assigns_in_manual_code(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    w.manual = true;
    drawn_class(&w, "Owner", "NSObject", "none _a @; none _r @; none _x @");
    drawn_properties(&w, "Owner", "a T@,N,V_a; r T@,&,N,V_r");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_a", owner);
    drawn_set(&w, owner, "_r", owner);
    drawn_set(&w, owner, "_x", owner);
    ask(LOUPE_QUERY_STRONG_REFS, owner, "explain");
    CHECK(says("\"reason\":\"manual retain/release: its property assigns\""));
    CHECK_EQ(count("\"reason\":"), 1);
    CHECK_EQ(count("\"ownership\":\"assumed\""), 2);
    close_world();
}

static void test_weak_and_unretained_captures(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr object = drawn_object(&w, "NSObject");
    ask(LOUPE_QUERY_STRONG_REFS, drawn_block_of(&w, "swud", object, object, object, object),
        "explain");
    CHECK(says("\"reason\":\"the block captured it weakly\""));
    CHECK(says("\"reason\":\"the block captured it without retaining it\""));
    CHECK_EQ(count("\"reason\":\"the "), 2);
    close_world();
}

static void test_weak_block_variable(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _handler @?");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_handler", drawn_block_of(&w, "r", drawn_byref_of(&w, 4, owner)));
    ask(LOUPE_QUERY_RETAIN_CYCLES, owner, "explain");
    CHECK(says("\"knots_found\":0"));
    CHECK(says("\"weak_rings\":{\"found\":1,\"sorts_found\":1,\"all\":true,\"sorts\":[{\"edge\":"));
    CHECK(says("\"reason\":\"the __block variable is weak\",\"count\":1,\"way\":[{"));
    close_world();
}

static void test_weak_delegate_would_close_a_ring(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Screen", "NSObject", "strong _list @; strong _other @");
    drawn_class(&w, "List", "NSObject", "weak _delegate @; weak _stranger @");
    loupe_addr screen = drawn_object(&w, "Screen"), list = drawn_object(&w, "List");
    drawn_set(&w, screen, "_list", list);
    drawn_set(&w, screen, "_other", drawn_object(&w, "NSObject"));
    drawn_set(&w, list, "_delegate", screen);
    drawn_set(&w, list, "_stranger", drawn_object(&w, "Screen"));
    ask(LOUPE_QUERY_RETAIN_CYCLES, screen, "explain");
    CHECK(says("\"weak_rings\":{\"found\":1,"));
    CHECK(says("\"path\":\"_delegate\""));
    CHECK(!says("_stranger"));
    CHECK(says("\"stats\":{\"objects\":3,")); /* nothing was walked that is only referred to */
    close_world();
}

static void test_collections_that_do_not_own_what_is_in_them(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    loupe_addr a = drawn_object(&w, "NSObject"), b = drawn_object(&w, "NSObject");
    ask(LOUPE_QUERY_STRONG_REFS, drawn_hash_table(&w, false, 2, a, b), "explain");
    CHECK_EQ(count("\"reason\":\"the collection does not retain its elements\""), 2);
    CHECK(says("\"kind\":\"element\",\"name\":null,\"path\":\"[*]\""));
    loupe_addr table =
        drawn_map_table(&w, true, false, 2, drawn_text(&w, "title"), a, b, (loupe_addr)7);
    ask(LOUPE_QUERY_STRONG_REFS, table, "explain");
    CHECK_EQ(count("\"ownership\":\"strong\""), 2);
    CHECK(says("\"path\":\"[\\\"title\\\"]\""));
    CHECK_EQ(count("\"reason\":\"the table does not retain its values\""), 1);
    CHECK_EQ(count("\"reason\":"), 1);
    ask(LOUPE_QUERY_STRONG_REFS, drawn_map_table(&w, false, true, 1, a, b), "explain");
    CHECK(says("\"reason\":\"the table does not retain its keys\""));
    close_world();
}

static void test_elements_of_one_collection_are_one_sort(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _list @");
    loupe_addr owner = drawn_object(&w, "Owner");
    drawn_set(&w, owner, "_list", drawn_pointer_array(&w, false, 2, owner, owner));
    ask(LOUPE_QUERY_RETAIN_CYCLES, owner, "explain");
    CHECK(says("\"weak_rings\":{\"found\":2,\"sorts_found\":1,"));
    close_world();
}

static void test_ivars_that_a_rule_leaves_out(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    w.manual = true;
    drawn_class(&w, "NSKeyValueObservance", "NSObject", "none _observer @; none _property @");
    loupe_addr observance = drawn_object(&w, "NSKeyValueObservance");
    drawn_set(&w, observance, "_observer", observance);
    drawn_set(&w, observance, "_property", observance);
    ask(LOUPE_QUERY_STRONG_REFS, observance, "explain");
    CHECK(says("\"path\":\"_observer\",\"offset\":8"));
    CHECK(says("\"reason\":\"manual retain/release: its class does not retain it\""));
    CHECK_EQ(count("\"reason\":"), 1);
    CHECK_EQ(count("\"ownership\":\"strong\""), 1);
    close_world();
}

static void test_assigned_association(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "");
    loupe_addr owner = drawn_object(&w, "Owner"), other = drawn_object(&w, "NSObject");
    drawn_associate(&w, owner, 0x1000, 0, other); /* OBJC_ASSOCIATION_ASSIGN */
    drawn_associate(&w, owner, 0x1001, 0, 1);     /* a number, as of -[Owner isReady] */
    drawn_associate(&w, owner, 0x1002, 1, other);
    ask(LOUPE_QUERY_STRONG_REFS, owner, "explain");
    CHECK_EQ(count("\"reason\":\"it is associated with OBJC_ASSOCIATION_ASSIGN\""), 1);
    CHECK_EQ(count("\"reason\":"), 1);
    CHECK_EQ(count("\"ownership\":\"strong\""), 1);
    close_world();
}

static void test_incoming_lists_who_does_not_own(void) {
    char arguments[64];
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Owner", "NSObject", "strong _s @; weak _w @");
    loupe_addr owner = drawn_object(&w, "Owner"), held = drawn_object(&w, "NSObject");
    drawn_set(&w, owner, "_w", held);
    snprintf(arguments, sizeof(arguments), "explain;root given 0x%llx", (unsigned long long)owner);
    ask(LOUPE_QUERY_INCOMING_REFS, held, arguments);
    CHECK(says("\"holders_found\":0"));
    CHECK(says("\"class\":\"Owner\""));
    CHECK(says("\"not_counted_found\":1"));
    CHECK(says("\"reason\":\"the ivar is weak\""));
    close_world();
}

int main(void) {
    RUN(test_weak_and_unretained_ivars_are_listed_with_their_reasons);
    RUN(test_target_that_nothing_else_mentions_is_an_object_of_the_answer);
    RUN(test_property_that_assigns_in_manual_code);
    RUN(test_ivars_that_a_rule_leaves_out);
    RUN(test_weak_and_unretained_captures);
    RUN(test_weak_block_variable);
    RUN(test_weak_delegate_would_close_a_ring);
    RUN(test_collections_that_do_not_own_what_is_in_them);
    RUN(test_elements_of_one_collection_are_one_sort);
    RUN(test_assigned_association);
    RUN(test_incoming_lists_who_does_not_own);
    return check_report();
}
