/*
 * shipped.h - the rules of this folder, as a part of programs.
 */
#ifndef LOUPE_SHIPPED_RULES_H
#define LOUPE_SHIPPED_RULES_H

struct shipped_rules {
    const char *name, *text; /* of the file, without ending; its contents */
};

/* The last one has no name. */
extern const struct shipped_rules shipped_rules[];

#endif
