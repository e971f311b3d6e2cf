/* The helper's entry points by themselves, in a process without an Objective-C runtime. */
#include "check.h"
#include "loupe_helper.h"

#include <errno.h>

static void test_every_question_is_answered_by_name(void) {
    static const char *const names[] = {"block-layout", "ivar-layout",   "dispose-probe",
                                        "strong-refs",  "retain-cycles", "incoming-refs",
                                        "methods",      "value"};
    for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char wanted[64];
        snprintf(wanted, sizeof(wanted), "\"query\":\"%s\"", names[i]);
        const char *answer = loupe_ask(names[i], &i, 0, 0, 0, 0);
        CHECK(strstr(answer, wanted) != NULL);
        CHECK(strstr(answer, "\"engine\":\"helper\"") != NULL);
    }
}

static void test_unknown_question_is_refused(void) {
    static const char message[] =
        "\"message\":\"no such question: there are block-layout, ivar-layout, strong-refs, "
        "retain-cycles, incoming-refs, methods, value, snapshot, leaks, history, backtraces and "
        "dispose-probe\"";
    CHECK(strstr(loupe_ask(NULL, NULL, 0, 0, 0, 0), "no such question") != NULL);
    CHECK(strstr(loupe_ask("", NULL, 0, 0, 0, 0), "no such question") != NULL);
    CHECK(strstr(loupe_ask("meaning-of-life", NULL, 0, 0, 0, 0), message) != NULL);
    CHECK(strstr(loupe_ask(NULL, NULL, 0, 0, 0, 0), message) != NULL);
}

static void test_process_without_a_runtime_is_said_to_have_none(void) {
    int local = 0;
    CHECK(strstr(loupe_retain_cycles(&local), "\"code\":\"no-runtime\"") != NULL);
    CHECK_EQ(loupe_count_cycles(&local), UINT32_MAX);
}

static void test_errno_stays_the_programs(void) {
    errno = 4242;
    loupe_retain_cycles((void *)16);
    CHECK_EQ(errno, 4242);
}

int main(void) {
    RUN(test_every_question_is_answered_by_name);
    RUN(test_unknown_question_is_refused);
    RUN(test_process_without_a_runtime_is_said_to_have_none);
    RUN(test_errno_stays_the_programs);
    return check_report();
}
