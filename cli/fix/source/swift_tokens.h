/*
 * swift_tokens.h - a source of Swift as tokens, enough to find declarations and closures.
 *
 * What it does not understand is refused as a whole: texts of several lines, raw texts, texts
 * within code within texts, regular expressions.
 */
#ifndef LOUPE_CLI_FIX_SWIFT_TOKENS_H
#define LOUPE_CLI_FIX_SWIFT_TOKENS_H

#include "fix/source/tokens.h"

/* As fix_read_tokens(). There are no macros. */
enum loupe_status fix_read_swift_tokens(struct loupe_span text, struct loupe_arena *arena,
                                        struct fix_source *ret);

#endif
