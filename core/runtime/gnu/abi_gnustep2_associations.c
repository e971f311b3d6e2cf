/*
 * Associated objects of libobjc2: associate.mm. An object's first one gives it a hidden class,
 * with a list of references behind the class structure; a class object has a word for its list.
 */
#include "runtime/gnu/abi_gnustep2.h"
#include "runtime/class.h"

enum { REFERENCES = 10, REFERENCE_WORDS = 3, MAX_LISTS = 1 << 16 };

/* A mutex of glibc or musl stands between the next list and the references, and a word more up to
 * libobjc2 2.3. */
enum { MUTEX_X86_64 = 40, MUTEX_ARM64 = 48, MUTEX_32 = 24 };

static bool read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret) {
    return loupe_memory_read_word(target->memory, address, ret) == LOUPE_OK;
}

static bool read_info(const struct loupe_target *target, loupe_addr cls, uint64_t *ret) {
    return cls && loupe_memory_read_word(target->memory, abi_word(target, cls, GNU_CLASS_INFO),
                                         ret) == LOUPE_OK;
}

bool gnustep2_may_have_associations(const struct loupe_target *target, uint64_t isa) {
    uint64_t info;
    return read_info(target, isa, &info) && (info & (GNUSTEP2_HIDDEN | GNUSTEP2_META));
}

static bool is_policy(uint64_t policy) {
    return policy == 0 || policy == 1 || policy == 3 || policy == 0x301 || policy == 0x303;
}

static loupe_addr reference_at(const struct loupe_target *target, loupe_addr first, unsigned i) {
    return abi_word(target, first, i * REFERENCE_WORDS);
}

static bool has_references_at(struct loupe_target *target, loupe_addr first) {
    uint64_t policy;
    /* Cap: all of a list. */
    for (unsigned i = 0; i < REFERENCES; i++) {
        if (!read_word(target, abi_word(target, reference_at(target, first, i), 2), &policy) ||
            !is_policy(policy))
            return false;
    }
    return true;
}

static unsigned mutex_size(const struct loupe_target *target) {
    switch (target->memory->machine.arch) {
    case LOUPE_ARCH_X86_64:
        return MUTEX_X86_64;
    case LOUPE_ARCH_ARM64:
        return MUTEX_ARM64;
    default:
        return target->memory->machine.pointer_size == 8 ? MUTEX_X86_64 : MUTEX_32;
    }
}

/*
 * Where a list's references are: in exactly one of the two forms all of them have a policy. A list
 * without any fits both, and neither then says anything.
 */
static bool find_references(struct loupe_target *target, loupe_addr list, loupe_addr *ret) {
    loupe_addr newer = abi_word(target, list, 1) + mutex_size(target);
    loupe_addr older = abi_word(target, newer, 1);
    bool is_newer = has_references_at(target, newer), is_older = has_references_at(target, older);
    *ret = is_newer ? newer : older;
    return is_newer || is_older;
}

/* The list of the object, 0 where it has none. */
static loupe_addr first_list(struct loupe_target *target, loupe_addr isa, loupe_addr object) {
    loupe_addr list = 0;
    uint64_t info;
    if (read_info(target, isa, &info) && (info & GNUSTEP2_META)) {
        loupe_memory_read_pointer(target->memory,
                                  abi_word(target, object, GNUSTEP2_CLASS_ASSOCIATIONS), &list);
        return list;
    }
    for (unsigned i = 0; read_info(target, isa, &info); i++) {
        if (info & GNUSTEP2_ASSOCIATIONS)
            return abi_word(target, isa, GNUSTEP2_CLASS_WORDS);
        if (i == LOUPE_MAX_CLASS_DEPTH) {
            loupe_findings_add(&target->findings, LOUPE_FINDING_ASSOCIATIONS, object);
            break;
        }
        if (loupe_memory_read_pointer(target->memory, abi_word(target, isa, GNU_CLASS_SUPERCLASS),
                                      &isa))
            break;
    }
    return 0;
}

/* ---- One after the other ---- */

/* Begins with the first list of an object. */
static void begin_lists(struct loupe_target *target, const struct loupe_object *object,
                        struct gnustep2_lists *lists) {
    *lists = (struct gnustep2_lists){.object = object->address};
    lists->list = first_list(target, object->isa, object->address);
    lists->landmark = lists->list;
    lists->readable = lists->list && find_references(target, lists->list, &lists->references);
}

/*
 * Goes to the next list. A chain that comes back to a list of before has an end there: a list is
 * remembered after 1, 2, 4 ... steps, which a loop meets again.
 */
static void next_list(struct loupe_target *target, struct gnustep2_lists *lists) {
    if (loupe_memory_read_pointer(target->memory, lists->list, &lists->list))
        lists->list = 0;
    lists->number++;
    bool loops = lists->list && lists->list == lists->landmark;
    if ((lists->number & (lists->number - 1)) == 0)
        lists->landmark = lists->list;
    lists->readable = lists->list && !loops && lists->number < MAX_LISTS &&
                      find_references(target, lists->list, &lists->references);
}

/* Goes to the list with a number; false where there is none, or one that cannot be read. */
static bool go_to_list(struct loupe_target *target, const struct loupe_object *object,
                       uint64_t number, struct gnustep2_lists *lists) {
    if (lists->object != object->address || lists->number > number)
        begin_lists(target, object, lists);
    while (lists->readable && lists->number < number)
        next_list(target, lists);
    return lists->readable;
}

/* The cursor counts references, ten to a list. */
bool gnustep2_next_association(struct loupe_target *target, const struct loupe_object *object,
                               uint64_t *cursor, struct loupe_association *ret) {
    struct gnustep2_lists *lists = &gnustep2_state_of(target)->lists;
    if (*cursor == 0)
        lists->object = 0;
    while (go_to_list(target, object, *cursor / REFERENCES, lists)) {
        loupe_addr entry =
            reference_at(target, lists->references, (unsigned)(*cursor % REFERENCES));
        ++*cursor;
        if (!read_word(target, entry, &ret->key) || !ret->key ||
            !read_word(target, abi_word(target, entry, 1), &ret->value) ||
            !read_word(target, abi_word(target, entry, 2), &ret->policy))
            continue;
        ret->slot = abi_word(target, entry, 1);
        ret->owned = ret->policy != 0;
        return true;
    }
    if (lists->list)
        loupe_findings_add(&target->findings, LOUPE_FINDING_ASSOCIATIONS, lists->list);
    return false;
}
