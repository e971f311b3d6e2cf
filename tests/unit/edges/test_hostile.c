/*
 * A picture with everything in it, damaged: any page unreadable, any read failing, any chunk
 * refused. Whatever happens there is one answer, it is a line of JSON, and nothing is kept.
 */
#include "check.h"
#include "graphs/drawn_picture.h"
#include "loupe.h"

#include <stdlib.h>

static struct drawn_picture picture;

/* ---- Asking ---- */

/* Brackets and quotes match, on one line. */
static bool is_line_of_json(const char *text) {
    enum { DEEPEST = 64 };
    char open[DEEPEST];
    unsigned depth = 0;
    bool quoted = false;
    for (const char *c = text; *c; c++) {
        if (quoted) {
            if (*c == '\\' && c[1])
                c++;
            else if (*c == '"')
                quoted = false;
        } else if (*c == '"') {
            quoted = true;
        } else if ((*c == '{' || *c == '[') && depth < DEEPEST) {
            open[depth++] = *c;
        } else if (*c == '}' || *c == ']') {
            if (!depth || open[--depth] != (*c == '}' ? '{' : '['))
                return false;
        } else if (*c == '\n') {
            return false;
        }
    }
    return text[0] == '{' && !depth && !quoted;
}

static enum loupe_status ask(enum loupe_query query, loupe_addr address,
                             const struct loupe_chunk_ops *chunks, struct drawn_text *text) {
    struct loupe_question question = {
        .query = query, .address = address, .limit = 1000, .engine = "drawn"};
    struct loupe_memory memory;
    drawn_memory(&picture.heap, &memory);
    struct loupe_memory with_chunks;
    loupe_memory_init(&with_chunks, memory.ops, memory.ctx, memory.machine, chunks);
    enum loupe_status status = loupe_answer(&with_chunks, chunks, &question, drawn_text_sink(text));
    loupe_memory_deinit(&with_chunks);
    loupe_memory_deinit(&memory);
    return status;
}

static const struct {
    enum loupe_query query;
    bool of_block;
} questions[] = {{LOUPE_QUERY_RETAIN_CYCLES, false},
                 {LOUPE_QUERY_STRONG_REFS, false},
                 {LOUPE_QUERY_IVAR_LAYOUT, false},
                 {LOUPE_QUERY_BLOCK_LAYOUT, true}};
enum { QUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static loupe_addr asked_about(unsigned question) {
    return questions[question].of_block ? picture.block : picture.seed;
}

/* Asks with whatever is damaged now. True when there was no error. */
static bool check_answer(unsigned question, const struct loupe_chunk_ops *chunks) {
    struct drawn_text text = {0};
    enum loupe_status status = ask(questions[question].query, asked_about(question), chunks, &text);
    bool ok = CHECK(text.text && is_line_of_json(text.text));
    if (!ok)
        printf("    %s\n", text.text ? text.text : "(nothing)");
    if (ok)
        CHECK_EQ(strstr(text.text, "\"status\":\"error\"") != NULL, status != LOUPE_OK);
    free(text.text);
    return status == LOUPE_OK;
}

/* ---- Damage ---- */

static const enum drawn_form forms[] = {DRAWN_X86_64, DRAWN_ARM64E, DRAWN_32_BIT};

static void test_undamaged_picture_is_answered(void) {
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        drawn_picture_init(&picture, forms[i]);
        for (unsigned question = 0; question < QUESTIONS; question++)
            CHECK(check_answer(question, &drawn_chunks));
        drawn_world_deinit(&picture.world);
    }
}

static void test_any_page_may_be_unreadable(void) {
    for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++) {
        drawn_picture_init(&picture, forms[i]);
        for (unsigned question = 0; question < QUESTIONS; question++) {
            for (loupe_addr page = 0x10000; page < picture.heap.next; page += LOUPE_PAGE_SIZE) {
                picture.heap.bad_page = page;
                check_answer(question, &drawn_chunks);
            }
        }
        drawn_world_deinit(&picture.world);
    }
}

/* Things on pages of their own, so that a page is a thing and every read is one of the reader's. */
static void test_any_read_may_fail_with_all_after_it(void) {
    drawn_picture_init(&picture, DRAWN_X86_64);
    for (unsigned question = 0; question < QUESTIONS; question++) {
        for (uint64_t n = 1;; n++) {
            picture.heap.reads = 0;
            picture.heap.fail_at = n;
            check_answer(question, &drawn_chunks);
            if (picture.heap.reads < n)
                break;
        }
    }
    drawn_world_deinit(&picture.world);
}

static void test_any_chunk_may_be_refused_and_none_is_kept(void) {
    drawn_picture_init(&picture, DRAWN_X86_64);
    for (unsigned question = 0; question < QUESTIONS; question++) {
        bool answered = false;
        for (uint64_t n = 1; !answered && n < 10000; n++) {
            struct drawn_failing_chunks state = {.fail_at = n};
            struct loupe_chunk_ops chunks = drawn_failing_chunk_ops(&state);
            answered = check_answer(question, &chunks);
            CHECK_EQ(state.outstanding, 0);
        }
        CHECK(answered);
    }
    drawn_world_deinit(&picture.world);
}

/* Every word of the picture in turn. */
static void test_any_word_may_be_garbage(void) {
    static const uint64_t garbage[] = {
        0, 1, 0x7fffffff, UINT32_MAX, UINT64_MAX, (uint64_t)1 << 60, 0x10000};
    drawn_picture_init(&picture, DRAWN_X86_64);
    loupe_addr end = picture.heap.next;
    for (loupe_addr place = 0x10000; place < end; place += 8) {
        uint64_t old;
        if (!check_tries(place / 8))
            continue;
        drawn_get(&picture.heap, place, &old, 8);
        for (unsigned question = 0; question < QUESTIONS; question++) {
            /* Its own address, to make loops, where the table has nothing. */
            uint64_t word = garbage[(place / 8 + question) % (sizeof(garbage) / sizeof(*garbage))];
            drawn_put_word(&picture.heap, place, word ? word : place);
            check_answer(question, &drawn_chunks);
        }
        drawn_put_word(&picture.heap, place, old);
    }
    drawn_world_deinit(&picture.world);
}

int main(void) {
    RUN(test_undamaged_picture_is_answered);
    RUN(test_any_page_may_be_unreadable);
    RUN(test_any_read_may_fail_with_all_after_it);
    RUN(test_any_chunk_may_be_refused_and_none_is_kept);
    RUN(test_any_word_may_be_garbage);
    return check_report();
}
