/*
 * suspects.h - rules (rules.h) asked of a snapshot: who should be dead, and which links count less.
 */
#ifndef LOUPE_SUSPECTS_H
#define LOUPE_SUSPECTS_H

#include "base/vector.h"
#include "snapshot/rules/ruled_classes.h"

/* What rules say about one object. */
enum loupe_expectation { LOUPE_EXPECTED_UNKNOWN, LOUPE_EXPECTED_ALIVE, LOUPE_EXPECTED_LEAKING };

/* By the first rule that says something about the object itself; NULL in *ret_rule when none does.
 */
enum loupe_expectation loupe_expectation_of(const struct loupe_ruled_classes *ruled, uint32_t node,
                                            const struct loupe_rule **ret_rule);

struct loupe_suspect {
    uint32_t node;
    uint32_t rule; /* the first one that says so */
};

/*
 * All objects that should be dead; each once. suspects: a vector of struct loupe_suspect
 * that was initialised for them.
 */
enum loupe_status loupe_suspects_find(const struct loupe_ruled_classes *ruled,
                                      const struct loupe_chunk_ops *chunks,
                                      struct loupe_vector *suspects);

/*
 * Kinds of links with what `library` and `weak` rules say about them: kinds[] has one for each
 * link, and holds those of the snapshot. Returns how many links were changed. Ends early where
 * columns.stop says so, as what is asked next does.
 */
uint64_t loupe_rules_change_kinds(const struct loupe_ruled_classes *ruled, uint8_t *kinds);

/* The `library` rule about a link, or NULL. */
const struct loupe_rule *loupe_rule_of_link(const struct loupe_ruled_classes *ruled, uint32_t node,
                                            uint32_t link);
/* The `library thread` rule about a root, or NULL. */
const struct loupe_rule *loupe_rule_of_root(const struct loupe_ruled_classes *ruled, uint32_t root);

#endif
