/*
 * patterns.h - mistakes that everybody makes, as data: what they are called, why they leak, what to
 * write instead, and how a ring or a path of references shows them.
 *
 * A file of patterns has sections; empty lines between them and what follows a # in the first
 * column are nothing:
 *
 *     pattern ID                 lower case and dashes
 *     name    A FEW WORDS
 *     why     TWO SENTENCES
 *     ring    STEP[, STEP]...    references that follow each other on a ring; the line may be
 *                                repeated, any of them will do
 *     growth  STEP[, STEP]...    the same on the path from a root to what there is more and more of
 *     needs   collection         of growth: only where a collection on the path has more in it
 *                                than before
 *     before                     lines indented by four spaces follow, of source
 *     after                      the same
 *
 *     STEP    FROM KIND PATH TO
 *
 * FROM and TO are classes, KIND an edge's kind as in docs/protocol.md, PATH its path; in each a *
 * stands for any text, a | between alternatives, and a ! before them says that none may fit.
 * <block> and <byref> stand for what has no class in the source; ivar for fields of Java, too.
 * Upper and lower case are the same in PATH. Of several patterns the first counts.
 */
#ifndef LOUPE_PICTURES_PATTERNS_H
#define LOUPE_PICTURES_PATTERNS_H

#include "pictures/picture.h"

struct pattern_step {
    struct loupe_span from, kind, path, to;
};

enum { PATTERN_MOST_STEPS = 4 };

struct pattern_match {
    struct pattern_step steps[PATTERN_MOST_STEPS];
    uint32_t count;
    bool is_growth;
    bool names_change; /* one of its references is the one to change */
};

struct pattern {
    struct loupe_span id, name, why, before, after;
    struct pattern_match *matches;
    uint32_t match_count, match_capacity;
    bool needs_collection; /* that grew; whoever compares two heaps looks for it */
};

struct patterns {
    struct pattern *items;
    uint32_t count, capacity;
};

/*
 * Reads a file of patterns; text must stay. LOUPE_EUSAGE: a line that makes no sense, which *err
 * names; LOUPE_ENOMEM.
 */
enum loupe_status patterns_read(struct loupe_span text, struct loupe_arena *arena,
                                struct patterns *ret, struct loupe_error *err);
/* Those that come with loupe. LOUPE_ENOMEM. */
enum loupe_status patterns_read_shipped(struct loupe_arena *arena, struct patterns *ret);

/* The pattern that a finding shows, or NULL: of its rings; of a path as growth. */
const struct pattern *pattern_of_finding(const struct patterns *patterns,
                                         const struct picture *picture,
                                         const struct picture_finding *finding);
/* Notes them in all findings of a picture. */
void picture_find_patterns(struct picture *picture, const struct patterns *patterns);

#endif
