/* Which words of an instance are references, by the layouts and attributes of its classes;
 * kept for the next one of the class.
 */
#include "edges/kinds/edges_ivar.h"

#include "edges/kinds/own_destructor.h"
#include "edges/plain_pointer.h"

#include "types/cxx_name.h"
#include "types/encoding.h"

#include <string.h>

enum { MAX_LEAVES = 1 << 14 /* of one ivar; the rest is a finding */ };

/* What a word of the instance is; the first word is the isa. */
enum { UNUSED, FIRST_REASON };

static uint8_t use_for(enum loupe_slot_reason reason) {
    return (uint8_t)(FIRST_REASON + (int)reason);
}

struct shape_builder {
    struct loupe_walk *walk;
    struct loupe_target *target;
    struct loupe_unread *unread;
    struct loupe_encoding_rules rules;
    bool explains;           /* what is not retained is wanted, too */
    bool has_container_rule; /* a rule tells what the level holds, or that it holds more */
    uint8_t *uses;           /* per word: UNUSED or use_for() */
    uint32_t word_count;
    uint32_t used;     /* words so far */
    uint32_t findings; /* set of 1 << enum loupe_finding */
};

static void note(struct shape_builder *builder, enum loupe_finding finding) {
    builder->findings |= 1u << finding;
}

/* The first to speak of a word is right: layouts come before guesses. */
static void use_word(struct shape_builder *builder, uint64_t offset, uint8_t use) {
    uint8_t pointer_size = builder->target->memory->machine.pointer_size;
    uint64_t word = offset / pointer_size;
    if (offset % pointer_size || word >= builder->word_count)
        note(builder, LOUPE_FINDING_CLASS_LAYOUT);
    else if (word != 0 && builder->uses[word] == UNUSED) {
        builder->uses[word] = use;
        builder->used++;
    }
}

/* ---- Manual retain/release: what the properties say ---- */

static struct loupe_span next_attribute(struct loupe_span *rest) {
    /* Attributes are separated by commas, except inside the quotes of the type. */
    bool quoted = false;
    size_t length = 0;
    for (; length < rest->length && (quoted || rest->bytes[length] != ','); length++) {
        if (rest->bytes[length] == '"')
            quoted = !quoted;
    }
    struct loupe_span attribute = {.bytes = rest->bytes, .length = length};
    size_t step = length < rest->length ? length + 1 : length;
    rest->bytes += step;
    rest->length -= step;
    return attribute;
}

/* One letter per attribute without an argument; the ivar of V. */
struct attributes {
    bool retains, copies, weak, read_only;
    struct loupe_span ivar;
};

static struct attributes parse_attributes(const char *text) {
    struct attributes ret = {0};
    struct loupe_span rest = loupe_span_of(text);
    while (rest.length) {
        struct loupe_span attribute = next_attribute(&rest);
        ret.retains |= loupe_span_equals(attribute, "&");
        ret.copies |= loupe_span_equals(attribute, "C");
        ret.weak |= loupe_span_equals(attribute, "W");
        ret.read_only |= loupe_span_equals(attribute, "R");
        if (loupe_span_starts_with(attribute, "V"))
            ret.ivar =
                (struct loupe_span){.bytes = attribute.bytes + 1, .length = attribute.length - 1};
    }
    return ret;
}

/*
 * A property that can be set and neither retains nor copies assigns. One that cannot be set need
 * not tell.
 */
static uint8_t manual_use(const struct loupe_class_layout *layout, const struct loupe_ivar *ivar) {
    for (uint32_t i = 0; ivar->name[0] && i < layout->property_count; i++) {
        struct attributes attributes = parse_attributes(layout->properties[i].attributes);
        if (!loupe_span_equals(attributes.ivar, ivar->name))
            continue;
        if (attributes.retains)
            return use_for(LOUPE_SLOT_MANUAL_RETAINED);
        if (attributes.copies)
            return use_for(LOUPE_SLOT_MANUAL_COPIED);
        if (attributes.weak || !attributes.read_only)
            return use_for(attributes.weak ? LOUPE_SLOT_WEAK : LOUPE_SLOT_ASSIGNED);
    }
    return use_for(LOUPE_SLOT_MANUAL);
}

/* ---- Ivars by their types ---- */

