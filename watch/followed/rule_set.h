/*
 * rule_set.h - the rules that are followed, and the methods that they are about.
 *
 * Rules are only added: a call may be looking at them on any thread. Both arrays are changed under
 * the lock, and read by their counts without it.
 */
#ifndef LOUPE_WATCH_RULE_SET_H
#define LOUPE_WATCH_RULE_SET_H

#include "objects/expectations.h"
#include "snapshot/rules/rules.h"
#include "watched_path.h"

#include <pthread.h>

enum { WATCH_MOST_RULES = 1024, WATCH_MOST_OF_A_METHOD = 32, WATCH_RULE_NAME = 160 };

struct watch_method_rules;

struct watched_rule {
    const struct loupe_rule *rule;
    char class_name[WATCH_RULE_NAME], origin[WATCH_RULE_NAME];
    _Atomic(watch_class) cls; /* NULL while there is none of that name */
    struct watch_path path, except, conditions[LOUPE_MAX_CONDITIONS];
    struct watch_method_rules *method;
    bool is_shipped, is_bound;
    unsigned latest_place; /* of a rule `spare last` */
};

/* All rules about calls of one selector: the tag of its interceptions. */
struct watch_method_rules {
    watch_sel selector;
    struct watched_rule *items[WATCH_MOST_OF_A_METHOD];
    _Atomic(uint32_t) count;
};

extern struct watch_rules {
    pthread_mutex_t lock;
    struct watched_rule *rules[WATCH_MOST_RULES];
    _Atomic(uint32_t) count;
    struct watch_method_rules *methods[WATCH_MOST_RULES];
    uint32_t method_count;
    unsigned latest_count;
    _Atomic(bool) is_active;
    watch_time delay; /* of rules that do not say it */
} watch_rules;

/*
 * Adds the rules of a file, or of the shipped one of that name. Under the lock. False with *problem
 * (of the given size) set; rules before the mistake were added.
 */
bool watch_rule_file_add(const char *name, char *problem, unsigned size);

/* Takes off all rules from that number on. Under the lock. */
void watch_rules_drop_from(uint32_t first);

#endif
