/*
 * parity.h - what the in-app detectors are tested for, asked of Loupe: each of their cases as a
 * drawn heap and a number. Where Loupe's number is another one, the case says why.
 *
 * To add a case: a function that draws its heap, in the file of its suite, and a line in the table
 * there. parity_table.py makes build/tests/parity.md of these tables.
 */
#ifndef LOUPE_TESTS_PARITY_H
#define LOUPE_TESTS_PARITY_H

#include "objects/drawn_collections.h"

/* What is counted in Loupe's answer about the object that a case draws. */
enum parity_unit {
    PARITY_RINGS, /* of all knots: one for parallel references */
    PARITY_KNOTS,
    PARITY_LEAKED,     /* knots that nothing outside keeps alive */
    PARITY_REFERENCES, /* that the object itself holds */
    PARITY_MEMBERS,    /* of its ivars, down to those that have no members */
    PARITY_BLOCKS,     /* 1 if it is known for a block */
    PARITY_REFUSALS,   /* 1 if the answer is an error: there is no object */
    PARITY_UNITS
};

enum {
    PARITY_ANY = -1,    /* theirs: at least one */
    PARITY_NO_CASE = -2 /* theirs: none of them has such a test */
};

struct parity_case {
    const char *name;  /* of their test */
    const char *drawn; /* name of the function that draws it */
    loupe_addr (*draw)(void);
    const char *fixture; /* a program with the same shape, "name" or "name.expression"; or NULL */
    const char *why;     /* the numbers differ; or what else is to be said; or NULL */
    enum parity_unit unit;
    int theirs, ours;
};

struct parity_suite {
    const char *title;
    const struct parity_case *cases;
    unsigned count;
};

#define PARITY_DRAWN(function) #function, function
#define PARITY_SUITE(title, cases)                                                                 \
    { (title), (cases), sizeof(cases) / sizeof((cases)[0]) }

extern const struct parity_suite parity_detector, parity_layouts, parity_objects, parity_circle,
    parity_missing;

/* The heap that cases draw into, with a class Node: strong _a and _b, weak _weak. */
extern struct drawn_heap heap;
extern struct drawn_world w;

/* Asks about this object too; the numbers are added. */
void also_ask(loupe_addr seed);

loupe_addr node(void);
void link_to(loupe_addr from, const char *ivar, loupe_addr to);
/* Retain cycle of nodes through _a. */
loupe_addr ring(unsigned length);
/* An object of class Holder, drawn with these ivars. */
loupe_addr holder(const char *ivars);

#endif
