/* From leaf to leaf of a type, with the path of each. */
#include "types/encoding_parse.h"

#include <string.h>

/* ---- Paths ---- */

static const char ellipsis[] = "...";

/* Room is always kept for the ellipsis, which then stands in for all that follows. */
static void append_path(struct loupe_encoding_cursor *cursor, const char *bytes, size_t length) {
    size_t room = sizeof(cursor->path) - sizeof(ellipsis) - cursor->path_length;
    if (cursor->path_cut)
        return;
    if (length > room) {
        cursor->path_cut = true;
        bytes = ellipsis;
        length = strlen(ellipsis);
    }
    memcpy(cursor->path + cursor->path_length, bytes, length);
    cursor->path_length += (uint32_t)length;
    cursor->path[cursor->path_length] = '\0';
}

static void append_name(struct loupe_encoding_cursor *cursor, struct loupe_span name) {
    if (cursor->path_length)
        append_path(cursor, ".", 1);
    if (name.length)
        append_path(cursor, name.bytes, name.length);
}

static void append_number(struct loupe_encoding_cursor *cursor, const char *format,
                          uint64_t number) {
    char text[24];
    size_t length = loupe_format(text, sizeof(text), format, (unsigned long long)number);
    append_path(cursor, text, length);
}

static void reset_path(struct loupe_encoding_cursor *cursor,
                       const struct loupe_encoding_frame *frame) {
    cursor->path_length = frame->path_length;
    cursor->path_cut = frame->path_cut;
    cursor->path[cursor->path_length] = '\0';
}

/* ---- Walking ---- */

/* A part of the type, placed. */
struct part {
    struct loupe_parsed parsed;
    uint64_t bits; /* from the start of the whole type */
    enum loupe_encoding_trust trust;
};

static struct loupe_encoding_frame *innermost(struct loupe_encoding_cursor *cursor) {
    return &cursor->frames[cursor->depth - 1];
}

static bool is_leaf(enum loupe_type_kind kind) {
    return kind < LOUPE_TYPE_STRUCT;
}

/* What has no size, or none that is known, counts where it starts. */
static bool in_range(const struct loupe_encoding_cursor *cursor, const struct part *part) {
    const struct loupe_type *type = &part->parsed.type;
    uint64_t start = part->bits / 8;
    uint64_t bits = type->kind == LOUPE_TYPE_BITS ? part->parsed.bit_width : type->size * 8;
    uint64_t end = (part->bits + bits + 7) / 8;
    if (part->trust == LOUPE_TRUST_UNKNOWN)
        return true;
    if (!is_leaf(type->kind) && type->trust == LOUPE_TRUST_UNKNOWN)
        return start < cursor->to;
    if (start == end)
        return start >= cursor->from && start < cursor->to;
    return start < cursor->to && end > cursor->from;
}

static bool is_object(enum loupe_type_kind kind) {
    return kind == LOUPE_TYPE_OBJECT || kind == LOUPE_TYPE_BLOCK;
}

static bool is_wanted(const struct loupe_encoding_cursor *cursor, const struct part *part) {
    const struct loupe_type *type = &part->parsed.type;
    if (type->leaf_count == 0 || (cursor->objects_only && type->object_count == 0))
        return false;
    return in_range(cursor, part);
}

static struct loupe_leaf leaf_of(const struct loupe_encoding_cursor *cursor,
                                 const struct part *part) {
    const struct loupe_type *type = &part->parsed.type;
    struct loupe_leaf leaf = {.path = cursor->path,
                              .path_cut = cursor->path_cut,
                              .type = type->text,
                              .kind = type->kind,
                              .offset = part->bits / 8,
                              .size = type->size,
                              .alignment = type->alignment,
                              .trust = part->trust};
    if (type->kind == LOUPE_TYPE_BITS) {
        leaf.bit_offset = (uint8_t)(part->bits % 8);
        leaf.bit_width = (uint8_t)part->parsed.bit_width;
        leaf.size = (part->bits % 8 + part->parsed.bit_width + 7) / 8;
    }
    return leaf;
}

