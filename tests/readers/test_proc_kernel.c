/* Files of /proc that tell what the kernel keeps, as they are and damaged. */
#include "check.h"
#include "linux/proc_kernel.h"
#include "linux/proc_maps.h"

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

/* ---- What is mapped ---- */

static const char smaps[] =
    "7f0000000000-7f0000002000 rw-s 00001000 00:01 1029    /memfd:Size: 1 kB (deleted)\n"
    "Size:                  8 kB\nSwap:                  0 kB\n"
    "ProtectionKey:         0\nVmFlags: rd wr sh mr mw me ms um sd \n"
    "7f0000002000-7f0000003000 r--p 00000000 00:00 0 \n"
    "Swap:                  4 kB\nVmFlags: rd mr mw me umx ac";

/* "START PATH handled swapped", one behind the other. */
static const char *mappings_of(const char *text) {
    static char found[512];
    struct loupe_proc_mapping mapping;
    struct loupe_proc_pages pages;
    size_t length = 0;
    found[0] = '\0';
    while (loupe_proc_smaps_next(&text, &mapping, &pages) && length < sizeof(found) - 200)
        length += (size_t)snprintf(
            found + length, sizeof(found) - length, "%llx%s '%.*s'%s%s; ",
            (unsigned long long)mapping.start, mapping.shared ? " shared" : "",
            (int)(mapping.path.length < 64 ? mapping.path.length : 64), mapping.path.bytes,
            pages.handled ? " handled" : "", pages.swapped ? " swapped" : "");
    return found;
}

static void test_who_fills_in_pages(void) {
    CHECK_STR(mappings_of(smaps), "7f0000000000 shared '/memfd:Size: 1 kB (deleted)' handled; "
                                  "7f0000002000 '' swapped; ");
    CHECK_STR(mappings_of(""), "");
}

/* By the example of proc(5), and one without optional fields. */
static void test_types_of_file_systems(void) {
    const char *text = "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw\n"
                       "37 35 0:57 / /mnt\\040x rw - fuse.sshfs x@y: rw";
    struct loupe_proc_mount mount;
    CHECK(loupe_proc_mounts_next(&text, &mount));
    CHECK_EQ(mount.device_major, 98);
    CHECK(loupe_span_equals(mount.type, "ext3"));
    CHECK(loupe_proc_mounts_next(&text, &mount));
    CHECK_EQ(mount.device_minor, 57);
    CHECK(loupe_span_equals(mount.type, "fuse.sshfs"));
    CHECK(!loupe_proc_mounts_next(&text, &mount));
}

static void test_damaged_maps_end(void) {
    char text[sizeof(smaps)];
    struct loupe_proc_mount mount;
    for (size_t at = 0; at < sizeof(smaps); at++) {
        const char *cursor = text;
        memcpy(text, smaps, sizeof(smaps));
        text[at] = '\0';
        CHECK(strlen(mappings_of(text)) < 400);
        text[at] = '\n';
        text[sizeof(smaps) - 1] = '\0';
        CHECK(strlen(mappings_of(text)) < 500);
        while (loupe_proc_mounts_next(&cursor, &mount))
            CHECK(mount.type.length < sizeof(smaps));
    }
}

int main(void) {
    RUN(test_who_fills_in_pages);
    RUN(test_types_of_file_systems);
    RUN(test_damaged_maps_end);
    RUN(test_data_of_epolls);
    RUN(test_values_of_timers);
    RUN(test_files_of_others_have_none);
    RUN(test_damaged_text_ends);
    return check_report();
}
