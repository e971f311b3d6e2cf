/* The names of a block's descriptor and helpers, read from left to right. */
#include "blocks/symbol_parser.h"

#include "base/sort.h"
/* How far from the capture before it an offset is believed to be when the block's size is unknown.
 */
enum { PLAUSIBLE_GAP = 1024 };

/* ---- Captures found ---- */

bool loupe_symbol_fail(struct symbol_parser *parser, enum loupe_status failure) {
    parser->failure = failure;
    return false;
}

/* Bounds the work that a name can cause. */
bool loupe_symbol_step(struct symbol_parser *parser) {
    return ++parser->steps <= LOUPE_SYMBOL_MAX_CAPTURES || loupe_symbol_fail(parser, LOUPE_ELIMIT);
}

bool loupe_symbol_add(struct symbol_parser *parser, struct loupe_symbol_capture capture) {
    struct loupe_block_symbol *symbol = &parser->symbol;
    struct loupe_symbol_capture *captures =
        loupe_arena_grow(parser->arena, symbol->captures, symbol->capture_count, &parser->capacity,
                         sizeof(*captures));
    if (!captures)
        return loupe_symbol_fail(parser, LOUPE_ENOMEM);
    symbol->captures = captures;
    captures[symbol->capture_count++] = capture;
    return true;
}

bool loupe_symbol_add_word(struct symbol_parser *parser, uint32_t offset,
                           enum loupe_capture_kind kind) {
    return loupe_symbol_add(parser,
                            (struct loupe_symbol_capture){.offset = offset,
                                                          .size = parser->context->pointer_size,
                                                          .kind = kind,
                                                          .by_helper = true});
}

bool loupe_symbol_add_data(struct symbol_parser *parser, uint32_t offset, uint32_t size) {
    return loupe_symbol_add(
        parser, (struct loupe_symbol_capture){
                    .offset = offset, .size = size, .kind = LOUPE_CAPTURE_DATA, .by_helper = true});
}

/* The end of a name, or what a linker or optimizer added to it: ".17", ".llvm.4711". */
static bool at_end_of_name(const struct cursor *cursor) {
    return at_end(cursor) || *cursor->at == '.';
}

/* ---- Offsets of captures ---- */

static uint32_t greatest_plausible_offset(const struct symbol_parser *parser) {
    if (parser->context->block_size)
        return parser->context->block_size;
    return parser->last_offset + PLAUSIBLE_GAP;
}

static bool follows(const struct symbol_parser *parser, uint32_t offset) {
    return parser->any_capture ? offset > parser->last_offset : offset > 0;
}

static void set_last_offset(struct symbol_parser *parser, uint32_t offset) {
    parser->last_offset = offset;
    parser->any_capture = true;
}

/* The shortest number at the cursor that can be the next offset. No offset starts with a 0. */
static bool take_shortest_offset(const struct symbol_parser *parser, struct cursor *cursor,
                                 uint32_t *ret) {
    for (struct cursor end = *cursor; at_digit(&end);) {
        end.at++;
        struct cursor number = {.at = cursor->at, .end = end.at};
        uint32_t offset;
        if (!take_number(&number, greatest_plausible_offset(parser), &offset))
            return false;
        bool next_can_start = !at_digit(&end) || *end.at != '0';
        uint32_t header = 3u * parser->context->pointer_size + 8;
        if (follows(parser, offset) && offset >= header && next_can_start) {
            cursor->at = end.at;
            *ret = offset;
            return true;
        }
    }
    return false;
}

/* Offsets that ran together, where the helper does nothing for all but the last. */
static bool take_joined_offsets(struct symbol_parser *parser, struct cursor *cursor,
                                uint32_t *ret) {
    uint32_t last = parser->last_offset;
    bool any = parser->any_capture;
    struct cursor rest = *cursor;
    while (at_digit(&rest)) {
        uint32_t offset;
        if (!take_shortest_offset(parser, &rest, &offset)) {
            parser->last_offset = last;
            parser->any_capture = any;
            return false;
        }
        set_last_offset(parser, offset);
    }
    *cursor = rest;
    *ret = parser->last_offset;
    return true;
}

