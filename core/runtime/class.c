#include "runtime/class.h"

#include "runtime/abi.h"

#include <string.h>

/* What the table knows of one class address. */
struct entry {
    struct loupe_class cls;
    uint8_t own_kind;                        /* enum loupe_instance_kind, as the abi sees it */
    bool settled;                            /* its kind may be inherited, and that is looked up */
    const char *why;                         /* why there is no valid class; NULL: there is one */
    bool unreadable;                         /* because its memory cannot be read */
    const struct loupe_class_layout *layout; /* NULL until asked for */
};

enum { RECENT = 256, FIRST_CAPACITY = 256 };

struct loupe_classes {
    struct loupe_map index; /* class address -> number */
    struct entry **entries; /* by number; in the target's arena, as is each entry */
    uint32_t count, capacity;
    struct entry *recent[RECENT]; /* by hash of the address */
};

/* ---- The table ---- */

static struct loupe_classes *classes_of(struct loupe_target *target) {
    if (!target->classes) {
        struct loupe_classes *classes = loupe_arena_alloc(&target->arena, sizeof(*classes));
        if (!classes)
            return NULL;
        loupe_map_init(&classes->index, &target->arena_chunks);
        target->classes = classes;
    }
    return target->classes;
}

static struct entry *find(struct loupe_classes *classes, loupe_addr address) {
    struct entry **recent = &classes->recent[loupe_hash(address) % RECENT];
    if (*recent && (*recent)->cls.address == address)
        return *recent;
    uint32_t number;
    if (!loupe_map_find(&classes->index, address, &number))
        return NULL;
    return *recent = classes->entries[number];
}

static bool make_room(struct loupe_target *target, struct loupe_classes *classes) {
    if (classes->count < classes->capacity)
        return true;
    uint32_t capacity = classes->capacity ? classes->capacity * 2 : FIRST_CAPACITY;
    struct entry **larger = loupe_arena_alloc_array(&target->arena, capacity, sizeof(*larger));
    if (!larger)
        return false;
    if (classes->count)
        memcpy(larger, classes->entries, classes->count * sizeof(*larger));
    classes->entries = larger;
    classes->capacity = capacity;
    return true;
}

static enum loupe_status add(struct loupe_target *target, struct loupe_classes *classes,
                             struct entry *entry) {
    if (!make_room(target, classes))
        return LOUPE_ENOMEM;
    enum loupe_status status = loupe_map_put(&classes->index, entry->cls.address, classes->count);
    if (status)
        return status;
    entry->cls.number = classes->count;
    classes->entries[classes->count++] = entry;
    return LOUPE_OK;
}

static enum loupe_status read_entry(struct loupe_target *target, loupe_addr address,
                                    struct entry **ret) {
    struct entry *entry = loupe_arena_alloc(&target->arena, sizeof(*entry));
    if (!entry)
        return LOUPE_ENOMEM;
    enum loupe_status status = target->abi->read_class(target, address, &entry->cls, &entry->why);
    if (status && status != LOUPE_ENOTOBJECT && status != LOUPE_EFAULT)
        return status;
    if (!status)
        entry->why = NULL;
    else if (!entry->why)
        entry->why = "its memory cannot be read";
    entry->unreadable = status == LOUPE_EFAULT;
    entry->cls.address = address;
    entry->own_kind = entry->cls.kind;
    *ret = entry;
    return LOUPE_OK;
}

static enum loupe_status find_or_add(struct loupe_target *target, struct loupe_classes *classes,
                                     loupe_addr address, struct entry **ret) {
    *ret = find(classes, address);
    if (*ret)
        return LOUPE_OK;
    enum loupe_status status = read_entry(target, address, ret);
    return status ? status : add(target, classes, *ret);
}

/*
 * Where the abi sees no other, a class takes its kind from the nearest superclass for which it
 * does. Each time anew from what stands in memory: by what is known of a superclass, a chain that
 * is a loop or too long would give other kinds in another order of questions.
 */
