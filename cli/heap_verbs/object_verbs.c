/* The verbs about one object of a core or a process: strong-refs, ivar-layout, block-layout, each
 * the question of that name, which LLDB's command asks, too. */
#include "heaps/heap_answer.h"
#include "heaps/opened/heap_target.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST_CLASS = 256 };

/* "0x7ff0010", or where it may be the name of a class, that. */
struct subject {
    uint64_t address;
    char told[LONGEST_CLASS + sizeof("class ")];
};

static bool is_class_name(const char *word) {
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_.$";
    size_t length = strlen(word);
    return length && length < LONGEST_CLASS && strspn(word, letters) == length &&
           !(word[0] >= '0' && word[0] <= '9');
}

static int take_subject(const struct heap_query *query, bool may_be_class, struct subject *ret) {
    const char *word = query->operands[0];
    int status = CLI_OK;
    *ret = (struct subject){.address = 0};
    if (may_be_class && is_class_name(word))
        loupe_format(ret->told, sizeof(ret->told), "class %s", word);
    else
        heap_query_address(query, word, &ret->address, &status);
    return status;
}

/* The answer in words, from the answer in JSON. */
static int show(const struct heap_query *query, const struct loupe_question *asked) {
    struct capture capture;
    size_t length = 0;
    capture_begin(&capture, CAPTURED_ANSWERS);
    int status = heap_target_put(query, asked);
    char *bytes = capture_end(&capture, &length);
    if (!bytes)
        return heap_fail(query, LOUPE_ENOMEM, "out of memory");
    int shown = heap_answer_say(query, (struct loupe_span){bytes, length}, NULL);
    free(bytes);
    return status ? status : shown;
}

static int ask(const struct heap_query *query, enum loupe_query question, bool may_be_class) {
    struct subject subject;
    int status = take_subject(query, may_be_class, &subject);
    if (status)
        return status;
    struct loupe_question asked = {.query = question,
                                   .engine = "memory",
                                   .address = subject.address,
                                   .arguments = query->options.explain ? "explain"
                                                : *subject.told        ? subject.told
                                                                       : NULL,
                                   .of_core = query->of_core};
    status = heap_begin_output(query);
    if (status)
        return status;
    return query->options.json ? heap_target_put(query, &asked) : show(query, &asked);
}

int heap_verb_strong_refs(struct heap_query *query) {
    bool incoming = query->options.incoming;
    return ask(query, incoming ? LOUPE_QUERY_INCOMING_REFS : LOUPE_QUERY_STRONG_REFS, false);
}

int heap_verb_ivar_layout(struct heap_query *query) {
    return ask(query, LOUPE_QUERY_IVAR_LAYOUT, true);
}

int heap_verb_block_layout(struct heap_query *query) {
    return ask(query, LOUPE_QUERY_BLOCK_LAYOUT, false);
}

int heap_verb_needs_target(struct heap_query *query) {
    return heap_fail(
        query, LOUPE_EUSAGE,
        "needs a core or a process, as no file of a heap keeps layouts; `loupe show FILE "
        "OBJECT` says what is in the object, what it holds and who refers to it");
}
