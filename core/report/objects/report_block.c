#include "report/objects/report_block.h"

#include "blocks/block_layout.h"
#include "types/type_text.h"

enum { MAX_SIGNATURE = 4096, MAX_SYMBOL = 1024, LONGEST_PROTOTYPE = 1024 };

/* Unknown bytes beyond these stay one item. */
enum { MOST_UNKNOWN_WORDS = 64 };

struct lookup {
    struct loupe_target *target;
    const struct loupe_block_traits *traits;
    struct loupe_class_namer namer;
};

/* ---- Looking up ---- */

static bool is_reference(enum loupe_capture_kind kind) {
    return kind != LOUPE_CAPTURE_DATA && kind != LOUPE_CAPTURE_UNKNOWN;
}

static void look_up_value(const struct lookup *lookup, loupe_addr place,
                          struct loupe_reported_capture *item) {
    struct loupe_memory *memory = lookup->target->memory;
    enum loupe_capture_kind kind = item->capture.kind;
    uint64_t value = 0;
    item->has_value = item->capture.size <= sizeof(value) &&
                      loupe_memory_read(memory, place, &value, item->capture.size) == LOUPE_OK;
    if (!item->has_value)
        return;
    bool may_be_object =
        loupe_capture_may_own(&item->capture) && item->capture.size == memory->machine.pointer_size;
    loupe_addr address = loupe_memory_strip(memory, value);
    if ((is_reference(kind) || may_be_object) && kind != LOUPE_CAPTURE_BYREF && address)
        item->class_name = lookup->namer.name(lookup->namer.ctx, address);
    item->value = is_reference(kind) || item->class_name.length ? address : value;
}

static enum loupe_status add_item(const struct lookup *lookup, loupe_addr start,
                                  const struct loupe_capture *capture,
                                  struct loupe_reported_list *list) {
    struct loupe_target *target = lookup->target;
    struct loupe_reported_capture *items =
        loupe_arena_grow(&target->arena, list->items, list->count, &list->capacity, sizeof(*items));
    if (!items)
        return LOUPE_ENOMEM;
    list->items = items;
    struct loupe_reported_capture *item = &items[list->count++];
    *item = (struct loupe_reported_capture){.capture = *capture};
    look_up_value(lookup, start + capture->offset, item);
    if (is_reference(capture->kind) && !item->has_value)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, start + capture->offset);
    return LOUPE_OK;
}

/* Bytes that may hold objects, by words: what is an object in them is worth showing. */
static enum loupe_status add_words(const struct lookup *lookup, loupe_addr start,
                                   const struct loupe_capture *capture,
                                   struct loupe_reported_list *list) {
    uint32_t word = lookup->target->memory->machine.pointer_size;
    uint32_t end = capture->offset + capture->size;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t at = capture->offset, words = 0; at < end && !status; words++) {
        struct loupe_capture part = *capture;
        uint32_t next = words < MOST_UNKNOWN_WORDS ? (at / word + 1) * word : end;
        part.offset = at;
        part.size = (next < end ? next : end) - at;
        status = add_item(lookup, start, &part, list);
        at += part.size;
    }
    return status;
}

/* unknown: the finding for what may be owned and is not described, unless it is a C++ object. */
static enum loupe_status look_up_list(const struct lookup *lookup, loupe_addr start,
                                      const struct loupe_captures *captures,
                                      enum loupe_finding unknown,
                                      struct loupe_reported_list *list) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < captures->count && !status; i++) {
        const struct loupe_capture *capture = &captures->items[i];
        if (!loupe_capture_may_own(capture)) {
            status = add_item(lookup, start, capture, list);
            continue;
        }
        loupe_findings_add(&lookup->target->findings,
                           capture->type.length ? LOUPE_FINDING_CXX : unknown,
                           start + capture->offset);
        status = add_words(lookup, start, capture, list);
    }
    return status;
}

