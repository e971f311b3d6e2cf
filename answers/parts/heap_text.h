/*
 * heap_text.h - OBJECTs, EDGEs and roots of an answer about a whole heap (docs/protocol.md), and
 * what such an answer ends with.
 *
 * Answers of older versions lack some of their members: what these say is left out then.
 */
#ifndef LOUPE_ANSWERS_HEAP_TEXT_H
#define LOUPE_ANSWERS_HEAP_TEXT_H

#include "answers/lines.h"

enum { ANSWER_WHOLE_VALUE = 0, ANSWER_SHORT_VALUE = 80 };

/* Whether the heap is not one of Java's. */
bool answer_is_native(const struct answer *answer);

/* ---- Onto the line ---- */

/* Text of the target of any length, whose lines are escaped as "\n". */
void answer_say_long_text(struct answer_lines *lines, struct loupe_span text);
/* "java.lang.String 0x7f02 "abc"", "class Main 0x7f01", "block 0x1f00 at Mail.m:57"; a value is cut
 * to so many bytes. */
void answer_say_heap_object(struct answer_lines *lines, const struct json_value *object,
                            size_t most);
/* "Main.cache (static)", "[3]", "_next", "self (captured)". */
void answer_say_heap_link(struct answer_lines *lines, const struct json_value *edge);
/* "local variable of thread "main" in Main.run(Main.java:12)", "shared (static in App.m)". */
void answer_say_heap_root(struct answer_lines *lines, const struct json_value *root);
/* The same where the heap is none of Java's, also of an answer about one object. */
void answer_say_native_root(struct answer_lines *lines, const struct json_value *root);
/* The same by a name that the host knows. */
void answer_say_named_root(struct answer_lines *lines, const struct json_value *root,
                           struct loupe_span name);
/* "_next", "+16": the path of that in an Objective-C heap. */
void answer_say_native_path(struct answer_lines *lines, const struct json_value *edge);
/* "20 objects, 6 other allocations", "6 allocations": of so many things, of which others are
 * non-objects. */
void answer_say_things(struct answer_lines *lines, uint64_t things, uint64_t others);
/* The same as text, cut to cap bytes with its NUL; its length. */
size_t answer_things(uint64_t things, uint64_t others, char *dst, size_t cap);

/* What is at an address in full; memory by what it is part of. */
void answer_say_thing_or_memory(struct answer_lines *lines, struct loupe_span address);
/* What memory without a class is called, by what it is "part_of": "buffer of _bytes in Frame",
 * "memory of cache (static in App.m)", "memory allocated at Cache.m:42 in -[Cache fill]"; else
 * "non-object". */
void answer_say_memory_name(struct answer_lines *lines, const struct json_value *object);
/* The same of that member itself. */
void answer_say_part_of(struct answer_lines *lines, const struct json_value *part_of);
/* The names as text, cut to cap bytes with its NUL; its length. */
size_t answer_memory_name(const struct answer *answer, const struct json_value *object, char *dst,
                          size_t cap);
size_t answer_root_name(const struct answer *answer, const struct json_value *root, char *dst,
                        size_t cap);
/* "Main.run(Main.java:12)". */
void answer_say_java_frame(struct answer_lines *lines, const struct json_value *frame);
/* "-[Importer run] (Importer.m:12)". */
void answer_say_native_frame(struct answer_lines *lines, const struct json_value *frame);
/* "block at PhotoCell.m:42 in -[PhotoCell show]" of the name of a class and what is known of its
 * blocks. */
void answer_say_class_of_heap(struct answer_lines *lines, struct loupe_span name,
                              const struct json_value *invoke);
/* The same of what has "class", and "invoke" where that is known. */
void answer_say_class_of(struct answer_lines *lines, const struct json_value *of);
/* "unreachable", "garbage". */
const char *answer_word_of_unreached(const struct answer_lines *lines);

/* ---- Lines ---- */

/* After an empty one, of those that are not shown: "3 more (--limit 0 shows all)". */
void answer_say_rest(struct answer_lines *lines, uint64_t found, uint64_t shown, const char *what);
/* "allocated in main of prog", where allocations were recorded. */
void answer_say_allocated_by(struct answer_lines *lines, const struct json_value *object,
                             const char *margin);
/* What was lost, what was passed over. says_lost: the answer calls something unreachable, so that
 * it matters what may hold it where nobody looks. */
void answer_say_heap_notes(struct answer_lines *lines, bool says_lost);

#endif
