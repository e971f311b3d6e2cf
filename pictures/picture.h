/*
 * picture.h - what is to be shown of an answer, before anybody says how: objects, the references
 * between them, the findings that they make up. Pages (page.h), drawings for Graphviz (dot.h) and
 * reports for machines (reports.h) are written from this alone.
 *
 * answer.h makes one of an answer of the protocol, heap_picture.h of a snapshot. Texts of the
 * target are kept as they are, any bytes of any length: who writes them escapes them for what he
 * writes. All lives in an arena, and texts where the caller says.
 */
#ifndef LOUPE_PICTURES_PICTURE_H
#define LOUPE_PICTURES_PICTURE_H

#include "answers/verdict_words.h"
#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

/* No object, no reference, no lines of source. */
#define PICTURE_NONE UINT32_MAX

/* Where something was written. Empty and 0 for what is not known. */
struct picture_place {
    struct loupe_span file, function;
    uint32_t line;
};

struct picture_thing {
    uint64_t address;
    struct loupe_span class_name;
    struct loupe_span kind;     /* "object", "block", "byref", "class" */
    struct loupe_span variable; /* of a byref */
    struct loupe_span symbol;   /* of a block whose place is not known */
    struct loupe_span value;    /* what the object says of itself, as the text of a string */
    struct picture_place place; /* of a block */
    uint64_t size, retain_count;
    uint32_t lines; /* of the place, among the picture's; or PICTURE_NONE */
    bool has_retain_count;
};

struct picture_arrow {
    uint32_t from, to; /* things */
    struct loupe_span kind, path, ownership, slot;
    struct loupe_span declared_by; /* class of a field, where the answer says it */
    struct picture_place lambda;   /* of C++, that captured it */
    struct picture_place declared; /* of an ivar */
    bool is_suspect;               /* of a path: the mistake may be this one */
};

/* References as numbers among those of the finding. */
struct picture_arrows {
    uint32_t *items;
    uint32_t count;
};

struct picture_ring {
    struct picture_arrows arrows; /* each begins where the one before ends */
    struct loupe_span fingerprint;
    uint64_t length;   /* of the whole ring */
    uint32_t gap;      /* how many arrows come before those that the answer left out */
    uint64_t left_out; /* how many those are */
};

enum picture_breaks { PICTURE_BREAKS_KNOT, PICTURE_BREAKS_EVERYWHERE, PICTURE_BREAKS_RING };

/* A change in the source, and the references that it takes away. */
struct picture_change {
    struct loupe_span text;
    enum picture_breaks breaks;
    struct picture_arrows cut; /* the least that must go; first_count of them for the best fix */
    bool is_enough;            /* what should die then dies */
    bool together;             /* one of those that break all rings, where the best breaks one */
    uint32_t kept_by;          /* a thing that is kept all the same, or PICTURE_NONE */
    struct loupe_span diff;    /* the patch of it, where somebody made one; else empty */
    struct loupe_span tried;   /* what a compiler said of that */
};

enum picture_finding_kind {
    PICTURE_KNOT,    /* objects that keep each other alive */
    PICTURE_LEAK,    /* an object that nothing leads to, and what it keeps */
    PICTURE_SUSPECT, /* one that should be gone, and the path that holds it */
    PICTURE_PATH,    /* a path from a root, that somebody asked for */
    PICTURE_OWNER    /* what keeps a large share alive, which may well be right: in no report */
};

/* So many objects of a class, for what is too large to be drawn. */
struct picture_share {
    struct loupe_span class_name;
    uint64_t count, bytes;
};

struct picture_finding {
    enum picture_finding_kind kind;
    struct loupe_span fingerprint, verdict, reason;
    struct loupe_span title;  /* what it is called, where its kind has no words for it; or empty */
    struct loupe_span degree; /* of a leak: "lost", "unowned", "timer"; else empty */
    enum loupe_severity severity;
    struct loupe_span root; /* of a path: what holds its first object */
    uint64_t count;         /* of those that are alike, this one among them */
    uint64_t objects, edges, bytes;
    uint64_t others; /* of a leak: those of `objects` that are memory without a class */
    uint64_t held_outside, held_unseen; /* references from elsewhere: walked, and not */
    uint32_t head;                      /* thing, or PICTURE_NONE */
    bool certain, contains_seed, all_rings;
    bool is_untyped;              /* a circle of memory without a class */
    struct picture_arrow *arrows; /* each once: of rings, then holders; of a path */
    uint32_t arrow_count;
    struct picture_ring *rings; /* of a path one, that does not close */
    uint32_t ring_count;
    uint64_t rings_left, holders_left; /* that somebody left out */
    struct picture_arrows holders;     /* from outside */
    struct picture_change *changes;    /* best first */
    uint32_t change_count;
    struct loupe_span mistake;           /* that the answer itself names, or empty */
    const struct loupe_pattern *pattern; /* what everybody calls it, or NULL */
    struct picture_place allocated;      /* of a leak: the program's line that allocated it */
    struct loupe_span culprit;           /* of an owner: the reference to look at */
    struct loupe_span held_class;        /* the class of what it keeps most of, `count` of them */
    uint64_t percent;                    /* of what is alive */
};

