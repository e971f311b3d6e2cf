/* Roots in a drawn heap: what a scan takes for a reference, and the whole answer to incoming-refs.
 */
#include "check.h"
#include "objects/drawn_objects.h"
#include "memory/drawn_process.h"
#include "loupe.h"

#include <stdlib.h>

enum { DATA = 0x200000 };

static struct drawn_heap heap;
static struct drawn_world w;
static struct drawn_text text;
static loupe_addr holder, held;

/* Holder._x holds Held; a page of data is there for words. */
static void open_world(enum drawn_form form) {
    drawn_world_init(&w, &heap, form);
    drawn_region_add(&heap, DATA, (size_t)3 * LOUPE_PAGE_SIZE);
    drawn_class(&w, "Holder", "NSObject", "strong _x @");
    drawn_class(&w, "Held", "NSObject", "strong _y @");
    holder = drawn_object(&w, "Holder");
    held = drawn_object(&w, "Held");
    drawn_set(&w, holder, "_x", held);
}

static void close_world(void) {
    free(text.text);
    text = (struct drawn_text){0};
    drawn_world_deinit(&w);
}

static enum loupe_status ask(const char *arguments, uint64_t limit) {
    struct loupe_question question = {.query = LOUPE_QUERY_INCOMING_REFS,
                                      .address = held,
                                      .limit = limit,
                                      .engine = "drawn",
                                      .arguments = arguments};
    struct loupe_memory memory;
    free(text.text);
    text = (struct drawn_text){0};
    drawn_memory(&heap, &memory);
    enum loupe_status status =
        loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text));
    loupe_memory_deinit(&memory);
    return status;
}

static bool says(const char *json) {
    return strstr(text.text, json) != NULL;
}

#define SCAN "scan data 0x200000 0x201000"

static void test_word_of_data_is_a_root(void) {
    char want[128];
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA + 24, holder);
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    snprintf(want, sizeof(want),
             "\"root\":{\"kind\":\"data\",\"number\":0,\"slot\":\"0x200018\",\"to\":\"0x%llx\"},"
             "\"way_length\":0,\"way\":[]",
             (unsigned long long)holder);
    CHECK(says(want));
    CHECK(says("\"holders_found\":1"));
    CHECK(says("\"path\":\"_x\""));
    CHECK(says("\"counts\":{\"retains\":1,\"immortal\":false,\"found\":1,\"assumed\":0,"
               "\"shared\":0,\"autoreleased\":0,\"unexplained\":0,\"excess\":0,"
               "\"words\":{\"given\":0,\"data\":0,\"thread-local\":0,"
               "\"kernel\":0,\"autorelease-pool\":0,\"stack\":0,\"register\":0}}"));
    CHECK(says("\"roots_walked\":1,\"bytes_scanned\":4096"));
    close_world();
}

static void test_word_that_leads_to_the_object_itself_is_counted(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 3, 0);
    drawn_put_word(&heap, DATA, held);
    drawn_put_word(&heap, DATA + 8, held);
    CHECK_EQ(ask(SCAN ";scan stack 0x201000 0x202000", 0), LOUPE_OK);
    CHECK(says("\"holders_found\":0,\"holders\":[]"));
    CHECK(says("\"words\":{\"given\":0,\"data\":2,\"thread-local\":0,"));
    CHECK(says("\"roots\":[{\"kind\":\"data\",\"number\":0,\"slot\":\"0x200000\""));
    CHECK(says("\"bytes_scanned\":8192"));
    close_world();
}

static void test_words_that_are_no_objects_are_no_roots(void) {
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA, 42);
    drawn_put_word(&heap, DATA + 8, holder + 4);
    drawn_put_word(&heap, DATA + 16, holder | 1);
    drawn_put_word(&heap, DATA + 24, 0xdead0000);
    drawn_put_word(&heap, DATA + 32, DATA);
    drawn_put_u32(&heap, DATA + 44, (uint32_t)holder); /* not aligned to a word */
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    CHECK(says("\"holders_found\":0"));
    CHECK(says("\"not_followed\":[]"));
    close_world();
}

