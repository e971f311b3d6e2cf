/* Words for degrees and verdicts. */
#include "answers/verdict_words.h"

#include "answers/texts.h"

static const struct {
    const char *word, *sentence;
} degrees[LOUPE_DEGREE_COUNT] = {
    [LOUPE_DEGREE_LOST] = {"unreachable", "unreachable"},
    [LOUPE_DEGREE_NO_OWNER] = {"leaked", "leaked: " ANSWER_NONE_RETAINS},
    [LOUPE_DEGREE_TIMER] = {ANSWER_HELD_BY_TIMER, ANSWER_UNTIL_INVALIDATED},
    [LOUPE_DEGREE_POSSIBLE] = {"possible", "possible: nothing known retains it"},
    [LOUPE_DEGREE_HELD] = {"held", ANSWER_HELD_OUTSIDE},
    [LOUPE_DEGREE_UNKNOWN] = {"unknown", "unknown"}};

struct loupe_span answer_degree_word(struct loupe_span degree) {
    enum loupe_degree known = loupe_degree_named(degree);
    return known == LOUPE_DEGREE_COUNT ? degree : loupe_span_of(degrees[known].word);
}

struct loupe_span answer_degree_sentence(struct loupe_span degree) {
    enum loupe_degree known = loupe_degree_named(degree);
    return loupe_span_of(known == LOUPE_DEGREE_COUNT ? NULL : degrees[known].sentence);
}

struct loupe_span answer_verdict_sentence(struct loupe_span verdict) {
    static const char *const sentences[][2] = {{"leaked", ANSWER_NOTHING_RETAINS},
                                               {"held", ANSWER_HELD_OUTSIDE},
                                               {"garbage", "garbage: the collector will free it"},
                                               {"unknown", "unknown"}};
    for (size_t i = 0; i < sizeof(sentences) / sizeof(*sentences); i++) {
        if (loupe_span_equals(verdict, sentences[i][0]))
            return loupe_span_of(sentences[i][1]);
    }
    return verdict;
}

/* ---- How grave ---- */

static enum loupe_degree degree_of_verdict(struct loupe_span verdict, bool certain) {
    if (loupe_span_equals(verdict, "leaked"))
        return loupe_degree_of(LOUPE_LEAKED, certain);
    return loupe_span_equals(verdict, "held") ? LOUPE_DEGREE_HELD : LOUPE_DEGREE_UNKNOWN;
}

enum loupe_severity answer_severity(const struct json_value *finding, struct loupe_span verdict,
                                    bool certain) {
    struct loupe_span said = json_text(finding, "severity");
    enum loupe_degree degree = loupe_degree_named(json_text(finding, "degree"));
    enum loupe_severity severity = loupe_severity_named(said);
    if (severity != LOUPE_SEVERITY_COUNT)
        return severity;
    if (degree == LOUPE_DEGREE_COUNT)
        degree = degree_of_verdict(verdict, certain);
    return loupe_severity_of(degree, certain);
}
