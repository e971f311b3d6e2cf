/* What speaks against changing a source. */
#include "fix/source/doubts.h"

bool fix_is_one_of(struct loupe_span word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (loupe_span_equals(word, words[i]))
            return true;
    }
    return false;
}

bool fix_releases_by_hand(const struct fix_source *source, uint32_t from, uint32_t to) {
    static const char *const messages[] = {"retain", "release", "autorelease"};
    for (uint32_t i = from; i + 1 < to; i++) {
        bool ends = fix_token_is(source, i + 1, "]");
        if ((ends && fix_is_one_of(fix_token_text(source, i), messages,
                                   sizeof(messages) / sizeof(messages[0]))) ||
            (ends && i && fix_token_is(source, i, "dealloc") &&
             fix_token_is(source, i - 1, "super")))
            return true;
    }
    return false;
}

bool fix_is_generated(const struct fix_file *file) {
    enum { HEAD = 2000 };
    struct loupe_span head = file->source.text;
    head.length = head.length < HEAD ? head.length : HEAD;
    return loupe_span_contains(head, "DO NOT EDIT") || loupe_span_contains(head, "@generated");
}
