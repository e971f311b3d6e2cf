/* What objects and references of an answer are called, for the sentences about them. */
#include "answers/answer.h"

#include "report/class_words.h"
#include "cycles/system_classes.h"

#include <string.h>

/* ---- Objects ---- */

uint64_t answer_address(struct loupe_span text) {
    uint64_t address = 0;
    if (text.length < 3 || text.length > 18 || !loupe_span_starts_with(text, "0x"))
        return 0;
    for (size_t i = 2; i < text.length; i++) {
        char digit = text.bytes[i];
        bool is_letter = digit >= 'a' && digit <= 'f';
        if (!is_letter && (digit < '0' || digit > '9'))
            return 0;
        address = address << 4 | (uint64_t)(is_letter ? digit - 'a' + 10 : digit - '0');
    }
    return address;
}

enum loupe_status answer_open(struct answer *answer, const struct json_value *root,
                              struct loupe_arena *arena) {
    const struct json_value *objects = json_member(root, "objects");
    enum loupe_status status = LOUPE_OK;
    uint32_t count = 0;
    *answer = (struct answer){.root = root, .arena = arena};
    answer->objects =
        loupe_arena_alloc_array(arena, (size_t)objects->count + 1, sizeof(*answer->objects));
    if (!answer->objects)
        return LOUPE_ENOMEM;
    loupe_map_init(&answer->numbers, arena->chunks);
    JSON_EACH(object, objects) {
        answer->objects[count] = object;
        if (!status)
            status = loupe_map_put(&answer->numbers, answer_address(object->key), count++);
    }
    if (status)
        answer_close(answer);
    return status;
}

void answer_close(struct answer *answer) {
    loupe_map_deinit(&answer->numbers);
}

const struct json_value *answer_object(const struct answer *answer, struct loupe_span address) {
    static const struct json_value nothing = {.kind = JSON_NULL};
    uint32_t number;
    uint64_t key = answer_address(address);
    return loupe_map_find(&answer->numbers, key, &number) ? answer->objects[number] : &nothing;
}

static bool is_of_kind(const struct json_value *object, const char *kind) {
    return loupe_span_equals(json_text(object, "kind"), kind);
}

/* ---- Texts ---- */

/* Room for the texts of one reference. */
enum { LONGEST_NAME = 256 };

struct texts {
    char path[LONGEST_NAME], owner[LONGEST_NAME], held[LONGEST_NAME];
    char holder[LONGEST_NAME + 32], block[2 * LONGEST_NAME], declared[LONGEST_NAME + 32];
    char collection[2 * LONGEST_NAME], closure[LONGEST_NAME];
};

static int cut(struct loupe_span text) {
    return text.length < LONGEST_NAME ? (int)text.length : LONGEST_NAME - 1;
}

static void name_class(const struct json_value *object, char *dst) {
    struct loupe_span name = loupe_public_class_name(json_text(object, "class"));
    if (is_of_kind(object, "block"))
        name = loupe_span_of("block");
    else if (!name.length)
        name = loupe_span_of("object");
    else if (loupe_span_equals(name, "(raw memory)"))
        name = loupe_span_of("non-object");
    loupe_format(dst, LONGEST_NAME, "%.*s", cut(name), name.bytes);
}

struct loupe_span answer_path(const struct json_value *edge) {
    struct loupe_span path = json_text(edge, "path");
    return path.length ? path : json_text(edge, "name");
}

bool answer_is_set(const struct json_value *value) {
    if (value->kind == JSON_NUMBER)
        return !loupe_span_equals(value->text, "0");
    if (value->kind == JSON_TEXT)
        return value->text.length;
    return value->kind == JSON_TRUE || value->count;
}