/* The place where a table has the address of a class begins as an object of that class does. */
static void test_tables_of_classes_are_no_objects(void) {
    open_world(DRAWN_X86_64);
    loupe_addr table = DATA + 0x1800;
    drawn_put_word(&heap, table, drawn_class_named(&w, "Holder")->address);
    drawn_put_word(&heap, table + 8, held);
    drawn_put_word(&heap, DATA, table);
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"holders_found\":1"));
    CHECK(says("\"not_scanned\":[{\"what\":\"beyond-given\"}]"));
    drawn_process_init(&heap);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x1000, true);
    drawn_process_section("__objc_classes", table, 8, true);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    CHECK(says("\"holders_found\":0"));
    CHECK(says("\"roots_walked\":0"));
    drawn_process_init(&heap);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x1000, true);
    drawn_process_section("__objc_classes", table + 8, 8, true);
    drawn_process_section("__objc_classlist", DATA + 0x1000, 0x800, true);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    CHECK(says("\"holders_found\":1"));
    CHECK(says("\"root\":{\"kind\":\"data\",\"number\":0,"));
    CHECK(says("\"image\":\"/app\"}"));
    close_world();
}

static void test_roots_say_whose_they_are(void) {
    char want[160];
    open_world(DRAWN_X86_64);
    drawn_process_init(&heap);
    drawn_process_region(DATA, DATA + 0x1000);
    drawn_process_thread(0x11);
    drawn_process_register("rsp", DATA + 0x800);
    drawn_process_register("r12", held);
    drawn_put_word(&heap, DATA + 0x778, holder); /* below the red zone */
    drawn_put_word(&heap, DATA + 0x800, holder);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    snprintf(want, sizeof(want),
             "\"root\":{\"kind\":\"stack\",\"number\":0,\"slot\":\"0x200800\",\"to\":\"0x%llx\","
             "\"thread\":17}",
             (unsigned long long)holder);
    CHECK(says(want));
    CHECK(says("\"thread\":17,\"register\":\"r12\"}"));
    CHECK(says("\"not_scanned\":[{\"what\":\"autorelease-pools\"},{\"what\":\"thread-local\"},"));
    CHECK_EQ(ask("register 0x12 rbx 0x0;register 0x12 rsp 0x200888", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    CHECK(says("{\"what\":\"registers\",\"thread\":18}") == false);
    close_world();
}

static void test_scan_keeps_to_its_range(void) {
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA, holder);
    drawn_put_word(&heap, DATA + 16, holder);
    CHECK_EQ(ask("scan data 0x200001 0x200010", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    CHECK_EQ(ask("scan data 0x200010 0x200017", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    CHECK_EQ(ask("scan data 0x200010 0x200018", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":1"));
    close_world();
}

static void test_words_of_four_bytes(void) {
    open_world(DRAWN_32_BIT);
    drawn_put_word(&heap, DATA + 4, holder);
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"slot\":\"0x200004\""));
    close_world();
}

static void test_given_object_needs_no_memory(void) {
    char arguments[64];
    open_world(DRAWN_X86_64);
    snprintf(arguments, sizeof(arguments), "root given 0x%llx", (unsigned long long)holder);
    CHECK_EQ(ask(arguments, 0), LOUPE_OK);
    CHECK(says("\"root\":{\"kind\":\"given\",\"number\":0,\"slot\":null"));
    close_world();
}

static void test_way_leads_from_the_root_to_the_holder(void) {
    open_world(DRAWN_X86_64);
    loupe_addr first = drawn_object(&w, "Held");
    drawn_set(&w, first, "_y", holder);
    drawn_put_word(&heap, DATA, first);
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"way_length\":1,\"way\":[{"));
    CHECK(says("\"path\":\"_y\""));
    close_world();
}

static void test_unreadable_pages_are_counted_and_the_others_scanned(void) {
    open_world(DRAWN_X86_64);
    heap.bad_page = DATA + LOUPE_PAGE_SIZE;
    drawn_put_word(&heap, DATA + 2 * LOUPE_PAGE_SIZE, holder);
    CHECK_EQ(ask("scan data 0x200000 0x203000", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":1"));
    CHECK(says("{\"reason\":\"unreadable "
               "memory\",\"count\":1,\"example\":\"0x201000\",\"code\":\"unreadable\"}"));
    close_world();
}

/* An object whose isa leads below a stack pointer, where a function that has returned left a copy
 * of a class: code read as an object can be such a one. */
static void test_class_below_the_stack_pointer_is_none(void) {
    enum {
        STACK = 0x300000,
        POINTER = STACK + 0x2800,
        COPY = STACK + 0x1800,
        LIKENESS = DATA + 0x1040
    };
    uint8_t cls[64];
    open_world(DRAWN_X86_64);
    drawn_region_add(&heap, STACK, (size_t)4 * LOUPE_PAGE_SIZE);
    drawn_get(&heap, drawn_class_named(&w, "Holder")->address, cls, sizeof(cls));
    drawn_put(&heap, COPY, cls, sizeof(cls));
    drawn_put_word(&heap, LIKENESS, COPY);
    drawn_put_word(&heap, DATA, LIKENESS);
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":1"));
    CHECK_EQ(ask("stack-pointer 0x302800;" SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    CHECK(says("\"not_followed\":[]"));
    CHECK_EQ(ask(SCAN ";stack-pointer 0x301800", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":1"));
    close_world();
}

static void test_scan_passes_over_the_unused_stack(void) {
    enum { STACK = 0x300000, SIZE = 0x14000, END = STACK + 0x12800 - LOUPE_RED_ZONE };
    open_world(DRAWN_X86_64);
    drawn_region_add(&heap, STACK, SIZE);
    drawn_put_word(&heap, END - LOUPE_UNUSED_STACK - 8, holder);
    drawn_put_word(&heap, END - LOUPE_UNUSED_STACK, holder);
    drawn_put_word(&heap, END - 8, holder);
    drawn_put_word(&heap, END, holder);
    CHECK_EQ(ask("scan stack 0x300000 0x314000", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":4,\"bytes_scanned\":81920"));
    CHECK_EQ(ask("scan stack 0x300000 0x314000;stack-pointer 0x312800", 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":2,\"bytes_scanned\":16384"));
    CHECK(says("\"not_followed\":[]"));
    close_world();
}

static void test_stack_pointers_that_make_no_sense_are_refused(void) {
    static const char *const wrong[] = {"stack-pointer", "stack-pointer 0x10", "stack-pointer sp",
                                        "stack-pointer 0x1000 0x2000"};
    open_world(DRAWN_X86_64);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        CHECK_EQ(ask(wrong[i], 0), LOUPE_EUSAGE);
        CHECK(says("\"message\":\"an argument that makes no sense: stack-pointer"));
    }
    close_world();
}

