/*
 * encoding.h - type encodings: what @encode and the type of an ivar say about memory.
 *
 * An encoding such as {P="name"@"NSString""at"[2{S="x"i"o"@}]} is flattened to its leaves, each
 * with the path that a person would write ("at[1].o"), an offset, a size and an alignment by the C
 * rules for a struct. Pointers are leaves: what they point to is not looked at.
 *
 * Paths. Members are joined with '.', elements are "[i]". An anonymous struct or union inside a
 * struct with member names is left out, as in C. A member without a name is its position among its
 * siblings, from 0: the GNUstep runtime keeps no member names, so {P=@[2{S=i@}]} has "1[0].1".
 *
 * What an encoding does not say. The declared type of a bit-field (b3), packing, the size of an
 * empty struct (1 in C++, 0 in C) and everything about types that have no encoding (vectors,
 * pointers to C++ members). loupe_encoding_init() tries the possibilities until the size agrees
 * with the one that is known, as that of an ivar is; each leaf says what its offset rests on.
 *
 * An encoding is target data: nothing recurses, depth, length and work are bounded, and reaching a
 * bound is reported. All structs are the caller's and hold no resources; spans point into the
 * encoding, which must outlive them.
 */
#ifndef LOUPE_ENCODING_H
#define LOUPE_ENCODING_H

#include "base/target/memory.h"
#include "base/text.h"

enum {
    LOUPE_ENCODING_MAX_DEPTH = 64, /* structs, unions, arrays and pointees inside another */
    LOUPE_ENCODING_MAX_LENGTH = 256 * 1024, /* characters of one type */
    LOUPE_ENCODING_MAX_WORK = 4 << 20,      /* characters that one walk looks at, again or not */
    LOUPE_ENCODING_PATH_SIZE = 512          /* a longer path ends in "..." */
};

#define LOUPE_ENCODING_MAX_SIZE (UINT64_C(1) << 40) /* bytes; a larger type is malformed */

enum loupe_encoding_status {
    LOUPE_ENCODING_OK = 0,
    LOUPE_ENCODING_MALFORMED, /* characters that are no type */
    LOUPE_ENCODING_UNENDED,   /* ends inside a type */
    LOUPE_ENCODING_DEEP,      /* nested deeper than LOUPE_ENCODING_MAX_DEPTH */
    LOUPE_ENCODING_LARGE,     /* longer or larger than the limits above */
    LOUPE_ENCODING_TRUNCATED  /* a walk that ended at its limit: there are more leaves */
};

/* A noun phrase for people. Static storage. */
const char *loupe_encoding_status_text(enum loupe_encoding_status status);

/* Sizes and alignments of one machine and compiler. */
struct loupe_encoding_rules {
    uint8_t pointer_size;      /* also the size of long (l, L) */
    uint8_t wide_alignment;    /* of 8-byte numbers: 4 on i386 and 32-bit iOS, else 8 */
    uint8_t long_double_size;  /* 16; 12 on 32-bit x86 Linux; 8 where Apple has ARM */
    uint8_t long_double_align; /* 16; 4 on 32-bit x86 Linux; 8 where Apple has ARM */
    bool loose_bits; /* bit-fields are placed without regard to their types: Apple's 32-bit ARM */

    /* Guesses at what is not encoded. */
    uint8_t pack;              /* the most that members are aligned to; 0: no limit */
    uint8_t bit_unit;          /* size of the declared type of b3; wider bit-fields take 8 */
    uint8_t empty_size;        /* of a struct without members, as a member */
    uint8_t unknown_size;      /* of a type without an encoding; 0: it stays unknown */
    uint8_t unknown_alignment; /* of it; at least 1 */
};

/*
 * Those of Apple's compilers, with unpacked structs of int bit-fields and C++ empty structs. 4-byte
 * pointers are taken for those of watchOS.
 */
struct loupe_encoding_rules loupe_encoding_rules_of(struct loupe_machine machine);

