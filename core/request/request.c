#include "request/request.h"

#include "graph/describer.h"
#include "request/arguments.h"

static const char *const fact_ownership_names[LOUPE_FACT_OWNERSHIP_COUNT] = {
    [LOUPE_FACT_STRONG] = "strong",
    [LOUPE_FACT_MEMBER] = "member",
    [LOUPE_FACT_UNCLEAR] = "unclear",
    [LOUPE_FACT_MANUAL] = "manual",
};
static const char *const evidence_names[] = {"debug-info", "formatter"};
enum { EVIDENCE_COUNT = sizeof(evidence_names) / sizeof(*evidence_names) };

const char *loupe_fact_ownership_name(enum loupe_fact_ownership ownership) {
    return (unsigned)ownership < LOUPE_FACT_OWNERSHIP_COUNT ? fact_ownership_names[ownership]
                                                            : "unknown";
}

/* What decodes one argument; its fields are as many as it takes. */
struct decoder {
    struct loupe_arena *arena;
    struct loupe_request *request;
};
typedef enum loupe_status decode_argument(const struct decoder *decoder,
                                          const struct loupe_span *fields);

/* ---- Fields ---- */

static bool decode_fact_ownership(struct loupe_span field, uint8_t *ret) {
    for (unsigned i = 0; i < LOUPE_FACT_OWNERSHIP_COUNT; i++) {
        if (loupe_span_equals(field, fact_ownership_names[i])) {
            *ret = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool decode_evidence(struct loupe_span field, const char **ret) {
    for (unsigned i = 0; i < EVIDENCE_COUNT; i++) {
        if (loupe_span_equals(field, evidence_names[i])) {
            *ret = evidence_names[i];
            return true;
        }
    }
    return false;
}

/* What a host found is described. */
static bool decode_edge_kind(struct loupe_span field, uint8_t *ret) {
    /* Cap: all of a table: words are not described. */
    for (unsigned i = 0; i < LOUPE_EDGE_WORD; i++) {
        if (loupe_span_equals(field, loupe_edge_kind_name((enum loupe_edge_kind)i))) {
            *ret = (uint8_t)i;
            return true;
        }
    }
    return false;
}

static bool decode_root_kind(struct loupe_span field, enum loupe_root_kind *ret) {
    for (unsigned i = 0; i < LOUPE_ROOT_PLACE_COUNT; i++) {
        if (loupe_span_equals(field, loupe_root_kind_name(loupe_root_places[i]))) {
            *ret = loupe_root_places[i];
            return true;
        }
    }
    return false;
}

static bool decode_range(const struct loupe_span *fields, struct loupe_range *ret) {
    return loupe_argument_address(fields[0], &ret->start) &&
           loupe_argument_address(fields[1], &ret->end) && ret->start <= ret->end;
}

/* "*" as it is written is any; the name %2A is not. */
static enum loupe_status decode_pattern(struct loupe_span field, struct loupe_arena *arena,
                                        const char **ret) {
    if (loupe_span_equals(field, "*"))
        return LOUPE_OK;
    return field.length ? loupe_argument_text(field, arena, ret) : LOUPE_EUSAGE;
}

/* "+0x20", "0x7f00" or "-". */
static bool decode_slot(struct loupe_span field, struct loupe_fact *fact) {
    uint64_t number;
    if (loupe_span_equals(field, "-"))
        return true;
    if (!loupe_span_starts_with(field, "+"))
        return loupe_argument_address(field, &fact->slot);
    field = (struct loupe_span){.bytes = field.bytes + 1, .length = field.length - 1};
    if (!loupe_argument_address(field, &number) || number > UINT32_MAX)
        return false;
    fact->has_offset = true;
    fact->offset = (uint32_t)number;
    fact->slot = fact->source + number;
    return true;
}

/* ---- Arguments ---- */

static enum loupe_status decode_filter(const struct decoder *decoder,
                                       const struct loupe_span *fields) {
    struct loupe_filter *filter = &decoder->request->filters[decoder->request->filter_count++];
    const char **const parts[] = {&filter->source, &filter->path, &filter->target};
    enum loupe_status status = LOUPE_OK;
    *filter = (struct loupe_filter){0};
    for (unsigned i = 0; !status && i < 3; i++)
        status = decode_pattern(fields[i], decoder->arena, parts[i]);
    if (!status)
        status = loupe_argument_text(fields[3], decoder->arena, &filter->reason);
    bool matches_all = !filter->source && !filter->path && !filter->target;
    return !status && matches_all ? LOUPE_EUSAGE : status;
}

static enum loupe_status decode_no_filters(const struct decoder *decoder,
                                           const struct loupe_span *fields) {
    (void)fields;
    decoder->request->without_standard_filters = true;
    return LOUPE_OK;
}

static enum loupe_status decode_survey(const struct decoder *decoder,
                                       const struct loupe_span *fields) {
    (void)fields;
    decoder->request->surveys = true;
    return LOUPE_OK;
}

static enum loupe_status decode_explain(const struct decoder *decoder,
                                        const struct loupe_span *fields) {
    (void)fields;
    decoder->request->explains = true;
    return LOUPE_OK;
}

static enum loupe_status decode_stack_pointer(const struct decoder *decoder,
                                              const struct loupe_span *fields) {
    decoder->request->has_stack_pointer = true;
    return loupe_argument_address(fields[0], &decoder->request->stack_pointer) ? LOUPE_OK
                                                                               : LOUPE_EUSAGE;
}

static enum loupe_status decode_root(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    struct loupe_named_root *root = &decoder->request->roots[decoder->request->root_count++];
    *root = (struct loupe_named_root){.is_memory = false};
    bool good = decode_root_kind(fields[0], &root->kind) &&
                loupe_argument_address(fields[1], &root->range.start);
    root->range.end = root->range.start;
    return good ? LOUPE_OK : LOUPE_EUSAGE;
}

static enum loupe_status decode_scan(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    struct loupe_named_root *root = &decoder->request->roots[decoder->request->root_count++];
    *root = (struct loupe_named_root){.is_memory = true};
    const struct loupe_range *range = &root->range;
    return decode_root_kind(fields[0], &root->kind) && decode_range(fields + 1, &root->range) &&
                   range->end - range->start <= LOUPE_MAX_SCAN &&
                   range->end <= UINT64_MAX - LOUPE_PAGE_SIZE
               ? LOUPE_OK
               : LOUPE_EUSAGE;
}

static enum loupe_status decode_register(const struct decoder *decoder,
                                         const struct loupe_span *fields) {
    struct loupe_known_register *known =
        &decoder->request->registers[decoder->request->register_count++];
    bool good = loupe_argument_address(fields[0], &known->thread) && fields[1].length &&
                loupe_argument_address(fields[2], &known->value);
    return good ? loupe_argument_text(fields[1], decoder->arena, &known->name) : LOUPE_EUSAGE;
}

static enum loupe_status decode_debugger(const struct decoder *decoder,
                                         const struct loupe_span *fields) {
    struct loupe_request *request = decoder->request;
    return decode_range(fields, &request->debuggers[request->debugger_count++]) ? LOUPE_OK
                                                                                : LOUPE_EUSAGE;
}

enum { FROM, KIND, OWNERSHIP, EVIDENCE, SLOT, WORD, PATH, FACT_FIELDS };
_Static_assert((int)FACT_FIELDS <= (int)LOUPE_ARGUMENT_FIELDS, "all fields of a fact are kept");

static enum loupe_status decode_fact(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    struct loupe_fact *fact = &decoder->request->facts[decoder->request->fact_count++];
    *fact = (struct loupe_fact){.slot = 0};
    bool good = fields[PATH].length && fields[PATH].length < 3 * LOUPE_MAX_PATH &&
                loupe_argument_address(fields[FROM], &fact->source) &&
                decode_edge_kind(fields[KIND], &fact->kind) &&
                decode_fact_ownership(fields[OWNERSHIP], &fact->ownership) &&
                decode_evidence(fields[EVIDENCE], &fact->evidence) &&
                decode_slot(fields[SLOT], fact) &&
                loupe_argument_address(fields[WORD], &fact->word);
    return good ? loupe_argument_text(fields[PATH], decoder->arena, &fact->path) : LOUPE_EUSAGE;
}

static enum loupe_status decode_read(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    loupe_addr *place = &decoder->request->read[decoder->request->read_count++];
    return loupe_argument_address(fields[0], place) ? LOUPE_OK : LOUPE_EUSAGE;
}

static enum loupe_status decode_list(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    const char *cursor = fields[0].bytes, *end = cursor + fields[0].length;
    uint64_t count;
    if (!loupe_parse_decimal(&cursor, end, LOUPE_MAX_LISTED, &count) || cursor != end)
        return LOUPE_EUSAGE;
    decoder->request->listed = (uint32_t)count;
    return LOUPE_OK;
}

static enum loupe_status decode_code(const struct decoder *decoder,
                                     const struct loupe_span *fields) {
    loupe_addr *address = &decoder->request->code[decoder->request->code_count++];
    return loupe_argument_address(fields[0], address) ? LOUPE_OK : LOUPE_EUSAGE;
}

static enum loupe_status decode_class(const struct decoder *decoder,
                                      const struct loupe_span *fields) {
    return loupe_argument_text(fields[0], decoder->arena, &decoder->request->class_name);
}

static enum loupe_status decode_selector(const struct decoder *decoder,
                                         const struct loupe_span *fields) {
    return fields[0].length
               ? loupe_argument_text(fields[0], decoder->arena, &decoder->request->selector)
               : LOUPE_EUSAGE;
}

enum {
    FILTER_ARGUMENT,
    ROOT_ARGUMENT,
    SCAN_ARGUMENT,
    REGISTER_ARGUMENT,
    DEBUGGER_ARGUMENT,
    FACT_ARGUMENT,
    READ_ARGUMENT,
    NO_FILTERS_ARGUMENT,
    EXPLAIN_ARGUMENT,
    SURVEY_ARGUMENT,
    STACK_POINTER_ARGUMENT,
    LIST_ARGUMENT,
    CODE_ARGUMENT,
    CLASS_ARGUMENT,
    SELECTOR_ARGUMENT,
    ARGUMENT_COUNT
};

static const struct {
    const char *word;
    unsigned field_count;
    decode_argument *decode;
} known_arguments[ARGUMENT_COUNT] = {
    [FILTER_ARGUMENT] = {"filter", 4, decode_filter},
    [ROOT_ARGUMENT] = {"root", 2, decode_root},
    [SCAN_ARGUMENT] = {"scan", 3, decode_scan},
    [REGISTER_ARGUMENT] = {"register", 3, decode_register},
    [DEBUGGER_ARGUMENT] = {"debugger", 2, decode_debugger},
    [FACT_ARGUMENT] = {"ref", FACT_FIELDS, decode_fact},
    [READ_ARGUMENT] = {"read", 1, decode_read},
    [NO_FILTERS_ARGUMENT] = {"no-filters", 0, decode_no_filters},
    [EXPLAIN_ARGUMENT] = {"explain", 0, decode_explain},
    [SURVEY_ARGUMENT] = {"survey", 0, decode_survey},
    [STACK_POINTER_ARGUMENT] = {"stack-pointer", 1, decode_stack_pointer},
    [LIST_ARGUMENT] = {"list", 1, decode_list},
    [CODE_ARGUMENT] = {"code", 1, decode_code},
    [CLASS_ARGUMENT] = {"class", 1, decode_class},
    [SELECTOR_ARGUMENT] = {"selector", 1, decode_selector},
};

/* ---- The text ---- */

static enum loupe_status refuse(struct loupe_error *err, const char *why,
                                const struct loupe_argument *argument) {
    enum { MOST_SHOWN = 80 };
    int shown = argument->text.length > MOST_SHOWN ? MOST_SHOWN : (int)argument->text.length;
    return loupe_detail(err, LOUPE_DETAIL_ARGUMENT,
                        loupe_fail(err, LOUPE_EUSAGE, 0, "an argument that %s: %.*s", why, shown,
                                   argument->text.bytes));
}

/* ARGUMENT_COUNT: there is none of that word. */
static unsigned number_of(const struct loupe_argument *argument) {
    unsigned number = 0;
    while (number < ARGUMENT_COUNT &&
           !loupe_span_equals(argument->word, known_arguments[number].word))
        number++;
    return number;
}

/* How many there are of each, before anything of them is kept. */
static enum loupe_status count_arguments(const char *cursor, uint32_t *counts,
                                         struct loupe_error *err) {
    struct loupe_argument argument;
    uint32_t count = 0;
    while (loupe_argument_next(&cursor, &argument)) {
        unsigned number = number_of(&argument);
        if (number == ARGUMENT_COUNT)
            return refuse(err, "Loupe does not know", &argument);
        if (argument.field_count != known_arguments[number].field_count)
            return refuse(err, "makes no sense", &argument);
        if (count++ == LOUPE_MAX_ARGUMENTS)
            return loupe_fail(err, LOUPE_ELIMIT, 0, "more arguments than %u", LOUPE_MAX_ARGUMENTS);
        counts[number]++;
    }
    return LOUPE_OK;
}

static enum loupe_status make_room(struct loupe_arena *arena, const uint32_t *counts,
                                   struct loupe_request *ret) {
    uint32_t roots = counts[ROOT_ARGUMENT] + counts[SCAN_ARGUMENT];
    ret->filters = loupe_arena_alloc_array(arena, counts[FILTER_ARGUMENT], sizeof(*ret->filters));
    ret->roots = loupe_arena_alloc_array(arena, roots, sizeof(*ret->roots));
    ret->registers =
        loupe_arena_alloc_array(arena, counts[REGISTER_ARGUMENT], sizeof(*ret->registers));
    ret->debuggers =
        loupe_arena_alloc_array(arena, counts[DEBUGGER_ARGUMENT], sizeof(*ret->debuggers));
    ret->facts = loupe_arena_alloc_array(arena, counts[FACT_ARGUMENT], sizeof(*ret->facts));
    ret->read = loupe_arena_alloc_array(arena, counts[READ_ARGUMENT], sizeof(*ret->read));
    ret->code = loupe_arena_alloc_array(arena, counts[CODE_ARGUMENT], sizeof(*ret->code));
    bool good = ret->filters && ret->roots && ret->registers && ret->debuggers && ret->facts &&
                ret->read && ret->code;
    return good ? LOUPE_OK : LOUPE_ENOMEM;
}

enum loupe_status loupe_request_decode(const char *text, struct loupe_arena *arena,
                                       struct loupe_request *ret, struct loupe_error *err) {
    uint32_t counts[ARGUMENT_COUNT] = {0};
    struct decoder decoder = {.arena = arena, .request = ret};
    struct loupe_argument argument;
    const char *cursor = text ? text : "";
    *ret = (struct loupe_request){.listed = 0};
    enum loupe_status status = count_arguments(cursor, counts, err);
    if (status)
        return status;
    status = make_room(arena, counts, ret);
    while (!status && loupe_argument_next(&cursor, &argument))
        status = known_arguments[number_of(&argument)].decode(&decoder, argument.fields);
    if (status == LOUPE_EUSAGE)
        return refuse(err, "makes no sense", &argument);
    if (status)
        return loupe_fail(err, status, 0, "out of memory while reading the arguments");
    return LOUPE_OK;
}
