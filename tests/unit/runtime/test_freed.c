/* Objects that were freed: the marks in their memory, and near misses without one. */
#include "check.h"
#include "objects/drawn_gnu.h"
#include "objects/drawn_objects.h"
#include "loupe.h"
#include "runtime/free_chunks.h"
#include "runtime/freed.h"
#include "runtime/object.h"

#include <stdlib.h>
#include <string.h>

enum { HEADER = 16, USED = 1 };

static struct drawn_heap heap;
static struct drawn_world w;

/* ---- Asking ---- */

static const char *mark_of(struct drawn_heap *of, loupe_addr address) {
    static char text[256];
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_freed freed;
    drawn_memory(of, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    if (!loupe_freed_at(&target, address, &freed))
        loupe_format(text, sizeof(text), "none");
    else
        loupe_format(text, sizeof(text), "%s%s%s: %s", freed.certain ? "sure" : "maybe",
                     freed.was ? ", was " : "", freed.was ? freed.was : "",
                     loupe_freed_text(freed.mark));
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return text;
}

static const char *error_of(struct drawn_heap *of, loupe_addr address) {
    static char text[256];
    struct loupe_memory memory;
    struct loupe_target target;
    struct loupe_object object;
    struct loupe_error error = {.message = "no error"};
    drawn_memory(of, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    loupe_object_at(&target, address, &object, &error);
    const char *space = strchr(error.message, ' ');
    loupe_format(text, sizeof(text), "%s", space ? space + 1 : error.message);
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    return text;
}

/* ---- malloc() as glibc has it ---- */

static const char in_chunk[] = "sure: malloc has its memory among the free chunks";

/* The memory of a chunk of this size. */
static loupe_addr put_chunk(struct drawn_heap *in, uint64_t size) {
    loupe_addr chunk = drawn_alloc(in, size + HEADER);
    drawn_put_word(in, chunk + 8, size | USED);
    drawn_put_word(in, chunk + size + 8, 32 | USED); /* the next one */
    return chunk + HEADER;
}

static void link_mixed(struct drawn_heap *in, loupe_addr from, loupe_addr to) {
    drawn_put_word(in, from, from >> 12 ^ to);
}

static void open_apple(void) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
}

static void close_apple(void) {
    drawn_world_deinit(&w);
}

static loupe_addr put_apple_object(void) {
    loupe_addr memory = put_chunk(&heap, 32), object = drawn_object(&w, "NSObject");
    uint64_t isa;
    drawn_get(&heap, object, &isa, 8);
    drawn_put_word(&heap, memory, isa);
    return memory;
}

static void test_live_objects_bear_no_mark(void) {
    open_apple();
    CHECK_STR(mark_of(&heap, put_apple_object()), "none");
    CHECK_STR(mark_of(&heap, drawn_object(&w, "NSObject")), "none");
    CHECK_STR(mark_of(&heap, drawn_class_named(&w, "NSObject")->address), "none");
    CHECK_STR(mark_of(&heap, drawn_block_of(&w, "d", (uint64_t)0)), "none");
    CHECK_STR(mark_of(&heap, 0), "none");
    CHECK_STR(mark_of(&heap, 0x7fff00000000), "none");
    CHECK_STR(mark_of(&heap, put_apple_object() + 1), "none");
    close_apple();
}

static void test_chunks_in_the_cache_of_a_thread(void) {
    open_apple();
    loupe_addr first = put_apple_object(), second = put_apple_object();
    link_mixed(&heap, first, second);
    link_mixed(&heap, second, 0);
    CHECK_STR(mark_of(&heap, first), in_chunk);
    CHECK_STR(mark_of(&heap, second), in_chunk);
    CHECK_STR(error_of(&heap, first),
              "is not an object: it was freed: malloc has its memory among the free chunks");
    close_apple();
}

static void test_chunks_in_a_fast_bin(void) {
    open_apple();
    loupe_addr first = put_apple_object(), second = put_apple_object();
    link_mixed(&heap, first, second - HEADER);
    link_mixed(&heap, second, 0);
    CHECK_STR(mark_of(&heap, first), in_chunk);
    close_apple();
}

static void test_links_before_glibc_2_32(void) {
    open_apple();
    loupe_addr first = put_apple_object(), second = put_apple_object();
    drawn_put_word(&heap, first, second);
    drawn_put_word(&heap, second, 0);
    CHECK_STR(mark_of(&heap, first), in_chunk);
    CHECK_STR(mark_of(&heap, second), "none"); /* a plain 0 proves nothing */
    close_apple();
}

static void test_links_to_chunks_of_another_size_are_none(void) {
    open_apple();
    loupe_addr first = put_apple_object(), second = put_chunk(&heap, 48);
    link_mixed(&heap, first, second);
    link_mixed(&heap, second, 0);
    CHECK_STR(mark_of(&heap, first), "none");
    close_apple();
}

static void test_links_in_a_ring_end(void) {
    open_apple();
    loupe_addr first = put_apple_object(), second = put_apple_object();
    drawn_put_word(&heap, first, second);
    drawn_put_word(&heap, second, first);
    CHECK_STR(mark_of(&heap, first), "none");
    close_apple();
}

/* What was freed beside a free chunk became part of it, and keeps its isa. */
static void test_objects_inside_of_a_larger_free_chunk(void) {
    open_apple();
    loupe_addr list = drawn_alloc(&heap, 64), memory = put_chunk(&heap, 256);
    loupe_addr whole = memory - HEADER, object = memory + 64;
    uint64_t isa;
    drawn_get(&heap, drawn_object(&w, "NSObject"), &isa, 8);
    drawn_put_word(&heap, object, isa);
    drawn_put_word(&heap, object - 8, 32 | USED);
    drawn_put_word(&heap, object + 24, (256 - 64 - 32) | USED); /* what stood behind it */
    CHECK_STR(mark_of(&heap, object), "none");
    drawn_put_word(&heap, whole + 256, 256); /* the size of a free chunk before it */
    drawn_put_word(&heap, whole + 256 + 8, 32);
    CHECK_STR(mark_of(&heap, object), "none"); /* on no list yet */
    drawn_put_word(&heap, memory, list);
    drawn_put_word(&heap, memory + 8, list);
    drawn_put_word(&heap, list + 16, whole);
    drawn_put_word(&heap, list + 24, whole);
    CHECK_STR(mark_of(&heap, object), in_chunk);
    close_apple();
}

static bool is_free_word(loupe_addr place) {
    struct loupe_memory memory;
    drawn_memory(&heap, &memory);
    bool free = loupe_is_free_word(&memory, place);
    loupe_memory_deinit(&memory);
    return free;
}

/* All words of a chunk that was freed, but not its neighbours'. */
static void test_words_in_a_free_chunk(void) {
    open_apple();
    loupe_addr list = drawn_alloc(&heap, 64), before = put_chunk(&heap, 64),
               memory = put_chunk(&heap, 256), whole = memory - HEADER;
    drawn_put_word(&heap, before - 8, (whole - before + HEADER) | USED);
    CHECK(!is_free_word(memory + 64));
    drawn_put_word(&heap, whole + 256, 256);
    drawn_put_word(&heap, whole + 256 + 8, 32);
    CHECK(!is_free_word(memory + 64)); /* on no list yet */
    drawn_put_word(&heap, memory, list);
    drawn_put_word(&heap, memory + 8, list);
    drawn_put_word(&heap, list + 16, whole);
    drawn_put_word(&heap, list + 24, whole);
    CHECK(is_free_word(memory + 16));
    CHECK(is_free_word(memory + 64));
    CHECK(is_free_word(whole + 256 - 8));
    CHECK(!is_free_word(whole + 256 + 16));
    CHECK(!is_free_word(before + 8));
    drawn_put_word(&heap, list + 16, memory); /* it was given out */
    CHECK(!is_free_word(memory + 64));
    close_apple();
}

static void test_freed_blocks(void) {
    open_apple();
    loupe_addr block = drawn_block_of(&w, "d", (uint64_t)0);
    uint32_t flags;
    drawn_get(&heap, block + 8, &flags, 4);
    drawn_put_u32(&heap, block + 8, flags & ~0xfffeu);
    CHECK_STR(mark_of(&heap, block),
              "maybe: its retain count is 0, as it is from the call of -dealloc on");
    close_apple();
}

/* ---- Words ---- */

static void test_isas_that_say_it(void) {
    open_apple();
    loupe_addr object = drawn_object(&w, "NSObject");
    drawn_put_word(&heap, object, 0xdeadface);
    CHECK_STR(error_of(&heap, object), "is not an object: it was freed: its isa is 0xdeadface, "
                                       "which gnustep-base writes there last");
    drawn_put_word(&heap, object, 0x5555555555555555);
    CHECK_STR(error_of(&heap, object),
              "is not an object: it may have been freed: its first word is one byte repeated, as "
              "debugging allocators leave freed memory");
    drawn_put_word(&heap, object, 0xaaaaaaaaaaaaaaaa); /* memory that was just given out */
    CHECK_STR(mark_of(&heap, object), "none");
    drawn_put_word(&heap, object, 0);
    CHECK_STR(mark_of(&heap, object), "none");
    close_apple();
}

static void test_zombies_of_apple(void) {
    open_apple();
    drawn_class(&w, "_NSZombie_Owner", NULL, "none isa #");
    drawn_class(&w, "_NSZombie_", NULL, "none isa #");
    drawn_class(&w, "My_NSZombie_Owner", "NSObject", "");
    CHECK_STR(mark_of(&heap, drawn_object(&w, "_NSZombie_Owner")),
              "sure, was Owner: a zombie stands in its place");
    CHECK_STR(mark_of(&heap, drawn_object(&w, "_NSZombie_")), "sure: a zombie stands in its place");
    CHECK_STR(mark_of(&heap, drawn_object(&w, "My_NSZombie_Owner")), "none");
    close_apple();
}

/* ---- GNUstep ---- */

static void test_counts_of_libobjc2_that_are_none(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr root = gnu_put_root();
    loupe_addr object = gnu_put_object(gnu_put_class("Owner", root, 8, NULL, 0), 8);
    drawn_put_word(&gnu_heap, object - 8, 3);
    CHECK_STR(mark_of(&gnu_heap, object), "none");
    drawn_put_word(&gnu_heap, object - 8, 0x5555deadbeef);
    CHECK_STR(mark_of(&gnu_heap, object),
              "maybe: its retain count is not one that an object could have");
    drawn_put_word(&gnu_heap, object - 8, UINT64_MAX >> 1);
    CHECK_STR(mark_of(&gnu_heap, object),
              "maybe: its retain count is 0, as it is from the call of -dealloc on");
    loupe_addr text = gnu_put_object(gnu_put_class("NSConstantString", root, 24, NULL, 0), 24);
    drawn_put_word(&gnu_heap, text - 8, 0x5555deadbeef); /* static, whatever stands before it */
    CHECK_STR(mark_of(&gnu_heap, text), "none");
    gnu_close_heap();
}

static void test_chunks_with_a_count_before_the_object(void) {
    gnu_open_heap(GNUSTEP2);
    loupe_addr cls = gnu_put_class("Owner", gnu_put_root(), 8, NULL, 0);
    loupe_addr memory = put_chunk(&gnu_heap, 32), other = put_chunk(&gnu_heap, 32);
    drawn_put_word(&gnu_heap, memory + 8, cls);
    CHECK_STR(mark_of(&gnu_heap, memory + 8), "none");
    link_mixed(&gnu_heap, memory, other - HEADER);
    link_mixed(&gnu_heap, other, 0);
    CHECK_STR(mark_of(&gnu_heap, memory + 8), in_chunk);
    gnu_close_heap();
}

/* The table with the class of each: its variable has no symbol, only the switch near it has. */
/* What stood there before, four words in front of a live object: isa and text of a constant. */
static void test_leftovers_that_look_like_a_chunk_are_none(void) {
    gnu_open_heap(GCC);
    loupe_addr cls = gnu_put_root(), object = gnu_put_object(cls, 8);
    loupe_addr leftover = object - 32 - HEADER, other = drawn_alloc(&gnu_heap, 32);
    drawn_put_word(&gnu_heap, leftover + 8, cls);
    drawn_put_word(&gnu_heap, leftover + 16, other + 16);
    drawn_put_word(&gnu_heap, other + 8, cls);
    CHECK_STR(mark_of(&gnu_heap, object), "none");
    gnu_close_heap();
}

static void test_zombies_of_gnustep(void) {
    static const struct ivar of_table[] = {{"nodeCount", "Q", 8, 8, NONE},
                                           {"bucketCount", "Q", 16, 8, NONE},
                                           {"buckets", "^v", 24, 8, NONE},
                                           {"legacy", "C", 32, 1, NONE},
                                           {"cb", "^v", 40, 8, NONE}};
    gnu_open_heap(GCC);
    loupe_addr root = gnu_put_root(), owner = gnu_put_class("Owner", root, 8, NULL, 0);
    loupe_addr zombie = gnu_put_object(gnu_put_class("NSZombie", 0, 8, NULL, 0), 8);
    CHECK_STR(mark_of(&gnu_heap, zombie), "sure: a zombie stands in its place");
    loupe_addr variables = drawn_region_add(&gnu_heap, 0x2000000, 4096) ? 0x2000000 : 0;
    loupe_addr table =
        gnu_put_object(gnu_put_class("NSConcreteMapTable", root, 48, IVARS(of_table)), 48);
    loupe_addr chains = drawn_alloc(&gnu_heap, 16), node = drawn_alloc(&gnu_heap, 24);
    drawn_put_word(&gnu_heap, table + 8, 1);
    drawn_put_word(&gnu_heap, table + 16, 1);
    drawn_put_word(&gnu_heap, table + 24, chains);
    drawn_put_word(&gnu_heap, chains, 1);
    drawn_put_word(&gnu_heap, chains + 8, node);
    drawn_put_word(&gnu_heap, node + 8, zombie);
    drawn_put_word(&gnu_heap, node + 16, owner);
    drawn_put_word(&gnu_heap, variables + 1024, table);
    drawn_symbol_add(&gnu_heap, "NSZombieEnabled", variables + 1501);
    CHECK_STR(mark_of(&gnu_heap, zombie), "sure, was Owner: a zombie stands in its place");
    drawn_put_word(&gnu_heap, node + 8, table); /* some other object's */
    CHECK_STR(mark_of(&gnu_heap, zombie), "sure: a zombie stands in its place");
    gnu_close_heap();
}

/* ---- Slots that lead to it ---- */

static char *answer_to(struct drawn_heap *of, enum loupe_query query, loupe_addr address) {
    struct loupe_question question = {.query = query, .address = address, .engine = "drawn"};
    struct drawn_text text = {0};
    struct loupe_memory memory;
    drawn_memory(of, &memory);
    CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text)), LOUPE_OK);
    loupe_memory_deinit(&memory);
    return text.text;
}

