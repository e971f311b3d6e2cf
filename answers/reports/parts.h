/*
 * parts.h - what several reports have in common: the object that was asked about, what was freed,
 * what owns nothing, where things were allocated, and what was left out.
 */
#ifndef LOUPE_ANSWERS_REPORT_PARTS_H
#define LOUPE_ANSWERS_REPORT_PARTS_H

#include "answers/lines.h"

struct answer_report;

/* Onto the line: "view (View 0x1f00)". */
void answer_say_subject(struct answer_lines *lines, struct loupe_span asked,
                        struct loupe_span address);
/* The object that the question was about: its address. */
struct loupe_span answer_asked_object(const struct answer *answer);

/* Lines: which objects in the answer were freed. They stand behind its first line. */
enum loupe_status answer_say_freed(struct answer_lines *lines);
/* The same but for the one that was asked about, and references to it, which its own report tells.
 */
void answer_say_others_freed(struct answer_lines *lines);

/* ---- References that own nothing ---- */

/* Lines: of one object; those that the built-in rules know, then with --explain the others. */
void answer_say_unowned(struct answer_lines *lines);
/* Lines: the same of references to one object. LOUPE_ENOMEM. */
enum loupe_status answer_say_unowned_holders(struct answer_lines *lines);
/* Lines: the rings that there would be if a weak reference were strong. */
void answer_say_weak_rings(struct answer_lines *lines);

/* ---- Where things were allocated ---- */

/* Addresses, each once. */
struct answer_things {
    const struct answer *answer;
    struct loupe_map known;
    struct loupe_span *items;
    uint32_t count, room;
};

void answer_things_init(struct answer_things *things, const struct answer *answer);
void answer_things_deinit(struct answer_things *things);
/* LOUPE_ENOMEM. */
enum loupe_status answer_add_thing(struct answer_things *things, struct loupe_span address);

/* Lines: of those whose allocation was recorded, who allocated them; verbose, their stacks. */
void answer_say_allocations(struct answer_lines *lines, const struct answer_things *things);
/* Lines: what the recorder left out. */
void answer_say_recorder(struct answer_lines *lines);

/* ---- Ways of whole heaps ---- */

/* Lines: a PATH of docs/protocol.md; runs of the same step are folded. LOUPE_ENOMEM. */
enum loupe_status answer_say_way(struct answer_lines *lines, const struct json_value *path);
/* Onto the line: what a rule says of an object, and where: ": a destroyed view (line 3 of
 * x.rules)". */
void answer_say_rule(struct answer_lines *lines, const struct json_value *of);

/* Onto the line: "20 objects, 6 other allocations": what a heap has. */
void answer_say_contents(struct answer_lines *lines);
/* Lines: of a heap of which only classes were counted, what is not known. */
void answer_say_summary(struct answer_lines *lines);
/* Lines: that a baseline was written. */
void answer_say_written_baseline(struct answer_lines *lines);
/* Lines: references to what was freed, below an empty one. */
void answer_say_dangling(struct answer_lines *lines);
/* Onto the line, behind what it is called: that it was freed, and who still points there. */
void answer_say_was_freed(struct answer_lines *lines, const struct json_value *freed);
/* Onto the line, behind what an object is called: " is held: its references own all its retains".
 */
void answer_say_object_verdict(struct answer_lines *lines);
/* One line: the report of a question that was refused because its object was freed. */
enum loupe_status answer_say_freed_object(struct answer_lines *lines,
                                          const struct answer_report *report);

/* ---- The end of a report ---- */

/* A line that counts what could not be followed, or none. */
void answer_say_not_followed(struct answer_lines *lines);
/* What to type where that ended the search early; NULL: nothing, or nobody types there. */
const char *answer_way_out(const struct answer_lines *lines, struct loupe_span code);
/* Lines: what debug information could not name. */
void answer_say_unnamed(struct answer_lines *lines);
/* A line: what the search cost. */
void answer_say_cost(struct answer_lines *lines);

/* Of cycles about a whole heap, of Objective-C and of Java. */
enum loupe_status answer_say_heap_cycles(struct answer_lines *lines);
enum loupe_status answer_say_collected_cycles(struct answer_lines *lines);

/* Each of the reports. */
enum loupe_status answer_say_cycles(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_held(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_incoming(struct answer_lines *lines,
                                      const struct answer_report *report);
enum loupe_status answer_say_ivars(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_allocated(struct answer_lines *lines,
                                       const struct answer_report *report);
enum loupe_status answer_say_leaks(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_paths(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_classes(struct answer_lines *lines,
                                     const struct answer_report *report);
enum loupe_status answer_say_compared(struct answer_lines *lines,
                                      const struct answer_report *report);
enum loupe_status answer_say_growth(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_instances(struct answer_lines *lines,
                                       const struct answer_report *report);
enum loupe_status answer_say_retained(struct answer_lines *lines,
                                      const struct answer_report *report);
enum loupe_status answer_say_saved(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_shown(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_suspects(struct answer_lines *lines,
                                      const struct answer_report *report);
enum loupe_status answer_say_threads(struct answer_lines *lines,
                                     const struct answer_report *report);
enum loupe_status answer_say_tree(struct answer_lines *lines, const struct answer_report *report);
enum loupe_status answer_say_history(struct answer_lines *lines,
                                     const struct answer_report *report);
enum loupe_status answer_say_backtraces(struct answer_lines *lines,
                                        const struct answer_report *report);
enum loupe_status answer_say_block(struct answer_lines *lines, const struct answer_report *report);

#endif
