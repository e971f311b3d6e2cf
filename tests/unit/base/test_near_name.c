/* The name that is nearest to a word, and when none is near enough. */
#include "base/near_name.h"
#include "check.h"

static const char *const names[] = {"leaks", "cycles", "heap", "find", "path", "FeedScreen", ""};

static const char *nearest(const char *word) {
    static struct loupe_near_name near;
    near = loupe_near_name_of(loupe_span_of(word));
    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        loupe_near_name_offer(&near, loupe_span_of(names[i]));
    return near.best;
}

static void test_each_kind_of_slip(void) {
    CHECK_STR(nearest("leak"), "leaks");            /* left out */
    CHECK_STR(nearest("cyccles"), "cycles");        /* one more */
    CHECK_STR(nearest("heep"), "heap");             /* another one */
    CHECK_STR(nearest("fidn"), "find");             /* swapped */
    CHECK_STR(nearest("FedScren"), "FeedScreen");   /* two, of a long one */
    CHECK_STR(nearest("feedScreen"), "FeedScreen"); /* a capital */
}

static void test_what_is_far_has_no_name(void) {
    CHECK_STR(nearest("suspects"), "");
    CHECK_STR(nearest("hp"), "");
    CHECK_STR(nearest(""), "");
}

static void test_long_words_are_near_to_none(void) {
    char word[LOUPE_NEAR_NAME_LONGEST + 2] = {0};
    for (unsigned i = 0; i < LOUPE_NEAR_NAME_LONGEST; i++)
        word[i] = 'a';
    struct loupe_near_name near = loupe_near_name_of(loupe_span_of(word));
    loupe_near_name_offer(&near, loupe_span_of(word));
    CHECK_STR(near.best, word);
    word[LOUPE_NEAR_NAME_LONGEST] = 'a';
    near = loupe_near_name_of(loupe_span_of(word));
    loupe_near_name_offer(&near, loupe_span_of(word));
    CHECK_STR(near.best, "");
}

int main(void) {
    RUN(test_each_kind_of_slip);
    RUN(test_what_is_far_has_no_name);
    RUN(test_long_words_are_near_to_none);
    return check_report();
}
