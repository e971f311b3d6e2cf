/* The table of questions. */
#include "questions/answering.h"

#include <string.h>

#define KIND(id, name, function, need) [LOUPE_QUERY_##id] = {name, need, loupe_answer_##function},
static const struct loupe_question_kind kinds[LOUPE_QUERY_COUNT] = {LOUPE_QUESTIONS(KIND)};
#undef KIND

const struct loupe_question_kind *loupe_question_kind(enum loupe_query query) {
    return (unsigned)query < LOUPE_QUERY_COUNT ? &kinds[query] : NULL;
}

const char *loupe_query_name(enum loupe_query query) {
    const struct loupe_question_kind *kind = loupe_question_kind(query);
    return kind ? kind->name : "unknown";
}

bool loupe_query_named(const char *name, enum loupe_query *ret) {
    for (unsigned i = 0; i < LOUPE_QUERY_COUNT; i++) {
        if (strcmp(name, kinds[i].name) == 0) {
            *ret = (enum loupe_query)i;
            return true;
        }
    }
    return false;
}