static void check_slots(enum loupe_query query, loupe_addr asked, loupe_addr from, loupe_addr to,
                        bool told) {
    char slot[128];
    char *answer = answer_to(&heap, query, asked);
    snprintf(slot, sizeof(slot),
             "\"freed_slots\":[{\"edge\":{\"from\":\"0x%llx\",\"to\":\"0x%llx\",\"kind\":\"ivar\","
             "\"name\":\"_b\"",
             (unsigned long long)from, (unsigned long long)to);
    CHECK_EQ(strstr(answer, slot) != NULL, told);
    CHECK_EQ(strstr(answer, "freed_slots") != NULL, told);
    free(answer);
}

/* Its isa is still there, so that the walk takes it for an object. */
static void test_slots_that_lead_to_what_reads_as_ever(void) {
    for (int was_freed = 0; was_freed < 2; was_freed++) {
        open_apple();
        drawn_class(&w, "Owner", "NSObject", "strong _a @; strong _b @");
        loupe_addr owner = drawn_object(&w, "Owner"), live = drawn_object(&w, "NSObject");
        loupe_addr list = drawn_alloc(&heap, 64), memory = put_chunk(&heap, 256);
        loupe_addr whole = memory - HEADER, object = memory + 64;
        uint64_t isa;
        drawn_get(&heap, owner, &isa, 8);
        drawn_put_word(&heap, object, isa);
        drawn_put_word(&heap, object + 16, owner); /* _b: a ring */
        drawn_put_word(&heap, object - 8, 48 | USED);
        drawn_put_word(&heap, object + 40, (256 - 64 - 48) | USED);
        drawn_put_word(&heap, whole + 256, 256);
        drawn_put_word(&heap, whole + 256 + 8, 32);
        drawn_put_word(&heap, memory, list);
        drawn_put_word(&heap, memory + 8, list);
        drawn_put_word(&heap, list + 16, was_freed ? whole : 0);
        drawn_put_word(&heap, list + 24, whole);
        drawn_set(&w, owner, "_a", live);
        drawn_set(&w, owner, "_b", object);
        check_slots(LOUPE_QUERY_STRONG_REFS, owner, owner, object, was_freed);
        check_slots(LOUPE_QUERY_RETAIN_CYCLES, owner, owner, object, was_freed);
        close_apple();
    }
}

