/* value: what an object says of itself, a word that is one too; for lists of variables. */
#include "questions/answering.h"

#include "runtime/abi.h"
#include "runtime/values/object_values.h"
#include "runtime/values/tagged_values.h"

#include <string.h>

enum { LONGEST_VALUE = 256 };

struct value {
    const char *class_name; /* NULL: not known */
    char text[LONGEST_VALUE];
    size_t length;
};

static enum loupe_status find_value(struct loupe_answering *answering, struct value *ret) {
    struct loupe_target *target = &answering->target;
    struct loupe_object object;
    uint64_t word = answering->question->address;
    if (loupe_is_tagged(target, word)) {
        ret->class_name = loupe_tagged_class(&target->tagging, word);
        ret->length = loupe_tagged_value(&target->tagging, word, ret->text, sizeof(ret->text));
        return LOUPE_OK;
    }
    enum loupe_status status =
        loupe_object_at(target, loupe_address_of_word(target, word), &object, &answering->error);
    if (status)
        return status;
    ret->class_name = object.cls->name;
    ret->length = loupe_object_value(target, &object, ret->text, sizeof(ret->text));
    return LOUPE_OK;
}

enum loupe_status loupe_answer_value(struct loupe_answering *answering) {
    struct value value = {.length = 0};
    struct loupe_json *json = answering->json;
    enum loupe_status status = find_value(answering, &value);
    if (status)
        return status;
    loupe_answering_begin_report(answering);
    loupe_json_put_string(json, "class", value.class_name);
    loupe_json_key(json, "value");
    if (value.length)
        loupe_json_span(json, (struct loupe_span){value.text, value.length});
    else
        loupe_json_null(json);
    loupe_answering_end_report(answering, 1, 0);
    return LOUPE_OK;
}
