/*
 * size_model.h - how many bytes an object of a Java heap takes. Dumps tell what is in it, not what
 * the virtual machine adds; tools differ in what they add, and so do their retained sizes.
 */
#ifndef LOUPE_SIZE_MODEL_H
#define LOUPE_SIZE_MODEL_H

#include <stdbool.h>
#include <stdint.h>

/* All in bytes. */
struct loupe_size_model {
    const char *name;
    uint8_t header;            /* of an instance, before its fields */
    uint8_t array_header;      /* before elements of up to 4 bytes */
    uint8_t wide_array_header; /* before elements of 8 bytes */
    uint8_t reference;
    uint16_t alignment;      /* of what follows; a power of two */
    bool pads_levels;        /* the fields of each class end at a multiple of a reference's size */
    bool counts_classes;     /* class objects have a size, by their static fields */
    bool trusts_class_sizes; /* an instance size that a class names is the whole one, header and all
                              */
};

/*
 * What the virtual machine does where nothing more is known: Android's runtime, or HotSpot by the
 * size of ids (4 or 8) and of references in the heap (4 where they are compressed). Static storage.
 */
const struct loupe_size_model *loupe_size_model_of(bool is_android, unsigned id_size,
                                                   unsigned reference_size);
/*
 * What HotSpot with ids of 8 bytes may do, by its version and options, the likelier first: the
 * first is what is taken where nothing speaks for another. Ends with a NULL name. Static storage.
 */
extern const struct loupe_size_model loupe_size_models_of_hotspot[];
/* What VisualVM counts for the same dump. Static storage. */
const struct loupe_size_model *loupe_size_model_of_visualvm(bool is_android, unsigned id_size,
                                                            unsigned reference_size);

/*
 * Fields: how many references, and bytes of all others, in which what pads_levels adds is counted
 * already; class_size: what the class says.
 */
uint64_t loupe_size_of_instance(const struct loupe_size_model *model, uint64_t references,
                                uint64_t other_bytes, uint64_t class_size);
/* element_size 0: references. */
uint64_t loupe_size_of_array(const struct loupe_size_model *model, unsigned element_size,
                             uint64_t length);
/* Static fields: as above. */
uint64_t loupe_size_of_class(const struct loupe_size_model *model, uint64_t references,
                             uint64_t other_bytes);

#endif
