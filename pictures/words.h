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
 * that everybody makes among them (patterns.h). Of an answer that has a "look", {"unicode",
 * "color", "verbose", "width"}, instead of these {"report":TEXT} (answers/reports/report.h). Of
 * cycles both have "headline": the first lines of the report, and "found": what it counts.
 * "asked" of the answer is what was typed for the object.
 *
 * LOUPE_EUSAGE: nothing can be said of it, *err may say why; LOUPE_ENOMEM; the sink's failure.
 */
enum loupe_status answer_write_words(const struct json_value *answer, struct loupe_arena *arena,
                                     struct loupe_sink sink, struct loupe_error *err);

#endif
