/* The answer to block-layout: blocks drawn in memory, the whole JSON out. */
#include "check.h"
#include "objects/drawn_block.h"
#include "report/objects/report_block.h"

#include <stdlib.h>

static const struct loupe_block_traits apple = {
    .byref_count_mask = 0xfffe, .byref_count_unit = 2, .has_layouts = true};

static struct drawn_heap heap;
static struct loupe_memory memory;
static struct loupe_target target;
static struct drawn_text text;

static void open_heap(uint8_t pointer_size) {
    drawn_heap_init(&heap, pointer_size);
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    text = (struct drawn_text){0};
}

static void close_heap(void) {
    free(text.text);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    drawn_heap_deinit(&heap);
}

/* Every address that ends in 0 is an object; odd ones are none. */
static struct loupe_span name_class(void *ctx, loupe_addr address) {
    (void)ctx;
    return loupe_span_of(address & 1 ? NULL : "PhotoCell");
}

static const struct loupe_class_namer namer = {.name = name_class};

static enum loupe_status report(loupe_addr address, struct loupe_error *err) {
    struct loupe_block_report made;
    enum loupe_status status = loupe_block_report_make(&target, &apple, namer, address, &made, err);
    if (status)
        return status;
    struct loupe_json json;
    loupe_json_init(&json, drawn_text_sink(&text));
    loupe_json_begin_object(&json);
    loupe_block_report_write(&json, &made);
    loupe_json_end_object(&json);
    return loupe_json_finish(&json);
}

static void test_strong_byref_weak_and_int(void) {
    open_heap(8);
    loupe_addr byref = drawn_byref(&heap, &(struct drawn_byref){.flags = 0x33000004, .size = 48});
    drawn_put_word(&heap, byref + 40, 0x2f00);
    drawn_symbol_add(&heap, "__20-[PhotoCell configure]_block_invoke", 0x1f00);
    loupe_addr block = drawn_block(
        &heap,
        &(struct drawn_block){.isa = 0x5000,
                              .flags = 0xc3000002,
                              .invoke = 0x1f00,
                              .size = 60,
                              .signature = "v8@?0",
                              .layout = 0x111,
                              .descriptor_name = "__block_descriptor_60_e8_32s40r48w_e5_v8\1?0l"});
    drawn_put_word(&heap, block + 32, 0x2f00);
    drawn_put_word(&heap, block + 40, byref);
    drawn_put_word(&heap, block + 48, 0x3f00);
    drawn_put_u32(&heap, block + 56, 42);
    CHECK_EQ(byref, 0x10000);
    CHECK_EQ(block, 0x10060);
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK_STR(
        text.text,
        "{\"block\":{\"address\":\"0x10060\",\"storage\":\"heap\",\"isa\":\"0x5000\","
        "\"flags\":\"0xc3000002\",\"flag_names\":[\"NEEDS_FREE\",\"HAS_COPY_DISPOSE\","
        "\"HAS_SIGNATURE\",\"HAS_EXTENDED_LAYOUT\"],\"reserved\":0,\"retain_count\":1,\"size\":60,"
        "\"invoke\":{\"address\":\"0x1f00\",\"symbol\":\"__20-[PhotoCell configure]_block_invoke\","
        "\"file\":null,\"line\":null},\"descriptor\":\"0x100a8\",\"generic_helpers\":null,"
        "\"signature\":\"v8@?0\",\"prototype\":\"void (^)(void)\",\"owns_captures\":true},"
        "\"layout\":{\"encoding\":\"0x111\",\"ops\":[{\"op\":\"strong\",\"count\":1},"
        "{\"op\":\"byref\",\"count\":1},{\"op\":\"weak\",\"count\":1}],\"end\":\"ended\"},"
        "\"symbol\":{\"name\":\"__block_descriptor_60_e8_32s40r48w_e5_v8\\u0001?0l\","
        "\"used\":true},"
        "\"captures\":["
        "{\"offset\":32,\"size\":8,\"name\":null,\"type\":null,\"kind\":\"strong\","
        "\"value\":\"0x2f00\",\"class\":\"PhotoCell\",\"evidence\":[\"symbol\",\"layout\"],"
        "\"byref\":null},"
        "{\"offset\":40,\"size\":8,\"name\":null,\"type\":null,\"kind\":\"byref\","
        "\"value\":\"0x10000\",\"class\":null,\"evidence\":[\"symbol\",\"layout\"],"
        "\"byref\":{\"address\":\"0x10000\",\"flags\":\"0x33000004\",\"kind\":\"strong\","
        "\"size\":48,\"storage\":\"heap\",\"retain_count\":2,\"variable_offset\":40,"
        "\"variable\":{\"offset\":40,\"size\":8,\"name\":null,\"type\":null,\"kind\":\"strong\","
        "\"value\":\"0x2f00\",\"class\":\"PhotoCell\",\"evidence\":[\"flags\"]},"
        "\"variables\":[{\"offset\":40,\"size\":8,\"name\":null,\"type\":null,"
        "\"kind\":\"strong\",\"value\":\"0x2f00\",\"class\":\"PhotoCell\","
        "\"evidence\":[\"flags\"]}]}},"
        "{\"offset\":48,\"size\":8,\"name\":null,\"type\":null,\"kind\":\"weak\","
        "\"value\":\"0x3f00\",\"class\":\"PhotoCell\",\"evidence\":[\"symbol\",\"layout\"],"
        "\"byref\":null},"
        "{\"offset\":56,\"size\":4,\"name\":null,\"type\":null,\"kind\":\"data\","
        "\"value\":\"0x2a\",\"class\":null,\"evidence\":[\"symbol\",\"layout\"],"
        "\"byref\":null}],"
        "\"conflicts\":[]}");
    close_heap();
}