/* Every object in the ivar, members and elements included. */
static void use_objects(struct shape_builder *builder, const struct loupe_ivar *ivar, uint8_t use) {
    struct loupe_encoding encoding;
    struct loupe_encoding_cursor cursor;
    struct loupe_leaf leaf;
    if (loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &builder->rules, ivar->size)) {
        note(builder, LOUPE_FINDING_CLASS_LAYOUT);
        return;
    }
    if (encoding.type.object_count == 0)
        return;
    if (ivar->size && !encoding.fits)
        note(builder, LOUPE_FINDING_CLASS_LAYOUT); /* its objects may be elsewhere */
    loupe_encoding_begin(&cursor, &encoding, loupe_span_of(""), MAX_LEAVES);
    cursor.objects_only = true;
    while (loupe_encoding_next(&cursor, &leaf)) {
        if (leaf.trust == LOUPE_TRUST_UNKNOWN)
            note(builder, LOUPE_FINDING_CLASS_LAYOUT);
        else
            use_word(builder, ivar->offset + leaf.offset, use);
    }
    if (cursor.status)
        note(builder, LOUPE_FINDING_CLASS_LAYOUT);
}

/* ---- Members of structs that the layout says nothing of ---- */

struct named_members {
    struct shape_builder *builder;
    const struct loupe_ivar *ivar;
    uint64_t step; /* from one element to the next */
};

static void use_named(void *ctx, const struct loupe_named_member *member) {
    const struct named_members *named = ctx;
    uint8_t use = use_for(member->is_weak ? LOUPE_SLOT_WEAK : LOUPE_SLOT_STRONG);
    uint64_t instance =
        (uint64_t)named->builder->word_count * named->builder->target->memory->machine.pointer_size;
    for (uint64_t at = member->offset;
         at < named->ivar->size && named->ivar->offset + at < instance; at += named->step)
        use_word(named->builder, named->ivar->offset + at, use);
}

static enum loupe_status use_members(struct shape_builder *builder, const struct loupe_class *cls,
                                     const struct loupe_class_layout *layout,
                                     const struct loupe_ivar *ivar) {
    static const uint8_t uses[] = {[LOUPE_MEMBERS_NOT_KNOWN] = LOUPE_SLOT_MEMBER,
                                   [LOUPE_MEMBERS_NONE] = LOUPE_SLOT_UNRETAINED,
                                   [LOUPE_MEMBERS_STRONG] = LOUPE_SLOT_STRONG,
                                   [LOUPE_MEMBERS_BY_NAMES] = LOUPE_SLOT_UNRETAINED,
                                   [LOUPE_MEMBERS_BY_LOADS] = LOUPE_SLOT_MEMBER};
    struct loupe_destroyed_members destroyed;
    enum loupe_status status =
        loupe_own_destructor_says(builder->target, cls, layout, ivar, &destroyed);
    if (status)
        return status;
    bool has_names =
        destroyed.how == LOUPE_MEMBERS_BY_NAMES || destroyed.how == LOUPE_MEMBERS_BY_LOADS;
    if (has_names && ivar->size >= destroyed.elements) {
        struct named_members named = {builder, ivar, ivar->size / destroyed.elements};
        loupe_destructor_members(destroyed.name, use_named, &named);
    }
    use_objects(builder, ivar, use_for((enum loupe_slot_reason)uses[destroyed.how]));
    return LOUPE_OK;
}

/* ---- C++ ---- */

/* The type of {vector<id>=...}: vector<id>. */
static struct loupe_span type_name(const char *type) {
    size_t length = 0, depth = 0;
    while (*type == '[' || (*type >= '0' && *type <= '9'))
        type++;
    if (!*type)
        return loupe_span_of("");
    for (; type[1 + length]; length++) {
        char c = type[1 + length];
        if (depth == 0 && (c == '=' || c == '}'))
            break;
        depth += c == '<';
        depth -= c == '>' && depth > 0;
    }
    return (struct loupe_span){.bytes = type + 1, .length = length};
}

/* A struct, a union, or an array of them. */
static bool has_members(const char *type) {
    bool array = type[0] == '[';
    while (array && (*type == '[' || (*type >= '0' && *type <= '9')))
        type++;
    return type[0] == '{' || type[0] == '(';
}

/* guessed: objects that the encoding shows are assumed to be owned, and that is all there is. */
static enum loupe_status add_member(struct shape_builder *builder, const struct loupe_class *cls,
                                    const struct loupe_ivar *ivar, bool guessed) {
    struct loupe_unread_member member = {.reason = LOUPE_FINDING_CXX,
                                         .kind = LOUPE_NODE_OBJECT,
                                         .class_name = cls->name,
                                         .name = loupe_span_of(ivar->name),
                                         .type = type_name(ivar->type),
                                         .offset = ivar->offset,
                                         .size = ivar->size,
                                         .mode = loupe_class_mode(cls),
                                         .guessed = guessed};
    return loupe_unread_add(builder->unread, &member);
}