static bool take_offset(struct symbol_parser *parser, struct cursor *cursor, uint32_t *ret) {
    struct cursor whole = *cursor;
    uint32_t offset;
    bool is_number = take_number(&whole, LOUPE_SYMBOL_MAX_OFFSET, &offset);
    if (!is_number || offset > greatest_plausible_offset(parser) || !follows(parser, offset)) {
        if (take_joined_offsets(parser, cursor, ret))
            return true;
        if (!is_number || !follows(parser, offset))
            return false;
    }
    set_last_offset(parser, offset);
    *cursor = whole;
    *ret = offset;
    return true;
}

/* ---- Captures ---- */

/* KEY "d" DISCRIMINATOR: a signed pointer, no object. The next offset may follow at once, then the
 * discriminator is taken to be as long as leaves a plausible one. */
static bool parse_signed_pointer(struct symbol_parser *parser, struct cursor *cursor,
                                 uint32_t offset) {
    uint32_t number;
    if (!take_number(cursor, INT32_MAX, &number) || !take(cursor, 'd') || !at_digit(cursor))
        return false;
    struct cursor digits = *cursor;
    while (at_digit(&digits))
        digits.at++;
    const char *end = digits.at;
    bool another_follows = !at_end_of_name(&digits) && *end != '_';
    if (another_follows) {
        const char *start = end - 1;
        uint32_t next = 0;
        for (; start > cursor->at; start--) {
            struct cursor tail = {.at = start, .end = end};
            if (*start != '0' && take_number(&tail, greatest_plausible_offset(parser), &next) &&
                next > offset)
                break;
        }
        end = start;
    }
    if (end == cursor->at)
        return false;
    cursor->at = end;
    return loupe_symbol_add_data(parser, offset, parser->context->pointer_size);
}

static bool parse_cxx_object(struct symbol_parser *parser, struct cursor *cursor, uint32_t offset) {
    struct cursor type;
    if (!take_counted(cursor, '\0', &type))
        return false;
    return loupe_symbol_add(
        parser, (struct loupe_symbol_capture){
                    .offset = offset,
                    .kind = LOUPE_CAPTURE_UNKNOWN,
                    .by_helper = true,
                    .type = {.bytes = type.at, .length = (size_t)(type.end - type.at)}});
}

static bool parse_struct(struct symbol_parser *parser, struct cursor *cursor, uint32_t offset) {
    struct cursor members;
    return take_counted(cursor, '_', &members) &&
           loupe_symbol_parse_members(parser, members, offset);
}

static bool parse_byref(struct symbol_parser *parser, struct cursor *cursor, uint32_t offset) {
    take(cursor, 'w'); /* a weak one of the garbage collector */
    take(cursor, 'c'); /* copying may throw */
    take(cursor, 'd'); /* destroying may throw */
    return loupe_symbol_add_word(parser, offset, LOUPE_CAPTURE_BYREF);
}

/* "o": what manual retain/release code retains. */
static bool add_retained(struct symbol_parser *parser, uint32_t offset) {
    return loupe_symbol_add(parser,
                            (struct loupe_symbol_capture){.offset = offset,
                                                          .size = parser->context->pointer_size,
                                                          .kind = LOUPE_CAPTURE_STRONG,
                                                          .by_helper = true,
                                                          .by_retain = true});
}

static bool parse_operation(struct symbol_parser *parser, struct cursor *cursor, uint32_t offset) {
    if (take(cursor, 's'))
        return loupe_symbol_add_word(parser, offset, LOUPE_CAPTURE_STRONG);
    if (take(cursor, 'w'))
        return loupe_symbol_add_word(parser, offset, LOUPE_CAPTURE_WEAK);
    if (take(cursor, 'b'))
        return loupe_symbol_add_word(parser, offset, LOUPE_CAPTURE_BLOCK);
    if (take(cursor, 'o'))
        return add_retained(parser, offset);
    if (take(cursor, 'r'))
        return parse_byref(parser, cursor, offset);
    if (take(cursor, 'c'))
        return parse_cxx_object(parser, cursor, offset);
    if (take(cursor, 'n'))
        return parse_struct(parser, cursor, offset);
    return take(cursor, 'p') && parse_signed_pointer(parser, cursor, offset);
}