/* How sure a size or an offset is. */
enum loupe_encoding_trust {
    LOUPE_TRUST_EXACT,   /* what the encoding says */
    LOUPE_TRUST_ASSUMED, /* rests on a guess of the rules: right for common code */
    LOUPE_TRUST_UNKNOWN  /* behind a type of unknown size; the number means nothing */
};

enum loupe_type_kind {
    LOUPE_TYPE_OBJECT, /* @ */
    LOUPE_TYPE_BLOCK,  /* @? */
    LOUPE_TYPE_CLASS,  /* # */
    LOUPE_TYPE_SELECTOR,
    LOUPE_TYPE_POINTER, /* any other, C strings and functions too */
    LOUPE_TYPE_NUMBER,  /* integers, floating point, _Bool, complex ones */
    LOUPE_TYPE_BITS,    /* a bit-field */
    LOUPE_TYPE_VECTOR,  /* GCC's encoding of it; clang has none */
    LOUPE_TYPE_VOID,
    LOUPE_TYPE_UNKNOWN, /* a type without an encoding, or a struct whose members are not given */
    LOUPE_TYPE_STRUCT,
    LOUPE_TYPE_UNION,
    LOUPE_TYPE_ARRAY
};

/* Which of the rules had a say in a layout. */
enum loupe_encoding_guess {
    LOUPE_GUESS_BITS = 1 << 0,
    LOUPE_GUESS_EMPTY = 1 << 1,
    LOUPE_GUESS_UNKNOWN = 1 << 2,
    LOUPE_GUESS_LONG_DOUBLE = 1 << 3,
    LOUPE_GUESS_WIDE = 1 << 4 /* an 8-byte number */
};

/* An encoded type as a whole. */
struct loupe_type {
    enum loupe_type_kind kind;
    struct loupe_span text;          /* the type and its qualifiers, nothing else */
    uint64_t size;                   /* 0 when trust is LOUPE_TRUST_UNKNOWN */
    uint64_t alignment;              /* at least 1 */
    uint64_t leaf_count;             /* UINT64_MAX: that many or more */
    uint64_t object_count;           /* leaves that are objects or blocks; UINT64_MAX as above */
    enum loupe_encoding_trust trust; /* of size and alignment */
    unsigned guesses;                /* set of enum loupe_encoding_guess */
};

/*
 * The first type in text; *length_ret (may be NULL) is how many characters it takes, or, on
 * failure, where it goes wrong. An empty text is a type of kind LOUPE_TYPE_UNKNOWN.
 */
enum loupe_encoding_status loupe_type_parse(struct loupe_span text,
                                            const struct loupe_encoding_rules *rules,
                                            struct loupe_type *ret, size_t *length_ret);

/* A type and the rules that fit it. */
struct loupe_encoding {
    struct loupe_type type;
    struct loupe_encoding_rules rules;
    bool fits; /* the size agrees with the known one; false also when none is known */
};

/*
 * The first type in text, under rules or, where those give another size than known_size, under the
 * first variation of them that gives it. Without such a variation the rules stay as they are and
 * fits is false: trust no offset then. known_size 0: not known.
 */
enum loupe_encoding_status loupe_encoding_init(struct loupe_encoding *encoding,
                                               struct loupe_span text,
                                               const struct loupe_encoding_rules *rules,
                                               uint64_t known_size);

/* A member that has no members, as memory. */
struct loupe_leaf {
    const char *path; /* in the cursor, until the next call; "" for a type that is itself a leaf */
    bool path_cut;    /* the path was too long and ends in "..." */
    struct loupe_span type;
    enum loupe_type_kind kind; /* none of struct, union, array */
    uint64_t offset;           /* bytes from the start of the whole type */
    uint64_t size;             /* bytes; of a bit-field, those that its bits touch */
    uint64_t alignment;
    uint8_t bit_offset;              /* of a bit-field, in the byte at offset */
    uint8_t bit_width;               /* 0: no bit-field */
    enum loupe_encoding_trust trust; /* of offset */
};

