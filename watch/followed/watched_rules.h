/*
 * watched_rules.h - following rules: which methods are intercepted, and what a call of one means.
 */
#ifndef LOUPE_WATCH_WATCHED_RULES_H
#define LOUPE_WATCH_WATCHED_RULES_H

#include <stdbool.h>
#include <stdint.h>

/* Files or names of shipped ones, separated by colons. False, with *problem (of the given size)
 * set. */
bool watch_rules_load(const char *files, char *problem, unsigned size);

/* No calls mean anything from now on. */
void watch_rules_end(void);

/* In the child of a fork, whose locks belong to nobody. */
void watch_rules_pause(void);

/* How many of the rules about watched objects there are, and of how many the class is not there. */
void watch_rules_count(uint32_t *ret_rules, uint32_t *ret_without_class);

#endif
