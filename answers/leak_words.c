/* The verdict on a leak. */
#include "answers/leak_words.h"

#include "answers/texts.h"
#include "base/text.h"

static const char *why_unowned(const struct answer_leak_facts *facts) {
    return facts->is_pointed_to ? ANSWER_NONE_RETAINS : ANSWER_OLD_VALUES;
}

/* A missing release is the cause, whatever else is known. What points to it without retaining it
 * may be a part of its own or anything else. */
static size_t say_missing(const struct answer_leak_facts *facts, char *dst, size_t cap) {
    const char *state = facts->degree == LOUPE_DEGREE_LOST ? "unreachable" : "leaked";
    const char *rest = facts->degree == LOUPE_DEGREE_LOST ? ""
                       : facts->is_pointed_to ? "; pointers to it remain, but none retains it"
                                              : "; " ANSWER_OLD_VALUES;
    if (facts->is_each && facts->missing > 1)
        return loupe_format(dst, cap, "%s: each misses %u releases%s", state, facts->missing, rest);
    if (facts->is_each)
        return loupe_format(dst, cap, "%s: each misses a release%s", state, rest);
    return loupe_format(dst, cap, "%s: %s missing%s", state,
                        facts->missing == 1 ? "a release is" : "releases are", rest);
}

size_t answer_leak_verdict(const struct answer_leak_facts *facts, char *dst, size_t cap) {
    if (facts->missing)
        return say_missing(facts, dst, cap);
    if (facts->degree == LOUPE_DEGREE_TIMER)
        return loupe_format(dst, cap, ANSWER_UNTIL_INVALIDATED);
    if (facts->degree == LOUPE_DEGREE_NO_OWNER)
        return loupe_format(dst, cap, "leaked: %s", why_unowned(facts));
    return loupe_format(dst, cap, "unreachable%s",
                        facts->only_by_leaks
                            ? ": only other leaks point to it, and freeing them would not free it"
                            : "");
}

size_t answer_missing_besides_cycle(uint64_t retains, char *dst, size_t cap) {
    bool is_one = retains == 1;
    return loupe_format(
        dst, cap,
        "%s also missing: %llu %s unaccounted for, so breaking the cycle alone does "
        "not free all of it",
        is_one ? "A release is" : "Releases are", (unsigned long long)retains,
        is_one ? "retain is" : "retains are");
}
