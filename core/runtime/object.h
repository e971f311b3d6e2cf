/*
 * object.h - what is at an address of the target.
 *
 * An address is an object only if its first word leads to a valid class. Nothing else is believed:
 * a freed object, a C struct and a random number are told apart from objects here and nowhere else.
 */
#ifndef LOUPE_OBJECT_H
#define LOUPE_OBJECT_H

#include "runtime/abi.h"
#include "graph/graph.h"

struct loupe_object {
    loupe_addr address;
    uint64_t isa;                  /* the first word, as it stands */
    const struct loupe_class *cls; /* of an instance; of a class object: its metaclass */
};

/*
 * LOUPE_ENOTOBJECT with a reason in err ("0x1238 is not an object: its isa 0x0 leads to no class"),
 * LOUPE_EFAULT when it cannot be read, LOUPE_EUSAGE for nil, LOUPE_ENOMEM. err may be NULL.
 */
enum loupe_status loupe_object_at(struct loupe_target *target, loupe_addr address,
                                  struct loupe_object *ret, struct loupe_error *err);

/* LOUPE_NODE_OBJECT, LOUPE_NODE_BLOCK or LOUPE_NODE_CLASS. */
enum loupe_node_kind loupe_object_kind(const struct loupe_object *object);

/*
 * The class that a person means by an object or a class: the object's class, or the class itself.
 */
enum loupe_status loupe_object_meant_class(struct loupe_target *target,
                                           const struct loupe_object *object,
                                           const struct loupe_class **ret, struct loupe_error *err);

#endif
