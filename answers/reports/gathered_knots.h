/*
 * gathered_knots.h - the knots of an answer as a report shows them: the asked object's first, those
 * of framework classes alone last, and those that are one mistake in several objects together.
 */
#ifndef LOUPE_ANSWERS_GATHERED_KNOTS_H
#define LOUPE_ANSWERS_GATHERED_KNOTS_H

#include "answers/reports/found.h"

struct answer_found answer_found_of(const struct json_value *root);
/* Knots that it stands for: of the whole heap those alike are one. */
uint64_t answer_knots_of(const struct json_value *knot);

/* Of one fingerprint and verdict. */
struct answer_alike {
    const struct json_value *first, *second;
    uint32_t count;
};

struct answer_gathered {
    struct answer_alike *groups;
    uint32_t count, shown;          /* groups; of these the first ones are shown */
    uint64_t further, told, folded; /* knots of the others; told at this stop; of frameworks */
    uint64_t unshown;               /* that are not described */
};

/* By the look of the lines. LOUPE_ENOMEM. */
enum loupe_status answer_gather_knots(const struct answer_lines *lines,
                                      struct answer_gathered *ret);

#endif
