/*
 * Associated objects of libobjc2: associate.mm. An object's first one gives it a hidden class,
 * with a list of references behind the class structure; a class object has a word for its list.
 */
#include "runtime/abi_gnustep2.h"

enum { REFERENCES = 10, REFERENCE_WORDS = 3, MAX_DEPTH = 64, MAX_LISTS = 1 << 16 };

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
    for (unsigned i = 0; i < MAX_DEPTH && read_info(target, isa, &info); i++) {
        if (info & GNUSTEP2_ASSOCIATIONS)
            return abi_word(target, isa, GNUSTEP2_CLASS_WORDS);
        if (loupe_memory_read_pointer(target->memory, abi_word(target, isa, GNU_CLASS_SUPERCLASS),
                                      &isa))
            break;
    }
    return 0;
}

/* The cursor counts references, ten to a list. */
bool gnustep2_next_association(struct loupe_target *target, const struct loupe_object *object,
                               uint64_t *cursor, struct loupe_association *ret) {
    loupe_addr list = first_list(target, object->isa, object->address), references;
    for (uint64_t number = 0; list && number < MAX_LISTS; number++) {
        bool begun = *cursor / REFERENCES > number;
        if (!begun && !find_references(target, list, &references)) {
            loupe_findings_add(&target->findings, LOUPE_FINDING_ASSOCIATIONS, list);
            return false;
        }
        while (!begun && *cursor / REFERENCES == number) {
            loupe_addr entry = reference_at(target, references, (unsigned)(*cursor % REFERENCES));
            ++*cursor;
            if (!read_word(target, entry, &ret->key) || !ret->key ||
                !read_word(target, abi_word(target, entry, 1), &ret->value) ||
                !read_word(target, abi_word(target, entry, 2), &ret->policy))
                continue;
            ret->slot = abi_word(target, entry, 1);
            ret->owned = ret->policy != 0;
            return true;
        }
        if (loupe_memory_read_pointer(target->memory, list, &list))
            break;
    }
    return false;
}
