/*
 * rules.h - what is known about classes, as data: which objects should be dead, which references
 * own nothing, which are matters of a library.
 *
 * A file of rules has one on a line; empty lines and what follows a # are nothing:
 *
 *     leaking CLASS [when CONDITION]             objects that should be gone
 *     leaking FIELD of CLASS [when CONDITION]    what that field of such an object leads to
 *     alive CLASS [when CONDITION]               objects that are meant to be there
 *     library CLASS.FIELD                        a reference that is a known leak of a library
 *     library thread NAME                        the same of all that a thread of that name holds
 *     weak CLASS.FIELD                           a reference that keeps nothing alive
 *     part CLASS.FIELD [to CLASS]                a reference to a part of such an object (trees.h)
 *
 * and of objects that are watched while the program runs, where fields are methods that answer
 * without being told anything:
 *
 *     expect PATH of CLASS on METHOD [except PATH] [after SECONDS] [when CONDITION]
 *                                                they should die soon after that method was called
 *     along PATH of CLASS [when CONDITION]       and these with every such object that should
 *     keep PATH of CLASS on METHOD [when CONDITION]     these are in use again
 *     spare CLASS [when CONDITION]               never expected to die
 *     spare last PATH of CLASS on METHOD [when CONDITION]    these not before the next such call
 *
 *     CONDITION  FIELD is [not] VALUE [and CONDITION]
 *     VALUE      nil, true, false or a whole number; of watched objects also self; of others also
 *                `outside CLASS|CLASS`: it is a part of no such object (trees.h)
 *     PATH       self, arg1 to arg4 (of the method) or FIELD, each with more behind points; FIELD*
 *                is what is reached by asking again and again
 *
 * each followed by `because` and some words for people, if there is something to say. CLASS means
 * what inherits from it too. In names of classes, of fields behind a class and of threads a *
 * stands for any text. The FIELD of a condition may lead through others: a.b.
 */
#ifndef LOUPE_RULES_H
#define LOUPE_RULES_H

#include "base/arena.h"
#include "base/status.h"
#include "base/text.h"

enum loupe_rule_kind {
    LOUPE_RULE_LEAKING,
    LOUPE_RULE_LEAKING_FIELD,
    LOUPE_RULE_ALIVE,
    LOUPE_RULE_LIBRARY,
    LOUPE_RULE_LIBRARY_THREAD,
    LOUPE_RULE_WEAK,
    LOUPE_RULE_PART,
    LOUPE_RULE_EXPECT,
    LOUPE_RULE_ALONG,
    LOUPE_RULE_KEEP,
    LOUPE_RULE_SPARE,
    LOUPE_RULE_SPARE_LAST,
};

struct loupe_rule_condition {
    struct loupe_span field;
    int64_t value; /* nil and false: 0, true: 1 */
    bool is_nil;   /* the value is nil: the field holds references */
    bool is_self;  /* the value is the object that the rule is about */
    bool is_not;
    uint32_t tree; /* one more than the number in loupe_rules.trees; 0: it is about a value */
};

enum { LOUPE_MAX_CONDITIONS = 4, LOUPE_MOST_TREES = 7 };

struct loupe_rule {
    enum loupe_rule_kind kind;
    struct loupe_span class_name; /* a pattern; of a thread rule the name of the thread */
    struct loupe_span field;      /* a pattern or a path; empty where the rule names none */
    struct loupe_span method;     /* the selector of a rule with `on`; else empty */
    struct loupe_span except;     /* a path; empty: none */
    struct loupe_span to_class;   /* of a part: a pattern; empty: any */
    uint32_t after_ms;            /* 0: not said */
    struct loupe_span reason;     /* may be empty */
    struct loupe_rule_condition conditions[LOUPE_MAX_CONDITIONS]; /* all must hold */
    uint32_t condition_count;
    uint32_t line; /* from 1 */
    const char *origin;
};

struct loupe_rules {
    struct loupe_arena *arena;
    struct loupe_rule *items;
    uint32_t count, capacity;
    struct loupe_span trees[LOUPE_MOST_TREES]; /* what stands behind `outside` */
    uint32_t tree_count;
};

void loupe_rules_init(struct loupe_rules *rules, struct loupe_arena *arena);

/*
 * Adds the rules of a text. Both text and origin, a word for messages, are the caller's and must
 * stay as long as the rules. LOUPE_EUSAGE: a line that is no rule, which the message names; rules
 * before it were added.
 */
enum loupe_status loupe_rules_add(struct loupe_rules *rules, struct loupe_span text,
                                  const char *origin, struct loupe_error *err);

/* Whether a text is what a pattern says, with * for any text. Linear but for the last *. */
bool loupe_pattern_matches(struct loupe_span pattern, struct loupe_span text);

/* For a message with where they come from. */
#define LOUPE_RULES_OUT_OF_MEMORY "out of memory while reading the rules of %s"

#endif