/* OFFSET operation*. A second operation is the destroy helper's, where it differs from the copy
 * helper's: it says nothing new, so what it adds is taken back. */
static bool parse_capture(struct symbol_parser *parser, struct cursor *cursor) {
    uint32_t offset;
    if (!loupe_symbol_step(parser) || !take_offset(parser, cursor, &offset))
        return false;
    if (at_end_of_name(cursor) || *cursor->at == '_')
        return true;
    if (!parse_operation(parser, cursor, offset))
        return false;
    if (at_end_of_name(cursor) || *cursor->at == '_' || at_digit(cursor))
        return true;
    uint32_t count = parser->symbol.capture_count;
    bool ok = parse_operation(parser, cursor, offset);
    parser->symbol.capture_count = count;
    return ok;
}

/* EH ALIGN "_" capture* */
static bool parse_captures(struct symbol_parser *parser, struct cursor *cursor) {
    take(cursor, 'e');
    parser->symbol.arc_exceptions = take(cursor, 'a');
    if (!take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &parser->symbol.alignment) ||
        !take(cursor, '_'))
        return false;
    bool ok = true;
    while (ok && at_digit(cursor))
        ok = parse_capture(parser, cursor);
    return ok;
}

/* ---- The part of a descriptor's name behind the captures ---- */

static bool parse_suffix(struct symbol_parser *parser, struct cursor *cursor) {
    struct loupe_symbol_capture capture = {.kind = LOUPE_CAPTURE_UNRETAINED};
    if (take(cursor, 's'))
        capture.kind = LOUPE_CAPTURE_STRONG;
    else if (take(cursor, 'r'))
        capture.kind = LOUPE_CAPTURE_BYREF;
    else if (take(cursor, 'w'))
        capture.kind = LOUPE_CAPTURE_WEAK;
    else if (!take(cursor, 'u'))
        return false;
    return loupe_symbol_step(parser) &&
           take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &capture.offset) && take(cursor, 'l') &&
           take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &capture.size) &&
           loupe_symbol_add(parser, capture);
}

/* "e" LENGTH "_" SIGNATURE "l" suffix*, up to the end of the name */
static bool parse_signature(struct symbol_parser *parser, struct cursor *cursor) {
    struct cursor signature;
    if (!take(cursor, 'e') || !take_counted(cursor, '_', &signature) || !take(cursor, 'l'))
        return false;
    parser->symbol.signature = (struct loupe_span){
        .bytes = signature.at, .length = (size_t)(signature.end - signature.at)};
    bool ok = true;
    while (ok && !at_end_of_name(cursor))
        ok = parse_suffix(parser, cursor);
    return ok;
}

/* ---- Whole names ---- */

static void note_stuck(struct symbol_parser *parser, const struct cursor *cursor) {
    if (cursor->at > parser->stuck)
        parser->stuck = cursor->at;
}

static void forget_captures(struct symbol_parser *parser) {
    parser->symbol.capture_count = 0;
    parser->any_capture = false;
    parser->last_offset = 0;
    parser->failure = LOUPE_OK;
}

/* SIZE "_" and the rest, first as of a block without helpers: its signature could look like a part
 * of the other form, but then its length does not fit. */
static bool parse_descriptor(struct symbol_parser *parser, struct cursor *cursor) {
    struct loupe_block_symbol *symbol = &parser->symbol;
    if (!take_number(cursor, LOUPE_SYMBOL_MAX_OFFSET, &symbol->size) || !take(cursor, '_'))
        return false;
    if (parser->context->helpers != LOUPE_HELPERS_PRESENT) {
        struct cursor attempt = *cursor;
        if (parse_signature(parser, &attempt))
            return true;
        note_stuck(parser, &attempt);
        forget_captures(parser);
    }
    if (parser->context->helpers == LOUPE_HELPERS_NONE)
        return false;
    symbol->has_helpers = true;
    return parse_captures(parser, cursor) && take(cursor, '_') && parse_signature(parser, cursor);
}

