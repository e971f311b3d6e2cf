/*
 * Questions whose host learns more while they are answered. What must hold: an answer after any
 * number of extensions is the answer of a session that was told everything at once; and who follows
 * what extensions list has been told of every member that there is.
 */
#include "check.h"
#include "objects/drawn_objects.h"
#include "memory/drawn_process.h"
#include "loupe.h"
#include "session.h"

#include <stdlib.h>

enum { MOST_OBJECTS = 40, MOST_TARGETS = 3, WORLDS = 400, TEXT = 1 << 16, DATA = 0x200000 };

static struct drawn_heap heap;
static struct drawn_world w;

/* An object of the class "Mixed" has a vector, of which only the test knows what it holds. */
struct object {
    loupe_addr address;
    bool has_vector, was_listed, was_told;
    unsigned targets[MOST_TARGETS], target_count;
    unsigned plain, second; /* what its ivars hold; MOST_OBJECTS: nil */
};
static struct object objects[MOST_OBJECTS];
static unsigned object_count;

static char told[TEXT]; /* all facts so far */
static size_t told_length;

static uint64_t state;

static unsigned pick(unsigned bound) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % bound);
}

/* ---- The world ---- */

static void draw_object(unsigned number) {
    struct object *object = &objects[number];
    *object = (struct object){.has_vector = pick(2) == 0};
    object->address = drawn_object(&w, object->has_vector ? "Mixed" : "Plain");
    object->target_count = object->has_vector ? pick(MOST_TARGETS + 1) : 0;
    for (unsigned i = 0; i < object->target_count; i++)
        object->targets[i] = pick(object_count);
    object->plain = pick(3) ? pick(object_count) : MOST_OBJECTS;
    object->second = object->has_vector || pick(2) ? MOST_OBJECTS : pick(object_count);
}

static void draw_world(uint64_t seed) {
    state = seed * 2654435761u + 1;
    drawn_world_init(&w, &heap, DRAWN_X86_64);
    drawn_region_add(&heap, DATA, LOUPE_PAGE_SIZE);
    drawn_process_init(&heap);
    drawn_process_region(DATA, DATA + LOUPE_PAGE_SIZE);
    drawn_process_image("/app");
    drawn_process_section(".data", DATA, 0x20, true);
    drawn_class(&w, "Plain", "NSObject", "strong _o @; strong _p @");
    drawn_class(&w, "Mixed", "NSObject",
                "none _v {vector<id, std::allocator<id>>=\"b\"^@\"e\"^@}; strong _o @");
    object_count = 2 + pick(MOST_OBJECTS - 2);
    for (unsigned i = 0; i < object_count; i++)
        draw_object(i);
    for (unsigned i = 0; i < object_count; i++) {
        if (objects[i].plain != MOST_OBJECTS)
            drawn_set(&w, objects[i].address, "_o", objects[objects[i].plain].address);
        if (objects[i].second != MOST_OBJECTS)
            drawn_set(&w, objects[i].address, "_p", objects[objects[i].second].address);
    }
    for (unsigned i = 0; i < 4; i++)
        drawn_put_word(&heap, DATA + 8 * i, objects[pick(object_count)].address);
    told_length = 0;
    told[0] = '\0';
}

static void tell(const char *format, ...) __attribute__((format(printf, 1, 2)));
static void tell(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    told_length +=
        (size_t)vsnprintf(told + told_length, sizeof(told) - told_length, format, arguments);
    va_end(arguments);
    CHECK(told_length < sizeof(told));
}

static void tell_of_word(loupe_addr source, loupe_addr slot, uint64_t word, const char *ownership) {
    tell(";ref 0x%llx ivar %s debug-info 0x%llx 0x%llx _v[0]", (unsigned long long)source,
         ownership, (unsigned long long)slot, (unsigned long long)word);
}

