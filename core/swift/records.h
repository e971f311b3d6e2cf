/*
 * records.h - what the compiler of Swift wrote down, in this folder alone: where things are in
 * metadata (swift/ABI/Metadata.h), descriptors and records of fields (Records.h), and how one leads
 * to another.
 */
#ifndef LOUPE_SWIFT_RECORDS_H
#define LOUPE_SWIFT_RECORDS_H

#include "base/target/target.h"

/* First words of metadata; that of a class is 0 where there is no isa. */
enum {
    KIND_CLASS = 0,
    KIND_STRUCT = 0x200,
    KIND_ENUM = 0x201,
    KIND_OPTIONAL = 0x202,
    KIND_TUPLE = 0x301,
    KIND_FUNCTION = 0x302,
    KIND_EXISTENTIAL = 0x303,
    KIND_LOCAL = 0x400,
    KIND_GENERIC_LOCAL = 0x500,
    KIND_ERROR = 0x501,
    KIND_TASK = 0x502
};

/* Of class metadata. */
enum {
    CLASS_SUPERCLASS = 8,
    CLASS_INSTANCE_SIZE = 24,
    CLASS_ALIGN_MASK = 28,
    CLASS_SIZE = 32,
    CLASS_ADDRESS_POINT = 36,
    CLASS_DESCRIPTOR = 40,
    CLASS_LEAST = 56,
    VALUE_DESCRIPTOR = 8,
    VALUE_ARGUMENTS = 16
};

/* Of descriptors: kinds of contexts are the low bits of their flags. */
enum {
    CONTEXT_MODULE = 0,
    CONTEXT_ANONYMOUS = 2,
    CONTEXT_PROTOCOL = 3,
    CONTEXT_CLASS = 16,
    CONTEXT_STRUCT = 17,
    CONTEXT_ENUM = 18,
    CONTEXT_KIND_MASK = 0x1f,
    CONTEXT_IS_GENERIC = 0x80,
    CONTEXT_RESILIENT_SUPERCLASS = 0x20000000,
    DESCRIPTOR_PARENT = 4,
    DESCRIPTOR_NAME = 8,
    DESCRIPTOR_FIELDS = 16,
    CLASS_DESCRIPTOR_WORDS = 28,
    CLASS_DESCRIPTOR_OWN_WORDS = 32,
    CLASS_DESCRIPTOR_FIELD_COUNT = 36,
    CLASS_DESCRIPTOR_OFFSETS = 40,
    CLASS_DESCRIPTOR_END = 44,
    VALUE_DESCRIPTOR_END = 28
};

/* Of field descriptors and of their records, one for each field. */
enum {
    FIELDS_SHAPE = 8, /* the kind of the type, and above it the size of a record */
    FIELDS_COUNT = 12,
    FIELDS_RECORDS = 16,
    FIELDS_OF_CLASS = 1,
    RECORD_SIZE = 12,
    RECORD_TYPE = 4,
    RECORD_NAME = 8
};

enum { SWIFT_WORD = 8 };

/* False: it cannot be read. */
bool loupe_swift_read_word(struct loupe_target *target, loupe_addr address, uint64_t *ret);
bool loupe_swift_read_u32(struct loupe_target *target, loupe_addr address, uint32_t *ret);
/* False also where that is no address. */
bool loupe_swift_read_address(struct loupe_target *target, loupe_addr address, loupe_addr *ret);
/* What a distance leads to that is counted from its own place; bit 0 says, where `may_lead_on`,
 * that the address stands there. */
bool loupe_swift_follow(struct loupe_target *target, loupe_addr place, bool may_lead_on,
                        loupe_addr *ret);

/* Text that is made, with a NUL. */
struct loupe_swift_text {
    char *bytes;
    size_t length, cap;
};

/* False: it does not fit. */
bool loupe_swift_put(struct loupe_swift_text *text, const char *more);
/* An identifier, which has no control characters. */
bool loupe_swift_put_identifier(struct loupe_target *target, loupe_addr address,
                                struct loupe_swift_text *text);
/* The name of a type by its descriptor: "feed.Screen.Row". */
bool loupe_swift_put_descriptor(struct loupe_target *target, loupe_addr descriptor,
                                struct loupe_swift_text *text);

/* Where the arguments of class metadata stand; 0: the superclass may grow, and nobody says. */
loupe_addr loupe_swift_class_arguments(struct loupe_target *target, loupe_addr metadata,
                                       loupe_addr descriptor, uint32_t flags);
/* The record of the field that a place in objects of a class is part of, where that field begins,
 * and the class of its own that adds it. False: metadata does not tell. */
struct loupe_swift_field_record {
    loupe_addr record, metadata, descriptor;
    uint64_t offset, end; /* end: where the next one begins, or the object ends */
};
bool loupe_swift_find_field(struct loupe_target *target, uint64_t word, uint64_t offset,
                            struct loupe_swift_field_record *ret);

#endif
