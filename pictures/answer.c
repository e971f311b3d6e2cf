#include "pictures/answer.h"

#include "pictures/answer_reader.h"
#include "answers/amounts.h"
#include "answers/parts/heap_text.h"
#include "report/class_words.h"

/* ---- Objects ---- */

enum loupe_status answer_describe(struct answer_reader *reader, struct loupe_span address,
                                  const struct json_value *object) {
    const struct json_value **all =
        loupe_arena_grow(reader->picture->arena, reader->described, reader->described_count,
                         &reader->described_capacity, sizeof(const struct json_value *));
    if (!all)
        return LOUPE_ENOMEM;
    reader->described = all;
    all[reader->described_count] = object;
    return loupe_map_put(&reader->numbers, answer_address(address), reader->described_count++);
}

static struct picture_place place_of(const struct json_value *value) {
    uint64_t line = json_uint(value, "line");
    return (struct picture_place){.file = json_text(value, "file"),
                                  .function = json_text(value, "function"),
                                  .line = line < UINT32_MAX ? (uint32_t)line : 0};
}

static struct loupe_span first_text(struct loupe_span a, struct loupe_span b) {
    return a.length ? a : b;
}

/* Memory without a class is called as in texts. */
static enum loupe_status name_memory(const struct answer_reader *reader,
                                     const struct json_value *object, struct picture_thing *thing) {
    enum { LONGEST = 160 };
    if (!loupe_span_equals(thing->class_name, "(raw memory)"))
        return LOUPE_OK;
    char *name = loupe_arena_alloc(reader->picture->arena, LONGEST);
    if (!name)
        return LOUPE_ENOMEM;
    thing->class_name.length = answer_memory_name(&reader->said, object, name, LONGEST);
    thing->class_name.bytes = name;
    return LOUPE_OK;
}

static enum loupe_status describe(const struct answer_reader *reader,
                                  const struct json_value *object, struct picture_thing *thing) {
    const struct json_value *invoke = json_member(object, "invoke");
    thing->class_name = loupe_public_class_name(json_text(object, "class"));
    thing->kind = first_text(json_text(object, "kind"), loupe_span_of("object"));
    if (json_text(object, "is_class").length) {
        thing->class_name = json_text(object, "is_class");
        thing->kind = loupe_span_of("class");
    }
    thing->variable = json_text(object, "variable");
    thing->value = json_text(object, "value");
    thing->symbol = first_text(json_text(invoke, "symbol"), json_text(invoke, "place"));
    thing->place = place_of(invoke);
    thing->size = json_uint(object, "size");
    thing->retain_count = json_uint(object, "retain_count");
    thing->has_retain_count = json_member(object, "retain_count")->kind == JSON_NUMBER;
    return name_memory(reader, object, thing);
}

enum loupe_status answer_thing(struct answer_reader *reader, struct loupe_span address,
                               uint32_t *ret) {
    uint64_t key = answer_address(address);
    enum loupe_status status = LOUPE_OK;
    uint32_t number;
    if (loupe_map_find(&reader->things, key, ret))
        return LOUPE_OK;
    struct picture_thing *thing = picture_add_thing(reader->picture);
    if (!thing)
        return LOUPE_ENOMEM;
    thing->address = key;
    thing->kind = loupe_span_of("object");
    if (loupe_map_find(&reader->numbers, key, &number))
        status = describe(reader, reader->described[number], thing);
    *ret = reader->picture->thing_count - 1;
    return status ? status : loupe_map_put(&reader->things, key, *ret);
}

/* What has no name goes by its place, "+32", in whatever way the answer counts. */
static enum loupe_status name_arrow(const struct answer_reader *reader,
                                    const struct json_value *edge, struct loupe_span *ret) {
    enum { LONGEST = 24 };
    *ret = first_text(json_text(edge, "path"), json_text(edge, "name"));
    if (!ret->length || ret->bytes[0] != '+' || json_member(edge, "offset")->kind != JSON_NUMBER)
        return LOUPE_OK;
    char *place = loupe_arena_alloc(reader->picture->arena, LONGEST);
    if (!place)
        return LOUPE_ENOMEM;
    loupe_format(place, LONGEST, "+%llu", (unsigned long long)json_uint(edge, "offset"));
    *ret = loupe_span_of(place);
    return LOUPE_OK;
}

