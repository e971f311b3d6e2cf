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
#ifndef LOUPE_PATTERNS_H
#define LOUPE_PATTERNS_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

struct loupe_pattern_step {
    struct loupe_span from, kind, path, to;
};

enum { LOUPE_PATTERN_MOST_STEPS = 4, LOUPE_PATTERN_LONGEST_PATH = 256 };

struct loupe_pattern_match {
    struct loupe_pattern_step steps[LOUPE_PATTERN_MOST_STEPS];
    uint32_t count;
    bool is_growth;
    bool names_change; /* one of its references is the one to change */
};

struct loupe_pattern {
    struct loupe_span id, name, why, before, after;
    struct loupe_pattern_match *matches;
    uint32_t match_count, match_capacity;
    bool needs_collection; /* that grew; whoever compares two heaps looks for it */
};

struct loupe_patterns {
    struct loupe_pattern *items;
    uint32_t count, capacity;
};

/*
 * Reads a file of patterns; text must stay. LOUPE_EUSAGE: a line that makes no sense, which *err
 * names; LOUPE_ENOMEM.
 */
enum loupe_status loupe_patterns_read(struct loupe_span text, struct loupe_arena *arena,
                                      struct loupe_patterns *ret, struct loupe_error *err);

/* References that follow each other, wherever they are kept: rings, or one path from a root. */
struct loupe_pattern_subject {
    const void *ctx;
    uint32_t rings;
    bool is_path;
    uint32_t (*length)(const void *ctx, uint32_t ring);
    /* What reference i of a ring is like, with <block> and <byref> where these have no class. path
     * is taken later, and only where the rest fits: it may be written into room. */
    void (*step)(const void *ctx, uint32_t ring, uint32_t i, struct loupe_pattern_step *ret);
    struct loupe_span (*path)(const void *ctx, uint32_t ring, uint32_t i,
                              char room[LOUPE_PATTERN_LONGEST_PATH]);
    /* Whether the best fix is about that reference. NULL: there is no fix, it may be any. */
    bool (*is_to_change)(const void *ctx, uint32_t ring, uint32_t i);
};

/* The pattern that one of the rings shows, or the path as growth; NULL: none does. */
const struct loupe_pattern *loupe_pattern_of(const struct loupe_patterns *patterns,
                                             const struct loupe_pattern_subject *subject);

#endif
