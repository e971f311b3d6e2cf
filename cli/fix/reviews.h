/*
 * reviews.h - fixes as what other programs offer to people: suggestions of a review, fixes of
 * SARIF.
 */
#ifndef LOUPE_CLI_FIX_REVIEWS_H
#define LOUPE_CLI_FIX_REVIEWS_H

#include "base/json.h"
#include "fix/made.h"

/* A review of GitHub (POST /repos/{owner}/{repo}/pulls/{number}/reviews): each place that changes
 * is a comment with a suggestion. */
void fix_put_review(struct loupe_json *json, const struct fix_made *made, uint32_t count,
                    struct loupe_arena *arena);

/* SARIF 2.1.0: each fix is a result with the fix in it as whole lines. */
void fix_put_sarif(struct loupe_json *json, const struct fix_made *made, uint32_t count,
                   struct loupe_arena *arena);

#endif