/* More than are listed are counted, each once. */
static void test_slots_beyond_those_that_are_listed(void) {
    enum { SLOTS = 20, IVAR = sizeof("strong _a @; ") - 1 };
    char ivars[SLOTS * IVAR + 1], found[64];
    open_apple();
    for (unsigned i = 0; i < SLOTS; i++)
        snprintf(ivars + i * IVAR, IVAR + 1, "strong _%c @; ", 'a' + (int)i);
    drawn_class(&w, "Owner", "NSObject", ivars);
    loupe_addr owner = drawn_object(&w, "Owner");
    loupe_addr memory = put_apple_object(), other = put_apple_object();
    link_mixed(&heap, memory, other - HEADER);
    link_mixed(&heap, other, 0);
    for (unsigned i = 0; i < SLOTS; i++)
        drawn_put_word(&heap, owner + 8 + 8 * i, memory);
    snprintf(found, sizeof(found), "\"freed_slots_found\":%d,\"freed_slots\":[", (int)SLOTS);
    for (int i = 0; i < 2; i++) {
        char *answer =
            answer_to(&heap, i ? LOUPE_QUERY_RETAIN_CYCLES : LOUPE_QUERY_STRONG_REFS, owner);
        CHECK(strstr(answer, found) != NULL);
        free(answer);
    }
    close_apple();
}