static void test_object_below_the_stack_pointer_is_named_as_such(void) {
    char arguments[64], want[64];
    open_world(DRAWN_X86_64);
    snprintf(arguments, sizeof(arguments), "stack-pointer 0x%llx",
             (unsigned long long)held + 0x1000);
    snprintf(want, sizeof(want), "0x%llx is below the stack pointer, where nothing lives",
             (unsigned long long)held);
    CHECK_EQ(ask(arguments, 0), LOUPE_EFAULT);
    CHECK(says(want));
    close_world();
}

static void test_roots_beyond_the_limit_make_the_answer_incomplete(void) {
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA, holder);
    CHECK_EQ(ask(SCAN, 1), LOUPE_OK);
    CHECK(says("\"status\":\"incomplete\""));
    CHECK(says("\"reason\":\"objects beyond the limit\""));
    close_world();
}

/* ---- Autorelease pools ---- */

/* A page with so many entries, which follow. */
static loupe_addr draw_pool(loupe_addr page, loupe_addr parent, loupe_addr child, unsigned entries,
                            const uint64_t *words) {
    uint32_t magic = 0xa1a1a1a1;
    drawn_put(&heap, page, &magic, sizeof(magic));
    drawn_put(&heap, page + 4, "AUTORELEASE!", 12);
    drawn_put_word(&heap, page + 16, page + 56 + 8 * (loupe_addr)entries);
    drawn_put_word(&heap, page + 32, parent);
    drawn_put_word(&heap, page + 40, child);
    for (unsigned i = 0; i < entries; i++)
        drawn_put_word(&heap, page + 56 + 8 * (loupe_addr)i, words[i]);
    return page;
}

