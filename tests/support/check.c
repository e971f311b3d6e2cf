#include "check.h"

#include <stdlib.h>

int check_count, check_failures;
const char *check_current = "";

static uint64_t share(void) {
    static uint64_t told;
    if (!told) {
        const char *text = getenv("LOUPE_TEST_SHARE");
        uint64_t number = text ? strtoull(text, NULL, 10) : 1;
        told = number ? number : 1;
    }
    return told;
}

uint64_t check_share(uint64_t whole) {
    return (whole + share() - 1) / share();
}

/* Mixed, so that they are not all at the same place of some structure. */
bool check_tries(uint64_t number) {
    return (number * 0x9e3779b97f4a7c15u >> 32) % share() == 0;
}

bool check_true(bool ok, const char *file, int line, const char *text) {
    check_count++;
    if (!ok) {
        check_failures++;
        printf("%s:%d: %s: failed: %s\n", file, line, check_current, text);
    }
    return ok;
}

bool check_eq(uint64_t got, uint64_t want, const char *file, int line, const char *text) {
    bool ok = check_true(got == want, file, line, text);
    if (!ok)
        printf("    got %llu (0x%llx), want %llu (0x%llx)\n", (unsigned long long)got,
               (unsigned long long)got, (unsigned long long)want, (unsigned long long)want);
    return ok;
}

bool check_str(const char *got, const char *want, const char *file, int line, const char *text) {
    bool ok = check_true(got && want && strcmp(got, want) == 0, file, line, text);
    if (!ok)
        printf("    got  %s\n    want %s\n", got ? got : "(null)", want ? want : "(null)");
    return ok;
}

void check_run(const char *name, void (*test)(void)) {
    int checks = check_count, failures = check_failures;
    check_current = name;
    test();
    if (getenv("LOUPE_CHECK_NAMES") && check_count > checks && check_failures == failures)
        printf("passed %s\n", name);
}

int check_report(void) {
    printf("%d checks, %d failed\n", check_count, check_failures);
    return check_count == 0 || check_failures ? 1 : 0;
}