static void test_conflict_is_shown(void) {
    open_heap(8);
    loupe_addr block = drawn_block(
        &heap, &(struct drawn_block){.flags = 0xc2000000,
                                     .size = 48,
                                     .layout = 0x200,
                                     .descriptor_name = "__block_descriptor_48_e8_32o_e5_v8\1?0l"});
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK(strstr(text.text, "\"conflicts\":[{\"offset\":40,\"kept\":\"unretained\","
                            "\"discarded\":\"strong\",\"kept_by\":\"symbol\","
                            "\"discarded_by\":\"layout\"}]") != NULL);
    close_heap();
}

static void test_undescribed_captures_are_a_finding(void) {
    open_heap(8);
    loupe_addr block = drawn_block(&heap, &(struct drawn_block){.flags = 0x42000000, .size = 48});
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_BLOCK_LAYOUT].count, 1);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_BLOCK_LAYOUT].example, block + 32);
    CHECK(strstr(text.text, "\"layout\":{\"encoding\":null,\"ops\":[],\"end\":null}") != NULL);
    close_heap();
}

static void test_undescribed_words_are_shown_one_by_one_with_the_objects_in_them(void) {
    open_heap(8);
    loupe_addr block = drawn_block(
        &heap, &(struct drawn_block){.flags = 0xc6000000,
                                     .size = 60,
                                     .layout = 0x100,
                                     .descriptor_name =
                                         "__block_descriptor_60_ea8_32s40c6_ZTS1V_e5_v8\1?0l"});
    drawn_put_word(&heap, block + 40, 0x2f01);
    drawn_put_word(&heap, block + 48, 0x3f00);
    drawn_put_u32(&heap, block + 56, 7);
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK(strstr(text.text, "{\"offset\":40,\"size\":8,\"name\":null,\"type\":\"_ZTS1V\","
                            "\"kind\":\"unknown\",\"value\":\"0x2f01\",\"class\":null,"
                            "\"evidence\":[\"symbol\"],\"byref\":null},"
                            "{\"offset\":48,\"size\":8,\"name\":null,\"type\":\"_ZTS1V\","
                            "\"kind\":\"unknown\",\"value\":\"0x3f00\",\"class\":\"PhotoCell\","
                            "\"evidence\":[\"symbol\"],\"byref\":null},"
                            "{\"offset\":56,\"size\":4,") != NULL);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_CXX].count, 1);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_BLOCK_LAYOUT].count, 0);
    close_heap();
}

