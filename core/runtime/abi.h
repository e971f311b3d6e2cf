/*
 * abi.h - where things are, for one Objective-C runtime.
 *
 * To support a new runtime:
 *  1. abi_foo.c: one `const struct loupe_abi loupe_abi_foo`; say at its top which sources and
 *     versions it mirrors; abi_common.h has what all share
 *  2. add it to abis[] in abi.c; the order there is the order of detection, most specific first
 *  3. tests/unit/runtime/test_abi_foo.c with drawn memory, and fixtures compiled for the runtime
 *  4. a line in README.md and in docs/protocol.md ("abi")
 * Nothing else asks which runtime it is: what one can do, and what its libraries are like, is in
 * struct loupe_abi.
 *
 * An abi is picked by detection in the target, never by version numbers. Its functions read the
 * target and nothing else: no lock, no code of the target. They treat every word as hostile.
 */
#ifndef LOUPE_ABI_H
#define LOUPE_ABI_H

#include "runtime/class.h"
#include "graph/describer.h"
#include "graph/filter.h"

/* Whether a slot holds a weak reference. */
enum loupe_weakness { LOUPE_WEAK_UNKNOWN, LOUPE_NOT_WEAK, LOUPE_WEAK };

struct loupe_block_traits;
struct loupe_container_rule;
struct loupe_object;

/* One associated object. */
struct loupe_association {
    uint64_t key; /* an address by convention; any value */
    uint64_t policy;
    bool owned;
    loupe_addr slot; /* where the value stands */
    uint64_t value;
};

/* Some entries of a thread's autorelease pools. */
struct loupe_pool_page {
    loupe_addr start, end;    /* of the words that are entries; each owns what it leads to */
    loupe_addr parent, child; /* pages before and after; 0: none */
    loupe_addr parent_place, child_place; /* where those stand */
    uint64_t address_mask;                /* the bits of an entry that are an address */
    unsigned count_shift; /* of the bits that tell how many times more it is owned */
};

/* One method of a class, as a list has it. */
struct loupe_method {
    loupe_addr code;
    loupe_addr selector; /* where a selector of the runtime stands; 0: it cannot be found */
    loupe_addr types;    /* where its encoding stands; 0: not read */
};

/* Where the lists of a class's methods are read, from the newest on. Zeroed before the first. */
struct loupe_method_cursor {
    bool begun;
    bool damaged; /* something could not be read or is not to be believed, and was left out */
    /* The abi's own: lists, and lists of them, that are left; entries of the one that is read. */
    loupe_addr lists, nested, entry;
    uint32_t lists_left, nested_left, entries_left, entry_size;
    uint32_t form;
};

enum { LOUPE_MAX_SELECTOR = 1024 /* bytes of a selector's name; a longer one is none */ };

/* Where a table of classes is read. Zeroed before the first; the abi's own. */
struct loupe_class_cursor {
    uint32_t place, seen;
    loupe_addr table, node;
    loupe_addr entry; /* of the class that came last, where the table has entries of their own */
};

/*
 * Who asks for the memory that a runtime keeps for a class. take() is called for a word that leads
 * there: where it stands, and what it leads to without bits of the runtime's own; it answers with
 * the end of the memory if that is to be looked into, too, and else 0.
 */
struct loupe_class_memory_taker {
    loupe_addr (*take)(void *ctx, loupe_addr slot, loupe_addr memory);
    void *ctx;
    uint64_t words_left; /* that may be handed over: lists of a damaged target may have no end */
};

/* Words at equal distances, each the address of an object that is referenced weakly, or any word.
 */
struct loupe_weak_keys {
    loupe_addr first;
    uint32_t count, stride;
};

/* Classes that the tables of one class lead to. */
enum { LOUPE_MAX_RELATIVES = 4 };

struct loupe_abi {
    const char *name; /* "apple"; in answers */

    /*
     * Is the runtime in the target? Makes target->abi_state, target->tagged_mask and
     * target->tagging. LOUPE_ENORUNTIME: no, ask the next one.
     */
    enum loupe_status (*detect)(struct loupe_target *target);

    /* The class that the first word of an object leads to. Not checked; 0 where it cannot be. */
    loupe_addr (*class_of_isa)(const struct loupe_target *target, uint64_t isa);