enum loupe_status answer_arrow(struct answer_reader *reader, const struct json_value *edge,
                               struct picture_arrow *ret) {
    enum loupe_status status = answer_thing(reader, json_text(edge, "from"), &ret->from);
    if (!status)
        status = answer_thing(reader, json_text(edge, "to"), &ret->to);
    ret->kind = json_text(edge, "kind");
    if (!status)
        status = name_arrow(reader, edge, &ret->path);
    ret->ownership = json_text(edge, "ownership");
    ret->slot = json_text(edge, "slot");
    ret->declared_by = json_text(edge, "declared_by");
    ret->lambda = place_of(json_member(edge, "lambda"));
    ret->declared = place_of(json_member(edge, "declared"));
    ret->is_suspect = json_is_true(edge, "suspect");
    return status;
}

/* Objects stand in a table by address, or in lists; whoever has a path lists those on it. */
static enum loupe_status describe_all(struct answer_reader *reader) {
    enum loupe_status status = LOUPE_OK;
    JSON_EACH(object, json_member(reader->answer, "objects")) {
        if (!status)
            status = answer_describe(reader, object->key, object);
    }
    return status;
}

/* ---- Who retains what ---- */

static enum loupe_status read_owners(struct answer_reader *reader, const struct json_value *list,
                                     struct picture_owners *ret) {
    enum loupe_status status = LOUPE_OK;
    ret->items = loupe_arena_alloc_array(reader->picture->arena, (size_t)list->count + 1,
                                         sizeof(*ret->items));
    if (!ret->items)
        return LOUPE_ENOMEM;
    JSON_EACH(item, list) {
        struct picture_owner *owner = &ret->items[ret->count++];
        owner->retained = json_uint(item, "retained");
        owner->objects = json_uint(item, "retained_objects");
        owner->others = json_uint(item, "retained_others");
        if (!status)
            status = answer_describe(reader, json_text(item, "address"), item);
        if (!status)
            status = answer_thing(reader, json_text(item, "address"), &owner->thing);
    }
    return status;
}

static enum loupe_status read_shares(struct answer_reader *reader) {
    const struct json_value *list = json_member(reader->answer, "classes");
    struct picture *picture = reader->picture;
    picture->shares =
        loupe_arena_alloc_array(picture->arena, (size_t)list->count + 1, sizeof(*picture->shares));
    if (!picture->shares)
        return LOUPE_ENOMEM;
    JSON_EACH(item, list) {
        struct loupe_span name = json_text(item, "class");
        if (loupe_span_equals(name, "(raw memory)"))
            name = loupe_span_of("non-object");
        picture->shares[picture->share_count++] =
            (struct picture_share){.class_name = name,
                                   .count = json_uint(item, "count"),
                                   .bytes = json_uint(item, "size")};
    }
    return LOUPE_OK;
}

static enum loupe_status read_retained(struct answer_reader *reader) {
    const struct json_value *object = json_member(reader->answer, "object");
    struct picture *picture = reader->picture;
    const char *below = object->kind == JSON_OBJECT ? "dominated" : "dominators";
    enum loupe_status status =
        read_owners(reader, json_member(reader->answer, below), &picture->owned);
    if (object->kind != JSON_OBJECT)
        return status;
    if (!status)
        status = read_owners(reader, json_member(reader->answer, "dominators"), &picture->owners);
    if (!status)
        status = answer_describe(reader, json_text(object, "address"), object);
    if (!status)
        status = answer_thing(reader, json_text(object, "address"), &picture->seed);
    return status ? status : read_shares(reader);
}

/* ---- The envelope ---- */

/* "libobjc and gnustep-base": each once, in the order of the answer. */
static void name_libraries(const struct json_value *known, char *dst, size_t cap) {
    struct loupe_span before = {0};
    size_t length = 0;
    *dst = '\0';
    JSON_EACH(item, json_member(known, "by")) {
        struct loupe_span library = json_text(item, "library");
        if (json_texts_equal(library, before))
            continue;
        length += loupe_format(dst + length, cap - length, "%s%.*s", before.length ? " and " : "",
                               picture_cut(library, 60), library.bytes);
        before = library;
    }
}

/* As `loupe leaks` has it in its text. */
static enum loupe_status note_known_leaks(struct picture *picture, const struct json_value *known) {
    char libraries[200], amount[ANSWER_LONGEST_AMOUNT];
    unsigned long long leaks = json_uint(known, "leaks");
    if (!leaks)
        return LOUPE_OK;
    name_libraries(known, libraries, sizeof(libraries));
    answer_bytes_text(json_uint(known, "bytes"), amount, sizeof(amount));
    return picture_add_note(picture, "%llu known leak%s of %s: %s", leaks, leaks == 1 ? "" : "s",
                            libraries, amount);
}