static void test_endless_undescribed_bytes_are_cut_into_few(void) {
    open_heap(8);
    loupe_addr block =
        drawn_block(&heap, &(struct drawn_block){.flags = 0x42000000, .size = 40 + 8 * 1000});
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    unsigned count = 0;
    for (const char *at = text.text; (at = strstr(at, "\"kind\":\"unknown\"")); at++)
        count++;
    CHECK_EQ(count, 65);
    CHECK(strstr(text.text, "{\"offset\":544,\"size\":7496,") != NULL);
    close_heap();
}

static void test_byref_that_cannot_be_read_is_a_finding(void) {
    open_heap(8);
    loupe_addr block =
        drawn_block(&heap, &(struct drawn_block){.flags = 0xc2000000, .size = 40, .layout = 0x010});
    drawn_put_word(&heap, block + 32, 0x900000);
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK_EQ(target.findings.by_reason[LOUPE_FINDING_BYREF_LAYOUT].count, 1);
    CHECK(strstr(text.text, "\"byref\":null") != NULL);
    close_heap();
}

static void test_record_lists_its_parts_and_the_first_reference(void) {
    open_heap(8);
    loupe_addr byref = drawn_byref(
        &heap,
        &(struct drawn_byref){.flags = 0x12000000, .size = 88, .layout_bytes = "\x20\x30\x50"});
    drawn_put_word(&heap, byref + 56, 0x2f00);
    loupe_addr block =
        drawn_block(&heap, &(struct drawn_block){.flags = 0xc2000000, .size = 40, .layout = 0x010});
    drawn_put_word(&heap, block + 32, byref);
    CHECK_EQ(report(block, NULL), LOUPE_OK);
    CHECK(strstr(text.text, "\"variable\":{\"offset\":56,\"size\":8,\"name\":null,\"type\":null,"
                            "\"kind\":\"strong\",\"value\":\"0x2f00\"") != NULL);
    CHECK(strstr(text.text, "\"variables\":[{\"offset\":48,") != NULL);
    close_heap();
}

static void test_garbage_is_an_error_with_its_address(void) {
    open_heap(8);
    struct loupe_error err = {0};
    loupe_addr garbage = drawn_alloc(&heap, 64);
    CHECK_EQ(report(garbage, &err), LOUPE_ENOTOBJECT);
    CHECK_EQ(err.address, garbage);
    CHECK_STR(err.message, "0x10000 is not a block: its descriptor is nil");
    CHECK_EQ(report(0x900000, &err), LOUPE_EFAULT);
    CHECK_EQ(err.address, 0x900000);
    close_heap();
}

/* A block that asks for every source: names, layout string, generic information, a record. */
static loupe_addr draw_everything(void) {
    loupe_addr byref = drawn_byref(
        &heap, &(struct drawn_byref){.flags = 0x13000004, .size = 88, .layout_bytes = "\x30\x50"});
    loupe_addr block = drawn_block(
        &heap,
        &(struct drawn_block){.flags = 0xc3000002,
                              .size = 56,
                              .signature = "v8@?0",
                              .layout_bytes = "\x30\x40\x30",
                              .in_descriptor_flags = 0xc200c000,
                              .generic_bytes = "\x01\x30\x50\x30",
                              .copy_name = "__copy_helper_block_e8_32s40r48s",
                              .descriptor_name = "__block_descriptor_56_e8_32s40r48s_e5_v8\1?0l"});
    drawn_put_word(&heap, block + 40, byref);
    return block;
}