static void test_entries_of_autorelease_pools_own_what_they_lead_to(void) {
    enum { FIRST = DATA + LOUPE_PAGE_SIZE, SECOND = FIRST + LOUPE_PAGE_SIZE };
    open_world(DRAWN_X86_64);
    uint64_t first[] = {0, held, held | UINT64_C(2) << 48, 0x2a7}, second[] = {holder};
    draw_pool(FIRST, 0, SECOND, 4, first);
    draw_pool(SECOND, FIRST, 0, 1, second);
    drawn_put_word(&heap, FIRST + 56 + 8 * 4, held); /* behind the last entry */
    drawn_set_count(&w, held, 6, 0);
    drawn_put_word(&heap, DATA, SECOND);
    drawn_put_word(&heap, DATA + 8, FIRST);
    CHECK_EQ(ask("scan thread-local 0x200000 0x201000", 0), LOUPE_OK);
    CHECK(says("\"root\":{\"kind\":\"autorelease-pool\",\"number\":0,\"slot\":\"0x202038\""));
    CHECK(says("\"autorelease-pool\":2,"));
    CHECK(says("\"found\":1,\"assumed\":0,\"shared\":0,\"autoreleased\":4,\"unexplained\":1,"));
    CHECK(says("\"roots_walked\":3"));
    close_world();
}

static void test_pages_that_lie_are_no_pools(void) {
    enum { PAGE = DATA + LOUPE_PAGE_SIZE };
    uint64_t entry = holder;
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA, PAGE);
    draw_pool(PAGE, 0, 0, 1, &entry);
    drawn_put_word(&heap, PAGE + 16, PAGE + 32768); /* ends beyond any page */
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    drawn_put_word(&heap, PAGE + 16, PAGE + 8); /* ends in its header */
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":0"));
    draw_pool(PAGE, PAGE, PAGE, 1, &entry); /* its own parent and child */
    CHECK_EQ(ask(SCAN, 0), LOUPE_OK);
    CHECK(says("\"roots_walked\":1"));
    close_world();
}

static void test_without_roots_only_rings_are_seen(void) {
    open_world(DRAWN_X86_64);
    drawn_set(&w, held, "_y", holder);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    CHECK(says("\"holders_found\":1"));
    CHECK(says("\"root\":null,\"ring\":\"certain\",\"unexplained\":0,\"way_length\":0"));
    close_world();
}

/* ---- The search for other words ---- */

/* Searches DATA to before end, of which the first page is the data of the program. */
static enum loupe_status search(loupe_addr end, const char *arguments) {
    drawn_process_init(&heap);
    drawn_process_region(DATA, end);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x1000, true);
    return ask(arguments, 0);
}

enum { DATA_END = DATA + 0x3000 };

static void test_words_that_no_reference_explains_are_searched_for(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 3, 0);
    drawn_put_word(&heap, DATA, holder);
    drawn_put_word(&heap, DATA + 0x1000, held);
    drawn_put_word(&heap, DATA + 0x1010, UINT64_C(0xffff) << 48 | (held + 7)); /* tagged, inside */
    drawn_put_word(&heap, DATA + 0x1021, held); /* no place of a word */
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(says("\"search\":{\"bytes\":12288,\"complete\":true,\"words\":2,\"freed\":0,"
               "\"examples\":[\"0x201000\",\"0x201010\"]}"));
    CHECK(says("\"verdict\":{\"kind\":\"held\""));
    drawn_set_count(&w, held, 4, 0);
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(says("\"verdict\":{\"kind\":\"leaked\",\"reason\":\"a release is missing"));
    close_world();
}

static void test_words_that_are_known_are_not_others(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 4, 0);
    drawn_put_word(&heap, DATA, held); /* a root */
    drawn_put_word(&heap, DATA + 8, holder);
    drawn_set(&w, held, "_y", held); /* inside of itself */
    drawn_process_init(&heap);
    drawn_process_region(0x10000, 0x100000);
    drawn_process_region(DATA, DATA_END);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x1000, true);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    CHECK(says("\"words\":0,\"freed\":0,\"examples\":[]}"));
    close_world();
}

static loupe_addr word_of(loupe_addr address) {
    uint64_t word;
    drawn_get(&heap, address, &word, sizeof(word));
    return word;
}