/* "_next", "self"; where it has no name, "+32", the place in its holder. */
static void name_path(const struct json_value *edge, char *dst) {
    struct loupe_span path = answer_path(edge);
    bool is_name = path.length && path.bytes[0] != '+';
    if (!is_name && json_member(edge, "offset")->kind == JSON_NUMBER)
        loupe_format(dst, LONGEST_NAME, "+%llu", (unsigned long long)json_uint(edge, "offset"));
    else
        loupe_format(dst, LONGEST_NAME, "%.*s", path.length ? cut(path) : 1,
                     path.length ? path.bytes : "?");
}

struct loupe_span answer_file_name(const struct json_value *place) {
    struct loupe_span file = json_text(place, "shown_file");
    if (file.length)
        return file;
    file = json_text(place, "file");
    for (size_t at = file.length; at; at--) {
        if (file.bytes[at - 1] == '/')
            return (struct loupe_span){file.bytes + at, file.length - at};
    }
    return file;
}

size_t answer_place(const struct json_value *place, char *dst, size_t cap) {
    struct loupe_span file = answer_file_name(place);
    uint64_t line = json_uint(place, "line");
    size_t length = loupe_format(dst, cap, "%.*s", cut(file), file.bytes);
    if (line)
        length += loupe_format(dst + length, cap - length, ":%llu", (unsigned long long)line);
    return length;
}

static void name_place(const char *what, const struct json_value *place, char *dst, size_t cap) {
    size_t length = loupe_format(dst, cap, "the %s at ", what);
    answer_place(place, dst + length, cap - length);
}

/* "closure #1 in Screen.bind() at Screen.swift:8", without the line where that is not known. */
static void name_closure(struct loupe_span name, const struct json_value *place, char *dst,
                         size_t cap) {
    bool has_place = json_text(place, "file").length;
    size_t length =
        loupe_format(dst, cap, "%.*s%s", cut(name), name.bytes, has_place ? " at " : "");
    if (has_place)
        answer_place(place, dst + length, cap - length);
}

bool answer_code_of(const struct answer *answer, struct loupe_span address, char *dst, size_t cap) {
    char at[32];
    loupe_format(at, sizeof(at), "%.*s", address.length < sizeof(at) ? (int)address.length : 0,
                 address.bytes);
    return answer->code && answer->code(at, dst, cap);
}

/* "the block at PhotoCell.m:42", else by its function, else by its address. */
static void name_block(const struct answer *answer, struct loupe_span address, char *dst,
                       size_t cap) {
    const struct json_value *invoke = json_member(answer_object(answer, address), "invoke");
    struct loupe_span closure = json_text(answer_object(answer, address), "class");
    struct loupe_span symbol = json_text(invoke, "symbol");
    char code[LONGEST_NAME], at[32];
    loupe_format(at, sizeof(at), "%.*s", address.length < sizeof(at) ? (int)address.length : 0,
                 address.bytes);
    if (!symbol.length)
        symbol = json_text(invoke, "place");
    if (loupe_span_starts_with(closure, "closure "))
        name_closure(closure, invoke, dst, cap);
    else if (json_text(invoke, "file").length)
        name_place("block", invoke, dst, cap);
    else if (symbol.length)
        loupe_format(dst, cap, "the block that runs %.*s", cut(symbol), symbol.bytes);
    else if (answer_code_of(answer, address, code, sizeof(code)))
        loupe_format(dst, cap, "the block %s", code);
    else
        loupe_format(dst, cap, "the block %s", at);
}

/* ---- Fixes ---- */