    /*
     * Reads and checks the class at an address: all of *ret but number. LOUPE_ENOTOBJECT: there is
     * none, LOUPE_EFAULT: it cannot be read; *why_ret is then the reason, a phrase that goes on
     * "0x1000 is no class: ".
     */
    enum loupe_status (*read_class)(struct loupe_target *target, loupe_addr address,
                                    struct loupe_class *ret, const char **why_ret);

    /* What the class itself adds to its superclass. Only LOUPE_ENOMEM is a failure. */
    enum loupe_status (*read_layout)(struct loupe_target *target, const struct loupe_class *cls,
                                     struct loupe_class_layout *ret);

    /*
     * The next method that the class itself has, those of categories included. False behind the
     * last.
     */
    bool (*next_method)(struct loupe_target *target, const struct loupe_class *cls,
                        struct loupe_method_cursor *cursor, struct loupe_method *ret);

    /* The name of a selector, where that is known. */
    bool (*selector_name)(struct loupe_target *target, loupe_addr selector, char *dst, size_t cap);

    /* Whether a selector of that name is registered; NULL: that cannot be told. */
    bool (*has_selector)(struct loupe_target *target, const char *name);

    /*
     * Addresses of classes that the class leads to, besides its superclass and its metaclass: its
     * first subclass, the next one of its superclass. None is checked. How many.
     */
    unsigned (*relatives)(struct loupe_target *target, const struct loupe_class *cls,
                          loupe_addr ret[LOUPE_MAX_RELATIVES]);

    /*
     * Hands over the words by which the runtime holds the memory that it keeps for the class at an
     * address, which is not checked: tables, lists, caches, texts. NULL: all such words lead there
     * plainly.
     */
    void (*hand_over_class_memory)(struct loupe_target *target, loupe_addr cls,
                                   struct loupe_class_memory_taker *taker);

    /* Symbols of classes without a superclass, up to NULL. */
    const char *const *root_symbols;

    /*
     * Addresses that the runtime's own table of classes has, one by one, none of them checked.
     * False behind the last. NULL: it is not read.
     */
    bool (*next_class)(struct loupe_target *target, struct loupe_class_cursor *cursor,
                       loupe_addr *ret);

    /*
     * The code of .cxx_destruct, which clang makes for a class whose own ivars have to be
     * destroyed: those that ARC owns, and C++ objects. 0: it has none, or it cannot be found. NULL:
     * classes of this runtime never have it.
     */
    loupe_addr (*ivar_destructor)(struct loupe_target *target, const struct loupe_class *cls);

    /* How many words a class has at least, wherever it was made. */
    uint8_t class_words;

    /* How many words of its allocation may stand before an object: a set of 1 << number. */
    uint32_t words_before_object;

    /* The class that a zombie's object had, where its own does not tell. NULL: no such. */
    const char *(*class_of_zombie)(struct loupe_target *target, loupe_addr zombie);

    /* *ret is set only for LOUPE_COUNT_KNOWN. Not for blocks: theirs is in their flags (block.h).
     */
    enum loupe_retain_count (*retain_count)(struct loupe_target *target,
                                            const struct loupe_object *object, uint64_t *ret);

    /*
     * Whether the word, which stands in the slot (0: not known where), is a weak reference to the
     * object there, by the runtime's table of them. NULL: this runtime cannot tell.
     */
    enum loupe_weakness (*weakness)(struct loupe_target *target, loupe_addr word, loupe_addr slot);

    /*
     * True while the runtime works on the object or the slot, so that what stands there is not to
     * be followed: a sentinel in a strong slot. NULL: this runtime has none.
     */
    bool (*is_in_flux)(const struct loupe_target *target, uint64_t word);

    /*
     * Of which type an object is whose class is of LOUPE_CLASS_MANY_TYPES, and what that is called:
     * by its number where its name is not known. 0: it does not say. NULL: no such classes.
     */
    uint32_t (*type_of_object)(struct loupe_target *target, loupe_addr object);
    void (*name_type)(struct loupe_target *target, const struct loupe_class *cls, uint32_t type,
                      char *dst, size_t cap);

