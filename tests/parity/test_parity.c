/*
 * Asks Loupe about every case of parity.h and compares the numbers. With an argument the program
 * prints the cases instead, one per line, fields separated by tabs: suite, case, unit, drawing,
 * fixture, theirs, Loupe's number as found now, why.
 */
#include "check.h"
#include "loupe.h"
#include "parity.h"

#include <stdlib.h>

struct drawn_heap heap;
struct drawn_world w;

enum { MAX_RINGS = 20, MAX_SEEDS = 20 };

/* ---- Drawing ---- */

static loupe_addr more_seeds[MAX_SEEDS];
static unsigned more_seed_count;

void also_ask(loupe_addr seed) {
    if (CHECK(more_seed_count < MAX_SEEDS))
        more_seeds[more_seed_count++] = seed;
}

loupe_addr node(void) {
    return drawn_object(&w, "Node");
}

void link_to(loupe_addr from, const char *ivar, loupe_addr to) {
    drawn_set(&w, from, ivar, to);
}

loupe_addr ring(unsigned length) {
    loupe_addr first = node(), last = first;
    for (unsigned i = 1; i < length; i++) {
        loupe_addr next = node();
        link_to(last, "_a", next);
        last = next;
    }
    link_to(last, "_a", first);
    return first;
}

loupe_addr holder(const char *ivars) {
    drawn_class(&w, "Holder", "NSObject", ivars);
    return drawn_object(&w, "Holder");
}

/* ---- Counting ---- */

static const struct {
    const char *name; /* for people */
    enum loupe_query query;
    const char *counted; /* in the answer */
} units[PARITY_UNITS] = {
    [PARITY_RINGS] = {"rings", LOUPE_QUERY_RETAIN_CYCLES, "\"shortest\":"},
    [PARITY_KNOTS] = {"knots", LOUPE_QUERY_RETAIN_CYCLES, "\"verdict\":"},
    [PARITY_LEAKED] = {"leaked knots", LOUPE_QUERY_RETAIN_CYCLES, "\"verdict\":\"leaked\""},
    [PARITY_REFERENCES] = {"references", LOUPE_QUERY_STRONG_REFS, "\"from\":"},
    [PARITY_MEMBERS] = {"members", LOUPE_QUERY_IVAR_LAYOUT, "{\"path\":"},
    [PARITY_BLOCKS] = {"blocks", LOUPE_QUERY_BLOCK_LAYOUT, "\"block\":{"},
    [PARITY_REFUSALS] = {"refusals", LOUPE_QUERY_STRONG_REFS, "\"error\":{"},
};

static int count_of(const char *text, const char *what) {
    int count = 0;
    for (const char *at = text; (at = strstr(at, what)); at++)
        count++;
    return count;
}

static int ask(enum parity_unit unit, loupe_addr seed) {
    struct loupe_question question = {
        .query = units[unit].query, .address = seed, .max_rings = MAX_RINGS, .engine = "drawn"};
    struct drawn_text text = {0};
    struct loupe_memory memory;
    drawn_memory(&heap, &memory);
    loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&text));
    int count = count_of(text.text, units[unit].counted);
    loupe_memory_deinit(&memory);
    free(text.text);
    return count;
}

static int count_case(const struct parity_case *parity) {
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_class(&w, "Node", "NSObject", "strong _a @; strong _b @; weak _weak @");
    more_seed_count = 0;
    int count = ask(parity->unit, parity->draw());
    for (unsigned i = 0; i < more_seed_count; i++)
        count += ask(parity->unit, more_seeds[i]);
    drawn_world_deinit(&w);
    return count;
}

/* ---- The suites ---- */

static const struct parity_suite *const suites[] = {
    &parity_detector, &parity_layouts, &parity_objects, &parity_circle, &parity_missing};
enum { SUITES = sizeof(suites) / sizeof(suites[0]) };

static void test_suite(const struct parity_suite *suite) {
    for (unsigned i = 0; i < suite->count; i++) {
        const struct parity_case *parity = &suite->cases[i];
        bool differs = parity->theirs >= 0 && parity->theirs != parity->ours;
        check_current = parity->name;
        CHECK_EQ(count_case(parity), parity->ours);
        CHECK(!differs || parity->why);
        CHECK(parity->theirs != PARITY_ANY || parity->ours > 0);
    }
}

static void test_every_case_has_the_number_of_its_line(void) {
    for (unsigned i = 0; i < SUITES; i++)
        test_suite(suites[i]);
}

/* FBRetainCycleDetector has 107 tests in Objective-C, Circle 13. */
static void test_no_case_is_left_out(void) {
    CHECK_EQ(parity_detector.count + parity_layouts.count + parity_objects.count, 107);
    CHECK_EQ(parity_circle.count, 13);
}

static void print_case(const char *suite, const struct parity_case *parity) {
    printf("%s\t%s\t%s\t%s\t%s\t%d\t%d\t%s\n", suite, parity->name, units[parity->unit].name,
           parity->drawn, parity->fixture ? parity->fixture : "", parity->theirs,
           count_case(parity), parity->why ? parity->why : "");
}

int main(int argc, char **argv) {
    (void)argv;
    if (argc > 1) {
        for (unsigned i = 0; i < SUITES; i++) {
            for (unsigned j = 0; j < suites[i]->count; j++)
                print_case(suites[i]->title, &suites[i]->cases[j]);
        }
        return 0;
    }
    RUN(test_every_case_has_the_number_of_its_line);
    RUN(test_no_case_is_left_out);
    return check_report();
}
