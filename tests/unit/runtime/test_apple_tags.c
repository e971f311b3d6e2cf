/* Strings, numbers, dates and paths of indexes that are a word, in every form of Apple's tags. */
#include "check.h"
#include "objects/drawn_objects.h"
#include "runtime/abi.h"
#include "runtime/values/string_text.h"
#include "runtime/values/tagged_values.h"

#include <string.h>

static struct loupe_tagging low = {.form = LOUPE_TAGS_LOW}, high = {.form = LOUPE_TAGS_HIGH};
static const struct loupe_tagging split = {.form = LOUPE_TAGS_SPLIT,
                                           .obfuscator = 0x2a5f00d1ce9b7a58,
                                           .permutation = {4, 0, 6, 1, 5, 3, 2, 7}};

/* As _objc_makeTaggedPointer() does it. */
static uint64_t word_of(const struct loupe_tagging *tagging, uint64_t tag, uint64_t payload) {
    uint64_t word = tagging->form == LOUPE_TAGS_LOW    ? payload << 4 | tag << 1 | 1
                    : tagging->form == LOUPE_TAGS_HIGH ? payload | (tag | 8) << 60
                                                       : (uint64_t)1 << 63 | payload << 3;
    return (word ^ tagging->obfuscator) |
           (tagging->form == LOUPE_TAGS_SPLIT ? tagging->permutation[tag] : 0);
}

static void check_word(const struct loupe_tagging *tagging, uint64_t word, const char *class_name,
                       const char *expected) {
    char text[64];
    size_t length = loupe_tagged_value(tagging, word, text, sizeof(text));
    CHECK_STR(text, expected);
    CHECK_EQ(length, strlen(expected));
    const char *found = loupe_tagged_class(tagging, word);
    CHECK_STR(found ? found : "", class_name);
}

/* In each form, as it stands and obfuscated. */
static void check(uint64_t tag, uint64_t payload, const char *class_name, const char *expected) {
    static const uint64_t obfuscators[] = {0, 0x5c3a91e7040b6ff0};
    /* Cap: all of a table. */
    for (unsigned i = 0; i < sizeof(obfuscators) / sizeof(obfuscators[0]); i++) {
        low.obfuscator = obfuscators[i] & ~UINT64_C(1);
        high.obfuscator = obfuscators[i] & ~(UINT64_C(1) << 63);
        check_word(&low, word_of(&low, tag, payload), class_name, expected);
        check_word(&high, word_of(&high, tag, payload), class_name, expected);
    }
    check_word(&split, word_of(&split, tag, payload), class_name, expected);
    low.obfuscator = high.obfuscator = 0;
}

/* Words that programs have printed. */
static void test_published_words(void) {
    check_word(&low, 0x127, "NSNumber", "1");
    check_word(&low, 0xffff27, "NSNumber", "65535");
    check_word(&low, 0x6115, "NSString", "\"a\"");
    check_word(&low, 0x22038a01169585, "NSString", "\"abcdefgh\"");
    check_word(&low, 0x880e28045a54195, "NSString", "\"abcdefghi\"");
    check_word(&high, 0xa000000000000611, "NSString", "\"a\"");
    check_word(&high, 0xb000000000000012, "NSNumber", "1");
}

static void test_strings(void) {
    check(2, 0, "NSString", "\"\"");
    check(2, 0x37376e657665737, "NSString", "\"seven77\"");
    check(2, 0x626111, "NSString", ""); /* a character more than its length */
    check(2, 0x22038a0116958, "NSString", "\"abcdefgh\"");
    check(2, 10, "NSString", "\"eeeeeeeeee\"");
    check(2, (uint64_t)0x1f << 54 | 11, "NSString", "\"3eeeeeeeeee\"");
    check(2, 12, "NSString", "");
    check(2, 0xff1, "NSString", ""); /* no ASCII */
}

static void test_numbers(void) {
    check(3, 0x10, "NSNumber", "1");
    check(3, ((uint64_t)-7 << 4 | 3) & 0xfffffffffffffff, "NSNumber", "-7");
    check(3, 0x7fffffffffffff3, "NSNumber", "36028797018963967");
    check(3, 0x800000000000003, "NSNumber", "-36028797018963968");
    check(3, 0x35, "NSNumber", "3.0");
    check(3, 0x1a, "NSNumber", ""); /* a type that is kept in another way */
}

