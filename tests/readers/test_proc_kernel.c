/* Files of /proc that tell what the kernel keeps, as they are and damaged. */
#include "check.h"
#include "linux/proc_kernel.h"

#include <stdio.h>
#include <string.h>

typedef bool next_word(const char **cursor, struct loupe_proc_word *ret);

/* "4:abc 5:def": all of them. */
static const char *words_of(const char *text, next_word *next) {
    static char found[256];
    struct loupe_proc_word item;
    size_t length = 0;
    found[0] = '\0';
    while (next(&text, &item) && length < sizeof(found) - 64)
        length += (size_t)snprintf(found + length, sizeof(found) - length, "%s%llu:%llx",
                                   length ? " " : "", (unsigned long long)item.number,
                                   (unsigned long long)item.word);
    return found;
}

static const char epoll[] =
    "pos:\t0\nflags:\t02\nmnt_id:\t17\nino:\t1038\n"
    "tfd:        4 events:       19 data:   123456789abcd0  pos:0 ino:40e sdev:10\n"
    "tfd:       11 events: 40000019 data:                2  pos:0 ino:40e sdev:10\n"
    "tfd:        8 events:     4019 data: ffffffffffffffff\n"; /* before 4.7 it ended there */

static const char timers[] =
    "ID: 1\nsignal: 0/0006666666666660\nnotify: none/pid.17591\nClockID: 1\n"
    "ID: 0\nsignal: 10/0007777777777770\nnotify: signal/pid.17591\n";

static void test_data_of_epolls(void) {
    CHECK_STR(words_of(epoll, loupe_proc_epoll_next), "4:123456789abcd0 11:2 8:ffffffffffffffff");
}

static void test_values_of_timers(void) {
    CHECK_STR(words_of(timers, loupe_proc_timers_next), "1:6666666666660 0:7777777777770");
}

static void test_files_of_others_have_none(void) {
    CHECK_STR(words_of("", loupe_proc_epoll_next), "");
    CHECK_STR(words_of("", loupe_proc_timers_next), "");
    CHECK_STR(words_of("pos:\t0\neventfd-count:                1\n", loupe_proc_epoll_next), "");
    CHECK_STR(words_of(epoll, loupe_proc_timers_next), "");
    CHECK_STR(words_of(timers, loupe_proc_epoll_next), "");
}

/* Wherever the text ends, and whatever one of its letters is. */
static void test_damaged_text_ends(void) {
    static const char letters[] = {'\n', ' ', '9', 'f', 'z', ':', (char)0xff};
    char text[sizeof(epoll)];
    for (size_t at = 0; at < sizeof(epoll) - 1; at++) {
        memcpy(text, epoll, sizeof(epoll));
        text[at] = '\0';
        CHECK(strlen(words_of(text, loupe_proc_epoll_next)) < 100);
        for (size_t i = 0; i < sizeof(letters); i++) {
            text[at] = letters[i];
            CHECK(strlen(words_of(text, loupe_proc_epoll_next)) < 100);
            CHECK(strlen(words_of(text, loupe_proc_timers_next)) < 100);
        }
    }
}

int main(void) {
    RUN(test_data_of_epolls);
    RUN(test_values_of_timers);
    RUN(test_files_of_others_have_none);
    RUN(test_damaged_text_ends);
    return check_report();
}
