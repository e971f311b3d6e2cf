/*
 * drawn_objects.h - classes, objects and blocks of Apple's runtime, drawn into a heap so that a
 * test reads like the picture of its objects:
 *
 *     drawn_class(&w, "Owner", "NSObject", "strong _handler @?; weak _delegate @");
 *     loupe_addr owner = drawn_object(&w, "Owner");
 *     drawn_set(&w, owner, "_handler", drawn_block_of(&w, "s", owner));
 *
 * The bytes are those of objc4-841 and later, and of clang; where older forms differ, world.form
 * and world.class_form choose. What does not fit ends the test program.
 */
#ifndef LOUPE_TESTS_DRAWN_OBJECTS_H
#define LOUPE_TESTS_DRAWN_OBJECTS_H

#include "memory/drawn_heap.h"

enum {
    DRAWN_MAX_CLASSES = 128,
    DRAWN_MAX_IVARS = 64,
    DRAWN_MAX_ASSOCIATIONS = 64,
    DRAWN_MAX_SIDE_COUNTS = 64
};

/* The isa of objects. */
enum drawn_form {
    DRAWN_X86_64,
    DRAWN_ARM64,
    DRAWN_ARM64E,  /* with signature bits in isas and class pointers */
    DRAWN_RAW_ISA, /* as in the x86_64 simulator */
    DRAWN_32_BIT
};

/* What a class's bits word leads to. */
enum drawn_class_form {
    DRAWN_REALIZED,     /* class_rw -> class_ro, bit 63 set */
    DRAWN_REALIZED_OLD, /* the same without bit 63, as before objc4-841 */
    DRAWN_EXTENDED,     /* class_rw -> class_rw_ext -> class_ro */
    DRAWN_UNREALIZED    /* class_ro */
};

/* How map tables and hash tables know what they own: NSSlice of Foundation. */
enum drawn_slice {
    DRAWN_SLICE_BITS,  /* bit-fields, then its functions: iOS 7 */
    DRAWN_SLICE_BOOLS, /* BOOLs, a callback, then its functions: iOS 9 */
    DRAWN_SLICE_SHARED /* pointers to properties that slices share: iOS 13 and later */
};

struct drawn_ivar {
    char name[32];
    uint32_t offset, size;
};

struct drawn_class {
    char name[64];
    loupe_addr address, metaclass, ro;
    uint32_t instance_size;
    struct drawn_ivar ivars[DRAWN_MAX_IVARS];
    unsigned ivar_count;
    struct drawn_class *superclass;
};

struct drawn_world {
    struct drawn_heap *heap;
    enum drawn_form form;
    enum drawn_class_form class_form; /* of the classes drawn from now on */
    bool manual;                      /* compiled without ARC, those drawn from now on */
    enum drawn_slice slice;           /* of the tables drawn from now on */
    struct drawn_class classes[DRAWN_MAX_CLASSES];
    unsigned class_count;
    struct {
        loupe_addr object, key, value;
        uint64_t policy;
    } associations[DRAWN_MAX_ASSOCIATIONS];
    unsigned association_count;
    loupe_addr association_table, side_tables;
};

/*
 * Opens the heap with the runtime's symbols and the classes NSObject, NSBlock, __NSMallocBlock__,
 * __NSStackBlock__ and __NSGlobalBlock__. drawn_world_deinit() closes the heap too.
 */
void drawn_world_init(struct drawn_world *world, struct drawn_heap *heap, enum drawn_form form);
void drawn_world_deinit(struct drawn_world *world);

/*
 * A class with ivars, one per ';': ownership, name, type encoding. Ownership is "strong", "weak",
 * "none", or one letter per word of the ivar, s w or '.': "s.w _st {S=\"a\"@\"n\"q\"b\"@}".
 * superclass NULL makes a root.
 */
struct drawn_class *drawn_class(struct drawn_world *world, const char *name, const char *superclass,
                                const char *ivars);
struct drawn_class *drawn_class_named(struct drawn_world *world, const char *name);

/* Up to eight "name attributes" of a class, one per ';'. Once per class. */
void drawn_properties(struct drawn_world *world, const char *class_name, const char *properties);

/* Writes a word of class_ro: 0 strong layout, 1 name, 4 ivars, 5 weak layout, 6 properties. */
void drawn_put_ro_word(struct drawn_world *world, const char *class_name, unsigned word,
                       uint64_t value);
/* Changes the three numbers of class_ro: 0 flags, 1 instance start, 2 instance size. */
void drawn_put_ro_number(struct drawn_world *world, const char *class_name, unsigned number,
                         uint32_t value);

/* An instance with a retain count of 1. */
loupe_addr drawn_object(struct drawn_world *world, const char *class_name);
/* What stands in an ivar, inherited ones too; in the word of it (from 0) for larger ones. */
void drawn_set(struct drawn_world *world, loupe_addr object, const char *ivar, uint64_t value);
void drawn_set_word(struct drawn_world *world, loupe_addr object, const char *ivar, unsigned word,
                    uint64_t value);
loupe_addr drawn_slot(struct drawn_world *world, loupe_addr object, const char *ivar);

/* Sets the count that the isa holds, and its bit for a side table with the rest. */
void drawn_set_count(struct drawn_world *world, loupe_addr object, uint64_t inline_count,
                     uint64_t side_count);
/* Makes the isa a plain class pointer. */
void drawn_make_raw(struct drawn_world *world, loupe_addr object);

/*
 * A heap block with a retain count of 1 and one capture per letter: s strong, b block, r byref,
 * w weak, u unretained, d eight bytes of data. The values follow.
 */
loupe_addr drawn_block_of(struct drawn_world *world, const char *captures, ...);
/* The same with these flags instead of those of a heap block. */
loupe_addr drawn_block_flagged(struct drawn_world *world, uint32_t flags, const char *captures,
                               ...);

/* The heap storage of a __block variable; kind is 3 strong, 4 weak, 5 unretained, 2 no object. */
loupe_addr drawn_byref_of(struct drawn_world *world, unsigned kind, uint64_t value);

/* objc_setAssociatedObject(); also sets the isa's bit. */
void drawn_associate(struct drawn_world *world, loupe_addr object, loupe_addr key, uint64_t policy,
                     loupe_addr value);

#endif