static void test_dates(void) {
    check(6, 0x2d5821440000000, "NSDate", "2023-11-14T22:13:20Z");
    check(6, 0xadd27e440400000, "NSDate", "1969-12-31T23:59:59.5Z");
    check(6, 0, "NSDate", "2001-01-01T00:00:00Z");
    check(6, 0xfffffffffffffff, "NSDate", "2001-01-01T00:00:00Z");
}

static void test_paths_of_indexes(void) {
    check(4, 2 << 3 | 1 << 8 | 3 << 21, "NSIndexPath", "{1, 3}");
    check(4, 4 << 3 | (uint64_t)0x1fff << 47, "NSIndexPath", "{0, 0, 0, 8191}");
    check(4, 5 << 3, "NSIndexPath", "");
}

static void test_other_words(void) {
    check(5, 0x40, "NSManagedObjectID", "");
    check(0, 0x40, "", "");
    check(7, 0x40, "", ""); /* a tag of eight more bits */
    check_word(&low, 0x600000c24a0, "", "");
    check_word(&high, 0x600000c24a0, "", "");
    check_word(&split, 0x600000c24a0, "", "");
}

/* ---- Found in a process ---- */

static struct drawn_heap heap;
static struct drawn_world world;
static struct loupe_memory memory;
static struct loupe_target target;

static loupe_addr draw_symbol(const char *name, uint64_t value) {
    loupe_addr place = drawn_alloc(&heap, 16);
    drawn_put_word(&heap, place, value);
    drawn_symbol_add(&heap, name, place);
    return place;
}

static void start(enum drawn_form form, uint64_t shift) {
    drawn_world_init(&world, &heap, form);
    draw_symbol("objc_debug_taggedpointer_slot_shift", shift);
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
}

static void end(void) {
    loupe_target_deinit(&target);
    loupe_memory_deinit(&memory);
    drawn_world_deinit(&world);
}

static void check_string(uint64_t word, const char *expected) {
    char text[16] = "";
    CHECK_EQ(loupe_string_text(&target, word, text, sizeof(text)), *expected != 0);
    CHECK_STR(text, expected);
}

static void test_forms_are_detected(void) {
    start(DRAWN_X86_64, 0);
    draw_symbol("objc_debug_taggedpointer_obfuscator", 0x8f0);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    CHECK_EQ(target.tagging.form, LOUPE_TAGS_LOW);
    check_string(0x6115 ^ 0x8f0, "a");
    check_string(0x127 ^ 0x8f0, "");
    end();
    start(DRAWN_ARM64, 60);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    CHECK_EQ(target.tagging.form, LOUPE_TAGS_HIGH);
    check_string(0xa000000000000611, "a");
    end();
}

static void test_permutation_is_undone(void) {
    start(DRAWN_ARM64E, 0);
    draw_symbol("objc_debug_taggedpointer_obfuscator", split.obfuscator);
    uint64_t permutation;
    memcpy(&permutation, split.permutation, sizeof(permutation));
    draw_symbol("objc_debug_tag60_permutations", permutation);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    CHECK_EQ(target.tagging.form, LOUPE_TAGS_SPLIT);
    check_string(word_of(&split, 2, 0x611), "a");
    end();
}

static void test_nothing_is_said_without_symbols(void) {
    drawn_world_init(&world, &heap, DRAWN_X86_64);
    drawn_memory(&heap, &memory);
    loupe_target_init(&target, &memory, &drawn_chunks);
    CHECK_EQ(loupe_abi_detect(&target, NULL), LOUPE_OK);
    CHECK_EQ(target.tagging.form, LOUPE_TAGS_NONE);
    check_string(0x6115, "");
    end();
}

int main(void) {
    RUN(test_published_words);
    RUN(test_strings);
    RUN(test_numbers);
    RUN(test_dates);
    RUN(test_paths_of_indexes);
    RUN(test_other_words);
    RUN(test_forms_are_detected);
    RUN(test_permutation_is_undone);
    RUN(test_nothing_is_said_without_symbols);
    return check_report();
}