/* What its vector holds, once. */
static void tell_of(struct object *object) {
    if (object->was_told)
        return;
    object->was_told = true;
    for (unsigned i = 0; i < object->target_count; i++)
        tell_of_word(object->address, object->address + 0x700000 + 8 * i,
                     objects[object->targets[i]].address, pick(3) ? "strong" : "unclear");
    tell(";read 0x%llx", (unsigned long long)object->address + 8);
}

/* Facts that no careful host would hand over. */
static void tell_nonsense(void) {
    loupe_addr any = objects[pick(object_count)].address;
    switch (pick(5)) {
    case 0:
        tell_of_word(any, 0x7f00, 0x10, "strong");
        break;
    case 1:
        tell_of_word(0xdead0, 0x7f00, any, "strong");
        break;
    case 2:
        tell_of_word(any, 0x7f08, objects[pick(object_count)].address, "manual");
        break;
    case 3:
        tell(";read 0x%llx", (unsigned long long)any + 8);
        break;
    default:
        tell(";ref 0x%llx ivar strong debug-info +0x8 0x%llx _o", (unsigned long long)any,
             (unsigned long long)objects[pick(object_count)].address);
    }
}

/* ---- Answers ---- */

/* Notes the objects that an answer lists. Returns how many. */
static unsigned take_list(const char *answer) {
    unsigned count = 0;
    const char *at = answer;
    while ((at = strstr(at, "\"objects\":["))) {
        const char *end = strchr(at, ']');
        for (at = strchr(at, '['); at && at < end && at[1] == '"'; at = strchr(at + 2, '"') + 1) {
            loupe_addr address = strtoull(at + 2, NULL, 16);
            for (unsigned i = 0; i < object_count; i++)
                objects[i].was_listed |= objects[i].address == address;
            count++;
        }
        at = end;
    }
    return count;
}

/* Without what reading cost: memory that is known is not read again. */
static void cut_costs(char *answer) {
    char *from = strstr(answer, "\"reads\":");
    char *to = from ? strchr(from, '}') : NULL;
    CHECK(to != NULL);
    if (to)
        memmove(from, to, strlen(to) + 1);
}

static void check_same_as_fresh(struct loupe_session *session, struct loupe_question question,
                                const char *arguments) {
    static char line[2 * TEXT];
    struct drawn_text text = {0}, fresh = {0};
    struct loupe_memory memory;
    snprintf(line, sizeof(line), "%s%s", arguments, told);
    question.arguments = line;
    drawn_memory(&heap, &memory);
    enum loupe_status expected =
        loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&fresh));
    loupe_memory_deinit(&memory);
    CHECK_EQ(loupe_session_ask(session, NULL, drawn_text_sink(&text)), expected);
    cut_costs(text.text);
    cut_costs(fresh.text);
    CHECK_STR(text.text, fresh.text);
    take_list(text.text);
    free(text.text);
    free(fresh.text);
}

static unsigned extend(struct loupe_session *session, const char *facts) {
    struct drawn_text text = {0};
    CHECK_EQ(loupe_session_extend(session, facts, drawn_text_sink(&text)), LOUPE_OK);
    CHECK(strstr(text.text, "\"unread\":[") != NULL);
    CHECK(strstr(text.text, "\"knots\"") == NULL);
    unsigned count = take_list(text.text);
    free(text.text);
    return count;
}

/* ---- Rounds ---- */

/* One round: some of what was listed is told of. Whether anything happened. */
static bool go_round(struct loupe_session *session, bool with_nonsense) {
    size_t before = told_length;
    for (unsigned i = 0; i < object_count; i++) {
        /* Hosts look ahead, too, at what they know will be reached. */
        if (objects[i].has_vector && pick(objects[i].was_listed ? 2 : 16) == 0)
            tell_of(&objects[i]);
    }
    if (with_nonsense && pick(3) == 0)
        tell_nonsense();
    bool is_told = told_length > before;
    return extend(session, pick(20) || is_told ? told + before : NULL) || is_told;
}

static bool is_all_told(void) {
    for (unsigned i = 0; i < object_count; i++) {
        if (objects[i].was_listed && !objects[i].was_told)
            return false;
    }
    return true;
}