/* ---- Questions that are refused ---- */

static char *refusal_of(struct loupe_question question) {
    struct drawn_text text = {0};
    struct loupe_memory memory;
    question.engine = "drawn";
    drawn_memory(&heap, &memory);
    CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text)),
             LOUPE_ENOTOBJECT);
    loupe_memory_deinit(&memory);
    return text.text;
}

static bool says(const struct loupe_question *question, const char *part) {
    char *answer = refusal_of(*question);
    bool ret = strstr(answer, part) != NULL;
    free(answer);
    return ret;
}

/* Who asks for owners is told who still points there, or why nobody knows. */
static void test_questions_about_owners_of_what_was_freed(void) {
    static const char in_chunks[] = "\"freed\":{\"certain\":true,\"why\":\"malloc has its memory "
                                    "among the free chunks\",\"class\":null}";
    open_apple();
    loupe_addr memory = put_apple_object(), other = put_apple_object();
    link_mixed(&heap, memory, other - HEADER);
    link_mixed(&heap, other, 0);
    struct loupe_question question = {.query = LOUPE_QUERY_STRONG_REFS, .address = memory};
    CHECK(says(&question, "\"detail\":\"freed\"}}"));
    CHECK(!says(&question, "dangling"));
    for (int i = 0; i < 2; i++) {
        question = (struct loupe_question){
            .query = i ? LOUPE_QUERY_RETAIN_CYCLES : LOUPE_QUERY_INCOMING_REFS, .address = memory};
        CHECK(says(&question, in_chunks));
        CHECK(says(&question, "\"dangling_found\":0,\"dangling\":[]"));
        question.others_run = true;
        CHECK(says(&question, "\"dangling\":null,\"dangling_reason\":\"other threads may run "
                              "meanwhile\"}"));
    }
    close_apple();
}

