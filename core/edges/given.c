#include "edges/given.h"

#include "graph/describer.h"

#include <string.h>

static const char *const claim_names[LOUPE_CLAIM_COUNT] = {[LOUPE_CLAIM_STRONG] = "strong",
                                                           [LOUPE_CLAIM_MEMBER] = "member",
                                                           [LOUPE_CLAIM_UNCLEAR] = "unclear",
                                                           [LOUPE_CLAIM_MANUAL] = "manual"};
static const char *const evidence_names[] = {"debug-info", "formatter"};
enum { EVIDENCE_COUNT = sizeof(evidence_names) / sizeof(evidence_names[0]) };

/* ---- Fields ---- */

static bool read_kind(struct loupe_span field, uint8_t *ret) {
    for (unsigned i = 0; i < LOUPE_EDGE_KIND_COUNT; i++) {
        if (loupe_span_equals(field, loupe_edge_kind_name((enum loupe_edge_kind)i))) {
            *ret = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_claim(struct loupe_span field, uint8_t *ret) {
    for (unsigned i = 0; i < LOUPE_CLAIM_COUNT; i++) {
        if (loupe_span_equals(field, claim_names[i])) {
            *ret = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool read_evidence(struct loupe_span field, const char **ret) {
    for (unsigned i = 0; i < EVIDENCE_COUNT; i++) {
        if (loupe_span_equals(field, evidence_names[i])) {
            *ret = evidence_names[i];
            return true;
        }
    }
    return false;
}

static bool read_slot(struct loupe_span field, loupe_addr source,
                      struct loupe_given_reference *ret) {
    uint64_t number;
    if (loupe_span_equals(field, "-"))
        return true;
    if (!loupe_span_starts_with(field, "+"))
        return loupe_argument_address(field, &ret->slot);
    field = (struct loupe_span){.bytes = field.bytes + 1, .length = field.length - 1};
    if (!loupe_argument_address(field, &number) || number > UINT32_MAX)
        return false;
    ret->has_offset = true;
    ret->offset = (uint32_t)number;
    ret->slot = source + number;
    return true;
}

/* ---- Arguments ---- */

enum { FROM, KIND, CLAIM, EVIDENCE, SLOT, WORD, PATH, REFERENCE_FIELDS };

static enum loupe_status read_reference(struct loupe_arena *arena,
                                        const struct loupe_argument *argument,
                                        loupe_addr *source_ret, struct loupe_given_reference *ret) {
    const struct loupe_span *fields = argument->fields;
    *ret = (struct loupe_given_reference){.next = LOUPE_NO_GIVEN};
    bool good = argument->field_count == REFERENCE_FIELDS && fields[PATH].length &&
                fields[PATH].length < 3 * LOUPE_MAX_PATH &&
                loupe_argument_address(fields[FROM], source_ret) &&
                read_kind(fields[KIND], &ret->kind) && read_claim(fields[CLAIM], &ret->claim) &&
                read_evidence(fields[EVIDENCE], &ret->evidence) &&
                read_slot(fields[SLOT], *source_ret, ret) &&
                loupe_argument_address(fields[WORD], &ret->word);
    return good ? loupe_argument_text(fields[PATH], arena, &ret->path) : LOUPE_EUSAGE;
}

static enum loupe_status keep(struct loupe_given *given, loupe_addr source,
                              const struct loupe_given_reference *reference) {
    uint32_t number = given->references.count, last;
    if (number >= LOUPE_MAX_GIVEN)
        return LOUPE_ELIMIT;
    struct loupe_given_reference *place = loupe_vector_add(&given->references);
    if (!place)
        return LOUPE_ENOMEM;
    *place = *reference;
    if (loupe_map_find(&given->last, source, &last)) {
        struct loupe_given_reference *before =
            loupe_vector_at(&given->references, last, sizeof(*before));
        before->next = number;
    } else if (loupe_map_put(&given->first, source, number)) {
        return LOUPE_ENOMEM;
    }
    return loupe_map_put(&given->last, source, number);
}

static enum loupe_status add_reference(struct loupe_given *given,
                                       const struct loupe_argument *argument) {
    struct loupe_given_reference reference;
    loupe_addr source;
    enum loupe_status status = read_reference(given->arena, argument, &source, &reference);
    return status ? status : keep(given, source, &reference);
}

static enum loupe_status add_read(struct loupe_given *given,
                                  const struct loupe_argument *argument) {
    loupe_addr address;
    if (argument->field_count != 1 || !loupe_argument_address(argument->fields[0], &address))
        return LOUPE_EUSAGE;
    return given->read.count < LOUPE_MAX_GIVEN ? loupe_map_put(&given->read, address, 0)
                                               : LOUPE_ELIMIT;
}

static enum loupe_status set_list(struct loupe_given *given,
                                  const struct loupe_argument *argument) {
    const char *cursor = argument->fields[0].bytes;
    uint64_t count;
    if (argument->field_count != 1 ||
        !loupe_parse_decimal(&cursor, cursor + argument->fields[0].length, LOUPE_MAX_GIVEN,
                             &count) ||
        cursor != argument->fields[0].bytes + argument->fields[0].length)
        return LOUPE_EUSAGE;
    given->list = (uint32_t)count;
    return LOUPE_OK;
}

static const struct {
    const char *word;
    enum loupe_status (*add)(struct loupe_given *given, const struct loupe_argument *argument);
} arguments[] = {{"ref", add_reference}, {"read", add_read}, {"list", set_list}};
enum { ARGUMENT_COUNT = sizeof(arguments) / sizeof(arguments[0]) };

void loupe_given_init(struct loupe_given *given, struct loupe_arena *arena,
                      const struct loupe_chunk_ops *lasting) {
    *given = (struct loupe_given){.arena = arena};
    loupe_vector_init(&given->references, lasting, sizeof(struct loupe_given_reference));
    loupe_map_init(&given->first, lasting);
    loupe_map_init(&given->last, lasting);
    loupe_map_init(&given->read, lasting);
}

bool loupe_given_means(const struct loupe_argument *argument) {
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (loupe_span_equals(argument->word, arguments[i].word))
            return true;
    }
    return false;
}

enum loupe_status loupe_given_add(struct loupe_given *given,
                                  const struct loupe_argument *argument) {
    for (unsigned i = 0; i < ARGUMENT_COUNT; i++) {
        if (loupe_span_equals(argument->word, arguments[i].word))
            return arguments[i].add(given, argument);
    }
    return LOUPE_EUSAGE;
}

/* ---- Looking ---- */

uint32_t loupe_given_first(const struct loupe_given *given, loupe_addr source) {
    uint32_t number;
    return loupe_map_find(&given->first, source, &number) ? number : LOUPE_NO_GIVEN;
}

const struct loupe_given_reference *loupe_given_at(const struct loupe_given *given,
                                                   uint32_t number) {
    return loupe_vector_at(&given->references, number, sizeof(struct loupe_given_reference));
}

bool loupe_given_was_read(const struct loupe_given *given, loupe_addr address) {
    uint32_t ignored;
    return loupe_map_find(&given->read, address, &ignored);
}
