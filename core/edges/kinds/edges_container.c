/* What collections, timers and other classes with a memory of their own hold (containers.h). */
#include "edges/edges.h"
#include "edges/kinds/edges_ivar.h"

#include "runtime/values/string_text.h"

/*
 * Somebody's own subclass of an abstract collection, compiled with ARC, keeps its elements in ivars
 * that are followed.
 */
static bool ivars_already_cover(const struct loupe_container_rule *rule,
                                const struct loupe_class *cls) {
    return !rule->find && (!rule->is_opaque || (rule->finding == LOUPE_FINDING_COLLECTION_LAYOUT &&
                                                (cls->flags & LOUPE_CLASS_OWNERSHIP)));
}

static bool applies(struct loupe_walk *walk, const struct loupe_class *cls) {
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    const struct loupe_class *level;
    const struct loupe_container_rule *rule =
        loupe_container_rule_inherited(walk->target, cls, &level);
    known->rule = rule && !ivars_already_cover(rule, cls) ? rule : NULL;
    return known->rule != NULL;
}

/* The layouts are those of 64 bits. */
static bool find(struct loupe_walk *walk, loupe_addr address, const struct loupe_class *cls,
                 struct loupe_contents *ret) {
    const struct loupe_container_rule *rule = loupe_walk_class(walk, cls)->rule;
    struct loupe_object object = {.address = address, .cls = cls};
    *ret = (struct loupe_contents){.group_count = 0};
    return rule->find && walk->target->memory->machine.pointer_size == 8 &&
           rule->find(walk->target, &object, rule, ret);
}

/* ---- Edges ---- */

/* A slot of a collection that does not own it. Words that could not be objects are numbers. */
static enum loupe_status add_nonowning(struct loupe_walk *walk,
                                       const struct loupe_reference *reference, bool is_record) {
    const struct loupe_abi *abi = walk->target->abi;
    if (reference->word % walk->target->memory->machine.pointer_size)
        return LOUPE_OK;
    bool weak = is_record || (abi->weakness && abi->weakness(walk->target, reference->word,
                                                             reference->slot) == LOUPE_WEAK);
    struct loupe_edge slot = {.offset = reference->offset,
                              .detail = reference->detail,
                              .kind = (uint8_t)reference->kind,
                              .ownership =
                                  weak ? LOUPE_NONOWNING_WEAK : LOUPE_NONOWNING_UNRETAINED};
    return loupe_walk_add_nonowning(walk, reference->word, reference->slot, &slot);
}

/* Puts the object that the slot's record names in place of it. False: the slot holds no record. */
static bool pass_through_record(const struct loupe_walk *walk, const struct loupe_slot_group *group,
                                struct loupe_reference *reference) {
    const struct loupe_abi *abi = walk->target->abi;
    uint64_t object;
    if (!group->through_records || !abi->weak_record_object ||
        !abi->weak_record_object(walk->target, reference->word, &object))
        return false;
    reference->word = object;
    return true;
}

static enum loupe_status emit_run(struct loupe_walk *walk, const struct loupe_slot_group *group,
                                  uint32_t number_of_run) {
    struct loupe_slot_group_cursor cursor = loupe_slot_group_begin(group);
    struct loupe_group_slot slot;
    while (loupe_slot_group_next(walk->target, &cursor, &slot)) {
        struct loupe_reference reference = {.slot = slot.address,
                                            .offset = cursor.number,
                                            .detail = number_of_run,
                                            .kind = group->kind,
                                            .ownership = LOUPE_STRONG};
        if (loupe_memory_ends_at(walk->target->memory, cursor.taken))
            return LOUPE_ETIMEOUT;
        enum loupe_status status =
            loupe_memory_read_word(walk->target->memory, reference.slot, &reference.word);
        if (status == LOUPE_EFAULT) {
            loupe_findings_add(&walk->target->findings, LOUPE_FINDING_UNREADABLE, reference.slot);
            continue;
        }
        bool is_marker = group->has_markers && (reference.word & 1);
        bool is_record = !status && pass_through_record(walk, group, &reference);
        if (!status && reference.word && !is_marker)
            status = group->nonowning ? add_nonowning(walk, &reference, is_record)
                                      : loupe_walk_add(walk, &reference);
        if (status)
            return status;
    }
    return LOUPE_OK;
}

static enum loupe_status emit_group(struct loupe_walk *walk, const struct loupe_slot_group *group,
                                    uint32_t number) {
    if (walk->taker)
        walk->taker->enter(walk->taker->ctx, group);
    enum loupe_status status = emit_run(walk, group, number);
    if (walk->taker)
        walk->taker->enter(walk->taker->ctx, NULL);
    return status;
}

/* An object whose references are not seen, as a whole an unread member of itself. */
static enum loupe_status meet_unread(struct loupe_walk *walk, loupe_addr address,
                                     const struct loupe_class *cls) {
    struct loupe_walk_class *known = loupe_walk_class(walk, cls);
    struct loupe_unread_member member = {
        .reason = known->rule->finding, .kind = LOUPE_NODE_OBJECT, .class_name = cls->name};
    enum loupe_status status = LOUPE_OK;
    bool was_read;
    if (known->rule->weakly_owned)
        walk->weakly_owned = known->rule->weakly_owned;
    if (known->unread == LOUPE_NO_UNREAD) {
        known->unread = walk->unread.members.count;
        status = loupe_unread_add(&walk->unread, &member);
    }
    return status ? status
                  : loupe_unread_note(&walk->unread, known->unread, address, 0,
                                      &walk->target->findings, &was_read);
}

