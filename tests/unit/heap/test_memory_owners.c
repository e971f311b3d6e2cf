/* Whose memory without a class is, by what points to it, and what it is called by that. */
#include "leaks/memory_owners.h"

#include "answers/parts/heap_text.h"
#include "report/heaps/report_trace.h"

#include "check.h"
#include "memory/drawn_heap.h"
#include "memory/drawn_native.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct drawn_native heap;
static struct loupe_memory_owners owners;
static uint32_t frame_class, raw_class;

static void begin(void) {
    drawn_native_init(&heap);
    frame_class = drawn_native_class(&heap, "Frame", LOUPE_CLASS_INSTANCES, LOUPE_NONE);
    raw_class = drawn_native_class(&heap, "(raw memory)", LOUPE_CLASS_RAW, LOUPE_NONE);
}

static uint32_t memory(void) {
    return drawn_native_node(&heap, raw_class, 32);
}

static uint32_t object(void) {
    return drawn_native_node(&heap, frame_class, 32);
}

static void word(uint32_t from, uint32_t to) {
    drawn_native_link(&heap, from, to, LOUPE_LINK_CONSERVATIVE, LOUPE_NONE, 8);
}

static void ivar(uint32_t from, uint32_t to) {
    drawn_native_link(&heap, from, to, LOUPE_LINK_UNOWNED,
                      drawn_native_ivar(&heap, "_bytes", "Frame"), 16);
}

static void end(void) {
    drawn_native_build(&heap);
    loupe_memory_owners_init(&owners, &heap.snapshot, &drawn_chunks);
}

static struct loupe_memory_owner owner_of(uint32_t node) {
    struct loupe_memory_owner owner = {LOUPE_NONE, LOUPE_NO_NODE, LOUPE_NO_EDGE};
    CHECK(loupe_memory_owner_find(&owners, node, &owner));
    return owner;
}

static bool has_owner(uint32_t node) {
    struct loupe_memory_owner owner;
    return loupe_memory_owner_find(&owners, node, &owner);
}

static void test_the_ivar_that_points_to_it(void) {
    begin();
    uint32_t frame = object(), other = object(), buffer = memory();
    uint32_t root = drawn_native_root(&heap, buffer, LOUPE_ROOT_GLOBAL);
    word(other, buffer);
    ivar(frame, buffer);
    end();
    struct loupe_memory_owner owner = owner_of(buffer);
    CHECK_EQ(owner.object, frame);
    CHECK_EQ(owner.root, LOUPE_NONE);
    CHECK_EQ(heap.snapshot.columns.to[owner.link], buffer);
    CHECK(heap.labels[owner.link] != LOUPE_NONE);
    CHECK_EQ(root, 0);
    loupe_memory_owners_deinit(&owners);
}

static void test_a_variable_before_any_pointer_and_a_stack_last(void) {
    begin();
    uint32_t frame = object(), cache = memory(), list = memory(), local = memory();
    uint32_t stack = drawn_native_root(&heap, cache, LOUPE_ROOT_STACK),
             global = drawn_native_root(&heap, cache, LOUPE_ROOT_GLOBAL),
             frame_of_main = drawn_native_root(&heap, list, LOUPE_ROOT_STACK),
             lone = drawn_native_root(&heap, local, LOUPE_ROOT_REGISTER);
    word(frame, cache);
    word(frame, list);
    end();
    CHECK_EQ(owner_of(cache).root, global);
    CHECK_EQ(owner_of(list).object, frame);
    CHECK_EQ(owner_of(local).root, lone);
    CHECK(stack != global && frame_of_main != lone);
    loupe_memory_owners_deinit(&owners);
}

static void test_memory_behind_memory_has_its_owner(void) {
    begin();
    uint32_t frame = object(), first = memory(), second = memory(), third = memory();
    drawn_native_root(&heap, third, LOUPE_ROOT_STACK);
    ivar(frame, first);
    word(first, second);
    word(second, third);
    word(third, first);
    end();
    CHECK(owner_of(first).link != LOUPE_NO_EDGE);
    CHECK_EQ(owner_of(third).object, frame);
    CHECK_EQ(owner_of(third).link, LOUPE_NO_EDGE);
    loupe_memory_owners_deinit(&owners);
}

static void test_what_nothing_points_to_and_what_is_no_memory_has_none(void) {
    begin();
    uint32_t frame = object(), lone = memory(), other = memory(), weakly = memory();
    drawn_native_root(&heap, frame, LOUPE_ROOT_GLOBAL);
    word(lone, other);
    word(other, lone);
    drawn_native_link(&heap, frame, weakly, LOUPE_LINK_WEAK,
                      drawn_native_ivar(&heap, "_weak", "Frame"), 16);
    end();
    CHECK(!has_owner(frame));
    CHECK(!has_owner(lone));
    CHECK(!has_owner(other));
    CHECK(!has_owner(weakly));
    loupe_memory_owners_deinit(&owners);
}

static bool is_memory(uint32_t node) {
    return heap.class_table[heap.classes[node]].kind == LOUPE_CLASS_RAW;
}

/* By the definition: a root or an object points to it, or memory that has an owner does. */
static bool add_to(bool *has, uint32_t from) {
    const struct loupe_columns *columns = &heap.snapshot.columns;
    bool grew = false;
    for (uint32_t link = columns->first[from]; link < columns->first[from + 1]; link++) {
        uint32_t to = columns->to[link];
        if (columns->kinds[link] == LOUPE_LINK_WEAK || !is_memory(to) || has[to])
            continue;
        has[to] = grew = true;
    }
    return grew;
}