/* How many objects there are to be found from those marked as roots, with the vectors. */
static unsigned count_reachable(const bool *roots) {
    bool seen[MOST_OBJECTS];
    unsigned count = 0;
    memcpy(seen, roots, sizeof(seen));
    for (bool changed = true; changed;) {
        changed = false;
        for (unsigned i = 0; i < object_count; i++) {
            const struct object *object = &objects[i];
            for (unsigned k = 0; seen[i] && k < object->target_count + 2; k++) {
                unsigned to = k < object->target_count    ? object->targets[k]
                              : k == object->target_count ? object->plain
                                                          : object->second;
                if (to != MOST_OBJECTS && !seen[to])
                    seen[to] = changed = true;
            }
        }
    }
    for (unsigned i = 0; i < object_count; i++)
        count += seen[i];
    return count;
}

static void check_finds_all(struct loupe_session *session, enum loupe_query query) {
    char want[64];
    bool roots[MOST_OBJECTS] = {true};
    struct drawn_text text = {0};
    for (unsigned i = 0; query == LOUPE_QUERY_INCOMING_REFS && i < 4; i++) {
        for (unsigned k = 0; k < object_count; k++) {
            uint64_t word;
            struct loupe_memory memory;
            drawn_memory(&heap, &memory);
            CHECK_EQ(loupe_memory_read_u64(&memory, DATA + 8 * i, &word), LOUPE_OK);
            loupe_memory_deinit(&memory);
            roots[k] |= objects[k].address == word;
        }
    }
    CHECK_EQ(loupe_session_ask(session, NULL, drawn_text_sink(&text)), LOUPE_OK);
    snprintf(want, sizeof(want), "\"stats\":{\"objects\":%u,", count_reachable(roots));
    CHECK(strstr(text.text, want) != NULL);
    CHECK(strstr(text.text, "\"unread\":") == NULL);
    free(text.text);
}

static void follow(uint64_t seed, struct loupe_question question, const char *arguments,
                   bool with_nonsense) {
    struct loupe_memory memory;
    draw_world(seed);
    drawn_memory(&heap, &memory);
    question.address = objects[0].address;
    question.arguments = arguments;
    struct loupe_session *session = loupe_session_open(&memory, &drawn_chunks, &question);
    CHECK(session != NULL);
    if (pick(4))
        check_same_as_fresh(session, question, arguments);
    unsigned rounds = 0;
    while ((go_round(session, with_nonsense && rounds < 20) || !is_all_told()) && rounds < 1000) {
        rounds++;
        if (pick(6) == 0)
            check_same_as_fresh(session, question, arguments);
    }
    CHECK(rounds < 1000);
    check_same_as_fresh(session, question, arguments);
    if (!with_nonsense && !question.limit && question.query != LOUPE_QUERY_STRONG_REFS)
        check_finds_all(session, question.query);
    loupe_session_close(session);
    loupe_memory_deinit(&memory);
    drawn_world_deinit(&w);
}

static void follow_worlds(enum loupe_query query, const char *arguments, uint64_t limit,
                          bool with_nonsense) {
    for (unsigned i = 0; i < check_share(WORLDS); i++)
        follow(i + 1, (struct loupe_question){.query = query, .limit = limit, .engine = "drawn"},
               arguments, with_nonsense);
}

static void test_cycles(void) {
    follow_worlds(LOUPE_QUERY_RETAIN_CYCLES, "list 1000", 0, false);
    follow_worlds(LOUPE_QUERY_RETAIN_CYCLES, "explain;list 2", 0, true);
}

static void test_strong_refs(void) {
    follow_worlds(LOUPE_QUERY_STRONG_REFS, "list 1000", 0, false);
    follow_worlds(LOUPE_QUERY_STRONG_REFS, "explain;list 1", 0, true);
}

static void test_incoming(void) {
    follow_worlds(LOUPE_QUERY_INCOMING_REFS, "scan data 0x200000 0x200020;list 3", 0, false);
    follow_worlds(LOUPE_QUERY_INCOMING_REFS, "explain;list 100", 0, true);
}

