/*
 * session.h - a question whose host learns more while it is answered.
 *
 * A debugger reads by debug info what nothing in the target describes (`unread`, docs/protocol.md
 * section 11): it gets an answer, looks at the members that this lists, and hands over what it
 * found as facts; these lead to further objects with such members, and so on.
 *
 *     open     finds the runtime and the object; classes that are met are kept from then on
 *     ask      a whole answer, with all facts so far: the same as loupe_answer() gives when it is
 *              told all of them at once, in their order, but for what it says that it cost
 *     extend   takes facts and lists the undescribed members that are new since the last call. Only
 *              what the new facts lead to is opened: a call costs what is new, not what is there
 *     close    gives all memory back
 *
 * How ask() keeps its promise: it walks anew, over classes and memory that are known. What extend()
 * opened is there to find members, and no part of an answer, since the order in which objects are
 * met decides on much of what is shown.
 *
 * The target must not run, nor its memory be written, while a session is open: memory that was read
 * is not read again. The memory's counts of reads and bytes are those of all calls.
 */
#ifndef LOUPE_SESSION_H
#define LOUPE_SESSION_H

#include "base/arena.h"
#include "base/json.h"
#include "base/target/memory.h"
#include "questions/question.h"

struct loupe_session;

/*
 * The question is copied, its texts need not last. What is wrong with it, the answers tell. NULL:
 * there is no memory.
 */
struct loupe_session *loupe_session_open(struct loupe_memory *memory,
                                         const struct loupe_chunk_ops *chunks,
                                         const struct loupe_question *question);

/* Takes facts as extend() does, writes one line of JSON as loupe_answer() does, and returns what
 * that returns. */
enum loupe_status loupe_session_ask(struct loupe_session *session, const char *facts,
                                    struct loupe_sink sink);

/*
 * Takes the arguments `ref` and `read`, and `list` for the members that are listed from now on
 * (LOUPE_EUSAGE: there are others, and nothing of them is taken), and writes an answer that has
 * `unread` and no other key of its question. Also before the first ask(), and with NULL: what was
 * not listed before. In questions that follow no references there is nothing to list.
 */
enum loupe_status loupe_session_extend(struct loupe_session *session, const char *facts,
                                       struct loupe_sink sink);

/* The first answer: what the question's arguments ask for, a whole one or a survey. */
enum loupe_status loupe_session_begin(struct loupe_session *session, struct loupe_sink sink);

/* Whether an answer listed members that a host could read: else there is nothing to go on with. */
bool loupe_session_lists(const struct loupe_session *session);

void loupe_session_close(struct loupe_session *session);

#endif
