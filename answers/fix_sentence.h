/*
 * fix_sentence.h - the sentence that says what to change: the only one, for every output of every
 * host. What is to be changed was decided before (core/report/advice.h); whoever has an answer or a
 * graph fills in what things are called there.
 *
 * Texts are as the caller shows them: what comes from the target is to be escaped by whoever prints
 * the sentence, or before.
 */
#ifndef LOUPE_ANSWERS_FIX_SENTENCE_H
#define LOUPE_ANSWERS_FIX_SENTENCE_H

#include "report/advice.h"

/* One reference that changes. No text is NULL. */
struct answer_subject {
    enum loupe_change change; /* LOUPE_CHANGE_COUNT: nobody decided it */
    enum loupe_edge_kind kind;
    const char *path;       /* "_next", "self"; "+16" where it has no name */
    const char *owner;      /* class of the holder; "block" of any block */
    const char *held;       /* the same of what it holds */
    const char *holder;     /* which one it is: "NSMutableArray 0x1f00" */
    const char *block;      /* of a holder that is a block: "the block at PhotoCell.m:42" */
    const char *collection; /* of a holder that an ivar or member on the ring has: "Wire.readers",
                               "Album::tracks"; else "" */
    const char *closure;  /* that has it in its own place: "closure #1 in Screen.bind()"; or NULL */
    const char *declared; /* of an ivar, that of a collection too: "Mail.m:57"; "": not known */
    bool held_is_block;
    bool is_part;         /* of a variable that as a whole is no reference */
    bool owner_is_memory; /* the holder is no object: it is told by its address */
    bool owner_is_object; /* it is an object of a runtime, and has ivars */
    bool is_manual;       /* code that retains and releases by itself */
};

/* A change that takes one reference away, or several between the same two objects. */
struct answer_fix {
    const struct answer_subject *subjects;
    uint32_t count; /* > 0 */
    bool unowned_name, only_holder, frees_at_once;
};

/* "Wire.readers"; of C++ "Child::parent", and where the member has no name "Child+8". */
void answer_name_member(char *dst, size_t cap, enum loupe_change change, const char *owner,
                        const char *path);

/* Writes it, cut to cap bytes with its NUL (cap > 0), and returns its length. */
size_t answer_fix_sentence(const struct answer_fix *fix, char *dst, size_t cap);

/* The kind of that name as answers write it ("ivar"). LOUPE_EDGE_KIND_COUNT: there is none. */
enum loupe_edge_kind answer_edge_kind(struct loupe_span name);

#endif