    /*
     * Whether an address, which is that of a page, is one of the runtime's pages of autoreleased
     * objects, by what stands there. NULL: this runtime's cannot be told.
     */
    bool (*pool_page)(struct loupe_target *target, loupe_addr page, struct loupe_pool_page *ret);
    /*
     * The same for memory that an allocator gave out, of a runtime whose pages are such: what is
     * above their entries is left from before. NULL: this runtime has none.
     */
    bool (*pool_in)(struct loupe_target *target, struct loupe_range memory,
                    struct loupe_pool_page *ret);
    /* Its pools are objects, which references lead to and from as with any other. */
    bool pools_are_objects;

    /*
     * True for a word that a weak slot holds in place of its object, a record of the runtime's: for
     * slots of which nobody knows whether they are weak. NULL: weak slots hold their objects.
     */
    bool (*is_weak_record)(struct loupe_target *target, uint64_t word);
    /* The object of such a record, 0 where it is gone. False: the word is none. NULL as above. */
    bool (*weak_record_object)(struct loupe_target *target, uint64_t word, uint64_t *ret);

    /*
     * Whether memory that an allocator gave out is the runtime's table of those records, and where
     * its keys are, which own nothing. NULL: there is no such table.
     */
    bool (*weak_table)(struct loupe_target *target, struct loupe_range memory,
                       struct loupe_weak_keys *ret);

    /* It has no weak references at all, so that nobody should be told to make one. */
    bool without_weak_references;

    /* Objects are cleared up to their size only: in what their allocator rounded that up by stands
     * what was there before. */
    bool leaves_padding;

    /* The classes of its frameworks that hold objects in ways of their own (containers.h). */
    const struct loupe_container_rule *container_rules;
    const unsigned *container_rule_count;

    /* What its frameworks hold in rings on purpose, or without owning it. */
    const struct loupe_filters *filters;

    /* A class whose objects its Foundation finds again by a table that does not retain them: each
     * stands there before how many use it. NULL: there is none. */
    const char *class_in_table;

    /* How blocks stand in this runtime. */
    const struct loupe_block_traits *(*block_traits)(const struct loupe_target *target);

    /* False when the runtime's table tells that no object at all has associated ones. */
    bool (*has_associations)(struct loupe_target *target);

    /* False when the first word of an object tells that it has none, without the table. */
    bool (*may_have_associations)(const struct loupe_target *target, uint64_t isa);

    /*
     * All associated objects of an object, one by one: *cursor starts at 0, false ends; a cursor
     * kept from before a call gives the same one again. What cannot be read becomes a finding.
     */
    bool (*next_association)(struct loupe_target *target, const struct loupe_object *object,
                             uint64_t *cursor, struct loupe_association *ret);

    /*
     * Stretches of the runtime's own tables and texts that hold nothing, one by one, whatever
     * stands there: *cursor starts at 0, false ends. NULL: they are cleared.
     */
    bool (*next_unused)(struct loupe_target *target, uint64_t *cursor, struct loupe_range *ret);
};

/*
 * What the libraries of a runtime hold in rings on purpose, or without owning it. To hide one more
 * reference, add a line to filters_apple.c or filters_gnustep.c; a project has its own in its
 * questions (request.h).
 */
extern const struct loupe_filters loupe_apple_filters;
extern const struct loupe_filters loupe_gnustep_filters;

extern const struct loupe_abi loupe_abi_apple;
extern const struct loupe_abi loupe_abi_gnustep2;
extern const struct loupe_abi loupe_abi_gcc;
/* Of a process without a runtime that we know, as questions about whole heaps may have it. It is
 * never detected. */
extern const struct loupe_abi loupe_abi_none;

/*
 * Sets target->abi. LOUPE_ENORUNTIME when no runtime that we know is in the target, LOUPE_ENOMEM.
 */
enum loupe_status loupe_abi_detect(struct loupe_target *target, struct loupe_error *err);
/* By the name that answers give it; NULL when there is none. */
const struct loupe_abi *loupe_abi_named(struct loupe_span name);

/*
 * A word of the target that is a value, not an address: a tagged pointer. Masks of tag bits differ
 * by runtime, the test does not.
 */
static inline bool loupe_is_tagged(const struct loupe_target *target, uint64_t word) {
    return (word & target->tagged_mask) != 0;
}

/* The address in a word that is one: without the tag byte and the signature that processors take,
 * so that an object has one address, whoever refers to it. */
static inline loupe_addr loupe_address_of_word(const struct loupe_target *target, uint64_t word) {
    return target->memory->ops->strip ? loupe_memory_strip(target->memory, word) : word;
}

#endif