static void find_owned(bool *has) {
    const struct loupe_columns *columns = &heap.snapshot.columns;
    for (uint32_t i = 0; i < columns->root_count; i++)
        has[columns->roots[i]] = is_memory(columns->roots[i]);
    for (bool grew = true; grew;) {
        grew = false;
        for (uint32_t node = 0; node < columns->nodes; node++) {
            if (!is_memory(node) || has[node])
                grew |= add_to(has, node);
        }
    }
}

static void check_owner(uint32_t node, bool expected) {
    const struct loupe_columns *columns = &heap.snapshot.columns;
    struct loupe_memory_owner owner;
    bool has = loupe_memory_owner_find(&owners, node, &owner);
    CHECK_EQ(has, expected);
    if (!has)
        return;
    CHECK((owner.root == LOUPE_NONE) != (owner.object == LOUPE_NO_NODE));
    if (owner.link != LOUPE_NO_EDGE) {
        CHECK(owner.link >= columns->first[owner.object] &&
              owner.link < columns->first[owner.object + 1]);
        CHECK_EQ(loupe_link_target(columns, owner.link), node);
    }
}

static void check_random(uint64_t *random) {
    static bool has[DRAWN_NATIVE_NODES];
    drawn_native_random(&heap, random, 200);
    for (uint32_t i = 0; i < heap.snapshot.class_count; i++) {
        if (heap.class_table[i].kind == LOUPE_CLASS_RAW)
            heap.class_table[i].name = drawn_native_string(&heap, "(raw memory)");
    }
    end();
    memset(has, 0, sizeof(has));
    find_owned(has);
    for (uint32_t node = 0; node < heap.snapshot.columns.nodes; node++)
        check_owner(node, has[node]);
    loupe_memory_owners_deinit(&owners);
}

static void test_any_heap(void) {
    uint64_t random = 7;
    for (int i = 0; i < 200; i++)
        check_random(&random);
}

static void test_no_time_says_nothing(void) {
    begin();
    uint32_t frame = object(), buffer = memory();
    ivar(frame, buffer);
    end();
    static const volatile int stopped = 1;
    heap.snapshot.columns.stop = &stopped;
    CHECK(!has_owner(buffer));
    loupe_memory_owners_deinit(&owners);
}

static void test_no_room_says_nothing(void) {
    begin();
    uint32_t frame = object(), buffer = memory();
    ivar(frame, buffer);
    end();
    struct drawn_failing_chunks state = {.fail_at = 2};
    struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
    owners.chunks = &chunks;
    CHECK(!has_owner(buffer));
    loupe_memory_owners_deinit(&owners);
}

/* ---- Names ---- */

static void check_name(uint32_t node, const char *expected) {
    struct loupe_tracer tracer = {
        .snapshot = &heap.snapshot, .columns = heap.snapshot.columns, .owners = &owners};
    struct drawn_text text = {.text = NULL};
    struct loupe_arena arena;
    struct loupe_json json;
    struct loupe_error err;
    const struct json_value *root = NULL;
    struct answer answer;
    char name[128];
    loupe_arena_init(&arena, &drawn_chunks);
    loupe_json_init(&json, drawn_text_sink(&text));
    loupe_json_begin_object(&json);
    loupe_report_heap_object(&json, &heap.snapshot, node);
    loupe_report_part_of(&json, &tracer, node);
    loupe_json_end_object(&json);
    CHECK_EQ(loupe_json_finish(&json), LOUPE_OK);
    CHECK_EQ(json_read(loupe_span_of(text.text), &arena, &root, &err), LOUPE_OK);
    CHECK_EQ(answer_open(&answer, root, &arena), LOUPE_OK);
    answer_memory_name(&answer, root, name, sizeof(name));
    CHECK_STR(name, expected);
    answer_close(&answer);
    loupe_arena_deinit(&arena);
    free(text.text);
}

static void test_names(void) {
    begin();
    uint32_t frame = object(), buffer = memory(), behind = memory(), global = memory(),
             made = memory(), unknown = memory();
    drawn_native_root(&heap, global, LOUPE_ROOT_GLOBAL);
    ivar(frame, buffer);
    word(buffer, behind);
    heap.stacks[made] = drawn_native_call(&heap, "calloc", true,
                                          drawn_native_call(&heap, "load", false, LOUPE_NONE));
    heap.stacks[unknown] = LOUPE_NONE;
    end();
    char of_frame[64];
    snprintf(of_frame, sizeof(of_frame), "memory of Frame 0x%llx",
             (unsigned long long)loupe_snapshot_address(&heap.snapshot, frame));
    check_name(buffer, "buffer of _bytes in Frame");
    check_name(behind, of_frame);
    check_name(global, "memory of a global");
    check_name(made, "memory allocated in load");
    check_name(unknown, "non-object");
    loupe_memory_owners_deinit(&owners);
}

int main(void) {
    RUN(test_the_ivar_that_points_to_it);
    RUN(test_a_variable_before_any_pointer_and_a_stack_last);
    RUN(test_memory_behind_memory_has_its_owner);
    RUN(test_what_nothing_points_to_and_what_is_no_memory_has_none);
    RUN(test_any_heap);
    RUN(test_no_time_says_nothing);
    RUN(test_no_room_says_nothing);
    RUN(test_names);
    return check_report();
}
