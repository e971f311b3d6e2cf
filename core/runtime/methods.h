/*
 * methods.h - the methods of all classes that the runtime has linked: which of them an address of
 * code is the beginning of, and between which two it stands.
 *
 * Programs are shipped without names of functions, but the runtime keeps those of methods. Classes
 * are found by the links that runtimes keep between a class and its subclasses, from the root
 * classes on.
 */
#ifndef LOUPE_METHODS_H
#define LOUPE_METHODS_H

#include "runtime/abi.h"

/* -[Class selector], or with a plus. */
enum { LOUPE_MAX_METHOD_NAME = LOUPE_MAX_CLASS_NAME + LOUPE_MAX_SELECTOR + 8 };

struct loupe_known_method {
    const struct loupe_class *cls; /* that has it, or its metaclass; NULL: there is no method */
    loupe_addr code, selector;
};

/* Between which methods an address stands. */
struct loupe_code_place {
    loupe_addr address;
    struct loupe_known_method before; /* the last that begins there or before it */
    struct loupe_known_method behind; /* the first that begins behind it */
    uint32_t same; /* further methods that begin where `before` does: of equal code that a linker
                      folded, or that was given to several classes */
};

/*
 * Fills the places in; in them only the addresses are set. Looks also at the classes that are in
 * the target's table of classes already, and at all that they lead to. What cannot be read is
 * counted in the findings, where the class is the example, and so is an interruption. LOUPE_OK or
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_methods_around(struct loupe_target *target, struct loupe_code_place *places,
                                       uint32_t count);

/* The name as a person writes it. False, and an empty name: its selector's is not known. */
bool loupe_method_name(struct loupe_target *target, const struct loupe_known_method *method,
                       char *dst, size_t cap);

/* What a message to an instance of a class would run. */
struct loupe_answering_method {
    struct loupe_known_method method; /* cls NULL: there is none, or one without a name */
    uint32_t
        nameless; /* methods that were passed over: their selectors have no name that is known */
};

/*
 * The method by that name of the class or the nearest superclass that has one; for messages to a
 * class itself it is asked of the metaclass. Lists come newest first, so one of a category is found
 * before the one that it replaces. What cannot be read is counted in the findings. LOUPE_OK or
 * LOUPE_ENOMEM.
 */
enum loupe_status loupe_method_answering(struct loupe_target *target, const struct loupe_class *cls,
                                         const char *selector, struct loupe_answering_method *ret);

/* The code of the method that a class itself has by that name; 0: it has none that can be found. */
loupe_addr loupe_method_code(struct loupe_target *target, const struct loupe_class *cls,
                             const char *selector);

#endif