/* Goes into a struct, union or array. */
static void enter(struct loupe_encoding_cursor *cursor, const struct part *part) {
    const struct loupe_parsed *parsed = &part->parsed;
    if (cursor->depth == LOUPE_ENCODING_MAX_DEPTH) {
        cursor->status = LOUPE_ENCODING_DEEP;
        return;
    }
    struct loupe_encoding_frame *frame = &cursor->frames[cursor->depth++];
    *frame = (struct loupe_encoding_frame){
        .at = parsed->contents,
        .kind = parsed->type.kind,
        .trust = part->trust,
        .record = loupe_record_begin(part->trust),
        .named = parsed->named,
        .start = part->bits / 8,
        .count = cursor->one_of_each && parsed->count > 1 ? 1 : parsed->count,
        .stride = parsed->stride,
        .path_length = cursor->path_length,
        .path_cut = cursor->path_cut};
    if (frame->stride && cursor->from > frame->start && frame->trust != LOUPE_TRUST_UNKNOWN)
        frame->element = (cursor->from - frame->start) / frame->stride;
}

/* Parses the type at the frame's position, within the budget of work. */
static bool parse_part(struct loupe_encoding_cursor *cursor,
                       const struct loupe_encoding_frame *frame, struct loupe_parsed *ret,
                       uint32_t *end_ret) {
    struct loupe_span text = cursor->encoding->type.text;
    cursor->status =
        loupe_encoding_parse(text, frame->at, frame->named, &cursor->encoding->rules, ret, end_ret);
    if (cursor->status)
        return false;
    uint64_t work = 1u + *end_ret - frame->at;
    if (work > cursor->work_left) {
        cursor->status = LOUPE_ENCODING_TRUNCATED;
        return false;
    }
    cursor->work_left -= work;
    return true;
}

static bool next_element(struct loupe_encoding_cursor *cursor, struct part *ret) {
    struct loupe_encoding_frame *frame = innermost(cursor);
    uint32_t end;
    uint64_t offset = frame->start + frame->element * frame->stride;
    if (frame->element >= frame->count || (frame->stride && offset >= cursor->to) ||
        !parse_part(cursor, frame, &ret->parsed, &end)) {
        cursor->depth--;
        return false;
    }
    ret->bits = offset * 8;
    ret->trust = frame->trust;
    if (frame->element > 0 && ret->parsed.type.trust > ret->trust)
        ret->trust = ret->parsed.type.trust;
    append_number(cursor, "[%llu]", frame->element++);
    return true;
}

static void append_member(struct loupe_encoding_cursor *cursor,
                          const struct loupe_encoding_frame *frame, struct loupe_span name,
                          enum loupe_type_kind kind) {
    bool transparent = frame->named && (kind == LOUPE_TYPE_STRUCT || kind == LOUPE_TYPE_UNION);
    if (name.length) {
        append_name(cursor, name);
    } else if (!transparent) {
        append_name(cursor, name);
        append_number(cursor, "%llu", frame->index);
    }
}

static bool next_member(struct loupe_encoding_cursor *cursor, struct part *ret) {
    struct loupe_encoding_frame *frame = innermost(cursor);
    struct loupe_span text = cursor->encoding->type.text, name = {0};
    char close = frame->kind == LOUPE_TYPE_STRUCT ? '}' : ')';
    uint32_t end;
    if (text.bytes[frame->at] == close) {
        cursor->depth--;
        return false;
    }
    bool has_name = frame->named && loupe_encoding_take_name(text, &frame->at, &name);
    if (!parse_part(cursor, frame, &ret->parsed, &end)) {
        cursor->depth--;
        return false;
    }
    struct loupe_record record =
        frame->kind == LOUPE_TYPE_STRUCT ? frame->record : loupe_record_begin(frame->trust);
    struct loupe_place place =
        loupe_record_add(&record, &ret->parsed, has_name && !name.length, &cursor->encoding->rules);
    frame->record = record;
    ret->bits = frame->start * 8 + place.bits;
    ret->trust = place.trust;
    append_member(cursor, frame, name, ret->parsed.type.kind);
    frame->index++;
    frame->at = end;
    return true;
}