/* ---- What a rule leaves out ---- */

static bool is_kept(const struct loupe_contents *contents, loupe_addr slot) {
    for (uint32_t i = 0; i < contents->group_count; i++) {
        if (contents->groups[i].first == slot)
            return true;
    }
    return false;
}

static enum loupe_status add_left_out(struct loupe_walk *walk, loupe_addr address,
                                      const struct loupe_class_layout *layout,
                                      const struct loupe_contents *contents) {
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < layout->ivar_count && !status; i++) {
        const struct loupe_ivar *ivar = &layout->ivars[i];
        struct loupe_edge slot = {.offset = ivar->offset,
                                  .detail = LOUPE_SLOT_NOT_KEPT,
                                  .kind = LOUPE_EDGE_IVAR,
                                  .ownership = LOUPE_NONOWNING_UNRETAINED};
        uint64_t word;
        if (ivar->type[0] != '@' || is_kept(contents, address + ivar->offset) ||
            loupe_memory_read_word(walk->target->memory, address + ivar->offset, &word))
            continue;
        status = loupe_walk_add_nonowning(walk, word, address + ivar->offset, &slot);
    }
    return status;
}

/*
 * A rule that lists the ivars that a class owns tells that it owns no other. They are named as
 * ivars are.
 */
static enum loupe_status add_all_left_out(struct loupe_walk *walk, loupe_addr address,
                                          const struct loupe_class *cls,
                                          const struct loupe_contents *contents) {
    const struct loupe_container_rule *rule = loupe_walk_class(walk, cls)->rule;
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class_layout *layout;
    const struct loupe_class *level;
    uint8_t source = walk->source;
    bool is_listed = false;
    enum loupe_status status = LOUPE_OK;
    if (!rule->ivars && !rule->some_ivars)
        return LOUPE_OK;
    walk->source = LOUPE_IVAR_SOURCE;
    while (!status && (level = loupe_class_chain_next(walk->target, &chain))) {
        is_listed = is_listed || loupe_container_rule_of(walk->target, level) == rule;
        if (is_listed && !(status = loupe_class_layout(walk->target, level, &layout)))
            status = add_left_out(walk, address, layout, contents);
    }
    walk->source = source;
    return status;
}

static enum loupe_status emit(struct loupe_walk *walk, loupe_addr address,
                              const struct loupe_class *cls) {
    struct loupe_contents contents;
    enum loupe_status status = LOUPE_OK;
    if (!find(walk, address, cls, &contents))
        return loupe_memory_interrupted(walk->target->memory) ? LOUPE_ETIMEOUT
                                                              : meet_unread(walk, address, cls);
    if (contents.is_partial)
        loupe_findings_add(&walk->target->findings, LOUPE_FINDING_OPAQUE_HOLDER, address);
    for (uint32_t i = 0; i < contents.group_count && !status; i++) {
        if (!contents.groups[i].nonowning || walk->explains)
            status = emit_group(walk, &contents.groups[i], i);
    }
    return status || !walk->explains ? status : add_all_left_out(walk, address, cls, &contents);
}

/* ---- Names ---- */

/* The text of the key of a slot, in quotes, if the key is a string; else empty. */
static void key_text(struct loupe_walk *walk, const struct loupe_group_slot *slot, char *dst,
                     size_t cap) {
    enum { SHOWN = 40 };
    char text[SHOWN];
    loupe_addr key;
    dst[0] = '\0';
    if (slot->key && !loupe_memory_read_pointer(walk->target->memory, slot->key, &key) &&
        loupe_string_text(walk->target, key, text, sizeof(text)))
        loupe_quote(dst, cap, text);
}

void loupe_container_name_slot(struct loupe_walk *walk, const struct loupe_slot_group *group,
                               const struct loupe_group_slot *slot, uint32_t number,
                               struct loupe_edge_label *ret) {
    key_text(walk, slot, ret->name, sizeof(ret->name));
    if (group->name) {
        loupe_format(ret->name, sizeof(ret->name), "%s", group->name);
        loupe_format(ret->path, sizeof(ret->path), "%s", group->name);
    } else if (group->kind == LOUPE_EDGE_KEY) {
        loupe_format(ret->path, sizeof(ret->path), ret->name[0] ? "key %s" : "key", ret->name);
    } else if (ret->name[0]) {
        loupe_format(ret->path, sizeof(ret->path), "[%s]", ret->name);
    } else if (group->ordered) {
        loupe_format(ret->path, sizeof(ret->path), "[%u]", number);
    } else {
        /* Its number is a matter of hashes, which differ from group to group. */
        loupe_format(ret->path, sizeof(ret->path), "[*]");
    }
}

static void label(struct loupe_walk *walk, loupe_addr from, const struct loupe_class *cls,
                  const struct loupe_edge *edge, struct loupe_edge_label *ret) {
    if (walk->named_address != from) {
        walk->named_address = from;
        find(walk, from, cls, &walk->named);
    }
    if (edge->detail >= walk->named.group_count)
        return;
    const struct loupe_slot_group *group = &walk->named.groups[edge->detail];
    struct loupe_group_slot slot;
    if (!loupe_slot_group_slot_at(walk->target, group, edge->offset, &slot))
        return;
    ret->slot = slot.address;
    loupe_container_name_slot(walk, group, &slot, edge->offset, ret);
}

const struct loupe_edge_source loupe_edges_container = {
    .applies = applies, .kinds = 1 << LOUPE_NODE_OBJECT, .emit = emit, .label = label};
