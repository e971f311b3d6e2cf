#include "serve/extract.h"

#include "base/map.h"
#include "shared/cli.h"

#include <string.h>

enum { MOST_ITEMS = 50, MOST_TEXT = 2000 };
/* Of all bytes, for the objects that rows name: they may stand before the rows. */
enum { SHARE_OF_OBJECTS = 2 };

/* What is being written: from the answer down to the value. */
struct level {
    const struct json_value *value, *next; /* the latter is written next */
    uint32_t written;
};

struct copy {
    struct extract *extract;
    struct loupe_json *json;
    struct loupe_map *named; /* addresses, of rows */
    struct level levels[JSON_DEEPEST + 1];
    unsigned depth;
    size_t bytes;
};

/* ---- What is left out ---- */

/* "knots[].rings[].edges": the names on the way down. */
static void say_where(const struct copy *copy, char *dst, size_t cap) {
    size_t used = 0;
    dst[0] = '\0';
    for (unsigned i = 1; i < copy->depth && used + 1 < cap; i++) {
        const struct json_value *value = copy->levels[i].value;
        bool is_member = copy->levels[i - 1].value->kind == JSON_OBJECT;
        size_t length = value->key.length < 40 ? value->key.length : 40;
        used += is_member ? loupe_format(dst + used, cap - used, "%s%.*s", used ? "." : "",
                                         (int)length, value->key.bytes)
                          : loupe_format(dst + used, cap - used, "[]");
    }
}

static void leave_out(struct copy *copy, uint64_t count, bool is_text) {
    struct extract *extract = copy->extract;
    struct extract_left_out left = {.count = count, .is_text = is_text};
    say_where(copy, left.where, sizeof(left.where));
    for (uint32_t i = 0; i < extract->left_out_count; i++) {
        struct extract_left_out *known = &extract->left_out[i];
        bool is_last = i == EXTRACT_LEFT_OUT - 1;
        if (is_last && strcmp(known->where, left.where) != 0)
            memcpy(known->where, "elsewhere", sizeof("elsewhere"));
        if (is_last || (known->is_text == is_text && !strcmp(known->where, left.where))) {
            known->count += count;
            return;
        }
    }
    extract->left_out[extract->left_out_count++] = left;
}

/* ---- Values ---- */

static void write_text(struct copy *copy, struct loupe_span text) {
    size_t length = text.length, most = copy->extract->most_text;
    most = most ? most : MOST_TEXT;
    if (length > most) {
        length = most;
        while (length && ((unsigned char)text.bytes[length] & 0xc0) == 0x80)
            length--;
        leave_out(copy, text.length - length, true);
    }
    loupe_json_span(copy->json, (struct loupe_span){text.bytes, length});
    copy->bytes += length + 3;
}

static void write_plain(struct copy *copy, const struct json_value *value) {
    switch (value->kind) {
    case JSON_TEXT:
        write_text(copy, value->text);
        return;
    case JSON_NUMBER:
        loupe_json_value(copy->json, value->text);
        break;
    case JSON_TRUE:
    case JSON_FALSE:
        loupe_json_bool(copy->json, value->kind == JSON_TRUE);
        break;
    default:
        loupe_json_null(copy->json);
    }
    copy->bytes += value->text.length + 6;
}

/* A key, or a text: both name objects. */
static bool parse_address(struct loupe_span text, uint64_t *ret) {
    char word[24];
    if (text.length < 3 || text.length >= sizeof(word) || memcmp(text.bytes, "0x", 2) != 0)
        return false;
    memcpy(word, text.bytes, text.length);
    word[text.length] = '\0';
    return cli_parse_number(word, UINT64_MAX, ret);
}

static bool is_list(const struct copy *copy, const struct json_value *value) {
    return copy->depth == 2 && value->kind == JSON_ARRAY && copy->extract->list &&
           loupe_span_equals(value->key, copy->extract->list);
}

static bool is_objects(const struct copy *copy, const struct json_value *value) {
    return copy->depth == 2 && value->kind == JSON_OBJECT &&
           loupe_span_equals(value->key, "objects");
}

/* Whether the value that comes next in the last level is written. */
static bool is_wanted(const struct copy *copy, const struct level *level) {
    const struct json_value *value = level->value;
    uint64_t address;
    uint32_t found;
    if (is_objects(copy, value))
        return parse_address(level->next->key, &address) &&
               loupe_map_find(copy->named, address, &found) &&
               copy->bytes < copy->extract->most_bytes / SHARE_OF_OBJECTS;
    if (value->kind == JSON_OBJECT)
        return true;
    return copy->bytes < copy->extract->most_bytes && level->written < MOST_ITEMS;
}

static bool is_wanted_row(const struct copy *copy, const struct level *level) {
    const struct extract *extract = copy->extract;
    return level->written < extract->most && (copy->bytes < extract->most_bytes || !level->written);
}

/* ---- The objects that rows name ---- */