/* Some lines of a source file. */
struct picture_lines {
    struct picture_place place;
    uint32_t first; /* number of the first one */
    struct loupe_span *items;
    uint32_t count;
};

/* One object and what it alone keeps alive. */
struct picture_owner {
    uint32_t thing;
    uint64_t retained, objects, others;
};

struct picture_owners {
    struct picture_owner *items;
    uint32_t count;
};

struct picture {
    struct loupe_arena *arena;
    struct loupe_span title, query, status;
    struct loupe_span *notes; /* what was left out, hidden or not followed: phrases */
    uint32_t note_count, note_capacity;
    struct picture_thing *things;
    uint32_t thing_count, thing_capacity;
    uint32_t seed; /* thing that was asked about, or PICTURE_NONE */
    struct picture_finding *findings;
    uint32_t finding_count, finding_capacity;
    struct picture_finding *large; /* PICTURE_OWNER */
    uint32_t large_count, large_capacity;
    struct picture_lines *lines;
    uint32_t lines_count, lines_capacity;
    struct picture_owners owners, owned; /* of a question who retains what */
    struct picture_share *shares;        /* the same by class */
    uint32_t share_count;
    const struct heap_picture *heap; /* of a whole snapshot, or NULL */
};

/* ---- Making one ---- */

/* An empty picture; its seed and texts are unknown. */
void picture_init(struct picture *picture, struct loupe_arena *arena);
/* One more, zeroed but for what is PICTURE_NONE. NULL: no memory. */
struct picture_thing *picture_add_thing(struct picture *picture);
struct picture_finding *picture_add_finding(struct picture *picture);
/* The same among what is large. */
struct picture_finding *picture_add_owner(struct picture *picture);
/* The note is formatted as by loupe_format(), and cut to a line. */
enum loupe_status picture_add_note(struct picture *picture, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- Asking ---- */

bool picture_is_block(const struct picture_thing *thing);
/* Whether it is an element, key or value of a collection. */
bool picture_is_element(const struct picture_arrow *arrow);
/* "PhotoCell", "class PhotoCell", "block", "__block variable me": what a person calls it. */
struct loupe_span picture_name(const struct picture_thing *thing, struct loupe_arena *arena);
/* "lost", "kept by its timer", "held": the degree of a leak, else the verdict; may be empty. */
struct loupe_span picture_state(const struct picture_finding *finding);
/* Whether it is a leak that gates let pass: something keeps it, though only until it is ended. */
bool picture_is_kept(const struct picture_finding *finding);
/* Whether two references are of one sort: class, kind and path, numbers of elements apart. */
bool picture_same_sort(const struct picture *picture, const struct picture_arrow *a,
                       const struct picture_arrow *b);
/* The part of a file's path behind the last slash. */
struct loupe_span picture_file_name(struct loupe_span path);
/* Its length for a format, at most so many bytes. */
static inline int picture_cut(struct loupe_span text, int most) {
    return text.length < (size_t)most ? (int)text.length : most;
}

/* ---- Folding, the same for all who draw ---- */

/* A piece of a ring: one arrow, or several that are left out, from `first` on. */
struct picture_piece {
    uint32_t first, count; /* indices in the ring's arrows */
    uint64_t folded;       /* 0: the arrow is drawn; else so many stand here, left out ones too */
    bool is_run;           /* what is folded are equal steps */
};

struct picture_pieces {
    struct picture_piece *items;
    uint32_t count;
};

/*
 * A ring in at most `most` (>= 3) pieces: runs of equal steps are folded first, then the middle.
 * UINT32_MAX: only what the answer left out is folded. LOUPE_ENOMEM.
 */
enum loupe_status picture_fold(const struct picture *picture, const struct picture_finding *finding,
                               const struct picture_ring *ring, uint32_t most,
                               struct picture_pieces *ret);

#endif