/* As behind the key of a bucket that no association is in. */
static void test_what_is_left_over_in_tables_of_the_runtime_is_no_other_word(void) {
    enum { RETAIN = 0x301, BUCKETS = 4, OWN_WORDS = 3, EMPTY_VALUE = 3 * OWN_WORDS + 2 };
    open_world(DRAWN_X86_64);
    loupe_addr other = drawn_object(&w, "Held");
    drawn_set_count(&w, held, 4, 0);
    drawn_associate(&w, other, drawn_alloc(&heap, 1), RETAIN, holder);
    loupe_addr buckets = word_of(w.association_table), own = word_of(buckets + 8);
    CHECK_EQ(word_of(own + (loupe_addr)(BUCKETS - 1) * OWN_WORDS * 8), UINT64_MAX);
    drawn_put_word(&heap, own + EMPTY_VALUE * 8, held);
    drawn_put_word(&heap, DATA, other);
    drawn_process_init(&heap);
    drawn_process_region(0x10000, 0x100000);
    drawn_process_region(DATA, DATA_END);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x1000, true);
    CHECK_EQ(ask(NULL, 0), LOUPE_OK);
    CHECK(says("\"words\":0,\"freed\":0,\"examples\":[]}"));
    close_world();
}

static void test_nothing_is_searched_where_all_is_explained(void) {
    open_world(DRAWN_X86_64);
    drawn_put_word(&heap, DATA, holder);
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(!says("\"search\""));
    CHECK(says("\"verdict\":{\"kind\":\"held\""));
    close_world();
}

static void test_memory_of_the_debugger_is_not_searched(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 9, 0);
    drawn_put_word(&heap, DATA + 0x2000, held);
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(says("\"words\":1,"));
    CHECK_EQ(search(DATA_END, "debugger 0x202000 0x203000"), LOUPE_OK);
    CHECK(says("\"search\":{\"bytes\":8192,\"complete\":true,\"words\":0,"));
    close_world();
}

static void test_memory_that_is_missing_makes_the_search_incomplete(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 9, 0);
    CHECK_EQ(search(DATA + 0x10000, NULL), LOUPE_OK);
    CHECK(says("\"search\":{\"bytes\":12288,\"complete\":false"));
    CHECK(!says("\"kind\":\"leaked\""));
    close_world();
}

/* The stack that no function uses begins and ends anywhere in a page. */
static void test_search_goes_up_to_what_is_left_out(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 9, 0);
    drawn_put_word(&heap, DATA + 0x1830, held);
    drawn_put_word(&heap, DATA + 0x1838, held); /* 64 KB and 128 bytes below the stack pointer */
    CHECK_EQ(search(DATA_END, "stack-pointer 0x2118b8"), LOUPE_OK);
    CHECK(says("\"search\":{\"bytes\":6200,\"complete\":true,\"words\":1,\"freed\":0,"
               "\"examples\":[\"0x201830\"]}"));
    CHECK_EQ(search(DATA_END, "stack-pointer 0x2018b8"), LOUPE_OK);
    CHECK(says("\"search\":{\"bytes\":6088,\"complete\":true,\"words\":1,\"freed\":0,"
               "\"examples\":[\"0x201838\"]}"));
    close_world();
}

/* A chunk of malloc's that counts as free, on a list. */
static void draw_free_chunk(loupe_addr chunk, uint64_t size, loupe_addr list) {
    drawn_put_word(&heap, chunk + 8, size | 1);
    drawn_put_word(&heap, chunk + 16, list);
    drawn_put_word(&heap, chunk + 24, list);
    drawn_put_word(&heap, chunk + size, size);
    drawn_put_word(&heap, chunk + size + 8, 32);
    drawn_put_word(&heap, list + 16, chunk);
    drawn_put_word(&heap, list + 24, chunk);
}

static void test_words_in_freed_memory_own_nothing(void) {
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 9, 0);
    drawn_put_word(&heap, DATA + 0x1080, held);
    draw_free_chunk(DATA + 0x1000, 0x100, DATA + 0x2000);
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(says("\"words\":0,\"freed\":1,\"examples\":[]}"));
    drawn_put_word(&heap, DATA + 0x1110, held); /* behind it */
    CHECK_EQ(search(DATA_END, NULL), LOUPE_OK);
    CHECK(says("\"words\":1,\"freed\":1,\"examples\":[\"0x201110\"]}"));
    close_world();
}

static unsigned asked_to_end, end_after;

static bool is_interrupted(void *ctx) {
    (void)ctx;
    return asked_to_end++ >= end_after;
}