static void test_limits(void) {
    follow_worlds(LOUPE_QUERY_RETAIN_CYCLES, "list 4", 5, false);
    follow_worlds(LOUPE_QUERY_INCOMING_REFS, "scan data 0x200000 0x200020;list 4", 7, true);
}

/* ---- Single ones ---- */

static struct loupe_session *open_ring(struct loupe_memory *memory, const char *arguments) {
    draw_world(1);
    drawn_memory(&heap, memory);
    struct loupe_question question = {.query = LOUPE_QUERY_RETAIN_CYCLES,
                                      .address = objects[0].address,
                                      .engine = "drawn",
                                      .arguments = arguments};
    return loupe_session_open(memory, &drawn_chunks, &question);
}

static void close_ring(struct loupe_session *session, struct loupe_memory *memory) {
    loupe_session_close(session);
    loupe_memory_deinit(memory);
    drawn_world_deinit(&w);
}

static void test_an_extension_takes_facts_alone(void) {
    static const char *const wrong[] = {"explain",    "survey",        "filter A b * why",
                                        "no-filters", "root data 0x1", "stack-pointer 0x1000",
                                        "refs",       "read",          "code 0x1"};
    struct loupe_memory memory;
    struct loupe_session *session = open_ring(&memory, "list 10");
    for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
        struct drawn_text text = {0};
        CHECK_EQ(loupe_session_extend(session, wrong[i], drawn_text_sink(&text)), LOUPE_EUSAGE);
        CHECK(strstr(text.text, "\"code\":\"usage\"") != NULL);
        free(text.text);
    }
    struct drawn_text text = {0};
    CHECK_EQ(loupe_session_ask(session, NULL, drawn_text_sink(&text)), LOUPE_OK);
    free(text.text);
    close_ring(session, &memory);
}

static void test_what_cannot_be_opened_says_so_each_time(void) {
    struct loupe_memory memory;
    struct loupe_session *session = open_ring(&memory, "meaning of life");
    for (unsigned i = 0; i < 4; i++) {
        struct drawn_text text = {0};
        CHECK_EQ(i % 2 ? loupe_session_ask(session, NULL, drawn_text_sink(&text))
                       : loupe_session_extend(session, "read 0x10", drawn_text_sink(&text)),
                 LOUPE_EUSAGE);
        CHECK(strstr(text.text, "an argument that Loupe does not know: meaning of life") != NULL);
        free(text.text);
    }
    close_ring(session, &memory);
}

/* In one answer, as the helper gives it, which keeps no session. */
static void test_a_survey_lists_what_an_answer_does_and_no_more(void) {
    struct loupe_memory memory;
    close_ring(open_ring(&memory, "list 10"), &memory);
    for (unsigned seed = 1; seed < 50; seed++) {
        struct drawn_text survey = {0}, whole = {0};
        draw_world(seed);
        struct loupe_question question = {.query = LOUPE_QUERY_RETAIN_CYCLES,
                                          .address = objects[0].address,
                                          .engine = "drawn",
                                          .arguments = "survey;list 1000"};
        drawn_memory(&heap, &memory);
        CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&survey)),
                 LOUPE_OK);
        question.arguments = "list 1000";
        CHECK_EQ(loupe_answer(&memory, &drawn_chunks, &question, drawn_text_sink(&whole)),
                 LOUPE_OK);
        loupe_memory_deinit(&memory);
        CHECK(strstr(survey.text, "\"knots\"") == NULL);
        CHECK_EQ(take_list(survey.text), take_list(whole.text));
        free(survey.text);
        free(whole.text);
        drawn_world_deinit(&w);
    }
}

int main(void) {
    RUN(test_cycles);
    RUN(test_strong_refs);
    RUN(test_incoming);
    RUN(test_limits);
    RUN(test_an_extension_takes_facts_alone);
    RUN(test_what_cannot_be_opened_says_so_each_time);
    RUN(test_a_survey_lists_what_an_answer_does_and_no_more);
    return check_report();
}
