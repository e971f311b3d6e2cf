/*
 * What is reported when the copy of the process that was asked does not answer as it should: this
 * program has a helper of its own, which is asked in its place.
 */
#import <Foundation/Foundation.h>
#include "check.h"
#include "loupe_watch.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum answer { LARGE, CUT, NONE, INCOMPLETE, ASKED_ONCE };

static enum answer wanted;

static const char *longAnswer(void) {
    size_t size = (size_t)65 << 20;
    char *text = malloc(size + 1);
    memset(text, 'x', size);
    text[size] = '\0';
    return text;
}

/* The copy has closed the end of the pipe that is read, which stands before the one to write to. */
static void writeHalf(void) {
    int closed = dup(0);
    CHECK(write(closed + 1, "{\"loupe\":1", 10) == 10);
    _exit(0);
}

const char *loupe_ask_with(const char *query, const void *address, uint64_t limit,
                           uint32_t max_rings, uint32_t milliseconds, uint32_t flags,
                           const char *arguments);

const char *loupe_ask_with(const char *query, const void *address, uint64_t limit,
                           uint32_t max_rings, uint32_t milliseconds, uint32_t flags,
                           const char *arguments) {
    static int asked;
    (void)address, (void)limit, (void)max_rings, (void)milliseconds, (void)flags, (void)arguments;
    if (wanted == LARGE)
        return longAnswer();
    if (wanted == CUT)
        writeHalf();
    if (wanted == NONE)
        _exit(0);
    if (strcmp(query, "retain-cycles") == 0 && asked++)
        return "{\"loupe\":1,\"status\":\"error\",\"error\":{\"message\":\"asked twice\"}}";
    return wanted == INCOMPLETE ? "{\"loupe\":1,\"status\":\"incomplete\",\"knots\":[]}"
                                : "{\"loupe\":1,\"status\":\"ok\",\"knots\":[]}";
}

static char text[4096], json[4096];
static _Atomic(int) reports;

static void note(const struct loupe_watch_report *report, void *unused) {
    (void)unused;
    if (report->event != LOUPE_WATCH_LEAK)
        return;
    strncpy(text, report->text, sizeof(text) - 1);
    strncpy(json, report->json, sizeof(json) - 1);
    reports++;
}

static void check(enum answer answer, const char *status, const char *said) {
    NSObject *object = [[NSObject alloc] init];
    int before = reports;
    wanted = answer;
    CHECK(loupe_watch(object, 0.02 + answer * 0.01) == LOUPE_WATCH_OK);
    for (int i = 0; i < 3000 && reports == before; i++)
        usleep(10000);
    CHECK(reports == before + 1);
    CHECK(strstr(json, status));
    if (!strstr(text, said)) {
        printf("%s\n", text);
        exit(1);
    }
    [object release];
}

int main(void) {
    loupe_watch_on_leak(note, NULL);
    check(LARGE, "\"status\":\"incomplete\"", "Not searched: the report would take more than 64 MB");
    check(CUT, "\"status\":\"incomplete\"", "Not searched: the copy of this process that was asked ended within");
    check(NONE, "\"status\":\"incomplete\"", "Not searched: the copy of this process that was asked ended without");
    check(INCOMPLETE, "\"status\":\"incomplete\"", "some references could not be followed");
    check(ASKED_ONCE, "\"status\":\"ok\"", "Not in a retain cycle");
    printf("as it says\n");
    return 0;
}
