/*
 * words.h - what an answer leaves to be said, for hosts that have it as data of their own: the
 * commands in lldb.
 */
#ifndef LOUPE_PICTURES_WORDS_H
#define LOUPE_PICTURES_WORDS_H

#include "answers/json_tree.h"
#include "base/json.h"

/*
 * Of an answer's knots, {"fixes":[[TEXT...]...],"patterns":[{"fingerprint","verdict","id","name",
 * "why"}...]}: for each knot in its order the sentences of its fixes in theirs, and the mistakes
 * that everybody makes among them (patterns.h). Where the answer has a "look", {"unicode", "color",
 * "verbose"}, also "knots":[TEXT...]: each knot as lines, its heading first; "best":
 * [TEXT...]: the best fix of each in a line, or nothing; "doubt": lines about those that are only
 * possible. LOUPE_EUSAGE: it is no
 * answer about knots, *err says so; LOUPE_ENOMEM; the sink's failure.
 */
enum loupe_status answer_write_words(const struct json_value *answer, struct loupe_arena *arena,
                                     struct loupe_sink sink, struct loupe_error *err);

#endif