static enum loupe_status use_ivars(struct shape_builder *builder, const struct loupe_class *cls,
                                   const struct loupe_class_layout *layout) {
    bool manual = loupe_class_mode(cls) == LOUPE_MODE_MANUAL;
    enum loupe_status status = LOUPE_OK;
    for (uint32_t i = 0; i < layout->ivar_count && !status; i++) {
        const struct loupe_ivar *ivar = &layout->ivars[i];
        bool is_record = has_members(ivar->type);
        bool is_cxx = (cls->flags & LOUPE_CLASS_CXX_IVARS) && is_record;
        uint32_t used = builder->used;
        if (manual && ivar->offset != 0)
            use_objects(builder, ivar, manual_use(layout, ivar));
        else if ((cls->flags & LOUPE_CLASS_NO_MEMBERS) && is_record)
            status = use_members(builder, cls, layout, ivar);
        else if (is_cxx)
            use_objects(builder, ivar, use_for(LOUPE_SLOT_CXX));
        if (status)
            break;
        if (is_record && loupe_cxx_may_own(loupe_span_of(ivar->type)))
            status = add_member(builder, cls, ivar, false);
        else if (is_cxx &&
                 (builder->used != used || loupe_cxx_has_pointers(loupe_span_of(ivar->type))))
            status = add_member(builder, cls, ivar, true);
        else if (!is_cxx && !builder->has_container_rule)
            status = loupe_pointers_of_ivar(builder->walk, cls, ivar);
    }
    return status;
}

/* What is left of the objects. That some cannot be placed is no matter to what is owned. */
static void use_unretained(struct shape_builder *builder, const struct loupe_class_layout *layout) {
    uint32_t findings = builder->findings;
    for (uint32_t i = 0; i < layout->ivar_count; i++)
        use_objects(builder, &layout->ivars[i], use_for(LOUPE_SLOT_UNRETAINED));
    builder->findings = findings;
}

/* ---- A class and its superclasses ---- */

static enum loupe_status use_level(struct shape_builder *builder, const struct loupe_class *cls) {
    const struct loupe_class_layout *layout;
    enum loupe_status status = loupe_class_layout(builder->target, cls, &layout);
    if (status)
        return status;
    if (layout->damaged)
        note(builder, LOUPE_FINDING_CLASS_LAYOUT);
    if (cls->flags & LOUPE_CLASS_SWIFT)
        note(builder, LOUPE_FINDING_SWIFT);
    for (uint32_t i = 0; i < layout->strong_count; i++)
        use_word(builder, layout->strong[i], use_for(LOUPE_SLOT_STRONG));
    for (uint32_t i = 0; i < layout->weak_count; i++)
        use_word(builder, layout->weak[i], use_for(LOUPE_SLOT_WEAK));
    status = use_ivars(builder, cls, layout);
    if (!status && builder->explains && (cls->flags & LOUPE_CLASS_OWNERSHIP) &&
        !(cls->flags & LOUPE_CLASS_SWIFT))
        use_unretained(builder, layout);
    return status;
}

static enum loupe_status use_all_levels(struct shape_builder *builder,
                                        const struct loupe_class *cls) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(builder->target, &chain))) {
        const struct loupe_container_rule *rule = loupe_container_rule_of(builder->target, level);
        if (rule && loupe_container_rule_knows_ivars(builder->target, rule, level))
            break; /* its ivars are part of what edges_container.c reads */
        builder->has_container_rule = rule != NULL;
        enum loupe_status status = use_level(builder, level);
        if (status)
            return status;
    }
    if (chain.broken)
        note(builder, LOUPE_FINDING_CLASS_LAYOUT);
    return chain.status;
}

static enum loupe_ownership ownership_for(uint32_t reason) {
    switch ((enum loupe_slot_reason)reason) {
    case LOUPE_SLOT_STRONG:
        return LOUPE_STRONG;
    case LOUPE_SLOT_MANUAL_RETAINED:
    case LOUPE_SLOT_MANUAL_COPIED:
        return LOUPE_DECLARED;
    case LOUPE_SLOT_WEAK:
        return LOUPE_NONOWNING_WEAK;
    case LOUPE_SLOT_ASSIGNED:
    case LOUPE_SLOT_UNRETAINED:
    case LOUPE_SLOT_NOT_KEPT:
        return LOUPE_NONOWNING_UNRETAINED;
    case LOUPE_SLOT_MANUAL:
    case LOUPE_SLOT_MEMBER:
    case LOUPE_SLOT_CXX:
        break;
    }
    return LOUPE_ASSUMED;
}

static bool is_among(uint8_t use, bool owned) {
    return use >= FIRST_REASON && (use < use_for(LOUPE_SLOT_WEAK)) == owned;
}

