/*
 * abi_common.h - what the files of all runtimes share. Nobody else includes it.
 */
#ifndef LOUPE_ABI_COMMON_H
#define LOUPE_ABI_COMMON_H

#include "runtime/abi.h"

#include "base/target/target.h"

/* The address of a word of a structure, counted in words of the pointer size. */
static inline loupe_addr abi_word(const struct loupe_target *target, loupe_addr base,
                                  unsigned number) {
    return base + (loupe_addr)number * target->memory->machine.pointer_size;
}

bool abi_has_symbol(const struct loupe_target *target, const char *name);

enum { ABI_MAX_TEXT = 256 * 1024 /* bytes of a type encoding; those of C++ can be long */ };

/* The text that a slot leads to; "" for a NULL pointer. LOUPE_EFAULT, LOUPE_ELIMIT, LOUPE_ENOMEM.
 */
enum loupe_status abi_read_text(struct loupe_target *target, loupe_addr slot, const char **ret);

/* The text that is a selector: letters, digits, colons. False where it is no such, or longer. */
bool abi_read_selector_name(struct loupe_target *target, loupe_addr text, char *dst, size_t cap);

/* ---- Classes ---- */

/* Why a class is refused, as every runtime says it. */
#define ABI_CLASS_UNALIGNED       "it is not aligned"
#define ABI_CLASS_UNREADABLE      "it cannot be read"
#define ABI_CLASS_IMPOSSIBLE_SIZE "its instances have an impossible size"
#define ABI_CLASS_NO_METACLASS    "its isa does not point to a metaclass"

/* What a class is refused with: LOUPE_ENOTOBJECT, and why. */
enum loupe_status abi_refuse(const char *why, const char **why_ret);
/* The same for one whose memory cannot be read: LOUPE_EFAULT. */
enum loupe_status abi_refuse_unreadable(const char *why, const char **why_ret);

/* The name, checked. Refuses a class without one; LOUPE_ENOMEM. */
enum loupe_status abi_read_class_name(struct loupe_target *target, loupe_addr name,
                                      const char **ret, const char **why_ret);

/*
 * Whether a class may say so of its instances: that they hold an isa and are not too large, or 0: a
 * root class without ivars does not count the isa.
 */
bool abi_is_instance_size(const struct loupe_target *target, uint64_t size);

/* ---- Classes of blocks, which may be memory that nobody has filled in ---- */

enum { ABI_BLOCK_CLASSES = 5 };

struct abi_block_classes {
    loupe_addr addresses[ABI_BLOCK_CLASSES]; /* by symbol; 0: not known */
};

void abi_find_block_classes(struct loupe_target *target, struct abi_block_classes *ret);
bool abi_is_block_class(const struct abi_block_classes *classes, loupe_addr address);
/* What one is without a filled-in class, as in a program that uses blocks but no Foundation. */
struct loupe_class abi_bare_block_class(const struct loupe_target *target, loupe_addr address);

#endif
