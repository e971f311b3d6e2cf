/*
 * system.h - what the programs here call of Darwin, declared in as many words, and how they check.
 */
#ifndef LOUPE_BOX_SYSTEM_H
#define LOUPE_BOX_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int printf(const char *format, ...);
void exit(int code);
int strcmp(const char *one, const char *other);
char *strstr(const char *text, const char *part);
void *malloc(size_t size);
void free(void *block);

/* Says what is wrong and goes on; the program's end tells (checks_result()). */
static int checks_failed;

static inline void check_that(bool holds, const char *text, int line) {
    if (holds)
        return;
    printf("line %d: %s\n", line, text);
    checks_failed++;
}

static inline void check_equal(uint64_t got, uint64_t wanted, const char *text, int line) {
    if (got == wanted)
        return;
    printf("line %d: %s is %#llx, wanted %#llx\n", line, text, (unsigned long long)got,
           (unsigned long long)wanted);
    checks_failed++;
}

#define CHECK(condition)      check_that(condition, #condition, __LINE__)
#define CHECK_EQ(got, wanted) check_equal((uint64_t)(got), (uint64_t)(wanted), #got, __LINE__)

static inline int checks_result(void) {
    return checks_failed ? 1 : 0;
}

#endif