/* The whole type, as the first part of a walk. */
static bool first_part(struct loupe_encoding_cursor *cursor, struct part *ret) {
    struct loupe_encoding_frame outside = {0};
    uint32_t end;
    cursor->started = true;
    *ret = (struct part){0};
    if (!parse_part(cursor, &outside, &ret->parsed, &end))
        return false;
    if (ret->parsed.bit_placed)
        ret->bits = ret->parsed.bit_position % 8;
    return true;
}

static bool next_part(struct loupe_encoding_cursor *cursor, struct part *ret) {
    if (!cursor->started)
        return first_part(cursor, ret);
    struct loupe_encoding_frame *frame = innermost(cursor);
    reset_path(cursor, frame);
    return frame->kind == LOUPE_TYPE_ARRAY ? next_element(cursor, ret) : next_member(cursor, ret);
}

void loupe_encoding_begin(struct loupe_encoding_cursor *cursor,
                          const struct loupe_encoding *encoding, struct loupe_span root,
                          uint64_t max_leaves) {
    cursor->encoding = encoding;
    cursor->status = LOUPE_ENCODING_OK;
    cursor->objects_only = false;
    cursor->one_of_each = false;
    cursor->from = 0;
    cursor->to = UINT64_MAX;
    cursor->leaves_left = max_leaves;
    cursor->work_left = LOUPE_ENCODING_MAX_WORK;
    cursor->depth = 0;
    cursor->started = false;
    cursor->path_length = 0;
    cursor->path_cut = false;
    cursor->path[0] = '\0';
    if (root.length)
        append_path(cursor, root.bytes, root.length);
}

bool loupe_encoding_next(struct loupe_encoding_cursor *cursor, struct loupe_leaf *ret) {
    struct part part;
    while (!cursor->status && (!cursor->started || cursor->depth)) {
        if (!next_part(cursor, &part) || !is_wanted(cursor, &part))
            continue;
        if (!is_leaf(part.parsed.type.kind)) {
            enter(cursor, &part);
        } else if (cursor->leaves_left == 0) {
            cursor->status = LOUPE_ENCODING_TRUNCATED;
        } else {
            cursor->leaves_left--;
            *ret = leaf_of(cursor, &part);
            return true;
        }
    }
    return false;
}

uint64_t loupe_encoding_skip_elements(struct loupe_encoding_cursor *cursor) {
    struct loupe_encoding_frame *frame = cursor->depth ? innermost(cursor) : NULL;
    if (!frame || frame->kind != LOUPE_TYPE_ARRAY || !frame->stride)
        return 0;
    uint64_t left = frame->count - frame->element;
    frame->element = frame->count;
    return left;
}

/* ---- One offset ---- */

enum { MAX_LEAVES_AT_AN_OFFSET = 4096 };

static void copy_path(const char *path, char *dst, size_t cap) {
    size_t length = strlen(path);
    if (length < cap) {
        memcpy(dst, path, length + 1);
    } else if (cap >= sizeof(ellipsis)) {
        memcpy(dst, path, cap - sizeof(ellipsis));
        memcpy(dst + cap - sizeof(ellipsis), ellipsis, sizeof(ellipsis));
    } else {
        dst[0] = '\0';
    }
}

bool loupe_encoding_path_at(const struct loupe_encoding *encoding, struct loupe_span root,
                            uint64_t offset, char *dst, size_t cap, struct loupe_leaf *ret) {
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    bool found = false;
    loupe_encoding_begin(&cursor, encoding, root, MAX_LEAVES_AT_AN_OFFSET);
    copy_path(cursor.path, dst, cap);
    if (offset == UINT64_MAX)
        return false;
    cursor.from = offset;
    cursor.to = offset + 1;
    while (loupe_encoding_next(&cursor, &leaf)) {
        bool is_object_here = is_object(leaf.kind) && leaf.offset == offset;
        if (leaf.trust == LOUPE_TRUST_UNKNOWN || (found && !is_object_here))
            continue;
        found = true;
        copy_path(leaf.path, dst, cap);
        if (ret) {
            *ret = leaf;
            ret->path = NULL;
        }
        if (is_object_here)
            break;
    }
    return found;
}
