/*
 * loupe.h - the public entry of the core, and its glossary.
 *
 * Words of the code, in the order in which a question meets them; what people read has those of
 * docs/words.md, which calls a knot a retain cycle and a ring a loop:
 *   target    the process or core file whose Objective-C objects we look at
 *   host      the program that runs the core: the helper inside the target, the plugin in lldb, the
 *             command line tool, a test
 *   reader    the host's access to the target's memory (memory.h)
 *   abi       where things are, for one Objective-C runtime (abi.h)
 *   object    what an address leads to: an instance, a block, a class; a *byref* is the storage of
 *             a __block variable, a node of its own (object.h)
 *   container an object that keeps others in memory of its own; a *rule* for its class tells where,
 *             its *contents* are groups of slots (containers.h)
 *   capture   a variable that a block took along (captures.h)
 *   slot      the word in the target that holds a reference
 *   edge      one reference that keeps its target alive: *strong* where that is known, *assumed*
 *             where the runtime keeps no record of ownership (edges.h)
 *   nonowning a reference that keeps nothing alive: weak, or not retained (nonowning.h)
 *   knot      objects that reach each other along edges: a strongly connected component of more
 *             than one node, or a node with an edge to itself (knots.h)
 *   ring      a simple cycle of edges inside a knot (rings.h)
 *   fix       an edge whose weakening breaks a ring or the whole knot (fixes.h)
 *   root      what holds an object without being one: a global, a word on a stack; *paths* lead
 *             from roots to objects (paths_from_roots.h)
 *   seed     the object that is asked about, as a node of the graph (cycles.h)
 *   argument  what a question says beside its address; all of them are a *request* (request.h)
 *   fact      a reference that a host found where nothing in the target describes it: in an
 *             *undescribed member*, of C++ (facts.h, unread.h)
 *   session   a question that goes on as its host learns more; a *survey* lists the members that
 *             are left (session.h)
 *   scene     what a process consists of beside its objects: where roots can be (scene.h)
 *   allocator what gave memory out: an arena of glibc's, a zone of Apple's; each *block of memory*
 *             that is in use has a number (heap/allocators/blocks.h)
 *
 * The way of a question: reader -> abi -> object -> edges -> graph -> knots -> rings -> fixes ->
 * JSON. The folders stand in the order base, recorded, analysis, graph, snapshot, hprof, request,
 * types, blocks, code, cxx, swift, runtime, scene, edges, heap, cycles, leaks, report, mistakes,
 * heap_questions, questions: none includes a later one. ARCHITECTURE.md says what is in each.
 */
#ifndef LOUPE_H
#define LOUPE_H

#include "base/arena.h"
#include "base/json.h"
#include "base/target/memory.h"
#include "questions/question.h"

#define LOUPE_DEFAULT_LIMIT 1000000u

/*
 * Answers one question with one line of JSON (docs/protocol.md), without a newline, written to sink
 * only after the analysis is done. All memory of its own comes from chunks and is given back.
 * Returns the status that the answer carries (LOUPE_OK also for an incomplete one), or the sink's
 * failure. An answer is written whatever happens, except when the sink fails, the question's
 * tally takes its place, which has no failures, or a taker of snapshots, which is told of them.
 */
enum loupe_status loupe_answer(struct loupe_memory *memory, const struct loupe_chunk_ops *chunks,
                               const struct loupe_question *question, struct loupe_sink sink);

#endif
