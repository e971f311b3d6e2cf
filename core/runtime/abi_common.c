#include "runtime/abi_common.h"

bool abi_has_symbol(const struct loupe_target *target, const char *name) {
    loupe_addr address;
    return loupe_memory_find_symbol(target->memory, name, &address) == LOUPE_OK;
}

enum loupe_status abi_read_text(struct loupe_target *target, loupe_addr slot, const char **ret) {
    loupe_addr text;
    enum loupe_status status = loupe_memory_read_pointer(target->memory, slot, &text);
    if (status)
        return status;
    *ret = "";
    return text ? loupe_target_string(target, text, ABI_MAX_TEXT, ret) : LOUPE_OK;
}

/* The dot is that of .cxx_destruct; what is not ASCII passes, as in identifiers. */
static bool is_selector(const char *name) {
    for (const char *c = name; *c; c++) {
        bool letter = ((unsigned)*c | 0x20) - 'a' < 26 || (unsigned char)*c >= 0x80;
        bool digit = (unsigned)*c - '0' < 10 && c != name;
        if (!letter && !digit && *c != ':' && *c != '_' && *c != '$' && *c != '.')
            return false;
    }
    return name[0] != '\0';
}

bool abi_read_selector_name(struct loupe_target *target, loupe_addr text, char *dst, size_t cap) {
    return text && !loupe_memory_read_string(target->memory, text, dst, cap, NULL) &&
           is_selector(dst);
}

/* ---- Classes ---- */

enum loupe_status abi_refuse(const char *why, const char **why_ret) {
    *why_ret = why;
    return LOUPE_ENOTOBJECT;
}

enum loupe_status abi_refuse_unreadable(const char *why, const char **why_ret) {
    *why_ret = why;
    return LOUPE_EFAULT;
}

/* A name is printable; what is not ASCII passes, as in identifiers of universal characters. */
static bool is_name(const char *name) {
    for (const char *c = name; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7f)
            return false;
    }
    return name[0] != '\0';
}

enum loupe_status abi_read_class_name(struct loupe_target *target, loupe_addr name,
                                      const char **ret, const char **why_ret) {
    enum loupe_status status = loupe_target_string(target, name, LOUPE_MAX_CLASS_NAME, ret);
    if (status == LOUPE_ENOMEM)
        return status;
    return status || !is_name(*ret) ? abi_refuse("it has no name", why_ret) : LOUPE_OK;
}

bool abi_is_instance_size(const struct loupe_target *target, uint64_t size) {
    return size == 0 ||
           (size >= target->memory->machine.pointer_size && size <= LOUPE_MAX_INSTANCE);
}

/* ---- Classes of blocks ---- */

void abi_find_block_classes(struct loupe_target *target, struct abi_block_classes *ret) {
    static const char *const names[ABI_BLOCK_CLASSES] = {
        "_NSConcreteMallocBlock", "_NSConcreteStackBlock", "_NSConcreteGlobalBlock",
        "_NSConcreteAutoBlock", "_NSConcreteFinalizingBlock"};
    *ret = (struct abi_block_classes){{0}};
    /* Cap: all of a table. */
    for (unsigned i = 0; i < ABI_BLOCK_CLASSES; i++)
        loupe_memory_find_symbol(target->memory, names[i], &ret->addresses[i]);
}

bool abi_is_block_class(const struct abi_block_classes *classes, loupe_addr address) {
    /* Cap: all of a table. */
    for (unsigned i = 0; i < ABI_BLOCK_CLASSES; i++) {
        if (classes->addresses[i] && classes->addresses[i] == address)
            return true;
    }
    return false;
}

struct loupe_class abi_bare_block_class(const struct loupe_target *target, loupe_addr address) {
    return (struct loupe_class){.address = address,
                                .name = "(block)",
                                .instance_size = 4u * target->memory->machine.pointer_size,
                                .kind = LOUPE_INSTANCE_BLOCK};
}