static void test_search_that_is_ended_makes_the_answer_incomplete(void) {
    struct loupe_question question = {.query = LOUPE_QUERY_INCOMING_REFS, .engine = "drawn"};
    struct loupe_reader_ops ops;
    struct loupe_memory memory;
    open_world(DRAWN_X86_64);
    drawn_set_count(&w, held, 9, 0);
    question.address = held;
    for (unsigned with_search = 0; with_search < 2; with_search++) {
        free(text.text);
        text = (struct drawn_text){0};
        drawn_process_init(&heap);
        drawn_process_image("/app");
        drawn_process_section(".data", DATA, 0x1000, true);
        if (with_search)
            drawn_process_region(DATA, DATA_END);
        drawn_memory(&heap, &memory);
        ops = *memory.ops;
        ops.interrupted = is_interrupted;
        memory.ops = &ops;
        end_after = with_search ? asked_to_end : UINT32_MAX; /* as often as without a search */
        asked_to_end = 0;
        CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text)), LOUPE_OK);
        loupe_memory_deinit(&memory);
        CHECK_EQ(says("\"status\":\"incomplete\""), with_search);
    }
    CHECK(says("\"verdict\":{\"kind\":\"unknown\""));
    close_world();
}

static void test_roots_that_make_no_sense_are_refused(void) {
    static const char *const wrong[] = {
        "root given",
        "root given 0x10 0x20",
        "root elsewhere 0x10",
        "root given sixteen",
        "scan data 0x10",
        "scan data 0x20 0x10",
        "scan data 0x10 0x20x",
        "scan data 0x0 0xffffffffffffffff",
        "scan data 0x10 0x100000018",
    };
    open_world(DRAWN_X86_64);
    for (unsigned i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        char arguments[128], message[128];
        snprintf(arguments, sizeof(arguments), "root given 0x10;%s", wrong[i]);
        CHECK_EQ(ask(arguments, 0), LOUPE_EUSAGE);
        snprintf(message, sizeof(message),
                 "{\"code\":\"usage\",\"message\":\"an argument that makes no sense: %s\"",
                 wrong[i]);
        CHECK(says(message));
    }
    close_world();
}

static void test_unknown_argument_is_refused(void) {
    open_world(DRAWN_X86_64);
    CHECK_EQ(ask("meaning of life", 0), LOUPE_EUSAGE);
    CHECK(says("\"message\":\"an argument that Loupe does not know: meaning of life\""));
    close_world();
}

int main(void) {
    RUN(test_word_of_data_is_a_root);
    RUN(test_word_that_leads_to_the_object_itself_is_counted);
    RUN(test_words_that_are_no_objects_are_no_roots);
    RUN(test_tables_of_classes_are_no_objects);
    RUN(test_roots_say_whose_they_are);
    RUN(test_scan_keeps_to_its_range);
    RUN(test_words_of_four_bytes);
    RUN(test_given_object_needs_no_memory);
    RUN(test_way_leads_from_the_root_to_the_holder);
    RUN(test_unreadable_pages_are_counted_and_the_others_scanned);
    RUN(test_class_below_the_stack_pointer_is_none);
    RUN(test_scan_passes_over_the_unused_stack);
    RUN(test_stack_pointers_that_make_no_sense_are_refused);
    RUN(test_object_below_the_stack_pointer_is_named_as_such);
    RUN(test_roots_beyond_the_limit_make_the_answer_incomplete);
    RUN(test_entries_of_autorelease_pools_own_what_they_lead_to);
    RUN(test_pages_that_lie_are_no_pools);
    RUN(test_without_roots_only_rings_are_seen);
    RUN(test_words_that_no_reference_explains_are_searched_for);
    RUN(test_words_that_are_known_are_not_others);
    RUN(test_what_is_left_over_in_tables_of_the_runtime_is_no_other_word);
    RUN(test_nothing_is_searched_where_all_is_explained);
    RUN(test_memory_of_the_debugger_is_not_searched);
    RUN(test_memory_that_is_missing_makes_the_search_incomplete);
    RUN(test_search_goes_up_to_what_is_left_out);
    RUN(test_words_in_freed_memory_own_nothing);
    RUN(test_search_that_is_ended_makes_the_answer_incomplete);
    RUN(test_roots_that_make_no_sense_are_refused);
    RUN(test_unknown_argument_is_refused);
    return check_report();
}
