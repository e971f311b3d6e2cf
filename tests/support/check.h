/*
 * check.h - a unit test in C: functions that CHECK, a table of them, a main.
 *
 *     static void test_weak_capture_is_no_edge(void) { CHECK(...); CHECK_EQ(got, want); }
 *     int main(void) { RUN(test_weak_capture_is_no_edge); return check_report(); }
 *
 * A failed check prints where and what, and the test goes on: one run shows all that is wrong. With
 * LOUPE_CHECK_NAMES in the environment the names of the tests that passed are printed too.
 */
#ifndef LOUPE_TESTS_CHECK_H
#define LOUPE_TESTS_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

extern int check_count, check_failures;
extern const char *check_current; /* the test that runs */

bool check_true(bool ok, const char *file, int line, const char *text);
bool check_eq(uint64_t got, uint64_t want, const char *file, int line, const char *text);
bool check_str(const char *got, const char *want, const char *file, int line, const char *text);

/* All return whether the check held, for checks that only make sense after another. */
#define CHECK(condition) check_true((condition), __FILE__, __LINE__, #condition)
#define CHECK_EQ(got, want)                                                                        \
    check_eq((uint64_t)(got), (uint64_t)(want), __FILE__, __LINE__, #got " == " #want)
#define CHECK_STR(got, want) check_str((got), (want), __FILE__, __LINE__, #got)

void check_run(const char *name, void (*test)(void));
#define RUN(test) check_run(#test, (test))

/*
 * Of things drawn by the thousand: how many to try of so many, and whether to try the one with this
 * number. All, unless LOUPE_TEST_SHARE=N tells to try one in N (./run test); the others wait for
 * ./run test-long.
 */
uint64_t check_share(uint64_t whole);
bool check_tries(uint64_t number);

/* Prints the totals; the exit status of main. A program without a single check fails. */
int check_report(void);

#endif