/* The __block variable that a captured word points to. One that cannot be read is a finding. */
static enum loupe_status look_up_byref(const struct lookup *lookup,
                                       struct loupe_reported_capture *item) {
    struct loupe_target *target = lookup->target;
    struct loupe_reported_byref *byref = loupe_arena_alloc(&target->arena, sizeof(*byref));
    if (!byref)
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_byref_read(target->memory, &target->arena, item->value,
                                                lookup->traits, &byref->byref, NULL);
    if (status == LOUPE_ENOMEM)
        return status;
    if (status) {
        loupe_findings_add(&target->findings, LOUPE_FINDING_BYREF_LAYOUT, item->value);
        return LOUPE_OK;
    }
    item->byref = byref;
    return look_up_list(lookup, byref->byref.address, &byref->byref.variable,
                        LOUPE_FINDING_BYREF_LAYOUT, &byref->variable);
}

static enum loupe_status look_up_byrefs(const struct lookup *lookup,
                                        struct loupe_block_report *report) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < report->list.count && !status; i++) {
        struct loupe_reported_capture *item = &report->list.items[i];
        if (item->capture.kind == LOUPE_CAPTURE_BYREF && item->has_value && item->value)
            status = look_up_byref(lookup, item);
    }
    return status;
}

/* Only for show: what cannot be read stays empty. */
static enum loupe_status look_up_texts(struct loupe_target *target,
                                       struct loupe_block_report *report) {
    char buffer[MAX_SIGNATURE];
    uint64_t offset = 0;
    if (report->block.signature &&
        loupe_memory_read_string(target->memory, report->block.signature, buffer, sizeof(buffer),
                                 NULL) == LOUPE_OK) {
        report->signature =
            loupe_span_of(loupe_arena_copy_string(&target->arena, loupe_span_of(buffer)));
        if (!report->signature.bytes)
            return LOUPE_ENOMEM;
    }
    if (loupe_memory_name_address(target->memory, report->block.invoke, buffer, MAX_SYMBOL,
                                  &offset)) {
        report->invoke_symbol =
            loupe_span_of(loupe_arena_copy_string(&target->arena, loupe_span_of(buffer)));
        if (!report->invoke_symbol.bytes)
            return LOUPE_ENOMEM;
    }
    return LOUPE_OK;
}

enum loupe_status loupe_block_report_make(struct loupe_target *target,
                                          const struct loupe_block_traits *traits,
                                          struct loupe_class_namer namer, loupe_addr address,
                                          struct loupe_block_report *ret, struct loupe_error *err) {
    struct lookup lookup = {.target = target, .traits = traits, .namer = namer};
    struct loupe_block_report report = {0};
    enum loupe_status status =
        loupe_block_read(target->memory, address, traits, &report.block, err);
    if (status)
        return status;
    status = loupe_captures_read(target->memory, &target->arena, &report.block, traits,
                                 &report.captures);
    if (!status)
        status = look_up_list(&lookup, address, &report.captures, LOUPE_FINDING_BLOCK_LAYOUT,
                              &report.list);
    if (report.captures.unread)
        loupe_findings_add(&target->findings, LOUPE_FINDING_UNREADABLE, report.block.layout);
    if (!status)
        status = look_up_byrefs(&lookup, &report);
    if (!status)
        status = look_up_texts(target, &report);
    if (status)
        return loupe_fail_at(err, status, address);
    *ret = report;
    return LOUPE_OK;
}

/* ---- Writing: captures ---- */

static void write_evidence(struct loupe_json *json, uint32_t evidence) {
    loupe_json_key(json, "evidence");
    loupe_json_begin_array(json);
    /* Cap: all bits. */
    for (uint32_t bit = 1; bit <= LOUPE_EVIDENCE_FLAGS; bit *= 2) {
        if (evidence & bit)
            loupe_json_string(json, loupe_evidence_name((enum loupe_evidence)bit));
    }
    loupe_json_end_array(json);
}