/*
 * The members of a struct, as far as they are placed: in bits from its start, for the declared
 * types that the rules assume of bit-fields, and at least and at most for any.
 */
struct loupe_record {
    uint64_t bits, least_bits, most_bits;
    uint64_t alignment, least_alignment, most_alignment;
    enum loupe_encoding_trust start_trust; /* of where it starts */
    enum loupe_encoding_trust trust;       /* that this and members of doubtful size leave */
    /* Where the longest member ends before one whose place is told, which may say less; and how
     * sure the sizes of all members are. */
    uint64_t end, least_end, most_end;
    enum loupe_encoding_trust size_trust;
};

/* One struct, union or array that a walk is inside of. */
struct loupe_encoding_frame {
    uint32_t at;    /* position in the text of what comes next */
    uint32_t index; /* of it, among its siblings; of an array element, see element below */
    enum loupe_type_kind kind;
    enum loupe_encoding_trust trust; /* of start */
    bool named;                      /* members have names */
    uint64_t start;                  /* offset of the whole */
    struct loupe_record record;      /* of a struct */
    uint64_t element, count, stride; /* of an array: next one, how many, bytes from one to next */
    uint32_t path_length;
    bool path_cut;
};

/* A walk over the leaves, in the order of the encoding: by offset, except inside a union. */
struct loupe_encoding_cursor {
    const struct loupe_encoding *encoding;
    enum loupe_encoding_status status; /* why the walk ended */
    bool objects_only; /* set after _begin(): only leaves that are objects, blocks */
    bool one_of_each;  /* set after _begin(): of every array its first element */
    /* Set after _begin(): only leaves that touch bytes [from, to), or of an unknown offset. */
    uint64_t from, to;
    uint64_t leaves_left;
    uint64_t work_left;
    uint32_t depth;
    bool started;
    uint32_t path_length;
    bool path_cut;
    struct loupe_encoding_frame frames[LOUPE_ENCODING_MAX_DEPTH];
    char path[LOUPE_ENCODING_PATH_SIZE];
};

/*
 * Paths begin with root, the name of the ivar or "". After max_leaves leaves the walk ends with
 * LOUPE_ENCODING_TRUNCATED, if there are more. The cursor takes 8 KB, a call 13 KB of stack; the
 * encoding outlives it.
 */
void loupe_encoding_begin(struct loupe_encoding_cursor *cursor,
                          const struct loupe_encoding *encoding, struct loupe_span root,
                          uint64_t max_leaves);
/* False at the end, with the reason in cursor->status. */
bool loupe_encoding_next(struct loupe_encoding_cursor *cursor, struct loupe_leaf *ret);

/*
 * How many elements follow the leaf that _next() gave last in the array whose element it is, each
 * at its end; 0 where it is no element. The walk goes on behind them.
 */
uint64_t loupe_encoding_skip_elements(struct loupe_encoding_cursor *cursor);

/*
 * The leaf at a byte offset: of several (in a union), an object that starts there, else the first.
 * Writes its path, beginning with root, to dst and, without its path, to *ret (may be NULL). False,
 * with just root in dst, when there is none: padding, or an offset beyond the end. cap > 0.
 */
bool loupe_encoding_path_at(const struct loupe_encoding *encoding, struct loupe_span root,
                            uint64_t offset, char *dst, size_t cap, struct loupe_leaf *ret);

/* One part of a method's or block's signature: first the result, then each argument. */
struct loupe_signature_part {
    struct loupe_span type; /* with its qualifiers */
    bool has_offset;
    int64_t offset; /* in the frame of the call; of the result, the size of all arguments */
};

/*
 * Takes the next part off the front of *rest: v24@0:8@16 gives v (24), @ (0), : (8), @ (16). False
 * at the end, where *status_ret is LOUPE_ENCODING_OK, or the reason why the rest is no type.
 */
bool loupe_signature_next(struct loupe_span *rest, struct loupe_signature_part *ret,
                          enum loupe_encoding_status *status_ret);

#endif
