#include "phrases.h"

#include "code_name.h"
#include "report/class_words.h"

#include <stdio.h>
#include <string.h>

watch_value_at watch_thing_at(const struct watch_phrases *answer, watch_value_at address) {
    char key[WATCH_NAME];
    return watch_answer_member(answer->objects, watch_answer_text(address, key, sizeof(key)));
}

bool watch_is_block(watch_value_at thing) {
    return watch_answer_is(watch_answer_member(thing, "kind"), "block");
}

const char *watch_class_of(watch_value_at thing, char *dst, size_t cap) {
    if (watch_is_block(thing))
        return "block";
    char name[WATCH_NAME];
    watch_answer_text(watch_answer_member(thing, "class"), name, sizeof(name));
    struct loupe_span shown = loupe_public_class_name(loupe_span_of(*name ? name : "object"));
    snprintf(dst, cap, "%.*s", (int)shown.length, shown.bytes);
    return dst;
}

/* PhotoCell 0x1f00; block 0x2f00 that runs __31-[PhotoCell load]_block_invoke. */
void watch_add_thing(const struct watch_phrases *answer, watch_value_at address, bool in_full) {
    char where[WATCH_NAME], name[WATCH_NAME], code[WATCH_NAME * 2];
    watch_value_at thing = watch_thing_at(answer, address);
    watch_answer_text(address, where, sizeof(where));
    if (watch_answer_is(watch_answer_member(thing, "kind"), "byref"))
        watch_text_add(answer->out, "__block variable %s", where);
    else
        watch_text_add(answer->out, "%s %s", watch_class_of(thing, name, sizeof(name)), where);
    if (in_full && watch_is_block(thing) && watch_block_code(where, code, sizeof(code)))
        watch_text_add(answer->out, " %s", code);
}

const char *watch_path_of(watch_value_at edge, char *dst, size_t cap) {
    watch_answer_text(watch_answer_member(edge, "path"), dst, cap);
    if (!*dst)
        watch_answer_text(watch_answer_member(edge, "name"), dst, cap);
    if (!*dst || *dst == '+')
        snprintf(dst, cap, "+%llu",
                 (unsigned long long)watch_answer_number(watch_answer_member(edge, "offset")));
    return dst;
}

const char *watch_kind_of(watch_value_at edge, char *dst, size_t cap) {
    static const char *const words[][2] = {{"capture", "captured"},
                                           {"byref", "__block"},
                                           {"association", "associated"},
                                           {"user-info", "user info"}};
    watch_answer_text(watch_answer_member(edge, "kind"), dst, cap);
    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        if (strcmp(dst, words[i][0]) == 0)
            snprintf(dst, cap, "%s", words[i][1]);
    }
    if (watch_answer_is(watch_answer_member(edge, "ownership"), "assumed"))
        strncat(dst, ", assumed", cap - strlen(dst) - 1);
    return dst;
}

uint32_t watch_count_elements(watch_value_at array) {
    uint32_t count = 0;
    for (watch_value_at at = watch_answer_first(array); at; at = watch_answer_next(at))
        count++;
    return count;
}
