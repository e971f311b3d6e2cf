/* Properties in sources. */
#include "fix/source/properties.h"

#include "answers/json_tree.h"
#include "fix/source/doubts.h"
#include "fix/source/reasons.h"

#include <string.h>

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

uint32_t fix_find_token(const struct fix_source *source, uint32_t from, uint32_t to,
                        const char *text) {
    while (from < to && !fix_token_is(source, from, text))
        from++;
    return from;
}

bool fix_is_conditional(const struct fix_source *source, uint32_t from, uint32_t to) {
    for (uint32_t i = from; i < to; i++) {
        if (source->tokens[i].conditions)
            return true;
    }
    return false;
}

/* ---- Which ivar it has ---- */

enum mapping { NOT_MENTIONED, HAS_IT, HAS_ANOTHER };

/* What one @synthesize or @dynamic at a token says of a property. */
static enum mapping mapping_at(const struct fix_source *source, uint32_t at, uint32_t end,
                               struct loupe_span property, struct loupe_span ivar) {
    bool is_dynamic = fix_token_is(source, at, "@dynamic");
    for (at++; at < end && fix_is_name(source, at); at++) {
        bool is_renamed = fix_token_is(source, at + 1, "=");
        if (json_texts_equal(fix_token_text(source, at), property))
            return !is_dynamic &&
                           json_texts_equal(fix_token_text(source, at + (is_renamed ? 2 : 0)), ivar)
                       ? HAS_IT
                       : HAS_ANOTHER;
        at += is_renamed ? 3 : 1; /* the comma */
    }
    return NOT_MENTIONED;
}

bool fix_property_has_ivar(const struct fix_classes *classes, struct loupe_span property,
                           struct loupe_span ivar) {
    enum mapping mapping = NOT_MENTIONED;
    for (uint32_t i = 0; i < classes->count; i++) {
        const struct fix_class *found = &classes->items[i];
        const struct fix_source *source = &found->file->source;
        for (uint32_t k = found->members; k < found->end && !mapping; k++) {
            if (fix_token_is(source, k, "@synthesize") || fix_token_is(source, k, "@dynamic"))
                mapping = mapping_at(source, k, found->end, property, ivar);
        }
    }
    return mapping ? mapping == HAS_IT
                   : ivar.length == property.length + 1 && ivar.bytes[0] == '_' &&
                         memcmp(ivar.bytes + 1, property.bytes, property.length) == 0;
}

/* ---- Attributes ---- */

static const struct owning_word {
    const char *word;
    enum fix_owning owning;
} owning_words[] = {{"strong", FIX_RETAINS}, {"retain", FIX_RETAINS},
                    {"copy", FIX_COPIES},    {"assign", FIX_ASSIGNS},
                    {"weak", FIX_WEAK},      {"unsafe_unretained", FIX_ASSIGNS}};

static enum fix_owning owning_of(struct loupe_span word) {
    for (size_t i = 0; i < sizeof(owning_words) / sizeof(owning_words[0]); i++) {
        if (loupe_span_equals(word, owning_words[i].word))
            return owning_words[i].owning;
    }
    return FIX_SAYS_NOTHING;
}

static const char *take_attribute(struct fix_property *property, const struct fix_source *source,
                                  uint32_t at) {
    static const char *const others[] = {"nonatomic", "atomic",           "readonly", "readwrite",
                                         "nullable",  "null_unspecified", "direct"};
    static const char *const never_nil[] = {"nonnull", "null_resettable"};
    struct loupe_span word = fix_token_text(source, at);
    enum fix_owning owning = owning_of(word);
    if (fix_is_macro_here(source, word))
        return FIX_IS_MACRO;
    if (fix_is_one_of(word, never_nil, COUNT_OF(never_nil)))
        property->is_never_nil = true;
    else if (!owning && !fix_is_one_of(word, others, COUNT_OF(others)))
        return FIX_ATTRIBUTE_UNKNOWN;
    if (!owning)
        return NULL;
    if (property->ownership)
        return "it says twice how it owns";
    property->ownership = at;
    property->owning = owning;
    return NULL;
}

/* "getter=NAME" and "setter=NAME:" say nothing of ownership. */
static uint32_t skip_accessor(const struct fix_source *source, uint32_t at, uint32_t end) {
    if (!fix_token_is(source, at, "getter") && !fix_token_is(source, at, "setter"))
        return at;
    return fix_find_token(source, at, end, ",");
}

/* The first problem counts, and the rest is read all the same. */
static void read_attributes(struct fix_property *property, const struct fix_source *source) {
    for (uint32_t i = property->open + 1; i < property->close; i++) {
        const char *problem = NULL;
        uint32_t next = skip_accessor(source, i, property->close);
        if (next == i) {
            problem = take_attribute(property, source, i);
            next = i + 1;
        }
        if (!problem && next < property->close && !fix_token_is(source, next, ","))
            problem = FIX_ATTRIBUTE_UNKNOWN;
        if (!property->problem)
            property->problem = problem;
        i = fix_find_token(source, next, property->close, ",");
    }
}

bool fix_read_property(const struct fix_source *source, uint32_t at, uint32_t end,
                       struct fix_property *ret) {
    *ret = (struct fix_property){.at = at, .type = at + 1};
    if (fix_token_is(source, at + 1, "(")) {
        ret->open = at + 1;
        ret->close = fix_find_token(source, at + 1, end, ")");
        ret->type = ret->close + 1;
    }
    ret->end = fix_find_token(source, ret->type, end, ";");
    if (ret->end >= end || ret->end <= ret->type)
        return false;
    if (ret->open)
        read_attributes(ret, source);
    return true;
}