/* The words that are owned, or those that are not. */
static enum loupe_status list_slots(const struct shape_builder *builder, bool owned,
                                    const struct loupe_edge **ret, uint32_t *count_ret) {
    uint8_t pointer_size = builder->target->memory->machine.pointer_size;
    uint32_t count = 0;
    for (uint32_t i = 0; i < builder->word_count; i++)
        count += is_among(builder->uses[i], owned);
    struct loupe_edge *slots =
        loupe_arena_alloc_array(&builder->target->arena, count, sizeof(*slots));
    if (!slots)
        return LOUPE_ENOMEM;
    *ret = slots;
    *count_ret = count;
    for (uint32_t i = 0; i < builder->word_count; i++) {
        uint32_t reason = (uint32_t)builder->uses[i] - FIRST_REASON;
        if (is_among(builder->uses[i], owned))
            *slots++ = (struct loupe_edge){.to = LOUPE_TO_OBJECT,
                                           .offset = i * pointer_size,
                                           .detail = reason,
                                           .kind = LOUPE_EDGE_IVAR,
                                           .ownership = (uint8_t)ownership_for(reason)};
    }
    return LOUPE_OK;
}

static enum loupe_status keep_slots(struct shape_builder *builder, struct loupe_shape *shape) {
    enum loupe_status status = list_slots(builder, true, &shape->slots, &shape->slot_count);
    if (!status && builder->explains)
        status = list_slots(builder, false, &shape->nonowning, &shape->nonowning_count);
    if (!status && shape->slot_count)
        shape->extent = shape->slots[shape->slot_count - 1].offset +
                        builder->target->memory->machine.pointer_size;
    shape->findings = builder->findings;
    return status;
}

enum loupe_status loupe_ivar_shape(struct loupe_walk *walk, const struct loupe_class *cls,
                                   const struct loupe_shape **ret) {
    struct loupe_target *target = walk->target;
    struct shape_builder builder = {.walk = walk,
                                    .target = target,
                                    .unread = &walk->unread,
                                    .explains = walk->explains,
                                    .rules = loupe_encoding_rules_of(target->memory->machine),
                                    .word_count =
                                        cls->instance_size / target->memory->machine.pointer_size};
    struct loupe_shape *shape = loupe_arena_alloc(&target->arena, sizeof(*shape));
    if (!shape)
        return LOUPE_ENOMEM;
    *ret = shape;
    if (builder.word_count > walk->shape_words_left) {
        shape->findings = 1u << LOUPE_FINDING_CLASS_LAYOUT;
        return LOUPE_OK;
    }
    walk->shape_words_left -= builder.word_count;
    shape->first_member = walk->unread.members.count;
    builder.uses = loupe_chunk_get(target->chunks, builder.word_count + 1);
    if (!builder.uses)
        return LOUPE_ENOMEM;
    memset(builder.uses, UNUSED, builder.word_count + 1);
    enum loupe_status status = use_all_levels(&builder, cls);
    if (!status)
        status = keep_slots(&builder, shape);
    shape->member_count = walk->unread.members.count - shape->first_member;
    loupe_chunk_put(target->chunks, builder.uses, builder.word_count + 1);
    return status;
}

/* ---- Names ---- */

static const struct loupe_ivar *ivar_at(const struct loupe_class_layout *layout, uint32_t offset) {
    for (uint32_t i = 0; i < layout->ivar_count; i++) {
        const struct loupe_ivar *ivar = &layout->ivars[i];
        if (offset >= ivar->offset && offset - ivar->offset < ivar->size)
            return ivar;
    }
    return NULL;
}

static void name_member(struct loupe_target *target, const struct loupe_ivar *ivar, uint32_t offset,
                        char *name, char *path) {
    struct loupe_encoding_rules rules = loupe_encoding_rules_of(target->memory->machine);
    struct loupe_encoding encoding;
    loupe_format(name, LOUPE_MAX_PATH, "%s", ivar->name);
    loupe_format(path, LOUPE_MAX_PATH, "%s", ivar->name);
    if (loupe_encoding_init(&encoding, loupe_span_of(ivar->type), &rules, ivar->size))
        return;
    /* Where the encoding is of another size than the ivar, its members may be elsewhere. */
    bool found =
        encoding.fits && loupe_encoding_path_at(&encoding, loupe_span_of(ivar->name),
                                                offset - ivar->offset, path, LOUPE_MAX_PATH, NULL);
    if (!found && offset != ivar->offset)
        loupe_format(path, LOUPE_MAX_PATH, "%s+0x%x", ivar->name, offset - ivar->offset);
}

const char *loupe_ivar_name_at(struct loupe_target *target, const struct loupe_class *cls,
                               uint32_t offset, char *name, char *path) {
    struct loupe_class_chain chain = loupe_class_chain(cls);
    const struct loupe_class *level;
    while ((level = loupe_class_chain_next(target, &chain))) {
        const struct loupe_class_layout *layout;
        if (loupe_class_layout(target, level, &layout))
            break;
        const struct loupe_ivar *ivar = ivar_at(layout, offset);
        if (ivar && ivar->name[0]) {
            name_member(target, ivar, offset, name, path);
            return level->name;
        }
    }
    name[0] = '\0';
    loupe_format(path, LOUPE_MAX_PATH, "+0x%x", offset);
    return NULL;
}
