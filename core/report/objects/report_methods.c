#include "report/objects/report_methods.h"

/* A method without a name is told by null: it is one all the same. */
static void write_name(struct loupe_json *json, struct loupe_target *target, const char *key,
                       const struct loupe_known_method *method) {
    char name[LOUPE_MAX_METHOD_NAME];
    loupe_json_put_string(json, key,
                          loupe_method_name(target, method, name, sizeof(name)) ? name : NULL);
}

static void write_neighbour(struct loupe_json *json, struct loupe_target *target, const char *key,
                            const struct loupe_known_method *method) {
    loupe_json_key(json, key);
    if (!method->cls) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "code", method->code);
    write_name(json, target, "method", method);
    loupe_json_end_object(json);
}

static void write_place(struct loupe_json *json, struct loupe_target *target,
                        const struct loupe_code_place *place) {
    static const struct loupe_known_method none = {.cls = NULL};
    bool begins = place->before.cls && place->before.code == place->address;
    loupe_json_begin_object(json);
    loupe_json_put_address(json, "address", place->address);
    write_name(json, target, "method", begins ? &place->before : &none);
    loupe_json_put_uint(json, "others", begins ? place->same : 0);
    write_neighbour(json, target, "before", &place->before);
    write_neighbour(json, target, "behind", &place->behind);
    loupe_json_end_object(json);
}

void loupe_report_methods(struct loupe_json *json, struct loupe_target *target,
                          const struct loupe_code_place *places, uint32_t count) {
    loupe_json_key(json, "methods");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < count; i++)
        write_place(json, target, &places[i]);
    loupe_json_end_array(json);
}

static void write_answering(struct loupe_json *json, struct loupe_target *target, const char *key,
                            const struct loupe_answering_method *found) {
    loupe_json_key(json, key);
    if (!found->method.cls) {
        loupe_json_null(json);
        return;
    }
    loupe_json_begin_object(json);
    write_name(json, target, "method", &found->method);
    loupe_json_put_address(json, "code", found->method.code);
    loupe_json_put_string(json, "class", found->method.cls->name);
    loupe_json_end_object(json);
}

void loupe_report_methods_named(struct loupe_json *json, struct loupe_target *target,
                                const struct loupe_methods_of_selector *found) {
    loupe_json_key(json, "named");
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "class", found->cls->name);
    loupe_json_put_string(json, "selector", found->selector);
    write_answering(json, target, "instances", &found->of_instances);
    write_answering(json, target, "itself", &found->of_itself);
    loupe_json_put_uint(json, "nameless",
                        (uint64_t)found->of_instances.nameless + found->of_itself.nameless);
    loupe_json_end_object(json);
}