static struct answer_subject describe(const struct answer *answer, const struct json_value *edge,
                                      enum loupe_change change, struct texts *texts) {
    struct loupe_span from = json_text(edge, "from");
    const struct json_value *held = answer_object(answer, json_text(edge, "to"));
    name_path(edge, texts->path);
    name_class(answer_object(answer, from), texts->owner);
    name_class(held, texts->held);
    loupe_format(texts->holder, sizeof(texts->holder), "%s%s %.*s",
                 is_of_kind(answer_object(answer, from), "class") ? "class " : "", texts->owner,
                 cut(from), from.bytes);
    name_block(answer, from, texts->block, sizeof(texts->block));
    texts->collection[0] = '\0';
    answer_place(json_member(edge, "declared"), texts->declared, sizeof(texts->declared));
    struct loupe_span closure = json_text(edge, "closure");
    loupe_format(texts->closure, sizeof(texts->closure), "%.*s", cut(closure),
                 closure.length ? closure.bytes : "");
    return (struct answer_subject){
        .change = change,
        .kind = answer_edge_kind(json_text(edge, "kind")),
        .path = texts->path,
        .owner = texts->owner,
        .held = texts->held,
        .holder = texts->holder,
        .block = texts->block,
        .collection = texts->collection,
        .declared = texts->declared,
        .closure = texts->closure,
        .is_part = json_is_true(edge, "part"),
        .held_is_block = is_of_kind(held, "block"),
        .owner_is_memory =
            loupe_is_class_of_memory(json_text(answer_object(answer, from), "class")),
        .owner_is_object = is_of_kind(answer_object(answer, from), "object"),
        .is_manual = json_is_true(edge, "manual")};
}

/* A variable that a lambda captured is no ivar, whatever has the lambda. */
static void name_lambda(const struct json_value *edge, struct answer_subject *subject,
                        struct texts *texts) {
    const struct json_value *place = json_member(edge, "lambda");
    if (!json_text(place, "file").length)
        return;
    for (const char *at = texts->path; *at; at++)
        subject->path = *at == '.' ? at + 1 : subject->path;
    name_place("lambda", place, texts->block, sizeof(texts->block));
    subject->change = LOUPE_CAPTURE_WEAKLY;
    subject->held_is_block = false;
}

static bool has_condition(const struct json_value *fix, const char *condition) {
    JSON_EACH(item, json_member(fix, "against")) {
        if (loupe_span_equals(item->text, condition))
            return true;
    }
    return false;
}

enum { MOST_SUBJECTS = 1 + LOUPE_MAX_FIX_PARALLELS };

struct sentence {
    struct answer_subject subjects[MOST_SUBJECTS];
    struct texts texts[MOST_SUBJECTS];
    uint32_t count;
};

/* The ivar that has the collection in which something is: "Wire.readers". */
static void name_collection(const struct answer *answer, const struct json_value *in,
                            enum loupe_change change, struct texts *texts) {
    char owner[LONGEST_NAME], path[LONGEST_NAME];
    if (!json_text(in, "from").length)
        return;
    name_class(answer_object(answer, json_text(in, "from")), owner);
    name_path(in, path);
    answer_name_member(texts->collection, sizeof(texts->collection), change, owner, path);
    answer_place(json_member(in, "declared"), texts->declared, sizeof(texts->declared));
}

/* item: a subject of a fix, or a fix without any. */
static void add_subject(const struct answer *answer, const struct json_value *item,
                        struct sentence *sentence) {
    const struct json_value *edge = json_member(item, "edge");
    struct loupe_span change = json_text(item, "do");
    if (sentence->count == MOST_SUBJECTS)
        return;
    struct texts *texts = &sentence->texts[sentence->count];
    struct answer_subject *subject = &sentence->subjects[sentence->count++];
    *subject = describe(answer, edge, loupe_change_named(change), texts);
    name_collection(answer, json_member(item, "in"), subject->change, texts);
    name_lambda(edge, subject, texts);
}

size_t answer_fix_text(const struct answer *answer, const struct json_value *fix, char *dst,
                       size_t cap) {
    struct sentence sentence;
    sentence.count = 0;
    JSON_EACH(subject, json_member(fix, "subjects"))
    add_subject(answer, subject, &sentence);
    if (!sentence.count)
        add_subject(answer, fix, &sentence);
    struct answer_fix said = {.subjects = sentence.subjects,
                              .count = sentence.count,
                              .unowned_name = has_condition(fix, "unowned-name"),
                              .only_holder = has_condition(fix, "only-holder"),
                              .frees_at_once = has_condition(fix, "frees-at-once")};
    return answer_fix_sentence(&said, dst, cap);
}
