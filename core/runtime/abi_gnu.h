/*
 * abi_gnu.h - what the runtimes of the GNU family share: GCC's libobjc and GNUstep's libobjc2.
 * Their class structures begin with the same seven words, and gnustep-base runs on both.
 */
#ifndef LOUPE_ABI_GNU_H
#define LOUPE_ABI_GNU_H

#include "runtime/abi.h"

#include "runtime/object.h"

/* The words of a class (libobjc's module-abi-8.h, libobjc2's class.h). */
enum gnu_class_word {
    GNU_CLASS_ISA,
    GNU_CLASS_SUPERCLASS,
    GNU_CLASS_NAME,
    GNU_CLASS_VERSION,
    GNU_CLASS_INFO,
    GNU_CLASS_INSTANCE_SIZE,
    GNU_CLASS_IVARS,
    GNU_CLASS_WORD_COUNT
};

enum { GNU_BLOCK_CLASSES = 5, GNU_MAX_TYPE = 256 * 1024 /* bytes of a type encoding */ };

/* The classes of blocks, which may be memory that nobody has filled in. */
struct gnu_block_classes {
    loupe_addr addresses[GNU_BLOCK_CLASSES]; /* 0: not known */
};

static inline loupe_addr gnu_word(const struct loupe_target *target, loupe_addr base,
                                  unsigned number) {
    return base + (loupe_addr)number * target->memory->machine.pointer_size;
}

bool gnu_has_symbol(const struct loupe_target *target, const char *name);

void gnu_find_block_classes(struct loupe_target *target, struct gnu_block_classes *ret);
bool gnu_is_block_class(const struct gnu_block_classes *classes, loupe_addr address);
/* What a class of blocks is without a filled-in class. */
struct loupe_class gnu_bare_block_class(const struct loupe_target *target, loupe_addr address);

/* Reads the words that both runtimes have. False: unreadable. */
bool gnu_read_class_words(struct loupe_target *target, loupe_addr address,
                          uint64_t words[GNU_CLASS_WORD_COUNT]);

/* Where own ivars begin: behind those of the superclass. 0: not known. */
uint32_t gnu_instance_start(struct loupe_target *target, loupe_addr superclass,
                            uint32_t instance_size);

/* What a class is refused with: LOUPE_ENOTOBJECT, and why. */
enum loupe_status gnu_refuse(const char *why, const char **why_ret);

/* The name, checked. LOUPE_ENOTOBJECT: there is none; LOUPE_ENOMEM. */
enum loupe_status gnu_read_class_name(struct loupe_target *target, loupe_addr name,
                                      const char **ret);

/* "" for a NULL pointer. LOUPE_EFAULT, LOUPE_ELIMIT, LOUPE_ENOMEM. */
enum loupe_status gnu_read_text(struct loupe_target *target, loupe_addr slot, const char **ret);

/*
 * gnustep-base counts the instances of NSObject in the word before them, the first owner excluded
 * (NSObject.m, struct obj_layout). Classes that count otherwise are told by name.
 */
enum gnu_counting {
    GNU_COUNTS_BEFORE,
    GNU_COUNTS_IN_PROXY,
    GNU_COUNTS_NEVER,
    GNU_COUNTS_OTHERWISE
};
enum gnu_counting gnu_counting_of(struct loupe_target *target, const struct loupe_class *cls);

/* Whether instances give back retains that others have on them, so that their counts tell nothing.
 */
bool gnu_gives_back_retains(struct loupe_target *target, const struct loupe_class *cls);

#endif
