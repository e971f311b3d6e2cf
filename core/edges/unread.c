#include "edges/unread.h"

void loupe_unread_init(struct loupe_unread *unread, const struct loupe_facts *facts,
                       const struct loupe_chunk_ops *chunks) {
    *unread = (struct loupe_unread){.facts = facts};
    loupe_vector_init(&unread->members, chunks, sizeof(struct loupe_unread_member));
    loupe_vector_init(&unread->objects, chunks, sizeof(struct loupe_unread_object));
}

enum loupe_status loupe_unread_add(struct loupe_unread *unread,
                                   const struct loupe_unread_member *member) {
    struct loupe_unread_member *place = loupe_vector_add(&unread->members);
    if (!place)
        return LOUPE_ENOMEM;
    *place = *member;
    place->first = place->last = LOUPE_NO_UNREAD;
    return LOUPE_OK;
}

static struct loupe_unread_object *object_at(const struct loupe_unread *unread, uint32_t number) {
    return loupe_vector_at(&unread->objects, number, sizeof(struct loupe_unread_object));
}

/* Lists the first object behind the page, if there is one and the page has room. */
static bool list_next(struct loupe_unread *unread) {
    uint32_t number = unread->page_end;
    if (number == unread->objects.count || number - unread->page_start >= unread->page_size)
        return false;
    struct loupe_unread_object *object = object_at(unread, number);
    struct loupe_unread_member *member = loupe_unread_member(unread, object->member);
    if (member->first == LOUPE_NO_UNREAD)
        member->first = number;
    else
        object_at(unread, member->last)->next = number;
    member->last = number;
    member->listed++;
    unread->page_end++;
    return true;
}

void loupe_unread_turn_page(struct loupe_unread *unread) {
    for (uint32_t i = unread->page_start; i < unread->page_end; i++)
        loupe_unread_member(unread, object_at(unread, i)->member)->first = LOUPE_NO_UNREAD;
    unread->page_start = unread->page_end;
    while (list_next(unread)) {
    }
}

void loupe_unread_forget(struct loupe_unread *unread) {
    for (uint32_t i = 0; i < unread->members.count; i++) {
        struct loupe_unread_member *member = loupe_unread_member(unread, i);
        member->count = member->listed = 0;
        member->first = member->last = LOUPE_NO_UNREAD;
    }
    unread->objects.count = unread->page_start = unread->page_end = 0;
}

static enum loupe_status keep(struct loupe_unread *unread, uint32_t member, loupe_addr object,
                              loupe_addr holder) {
    if (unread->objects.count >= unread->most_objects)
        return LOUPE_OK;
    struct loupe_unread_object *place = loupe_vector_add(&unread->objects);
    if (!place)
        return LOUPE_ENOMEM;
    *place = (struct loupe_unread_object){
        .address = object, .holder = holder, .member = member, .next = LOUPE_NO_UNREAD};
    list_next(unread);
    return LOUPE_OK;
}

enum loupe_status loupe_unread_note(struct loupe_unread *unread, uint32_t number, loupe_addr object,
                                    loupe_addr holder, struct loupe_findings *findings,
                                    bool *was_read_ret) {
    struct loupe_unread_member *member = loupe_unread_member(unread, number);
    *was_read_ret = loupe_facts_have_read(unread->facts, object + member->offset);
    if (*was_read_ret)
        return LOUPE_OK;
    if (member->count++ == 0)
        member->example = object;
    if (!member->guessed)
        loupe_findings_add(findings, member->reason, object);
    return keep(unread, number, object, holder);
}

bool loupe_unread_was_read(const struct loupe_unread *unread, uint32_t first_member,
                           uint32_t member_count, loupe_addr object, uint32_t offset) {
    for (uint32_t i = 0; i < member_count; i++) {
        const struct loupe_unread_member *member = loupe_unread_member(unread, first_member + i);
        if (offset >= member->offset && offset - member->offset < member->size)
            return loupe_facts_have_read(unread->facts, object + member->offset);
    }
    return false;
}