static void test_every_failing_read_is_an_answer_or_an_error(void) {
    open_heap(8);
    CHECK_EQ(report(draw_everything(), NULL), LOUPE_OK);
    uint64_t reads = heap.reads;
    close_heap();
    for (uint64_t n = 1; n <= reads; n++) {
        open_heap(8);
        loupe_addr block = draw_everything();
        heap.fail_at = n;
        enum loupe_status status = report(block, NULL);
        CHECK(status == LOUPE_OK || status == LOUPE_EFAULT);
        CHECK(status || text.length > 0);
        close_heap();
    }
}

static void test_every_failing_page_is_an_answer_or_an_error(void) {
    unsigned answers = 0, errors = 0;
    for (loupe_addr bad = 0x10000, end = bad + 1; bad < end; bad += LOUPE_PAGE_SIZE) {
        open_heap(8);
        heap.alignment = LOUPE_PAGE_SIZE; /* so that each thing fails alone */
        loupe_addr block = draw_everything();
        end = heap.next;
        heap.bad_page = bad;
        enum loupe_status status = report(block, NULL);
        CHECK(status == LOUPE_OK || status == LOUPE_EFAULT);
        answers += status == LOUPE_OK;
        errors += status != LOUPE_OK;
        close_heap();
    }
    CHECK_EQ(errors, 2); /* the literal and the descriptor; without the rest there is an answer */
    CHECK(answers > 4);
}

static void test_every_failing_allocation_is_no_memory(void) {
    open_heap(8);
    loupe_addr block = draw_everything();
    unsigned failed = 0;
    for (size_t room = 0; room < 32768; room += 16) {
        struct drawn_failing_chunks state;
        struct loupe_chunk_ops chunks;
        struct loupe_target tight = target;
        struct loupe_error err = {0};
        struct loupe_block_report made;
        drawn_tight_arena(&tight.arena, &chunks, &state, room);
        enum loupe_status status =
            loupe_block_report_make(&tight, &apple, namer, block, &made, &err);
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        CHECK_EQ(err.code, status);
        failed += status != LOUPE_OK;
        loupe_arena_deinit(&tight.arena);
        CHECK_EQ(state.outstanding, 0);
    }
    CHECK(failed > 10 && failed < 2048);
    close_heap();
}

static void test_every_failing_chunk_is_no_memory(void) {
    for (uint64_t n = 1; n < 8; n++) {
        drawn_heap_init(&heap, 8);
        struct drawn_failing_chunks state = {.fail_at = n};
        struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
        drawn_memory(&heap, &memory);
        loupe_memory_init(&memory, memory.ops, memory.ctx, memory.machine, &chunks);
        loupe_target_init(&target, &memory, &chunks);
        text = (struct drawn_text){0};
        struct loupe_error err = {0};
        enum loupe_status status = report(draw_everything(), &err);
        CHECK(status == LOUPE_OK || status == LOUPE_ENOMEM);
        CHECK(n > 1 || status == LOUPE_ENOMEM);
        CHECK(n < 7 || status == LOUPE_OK);
        close_heap();
        CHECK_EQ(state.outstanding, 0);
    }
}

int main(void) {
    RUN(test_strong_byref_weak_and_int);
    RUN(test_conflict_is_shown);
    RUN(test_undescribed_captures_are_a_finding);
    RUN(test_undescribed_words_are_shown_one_by_one_with_the_objects_in_them);
    RUN(test_endless_undescribed_bytes_are_cut_into_few);
    RUN(test_byref_that_cannot_be_read_is_a_finding);
    RUN(test_record_lists_its_parts_and_the_first_reference);
    RUN(test_garbage_is_an_error_with_its_address);
    RUN(test_every_failing_read_is_an_answer_or_an_error);
    RUN(test_every_failing_page_is_an_answer_or_an_error);
    RUN(test_every_failing_allocation_is_no_memory);
    RUN(test_every_failing_chunk_is_no_memory);
    return check_report();
}