static enum loupe_status read_notes(struct picture *picture, const struct json_value *answer) {
    enum loupe_status status = LOUPE_OK;
    const struct json_value *not_followed = json_member(answer, "not_followed");
    if (loupe_span_equals(picture->status, "incomplete"))
        status = picture_add_note(picture, "The answer is incomplete: there may be more.");
    JSON_EACH(item, not_followed) {
        struct loupe_span reason = json_text(item, "reason"), example = json_text(item, "example");
        if (loupe_span_equals(example, "0x0")) /* there is no place to show */
            example.length = 0;
        if (!status)
            status = picture_add_note(
                picture, "Not followed: %.*s (%llu%s%.*s)", picture_cut(reason, 300), reason.bytes,
                (unsigned long long)json_uint(item, "count"), example.length ? ", such as " : "",
                picture_cut(example, 100), example.bytes);
    }
    uint64_t hidden = 0;
    JSON_EACH(item, json_member(answer, "hidden"))
    hidden += json_uint(item, "edges");
    if (!status && hidden)
        status = picture_add_note(picture, "Hidden by filters: %llu references",
                                  (unsigned long long)hidden);
    return status ? status : note_known_leaks(picture, json_member(answer, "known"));
}

static enum loupe_status note_error(struct picture *picture, const struct json_value *error) {
    struct loupe_span message = json_text(error, "message");
    return picture_add_note(picture, "There is no answer: %.*s", picture_cut(message, 400),
                            message.bytes);
}

static const struct question {
    const char *query;
    enum loupe_status (*read)(struct answer_reader *reader);
} questions[] = {
    {"retain-cycles", answer_knots}, {"cycles", answer_knots}, {"leaks", answer_leaks},
    {"suspects", answer_suspects},   {"path", answer_paths},   {"retained", read_retained},
};

enum { QUESTION_COUNT = sizeof(questions) / sizeof(questions[0]) };

static enum loupe_status read_seed(struct answer_reader *reader) {
    struct loupe_span seed = json_text(reader->answer, "seed");
    return seed.length ? answer_thing(reader, seed, &reader->picture->seed) : LOUPE_OK;
}

static enum loupe_status read_answer(struct answer_reader *reader,
                                     const struct question *question) {
    enum loupe_status status = describe_all(reader);
    if (!status)
        status = read_seed(reader);
    return status ? status : question->read(reader);
}

static const struct question *question_of(const struct json_value *answer) {
    struct loupe_span query = json_text(answer, "query");
    for (unsigned i = 0; i < QUESTION_COUNT; i++) {
        if (loupe_span_equals(query, questions[i].query))
            return &questions[i];
    }
    return NULL;
}

enum loupe_status picture_add_answer(struct picture *picture, const struct json_value *answer,
                                     struct loupe_error *err) {
    struct answer_reader reader = {
        .picture = picture, .answer = answer, .earlier = picture->finding_count};
    const struct question *question = question_of(answer);
    if (!question) {
        err->code = LOUPE_EUSAGE;
        loupe_format(err->message, sizeof(err->message),
                     "no answer that can be drawn: it has to be one of retain-cycles, cycles, "
                     "leaks, suspects, path or retained");
        return LOUPE_EUSAGE;
    }
    enum loupe_status status = answer_open(&reader.said, answer, picture->arena);
    if (status)
        return status;
    loupe_map_init(&reader.numbers, picture->arena->chunks);
    loupe_map_init(&reader.things, picture->arena->chunks);
    status = read_answer(&reader, question);
    answer_close(&reader.said);
    loupe_map_deinit(&reader.numbers);
    loupe_map_deinit(&reader.things);
    return status;
}

enum loupe_status picture_of_answer(const struct json_value *answer, struct loupe_arena *arena,
                                    struct picture *ret, struct loupe_error *err) {
    picture_init(ret, arena);
    ret->query = json_text(answer, "query");
    ret->status = json_text(answer, "status");
    if (loupe_span_equals(ret->status, "error"))
        return note_error(ret, json_member(answer, "error"));
    enum loupe_status status = picture_add_answer(ret, answer, err);
    return status ? status : read_notes(ret, answer);
}