static bool parse_helper(struct symbol_parser *parser, struct cursor *cursor) {
    parser->symbol.has_helpers = true;
    return parse_captures(parser, cursor) && at_end_of_name(cursor);
}

/* ["tmp"] ["."] digits*: names that old compilers and plain C only made unique. */
static bool says_nothing(struct cursor cursor, bool is_descriptor) {
    if (is_descriptor && !take_text(&cursor, "tmp"))
        return false;
    if (take(&cursor, '.'))
        return true;
    while (at_digit(&cursor))
        cursor.at++;
    return at_end(&cursor);
}

static bool take_form(struct cursor *cursor, enum loupe_block_symbol_form *ret) {
    static const char *const prefixes[] = {
        [LOUPE_SYMBOL_DESCRIPTOR] = "__block_descriptor_",
        [LOUPE_SYMBOL_COPY_HELPER] = "__copy_helper_block_",
        [LOUPE_SYMBOL_DESTROY_HELPER] = "__destroy_helper_block_",
    };
    if (take_text(cursor, "___"))
        cursor->at -= strlen("__");
    for (unsigned form = 0; form < sizeof(prefixes) / sizeof(prefixes[0]); form++) {
        if (take_text(cursor, prefixes[form])) {
            *ret = (enum loupe_block_symbol_form)form;
            return true;
        }
    }
    return false;
}

bool loupe_block_symbol_is_one(struct loupe_span name) {
    struct cursor cursor = {.at = name.bytes, .end = name.bytes + name.length};
    enum loupe_block_symbol_form form;
    return take_form(&cursor, &form);
}

/* ---- Order ---- */

static bool comes_before(const void *ctx, const void *one, const void *other) {
    const struct loupe_symbol_capture *a = one, *b = other;
    (void)ctx;
    if (a->offset != b->offset)
        return a->offset < b->offset;
    return a->by_helper && !b->by_helper;
}

enum loupe_status loupe_block_symbol_parse(struct loupe_arena *arena, struct loupe_span name,
                                           const struct loupe_symbol_context *context,
                                           struct loupe_block_symbol *ret,
                                           struct loupe_error *err) {
    struct symbol_parser parser = {.arena = arena, .context = context, .stuck = name.bytes};
    struct cursor cursor = {.at = name.bytes, .end = name.bytes + name.length};
    if (!take_form(&cursor, &parser.symbol.form))
        return loupe_fail(err, LOUPE_EUSAGE, 0, "not the name of a block's descriptor or helper");
    bool is_descriptor = parser.symbol.form == LOUPE_SYMBOL_DESCRIPTOR;
    if (says_nothing(cursor, is_descriptor)) {
        parser.symbol.has_helpers = !is_descriptor;
        *ret = parser.symbol;
        return LOUPE_OK;
    }
    parser.symbol.says_captures = true;
    if (!(is_descriptor ? parse_descriptor(&parser, &cursor) : parse_helper(&parser, &cursor))) {
        note_stuck(&parser, &cursor);
        if (parser.failure)
            return loupe_fail(err, parser.failure, 0, "name of a block's descriptor or helper");
        return loupe_fail(
            err, LOUPE_EUSAGE, 0, "name of a block's %s that makes no sense from byte %zu on",
            is_descriptor ? "descriptor" : "helper", (size_t)(parser.stuck - name.bytes));
    }
    /* The time that a hostile name takes stays bounded. */
    loupe_sort(parser.symbol.captures, parser.symbol.capture_count, sizeof(*parser.symbol.captures),
               comes_before, NULL);
    *ret = parser.symbol;
    return LOUPE_OK;
}
