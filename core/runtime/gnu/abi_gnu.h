/*
 * abi_gnu.h - what the runtimes of the GNU family share: GCC's libobjc and GNUstep's libobjc2.
 * Their class structures begin with the same seven words, and gnustep-base runs on both.
 */
#ifndef LOUPE_ABI_GNU_H
#define LOUPE_ABI_GNU_H

#include "runtime/abi_common.h"

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

/* What strings with equal attributes share (GSAttributedString.m, GSDictionary.m). */
#define GNU_CLASS_OF_ATTRIBUTES "GSCachedDictionary"

/* Reads the words that both runtimes have. False: unreadable. */
bool gnu_read_class_words(const struct loupe_target *target, loupe_addr address,
                          uint64_t words[GNU_CLASS_WORD_COUNT]);

/* Where own ivars begin: behind those of the superclass. 0: not known. */
uint32_t gnu_instance_start(struct loupe_target *target, loupe_addr superclass,
                            uint32_t instance_size);

/* The words of a list of methods and of its entries. */
struct gnu_method_form {
    uint8_t size_word; /* of the list: how large an entry is; 0: it does not tell */
    uint8_t first_word, entry_words, code_word, selector_word, types_word;
};

/* The -release that libloupe_record adds to classes whose counts it records, which calls that of
 * the class above. Looked up once. */
struct gnu_recorder {
    bool was_looked_for;
    loupe_addr release; /* 0: it is not there */
};
bool gnu_is_recorded_release(struct loupe_target *target, struct gnu_recorder *recorder,
                             loupe_addr code);

/* loupe_abi's next_method() and relatives(). sibling_word: of a class. */
bool gnu_next_method(struct loupe_target *target, loupe_addr cls,
                     const struct gnu_method_form *form, struct loupe_method_cursor *cursor,
                     struct loupe_method *ret);
unsigned gnu_relatives(struct loupe_target *target, const struct loupe_class *cls,
                       unsigned sibling_word, loupe_addr ret[LOUPE_MAX_RELATIVES]);

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

/*
 * Retains that an object gave back although who took them still has them: gnustep-gui's windows
 * and text views release themselves once for what they own and what retains them. False: it cannot
 * be told, so that the count tells nothing.
 */
bool gnu_retains_given_back(struct loupe_target *target, const struct loupe_object *object,
                            uint64_t *ret);
/* How instances of a class do that. */
enum gnu_giving_back {
    GNU_GIVES_NOTHING_BACK,
    GNU_GIVES_BACK_IN_CONTEXT, /* each says whether it did */
    GNU_GIVES_BACK_UNKNOWN
};
enum gnu_giving_back gnu_giving_back_of(struct loupe_target *target, const struct loupe_class *cls);

#endif
