/* lowering.h - what the files that compute layouts share, in this folder alone. */
#ifndef LOUPE_SWIFT_LOWERING_H
#define LOUPE_SWIFT_LOWERING_H

#include "swift/layout.h"
#include "swift/records.h"

/* A value in another: struct loupe_swift_value. */
struct loupe_swift_part {
    struct loupe_swift_lowering *lowering;
    const struct loupe_swift_arguments *arguments;
    uint16_t type;
    unsigned depth;
    uint32_t offset;
    loupe_addr address;
    const char *path;
    bool is_in_library; /* whose names of fields are of no use */
    bool is_bound;      /* the arguments are those of the type that this is part of */
    bool is_function;
    bool is_part; /* of what is no structure */
};

struct loupe_swift_witnesses {
    uint64_t size, stride, align, inhabitants;
    bool has_references, is_boxed;
};

struct loupe_swift_existential {
    uint32_t tables;
    bool is_object, is_error;
};

/* lowering.c */
bool loupe_swift_lower_part(const struct loupe_swift_part *part, struct loupe_swift_layout *ret);
/* The one behind those that are in a row already; the part moves to its place. */
bool loupe_swift_lower_next(struct loupe_swift_part *part, struct loupe_swift_layout *row);
bool loupe_swift_add_slot(const struct loupe_swift_part *part, uint32_t offset,
                          enum loupe_swift_ownership ownership);
void loupe_swift_layout_bytes(struct loupe_swift_layout *ret, uint64_t size, uint64_t align);
void loupe_swift_layout_pointer(const struct loupe_swift_part *part, bool has_spare,
                                struct loupe_swift_layout *ret);
bool loupe_swift_lay_reference(const struct loupe_swift_part *part,
                               enum loupe_swift_ownership ownership,
                               struct loupe_swift_layout *ret);
bool loupe_swift_lay_function(const struct loupe_swift_part *part, struct loupe_swift_layout *ret);
void loupe_swift_row_begin(struct loupe_swift_layout *row);
uint64_t loupe_swift_row_place(const struct loupe_swift_layout *row, uint64_t align);
void loupe_swift_row_add(struct loupe_swift_layout *row, uint64_t place,
                         const struct loupe_swift_layout *next);
void loupe_swift_row_end(struct loupe_swift_layout *row);
bool loupe_swift_witnesses(struct loupe_target *target, loupe_addr metadata,
                           struct loupe_swift_witnesses *ret);
/* False: too long. */
bool loupe_swift_join(char dst[LOUPE_MAX_SWIFT_FIELD], const char *path, const char *name);

/* layout_nominal.c */
bool loupe_swift_lower_nominal(const struct loupe_swift_part *part,
                               const struct loupe_swift_type *type, struct loupe_swift_layout *ret);
bool loupe_swift_lower_standard(const struct loupe_swift_part *part,
                                const struct loupe_swift_type *type,
                                struct loupe_swift_layout *ret);
/* What a record of a field or a case stands for; its type is read, its path made. */
bool loupe_swift_part_of(const struct loupe_swift_part *part, loupe_addr record,
                         char path[LOUPE_MAX_SWIFT_FIELD], struct loupe_swift_part *ret);
/* The name of a variable, by that of what it is kept in. */
const char *loupe_swift_written_name(const char *name);
/* layout_enum.c: records: the first of its cases. */
struct loupe_swift_cases {
    loupe_addr records;
    uint32_t payloads, empty;
};
bool loupe_swift_lower_enum(const struct loupe_swift_part *part,
                            const struct loupe_swift_cases *cases, struct loupe_swift_layout *ret);
/* One case with a payload; the others are empty. */
bool loupe_swift_lower_payload(const struct loupe_swift_part *part, uint64_t empty,
                               struct loupe_swift_layout *ret);
/* layout_existential.c */
bool loupe_swift_lower_existential(const struct loupe_swift_part *part,
                                   const struct loupe_swift_type *type,
                                   struct loupe_swift_layout *ret);
bool loupe_swift_lay_existential(const struct loupe_swift_part *part,
                                 const struct loupe_swift_existential *existential,
                                 struct loupe_swift_layout *ret);

#endif