/* ---- What only looks like an object ---- */

static const char looks[] = "it only looks like an object: no allocation begins where its would";

static bool only_looks_like_one(loupe_addr address) {
    char *answer = answer_to(&gnu_heap, LOUPE_QUERY_INCOMING_REFS, address);
    bool ret = strstr(answer, looks) != NULL;
    CHECK_EQ(strstr(answer, "\"kind\":\"unknown\",\"reason\":\"it only looks") != NULL, ret);
    free(answer);
    return ret;
}

/* malloc() gives multiples of 16, and both runtimes add to that what they always add. */
static void test_addresses_that_malloc_does_not_give(void) {
    for (int of = GCC; of <= GNUSTEP2; of++) {
        gnu_open_heap((enum gnu_runtime)of);
        loupe_addr cls = gnu_put_root(), place = drawn_alloc(&gnu_heap, 64);
        drawn_put_word(&gnu_heap, place + 16, cls);
        drawn_put_word(&gnu_heap, place + 40, cls);
        CHECK_EQ(only_looks_like_one(place + 16), of == GNUSTEP2);
        CHECK_EQ(only_looks_like_one(place + 40), of == GCC);
        gnu_close_heap();
    }
}

/* An object with references to as many others, all of which malloc() gave, or all but one. */
static bool looks_like_one_among(unsigned others, bool one_has_no_header) {
    struct ivar ivars[10];
    gnu_open_heap(GCC);
    for (unsigned i = 0; i < others; i++)
        ivars[i] = (struct ivar){"_a", "@", 8 + 8 * i, 8, NONE};
    loupe_addr root = gnu_put_root();
    loupe_addr cls = gnu_put_class("Owner", root, 8 + 8 * others, ivars, others);
    loupe_addr asked = gnu_put_object(cls, 8 + 8 * others);
    for (unsigned i = 0; i < others; i++) {
        loupe_addr other = put_chunk(&gnu_heap, 48) + 16;
        if (one_has_no_header && i == 0)
            drawn_put_word(&gnu_heap, other - 24, 0);
        drawn_put_word(&gnu_heap, other, root);
        drawn_put_word(&gnu_heap, asked + 8 + 8 * i, other);
    }
    bool ret = only_looks_like_one(asked);
    gnu_close_heap();
    return ret;
}