static enum loupe_status settle(struct loupe_target *target, struct loupe_classes *classes,
                                struct entry *entry) {
    struct entry *level = entry, *super;
    /* Cap: class without a layout: its chain ends too. */
    for (unsigned depth = 1; depth < LOUPE_MAX_CLASS_DEPTH; depth++) {
        if (level->own_kind != LOUPE_INSTANCE_OBJECT || !level->cls.superclass)
            break;
        enum loupe_status status = find_or_add(target, classes, level->cls.superclass, &super);
        if (status)
            return status;
        if (super->why)
            break;
        level = super;
    }
    entry->cls.kind = level->own_kind;
    entry->settled = true;
    return LOUPE_OK;
}

enum loupe_status loupe_class_at(struct loupe_target *target, loupe_addr address,
                                 const struct loupe_class **ret, struct loupe_error *err) {
    struct loupe_classes *classes = classes_of(target);
    if (!classes)
        return loupe_fail(err, LOUPE_ENOMEM, address,
                          "out of memory while reading the table of classes");
    if (!address)
        return loupe_detail(err, LOUPE_DETAIL_NO_CLASS,
                            loupe_fail(err, LOUPE_ENOTOBJECT, address, "nil is not a class"));
    enum loupe_status status = LOUPE_OK;
    struct entry *entry = find(classes, address);
    if (!entry) {
        if (classes->count >= LOUPE_MAX_CLASSES)
            return loupe_fail(err, LOUPE_ENOTOBJECT, address,
                              "0x%llx is not read: too many classes", (unsigned long long)address);
        status = find_or_add(target, classes, address, &entry);
    }
    if (!status && !entry->why && !entry->settled)
        status = settle(target, classes, entry);
    if (status)
        return loupe_fail(err, status, address, "the class at 0x%llx cannot be read",
                          (unsigned long long)address);
    if (entry->why)
        return loupe_detail(
            err, entry->unreadable ? LOUPE_DETAIL_UNREADABLE_CLASS : LOUPE_DETAIL_NO_CLASS,
            loupe_fail(err, LOUPE_ENOTOBJECT, address, "0x%llx is not a class: %s",
                       (unsigned long long)address, entry->why));
    *ret = &entry->cls;
    return LOUPE_OK;
}

const struct loupe_class *loupe_class_numbered(const struct loupe_target *target, uint32_t number) {
    return &target->classes->entries[number]->cls;
}

void loupe_class_keep_memo(const struct loupe_target *target, const struct loupe_class *cls,
                           uint8_t memo) {
    target->classes->entries[cls->number]->cls.memo = memo;
}

uint32_t loupe_class_count(const struct loupe_target *target) {
    return target->classes ? target->classes->count : 0;
}

/* ---- Superclasses ---- */

struct loupe_class_chain loupe_class_chain(const struct loupe_class *cls) {
    return (struct loupe_class_chain){.next = cls};
}

const struct loupe_class *loupe_class_chain_next(struct loupe_target *target,
                                                 struct loupe_class_chain *chain) {
    const struct loupe_class *level = chain->next;
    chain->next = NULL;
    if (!level)
        return NULL;
    if (level->address == chain->landmark || chain->depth == LOUPE_MAX_CLASS_DEPTH) {
        chain->broken = true;
        return NULL;
    }
    /* The landmark moves to every level whose number is a power of two. */
    if ((chain->depth & (chain->depth + 1)) == 0)
        chain->landmark = level->address;
    chain->depth++;
    if (level->superclass) {
        chain->status = loupe_class_at(target, level->superclass, &chain->next, NULL);
        chain->broken = chain->status != LOUPE_OK;
        if (chain->status == LOUPE_ENOTOBJECT)
            chain->status = LOUPE_OK;
    }
    return level;
}

/* ---- Layouts ---- */

enum loupe_status loupe_class_layout(struct loupe_target *target, const struct loupe_class *cls,
                                     const struct loupe_class_layout **ret) {
    struct entry *entry = target->classes->entries[cls->number];
    if (!entry->layout) {
        struct loupe_class_layout *layout = loupe_arena_alloc(&target->arena, sizeof(*layout));
        if (!layout)
            return LOUPE_ENOMEM;
        enum loupe_status status = target->abi->read_layout(target, cls, layout);
        if (status)
            return status;
        entry->layout = layout;
    }
    *ret = entry->layout;
    return LOUPE_OK;
}