/* All keys of a capture but "byref", in an open object. */
static void write_capture_keys(struct loupe_json *json, const struct loupe_reported_capture *item) {
    const struct loupe_capture *capture = &item->capture;
    loupe_json_put_uint(json, "offset", capture->offset);
    loupe_json_put_uint(json, "size", capture->size);
    loupe_json_put_string(json, "name", NULL);
    loupe_json_put_text(json, "type", capture->type);
    loupe_json_put_string(json, "kind", loupe_capture_kind_name(capture->kind));
    loupe_json_key(json, "value");
    if (item->has_value)
        loupe_json_address(json, item->value);
    else
        loupe_json_null(json);
    loupe_json_put_text(json, "class", item->class_name);
    write_evidence(json, capture->evidence);
}

static void write_variable(struct loupe_json *json, const struct loupe_reported_capture *item) {
    loupe_json_begin_object(json);
    write_capture_keys(json, item);
    loupe_json_end_object(json);
}

/* The part of a record that tells most: its first reference, else its first part. */
static const struct loupe_reported_capture *
find_main_part(const struct loupe_reported_list *variable) {
    for (uint32_t i = 0; i < variable->count; i++) {
        if (is_reference(variable->items[i].capture.kind))
            return &variable->items[i];
    }
    return variable->count ? variable->items : NULL;
}

static void write_byref(struct loupe_json *json, const struct loupe_reported_byref *reported) {
    const struct loupe_byref *byref = &reported->byref;
    const struct loupe_reported_capture *main_part = find_main_part(&reported->variable);
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", byref->address);
    loupe_json_put_address(json, "flags", byref->flags);
    loupe_json_put_string(json, "kind", loupe_byref_kind_name(byref->kind));
    loupe_json_put_uint(json, "size", byref->size);
    loupe_json_put_string(json, "storage", byref->on_heap ? "heap" : "stack");
    loupe_json_key(json, "retain_count");
    if (byref->has_retain_count)
        loupe_json_uint(json, byref->retain_count);
    else
        loupe_json_null(json);
    loupe_json_put_uint(json, "variable_offset", byref->variable_offset);
    loupe_json_key(json, "variable");
    if (main_part)
        write_variable(json, main_part);
    else
        loupe_json_null(json);
    loupe_json_key(json, "variables");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < reported->variable.count; i++)
        write_variable(json, &reported->variable.items[i]);
    loupe_json_end_array(json);
    loupe_json_end_object(json);
}

