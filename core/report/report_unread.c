#include "report/report_unread.h"

static void write_objects(struct loupe_json *json, const struct loupe_unread *unread,
                          const struct loupe_unread_member *member, bool holders) {
    loupe_json_key(json, holders ? "holders" : "objects");
    loupe_json_begin_array(json);
    for (uint32_t number = member->first; number != LOUPE_NO_UNREAD;) {
        const struct loupe_unread_object *object =
            loupe_vector_at(&unread->objects, number, sizeof(*object));
        loupe_json_address(json, holders ? object->holder : object->address);
        number = object->next;
    }
    loupe_json_end_array(json);
}

static void write_member(struct loupe_json *json, const struct loupe_unread *unread,
                         const struct loupe_unread_member *member) {
    loupe_json_begin_object(json);
    loupe_json_put_string(json, "reason", loupe_finding_text(member->reason));
    loupe_json_put_string(json, "kind", loupe_node_kind_name(member->kind));
    loupe_json_put_text(json, "class", loupe_span_of(member->class_name));
    loupe_json_put_text(json, "name", member->name);
    loupe_json_put_text(json, "type", member->type);
    loupe_json_put_uint(json, "offset", member->offset);
    loupe_json_key(json, "arc");
    if (member->mode == LOUPE_MODE_UNKNOWN)
        loupe_json_null(json);
    else
        loupe_json_bool(json, member->mode == LOUPE_MODE_ARC);
    loupe_json_put_bool(json, "guessed", member->guessed);
    loupe_json_put_uint(json, "count", member->count);
    loupe_json_put_address(json, "example", member->example);
    if (unread->page_size) {
        write_objects(json, unread, member, false);
        if (member->kind == LOUPE_NODE_BYREF)
            write_objects(json, unread, member, true);
        loupe_json_put_uint(json, "left", member->count - member->listed);
    }
    loupe_json_put_string(json, "code", loupe_finding_code(member->reason));
    loupe_json_end_object(json);
}

static bool is_any(const struct loupe_unread *unread) {
    for (uint32_t i = 0; i < unread->members.count; i++) {
        if (loupe_unread_member(unread, i)->count)
            return true;
    }
    return false;
}

void loupe_report_unread(struct loupe_json *json, const struct loupe_unread *unread) {
    if (!unread || !is_any(unread))
        return;
    loupe_json_key(json, "unread");
    loupe_json_begin_array(json);
    for (uint32_t i = 0; i < unread->members.count; i++) {
        const struct loupe_unread_member *member = loupe_unread_member(unread, i);
        if (member->count)
            write_member(json, unread, member);
    }
    loupe_json_end_array(json);
}

void loupe_report_unread_page(struct loupe_json *json, const struct loupe_unread *unread) {
    loupe_json_key(json, "unread");
    loupe_json_begin_array(json);
    for (uint32_t i = unread->page_start; i < unread->page_end; i++) {
        const struct loupe_unread_object *object =
            loupe_vector_at(&unread->objects, i, sizeof(*object));
        const struct loupe_unread_member *member = loupe_unread_member(unread, object->member);
        if (member->first == i)
            write_member(json, unread, member);
    }
    loupe_json_end_array(json);
}