static void note_address(struct copy *copy, const struct json_value *value) {
    uint64_t address;
    if (value->kind == JSON_TEXT && parse_address(value->text, &address) &&
        loupe_map_put(copy->named, address, 1))
        copy->extract->no_memory = true;
}

/* All addresses in a row, as far as its lists will be written. */
static void note_addresses(struct copy *copy, const struct json_value *row) {
    unsigned depth = 0;
    copy->levels[depth++] = (struct level){.value = row, .next = row->first};
    while (depth) {
        struct level *level = &copy->levels[depth - 1];
        const struct json_value *value = level->next;
        if (!value || (level->value->kind == JSON_ARRAY && level->written == MOST_ITEMS)) {
            depth--;
            continue;
        }
        level->next = value->next;
        level->written++;
        note_address(copy, value);
        if (value->first)
            copy->levels[depth++] = (struct level){.value = value, .next = value->first};
    }
}

static void note_rows(struct copy *copy, const struct json_value *answer) {
    const struct extract *extract = copy->extract;
    uint64_t at = 0;
    if (!extract->list)
        return;
    JSON_EACH(row, json_member(answer, extract->list)) {
        if (at >= extract->first && at - extract->first < extract->most)
            note_addresses(copy, row);
        at++;
    }
}

/* ---- The way through the answer ---- */

static void open_level(struct copy *copy, const struct json_value *value) {
    struct level *level = &copy->levels[copy->depth++];
    *level = (struct level){.value = value, .next = value->first};
    if (value->kind == JSON_OBJECT)
        loupe_json_begin_object(copy->json);
    else
        loupe_json_begin_array(copy->json);
    if (!is_list(copy, value))
        return;
    for (uint64_t i = 0; i < copy->extract->first && level->next; i++)
        level->next = level->next->next;
}

static void close_level(struct copy *copy) {
    const struct level *level = &copy->levels[copy->depth - 1];
    if (is_list(copy, level->value)) {
        copy->extract->shown = level->written;
        copy->extract->has_more = level->next;
    }
    if (level->value->kind == JSON_OBJECT)
        loupe_json_end_object(copy->json);
    else
        loupe_json_end_array(copy->json);
    copy->depth--;
}

/* Goes past values that are not wanted. False: the level is at its end. */
static bool has_next(struct copy *copy) {
    struct level *level = &copy->levels[copy->depth - 1];
    if (is_list(copy, level->value))
        return level->next && is_wanted_row(copy, level);
    uint64_t left = 0, address;
    uint32_t found;
    while (level->next && !is_wanted(copy, level)) {
        left += !is_objects(copy, level->value) || (parse_address(level->next->key, &address) &&
                                                    loupe_map_find(copy->named, address, &found));
        level->next = level->next->next;
    }
    if (left)
        leave_out(copy, left, false);
    return level->next;
}

static void write_next(struct copy *copy) {
    struct level *level = &copy->levels[copy->depth - 1];
    const struct json_value *value = level->next;
    level->next = value->next;
    level->written++;
    if (level->value->kind == JSON_OBJECT) {
        loupe_json_key_span(copy->json, value->key);
        copy->bytes += value->key.length + 4;
    }
    if (value->kind == JSON_OBJECT || value->kind == JSON_ARRAY)
        open_level(copy, value);
    else
        write_plain(copy, value);
}

void extract_write(struct extract *extract, struct loupe_json *json,
                   const struct json_value *answer) {
    struct loupe_map named;
    struct copy *copy = loupe_arena_alloc(extract->arena, sizeof(*copy));
    if (!copy) {
        extract->no_memory = true;
        loupe_json_null(json);
        return;
    }
    loupe_map_init(&named, extract->arena->chunks);
    *copy = (struct copy){.extract = extract, .json = json, .named = &named};
    note_rows(copy, answer);
    open_level(copy, answer);
    while (copy->depth) {
        if (has_next(copy))
            write_next(copy);
        else
            close_level(copy);
    }
    loupe_map_deinit(&named);
}

void extract_describe(const struct extract *extract, struct loupe_json *json, const char *cursor) {
    if (extract->list) {
        loupe_json_key(json, "page");
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "list", extract->list);
        loupe_json_put_uint(json, "first", extract->first);
        loupe_json_put_uint(json, "shown", extract->shown);
        loupe_json_put_bool(json, "has_more", extract->has_more);
        if (cursor)
            loupe_json_put_string(json, "cursor", cursor);
        loupe_json_end_object(json);
    }
    loupe_json_key(json, "left_out");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < extract->left_out_count; i++) {
        const struct extract_left_out *left = &extract->left_out[i];
        loupe_json_begin_object(json);
        loupe_json_put_string(json, "where", left->where);
        loupe_json_put_uint(json, left->is_text ? "bytes" : "values", left->count);
        loupe_json_end_object(json);
    }
    loupe_json_end_array(json);
}