static void test_a_missing_header_tells_where_all_others_have_one(void) {
    CHECK(looks_like_one_among(8, false));
    CHECK(!looks_like_one_among(9, true)); /* then malloc() is not glibc's */
    CHECK(!looks_like_one_among(7, false));
}

int main(void) {
    RUN(test_addresses_that_malloc_does_not_give);
    RUN(test_a_missing_header_tells_where_all_others_have_one);
    RUN(test_slots_that_lead_to_what_reads_as_ever);
    RUN(test_slots_beyond_those_that_are_listed);
    RUN(test_questions_about_owners_of_what_was_freed);
    RUN(test_live_objects_bear_no_mark);
    RUN(test_chunks_in_the_cache_of_a_thread);
    RUN(test_chunks_in_a_fast_bin);
    RUN(test_links_before_glibc_2_32);
    RUN(test_links_to_chunks_of_another_size_are_none);
    RUN(test_links_in_a_ring_end);
    RUN(test_objects_inside_of_a_larger_free_chunk);
    RUN(test_words_in_a_free_chunk);
    RUN(test_freed_blocks);
    RUN(test_isas_that_say_it);
    RUN(test_zombies_of_apple);
    RUN(test_counts_of_libobjc2_that_are_none);
    RUN(test_chunks_with_a_count_before_the_object);
    RUN(test_leftovers_that_look_like_a_chunk_are_none);
    RUN(test_zombies_of_gnustep);
    return check_report();
}