static void write_captures(struct loupe_json *json, const struct loupe_block_report *report) {
    loupe_json_key(json, "captures");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < report->list.count; i++) {
        const struct loupe_reported_capture *item = &report->list.items[i];
        loupe_json_begin_object(json);
        write_capture_keys(json, item);
        loupe_json_key(json, "byref");
        if (item->byref)
            write_byref(json, item->byref);
        else
            loupe_json_null(json);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_conflicts(struct loupe_json *json, const struct loupe_captures *captures) {
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < captures->conflict_count; i++) {
        const struct loupe_capture_conflict *conflict = &captures->conflicts[i];
        loupe_json_begin_object(json);
        loupe_json_put_uint(json, "offset", conflict->offset);
        loupe_json_put_string(json, "kept", loupe_capture_kind_name(conflict->kept));
        loupe_json_put_string(json, "discarded", loupe_capture_kind_name(conflict->discarded));
        loupe_json_put_string(json, "kept_by", loupe_evidence_name(conflict->kept_by));
        loupe_json_put_string(json, "discarded_by", loupe_evidence_name(conflict->discarded_by));
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

/* ---- Writing: layout and block ---- */

static const char *name_of_end(enum loupe_layout_end end) {
    static const char *const names[] = {[LOUPE_LAYOUT_ENDED] = "ended",
                                        [LOUPE_LAYOUT_BAD_BYTE] = "bad-byte",
                                        [LOUPE_LAYOUT_OVERRUN] = "overrun"};
    return names[end];
}

static void write_runs(struct loupe_json *json, const struct loupe_layout *layout) {
    loupe_json_key(json, "ops");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; layout && i < layout->run_count; i++) {
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "op", loupe_layout_op_name(layout->runs[i].op));
        loupe_json_put_uint(json, "count", layout->runs[i].count);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}

static void write_layout(struct loupe_json *json, const struct loupe_layout *layout) {
    loupe_json_begin_object(json);
    loupe_json_key(json, "encoding");
    if (!layout)
        loupe_json_null(json);
    else if (layout->is_inline)
        loupe_json_address(json, layout->word);
    else
        loupe_json_bytes(json, layout->bytes);
    write_runs(json, layout);
    loupe_json_put_string(json, "end", layout ? name_of_end(layout->end) : NULL);
    loupe_json_end_object(json);
}

static void write_flag_names(struct loupe_json *json, uint32_t flags) {
    loupe_json_begin_array(json);
    for (unsigned i = 0; i < loupe_block_flag_name_count; i++) {
        if (flags & loupe_block_flag_names[i].mask)
            loupe_json_string(json, loupe_block_flag_names[i].name);
    }
    loupe_json_end_array(json);
}

static void write_invoke(struct loupe_json *json, const struct loupe_block_report *report) {
    loupe_json_key(json, "invoke");
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", report->block.invoke);
    loupe_json_put_text(json, "symbol", report->invoke_symbol);
    loupe_json_put_string(json, "file", NULL);
    loupe_json_put_string(json, "line", NULL);
    loupe_json_end_object(json);
}

static void write_prototype(struct loupe_json *json, struct loupe_span signature) {
    char text[LONGEST_PROTOTYPE];
    size_t length = loupe_prototype_text(signature, text, sizeof(text));
    if (length)
        loupe_json_put_text(json, "prototype", (struct loupe_span){text, length});
}

static void write_block(struct loupe_json *json, const struct loupe_block_report *report) {
    static const char *const generic_modes[] = {[LOUPE_GENERIC_FROM_LAYOUT] = "layout",
                                                [LOUPE_GENERIC_INLINE] = "inline",
                                                [LOUPE_GENERIC_OUT_OF_LINE] = "out-of-line"};
    const struct loupe_block *block = &report->block;
    loupe_json_key(json, "block");
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", block->address);
    loupe_json_put_string(json, "storage", loupe_block_storage_name(block->storage));
    loupe_json_put_address(json, "isa", block->isa);
    loupe_json_put_address(json, "flags", block->flags);
    loupe_json_key(json, "flag_names");
    write_flag_names(json, block->named_flags);
    loupe_json_put_uint(json, "reserved", block->reserved);
    loupe_json_key(json, "retain_count");
    if (block->has_retain_count)
        loupe_json_uint(json, block->retain_count);
    else
        loupe_json_null(json);
    loupe_json_put_uint(json, "size", block->size);
    write_invoke(json, report);
    loupe_json_put_address(json, "descriptor", block->descriptor);
    loupe_json_put_string(json, "generic_helpers", generic_modes[block->generic]);
    loupe_json_put_text(json, "signature", report->signature);
    write_prototype(json, report->signature);
    loupe_json_put_bool(json, "owns_captures", block->owns_captures);
    loupe_json_end_object(json);
}

/* The name that was found, and whether what it says could be used. */
static void write_symbol(struct loupe_json *json, const struct loupe_captures *captures) {
    loupe_json_key(json, "symbol");
    loupe_json_begin_object(json);
    loupe_json_put_text(json, "name", captures->symbol);
    loupe_json_put_bool(json, "used", captures->symbol_was_used);
    loupe_json_end_object(json);
}

void loupe_block_report_write(struct loupe_json *json, const struct loupe_block_report *report) {
    write_block(json, report);
    loupe_json_key(json, "layout");
    write_layout(json, report->captures.layout);
    write_symbol(json, &report->captures);
    write_captures(json, report);
    loupe_json_key(json, "conflicts");
    write_conflicts(json, &report->captures);
}
